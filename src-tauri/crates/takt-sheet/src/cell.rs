//! A cell: its kind, its value and the text that Excel shows. It must stay small because a sheet has millions of cells.

use std::borrow::Cow;

use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

use crate::serial::{format_date_time, format_duration, from_milliseconds, to_milliseconds};

/// Numbers from here on have more than 15 digits, so Excel has already rounded them.
const MIN_ROUNDED_VALUE: f64 = 1e15;

/// An upper bound for the milliseconds between 1970 and any date.
const MAX_MILLISECONDS: u64 = 1_000_000_000_000_000;

/// The error text of a number that isn't finite.
const NO_NUMBER: &str = "#NUM!";
/// The error text of a cell whose value in the file is invalid, such as a number with letters.
pub const UNREADABLE_VALUE: &str = "#?";

const WITHOUT_VALUE: u8 = 1;
const SHOWN_BY_FORMAT: u8 = 2;

/// The kind of a cell's value as stored in the file. It isn't guessed: a text that looks like a number is a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellKind {
    #[default]
    Empty,
    Text,
    Number,
    DateTime,
    Duration,
    Boolean,
    Error,
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

/// A cell's value, typed by the cell's [`CellKind`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellValue<'a> {
    Empty,
    Text(&'a str),
    Number(f64),
    /// The date-time as written in the file, without a time zone.
    DateTime(DateTime),
    /// A duration, or a time without a date, in ticks of 100 ns.
    Duration(i64),
    Boolean(bool),
    /// The name of an error, for example `#REF!`.
    Error(&'a str),
}

/// A cell as read from the file. It is serialized in this form, so nothing is parsed again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The text of a text cell, an error, or a number whose format shows more than its digits. Otherwise empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    text: Box<str>,
    /// The bits of the number, milliseconds since 1970, ticks, or 0 and 1, depending on the kind.
    #[serde(default, skip_serializing_if = "is_zero")]
    bits: u64,
    kind: CellKind,
    #[serde(default, skip_serializing_if = "has_no_flags")]
    flags: u8,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(bits: &u64) -> bool {
    *bits == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn has_no_flags(flags: &u8) -> bool {
    *flags == 0
}

impl Cell {
    #[must_use]
    pub fn text(text: impl Into<Box<str>>) -> Self {
        let text = text.into();
        let kind = if text.is_empty() { CellKind::Empty } else { CellKind::Text };
        Self { text, bits: 0, kind, flags: 0 }
    }

    /// Returns a number cell. A number that isn't finite becomes an error, because Excel has no such numbers.
    #[must_use]
    pub fn number(value: f64) -> Self {
        CellRef::of_number(value).to_cell()
    }

    /// Returns a number whose format shows it as `shown`, for example with leading zeros.
    #[must_use]
    pub fn number_shown(value: f64, shown: impl Into<Box<str>>) -> Self {
        Self { text: shown.into(), flags: SHOWN_BY_FORMAT, ..Self::number(value) }
    }

    #[must_use]
    pub fn date_time(value: DateTime) -> Self {
        Self::date_time_from_milliseconds(to_milliseconds(value))
    }

    /// Returns a date-time from its milliseconds since 1970.
    pub(crate) fn date_time_from_milliseconds(milliseconds: i64) -> Self {
        Self { bits: milliseconds.cast_unsigned(), kind: CellKind::DateTime, ..Self::default() }
    }

    #[must_use]
    pub fn duration(ticks: i64) -> Self {
        Self { bits: ticks.cast_unsigned(), kind: CellKind::Duration, ..Self::default() }
    }

    #[must_use]
    pub fn boolean(value: bool) -> Self {
        Self { bits: u64::from(value), kind: CellKind::Boolean, ..Self::default() }
    }

    #[must_use]
    pub fn error(text: impl Into<Box<str>>) -> Self {
        Self { text: text.into(), kind: CellKind::Error, ..Self::default() }
    }

    /// Returns a formula whose result was never calculated, as report programs write it.
    #[must_use]
    pub fn formula_without_value() -> Self {
        Self { flags: WITHOUT_VALUE, ..Self::default() }
    }

    /// Returns the error cell for a value that can't be read.
    pub(crate) fn unreadable() -> Self {
        CellRef::unreadable().to_cell()
    }

    /// Returns a view that borrows the cell's text.
    #[must_use]
    pub fn as_ref(&self) -> CellRef<'_> {
        CellRef::from_parts(self.kind, self.flags, self.bits, &self.text)
    }

    #[must_use]
    pub fn kind(&self) -> CellKind {
        self.kind
    }

    #[must_use]
    pub fn value(&self) -> CellValue<'_> {
        self.as_ref().value()
    }

    /// Returns the text that Excel shows. Dates are shown as `YYYY-MM-DD[ HH:MM[:SS[.fff]]]`, whatever their format is.
    #[must_use]
    pub fn shown(&self) -> Cow<'_, str> {
        self.as_ref().shown()
    }

    /// Returns true if the cell shows nothing. A formula without a value is also empty, so check for it first.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kind == CellKind::Empty
    }

    #[must_use]
    pub fn is_formula_without_value(&self) -> bool {
        self.as_ref().is_formula_without_value()
    }

    /// Returns true for a number whose format shows more than its digits, for example `00123`.
    #[must_use]
    pub fn is_shown_by_format(&self) -> bool {
        self.as_ref().is_shown_by_format()
    }

    /// Rebuilds a cell from [`CellRef::parts`]. A value that is invalid for its kind becomes a text cell.
    pub(crate) fn from_parts(kind: CellKind, flags: u8, bits: u64, text: String) -> Self {
        let is_valid = match kind {
            CellKind::Number => f64::from_bits(bits).is_finite(),
            CellKind::DateTime => bits.cast_signed().unsigned_abs() < MAX_MILLISECONDS,
            _ => true,
        };
        let kind = if is_valid { kind } else { CellKind::Text };
        Self { text: text.into(), bits, kind, flags }
    }

    /// Returns true for a number with more than 15 digits, which Excel has already rounded.
    #[must_use]
    pub fn is_rounded(&self) -> bool {
        self.as_ref().is_rounded()
    }
}

