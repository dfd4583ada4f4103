//! Rows in the form that LibreOffice, Excel and most other programs write, read or skipped without the XML reader. A
//! row in any other form is left to that reader completely, so both read the same from every file.

use std::borrow::Cow;

use memchr::memchr;

use super::{
    value::{ATTRIBUTES, CellHead, CellRun, CellSpan, Paragraphs},
    vocabulary::{is_hidden, parse_count},
};
use crate::{
    Limits,
    regular_xml::{Cursor, FastReadFailure, predefined_reference},
};

/// The maximum number of attributes of a tag that are ignored. A tag with more is irregular.
const MAX_IGNORED_ATTRIBUTES: usize = 6;

/// Elements that have a meaning anywhere in a file. A row that contains one is irregular.
const MEANINGFUL_ELEMENTS: [&str; 3] = ["table", "style", "table-properties"];
const USUAL_ELEMENTS: [&str; 2] = ["table:table-cell", "text:p"];

/// A row in the regular form.
#[derive(Debug, Default)]
pub(super) struct RegularRow<'t> {
    pub(super) repeat: u32,
    pub(super) is_hidden: bool,
    /// The cells with content.
    pub(super) cells: Vec<CellRun<'t>>,
    pub(super) spans: Vec<CellSpan>,
    /// The column after the last cell.
    pub(super) column: u32,
}

impl<'t> RegularRow<'t> {
    /// Reads one row and the blanks before it.
    pub(super) fn read(&mut self, cursor: &mut Cursor<'t>, limits: &Limits) -> Result<(), FastReadFailure> {
        self.cells.clear();
        self.spans.clear();
        (self.repeat, self.is_hidden, self.column) = (1, false, 0);
        cursor.skip_blanks();
        cursor.expect(b"<table:table-row")?;
        self.read_head(cursor)?;
        if cursor.read_tag_end()? {
            return Ok(());
        }
        loop {
            cursor.skip_blanks();
            if cursor.skip_if_next(b"<table:table-cell")? {
                self.read_cell(cursor, b"</table:table-cell>", limits)?;
            } else if cursor.skip_if_next(b"<table:covered-table-cell")? {
                self.read_cell(cursor, b"</table:covered-table-cell>", limits)?;
            } else {
                return cursor.expect(b"</table:table-row>");
            }
        }
    }

    fn read_head(&mut self, cursor: &mut Cursor<'t>) -> Result<(), FastReadFailure> {
        let (mut repeat, mut visibility) = (None, None);
        let mut ignored = IgnoredAttributes::default();
        while let Some((name, value)) = cursor.read_any_attribute()? {
            match name {
                b"table:number-rows-repeated" => set_once(&mut repeat, plain_value(value)?)?,
                b"table:visibility" => set_once(&mut visibility, plain_value(value)?)?,
                _ => ignored.ignore(name, |local| matches!(local, "number-rows-repeated" | "visibility"))?,
            }
        }
        self.repeat = repeat.map_or(1, parse_count);
        self.is_hidden = visibility.is_some_and(is_hidden);
        Ok(())
    }

    fn read_cell(&mut self, cursor: &mut Cursor<'t>, closing: &[u8], limits: &Limits) -> Result<(), FastReadFailure> {
        let (head, span) = read_cell_head(cursor)?;
        if let Some((rows, columns)) = span {
            self.spans.push(CellSpan { column: self.column, rows, columns });
        }
        let shown = if cursor.read_tag_end()? { Cow::Borrowed("") } else { read_shown_text(cursor, closing, limits)? };
        let repeat = head.repeat;
        let (content, shown) = head.content(shown);
        let found = CellRun { column: self.column, repeat, content, shown };
        self.column = self.column.saturating_add(found.repeat);
        if found.is_stored() {
            if found.end_column() > u64::from(limits.columns) {
                return Err(FastReadFailure::Irregular);
            }
            self.cells.push(found);
        }
        Ok(())
    }
}

/// Reads the attributes of a cell, and the rows and columns that it spans.
fn read_cell_head<'t>(cursor: &mut Cursor<'t>) -> Result<(CellHead<'t>, Option<(u32, u32)>), FastReadFailure> {
    let mut found = [None; ATTRIBUTES.len()];
    let mut extended = None;
    let mut ignored = IgnoredAttributes::default();
    while let Some((name, value)) = cursor.read_any_attribute()? {
        if name == b"calcext:value-type" {
            set_once(&mut extended, value)?;
            continue;
        }
        match attribute_index(name).and_then(|index| found.get_mut(index)) {
            Some(target) => set_once(target, value)?,
            None => ignored.ignore(name, |local| ATTRIBUTES.iter().any(|(_, known)| *known == local))?,
        }
    }
    let [kind, .., formula, _, _, _] = found;
    // A formula only matters if the cell has no value, and then only its presence.
    if let Some(formula) = formula.filter(|_| kind.is_none_or(str::is_empty)) {
        plain_value(formula)?;
    }
    let [.., formula, repeat, rows, columns] = &mut found;
    *formula = formula.map(|_| "");
    let count = |text: &Option<&str>| text.map_or(1, parse_count);
    let span = Some((count(rows), count(columns))).filter(|&(rows, columns)| rows > 1 || columns > 1);
    let repeat = count(repeat);
    for value in found.iter().flatten() {
        plain_value(value)?;
    }
    Ok((CellHead::new(found.map(|value| value.map(Cow::Borrowed)), extended == Some("error"), repeat), span))
}

