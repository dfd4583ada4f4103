//! A cell with a borrowed text, for code that reads millions of packed cells, and the packing of a cell's kind into a
//! byte.

use std::borrow::Cow;

use super::{
    Cell, CellKind, CellValue, NO_NUMBER, ROUNDED_FROM, SHOWN_BY_FORMAT, UNREADABLE_VALUE, WITHOUT_VALUE, number_text,
};
use crate::serial::{date_time_text, duration_text, from_milliseconds};

/// A cell with a borrowed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellRef<'a> {
    text: &'a str,
    bits: u64,
    kind: CellKind,
    flags: u8,
}

impl<'a> CellRef<'a> {
    /// Returns a text cell, or an empty cell for an empty text.
    #[must_use]
    #[inline]
    pub fn of_text(text: &'a str) -> Self {
        let kind = if text.is_empty() { CellKind::Empty } else { CellKind::Text };
        Self { text, bits: 0, kind, flags: 0 }
    }

    /// Like [`Cell::number`].
    pub(crate) fn of_number(value: f64) -> Self {
        let (kind, text) = if value.is_finite() { (CellKind::Number, "") } else { (CellKind::Error, NO_NUMBER) };
        Self { text, bits: if text.is_empty() { value.to_bits() } else { 0 }, kind, flags: 0 }
    }

    /// Returns a date-time from its milliseconds since 1970-01-01T00:00.
    pub(crate) fn of_milliseconds(milliseconds: i64) -> Self {
        Self { text: "", bits: milliseconds.cast_unsigned(), kind: CellKind::DateTime, flags: 0 }
    }

    /// Like [`Cell::duration`].
    pub(crate) fn of_duration(ticks: i64) -> Self {
        Self { text: "", bits: ticks.cast_unsigned(), kind: CellKind::Duration, flags: 0 }
    }

    /// Like [`Cell::boolean`].
    pub(crate) fn of_boolean(value: bool) -> Self {
        Self { text: "", bits: value.into(), kind: CellKind::Boolean, flags: 0 }
    }

    /// Like [`Cell::error`].
    pub(crate) fn of_error(text: &'a str) -> Self {
        Self { text, bits: 0, kind: CellKind::Error, flags: 0 }
    }

    /// Like [`Cell::unreadable`].
    pub(crate) fn unreadable() -> Self {
        Self::of_error(UNREADABLE_VALUE)
    }

    /// Like [`Cell::formula_without_value`].
    pub(crate) fn formula_without_value() -> Self {
        Self { text: "", bits: 0, kind: CellKind::Empty, flags: WITHOUT_VALUE }
    }

    #[must_use]
    #[inline]
    pub fn kind(self) -> CellKind {
        self.kind
    }

    #[must_use]
    #[inline]
    pub fn value(self) -> CellValue<'a> {
        match self.kind {
            CellKind::Empty => CellValue::Empty,
            CellKind::Text => CellValue::Text(self.text),
            CellKind::Number => CellValue::Number(f64::from_bits(self.bits)),
            CellKind::DateTime => CellValue::DateTime(from_milliseconds(self.bits.cast_signed())),
            CellKind::Duration => CellValue::Duration(self.bits.cast_signed()),
            CellKind::Boolean => CellValue::Boolean(self.bits != 0),
            CellKind::Error => CellValue::Error(self.text),
        }
    }

    /// Returns a date-time's milliseconds since 1970, which is faster than [`Self::value`], or `None` for any other
    /// cell.
    #[must_use]
    #[inline]
    pub fn milliseconds(self) -> Option<i64> {
        (self.kind == CellKind::DateTime).then_some(self.bits.cast_signed())
    }

    /// See [`Cell::shown`].
    #[must_use]
    pub fn shown(self) -> Cow<'a, str> {
        match self.value() {
            CellValue::Empty => Cow::Borrowed(""),
            CellValue::Text(text) | CellValue::Error(text) => Cow::Borrowed(text),
            CellValue::Number(_) if self.is_shown_by_format() => Cow::Borrowed(self.text),
            CellValue::Number(value) => Cow::Owned(number_text(value)),
            CellValue::DateTime(value) => Cow::Owned(date_time_text(value)),
            CellValue::Duration(ticks) => Cow::Owned(duration_text(ticks)),
            CellValue::Boolean(value) => Cow::Borrowed(if value { "TRUE" } else { "FALSE" }),
        }
    }

    /// See [`Cell::is_empty`].
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self.kind == CellKind::Empty
    }

    #[must_use]
    #[inline]
    pub fn is_formula_without_value(self) -> bool {
        self.flags & WITHOUT_VALUE != 0
    }

    /// See [`Cell::is_shown_by_format`].
    #[must_use]
    #[inline]
    pub fn is_shown_by_format(self) -> bool {
        is_shown_by_format(self.flags)
    }

    /// Returns true if kind, value and text describe the cell completely. It isn't a formula without a value, and no
    /// format shows it differently.
    #[inline]
    #[must_use]
    pub fn is_ordinary(self) -> bool {
        self.flags == 0
    }

    /// See [`Cell::is_rounded`].
    #[must_use]
    #[inline]
    pub fn is_rounded(self) -> bool {
        self.kind == CellKind::Number && f64::from_bits(self.bits).abs() >= ROUNDED_FROM
    }

    #[must_use]
    pub fn to_cell(self) -> Cell {
        Cell { text: self.text.into(), bits: self.bits, kind: self.kind, flags: self.flags }
    }

    /// Returns the parts that are stored: kind, flags, bits and text.
    #[inline]
    pub(crate) fn parts(self) -> (CellKind, u8, u64, &'a str) {
        (self.kind, self.flags, self.bits, self.text)
    }

    /// Rebuilds a cell from the parts that [`Self::parts`] returned.
    #[inline]
    pub(crate) fn from_parts(kind: CellKind, flags: u8, bits: u64, text: &'a str) -> Self {
        Self { text, bits, kind, flags }
    }

    /// Returns the bytes of the stored text, which is empty for a cell whose text is formatted on demand.
    pub(crate) fn text_length(self) -> usize {
        self.text.len()
    }
}

const KINDS: [CellKind; 7] = [
    CellKind::Empty,
    CellKind::Text,
    CellKind::Number,
    CellKind::DateTime,
    CellKind::Duration,
    CellKind::Boolean,
    CellKind::Error,
];

pub(crate) fn is_shown_by_format(flags: u8) -> bool {
    flags & SHOWN_BY_FORMAT != 0
}

/// Packs a kind and flags into one byte.
pub(crate) fn pack_head(kind: CellKind, flags: u8) -> u8 {
    kind as u8 | flags << 4
}

/// Unpacks a kind and flags.
#[inline]
pub(crate) fn unpack_head(packed: u8) -> (CellKind, u8) {
    (KINDS.get(usize::from(packed & 0x0F)).copied().unwrap_or_default(), packed >> 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_flags_come_back_from_a_byte() {
        for kind in KINDS {
            for flags in 0..=3 {
                assert_eq!(unpack_head(pack_head(kind, flags)), (kind, flags));
            }
        }
    }
}
