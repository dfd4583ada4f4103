//! Reads cells as values, by the kind of the field that their column is matched with.

use std::{
    borrow::{Borrow, Cow},
    mem::discriminant,
};

use jiff::civil::{Date, DateTime, Weekday};
use serde_json::{Number, Value};
use takt_contract::{FieldKind, wire::duration};
use takt_sheet::{Cell, CellKind, CellRef, CellValue, TICKS_PER_SECOND, UNREADABLE_VALUE, is_error_text};

use crate::{
    date::{self, DateError, DateOrder, DateOrders, TypedDateTime},
    duration_text::{self, DurationError, DurationUnit},
    mapping::{FormatChoice, FormatChoices},
    number::{self, Decimals, Negatives, NumberError},
    week::WeekDay,
};
use takt_core::finding::FindingCode;

/// The format of a column's texts. All its cells have the same format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) decimals: Decimals,
    pub(crate) negatives: Negatives,
    pub(crate) order: DateOrder,
    pub(crate) unit: DurationUnit,
    pub(crate) week_day: WeekDay,
    /// Number of texts that prove the format. 0 if the user chose it.
    pub(crate) proofs: u32,
    /// Number of texts that need a format.
    pub(crate) total: u32,
}

/// The formats that the user chose for a column. The current day decides the year of calendar weeks without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChosenFormats {
    pub(crate) choices: FormatChoices,
    pub(crate) today: Date,
}

impl Format {
    pub(crate) const PLAIN: Self = Self {
        decimals: Decimals::Unneeded,
        negatives: Negatives::Unneeded,
        order: DateOrder::Unneeded,
        unit: DurationUnit::Unneeded,
        week_day: WeekDay::Unneeded,
        proofs: 0,
        total: 0,
    };

    /// Determines the format of a column's cells for a kind of field. The user's choice applies only if the cells don't
    /// prove a format.
    pub(crate) fn detect(
        kind: FieldKind,
        choice: Option<ChosenFormats>,
        cells: impl Iterator<Item = impl Borrow<Cell>>,
    ) -> Self {
        let mut evidence = ColumnFormatCounts::new(kind);
        if evidence.is_needed() {
            cells.for_each(|cell| evidence.add_cell(cell.borrow().as_ref()));
        }
        evidence.format(choice)
    }
}

/// The counts that determine how a column's texts are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnFormatCounts {
    kind: FieldKind,
    numbers: number::DecimalSignCounts,
    dates: date::DateOrderCounts,
    durations: duration_text::DurationCounts,
}

impl ColumnFormatCounts {
    pub(crate) fn new(kind: FieldKind) -> Self {
        Self {
            kind,
            numbers: number::DecimalSignCounts::default(),
            dates: date::DateOrderCounts::default(),
            durations: duration_text::DurationCounts::default(),
        }
    }

    /// Returns false if the field's kind needs no format.
    pub(crate) fn is_needed(&self) -> bool {
        is_number(self.kind) || is_duration(self.kind) || self.kind == FieldKind::DateTime
    }

    /// Returns the kinds of cells that must be counted.
    pub(crate) fn kinds(&self) -> &'static [CellKind] {
        if is_duration(self.kind) { &[CellKind::Text, CellKind::Number] } else { &[CellKind::Text] }
    }

    pub(crate) fn add_cell(&mut self, cell: CellRef<'_>) {
        // Dates are skipped by their kind, because reading the value would convert the number to a date.
        if cell.kind() == CellKind::DateTime {
            return;
        }
        if is_duration(self.kind) {
            self.durations.add_cell(cell);
        } else if let CellValue::Text(text) = cell.value() {
            match self.kind {
                FieldKind::Integer | FieldKind::Number => self.numbers.add_text(text),
                FieldKind::DateTime => self.dates.add_text(text),
                _ => {}
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.numbers.merge(other.numbers);
        self.dates.merge(other.dates);
        self.durations.merge(other.durations);
    }

    /// Returns the format. The user's choice applies only if the counts don't prove a format.
    pub(crate) fn format(&self, chosen: Option<ChosenFormats>) -> Format {
        let mut format = Format::PLAIN;
        match self.kind {
            FieldKind::Integer | FieldKind::Number => {
                (format.proofs, format.total) = self.numbers.counts();
                format.decimals = self.numbers.decimals();
                if self.numbers.negative_marks() > 0 {
                    format.negatives = Negatives::Unknown;
                }
            }
            FieldKind::DateTime => {
                format.order = self.dates.order();
                format.week_day = if self.dates.weeks() > 0 { WeekDay::Unknown } else { WeekDay::Unneeded };
                (format.proofs, format.total) = match format.order {
                    DateOrder::DayFirst { proofs, total }
                    | DateOrder::MonthFirst { proofs, total }
                    | DateOrder::YearFirst { proofs, total } => (proofs, total),
                    DateOrder::Unneeded => (0, self.dates.weeks()),
                    DateOrder::Unknown(_) | DateOrder::Mixed => (0, self.dates.order_dependent_texts()),
                };
            }
            FieldKind::Duration | FieldKind::TimeSpan => {
                format.decimals = self.durations.decimals();
                format.unit = self.durations.unit();
                format.total = self.durations.bare_numbers();
            }
            _ => {}
        }
        format.with_choices(chosen)
    }
}

fn is_number(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Integer | FieldKind::Number)
}

