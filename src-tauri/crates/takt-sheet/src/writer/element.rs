//! The start of an XML element: its prefix and its attributes.

use quick_xml::events::BytesStart;

/// Returns the prefix of the namespace with its colon, or an empty text if there is none.
pub(super) fn prefix(start: &BytesStart<'_>) -> String {
    start.name().as_ref().rsplit_once(':').map_or_else(String::new, |(prefix, _)| format!("{prefix}:"))
}

/// Returns the value of an attribute, or `None` if it is absent or can't be decoded.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().flatten().find(|attribute| attribute.key.as_ref() == name)?;
    quick_xml::escape::unescape(&found.value).ok().map(std::borrow::Cow::into_owned)
}

/// Returns the start of an element without an attribute.
pub(super) fn without_attribute<'e>(start: &BytesStart<'_>, name: &str) -> BytesStart<'e> {
    let mut copy = BytesStart::new(start.name().as_ref().to_owned());
    for attribute in start.attributes().flatten().filter(|attribute| attribute.key.as_ref() != name) {
        copy.push_attribute(attribute);
    }
    copy
}

/// Returns the start of an element with another value of an attribute that it has.
pub(super) fn with_attribute<'e>(start: &BytesStart<'_>, name: &str, value: &str) -> BytesStart<'e> {
    let mut copy = BytesStart::new(start.name().as_ref().to_owned());
    for attribute in start.attributes().flatten() {
        if attribute.key.as_ref() == name {
            copy.push_attribute((name, value));
        } else {
            copy.push_attribute(attribute);
        }
    }
    copy
}
