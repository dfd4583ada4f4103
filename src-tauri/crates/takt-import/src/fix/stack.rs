//! The stack of fixes, with undo and redo, and its saved form. Each saved step lists the changed cells, with adjacent
//! rows as one range.

use serde::{Deserialize, Serialize};
use takt_contract::FieldKind;
use takt_core::ExcelRow;
use takt_sheet::{Cell, CellRef, Sheet};

use super::{
    Fix,
    overlay::{Overlay, SentRows, SentTo},
};
use crate::{
    cell_value::Format,
    mapping::{FormatChoices, Replacement},
};

#[derive(Debug)]
struct Change {
    row: ExcelRow,
    column: u32,
    before: Cell,
    after: Cell,
}

/// A changed choice of how a column's texts are read. `None` stands for no choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FormatChange {
    /// The column's name in the mapping.
    pub(crate) column: String,
    pub(crate) before: Option<FormatChoices>,
    pub(crate) after: Option<FormatChoices>,
}

/// The changes of one fix or one replay.
#[derive(Debug, Default)]
pub(crate) struct FixStep {
    changes: Vec<Change>,
    /// Rows that the step excluded.
    excluded: Vec<ExcelRow>,
    included: Vec<ExcelRow>,
    /// Replacements that can be repeated on another file.
    pub(crate) replacements: Vec<Replacement>,
    /// True if merged cells were filled down.
    pub(crate) fills_merged: bool,
    /// True if a mapping applied the step, not the user.
    is_replay: bool,
    /// The step is a change of the mapping if this isn't `None`.
    format: Option<FormatChange>,
}

impl FixStep {
    /// Returns the change of a format that the step consists of.
    pub(crate) fn format_change(&self) -> Option<&FormatChange> {
        self.format.as_ref()
    }

    pub(crate) fn change_count(&self) -> u32 {
        u32::try_from(self.changes.len() + self.excluded.len() + self.included.len()).unwrap_or(u32::MAX)
    }

    /// Returns the changed rows, ascending.
    pub(crate) fn changed_rows(&self) -> Vec<ExcelRow> {
        let mut rows: Vec<ExcelRow> = self.changes.iter().map(|change| change.row).collect();
        rows.extend(self.excluded.iter().chain(&self.included));
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn create_draft(&self) -> FixStepDraft {
        let mut cells: Vec<CellsDraft> = Vec::new();
        for change in &self.changes {
            match cells.last_mut().filter(|last| last.column == change.column && last.cell == change.after) {
                Some(last) => push_row(&mut last.rows, change.row),
                None => {
                    let mut rows = Vec::new();
                    push_row(&mut rows, change.row);
                    cells.push(CellsDraft { column: change.column, cell: change.after.clone(), rows });
                }
            }
        }
        let to_ranges = |rows: &[ExcelRow]| {
            let mut all = Vec::new();
            rows.iter().for_each(|&row| push_row(&mut all, row));
            all
        };
        FixStepDraft {
            cells,
            excluded: to_ranges(&self.excluded),
            included: to_ranges(&self.included),
            replacements: self.replacements.clone(),
            fills_merged: self.fills_merged,
            is_replay: self.is_replay,
            format: self.format.clone(),
        }
    }

    /// Returns true if a changed cell of this column affects how the column is read.
    pub(crate) fn affects_format(&self, kind: FieldKind, column: u32, sheet: &Sheet, overlay: &Overlay) -> bool {
        let affects = |cell: &Cell| Format::detect(kind, None, std::iter::once(cell)) != Format::PLAIN;
        let of_column = self.changes.iter().filter(|change| change.column == column);
        if of_column.into_iter().any(|change| affects(&change.before) || affects(&change.after)) {
            return true;
        }
        let mut cells = sheet.rows.reader();
        self.excluded.iter().chain(&self.included).any(|&row| {
            let now = sheet.rows.position(row.get()).and_then(|at| cells.cell(at, column)).map(CellRef::to_cell);
            now.iter().chain(overlay.original_cell(row, column)).any(affects)
        })
    }
}

/// The undo stack of one sheet's fixes, with the current overlay.
#[derive(Debug, Default)]
pub(crate) struct FixStack {
    pub(crate) overlay: Overlay,
    steps: Vec<FixStep>,
    undone_steps: Vec<FixStep>,
    /// Fixes from an earlier file's mapping. They're passed on to the next file even if this file has no use for them.
    pub(crate) inherited: InheritedFixes,
    /// True after the user undid a replay, so that it isn't repeated automatically.
    pub(crate) is_replay_undone: bool,
    /// True if exclusions apply to this file only and aren't passed on to the next one.
    pub(crate) has_local_exclusions: bool,
}

/// Fixes of an earlier file that a mapping contains.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct InheritedFixes {
    pub(crate) replacements: Vec<Replacement>,
    pub(crate) excluded: Vec<String>,
    pub(crate) fill_merged: bool,
}

