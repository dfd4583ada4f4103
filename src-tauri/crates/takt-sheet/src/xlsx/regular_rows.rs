//! Rows in the shape that Excel and most other programs write, read without the XML reader. A row that isn't written so is left
//! to that reader as a whole, so that both say the same of every file.

use super::{cells::FileKind, content::Content, texts::trimmed, usual_cell};
use crate::{
    Limits,
    cell_batch::{CellBatch, RawCell},
    regular_xml::{Cursor, Miss, plain},
    xml_text::without_escapes,
};

/// The row that cells without a place of their own are in, and the column of the next one; both 0-based.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) row: u32,
    pub(super) column: u32,
}

/// A row that was read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowEnd {
    /// The number, 1-based, of a row that Excel doesn't show.
    pub(super) hidden: Option<u32>,
    /// Cells that hold something, and those that don't.
    pub(super) filled: u64,
    pub(super) empty: u64,
}

/// Reads whole rows.
pub(super) struct RowScanner<'l> {
    pub(super) limits: &'l Limits,
    /// Whether blanks around texts count, as the elements around the cells say.
    pub(super) keeps_blanks: bool,
}

/// Attributes of a cell.
#[derive(Debug, Default)]
struct Head {
    format: u32,
    kind: FileKind,
    keeps_blanks: Option<bool>,
    is_empty: bool,
}

