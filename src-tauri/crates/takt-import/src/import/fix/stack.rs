//! Fixes as they were done, one stack of them, with the way back and forth.

use serde::{Deserialize, Serialize};
use takt_contract::FieldKind;
use takt_core::ExcelRow;
use takt_sheet::{Cell, CellRef, Sheet};

use super::{
    super::{mapping::Replacement, reading::Format},
    Fix,
    draft::{CellsDraft, FixesDraft, StepDraft, numbers, spans},
    overlay::Overlay,
};

/// A cell that a step changed.
#[derive(Debug)]
struct Change {
    row: ExcelRow,
    column: u32,
    before: Cell,
    after: Cell,
}

/// What one fix (or one replay) did.
#[derive(Debug, Default)]
pub(crate) struct Step {
    changes: Vec<Change>,
    /// Rows whose state became this.
    excluded: Vec<ExcelRow>,
    included: Vec<ExcelRow>,
    /// What of it can be done again on another file.
    pub(crate) replacements: Vec<Replacement>,
    /// True where merged cells were filled down.
    pub(crate) merged: bool,
    /// True where it was done by a mapping and not by hand.
    pub(crate) replayed: bool,
}

impl Step {
    /// Cells and rows that it changed.
    pub(crate) fn size(&self) -> u32 {
        u32::try_from(self.changes.len() + self.excluded.len() + self.included.len()).unwrap_or(u32::MAX)
    }

    /// The rows that it touched, ascending.
    pub(crate) fn rows(&self) -> Vec<ExcelRow> {
        let mut rows: Vec<ExcelRow> = self.changes.iter().map(|change| change.row).collect();
        rows.extend(self.excluded.iter().chain(&self.included));
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn draft(&self) -> StepDraft {
        let mut cells: Vec<CellsDraft> = Vec::new();
        for change in &self.changes {
            match cells.last_mut().filter(|last| last.column == change.column && last.cell == change.after) {
                Some(last) => spans(&mut last.rows, change.row),
                None => {
                    let mut rows = Vec::new();
                    spans(&mut rows, change.row);
                    cells.push(CellsDraft { column: change.column, cell: change.after.clone(), rows });
                }
            }
        }
        let together = |rows: &[ExcelRow]| {
            let mut all = Vec::new();
            rows.iter().for_each(|&row| spans(&mut all, row));
            all
        };
        StepDraft {
            cells,
            excluded: together(&self.excluded),
            included: together(&self.included),
            replacements: self.replacements.clone(),
            merged: self.merged,
            replayed: self.replayed,
        }
    }

    /// True where one of the cells of this column that it touched bears on how the column is read.
    pub(crate) fn bears_on(&self, kind: FieldKind, column: u32, sheet: &Sheet, overlay: &Overlay) -> bool {
        let bears = |cell: &Cell| Format::of(kind, None, std::iter::once(cell)) != Format::PLAIN;
        let of_column = self.changes.iter().filter(|change| change.column == column);
        if of_column.into_iter().any(|change| bears(&change.before) || bears(&change.after)) {
            return true;
        }
        let mut cells = sheet.rows.reader();
        self.excluded.iter().chain(&self.included).any(|&row| {
            let now = sheet.rows.position(row.get()).and_then(|at| cells.cell(at, column)).map(CellRef::to_cell);
            now.iter().chain(overlay.original(row, column)).any(bears)
        })
    }
}

/// The fixes of one sheet.
#[derive(Debug, Default)]
pub(crate) struct FixStack {
    pub(crate) overlay: Overlay,
    done: Vec<Step>,
    undone: Vec<Step>,
    /// What the mapping brought that this file has no use for: it is kept for the next one.
    pub(crate) carried: CarriedFixes,
    /// True once a person took a replay back: it isn't done again by itself.
    pub(crate) refused: bool,
    /// True where rows are left out because they aren't a matter now: the next file isn't to know of it.
    pub(crate) carried_only: bool,
}

/// What a mapping brings from the file before.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CarriedFixes {
    pub(crate) replacements: Vec<Replacement>,
    pub(crate) excluded: Vec<String>,
    pub(crate) fill_merged: bool,
}

impl FixStack {
    pub(crate) fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    pub(crate) fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Cells and rows that stand as a mapping left them.
    pub(crate) fn replayed(&self) -> u32 {
        self.done.iter().filter(|step| step.replayed).map(Step::size).sum()
    }