fn is_duration(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Duration | FieldKind::TimeSpan)
}

impl FormatChoice {
    /// Returns true if fields of this kind can need the choice.
    pub(crate) fn fits(self, kind: FieldKind) -> bool {
        match self {
            Self::DayFirst | Self::MonthFirst | Self::YearFirst | Self::Monday | Self::Friday | Self::Sunday => {
                kind == FieldKind::DateTime
            }
            Self::Comma | Self::Point | Self::Negative => is_number(kind),
            Self::Hours | Self::Minutes | Self::Days => is_duration(kind),
        }
    }
}

/// Returns the format that a single cell proves for a kind of field. No cell proves the unit of a duration or the day
/// of a week.
pub(crate) fn proven_format(kind: FieldKind, cell: &Cell) -> Option<FormatChoice> {
    if is_duration(kind) {
        return None;
    }
    let format = Format::detect(kind, None, std::iter::once(cell));
    match (format.decimals, format.order) {
        (Decimals::Comma, _) => Some(FormatChoice::Comma),
        (Decimals::Point, _) => Some(FormatChoice::Point),
        (_, DateOrder::DayFirst { .. }) => Some(FormatChoice::DayFirst),
        (_, DateOrder::MonthFirst { .. }) => Some(FormatChoice::MonthFirst),
        (_, DateOrder::YearFirst { .. }) => Some(FormatChoice::YearFirst),
        _ => None,
    }
}

impl Format {
    /// Applies the user's choices to the parts of the format that the cells leave open.
    pub(crate) fn with_choices(self, chosen: Option<ChosenFormats>) -> Self {
        let Some(ChosenFormats { choices, today }) = chosen else { return self };
        choices.iter().fold(self, |format, choice| format.with_choice(choice, today))
    }

    fn with_choice(mut self, choice: FormatChoice, today: Date) -> Self {
        let total = self.total;
        let is_open = |order| matches!(self.order, DateOrder::Unknown(fitting) if fitting.contains(order));
        match choice {
            FormatChoice::Comma if self.decimals == Decimals::Unknown => self.decimals = Decimals::Comma,
            FormatChoice::Point if self.decimals == Decimals::Unknown => self.decimals = Decimals::Point,
            FormatChoice::Negative if self.negatives == Negatives::Unknown => self.negatives = Negatives::Marked,
            FormatChoice::DayFirst if is_open(DateOrders::DAY_FIRST) => {
                self.order = DateOrder::DayFirst { proofs: 0, total }
            }
            FormatChoice::MonthFirst if is_open(DateOrders::MONTH_FIRST) => {
                self.order = DateOrder::MonthFirst { proofs: 0, total }
            }
            FormatChoice::YearFirst if is_open(DateOrders::YEAR_FIRST) => {
                self.order = DateOrder::YearFirst { proofs: 0, total }
            }
            FormatChoice::Hours if self.unit == DurationUnit::Unknown => self.unit = DurationUnit::Hours,
            FormatChoice::Minutes if self.unit == DurationUnit::Unknown => self.unit = DurationUnit::Minutes,
            FormatChoice::Days if self.unit == DurationUnit::Unknown => self.unit = DurationUnit::Days,
            FormatChoice::Monday | FormatChoice::Friday | FormatChoice::Sunday if self.week_day == WeekDay::Unknown => {
                let weekday = match choice {
                    FormatChoice::Friday => Weekday::Friday,
                    FormatChoice::Sunday => Weekday::Sunday,
                    _ => Weekday::Monday,
                };
                self.week_day = WeekDay::Chosen { weekday, today };
            }
            _ => {}
        }
        self
    }

