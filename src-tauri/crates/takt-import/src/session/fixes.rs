//! Applies fixes to the current sheet, and checks the affected rows again.

use crate::position::Position;
use std::collections::{BTreeMap, HashSet};
use takt_core::ExcelRow;

use takt_sheet::CellRef;

use super::{
    recompute::{Changed, FixScope},
    state::{Session, unknown},
};
use crate::{
    building,
    fix::{self, Fix, Step},
    grid::RejectedRows,
    mapping::{MappingFile, Replacement},
    view::CellHelp,
};
use takt_core::{Code, Problem};

/// Maximum number of excluded keys in a mapping. The oldest are dropped.
const MAX_EXCLUDED_KEYS: usize = 1_000;

impl Session {
    pub(in super::super) fn fix(&mut self, fix: &Fix) -> Result<(), Problem> {
        if fix.is_too_large() {
            return Err(Problem::new(Code::InvalidInput).parameter("case", "cells"));
        }
        let fixes = self.split_fix(fix);
        if let Some(column) = fixes.iter().flat_map(Fix::columns).find(|&column| column >= self.table.sheet.columns) {
            return Err(unknown(&takt_sheet::column_letters(column)));
        }
        let start = self.data_start();
        let done = self.fixes.apply(&mut self.table.sheet, start, &fixes);
        let replacements = fixes.iter().filter_map(|fix| self.replacement(fix)).collect();
        if let Some(step) = self.fixes.last_mut().filter(|_| done) {
            step.replacements = replacements;
            step.merged = *fix == Fix::FillMerged;
        }
        let scope = self.fixes.last().filter(|_| done).map(|step| self.scope_of(step));
        self.recheck(scope);
        Ok(())
    }

    /// Excludes every row except these, which the service rejected.
    pub(in super::super) fn store_rejected(&mut self, rejected: RejectedRows) -> Result<(), Problem> {
        let numbers = self.rows().iter_of(Vec::new()).map(|row| ExcelRow::new(row.number));
        let others = numbers.filter(|row| !rejected.contains_key(row)).collect();
        self.rejected = rejected;
        self.fixes.carried_only = true;
        self.fix(&Fix::Exclude { rows: others })
    }

    /// Splits a fix into fixes that name their cells and rows.
    fn split_fix(&self, fix: &Fix) -> Vec<Fix> {
        match fix {
            Fix::ReplaceMany { column, texts } => texts
                .iter()
                .map(|one| Fix::Replace { column: *column, from: one.from.clone(), to: one.to.clone() })
                .collect(),
            Fix::ExcludeFound { finding: found, keep_first } => {
                vec![Fix::Exclude { rows: self.finding_rows(found, *keep_first) }]
            }
            Fix::FillMerged => self.computed.merged.fills(),
            Fix::FixFound { finding, way } => self.found_fixes(finding, *way),
            other => vec![other.clone()],
        }
    }

    /// Returns the part of a fix that can be repeated on another file.
    fn replacement(&self, fix: &Fix) -> Option<Replacement> {
        let Fix::Replace { column, from, to } = fix else { return None };
        let heading = self.mapping.names.get(*column as usize)?.clone();
        Some(Replacement { heading, from: from.clone(), to: to.clone() })
    }

    pub(in super::super) fn undo(&mut self) {
        let rows = self.restore_left_out_rows(self.fixes.last().map(Step::rows));
        let done = self.fixes.undo(&mut self.table.sheet);
        let scope = self.fixes.last_undone().filter(|_| done).map(|step| self.scope_of(step));
        self.recheck_after_restore(scope, rows);
    }

    pub(in super::super) fn redo(&mut self) {
        let rows = self.restore_left_out_rows(self.fixes.last_undone().map(Step::rows));
        let done = self.fixes.redo(&mut self.table.sheet);
        let scope = self.fixes.last().filter(|_| done).map(|step| self.scope_of(step));
        self.recheck_after_restore(scope, rows);
    }

    /// Restores left-out rows if one of these rows is among them, so that it can be changed. Returns true if it did.
    fn restore_left_out_rows(&mut self, rows: Option<Vec<ExcelRow>>) -> bool {
        let is_present = |row: &ExcelRow| self.table.sheet.rows.position(row.get()).is_some();
        let missing = rows.is_some_and(|rows| !rows.iter().all(is_present));
        if missing {
            self.table.excluded_rows.restore(&mut self.table.sheet);
        }
        missing
    }

    fn recheck_after_restore(&mut self, scope: Option<FixScope>, were_left_out: bool) {
        if were_left_out {
            self.changed_cells = scope.map_or(0, |scope| scope.size);
            self.skip_rows();
            self.recompute(Changed::Mapping);
        } else {
            self.recheck(scope);
        }
    }