    /// The replacements in force, oldest first.
    pub(crate) fn replacements(&self) -> Vec<Replacement> {
        let mut all = if self.refused { Vec::new() } else { self.carried.replacements.clone() };
        let own = self.done.iter().flat_map(|step| step.replacements.iter().cloned());
        own.for_each(|replacement| {
            if !all.contains(&replacement) {
                all.push(replacement);
            }
        });
        all
    }

    /// True where merged cells are filled down, here or on the next file.
    pub(crate) fn fills_merged(&self) -> bool {
        (self.carried.fill_merged && !self.refused) || self.done.iter().any(|step| step.merged)
    }

    /// Does what fixes say to the rows from `below` on, as one step. Without any change there is no step.
    pub(crate) fn apply(&mut self, sheet: &mut Sheet, below: usize, fixes: &[Fix]) -> bool {
        let mut step = Step::default();
        fixes.iter().for_each(|fix| self.fix(sheet, &mut step, below, fix));
        self.push_if_changed(step)
    }

    fn fix(&mut self, sheet: &mut Sheet, step: &mut Step, below: usize, fix: &Fix) {
        match fix {
            Fix::Set { row, column, text } => self.set(sheet, step, *row, *column, text),
            Fix::Fill { column, from, to } => {
                let cell = sheet.rows.position(from.get()).and_then(|at| sheet.rows.cell(at, *column));
                let cell = cell.unwrap_or_default();
                to.iter().for_each(|&row| self.put(sheet, step, row, *column, cell.clone()));
            }
            Fix::Paste { rows, columns, texts } => {
                let width = texts.iter().map(Vec::len).max().unwrap_or_default().max(1);
                for (&row, line) in rows.iter().zip(texts.iter().cycle()) {
                    let places = columns.iter().enumerate();
                    for (&column, text) in places.filter_map(|(at, column)| Some((column, line.get(at % width)?))) {
                        self.set(sheet, step, row, column, text);
                    }
                }
            }
            Fix::FillBlock { from_rows, from_columns, rows, columns } => {
                for (&row, &source) in rows.iter().zip(from_rows.iter().cycle()) {
                    for (&column, &source_column) in columns.iter().zip(from_columns.iter().cycle()) {
                        let at = sheet.rows.position(source.get());
                        let cell = at.and_then(|at| sheet.rows.look(at, source_column)).unwrap_or_default();
                        self.put(sheet, step, row, column, cell);
                    }
                }
            }
            Fix::Replace { column, from, to } => self.replace(sheet, step, below, *column, from, to),
            Fix::Exclude { rows } => self.exclude(sheet, step, rows, true),
            Fix::Include { rows } => self.exclude(sheet, step, rows, false),
            // Said in the others before they come here.
            Fix::ReplaceMany { .. } | Fix::ExcludeFound { .. } | Fix::FillMerged | Fix::FixFound { .. } => {}
        }
    }

    /// What was done last.
    pub(crate) fn last(&self) -> Option<&Step> {
        self.done.last()
    }

    /// What was taken back last.
    pub(crate) fn taken_back(&self) -> Option<&Step> {
        self.undone.last()
    }

    /// Fills and replaces what an earlier file's mapping says, as one step. True where that changed anything.
    pub(crate) fn replay(
        &mut self,
        sheet: &mut Sheet,
        below: usize,
        merged: &[Fix],
        replacements: &[(u32, &Replacement)],
    ) -> bool {
        let mut step = Step { replayed: true, merged: !merged.is_empty(), ..Step::default() };
        merged.iter().for_each(|fill| self.fix(sheet, &mut step, below, fill));
        for (column, replacement) in replacements {
            self.replace(sheet, &mut step, below, *column, &replacement.from, &replacement.to);
        }
        self.push_if_changed(step)
    }

    /// Excludes what an earlier file's mapping says; where that file's replacements were just done (`joined`), as part of that
    /// step. True where that changed anything.
    pub(crate) fn skip_rows(&mut self, sheet: &Sheet, rows: &[ExcelRow], joined: bool) -> bool {
        let mut step = Step { replayed: true, ..Step::default() };
        self.exclude(sheet, &mut step, rows, true);
        match self.done.last_mut().filter(|_| joined) {
            Some(last) => {
                last.excluded.append(&mut step.excluded);
                true
            }
            None => self.push_if_changed(step),
        }
    }

    /// Takes the last step back. False where there is none.
    pub(crate) fn undo(&mut self, sheet: &mut Sheet) -> bool {
        let Some(step) = self.done.pop() else { return false };
        for change in step.changes.iter().rev() {
            self.overlay.put(sheet, change.row, change.column, &change.before);
        }
        self.state(&step.excluded, false);
        self.state(&step.included, true);
        self.refused |= step.replayed;
        self.undone.push(step);
        true
    }

