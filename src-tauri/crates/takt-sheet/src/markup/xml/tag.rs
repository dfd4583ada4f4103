//! The elements of a spreadsheet among those of other vocabularies, and their attributes.

use std::borrow::Cow;

use quick_xml::{
    XmlVersion,
    events::{BytesStart, Event, attributes::Attribute},
};

use crate::{SheetError, namespaces::Scopes, xml_text::plain_attribute};

/// The usual prefix of the spreadsheet's vocabulary, for files that don't declare it.
const USUAL_PREFIX: &str = "ss";

/// Distinguishes the elements of spreadsheets from others. Others aren't skipped, because a text may contain HTML.
#[derive(Default)]
pub(super) struct Elements {
    scopes: Scopes,
    own: Option<String>,
}

impl Elements {
    /// Returns whether an event belongs to the root's vocabulary.
    pub(super) fn is_own_element(&mut self, event: &Event<'_>) -> Result<bool, SheetError> {
        let name = match event {
            Event::Start(start) => {
                self.scopes.enter(start)?;
                start.name()
            }
            Event::End(end) => end.name(),
            _ => return Ok(true),
        };
        let namespace = self.scopes.namespace(name);
        let is_own = *self.own.get_or_insert_with(|| namespace.clone().into_owned()) == namespace;
        if let Event::End(_) = event {
            self.scopes.leave();
        }
        Ok(is_own)
    }

    pub(super) fn tag<'e>(&'e self, start: &'e BytesStart<'e>) -> Tag<'e> {
        Tag { start, elements: self }
    }
}

/// The start of an element.
pub(super) struct Tag<'e> {
    pub(super) start: &'e BytesStart<'e>,
    elements: &'e Elements,
}

impl Tag<'_> {
    /// Returns an attribute of the root's vocabulary, else one without a prefix, as some writers use.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let is_own = |found: &Attribute<'_>| {
            let namespace = self.elements.scopes.attribute_namespace(found.key);
            found.key.prefix().is_some()
                && found.key.local_name().as_ref() == name
                && (namespace == USUAL_PREFIX || Some(&*namespace) == self.elements.own.as_deref())
        };
        let found = self.start.attributes().with_checks(false).flatten().find(is_own);
        let own = found.and_then(|found| found.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned));
        own.or_else(|| plain_attribute(self.start, name))
    }
}
