//! Elements of an OpenDocument file that make up tables, rows, cells and their texts. A cell also contains shapes, images and
//! comments, whose texts and tables aren't its own.

use quick_xml::{
    events::Event,
    name::{LocalName, QName},
};

use crate::{SheetError, namespaces::Scopes};

const NAMESPACES: &str = "urn:oasis:names:tc:opendocument:xmlns:";

/// The vocabularies that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vocabulary {
    Office,
    Style,
    Table,
    Text,
    /// Shapes, images, forms, charts, formulas, metadata: whatever a consumer knows not to be text.
    Object,
    /// Of an extension.
    Unknown,
}

impl Vocabulary {
    fn of(scopes: &Scopes, name: QName<'_>) -> Self {
        let namespace = scopes.namespace(name);
        if let Some(name) = namespace.strip_prefix(NAMESPACES) {
            return Self::by_prefix(name.split(':').next().unwrap_or_default());
        }
        match &*namespace {
            "http://purl.org/dc/elements/1.1/"
            | "http://www.w3.org/1998/Math/MathML"
            | "http://www.w3.org/2002/xforms" => Self::Object,
            // Without a known namespace, the usual prefix decides.
            _ => Self::by_prefix(name.prefix().map_or("", |prefix| prefix.into_inner())),
        }
    }

    /// By the usual prefix, which is the name of the namespace for most of them.
    fn by_prefix(prefix: &str) -> Self {
        match prefix {
            "office" => Self::Office,
            "style" => Self::Style,
            "table" => Self::Table,
            "text" => Self::Text,
            "draw" | "drawing" | "dr3d" | "svg" | "svg-compatible" | "form" | "chart" | "math" | "dc" | "meta"
            | "anim" | "animation" | "presentation" | "script" | "smil" | "smil-compatible" | "xforms" => Self::Object,
            _ => Self::Unknown,
        }
    }
}

/// Selects the events that belong to tables, rows, cells and the texts of cells.
#[derive(Debug, Default)]
pub(super) struct CellElements {
    scopes: Scopes,
    /// Open cells and paragraphs.
    cells: u32,
    paragraphs: u32,
    /// Open elements, from the outermost skipped one on.
    skipped: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Own,
    /// The element is ignored, its content counts.
    Wrapper,
    Skipped,
}

impl CellElements {
    /// Whether an event counts. Must be asked for every event.
    ///
    /// # Errors
    /// See [`Scopes::enter`].
    pub(super) fn includes(&mut self, event: &Event<'_>) -> Result<bool, SheetError> {
        match event {
            Event::Start(start) => {
                self.scopes.enter(start)?;
                if self.skipped > 0 {
                    self.skipped += 1;
                    return Ok(false);
                }
                let role = self.role(start.name());
                self.skipped = u32::from(role == Role::Skipped);
                if role == Role::Own
                    && let Some(open) = self.counter(start.local_name())
                {
                    *open = open.saturating_add(1);
                }
                Ok(role == Role::Own)
            }
            Event::End(end) => {
                let role = if self.skipped > 0 { Role::Skipped } else { self.role(end.name()) };
                self.skipped = self.skipped.saturating_sub(1);
                if role == Role::Own
                    && let Some(open) = self.counter(end.local_name())
                {
                    *open = open.saturating_sub(1);
                }
                self.scopes.leave();
                Ok(role == Role::Own)
            }
            Event::Eof => Ok(true),
            _ => Ok(self.skipped == 0),
        }
    }

    /// The count of open elements of this kind.
    fn counter(&mut self, name: LocalName<'_>) -> Option<&mut u32> {
        match name.as_ref() {
            "table-cell" | "covered-table-cell" => Some(&mut self.cells),
            "p" | "h" if self.cells > 0 => Some(&mut self.paragraphs),
            _ => None,
        }
    }

    fn role(&self, name: QName<'_>) -> Role {
        let vocabulary = Vocabulary::of(&self.scopes, name);
        let local = name.local_name();
        match (vocabulary, local.as_ref()) {
            (Vocabulary::Object, _)
            | (Vocabulary::Office, "annotation")
            | (Vocabulary::Table, "shapes" | "dde-links" | "tracked-changes")
            | (Vocabulary::Text, "ruby-text" | "note" | "script") => Role::Skipped,
            (Vocabulary::Text | Vocabulary::Table, _) if self.paragraphs > 0 => Role::Own,
            // Within a paragraph, the text of unknown elements counts (ODF 1.3, part 3, section 3.17).
            (Vocabulary::Unknown, _) if self.paragraphs > 0 => Role::Wrapper,
            (Vocabulary::Office | Vocabulary::Style, _) if self.paragraphs > 0 => Role::Skipped,
            (Vocabulary::Table, _) => Role::Own,
            (Vocabulary::Text, "p" | "h") => Role::Own,
            (Vocabulary::Text, "list" | "list-item" | "list-header" | "section" | "numbered-paragraph") => {
                Role::Wrapper
            }
            _ if self.cells > 0 => Role::Skipped,
            (Vocabulary::Unknown, _) => Role::Wrapper,
            _ => Role::Own,
        }
    }
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;

    use super::*;

    /// The text within paragraphs of cells.
    fn text(cell: &str) -> String {
        let xml = format!(
            r#"<office:x xmlns:office="{NAMESPACES}office:1.0" xmlns:table="{NAMESPACES}table:1.0" xmlns:text="{NAMESPACES}text:1.0" xmlns:draw="{NAMESPACES}drawing:1.0" xmlns:svg="{NAMESPACES}svg-compatible:1.0" xmlns:loext="urn:libreoffice"><table:table-cell>{cell}</table:table-cell></office:x>"#
        );
        let mut reader = Reader::from_str(&xml);
        reader.config_mut().expand_empty_elements = true;
        let (mut elements, mut found) = (CellElements::default(), String::new());
        loop {
            let event = reader.read_event().unwrap();
            let is_included = elements.includes(&event).unwrap();
            match event {
                Event::Eof => return found,
                Event::Text(text) if is_included && elements.paragraphs > 0 => found += &text.xml10_content(),
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
