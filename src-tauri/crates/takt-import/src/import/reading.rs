//! From a cell to a value, towards the kind of the field that its column is matched with; never the other way round.

use std::{
    borrow::{Borrow, Cow},
    mem::discriminant,
};

use jiff::civil::DateTime;
use serde_json::{Number, Value};
use takt_contract::{FieldKind, wire::duration};
use takt_sheet::{Cell, CellKind, CellRef, CellValue, TICKS_PER_SECOND};

use super::{
    FormatChoice,
    date::{self, DateError, Order, TypedDateTime},
    number::{self, Decimals, NumberError},
};
use takt_core::finding::FindingCode;

/// How a column's texts are to be read: one verdict for all its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) decimals: Decimals,
    pub(super) order: Order,
    /// Texts that prove it; none where a person chose it.
    pub(super) proofs: u32,
    /// Texts that need it.
    pub(super) of: u32,
}

impl Format {
    pub(super) const PLAIN: Self = Self { decimals: Decimals::Unneeded, order: Order::Unneeded, proofs: 0, of: 0 };

    /// The verdict over a column's cells, for the kind of field that it is matched with. A person's choice settles what the
    /// cells leave open, and nothing else.
    pub(super) fn of(
        kind: FieldKind,
        choice: Option<FormatChoice>,
        cells: impl Iterator<Item = impl Borrow<Cell>>,
    ) -> Self {
        let mut evidence = ColumnFormatCounts::new(kind);
        if evidence.is_needed() {
            cells.for_each(|cell| evidence.see(cell.borrow().as_ref()));
        }
        evidence.format(choice)
    }
}

/// What the cells of a column say about how its texts are to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnFormatCounts {
    kind: FieldKind,
    numbers: number::DecimalSignCounts,
    dates: date::DateOrderCounts,
}

impl ColumnFormatCounts {
    pub(super) fn new(kind: FieldKind) -> Self {
        Self { kind, numbers: number::DecimalSignCounts::default(), dates: date::DateOrderCounts::default() }
    }

    /// False where the field's kind needs none.
    pub(super) fn is_needed(&self) -> bool {
        matches!(self.kind, FieldKind::Integer | FieldKind::Number | FieldKind::DateTime)
    }

    pub(super) fn see(&mut self, cell: CellRef<'_>) {
        if let CellValue::Text(text) = cell.value() {
            match self.kind {
                FieldKind::Integer | FieldKind::Number => self.numbers.see(text),
                FieldKind::DateTime => self.dates.see(text),
                _ => {}
            }
        }
    }

    /// What was seen elsewhere in the column.
    pub(super) fn add(&mut self, other: &Self) {
        self.numbers.add(other.numbers);
        self.dates.add(other.dates);
    }

    /// The verdict, and what a person chose where it leaves that open.
    pub(super) fn format(&self, choice: Option<FormatChoice>) -> Format {
        let mut format = Format::PLAIN;
        match self.kind {
            FieldKind::Integer | FieldKind::Number => {
                (format.proofs, format.of) = self.numbers.counts();
                format.decimals = match (self.numbers.verdict(), choice) {
                    (Decimals::Unknown, Some(FormatChoice::Comma)) => Decimals::Comma,
                    (Decimals::Unknown, Some(FormatChoice::Point)) => Decimals::Point,
                    (verdict, _) => verdict,
                };
            }
            FieldKind::DateTime => {
                let of = self.dates.of();
                format.order = match (self.dates.verdict(), choice) {
                    (Order::Unknown, Some(FormatChoice::DayFirst)) => Order::DayFirst { proofs: 0, of },
                    (Order::Unknown, Some(FormatChoice::MonthFirst)) => Order::MonthFirst { proofs: 0, of },
                    (verdict, _) => verdict,
                };
                format.of = of;
                if let Order::DayFirst { proofs, .. } | Order::MonthFirst { proofs, .. } = format.order {
                    format.proofs = proofs;
                }
            }
            _ => {}
        }
        format
    }
}

/// The format that a single cell proves, for the kind of field that its column is matched with.
pub(super) fn proof(kind: FieldKind, cell: &Cell) -> Option<FormatChoice> {
    let format = Format::of(kind, None, std::iter::once(cell));
    match (format.decimals, format.order) {
        (Decimals::Comma, _) => Some(FormatChoice::Comma),
        (Decimals::Point, _) => Some(FormatChoice::Point),
        (_, Order::DayFirst { .. }) => Some(FormatChoice::DayFirst),
        (_, Order::MonthFirst { .. }) => Some(FormatChoice::MonthFirst),
        _ => None,
    }
}

impl Format {
    /// True where both read every text the same way, whatever proves it.
    pub(super) fn reads_like(self, other: Self) -> bool {
        discriminant(&self.decimals) == discriminant(&other.decimals)
            && discriminant(&self.order) == discriminant(&other.order)
    }

    /// True where nothing in the column tells how its texts are to be read, or nothing needs to know.
    pub(super) fn is_open(self) -> bool {
        matches!(self.decimals, Decimals::Unneeded | Decimals::Unknown)
            && matches!(self.order, Order::Unneeded | Order::Unknown)
    }
}

/// A value as it will be sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ReadValue<'a> {
    Text(Cow<'a, str>),
    Integer(i64),
    Number(f64),
    Boolean(bool),
    DateTime(TypedDateTime),
    /// Ticks of 100 ns.
    Duration(i64),
}