impl FixStack {
    pub(crate) fn can_undo(&self) -> bool {
        !self.steps.is_empty()
    }

    pub(crate) fn can_redo(&self) -> bool {
        !self.undone_steps.is_empty()
    }

    /// Returns the number of cells and rows that mappings changed.
    pub(crate) fn replayed_count(&self) -> u32 {
        self.steps.iter().filter(|step| step.is_replay).map(FixStep::change_count).sum()
    }

    /// Returns the replacements in force, oldest first.
    pub(crate) fn replacements(&self) -> Vec<Replacement> {
        let mut all = if self.is_replay_undone { Vec::new() } else { self.inherited.replacements.clone() };
        let own = self.steps.iter().flat_map(|step| step.replacements.iter().cloned());
        own.for_each(|replacement| {
            if !all.contains(&replacement) {
                all.push(replacement);
            }
        });
        all
    }

    /// Returns true if merged cells are filled down, here or in the next file.
    pub(crate) fn fills_merged(&self) -> bool {
        (self.inherited.fill_merged && !self.is_replay_undone) || self.steps.iter().any(|step| step.fills_merged)
    }

    /// Applies fixes to the rows from position `data_start` on, as one step. Returns false if nothing changed.
    pub(crate) fn apply_fixes(&mut self, sheet: &mut Sheet, data_start: usize, fixes: &[Fix]) -> bool {
        let mut step = FixStep::default();
        fixes.iter().for_each(|fix| self.apply_fix(sheet, &mut step, data_start, fix));
        self.push_if_changed(step)
    }

    fn apply_fix(&mut self, sheet: &mut Sheet, step: &mut FixStep, data_start: usize, fix: &Fix) {
        match fix {
            Fix::Set { row, column, text } => self.set_text(sheet, step, *row, *column, text),
            Fix::Fill { column, from, to } => {
                let cell = sheet.rows.position(from.get()).and_then(|at| sheet.rows.cell(at, *column));
                let cell = cell.unwrap_or_default();
                to.iter().for_each(|&row| self.put_cell(sheet, step, row, *column, cell.clone()));
            }
            Fix::Paste { rows, columns, texts } => {
                let width = texts.iter().map(Vec::len).max().unwrap_or_default().max(1);
                for (&row, texts_of_row) in rows.iter().zip(texts.iter().cycle()) {
                    let indexed = columns.iter().enumerate();
                    for (&column, text) in
                        indexed.filter_map(|(at, column)| Some((column, texts_of_row.get(at % width)?)))
                    {
                        self.set_text(sheet, step, row, column, text);
                    }
                }
            }
            Fix::FillBlock { from_rows, from_columns, rows, columns } => {
                for (&row, &source) in rows.iter().zip(from_rows.iter().cycle()) {
                    for (&column, &source_column) in columns.iter().zip(from_columns.iter().cycle()) {
                        let at = sheet.rows.position(source.get());
                        let cell = at.and_then(|at| sheet.rows.cached_cell(at, source_column)).unwrap_or_default();
                        self.put_cell(sheet, step, row, column, cell);
                    }
                }
            }
            Fix::Replace { column, from, to } => self.replace_text(sheet, step, data_start, *column, from, to),
            Fix::Exclude { rows } => self.exclude_rows(sheet, step, rows, true),
            Fix::Include { rows } => self.exclude_rows(sheet, step, rows, false),
            // The session has split these into the other variants.
            Fix::ReplaceMany { .. } | Fix::ExcludeFound { .. } | Fix::FillMerged | Fix::FixFound { .. } => {}
        }
    }

    /// Adds a change of a format, which the mapping has already.
    pub(crate) fn push_format_change(&mut self, change: FormatChange) {
        if change.before != change.after {
            self.undone_steps.clear();
            self.steps.push(FixStep { format: Some(change), ..FixStep::default() });
        }
    }

    pub(crate) fn last_step(&self) -> Option<&FixStep> {
        self.steps.last()
    }

    pub(crate) fn last_undone_step(&self) -> Option<&FixStep> {
        self.undone_steps.last()
    }

