//! Cells that change hands at once, as they were found: formats and shared texts aren't asked yet.

use crate::{
    Cell, CellRef, SheetError, column_letters, number_format::CellFormats, serial, shared_texts::SharedTextLookup,
    sheet::SheetBuilder,
};

/// A cell where it was found. Row and column are 0-based.
#[derive(Debug)]
pub(crate) struct RawCell {
    pub(crate) row: u32,
    pub(crate) column: u32,
    /// The number of the cell's own format.
    pub(crate) format: u32,
    pub(crate) value: Value,
}

impl RawCell {
    /// The number of the shared text that it names.
    fn shared(&self) -> Option<usize> {
        if let Value::Shared(number) = self.value { Some(number as usize) } else { None }
    }
}

/// What stands in a cell, before formats and shared texts are asked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value {
    Number(f64),
    /// The number of a shared text.
    Shared(u32),
    /// A text of the batch, by where it begins and ends.
    Text(u32, u32),
    /// A date, a time or a duration in ISO 8601, likewise.
    Moment(u32, u32),
    /// An error as Excel names it, likewise.
    Error(u32, u32),
    Boolean(bool),
    /// A value that can't be read.
    Unreadable,
    /// A formula whose result was never calculated.
    OpenFormula,
}

#[derive(Debug, Default)]
pub(crate) struct CellBatch {
    pub(crate) cells: Vec<RawCell>,
    /// What was looked at beside cells.
    pub(crate) steps: u64,
    texts: String,
}

/// What the cells of every sheet of a workbook are put away with.
pub(crate) struct CellPlacement<'t, T> {
    pub(crate) formats: CellFormats,
    pub(crate) is_1904: bool,
    pub(crate) texts: &'t mut T,
    /// Room that is used again and again.
    pub(crate) places: Vec<(u32, u32)>,
}

/// A batch with more text than that, or more that is no cell, is given away before it is full.
const MAX_BATCH_BYTES: usize = 1024 * 1024;
const MAX_BATCH_STEPS: u64 = 4096;

impl CellBatch {
    pub(crate) fn is_full(&self, cells: usize) -> bool {
        self.cells.len() >= cells || self.texts.len() >= MAX_BATCH_BYTES || self.steps >= MAX_BATCH_STEPS
    }

    /// Makes room for the next cells. What one odd batch took isn't held.
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        self.steps = 0;
        self.texts.clear();
        self.texts.shrink_to(MAX_BATCH_BYTES);
    }

    /// A text by where it begins and ends.
    pub(crate) fn text(&self, (start, end): (u32, u32)) -> &str {
        self.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Takes a text in, and tells where it begins and ends.
    pub(crate) fn add(&mut self, text: &str) -> (u32, u32) {
        self.add_with(|texts| texts.push_str(text)).0
    }

    /// The same for a text that `push` puts behind those that are there, and what that says of it.
    pub(crate) fn add_with<T>(&mut self, push: impl FnOnce(&mut String) -> T) -> ((u32, u32), T) {
        let at = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = at(self.texts.len());
        let said = push(&mut self.texts);
        ((start, at(self.texts.len())), said)
    }
}

impl<T: SharedTextLookup> CellPlacement<'_, T> {
    /// Puts all cells of a batch where they belong.
    pub(crate) fn put_all(&mut self, batch: &CellBatch, builder: &mut SheetBuilder<'_>) -> Result<(), SheetError> {
        builder.steps(batch.steps)?;
        self.texts.touch(batch.cells.iter().filter_map(RawCell::shared), &mut self.places);
        for cell in &batch.cells {
            builder.step()?;
            self.put(cell, batch, builder)?;
        }
        Ok(())
    }

    #[inline]
    fn put(&mut self, cell: &RawCell, batch: &CellBatch, builder: &mut SheetBuilder<'_>) -> Result<(), SheetError> {
        let &RawCell { row, column, format, value } = cell;
        // Most cells are texts: these aren't copied twice.
        let cell = match value {
            Value::Shared(number) => {
                let text = self.texts.get(number as usize)?;
                return match text {
                    Some(text) => builder.put_text(row, column, text),
                    None => builder.put(row, column, CellRef::unreadable()),
                };
            }
            Value::Text(start, end) => return builder.put_text(row, column, batch.text((start, end))),
            Value::Number(_) if !self.formats.contains(format as usize) => {
                let cell = format!("{}{}", column_letters(column), row.saturating_add(1));
                return Err(SheetError::damaged(format_args!(
                    "cell {cell} has a format that the workbook doesn't have"
                )));
            }
            Value::Number(number) => {
                let number = (number, self.is_1904);
                return self.formats.with_cell(format as usize, number, |cell| builder.put(row, column, cell));
            }
            Value::Moment(start, end) => moment(batch.text((start, end))),
            Value::Error(start, end) => Cell::error(batch.text((start, end))),
            Value::Boolean(value) => Cell::boolean(value),
            Value::Unreadable => Cell::unreadable(),
            Value::OpenFormula => Cell::formula_without_value(),
        };
        builder.put(row, column, cell.as_ref())
    }
}

/// The cell of a date, a time or a duration in ISO 8601. Any other text, or one that a cell can't hold exactly, stays as written.
fn moment(text: &str) -> Cell {
    let duration = || serial::time_of_day(text).or_else(|| serial::iso_duration(text)).map(Cell::duration);
    let moment = serial::civil(text).map(Cell::date_time).or_else(duration);
    moment.unwrap_or_else(|| Cell::text(text))
}