    /// Does again what was taken back last. False where there is none.
    pub(crate) fn redo(&mut self, sheet: &mut Sheet) -> bool {
        let Some(step) = self.undone.pop() else { return false };
        for change in &step.changes {
            self.overlay.put(sheet, change.row, change.column, &change.after);
        }
        self.state(&step.excluded, true);
        self.state(&step.included, false);
        self.refused &= !step.replayed;
        self.done.push(step);
        true
    }

    /// Puts everything that was done into a sheet that was read anew.
    pub(crate) fn lay_over(&mut self, sheet: &mut Sheet) {
        let steps = std::mem::take(&mut self.done);
        self.overlay = Overlay::default();
        for step in &steps {
            for change in &step.changes {
                self.overlay.put(sheet, change.row, change.column, &change.after);
            }
            self.state(&step.excluded, true);
            self.state(&step.included, false);
        }
        self.done = steps;
    }

    /// What was done, for doing it again on the same rows. What was taken back is gone then.
    pub(crate) fn draft(&self) -> FixesDraft {
        FixesDraft {
            steps: self.done.iter().map(Step::draft).collect(),
            carried: self.carried.clone(),
            refused: self.refused,
            carried_only: self.carried_only,
        }
    }

    /// The fixes of a draft, done to a sheet that shows what the file holds.
    pub(crate) fn of_draft(draft: &FixesDraft, sheet: &mut Sheet) -> Self {
        let mut stack = Self { carried: draft.carried.clone(), ..Self::default() };
        for kept in &draft.steps {
            let mut step = Step {
                replacements: kept.replacements.clone(),
                merged: kept.merged,
                replayed: kept.replayed,
                ..Step::default()
            };
            for cells in &kept.cells {
                numbers(&cells.rows).for_each(|row| stack.put(sheet, &mut step, row, cells.column, cells.cell.clone()));
            }
            for (rows, excluded) in [(&kept.excluded, true), (&kept.included, false)] {
                stack.exclude(sheet, &mut step, &numbers(rows).collect::<Vec<_>>(), excluded);
            }
            stack.push_if_changed(step);
        }
        (stack.refused, stack.carried_only) = (draft.refused, draft.carried_only);
        stack
    }

    fn push_if_changed(&mut self, step: Step) -> bool {
        let counts = step.size() > 0;
        if counts {
            self.undone.clear();
            self.done.push(step);
        }
        counts
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Step> {
        self.done.last_mut()
    }

    /// A text that the cell shows already changes nothing; the text that the file shows there brings the file's cell back.
    fn set(&mut self, sheet: &mut Sheet, step: &mut Step, row: ExcelRow, column: u32, text: &str) {
        let stands = sheet.rows.position(row.get()).and_then(|at| sheet.rows.look(at, column));
        if stands.is_some_and(|cell| cell.shown() == text) {
            return;
        }
        let original = self.overlay.original(row, column).filter(|original| original.shown() == text).cloned();
        self.put(sheet, step, row, column, original.unwrap_or_else(|| Cell::text(text)));
    }

    fn replace(&mut self, sheet: &mut Sheet, step: &mut Step, below: usize, column: u32, from: &str, to: &str) {
        let below = sheet.rows.below(below);
        let shows = below.column(column).enumerate().filter(|(_, cell)| cell.shown() == from);
        let rows: Vec<ExcelRow> = shows.filter_map(|(position, _)| below.number(position).map(ExcelRow::new)).collect();
        rows.into_iter().for_each(|row| self.set(sheet, step, row, column, to));
    }

    fn exclude(&mut self, sheet: &Sheet, step: &mut Step, rows: &[ExcelRow], excluded: bool) {
        for &row in rows {
            if sheet.rows.position(row.get()).is_some() && self.overlay.set_excluded(row, excluded) {
                if excluded { step.excluded.push(row) } else { step.included.push(row) }
            }
        }
    }

    fn put(&mut self, sheet: &mut Sheet, step: &mut Step, row: ExcelRow, column: u32, cell: Cell) {
        if column >= sheet.columns {
            return;
        }
        let Some(before) = self.overlay.put(sheet, row, column, &cell) else { return };
        if before != cell {
            step.changes.push(Change { row, column, before, after: cell });
        }
    }

    fn state(&mut self, rows: &[ExcelRow], excluded: bool) {
        for &row in rows {
            self.overlay.set_excluded(row, excluded);
        }
    }
}