impl RowScanner<'_> {
    /// One row, with blanks before it. Where it isn't read, neither place nor batch have changed.
    pub(super) fn row(
        &self,
        cursor: &mut Cursor<'_>,
        place: &mut Place,
        batch: &mut CellBatch,
    ) -> Result<RowEnd, Miss> {
        let (mark, before) = (batch.mark(), *place);
        let read = self.row_from(cursor, place, batch);
        if read.is_err() {
            batch.go_back(mark);
            *place = before;
        }
        read
    }

    fn row_from(&self, cursor: &mut Cursor<'_>, place: &mut Place, batch: &mut CellBatch) -> Result<RowEnd, Miss> {
        cursor.skip_blanks();
        cursor.expect(b"<row")?;
        let (mut end, mut hidden) = (RowEnd::default(), false);
        place.column = 0;
        while let Some((name, value)) = cursor.attribute()? {
            match name {
                b"r" => place.row = self.row_number(value)?,
                b"hidden" => hidden = is_true(value)?,
                b"xmlns" => return Err(Miss::Irregular),
                _ => {}
            }
        }
        end.hidden = hidden.then(|| place.row.saturating_add(1));
        if !cursor.end_tag()? {
            loop {
                cursor.skip_blanks();
                if !cursor.take(b"<c")? {
                    break;
                }
                if self.cell(cursor, place, batch)? {
                    end.filled += 1
                } else {
                    end.empty += 1
                }
                place.column = place.column.saturating_add(1);
            }
            cursor.expect(b"</row>")?;
        }
        *place = Place { row: place.row.saturating_add(1), column: 0 };
        Ok(end)
    }

    /// One cell from behind its name. True where it holds something.
    fn cell(&self, cursor: &mut Cursor<'_>, place: &mut Place, batch: &mut CellBatch) -> Result<bool, Miss> {
        if let Some((cell, length)) = usual_cell::read(cursor, self.limits, batch) {
            cursor.pass(length);
            *place = Place { row: cell.row, column: cell.column };
            batch.cells.push(cell);
            return Ok(true);
        }
        let head = self.head(cursor, place)?;
        if head.is_empty {
            return Ok(false);
        }
        let mut content = Content { kind: head.kind, ..Content::default() };
        let (mut value, mut inline) = (None, None);
        loop {
            cursor.skip_blanks();
            if cursor.take(b"<v>")? {
                if value.is_some() {
                    return Err(Miss::Irregular);
                }
                value = Some(self.bounded(plain(cursor.raw_text()?)?)?);
                cursor.expect(b"</v>")?;
            } else if cursor.take(b"</c>")? {
                break;
            } else if cursor.take(b"<f")? {
                content.has_formula = true;
                while cursor.attribute()?.is_some() {}
                if !cursor.end_tag()? {
                    cursor.raw_text()?;
                    cursor.expect(b"</f>")?;
                }
            } else {
                cursor.expect(b"<is>")?;
                if inline.is_some() {
                    return Err(Miss::Irregular);
                }
                inline = Some(self.inline(cursor, head.keeps_blanks.unwrap_or(self.keeps_blanks))?);
            }
        }
        (content.value, content.inline) = (value.as_deref(), inline.as_deref());
        let Some(value) = content.value(batch) else { return Ok(false) };
        batch.cells.push(RawCell { row: place.row, column: place.column, format: head.format, value });
        Ok(true)
    }

    fn head(&self, cursor: &mut Cursor<'_>, place: &mut Place) -> Result<Head, Miss> {
        let mut head = Head::default();
        while let Some((name, value)) = cursor.attribute()? {
            match name {
                b"r" => *place = self.place(value)?,
                b"s" => head.format = digits(value).ok_or(Miss::Irregular)?,
                b"t" => head.kind = FileKind::of(value),
                b"xml:space" => head.keeps_blanks = Some(value == "preserve"),
                b"xmlns" => return Err(Miss::Irregular),
                _ => {}
            }
        }
        head.is_empty = cursor.end_tag()?;
        Ok(head)
    }

    /// A text that stands in the cell itself, from behind `<is>`, in one piece.
    fn inline<'t>(&self, cursor: &mut Cursor<'t>, keeps_blanks: bool) -> Result<std::borrow::Cow<'t, str>, Miss> {
        let text = text_element(cursor, keeps_blanks)?;
        cursor.skip_blanks();
        cursor.expect(b"</is>")?;
        self.bounded(text)
    }

    fn bounded<T: AsRef<str>>(&self, text: T) -> Result<T, Miss> {
        if text.as_ref().len() > self.limits.text_bytes { Err(Miss::Irregular) } else { Ok(text) }
    }

    fn place(&self, text: &str) -> Result<Place, Miss> {
        let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
        if letters == 0 || letters > 3 {
            return Err(Miss::Irregular);
        }
        let (letters, digits) = text.split_at(letters);
        let number = letters.bytes().fold(0, |sum, letter| sum * 26 + u32::from(letter - b'A') + 1);
        Ok(Place { row: self.row_number(digits)?, column: number - 1 })
    }

    /// A row's number, 0-based.
    fn row_number(&self, text: &str) -> Result<u32, Miss> {
        let number = digits(text).filter(|number| (1..=self.limits.rows).contains(number));
        number.map(|number| number - 1).ok_or(Miss::Irregular)
    }
}

/// One `<t>` with its text, with blanks around it as the file says.
pub(super) fn text_element<'t>(
    cursor: &mut Cursor<'t>,
    mut keeps_blanks: bool,
) -> Result<std::borrow::Cow<'t, str>, Miss> {
    cursor.skip_blanks();
    cursor.expect(b"<t")?;
    while let Some((name, value)) = cursor.attribute()? {
        match name {
            b"xml:space" => keeps_blanks = value == "preserve",
            b"xmlns" => return Err(Miss::Irregular),
            _ => {}
        }
    }
    if cursor.end_tag()? {
        return Ok(std::borrow::Cow::Borrowed(""));
    }
    let text = plain(cursor.raw_text()?)?;
    cursor.expect(b"</t>")?;
    let text = if keeps_blanks { text } else { trimmed(text) };
    Ok(if text.contains("_x") { std::borrow::Cow::Owned(without_escapes(&text).into_owned()) } else { text })
}

/// A number that nobody has to guess.
fn digits(text: &str) -> Option<u32> {
    let plain = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.bytes().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
}

fn is_true(text: &str) -> Result<bool, Miss> {
    match text {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err(Miss::Irregular),
    }
}
