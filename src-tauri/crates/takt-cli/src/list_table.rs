//! Rows as a text table with readable values. Codes are never cut, and lines fit the terminal.

use std::io::{self, Write};

use serde_json::Value;
use takt_engine::{
    browse::RowSet,
    contract::{Field, FieldKind, Operation, parse_ticks},
};

use crate::{console::sanitize, texts::Texts};

/// The number of rows per decoding step, which limits the memory.
const CHUNK_ROWS: usize = 1_000;
/// The maximum width of a text in characters. Codes have no limit.
const MAX_TEXT_LENGTH: usize = 60;
/// The width in characters to which text columns can be narrowed.
const MIN_TEXT_LENGTH: usize = 12;
const COLUMN_GAP: usize = 2;
const TICKS_PER_SECOND: f64 = 1e7;

/// A column of the table, with widths in characters.
struct Column<'a> {
    field: &'a Field,
    width: usize,
    min_width: usize,
    is_right_aligned: bool,
    is_empty: bool,
}

/// Writes the table, and returns the names of columns that were omitted because they don't fit.
pub(crate) fn write_table(
    out: &mut dyn Write,
    operation: &Operation,
    set: &RowSet,
    width: Option<usize>,
    texts: &Texts,
) -> io::Result<Vec<String>> {
    let fields = operation.answer.as_ref().map(|answer| answer.fields.as_slice()).unwrap_or_default();
    let mut widest = vec![0; fields.len()];
    for row in row_chunks(set).flatten() {
        for (widest, field) in widest.iter_mut().zip(fields) {
            *widest = format_cell(row.get(&field.name), field, texts).chars().count().max(*widest);
        }
    }
    let mut columns: Vec<Column<'_>> =
        fields.iter().zip(widest).map(|(field, widest)| Column::new(field, operation, widest)).collect();
    let omitted = width.map(|width| fit_columns(&mut columns, width)).unwrap_or_default();
    let heading = columns.iter().map(|column| pad_text(&column.field.name, column));
    write_line(out, heading)?;
    for chunk in row_chunks(set) {
        for row in chunk {
            let cells = columns
                .iter()
                .map(|column| pad_text(&format_cell(row.get(&column.field.name), column.field, texts), column));
            write_line(out, cells)?;
        }
    }
    out.flush()?;
    Ok(omitted)
}

fn row_chunks(set: &RowSet) -> impl Iterator<Item = Vec<Value>> + '_ {
    (0..set.len()).step_by(CHUNK_ROWS).map(|first| set.rows(first..first + CHUNK_ROWS))
}

impl<'a> Column<'a> {
    fn new(field: &'a Field, operation: &Operation, widest: usize) -> Self {
        let heading = field.name.chars().count();
        let is_code = operation.key.contains(&field.name) || field.name.to_lowercase().ends_with("code");
        let may_be_cut = field.kind == FieldKind::Text && !is_code;
        let natural = if may_be_cut { widest.min(MAX_TEXT_LENGTH) } else { widest };
        Self {
            field,
            width: natural.max(heading),
            min_width: if may_be_cut { natural.min(MIN_TEXT_LENGTH) } else { natural }
                .max(heading.min(MIN_TEXT_LENGTH)),
            is_right_aligned: matches!(field.kind, FieldKind::Number | FieldKind::TimeSpan | FieldKind::Duration),
            is_empty: widest == 0,
        }
    }
}

/// Removes columns until the minimum widths fit. Empty columns are removed first, then the rightmost ones. Then narrows
/// the widest columns. Returns the names of the removed columns.
fn fit_columns(columns: &mut Vec<Column<'_>>, width: usize) -> Vec<String> {
    let total = |columns: &[Column<'_>]| {
        columns.iter().map(|column| column.width + COLUMN_GAP).sum::<usize>().saturating_sub(COLUMN_GAP)
    };
    let min_width = |columns: &[Column<'_>]| {
        columns.iter().map(|column| column.min_width + COLUMN_GAP).sum::<usize>().saturating_sub(COLUMN_GAP)
    };
    let mut omitted = Vec::new();
    while min_width(columns) > width && columns.len() > 1 {
        let index = columns.iter().rposition(|column| column.is_empty).unwrap_or(columns.len() - 1);
        omitted.insert(0, columns.remove(index).field.name.clone());
    }
    while total(columns) > width {
        let Some(widest) =
            columns.iter_mut().filter(|column| column.width > column.min_width).max_by_key(|column| column.width)
        else {
            break;
        };
        widest.width -= 1;
    }
    omitted
}

/// Writes one line of the table without trailing spaces.
fn write_line(out: &mut dyn Write, cells: impl Iterator<Item = String>) -> io::Result<()> {
    writeln!(out, "{}", cells.collect::<Vec<_>>().join(&" ".repeat(COLUMN_GAP)).trim_end())
}

fn pad_text(text: &str, column: &Column<'_>) -> String {
    let Column { width, is_right_aligned, .. } = *column;
    let mut text = text.to_owned();
    if text.chars().count() > width {
        text = text.chars().take(width.saturating_sub(1)).chain(['…']).collect();
    }
    if is_right_aligned { format!("{text:>width$}") } else { format!("{text:<width$}") }
}

/// Formats a value. For lists and objects other than durations, returns the number of members.
pub(crate) fn format_cell(value: Option<&Value>, field: &Field, texts: &Texts) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::Bool(value)) => value.to_string(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) if field.kind == FieldKind::DateTime => format_date_time(&sanitize(text)),
        Some(Value::String(text)) => format_duration(text, field, texts).unwrap_or_else(|| sanitize(text)),
        Some(Value::Array(parts)) => format!("[{}]", parts.len()),
        Some(Value::Object(members)) => {
            let ticks = members.get("ticks").and_then(Value::as_f64).map(|ticks| ticks / TICKS_PER_SECOND);
            let seconds = ticks.or_else(|| members.get("totalSeconds")?.as_f64());
            seconds.map_or_else(|| format!("{{{}}}", members.len()), |seconds| texts.engine.format_duration(seconds))
        }
    }
}

/// Formats a duration that is a text, as in requests. Returns `None` for fields of other kinds.
pub(crate) fn format_duration(text: &str, field: &Field, texts: &Texts) -> Option<String> {
    let is_duration = matches!(field.kind, FieldKind::Duration | FieldKind::TimeSpan);
    let ticks = is_duration.then(|| parse_ticks(text)).flatten()?;
    Some(texts.engine.format_duration(ticks_to_seconds(ticks)))
}

#[expect(clippy::cast_precision_loss, reason = "durations are shown to the second")]
pub(crate) fn ticks_to_seconds(ticks: i64) -> f64 {
    ticks as f64 / TICKS_PER_SECOND
}

/// Formats `2026-11-22T06:00:00` without the `T` and zero seconds. Other texts are returned unchanged.
fn format_date_time(text: &str) -> String {
    let Some((day, time)) = text.split_once('T') else { return text.to_owned() };
    format!("{day} {}", time.strip_suffix(":00").filter(|time| time.len() == 5).unwrap_or(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_people_read_them() {
        let moments =
            ["2026-11-22T06:00:00", "2026-11-22T06:00:30", "2026-11-22T06:00:00Z", "soon"].map(format_date_time);
        assert_eq!(moments, ["2026-11-22 06:00", "2026-11-22 06:00:30", "2026-11-22 06:00:00Z", "soon"]);
    }
}
