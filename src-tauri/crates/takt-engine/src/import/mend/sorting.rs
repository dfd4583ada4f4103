//! Rows in the order of a column's values.

use std::cmp::Ordering;

use takt_sheet::{Cell, CellValue, RowSpan, SheetRow};

use super::super::{RowSort, check::Plan, reading::Read};

/// What a row is sorted by. What can't be read comes after what can.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Key {
    Number(f64),
    /// The text's first 16 bytes, and where the whole of it stands.
    Text(u128, u32),
    Empty,
}

/// Sorts positions; rows of one value keep the sheet's order.
pub(crate) fn sort(positions: &mut [u32], rows: RowSpan<'_>, plan: Option<&Plan<'_>>, sort: RowSort) {
    let Some(column) = sort.column else {
        if sort.descending {
            positions.reverse();
        }
        return;
    };
    let target = plan.and_then(|plan| plan.layout.columns.iter().position(|&filled_by| filled_by == Some(column)));
    let mut texts: Vec<String> = Vec::new();
    let mut columns = plan.zip(target).map(|(plan, target)| plan.columns_of(target)).unwrap_or_default();
    columns.push(column);
    let mut reader = rows.reader_of(columns);
    let mut keys: Vec<(Key, u32)> = positions
        .iter()
        .map(|&position| {
            let row = reader.get(position as usize);
            let key = row.map_or(Key::Empty, |row| key(&row, column, plan.zip(target), &mut texts));
            (key, position)
        })
        .collect();
    keys.sort_by(|(a, _), (b, _)| order(*a, *b, &texts, sort.descending));
    positions.iter_mut().zip(keys).for_each(|(place, (_, position))| *place = position);
}

fn key(row: &SheetRow, column: u32, plan: Option<(&Plan<'_>, usize)>, texts: &mut Vec<String>) -> Key {
    let Some(cell) = row.cell(column).filter(|cell| !cell.is_empty()) else { return Key::Empty };
    let text = is_text(plan);
    if let (CellValue::Number(value), false) = (cell.value(), text) {
        return Key::Number(value);
    }
    let read = plan.filter(|_| !text).and_then(|(plan, target)| plan.read(row, target)?.ok());
    if let Some(value) = read.as_ref().and_then(number).or_else(|| plain_number(cell, plan.is_none())) {
        return Key::Number(value);
    }
    let text = cell.shown().trim().to_lowercase();
    if text.is_empty() {
        return Key::Empty;
    }
    let mut first = [0; 16];
    first.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
    let at = u32::try_from(texts.len()).unwrap_or(u32::MAX);
    texts.push(text);
    Key::Text(u128::from_be_bytes(first), at)
}

fn is_text(plan: Option<(&Plan<'_>, usize)>) -> bool {
    plan.and_then(|(plan, target)| plan.targets.fields.get(target))
        .is_some_and(|field| field.kind == takt_contract::FieldKind::Text)
}

/// A value on the line on which its kind is ordered.
fn number(read: &Read<'_>) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "only compared; what is that large is the same to a person")]
    match read {
        Read::Text(_) => None,
        Read::Integer(value) => Some(*value as f64),
        Read::Number(value) => Some(*value),
        Read::Boolean(value) => Some(f64::from(u8::from(*value))),
        Read::DateTime(written) => Some(seconds(written.at) - f64::from(written.offset.unwrap_or_default()) * 60.0),
        Read::Duration(ticks) => Some(*ticks as f64),
    }
}

/// A cell in a column that goes nowhere is ordered by its own kind.
fn plain_number(cell: &Cell, wanted: bool) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "only compared")]
    match cell.value() {
        CellValue::DateTime(at) if wanted => Some(seconds(at)),
        CellValue::Duration(ticks) if wanted => Some(ticks as f64),
        _ => None,
    }
}

fn seconds(at: jiff::civil::DateTime) -> f64 {
    at.duration_since(jiff::civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_secs_f64()
}

/// What is empty comes last in either direction.
fn order(a: Key, b: Key, texts: &[String], descending: bool) -> Ordering {
    let turned = |order: Ordering| if descending { order.reverse() } else { order };
    match (a, b) {
        (Key::Empty, Key::Empty) => Ordering::Equal,
        (Key::Empty, _) => Ordering::Greater,
        (_, Key::Empty) => Ordering::Less,
        (Key::Number(a), Key::Number(b)) => turned(a.total_cmp(&b)),
        (Key::Text(a, first), Key::Text(b, second)) => {
            let whole = || texts.get(first as usize).cmp(&texts.get(second as usize));
            turned(a.cmp(&b).then_with(whole))
        }
        (Key::Number(_), Key::Text(..)) => turned(Ordering::Less),
        (Key::Text(..), Key::Number(_)) => turned(Ordering::Greater),
    }
}