    /// Returns true if both formats read every text in the same way. The number of proofs may differ.
    pub(crate) fn is_equivalent(self, other: Self) -> bool {
        self.decimals == other.decimals
            && self.negatives == other.negatives
            && discriminant(&self.order) == discriminant(&other.order)
            && self.unit == other.unit
            && self.week_day == other.week_day
    }

    /// Returns true if each part of the format is either unneeded or not determined by the column.
    pub(crate) fn is_open(self) -> bool {
        matches!(self.decimals, Decimals::Unneeded | Decimals::Unknown)
            && matches!(self.negatives, Negatives::Unneeded | Negatives::Unknown)
            && matches!(self.order, DateOrder::Unneeded | DateOrder::Unknown(_))
            && matches!(self.unit, DurationUnit::Unneeded | DurationUnit::Unknown)
            && matches!(self.week_day, WeekDay::Unneeded | WeekDay::Unknown)
    }
}

/// The value of a cell in the type of its field, as it will be sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReadValue<'a> {
    Text(Cow<'a, str>),
    Integer(i64),
    Number(f64),
    Boolean(bool),
    DateTime(TypedDateTime),
    /// Ticks of 100 ns.
    Duration(i64),
}

/// Reads the value of a cell that isn't empty, for a kind of field.
pub(crate) fn read(cell: CellRef<'_>, kind: FieldKind, format: Format) -> Result<ReadValue<'_>, FindingCode> {
    if let Some(code) = error_code(cell) {
        return Err(code);
    }
    match kind {
        FieldKind::Text => read_text(cell),
        FieldKind::Integer => to_integer(read_number(cell, format)?),
        FieldKind::Number => read_number(cell, format).map(ReadValue::Number),
        FieldKind::Boolean => read_boolean(cell),
        FieldKind::DateTime => read_date_time(cell, format),
        FieldKind::Duration | FieldKind::TimeSpan => read_duration(cell, format),
        FieldKind::List | FieldKind::Object => Err(FindingCode::NotAllowed),
    }
}

/// Returns the finding for a cell with a spreadsheet error. In a text file, the error is a text.
pub(crate) fn error_code(cell: CellRef<'_>) -> Option<FindingCode> {
    match cell.value() {
        CellValue::Error(UNREADABLE_VALUE) => Some(FindingCode::CellUnreadable),
        CellValue::Error(_) => Some(FindingCode::CellError),
        CellValue::Text(text) => is_error_text(text).then_some(FindingCode::CellError),
        _ => None,
    }
}

impl ReadValue<'_> {
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::String(text.as_ref().to_owned()),
            Self::Integer(value) => Value::from(*value),
            Self::Number(value) => number_json(*value),
            Self::Boolean(value) => Value::Bool(*value),
            Self::DateTime(_) | Self::Duration(_) => Value::String(self.display_text()),
        }
    }

    /// Returns the value as the grid shows it.
    pub(crate) fn display_text(&self) -> String {
        match self {
            Self::Text(text) => text.as_ref().to_owned(),
            Self::Integer(value) => value.to_string(),
            Self::Number(value) => number_json(*value).to_string(),
            Self::Boolean(value) => value.to_string(),
            Self::DateTime(written) => iso_text(*written),
            Self::Duration(ticks) => hours_text(*ticks),
        }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "compared with bounds, which are small")]
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Number(value) => Some(*value),
            _ => None,
        }
    }
}

/// Reads a number on the fast path. Returns `None` if the cell needs the full check.
#[inline]
pub(crate) fn fast_number(cell: CellRef<'_>, format: Format) -> Option<f64> {
    match cell.value() {
        CellValue::Text(text) => number::parse_fast(text.as_bytes(), format.decimals),
        CellValue::Number(value) => is_short(value).then_some(value),
        _ => None,
    }
}