/// Reads a cell that isn't empty.
pub(super) fn read(cell: CellRef<'_>, kind: FieldKind, format: Format) -> Result<ReadValue<'_>, FindingCode> {
    if let CellValue::Error(_) = cell.value() {
        return Err(FindingCode::CellError);
    }
    match kind {
        FieldKind::Text => text(cell),
        FieldKind::Integer => whole(decimal(cell, format.decimals)?),
        FieldKind::Number => decimal(cell, format.decimals).map(ReadValue::Number),
        FieldKind::Boolean => boolean(cell),
        FieldKind::DateTime => date_time(cell, format.order),
        FieldKind::Duration | FieldKind::TimeSpan => length(cell),
        FieldKind::List | FieldKind::Object => Err(FindingCode::NotAllowed),
    }
}

impl ReadValue<'_> {
    pub(super) fn json(&self) -> Value {
        match self {
            Self::Text(text) => Value::String(text.as_ref().to_owned()),
            Self::Integer(value) => Value::from(*value),
            Self::Number(value) => number_json(*value),
            Self::Boolean(value) => Value::Bool(*value),
            Self::DateTime(_) | Self::Duration(_) => Value::String(self.shown()),
        }
    }

    /// As the grid shows what will be sent.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.as_ref().to_owned(),
            Self::Integer(value) => value.to_string(),
            Self::Number(value) => number_json(*value).to_string(),
            Self::Boolean(value) => value.to_string(),
            Self::DateTime(written) => iso(*written),
            Self::Duration(ticks) => hours(*ticks),
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "compared with bounds, which are small")]
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Number(value) => Some(*value),
            _ => None,
        }
    }
}

fn text(cell: CellRef<'_>) -> Result<ReadValue<'_>, FindingCode> {
    if cell.kind() == CellKind::Number && cell.is_rounded() {
        return Err(FindingCode::TooManyDigits);
    }
    Ok(ReadValue::Text(match cell.shown() {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }))
}

fn decimal(cell: CellRef<'_>, decimals: Decimals) -> Result<f64, FindingCode> {
    match cell.value() {
        CellValue::Number(_) if cell.is_rounded() => Err(FindingCode::TooManyDigits),
        // What Excel shows has 15 digits; the rest is the noise of binary fractions.
        CellValue::Number(value) if is_short(value) => Ok(value),
        CellValue::Number(value) => Ok(format!("{value:.14e}").parse().unwrap_or(value)),
        CellValue::Text(text) => number::parse(text, decimals).map_err(|error| match error {
            NumberError::NotANumber => FindingCode::NotANumber,
            NumberError::Ambiguous => FindingCode::AmbiguousNumber,
            NumberError::TooManyDigits => FindingCode::TooManyDigits,
        }),
        _ => Err(FindingCode::NotANumber),
    }
}

fn whole(value: f64) -> Result<ReadValue<'static>, FindingCode> {
    #[expect(clippy::cast_possible_truncation, reason = "whole, and below 1e15 by the checks before")]
    if value.fract() == 0.0 { Ok(ReadValue::Integer(value as i64)) } else { Err(FindingCode::NotAnInteger) }
}

/// True for a number of at most four decimals and fifteen digits: the nearest one to what Excel shows already.
fn is_short(value: f64) -> bool {
    let scaled = value * 1e4;
    scaled.fract() == 0.0 && scaled.abs() < 1e15 && scaled / 1e4 == value
}

fn boolean(cell: CellRef<'_>) -> Result<ReadValue<'static>, FindingCode> {
    let value = match cell.value() {
        CellValue::Boolean(value) => Some(value),
        CellValue::Number(1.0) => Some(true),
        CellValue::Number(0.0) => Some(false),
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

fn date_time(cell: CellRef<'_>, order: Order) -> Result<ReadValue<'static>, FindingCode> {
    match cell.value() {
        CellValue::DateTime(at) => Ok(ReadValue::DateTime(TypedDateTime { at, offset: None })),
        CellValue::Text(text) => match date::parse(text, order) {
            Ok(written) => Ok(ReadValue::DateTime(written)),
            Err(DateError::Ambiguous) => Err(FindingCode::AmbiguousDate),
            Err(DateError::NotADate) => Err(FindingCode::NotADate),
        },
        _ => Err(FindingCode::NotADate),
    }
}

/// A plain number is refused: 1.5 may be hours or days, and nothing in the cell tells.
fn length(cell: CellRef<'_>) -> Result<ReadValue<'static>, FindingCode> {
    match cell.value() {
        CellValue::Duration(ticks) => Ok(ReadValue::Duration(ticks)),
        CellValue::Text(text) => {
            let text = text.trim();
            let full =
                if text.matches(':').count() == 1 { Cow::Owned(format!("{text}:00")) } else { Cow::Borrowed(text) };
            duration::parse_ticks(&full).map(ReadValue::Duration).ok_or(FindingCode::NotADuration)
        }
        _ => Err(FindingCode::NotADuration),
    }
}

fn number_json(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 1e15")]
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// `hh:mm:ss[.fffffff]` with as many hours as there are: the form in which durations are sent.
fn hours(ticks: i64) -> String {
    let sign = if ticks < 0 { "-" } else { "" };
    let ticks = ticks.unsigned_abs();
    let (seconds, fraction) = (ticks / TICKS_PER_SECOND.unsigned_abs(), ticks % TICKS_PER_SECOND.unsigned_abs());
    let whole = format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 { whole } else { format!("{whole}.{fraction:07}") }
}

fn iso(written: TypedDateTime) -> String {
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
