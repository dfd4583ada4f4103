//! A row in the shape that LibreOffice, Excel and most other programs write, read without the XML reader. A row that isn't
//! written so is left to that reader as a whole, so that both say the same of every file.

use std::borrow::Cow;

use super::{
    count_of, is_hidden,
    value::{ATTRIBUTES, CellHead, FoundCell, Paragraphs, Span},
};
use crate::{
    Limits,
    regular_xml::{Cursor, Miss, reference_letter},
};

/// Attributes of one tag that mean nothing here. More of them are irregular.
const MAX_OTHERS: usize = 6;

/// What a row says.
#[derive(Debug, Default)]
pub(super) struct RegularRow<'t> {
    pub(super) repeat: u32,
    pub(super) is_hidden: bool,
    /// Those that hold something.
    pub(super) cells: Vec<FoundCell<'t>>,
    pub(super) spans: Vec<Span>,
    /// Where the next cell would be.
    pub(super) column: u32,
}

impl<'t> RegularRow<'t> {
    /// Reads one row, with blanks before it.
    pub(super) fn read(&mut self, cursor: &mut Cursor<'t>, limits: &Limits) -> Result<(), Miss> {
        self.cells.clear();
        self.spans.clear();
        (self.repeat, self.is_hidden, self.column) = (1, false, 0);
        cursor.skip_blanks();
        cursor.expect(b"<table:table-row")?;
        self.row_head(cursor)?;
        if cursor.end_tag()? {
            return Ok(());
        }
        loop {
            cursor.skip_blanks();
            if cursor.take(b"<table:table-cell")? {
                self.cell(cursor, b"</table:table-cell>", limits)?;
            } else if cursor.take(b"<table:covered-table-cell")? {
                self.cell(cursor, b"</table:covered-table-cell>", limits)?;
            } else {
                return cursor.expect(b"</table:table-row>");
            }
        }
    }

    fn row_head(&mut self, cursor: &mut Cursor<'t>) -> Result<(), Miss> {
        let (mut repeat, mut visibility) = (None, None);
        let mut others = Others::default();
        while let Some((name, value)) = cursor.any_attribute()? {
            match name {
                b"table:number-rows-repeated" => once(&mut repeat, plain(value)?)?,
                b"table:visibility" => once(&mut visibility, plain(value)?)?,
                _ => others.pass(name, |local| matches!(local, "number-rows-repeated" | "visibility"))?,
            }
        }
        self.repeat = repeat.map_or(1, count_of);
        self.is_hidden = visibility.is_some_and(is_hidden);
        Ok(())
    }

    fn cell(&mut self, cursor: &mut Cursor<'t>, closing: &[u8], limits: &Limits) -> Result<(), Miss> {
        let (head, span) = cell_head(cursor)?;
        if let Some((rows, columns)) = span {
            self.spans.push(Span { column: self.column, rows, columns });
        }
        let shown = if cursor.end_tag()? { Cow::Borrowed("") } else { shown(cursor, closing, limits)? };
        let repeat = head.repeat;
        let (content, shown) = head.content(shown);
        let found = FoundCell { column: self.column, repeat, content, shown };
        self.column = self.column.saturating_add(found.repeat);
        if found.is_there() {
            if found.end() > u64::from(limits.columns) {
                return Err(Miss::Irregular);
            }
            self.cells.push(found);
        }
        Ok(())
    }
}

/// The attributes of a cell, and over how many rows and columns it goes.
fn cell_head<'t>(cursor: &mut Cursor<'t>) -> Result<(CellHead<'t>, Option<(u32, u32)>), Miss> {
    let mut found = [None; ATTRIBUTES.len()];
    let mut extended = None;
    let mut others = Others::default();
    while let Some((name, value)) = cursor.any_attribute()? {
        if name == b"calcext:value-type" {
            once(&mut extended, value)?;
            continue;
        }
        match place_of(name).and_then(|index| found.get_mut(index)) {
            Some(place) => once(place, value)?,
            None => others.pass(name, |local| ATTRIBUTES.iter().any(|(_, known)| *known == local))?,
        }
    }
    let [kind, .., formula, _, _, _] = found;
    // Of a formula, only its presence matters, where the cell has no value.
    if let Some(formula) = formula.filter(|_| kind.is_none_or(str::is_empty)) {
        plain(formula)?;
    }
    let [.., formula, repeat, rows, columns] = &mut found;
    *formula = formula.map(|_| "");
    let count = |text: &Option<&str>| text.map_or(1, count_of);
    let span = Some((count(rows), count(columns))).filter(|&(rows, columns)| rows > 1 || columns > 1);
    let repeat = count(repeat);
    for value in found.iter().flatten() {
        plain(value)?;
    }
    Ok((CellHead::new(found.map(|value| value.map(Cow::Borrowed)), extended == Some("error"), repeat), span))
}