/// Returns the index in [`ATTRIBUTES`] of a name with its usual prefix.
fn attribute_index(name: &[u8]) -> Option<usize> {
    Some(match name {
        b"office:value-type" => 0,
        b"office:value" => 1,
        b"office:date-value" => 2,
        b"office:time-value" => 3,
        b"office:boolean-value" => 4,
        b"office:string-value" => 5,
        b"table:formula" => 6,
        b"table:number-columns-repeated" => 7,
        b"table:number-rows-spanned" => 8,
        b"table:number-columns-spanned" => 9,
        _ => return None,
    })
}

/// Names of a tag's ignored attributes. A name that occurs twice is left to the XML reader, which reports it.
#[derive(Debug, Default)]
struct IgnoredAttributes<'t> {
    names: [&'t [u8]; MAX_IGNORED_ATTRIBUTES],
    count: usize,
}

impl<'t> IgnoredAttributes<'t> {
    /// Ignores an attribute. The row is irregular if the local name is known, because an unknown prefix may stand for a
    /// known namespace.
    fn ignore(&mut self, name: &'t [u8], is_known: impl Fn(&str) -> bool) -> Result<(), FastReadFailure> {
        check_binding(name)?;
        let (prefix, local) = match memchr(b':', name) {
            Some(at) => (name.get(..at).unwrap_or_default(), name.get(at + 1..).unwrap_or_default()),
            None => (&[][..], name),
        };
        let is_extension = matches!(prefix, b"calcext" | b"loext" | b"officeooo" | b"tableooo");
        let means_something = !is_extension && std::str::from_utf8(local).is_ok_and(is_known);
        let seen = self.names.get(..self.count).unwrap_or_default();
        if means_something || seen.contains(&name) {
            return Err(FastReadFailure::Irregular);
        }
        *self.names.get_mut(self.count).ok_or(FastReadFailure::Irregular)? = name;
        self.count += 1;
        Ok(())
    }
}

/// Refuses a namespace declaration, because it may change the meaning of prefixes.
fn check_binding(name: &[u8]) -> Result<(), FastReadFailure> {
    if name.starts_with(b"xmlns") { Err(FastReadFailure::Irregular) } else { Ok(()) }
}

fn set_once<'t>(target: &mut Option<&'t str>, value: &'t str) -> Result<(), FastReadFailure> {
    if target.replace(value).is_some() { Err(FastReadFailure::Irregular) } else { Ok(()) }
}

/// Returns a value that needs no decoding. Any other value is irregular.
fn plain_value(value: &str) -> Result<&str, FastReadFailure> {
    let is_special = |byte: u8| matches!(byte, b'&' | b'<' | b'\t' | b'\r' | b'\n');
    if value.bytes().any(is_special) { Err(FastReadFailure::Irregular) } else { Ok(value) }
}

/// Reads the text that a cell shows, up to the end of its element.
fn read_shown_text<'t>(
    cursor: &mut Cursor<'t>,
    closing: &[u8],
    limits: &Limits,
) -> Result<Cow<'t, str>, FastReadFailure> {
    let bounded = |length: usize| if length > limits.text_bytes { Err(FastReadFailure::Irregular) } else { Ok(()) };
    let mut attempt = *cursor;
    if let Some(text) = read_plain_paragraph(&mut attempt, closing)? {
        bounded(text.len())?;
        *cursor = attempt;
        return Ok(Cow::Borrowed(text));
    }
    let mut text = Paragraphs::default();
    loop {
        cursor.skip_blanks();
        if cursor.skip_if_next(closing)? {
            return Ok(Cow::Owned(text.finish()));
        }
        cursor.expect(b"<text:p")?;
        while let Some((name, _)) = cursor.read_any_attribute()? {
            check_binding(name)?;
        }
        text.begin();
        if !cursor.read_tag_end()? {
            while !read_paragraph_part(cursor, &mut text, limits)? {
                bounded(text.length())?;
            }
        }
        bounded(text.length())?;
        text.end();
    }
}

