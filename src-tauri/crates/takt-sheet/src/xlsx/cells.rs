//! Combines the cells that calamine reads with the notes of the gate.

use std::{collections::VecDeque, sync::mpsc::Receiver};

use calamine::{DataRef, XlsxCellReader};

use super::{
    gate::{Note, NotedValue},
    package_view::PackageView,
};
use crate::{
    SheetError,
    cell_batch::{CellBatch, RawCell, Value},
};

/// Reads the cells of one sheet in the order of the file.
pub(super) struct CellReader<'x, 'p> {
    cells: XlsxCellReader<'x, PackageView<'p>>,
    notes: Receiver<Note>,
    /// Notes that came before their cells.
    noted: VecDeque<Note>,
    /// The number of cells that were read.
    count: u64,
}

impl<'x, 'p> CellReader<'x, 'p> {
    pub(super) fn new(cells: XlsxCellReader<'x, PackageView<'p>>, notes: Receiver<Note>) -> Self {
        Self { cells, notes, noted: VecDeque::new(), count: 0 }
    }

    /// Adds cells with content to the batch until it is full. Returns false after the last cell.
    pub(super) fn fill(&mut self, batch: &mut CellBatch, cells: usize) -> Result<bool, SheetError> {
        while !batch.is_full(cells) {
            let next = self.cells.next_cell_with_style_id().map_err(SheetError::damaged)?;
            let Some((cell, format)) = next else { return Ok(false) };
            self.noted.extend(self.notes.try_iter());
            let note = self.noted.pop_front_if(|note| note.cell == self.count);
            self.count += 1;
            let value = match note {
                Some(note) => Some(noted_value(&note.value, batch)),
                None => read_value(cell.get_value(), batch)?,
            };
            match value {
                Some(value) => {
                    let ((row, column), format) = (cell.get_position(), u32::try_from(format).unwrap_or(u32::MAX));
                    batch.cells.push(RawCell { row, column, format, value });
                }
                None => batch.steps += 1,
            }
        }
        Ok(true)
    }
}

fn noted_value(value: &NotedValue, batch: &mut CellBatch) -> Value {
    match value {
        NotedValue::OpenFormula => Value::OpenFormula,
        NotedValue::Unreadable => Value::Unreadable,
        NotedValue::Error(name) => error_value(name, batch),
        NotedValue::Number(number) => Value::Number(*number),
    }
}

/// Returns the value of a cell, or `None` if it is empty. Calamine's detection of dates is ignored, because the number
/// format decides.
fn read_value(value: &DataRef<'_>, batch: &mut CellBatch) -> Result<Option<Value>, SheetError> {
    Ok(Some(match value {
        DataRef::Empty => return Ok(None),
        DataRef::Float(number) => Value::Number(*number),
        DataRef::DateTime(moment) => Value::Number(moment.as_f64()),
        DataRef::SharedString(text) => text_value(text, batch),
        DataRef::String(text) => text_value(text, batch),
        DataRef::Bool(truth) => Value::Boolean(*truth),
        DataRef::Error(kind) => error_value(&kind.to_string(), batch),
        DataRef::DateTimeIso(moment) | DataRef::DurationIso(moment) => {
            let (start, end) = batch.add(moment);
            Value::Moment(start, end)
        }
        DataRef::Int(number) => return Err(SheetError::damaged(format_args!("{number} is no number of an xlsx"))),
    }))
}

fn text_value(text: &str, batch: &mut CellBatch) -> Value {
    let (start, end) = batch.add(text);
    Value::Text(start, end)
}

fn error_value(name: &str, batch: &mut CellBatch) -> Value {
    let (start, end) = batch.add(name);
    Value::Error(start, end)
}