/// Where in [`ATTRIBUTES`] a name stands, as it is usually written.
fn place_of(name: &[u8]) -> Option<usize> {
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

/// Names that mean nothing. That none is there twice is for the XML reader to say something of.
#[derive(Debug, Default)]
struct Others<'t> {
    names: [&'t [u8]; MAX_OTHERS],
    count: usize,
}

impl<'t> Others<'t> {
    /// A name that would mean something with another prefix is irregular.
    fn pass(&mut self, name: &'t [u8], is_known: impl Fn(&str) -> bool) -> Result<(), Miss> {
        check_binding(name)?;
        let (prefix, local) = match memchr::memchr(b':', name) {
            Some(at) => (name.get(..at).unwrap_or_default(), name.get(at + 1..).unwrap_or_default()),
            None => (&[][..], name),
        };
        let is_extension = matches!(prefix, b"calcext" | b"loext" | b"officeooo" | b"tableooo");
        let means_something = !is_extension && std::str::from_utf8(local).is_ok_and(is_known);
        let seen = self.names.get(..self.count).unwrap_or_default();
        if means_something || seen.contains(&name) {
            return Err(Miss::Irregular);
        }
        *self.names.get_mut(self.count).ok_or(Miss::Irregular)? = name;
        self.count += 1;
        Ok(())
    }
}

/// A prefix may mean something else from here on.
fn check_binding(name: &[u8]) -> Result<(), Miss> {
    if name.starts_with(b"xmlns") { Err(Miss::Irregular) } else { Ok(()) }
}

fn once<'t>(place: &mut Option<&'t str>, value: &'t str) -> Result<(), Miss> {
    if place.replace(value).is_some() { Err(Miss::Irregular) } else { Ok(()) }
}

/// A value that means what is written.
fn plain(value: &str) -> Result<&str, Miss> {
    let is_special = |byte: u8| matches!(byte, b'&' | b'<' | b'\t' | b'\r' | b'\n');
    if value.bytes().any(is_special) { Err(Miss::Irregular) } else { Ok(value) }
}

/// What a cell shows, up to the end of its element.
fn shown<'t>(cursor: &mut Cursor<'t>, closing: &[u8], limits: &Limits) -> Result<Cow<'t, str>, Miss> {
    let bounded = |length: usize| if length > limits.text_bytes { Err(Miss::Irregular) } else { Ok(()) };
    let mut attempt = *cursor;
    if let Some(text) = plain_paragraph(&mut attempt, closing)? {
        bounded(text.len())?;
        *cursor = attempt;
        return Ok(Cow::Borrowed(text));
    }
    let mut text = Paragraphs::default();
    loop {
        cursor.skip_blanks();
        if cursor.take(closing)? {
            return Ok(Cow::Owned(text.finish()));
        }
        cursor.expect(b"<text:p")?;
        while let Some((name, _)) = cursor.any_attribute()? {
            check_binding(name)?;
        }
        text.begin();
        if !cursor.end_tag()? {
            while !part_of_paragraph(cursor, &mut text, limits)? {
                bounded(text.length())?;
            }
        }
        bounded(text.length())?;
        text.end();
    }
}

/// The text of a cell with one paragraph whose text is as it is written.
fn plain_paragraph<'t>(cursor: &mut Cursor<'t>, closing: &[u8]) -> Result<Option<&'t str>, Miss> {
    if !cursor.take(b"<text:p>")? {
        return Ok(None);
    }
    let text = cursor.raw_text()?;
    // A space at the start doesn't count.
    let mut before = b' ';
    for byte in text.bytes() {
        if matches!(byte, b'&' | b'\t' | b'\r' | b'\n') || (byte == b' ' && before == b' ') {
            return Ok(None);
        }
        before = byte;
    }
    Ok(if cursor.take(b"</text:p>")? && cursor.take(closing)? { Some(text) } else { None })
}

/// Text and what stands behind it. True where that is the paragraph's end.
fn part_of_paragraph(cursor: &mut Cursor<'_>, text: &mut Paragraphs, limits: &Limits) -> Result<bool, Miss> {
    let mut raw = cursor.raw_text()?;
    while let Some(at) = memchr::memchr(b'&', raw.as_bytes()) {
        let (before, reference) = raw.split_at(at);
        text.push(before);
        let (letter, length) = reference_letter(reference).ok_or(Miss::Irregular)?;
        text.push_letter(letter);
        raw = reference.get(length..).unwrap_or_default();
    }
    text.push(raw);
    if cursor.take(b"</text:p>")? {
        return Ok(true);
    }
    cursor.expect(b"<text:s")?;
    let mut count = None;
    let mut others = Others::default();
    while let Some((name, value)) = cursor.any_attribute()? {
        match name {
            b"text:c" => once(&mut count, plain(value)?)?,
            _ => others.pass(name, |local| local == "c")?,
        }
    }
    if !cursor.end_tag()? {
        cursor.expect(b"</text:s>")?;
    }
    text.push_spaces(count, limits.text_bytes.saturating_add(1));
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_where_they_are_looked_for() {
        for (index, (_, local)) in ATTRIBUTES.iter().enumerate() {
            let found = ["office:", "table:"].map(|prefix| place_of(format!("{prefix}{local}").as_bytes()));
            assert!(found.contains(&Some(index)) && found.contains(&None), "{local}");
        }
    }
}
