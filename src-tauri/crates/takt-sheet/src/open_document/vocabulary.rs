//! The elements of an OpenDocument file that are tables, rows, cells and texts of cells. Cells also contain shapes,
//! images and comments, whose texts and tables are skipped.

use std::borrow::Cow;

use quick_xml::{
    XmlVersion,
    events::{BytesStart, attributes::Attribute},
    name::{LocalName, QName},
};

use crate::namespaces::{ElementFilter, ElementRole, ElementRoles, NamespaceScopes};

const NAMESPACES: &str = "urn:oasis:names:tc:opendocument:xmlns:";
/// The namespaces of OpenOffice.org 1. Its cells have attributes in `table:` that are in `office:` today.
const OLD_NAMESPACES: &str = "http://openoffice.org/2000/";
const CALC_EXTENSIONS: &str = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0";

/// The namespaces of elements and attributes, as far as they matter for cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    Office,
    Style,
    Table,
    Text,
    /// LibreOffice's extensions of cells.
    CalcExtension,
    /// Shapes, images, forms, charts, formulas and metadata, which are known not to be text of a cell.
    Object,
    /// The vocabulary of an extension.
    Unknown,
}

impl Vocabulary {
    fn from_name(scopes: &NamespaceScopes, name: QName<'_>) -> Self {
        Self::from_namespace(&scopes.namespace(name), name)
    }

    fn from_namespace(namespace: &str, name: QName<'_>) -> Self {
        if let Some(name) = namespace.strip_prefix(NAMESPACES).or_else(|| namespace.strip_prefix(OLD_NAMESPACES)) {
            return Self::from_prefix(name.split(':').next().unwrap_or_default());
        }
        match namespace {
            "http://purl.org/dc/elements/1.1/"
            | "http://www.w3.org/1998/Math/MathML"
            | "http://www.w3.org/2002/xforms" => Self::Object,
            CALC_EXTENSIONS => Self::CalcExtension,
            // Without a known namespace, the usual prefix decides.
            _ => Self::from_prefix(name.prefix().map_or("", |prefix| prefix.into_inner())),
        }
    }

    /// Returns the vocabulary of a usual prefix. Most prefixes are also the last part of the namespace.
    fn from_prefix(prefix: &str) -> Self {
        match prefix {
            "office" => Self::Office,
            "style" => Self::Style,
            "table" => Self::Table,
            "text" => Self::Text,
            "calcext" => Self::CalcExtension,
            "draw" | "drawing" | "dr3d" | "svg" | "svg-compatible" | "form" | "chart" | "math" | "dc" | "meta"
            | "anim" | "animation" | "presentation" | "script" | "smil" | "smil-compatible" | "xforms" => Self::Object,
            _ => Self::Unknown,
        }
    }
}

