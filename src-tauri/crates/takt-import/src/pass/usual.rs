//! A fast path for ordinary cells, which have no finding. The full check handles any other cell. Tests compare both
//! paths.

use takt_contract::{FieldKind, Limits};
use takt_sheet::{CellRef, CellValue, is_error_text};

use crate::{
    reading::{Format, ReadValue, fast_date_time, fast_number, fast_ticks, to_integer},
    target::Target,
};

/// The fast path for reading a column's cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct FastCells<'f> {
    pub(super) field: &'f Target,
    pub(super) format: Format,
    /// True if [`is_plain`] holds for all texts of the column.
    pub(super) are_plain: bool,
}

/// Puts the value of an ordinary cell into `slot`. Returns false if the cell needs the full check, and `slot` is
/// meaningless then.
#[inline]
pub(super) fn read_fast<'r>(
    cell: Option<CellRef<'r>>,
    FastCells { field, format, are_plain }: FastCells<'_>,
    slot: &mut Option<ReadValue<'r>>,
) -> bool {
    let Some(cell) = cell else {
        *slot = None;
        return true;
    };
    if !cell.is_ordinary() {
        return false;
    }
    if cell.is_empty() {
        *slot = None;
        return true;
    }
    let value = match field.kind {
        FieldKind::Text => match cell.value() {
            CellValue::Text(text) => text_value(text, field, are_plain),
            _ => None,
        },
        FieldKind::Number => fast_number(cell, format).filter(in_bounds(&field.limits)).map(ReadValue::Number),
        FieldKind::Integer => {
            fast_number(cell, format).filter(in_bounds(&field.limits)).and_then(|number| to_integer(number).ok())
        }
        FieldKind::Boolean => match cell.value() {
            CellValue::Boolean(value) => Some(ReadValue::Boolean(value)),
            CellValue::Text(text) if text.eq_ignore_ascii_case("true") => Some(ReadValue::Boolean(true)),
            CellValue::Text(text) if text.eq_ignore_ascii_case("false") => Some(ReadValue::Boolean(false)),
            _ => None,
        },
        FieldKind::DateTime => fast_date_time(cell).map(ReadValue::DateTime),
        FieldKind::Duration | FieldKind::TimeSpan => fast_ticks(cell).map(ReadValue::Duration),
        FieldKind::List | FieldKind::Object => None,
    };
    let is_fast = value.is_some();
    *slot = value;
    is_fast
}

/// Returns an ASCII text within the length limit, without surrounding blanks.
#[inline]
fn text_value<'r>(text: &'r str, Target { limits, .. }: &Target, is_known_plain: bool) -> Option<ReadValue<'r>> {
    let (&first, &last) = (text.as_bytes().first()?, text.as_bytes().last()?);
    let fits = limits.max_length.is_none_or(|most| text.len() <= most as usize);
    let is_ordinary = fits && limits.values.is_empty() && first > b' ' && last > b' ';
    let is_ordinary = is_ordinary && (is_known_plain || is_plain(text.as_bytes())) && !is_error_text(text);
    is_ordinary.then_some(ReadValue::Text(text.into()))
}

/// Returns true for ASCII without control characters.
#[inline]
pub(super) fn is_plain(text: &[u8]) -> bool {
    const HIGHEST_BIT: u8 = 0x80;
    // The highest bit is set in non-ASCII bytes, and by the sums in control characters. Without branches, the loop can
    // be vectorized.
    let seen = text.iter().fold(0, |seen, &byte| seen | byte | byte.wrapping_sub(b' ') | byte.wrapping_add(1));
    seen & HIGHEST_BIT == 0
}

fn in_bounds(limits: &Limits) -> impl Fn(&f64) -> bool {
    let Limits { minimum, exclusive_minimum, maximum, .. } = *limits;
    move |&number| {
        exclusive_minimum.is_none_or(|bound| number > bound)
            && minimum.is_none_or(|bound| number >= bound)
            && maximum.is_none_or(|bound| number <= bound)
    }
}