    /// Applies the fills and replacements of an earlier file's mapping as one step. Returns true if anything changed.
    pub(crate) fn replay(
        &mut self,
        sheet: &mut Sheet,
        data_start: usize,
        fills: &[Fix],
        replacements: &[(u32, &Replacement)],
    ) -> bool {
        let mut step = FixStep { is_replay: true, fills_merged: !fills.is_empty(), ..FixStep::default() };
        fills.iter().for_each(|fill| self.apply_fix(sheet, &mut step, data_start, fill));
        for (column, replacement) in replacements {
            self.replace_text(sheet, &mut step, data_start, *column, &replacement.from, &replacement.to);
        }
        self.push_if_changed(step)
    }

    /// Excludes rows by an earlier file's mapping. If `extends_last_step`, they're added to the last step, which has
    /// that file's replacements. Returns true if a step was added or extended.
    pub(crate) fn exclude_replayed(&mut self, sheet: &Sheet, rows: &[ExcelRow], extends_last_step: bool) -> bool {
        let mut step = FixStep { is_replay: true, ..FixStep::default() };
        self.exclude_rows(sheet, &mut step, rows, true);
        match self.steps.last_mut().filter(|_| extends_last_step) {
            Some(last) => {
                last.excluded.append(&mut step.excluded);
                true
            }
            None => self.push_if_changed(step),
        }
    }

    /// Undoes the last step. Returns false if there is none.
    pub(crate) fn undo(&mut self, sheet: &mut Sheet) -> bool {
        let Some(step) = self.steps.pop() else { return false };
        for change in step.changes.iter().rev() {
            self.overlay.set_cell(sheet, change.row, change.column, &change.before);
        }
        self.set_excluded_rows(&step.excluded, false);
        self.set_excluded_rows(&step.included, true);
        self.is_replay_undone |= step.is_replay;
        self.undone_steps.push(step);
        true
    }

    /// Redoes the step that was undone last. Returns false if there is none.
    pub(crate) fn redo(&mut self, sheet: &mut Sheet) -> bool {
        let Some(step) = self.undone_steps.pop() else { return false };
        for change in &step.changes {
            self.overlay.set_cell(sheet, change.row, change.column, &change.after);
        }
        self.set_excluded_rows(&step.excluded, true);
        self.set_excluded_rows(&step.included, false);
        self.is_replay_undone &= !step.is_replay;
        self.steps.push(step);
        true
    }

    /// Applies all steps to a sheet that was read again.
    pub(crate) fn reapply(&mut self, sheet: &mut Sheet) {
        let steps = std::mem::take(&mut self.steps);
        self.overlay.clear_fixes();
        for step in &steps {
            for change in &step.changes {
                self.overlay.set_cell(sheet, change.row, change.column, &change.after);
            }
            self.set_excluded_rows(&step.excluded, true);
            self.set_excluded_rows(&step.included, false);
        }
        self.steps = steps;
    }

    /// Returns the steps, for applying them again to the same rows. Undone steps are left out.
    pub(crate) fn create_draft(&self) -> FixesDraft {
        FixesDraft {
            steps: self.steps.iter().map(FixStep::create_draft).collect(),
            inherited: self.inherited.clone(),
            is_replay_undone: self.is_replay_undone,
            has_local_exclusions: self.has_local_exclusions,
            sent_rows: self.overlay.all_sent_rows().iter().map(SentRows::create_draft).collect(),
        }
    }

    /// Applies a draft's fixes to a sheet with the file's content.
    pub(crate) fn from_draft(draft: &FixesDraft, sheet: &mut Sheet) -> Self {
        let mut stack = Self { inherited: draft.inherited.clone(), ..Self::default() };
        for saved in &draft.steps {
            let mut step = FixStep {
                replacements: saved.replacements.clone(),
                fills_merged: saved.fills_merged,
                is_replay: saved.is_replay,
                format: saved.format.clone(),
                ..FixStep::default()
            };
            for cells in &saved.cells {
                rows_in_ranges(&cells.rows)
                    .for_each(|row| stack.put_cell(sheet, &mut step, row, cells.column, cells.cell.clone()));
            }
            for (rows, excluded) in [(&saved.excluded, true), (&saved.included, false)] {
                stack.exclude_rows(sheet, &mut step, &rows_in_ranges(rows).collect::<Vec<_>>(), excluded);
            }
            stack.push_if_changed(step);
        }
        for sent in &draft.sent_rows {
            stack.overlay.add_sent_rows(sent.to.clone(), rows_in_ranges(&sent.rows));
        }
        (stack.is_replay_undone, stack.has_local_exclusions) = (draft.is_replay_undone, draft.has_local_exclusions);
        stack
    }