/// Reads the text of a cell with a single paragraph that needs no decoding. Returns `None` for any other text.
fn read_plain_paragraph<'t>(cursor: &mut Cursor<'t>, closing: &[u8]) -> Result<Option<&'t str>, FastReadFailure> {
    if !cursor.skip_if_next(b"<text:p>")? {
        return Ok(None);
    }
    let text = cursor.read_raw_text()?;
    // A space at the start is collapsed, so such a text isn't plain.
    let mut before = b' ';
    for byte in text.bytes() {
        if matches!(byte, b'&' | b'\t' | b'\r' | b'\n') || (byte == b' ' && before == b' ') {
            return Ok(None);
        }
        before = byte;
    }
    Ok(if cursor.skip_if_next(b"</text:p>")? && cursor.skip_if_next(closing)? { Some(text) } else { None })
}

/// Reads text and the element after it. Returns true at the end of the paragraph.
fn read_paragraph_part(
    cursor: &mut Cursor<'_>,
    text: &mut Paragraphs,
    limits: &Limits,
) -> Result<bool, FastReadFailure> {
    let mut raw = cursor.read_raw_text()?;
    while let Some(at) = memchr(b'&', raw.as_bytes()) {
        let (before, reference) = raw.split_at(at);
        text.push(before);
        let (letter, length) = predefined_reference(reference).ok_or(FastReadFailure::Irregular)?;
        text.push_letter(letter);
        raw = reference.get(length..).unwrap_or_default();
    }
    text.push(raw);
    if cursor.skip_if_next(b"</text:p>")? {
        return Ok(true);
    }
    cursor.expect(b"<text:s")?;
    let mut count = None;
    let mut ignored = IgnoredAttributes::default();
    while let Some((name, value)) = cursor.read_any_attribute()? {
        match name {
            b"text:c" => set_once(&mut count, plain_value(value)?)?,
            _ => ignored.ignore(name, |local| local == "c")?,
        }
    }
    if !cursor.read_tag_end()? {
        cursor.expect(b"</text:s>")?;
    }
    text.push_spaces(count, limits.text_bytes.saturating_add(1));
    Ok(false)
}

/// Skips rows of sheets that aren't read, if the XML reader would find no errors in them. Returns their length in
/// bytes, and the reason why the next row isn't skipped.
pub(super) fn skip_rows(text: &str) -> (usize, FastReadFailure) {
    let (mut cursor, mut open, mut handled_bytes) = (Cursor::new(text), Vec::new(), 0);
    loop {
        match skip_row(&mut cursor, &mut open) {
            Ok(()) => handled_bytes = cursor.position(),
            Err(failure) => return (handled_bytes, failure),
        }
    }
}

/// Skips one row with all its content, and the blanks before it.
fn skip_row<'t>(cursor: &mut Cursor<'t>, open: &mut Vec<&'t str>) -> Result<(), FastReadFailure> {
    open.clear();
    cursor.skip_blanks();
    let first = cursor.read_tag()?;
    if element_name(first) != "table:table-row" {
        return Err(FastReadFailure::Irregular);
    }
    open_element(first, open)?;
    while let Some(name) = open.last() {
        check_references(cursor.read_raw_text()?)?;
        if cursor.skip_if_next(b"</")? {
            cursor.expect(name.as_bytes())?;
            cursor.expect(b">")?;
            open.pop();
        } else {
            open_element(cursor.read_tag()?, open)?;
        }
    }
    Ok(())
}

/// Opens the element of a tag, unless the tag is irregular.
fn open_element<'t>(tag: &'t str, open: &mut Vec<&'t str>) -> Result<(), FastReadFailure> {
    let name = element_name(tag);
    if !USUAL_ELEMENTS.contains(&name) {
        // Comments, CDATA and instructions may contain a `>`.
        let is_element = tag.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
        let local = name.split_once(':').map_or(name, |(_, local)| local);
        if !is_element || MEANINGFUL_ELEMENTS.contains(&local) {
            return Err(FastReadFailure::Irregular);
        }
    }
    if !tag.ends_with('/') {
        open.push(name);
    }
    Ok(())
}

fn element_name(tag: &str) -> &str {
    let end = tag.bytes().position(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r'));
    end.and_then(|end| tag.get(..end)).unwrap_or_else(|| tag.strip_suffix('/').unwrap_or(tag))
}

/// Checks that all references are predefined.
fn check_references(mut text: &str) -> Result<(), FastReadFailure> {
    while let Some(at) = memchr(b'&', text.as_bytes()) {
        let reference = text.get(at..).unwrap_or_default();
        let (_, length) = predefined_reference(reference).ok_or(FastReadFailure::Irregular)?;
        text = reference.get(length..).unwrap_or_default();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_where_they_are_looked_for() {
        for (index, (_, local)) in ATTRIBUTES.iter().enumerate() {
            let found = ["office:", "table:"].map(|prefix| attribute_index(format!("{prefix}{local}").as_bytes()));
            assert!(found.contains(&Some(index)) && found.contains(&None), "{local}");
        }
    }
}