/// Reads a date-time on the fast path. Returns `None` if the cell needs the full check.
#[inline]
pub(crate) fn fast_date_time(cell: CellRef<'_>) -> Option<TypedDateTime> {
    match cell.value() {
        CellValue::Text(text) => date::parse_fast(text.as_bytes()),
        CellValue::DateTime(at) => Some(TypedDateTime { at, offset: None }),
        _ => None,
    }
}

/// Reads a duration's ticks on the fast path. Returns `None` if the cell needs the full check.
#[inline]
pub(crate) fn fast_ticks(cell: CellRef<'_>) -> Option<i64> {
    match cell.value() {
        CellValue::Text(text) => hours_and_minutes(text),
        CellValue::Duration(ticks) => Some(ticks),
        _ => None,
    }
}

fn read_text(cell: CellRef<'_>) -> Result<ReadValue<'_>, FindingCode> {
    if cell.kind() == CellKind::Number && cell.is_rounded() {
        return Err(FindingCode::TooManyDigits);
    }
    Ok(ReadValue::Text(match cell.shown() {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }))
}

fn read_number(cell: CellRef<'_>, format: Format) -> Result<f64, FindingCode> {
    let parse: fn(&str, Decimals) -> Result<f64, NumberError> =
        if format.negatives == Negatives::Marked { number::parse_marked } else { number::parse };
    match cell.value() {
        CellValue::Number(_) if cell.is_rounded() => Err(FindingCode::TooManyDigits),
        // Excel shows 15 digits. The rest is the noise of binary fractions.
        CellValue::Number(value) if is_short(value) => Ok(value),
        CellValue::Number(value) => Ok(format!("{value:.14e}").parse().unwrap_or(value)),
        CellValue::Text(text) => parse(text, format.decimals).map_err(|error| match error {
            NumberError::NotANumber => FindingCode::NotANumber,
            NumberError::Ambiguous => ambiguous_number(format),
            NumberError::TooManyDigits => FindingCode::NumberTooLong,
        }),
        _ => Err(FindingCode::NotANumber),
    }
}

pub(crate) fn to_integer(value: f64) -> Result<ReadValue<'static>, FindingCode> {
    #[expect(clippy::cast_possible_truncation, reason = "whole, and below 1e15 by the checks before")]
    if value.fract() == 0.0 { Ok(ReadValue::Integer(value as i64)) } else { Err(FindingCode::NotAnInteger) }
}

/// Returns true for a number with at most 4 decimals and 15 digits. It needs no rounding to the digits that Excel
/// shows.
fn is_short(value: f64) -> bool {
    let scaled = value * 1e4;
    scaled.fract() == 0.0 && scaled.abs() < 1e15 && scaled / 1e4 == value
}

