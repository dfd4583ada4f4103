//! Batches of cells between a reader and the sheet. A second thread reads cells ahead, so parsing cells and storing
//! them happen at the same time.
//!
//! Formats and shared texts aren't resolved before a cell is stored.

use std::{
    mem, panic,
    sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    thread,
};

use crate::{
    Cell, CellRef, SheetError, column_letters, iso_time, number_format::CellFormats, panic_guard::suppress_panic_text,
    shared_texts::SharedTextLookup, sheet::SheetBuilder,
};

/// A cell at its address. Row and column are 0-based.
#[derive(Debug)]
pub(crate) struct RawCell {
    pub(crate) row: u32,
    pub(crate) column: u32,
    /// The index of the cell's format.
    pub(crate) format: u32,
    pub(crate) value: RawValue,
}

impl RawCell {
    /// Returns the index of the shared text that the cell refers to.
    fn shared_text_index(&self) -> Option<usize> {
        if let RawValue::Shared(number) = self.value { Some(number as usize) } else { None }
    }
}

/// A cell's value before formats and shared texts are resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RawValue {
    Number(f64),
    /// The index of a shared text.
    Shared(u32),
    /// A text of the batch, as its start and end.
    Text(u32, u32),
    /// A date, a time or a duration in ISO 8601, as start and end of a text of the batch.
    IsoDate(u32, u32),
    /// An error as Excel names it, as start and end of a text of the batch.
    Error(u32, u32),
    Boolean(bool),
    /// A value that is invalid for its type, such as a number with letters.
    Unreadable,
    /// A formula whose result was never calculated.
    UncalculatedFormula,
}

#[derive(Debug, Default)]
pub(crate) struct CellBatch {
    pub(crate) cells: Vec<RawCell>,
    /// The number of pieces of input without a cell. They count as steps of the progress reports.
    pub(crate) steps: u64,
    texts: String,
}

/// Resolves the formats and shared texts of cells, and adds the cells to a sheet.
pub(crate) struct CellResolver<'t, T> {
    pub(crate) formats: CellFormats,
    pub(crate) is_1904: bool,
    pub(crate) texts: &'t mut T,
    /// A reusable buffer for the positions of a batch's shared texts.
    pub(crate) text_spans: Vec<(u32, u32)>,
}

/// Batches with more bytes of text or more steps are sent before they are full.
const MAX_BATCH_BYTES: usize = 1024 * 1024;
const MAX_BATCH_STEPS: u64 = 4096;

impl CellBatch {
    pub(crate) fn is_full(&self, cells: usize) -> bool {
        self.cells.len() >= cells || self.texts.len() >= MAX_BATCH_BYTES || self.steps >= MAX_BATCH_STEPS
    }

    /// Empties the batch for reuse. Memory beyond [`MAX_BATCH_BYTES`] is released.
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        self.steps = 0;
        self.texts.clear();
        self.texts.shrink_to(MAX_BATCH_BYTES);
    }

    /// Returns the text between a start and an end, or an empty text if they are out of range.
    pub(crate) fn text_at(&self, start: u32, end: u32) -> &str {
        self.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Adds a text and returns its start and end.
    pub(crate) fn add_text(&mut self, text: &str) -> (u32, u32) {
        self.add_text_with(|texts| texts.push_str(text)).0
    }

    /// Adds the text that `push` appends. Returns its start and end, and the result of `push`.
    pub(crate) fn add_text_with<T>(&mut self, push: impl FnOnce(&mut String) -> T) -> ((u32, u32), T) {
        let at = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = at(self.texts.len());
        let result = push(&mut self.texts);
        ((start, at(self.texts.len())), result)
    }
}

impl<T: SharedTextLookup> CellResolver<'_, T> {
    /// Adds all cells of a batch to the sheet.
    pub(crate) fn put_batch(&mut self, batch: &CellBatch, builder: &mut SheetBuilder<'_>) -> Result<(), SheetError> {
        builder.count_steps(batch.steps)?;
        self.texts.prefetch(batch.cells.iter().filter_map(RawCell::shared_text_index), &mut self.text_spans);
        for cell in &batch.cells {
            builder.count_step()?;
            self.put_cell(cell, batch, builder)?;
        }
        Ok(())
    }

    #[inline]
    fn put_cell(
        &mut self,
        cell: &RawCell,
        batch: &CellBatch,
        builder: &mut SheetBuilder<'_>,
    ) -> Result<(), SheetError> {
        let &RawCell { row, column, format, value } = cell;
        // Most cells are texts, so texts go to the builder without another copy.
        let cell = match value {
            RawValue::Shared(number) => {
                let text = self.texts.get(number as usize)?;
                return match text {
                    Some(text) => builder.put_text(row, column, text),
                    None => builder.put_cell(row, column, CellRef::unreadable()),
                };
            }
            RawValue::Text(start, end) => return builder.put_text(row, column, batch.text_at(start, end)),
            RawValue::Number(_) if !self.formats.contains(format as usize) => {
                let cell = format!("{}{}", column_letters(column), row.saturating_add(1));
                return Err(SheetError::damaged(format_args!(
                    "cell {cell} has a format that the workbook doesn't have"
                )));
            }
            RawValue::Number(number) => {
                let is_1904 = self.is_1904;
                return self
                    .formats
                    .with_cell(format as usize, number, is_1904, |cell| builder.put_cell(row, column, cell));
            }
            RawValue::IsoDate(start, end) => parse_iso_cell(batch.text_at(start, end)),
            RawValue::Error(start, end) => Cell::error(batch.text_at(start, end)),
            RawValue::Boolean(value) => Cell::boolean(value),
            RawValue::Unreadable => Cell::unreadable(),
            RawValue::UncalculatedFormula => Cell::formula_without_value(),
        };
        builder.put_cell(row, column, cell.as_ref())
    }
}

