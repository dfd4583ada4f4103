//! Cells as nearly all of them are: what such a cell is worth is known at once, and nothing is to be said about it. Any other
//! cell is left to the check, which knows every case; the tests hold both against each other.

use takt_contract::{FieldKind, Limits};
use takt_sheet::{CellRef, CellValue, is_error_text};

use crate::import::{
    reading::{Format, ReadValue, usual_date_time, usual_number, usual_ticks, whole},
    target::Target,
};

/// How a column's cells are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct UsualCells<'f> {
    pub(super) field: &'f Target,
    pub(super) format: Format,
    /// True if [`is_plain`] holds for all texts of the column.
    pub(super) are_plain: bool,
}

/// Puts the value of a cell into its place. False where that needs a closer look; what stands in the place then isn't the cell's.
#[inline]
pub(super) fn take<'r>(
    cell: Option<CellRef<'r>>,
    UsualCells { field, format, are_plain }: UsualCells<'_>,
    place: &mut Option<ReadValue<'r>>,
) -> bool {
    let Some(cell) = cell else {
        *place = None;
        return true;
    };
    if !cell.is_ordinary() {
        return false;
    }
    if cell.is_empty() {
        *place = None;
        return true;
    }
    let value = match field.kind {
        FieldKind::Text => match cell.value() {
            CellValue::Text(text) => text_value(text, field, are_plain),
            _ => None,
        },
        FieldKind::Number => usual_number(cell, format).filter(in_bounds(&field.limits)).map(ReadValue::Number),
        FieldKind::Integer => {
            usual_number(cell, format).filter(in_bounds(&field.limits)).and_then(|number| whole(number).ok())
        }
        FieldKind::Boolean => match cell.value() {
            CellValue::Boolean(value) => Some(ReadValue::Boolean(value)),
            CellValue::Text(text) if text.eq_ignore_ascii_case("true") => Some(ReadValue::Boolean(true)),
            CellValue::Text(text) if text.eq_ignore_ascii_case("false") => Some(ReadValue::Boolean(false)),
            _ => None,
        },
        FieldKind::DateTime => usual_date_time(cell).map(ReadValue::DateTime),
        FieldKind::Duration | FieldKind::TimeSpan => usual_ticks(cell).map(ReadValue::Duration),
        FieldKind::List | FieldKind::Object => None,
    };
    let is_usual = value.is_some();
    *place = value;
    is_usual
}

/// A text of ASCII letters that is short enough, without blanks around it.
#[inline]
fn text_value<'r>(text: &'r str, Target { limits, .. }: &Target, is_known_plain: bool) -> Option<ReadValue<'r>> {
    let (&first, &last) = (text.as_bytes().first()?, text.as_bytes().last()?);
    let fits = limits.max_length.is_none_or(|most| text.len() <= most as usize);
    let usual = fits && limits.values.is_empty() && first > b' ' && last > b' ';
    let usual = usual && (is_known_plain || is_plain(text.as_bytes())) && !is_error_text(text);
    usual.then_some(ReadValue::Text(text.into()))
}

/// ASCII without control characters.
#[inline]
pub(super) fn is_plain(text: &[u8]) -> bool {
    const BEYOND: u8 = 0x80;
    // The highest bit is set in what isn't ASCII, and in a control character by the sums. Without branches, so that many bytes
    // are looked at at once.
    let seen = text.iter().fold(0, |seen, &byte| seen | byte | byte.wrapping_sub(b' ') | byte.wrapping_add(1));
    seen & BEYOND == 0
}

fn in_bounds(limits: &Limits) -> impl Fn(&f64) -> bool {
    let Limits { minimum, exclusive_minimum, maximum, .. } = *limits;
    move |&number| {
        exclusive_minimum.is_none_or(|bound| number > bound)
            && minimum.is_none_or(|bound| number >= bound)
            && maximum.is_none_or(|bound| number <= bound)
    }
}