fn read_boolean(cell: CellRef<'_>) -> Result<ReadValue<'static>, FindingCode> {
    let value = match cell.value() {
        CellValue::Boolean(value) => Some(value),
        CellValue::Number(1.0) => Some(true),
        CellValue::Number(0.0) => Some(false),
        // Fast path for the texts that programs export.
        CellValue::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
        CellValue::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
        CellValue::Text(text) => match text.trim().to_lowercase().as_str() {
            "true" | "yes" | "y" | "1" | "x" | "wahr" | "ja" | "j" | "verdadero" | "sí" | "si" | "s" | "verdadeiro"
            | "sim" => Some(true),
            "false" | "no" | "n" | "0" | "falsch" | "nein" | "falso" | "não" | "nao" => Some(false),
            _ => None,
        },
        _ => None,
    };
    value.map(ReadValue::Boolean).ok_or(FindingCode::NotABoolean)
}

fn read_date_time(cell: CellRef<'_>, format: Format) -> Result<ReadValue<'static>, FindingCode> {
    match cell.value() {
        CellValue::DateTime(at) => Ok(ReadValue::DateTime(TypedDateTime { at, offset: None })),
        CellValue::Text(text) => match date::parse(text, format.order, format.week_day) {
            Ok(written) => Ok(ReadValue::DateTime(written)),
            Err(DateError::Ambiguous) if format.order == DateOrder::Mixed => Err(FindingCode::MixedDates),
            Err(DateError::Ambiguous) => Err(FindingCode::AmbiguousDate),
            Err(DateError::WeekWithoutDay) => Err(FindingCode::WeekWithoutDay),
            Err(DateError::NotADate) => Err(FindingCode::NotADate),
        },
        _ => Err(FindingCode::NotADate),
    }
}

/// Reads a duration. A bare number has the unit that the user chose for the column, since the cell doesn't contain one.
fn read_duration(cell: CellRef<'_>, format: Format) -> Result<ReadValue<'static>, FindingCode> {
    let ticks = match cell.value() {
        CellValue::Duration(ticks) => Ok(ticks),
        CellValue::Number(value) => duration_text::from_number(value, format.unit),
        CellValue::Text(text) if text.contains(':') => return read_clock_duration(text.trim()),
        CellValue::Text(text) => duration_text::parse(text, format.unit, format.decimals),
        _ => Err(DurationError::NotADuration),
    };
    ticks.map(ReadValue::Duration).map_err(|error| match error {
        DurationError::NotADuration => FindingCode::NotADuration,
        DurationError::WithoutUnit => FindingCode::DurationWithoutUnit,
        DurationError::AmbiguousNumber => ambiguous_number(format),
    })
}

/// Returns the finding for a text with an unknown decimal sign.
fn ambiguous_number(format: Format) -> FindingCode {
    if format.decimals == Decimals::Mixed { FindingCode::MixedNumbers } else { FindingCode::AmbiguousNumber }
}

/// Reads `7:30` and `07:30:00`.
fn read_clock_duration(text: &str) -> Result<ReadValue<'static>, FindingCode> {
    if let Some(ticks) = hours_and_minutes(text) {
        return Ok(ReadValue::Duration(ticks));
    }
    let full = if text.matches(':').count() == 1 { Cow::Owned(format!("{text}:00")) } else { Cow::Borrowed(text) };
    duration::parse_ticks(&full).map(ReadValue::Duration).ok_or(FindingCode::NotADuration)
}

/// Reads the most frequent form, `7:30`.
fn hours_and_minutes(text: &str) -> Option<i64> {
    let (hours, minutes) = text.split_once(':')?;
    let digits = |text: &str, max_digits: usize| {
        let is_number = (1..=max_digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.bytes().fold(0, |value, byte| value * 10 + i64::from(byte - b'0')))
    };
    let minutes = digits(minutes, 2).filter(|minutes| *minutes < 60)?;
    Some((digits(hours, 4)? * 60 + minutes) * 60 * TICKS_PER_SECOND)
}

fn number_json(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 1e15")]
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Returns `hh:mm:ss[.fffffff]` with any number of hours, the form in which durations are sent.
fn hours_text(ticks: i64) -> String {
    let sign = if ticks < 0 { "-" } else { "" };
    let ticks = ticks.unsigned_abs();
    let (seconds, fraction) = (ticks / TICKS_PER_SECOND.unsigned_abs(), ticks % TICKS_PER_SECOND.unsigned_abs());
    let clock_text = format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 { clock_text } else { format!("{clock_text}.{fraction:07}") }
}

fn iso_text(written: TypedDateTime) -> String {
    let at: DateTime = written.at;
    let offset = match written.offset {
        None => String::new(),
        Some(0) => "Z".to_owned(),
        Some(minutes) => {
            let sign = if minutes < 0 { '-' } else { '+' };
            format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
        }
    };
    format!("{}{offset}", at.strftime("%Y-%m-%dT%H:%M:%S%.f"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_and_minutes_read_as_with_seconds() {
        let texts = ["0:00", "7:30", "7:5", "0007:30", "23:59", "100:00", "24:60", "12345:00", "7:305", "7:", ":30"];
        for text in texts.into_iter().chain(["-7:30", "7:3x", "7.5:00", "+7:30", "7:-5"]) {
            let full = duration::parse_ticks(&format!("{text}:00")).map(ReadValue::Duration);
            assert_eq!(read_clock_duration(text).ok(), full, "{text}");
        }
    }
}