    fn push_if_changed(&mut self, step: FixStep) -> bool {
        let counts = step.change_count() > 0 || step.format.is_some();
        if counts {
            self.undone_steps.clear();
            self.steps.push(step);
        }
        counts
    }

    pub(crate) fn last_step_mut(&mut self) -> Option<&mut FixStep> {
        self.steps.last_mut()
    }

    /// Sets a cell's text. Nothing changes if the cell already shows it. If the file's cell shows it, that cell is
    /// restored.
    fn set_text(&mut self, sheet: &mut Sheet, step: &mut FixStep, row: ExcelRow, column: u32, text: &str) {
        let current = sheet.rows.position(row.get()).and_then(|at| sheet.rows.cached_cell(at, column));
        if current.is_some_and(|cell| cell.shown() == text) {
            return;
        }
        let original = self.overlay.original_cell(row, column).filter(|original| original.shown() == text).cloned();
        self.put_cell(sheet, step, row, column, original.unwrap_or_else(|| Cell::text(text)));
    }

    fn replace_text(
        &mut self,
        sheet: &mut Sheet,
        step: &mut FixStep,
        data_start: usize,
        column: u32,
        from: &str,
        to: &str,
    ) {
        let data_rows = sheet.rows.span_from(data_start);
        let shows = data_rows.column(column).enumerate().filter(|(_, cell)| cell.shown() == from);
        let rows: Vec<ExcelRow> =
            shows.filter_map(|(position, _)| data_rows.number(position).map(ExcelRow::new)).collect();
        rows.into_iter().for_each(|row| self.set_text(sheet, step, row, column, to));
    }

    fn exclude_rows(&mut self, sheet: &Sheet, step: &mut FixStep, rows: &[ExcelRow], excluded: bool) {
        for &row in rows {
            if sheet.rows.position(row.get()).is_some() && self.overlay.set_excluded(row, excluded) {
                if excluded { step.excluded.push(row) } else { step.included.push(row) }
            }
        }
    }

    fn put_cell(&mut self, sheet: &mut Sheet, step: &mut FixStep, row: ExcelRow, column: u32, cell: Cell) {
        if column >= sheet.columns {
            return;
        }
        let Some(before) = self.overlay.set_cell(sheet, row, column, &cell) else { return };
        if before != cell {
            step.changes.push(Change { row, column, before, after: cell });
        }
    }

    fn set_excluded_rows(&mut self, rows: &[ExcelRow], excluded: bool) {
        for &row in rows {
            self.overlay.set_excluded(row, excluded);
        }
    }
}

/// The first and last of adjacent rows.
type RowRange = (u32, u32);

/// The fixes of one sheet, as stored in a draft.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FixesDraft {
    steps: Vec<FixStepDraft>,
    #[serde(rename = "carried")]
    inherited: InheritedFixes,
    #[serde(rename = "refused")]
    is_replay_undone: bool,
    #[serde(rename = "carriedOnly")]
    has_local_exclusions: bool,
    sent_rows: Vec<SentRowsDraft>,
}

/// Rows that were sent, as stored in a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SentRowsDraft {
    to: SentTo,
    rows: Vec<RowRange>,
}

impl SentRows {
    fn create_draft(&self) -> SentRowsDraft {
        let mut numbers: Vec<ExcelRow> = self.rows.iter().copied().collect();
        numbers.sort_unstable();
        let mut rows = Vec::new();
        numbers.into_iter().for_each(|row| push_row(&mut rows, row));
        SentRowsDraft { to: self.to.clone(), rows }
    }
}

/// The changes of one fix, as stored in a draft.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FixStepDraft {
    cells: Vec<CellsDraft>,
    excluded: Vec<RowRange>,
    included: Vec<RowRange>,
    replacements: Vec<Replacement>,
    #[serde(rename = "merged")]
    fills_merged: bool,
    #[serde(rename = "replayed")]
    is_replay: bool,
    format: Option<FormatChange>,
}

/// Cells of one column that all get the same content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct CellsDraft {
    column: u32,
    cell: Cell,
    rows: Vec<RowRange>,
}

/// Appends a row. A row that is adjacent to the last range extends it.
fn push_row(ranges: &mut Vec<RowRange>, row: ExcelRow) {
    match ranges.last_mut().filter(|(_, last)| last.checked_add(1) == Some(row.get())) {
        Some((_, last)) => *last = row.get(),
        None => ranges.push((row.get(), row.get())),
    }
}

/// Returns every row of the ranges, in order.
fn rows_in_ranges(ranges: &[RowRange]) -> impl Iterator<Item = ExcelRow> {
    ranges.iter().flat_map(|&(first, last)| (first..=last).map(ExcelRow::new))
}