/// An attribute by its vocabulary and its local name.
pub(super) type AttributeName = (Vocabulary, &'static str);

/// Returns whether an attribute has this name. In OpenOffice.org 1, attributes of `office:` are in `table:`.
fn has_name(scopes: &NamespaceScopes, attribute: &Attribute<'_>, vocabulary: Vocabulary, name: &str) -> bool {
    if attribute.key.local_name().as_ref() != name || attribute.key.prefix().is_none() {
        return false;
    }
    let namespace = scopes.attribute_namespace(attribute.key);
    let found = Vocabulary::from_namespace(&namespace, attribute.key);
    let is_old = namespace.starts_with(OLD_NAMESPACES) && found == Vocabulary::Table;
    found == vocabulary || (is_old && vocabulary == Vocabulary::Office)
}

/// Returns the value of an attribute, or `None` if it is absent or can't be decoded.
pub(super) fn attribute(scopes: &NamespaceScopes, start: &BytesStart<'_>, name: AttributeName) -> Option<String> {
    let (vocabulary, name) = name;
    let mut attributes = start.attributes().flatten();
    let found = attributes.find(|attribute| has_name(scopes, attribute, vocabulary, name))?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
}

/// Returns the values of several attributes, see [`attribute`].
pub(super) fn attributes<'s, const N: usize>(
    scopes: &NamespaceScopes,
    start: &'s BytesStart<'_>,
    names: &[AttributeName; N],
) -> [Option<Cow<'s, str>>; N] {
    let mut found: [Option<Attribute<'s>>; N] = [const { None }; N];
    for attribute in start.attributes().flatten() {
        let index = names.iter().position(|&(vocabulary, name)| has_name(scopes, &attribute, vocabulary, name));
        if let Some(value) = index.and_then(|index| found.get_mut(index)).filter(|value| value.is_none()) {
            *value = Some(attribute);
        }
    }
    found.map(|attribute| normalize_value(attribute?))
}

fn normalize_value(attribute: Attribute<'_>) -> Option<Cow<'_, str>> {
    let is_plain = !attribute.value.bytes().any(|byte| matches!(byte, b'&' | b'\t' | b'\r' | b'\n'));
    if is_plain {
        return Some(attribute.value);
    }
    attribute.normalized_value(XmlVersion::Implicit1_0).ok().map(|value| Cow::Owned(value.into_owned()))
}

/// Returns whether rows or columns with this value of `table:visibility` are hidden.
pub(super) fn is_hidden(visibility: &str) -> bool {
    matches!(visibility, "collapse" | "filter")
}

/// Parses a repeat count. A count that is too large to parse becomes the largest number, so it exceeds every limit.
pub(super) fn parse_count(text: &str) -> u32 {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().unwrap_or(u32::MAX).max(1) } else { 1 }
}

/// Returns whether the usual prefixes have their usual meaning here.
pub(super) fn has_usual_prefixes(scopes: &NamespaceScopes) -> bool {
    [("office:a", Vocabulary::Office), ("table:a", Vocabulary::Table), ("text:a", Vocabulary::Text)]
        .into_iter()
        .chain([("calcext:a", Vocabulary::CalcExtension)])
        .all(|(name, vocabulary)| Vocabulary::from_name(scopes, QName(name)) == vocabulary)
}

/// Selects the events that belong to tables, rows, cells and the texts of cells.
pub(super) type CellElementFilter = ElementFilter<CellRoles>;

#[derive(Debug, Default)]
pub(super) struct CellRoles {
    /// The number of open cells, and of open paragraphs.
    cells: u32,
    paragraphs: u32,
}

impl CellRoles {
    /// Returns the counter of this element's open elements, or `None` for an element that isn't counted.
    fn counter(&mut self, name: LocalName<'_>) -> Option<&mut u32> {
        match name.as_ref() {
            "table-cell" | "covered-table-cell" => Some(&mut self.cells),
            "p" | "h" if self.cells > 0 => Some(&mut self.paragraphs),
            _ => None,
        }
    }
}

impl ElementRoles for CellRoles {
    fn enter(&mut self, name: LocalName<'_>) {
        if let Some(open) = self.counter(name) {
            *open = open.saturating_add(1);
        }
    }

    fn leave(&mut self, name: LocalName<'_>) {
        if let Some(open) = self.counter(name) {
            *open = open.saturating_sub(1);
        }
    }

    fn role(&mut self, scopes: &NamespaceScopes, name: QName<'_>) -> ElementRole {
        let vocabulary = Vocabulary::from_name(scopes, name);
        let local = name.local_name();
        match (vocabulary, local.as_ref()) {
            (Vocabulary::Object, _)
            | (Vocabulary::Office, "annotation")
            | (Vocabulary::Table, "shapes" | "dde-links" | "tracked-changes")
            | (Vocabulary::Text, "ruby-text" | "note" | "script") => ElementRole::Skipped,
            (Vocabulary::Text | Vocabulary::Table, _) if self.paragraphs > 0 => ElementRole::Included,
            // Within a paragraph, the text of unknown elements belongs to the paragraph (ODF 1.3, part 3, section
            // 3.17).
            (Vocabulary::Unknown | Vocabulary::CalcExtension, _) if self.paragraphs > 0 => ElementRole::Wrapper,
            (Vocabulary::Office | Vocabulary::Style, _) if self.paragraphs > 0 => ElementRole::Skipped,
            (Vocabulary::Table, _) => ElementRole::Included,
            (Vocabulary::Text, "p" | "h") => ElementRole::Included,
            (Vocabulary::Text, "list" | "list-item" | "list-header" | "section" | "numbered-paragraph") => {
                ElementRole::Wrapper
            }
            _ if self.cells > 0 => ElementRole::Skipped,
            (Vocabulary::Unknown | Vocabulary::CalcExtension, _) => ElementRole::Wrapper,
            _ => ElementRole::Included,
        }
    }
}

#[cfg(test)]
mod tests {
    use quick_xml::{Reader, events::Event};

    use super::*;

    #[test]
    fn attributes_are_told_by_their_namespace() {
        let names = [(Vocabulary::Office, "value"), (Vocabulary::Table, "name")];
        let values = |xml: &str| {
            let xml = format!(
                r#"<a xmlns:office="{NAMESPACES}office:1.0" xmlns:o="{NAMESPACES}office:1.0" xmlns:foo="urn:foo" {xml}/>"#
            );
            let mut reader = Reader::from_str(&xml);
            reader.config_mut().expand_empty_elements = true;
            let mut elements = CellElementFilter::default();
            let event = reader.read_event().unwrap();
            elements.includes(&event).unwrap();
            let Event::Start(start) = event else { panic!("{xml}") };
            attributes(elements.scopes(), &start, &names).map(|value| value.unwrap_or_default().into_owned())
        };
        for (xml, expected) in [
            (r#"foo:value="99" office:value="5" foo:name="x""#, ["5", ""]),
            (r#"value="99" o:value="5" name="x" table:name="y""#, ["5", "y"]),
            (r#"table:value="99" office:name="x""#, ["", ""]),
            (r#"xmlns:t="http://openoffice.org/2000/table" t:value="5" t:name="y""#, ["5", "y"]),
        ] {
            assert_eq!(values(xml), expected, "{xml}");
        }
    }

    /// Returns the text within paragraphs of cells.
    fn text(cell: &str) -> String {
        let xml = format!(
            r#"<office:x xmlns:office="{NAMESPACES}office:1.0" xmlns:table="{NAMESPACES}table:1.0" xmlns:text="{NAMESPACES}text:1.0" xmlns:draw="{NAMESPACES}drawing:1.0" xmlns:svg="{NAMESPACES}svg-compatible:1.0" xmlns:loext="urn:libreoffice"><table:table-cell>{cell}</table:table-cell></office:x>"#
        );
        let mut reader = Reader::from_str(&xml);
        reader.config_mut().expand_empty_elements = true;
        let (mut elements, mut found) = (CellElementFilter::default(), String::new());
        loop {
            let event = reader.read_event().unwrap();
            let is_included = elements.includes(&event).unwrap();
            match event {
                Event::Eof => return found,
                Event::Text(text) if is_included && elements.roles().paragraphs > 0 => found += &text.xml10_content(),
                _ => {}
            }
        }
    }

    #[test]
    fn texts_of_other_elements_are_skipped() {
        for cell in [
            "<text:p>a</text:p>",
            "<text:p><text:span>a</text:span></text:p>",
            "<text:p><text:ruby><text:ruby-base>a</text:ruby-base><text:ruby-text>b</text:ruby-text></text:ruby></text:p>",
            "<draw:frame><draw:text-box><text:p>b</text:p></draw:text-box></draw:frame><text:p>a</text:p>",
            "<draw:g><svg:title>b</svg:title><draw:custom-shape><text:p>b</text:p></draw:custom-shape></draw:g><text:p>a</text:p>",
            "<text:p>a<draw:frame><svg:desc>b</svg:desc><draw:text-box><text:p>b</text:p></draw:text-box></draw:frame></text:p>",
            "<office:annotation><text:p>b</text:p></office:annotation><text:p>a</text:p>",
            "<text:p>a<office:annotation><text:p>b</text:p></office:annotation></text:p>",
            "<text:p>a<text:note><text:note-citation>1</text:note-citation></text:note></text:p>",
            "<text:list><text:list-item><text:p>a</text:p></text:list-item></text:list>",
            "<text:p><loext:content-control>a</loext:content-control></text:p>",
            "<loext:x><text:p>b</text:p></loext:x><text:p>a</text:p>",
            r#"<x:p xmlns:x="urn:oasis:names:tc:opendocument:xmlns:text:1.0">a</x:p><y:p xmlns:y="urn:y">b</y:p>"#,
        ] {
            assert_eq!(text(cell), "a", "{cell}");
        }
    }
}