/// A cell with a borrowed text, for code that reads millions of packed cells.
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
            CellValue::Number(value) => Cow::Owned(format_number(value)),
            CellValue::DateTime(value) => Cow::Owned(format_date_time(value)),
            CellValue::Duration(ticks) => Cow::Owned(format_duration(ticks)),
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
        self.flags & SHOWN_BY_FORMAT != 0
    }

    /// Returns true if kind, value and text describe the cell completely. That excludes formulas without a value, and
    /// numbers whose format shows more than their digits.
    #[inline]
    #[must_use]
    pub fn is_ordinary(self) -> bool {
        self.flags == 0
    }

    /// See [`Cell::is_rounded`].
    #[must_use]
    #[inline]
    pub fn is_rounded(self) -> bool {
        self.kind == CellKind::Number && f64::from_bits(self.bits).abs() >= MIN_ROUNDED_VALUE
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

    /// Returns the length of the stored text in bytes. It is 0 for a cell whose text is formatted on demand.
    pub(crate) fn text_length(self) -> usize {
        self.text.len()
    }
}

/// Packs a kind and flags into one byte.
pub(crate) fn pack_head(kind: CellKind, flags: u8) -> u8 {
    kind as u8 | flags << 4
}

/// Unpacks a kind and flags. An unknown kind becomes [`CellKind::Empty`].
#[inline]
pub(crate) fn unpack_head(packed: u8) -> (CellKind, u8) {
    (KINDS.get(usize::from(packed & 0x0F)).copied().unwrap_or_default(), packed >> 4)
}

/// Formats a number as Excel shows it in a wide enough cell: rounded to 15 digits, without `.0`.
fn format_number(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and below 1e15")]
    if value.fract() == 0.0 && value.abs() < MIN_ROUNDED_VALUE {
        return (value as i64).to_string();
    }
    let rounded = format!("{value:.14e}").parse::<f64>().unwrap_or(value);
    if rounded != 0.0 && rounded.abs() < 1e-9 { format!("{rounded:E}") } else { rounded.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_stays_small() {
        assert!(size_of::<Cell>() <= 32, "{}", size_of::<Cell>());
    }

    #[test]
    fn numbers_are_shown_as_excel_shows_them() {
        for (value, shown) in [
            (3.0, "3"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (1375.25, "1375.25"),
            (999_999_999_999_999.0, "999999999999999"),
            (1e-12, "1E-12"),
        ] {
            assert_eq!(Cell::number(value).shown(), shown);
        }
        assert!(Cell::number(1e15).is_rounded());
        assert!(!Cell::number(999_999_999_999_999.0).is_rounded());
        assert_eq!(Cell::number(f64::NAN).value(), CellValue::Error("#NUM!"));
    }

    #[test]
    fn kinds_and_flags_come_back_from_a_byte() {
        for kind in KINDS {
            for flags in 0..=3 {
                assert_eq!(unpack_head(pack_head(kind, flags)), (kind, flags));
            }
        }
    }
}