/// Parses a date, a time or a duration in ISO 8601. Any other text, or one that a cell can't store exactly, remains a
/// text.
fn parse_iso_cell(text: &str) -> Cell {
    let duration = || iso_time::parse_time_of_day(text).or_else(|| iso_time::parse_duration(text)).map(Cell::duration);
    let date_time = iso_time::parse_date_time(text).map(Cell::date_time).or_else(duration);
    date_time.unwrap_or_else(|| Cell::text(text))
}

/// A batch with this many cells is sent.
pub(crate) const MAX_BATCH_CELLS: usize = 1024;
/// If this many batches wait to be stored, the reading thread waits, too.
const MAX_WAITING_BATCHES: usize = 8;

/// Sends batches to the thread that stores their cells.
pub(crate) struct BatchSender {
    batches: SyncSender<CellBatch>,
    /// Batches that were stored and emptied, for reuse.
    empty_batches: Receiver<CellBatch>,
}

/// Receives batches from the thread that reads their cells.
pub(crate) struct BatchReceiver {
    batches: Receiver<CellBatch>,
    empty_batches: Sender<CellBatch>,
}

/// Runs `read` on another thread and `store` on this one. Returns the result of `read`. If both fail, it returns the
/// error of `store`, which comes first in the file.
pub(crate) fn read_in_parallel<T: Send>(
    read: impl FnOnce(BatchSender) -> Result<T, SheetError> + Send,
    store: impl FnOnce(BatchReceiver) -> Result<(), SheetError>,
) -> Result<T, SheetError> {
    thread::scope(|scope| {
        let (sender, receiver) = new_channel();
        let reading = scope.spawn(move || suppress_panic_text(move || read(sender)));
        let stored = store(receiver);
        // `store` has closed the channel, which ends the reading.
        let read = reading.join().unwrap_or_else(|reason| panic::resume_unwind(reason));
        stored.and(read)
    })
}

fn new_channel() -> (BatchSender, BatchReceiver) {
    let (batch_sender, batches) = sync_channel(MAX_WAITING_BATCHES);
    let (empty_sender, empty_batches) = channel();
    (BatchSender { batches: batch_sender, empty_batches }, BatchReceiver { batches, empty_batches: empty_sender })
}

impl BatchSender {
    /// Sends a batch and leaves an empty one in its place.
    ///
    /// # Errors
    /// [`SheetError::Cancelled`] if the receiver is gone. [`read_in_parallel`] then returns the receiver's error
    /// instead.
    pub(crate) fn send(&self, batch: &mut CellBatch) -> Result<(), SheetError> {
        let full = mem::replace(batch, self.empty_batches.try_recv().unwrap_or_default());
        self.batches.send(full).map_err(|_| SheetError::Cancelled)
    }

    /// Calls `fill` with an empty batch and the number of cells to add, and sends the batch. Repeats that until `fill`
    /// returns false.
    ///
    /// # Errors
    /// If [`Self::send`] or `fill` fails.
    pub(crate) fn send_all(
        &self,
        mut fill: impl FnMut(&mut CellBatch, usize) -> Result<bool, SheetError>,
    ) -> Result<(), SheetError> {
        let mut batch = CellBatch::default();
        loop {
            let filled = fill(&mut batch, MAX_BATCH_CELLS);
            // The cells before an error are stored, because they may exceed a limit first.
            self.send(&mut batch)?;
            if !filled? {
                return Ok(());
            }
        }
    }
}

impl BatchReceiver {
    /// Calls `store` with every batch in order, until there are none left or it fails.
    pub(crate) fn store_all(
        self,
        mut store: impl FnMut(&CellBatch) -> Result<(), SheetError>,
    ) -> Result<(), SheetError> {
        for mut batch in self.batches {
            store(&batch)?;
            batch.clear();
            // Fails only if the reading thread has ended and needs no more batches.
            let _ = self.empty_batches.send(batch);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_fails_once_the_receiver_is_gone() {
        let (sender, receiver) = new_channel();
        drop(receiver);
        assert!(matches!(sender.send_all(|_, _| Ok(true)), Err(SheetError::Cancelled)));
    }

    #[test]
    fn the_receivers_error_comes_first() {
        let read = |sender: BatchSender| sender.send_all(|_, _| Ok(true));
        let result = read_in_parallel(read, |_| Err(SheetError::Empty));
        assert!(matches!(result, Err(SheetError::Empty)), "{result:?}");
    }
}