    fn recheck(&mut self, scope: Option<FixScope>) {
        self.changed_cells = scope.as_ref().map_or(0, |scope| scope.size);
        if let Some(scope) = scope {
            self.recompute(Changed::Cells(scope));
        }
    }

    pub(in super::super) fn cell_help(
        &self,
        row: u32,
        column: u32,
        site_codes: &dyn Fn(&str, &str) -> Vec<String>,
    ) -> CellHelp {
        let rows = self.rows();
        let at = rows.position(row);
        let mut reader = rows.reader();
        let cell = at.and_then(|at| reader.cell(at, column)).map(CellRef::to_cell).unwrap_or_default();
        let shown = cell.shown();
        let alike = rows.column(column).filter(|cell| cell.shown() == shown).count();
        let found = at.and_then(Position::from_index).and_then(|at| {
            let marks = self.computed.checked.marks_of_row(at).iter();
            marks.filter(|mark| mark.column == Some(column)).min_by_key(|mark| mark.severity)
        });
        let target = found.and_then(|mark| self.mapping.targets.as_ref()?.fields.get(mark.target as usize));
        let site_codes = self.with_similar_codes(site_codes);
        let mut suggestions = found.map(|mark| self.offered_texts(mark, cell.as_ref())).unwrap_or_default();
        if suggestions.is_empty() {
            suggestions = target.map(|target| fix::suggestions(target, &shown, &site_codes)).unwrap_or_default();
        }
        CellHelp { alike: u32::try_from(alike).unwrap_or(u32::MAX), suggestions }
    }

    /// Repeats the fixes of the file that the mapping comes from.
    pub(super) fn replay(&mut self, mapping: &MappingFile) {
        self.fixes.carried.replacements.clone_from(&mapping.replacements);
        self.fixes.carried.excluded.clone_from(&mapping.excluded);
        self.fixes.carried.fill_merged = mapping.fill_merged;
        let replacements: Vec<(u32, &Replacement)> = mapping
            .replacements
            .iter()
            .filter_map(|replacement| {
                let column = self.mapping.names.iter().position(|name| *name == replacement.heading)?;
                Some((u32::try_from(column).ok()?, replacement))
            })
            .collect();
        let wanted: HashSet<&str> = mapping.excluded.iter().map(String::as_str).collect();
        // Keys may be replaced, so rows are looked up by key afterwards.
        let start = self.data_start();
        let merged = if mapping.fill_merged { self.computed.merged.fills() } else { Vec::new() };
        let replaced = self.fixes.replay(&mut self.table.sheet, start, &merged, &replacements);
        if replaced {
            self.recompute(Changed::Mapping);
        }
        let rows: Vec<ExcelRow> = self
            .rows_by_key()
            .into_iter()
            .filter(|(key, _)| wanted.contains(key.as_str()))
            .flat_map(|(_, rows)| rows)
            .collect();
        let skipped = self.fixes.exclude_replayed(&self.table.sheet, &rows, replaced);
        if replaced || skipped {
            self.recompute(Changed::Mapping);
        }
    }

    /// Returns the business keys of excluded rows for the next file. Only keys of which every row is excluded count.
    pub(super) fn excluded_keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        if !self.fixes.refused {
            keys.clone_from(&self.fixes.carried.excluded);
        }
        if self.fixes.carried_only {
            return keys;
        }
        let excludes = |row: &ExcelRow| self.fixes.overlay.excludes(*row);
        if keys.is_empty() && self.fixes.overlay.excluded().is_empty() {
            return keys;
        }
        for (key, rows) in self.rows_by_key() {
            let all = rows.iter().all(excludes);
            if all && !keys.contains(&key) {
                keys.push(key);
            } else if !all {
                keys.retain(|other| *other != key);
            }
        }
        keys.split_off(keys.len().saturating_sub(MAX_EXCLUDED_KEYS))
    }

    /// Returns the row numbers by business key.
    fn rows_by_key(&self) -> BTreeMap<String, Vec<ExcelRow>> {
        let Some(mapper) = self.mapper() else { return BTreeMap::new() };
        let mut keys: BTreeMap<String, Vec<ExcelRow>> = BTreeMap::new();
        let columns = mapper.targets.key.iter().filter_map(|name| mapper.targets.index(name));
        let columns: Vec<u32> = columns.flat_map(|target| mapper.columns_of(target)).collect();
        for row in self.rows().iter_of(columns) {
            let key = building::key_text(&mapper, &[&row]);
            if !key.is_empty() {
                keys.entry(key).or_default().push(ExcelRow::new(row.number));
            }
        }
        keys
    }
}
