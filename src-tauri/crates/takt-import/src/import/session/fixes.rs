//! Fixes to the chosen sheet, and what they leave to be checked again.

use crate::import::position::Position;
use std::collections::{BTreeMap, HashSet};
use takt_core::ExcelRow;

use takt_sheet::CellRef;

use super::{
    super::{
        CellHelp, Fix, MappingFile, building,
        fix::{self, Step},
        grid::RejectedRows,
        mapping::Replacement,
    },
    Session, unknown,
};
use takt_core::{Code, Problem};

/// A mapping carries no more of them: the oldest are forgotten.
const MAX_CARRIED: usize = 1_000;

impl Session {
    pub(in super::super) fn fix(&mut self, fix: &Fix) -> Result<(), Problem> {
        if fix.is_too_large() {
            return Err(Problem::new(Code::InvalidInput).parameter("case", "cells"));
        }
        let fixes = self.parts(fix);
        if let Some(column) = fixes.iter().flat_map(Fix::columns).find(|&column| column >= self.sheet.columns) {
            return Err(unknown(&takt_sheet::column_letters(column)));
        }
        let below = self.below();
        let done = self.fixes.apply(&mut self.sheet, below, &fixes);
        let replacements = fixes.iter().filter_map(|fix| self.replacement(fix)).collect();
        if let Some(step) = self.fixes.last_mut().filter(|_| done) {
            step.replacements = replacements;
            step.merged = *fix == Fix::FillMerged;
        }
        let touched = self.fixes.last().filter(|_| done).map(|step| self.touched(step));
        self.settle(touched);
        Ok(())
    }

    /// Leaves every row out but these, which the service rejected.
    pub(in super::super) fn store_rejected(&mut self, rejected: RejectedRows) -> Result<(), Problem> {
        let numbers = self.rows().iter_of(Vec::new()).map(|row| ExcelRow::new(row.number));
        let others = numbers.filter(|row| !rejected.contains_key(row)).collect();
        self.rejected = rejected;
        self.fixes.carried_only = true;
        self.fix(&Fix::Exclude { rows: others })
    }

    /// A fix said in those that name their cells and rows.
    fn parts(&self, fix: &Fix) -> Vec<Fix> {
        match fix {
            Fix::ReplaceMany { column, texts } => texts
                .iter()
                .map(|one| Fix::Replace { column: *column, from: one.from.clone(), to: one.to.clone() })
                .collect(),
            Fix::ExcludeFound { finding: found, keep_first } => {
                vec![Fix::Exclude { rows: self.finding_rows(found, *keep_first) }]
            }
            Fix::FillMerged => self.merged.fills(),
            Fix::FixFound { finding, way } => self.found_fixes(finding, *way),
            other => vec![other.clone()],
        }
    }

    /// What of a fix can be done again on another file.
    fn replacement(&self, fix: &Fix) -> Option<Replacement> {
        let Fix::Replace { column, from, to } = fix else { return None };
        let heading = self.names.get(*column as usize)?.clone();
        Some(Replacement { heading, from: from.clone(), to: to.clone() })
    }

    pub(in super::super) fn undo(&mut self) {
        let rows = self.bring_back(self.fixes.last().map(Step::rows));
        let done = self.fixes.undo(&mut self.sheet);
        let touched = self.fixes.taken_back().filter(|_| done).map(|step| self.touched(step));
        self.settle_with(touched, rows);
    }

    pub(in super::super) fn redo(&mut self) {
        let rows = self.bring_back(self.fixes.taken_back().map(Step::rows));
        let done = self.fixes.redo(&mut self.sheet);
        let touched = self.fixes.last().filter(|_| done).map(|step| self.touched(step));
        self.settle_with(touched, rows);
    }

    /// Rows that were set aside after they had been fixed must be there to be changed. True where that was so.
    fn bring_back(&mut self, rows: Option<Vec<ExcelRow>>) -> bool {
        let there = |row: &ExcelRow| self.sheet.rows.position(row.get()).is_some();
        let missing = rows.is_some_and(|rows| !rows.iter().all(there));
        if missing {
            self.aside.restore(&mut self.sheet);
        }
        missing
    }

    fn settle_with(&mut self, touched: Option<RecheckScope>, aside: bool) {
        if aside {
            self.touched = touched.map_or(0, |touched| touched.size);
            self.skip_rows();
            self.check();
        } else {
            self.settle(touched);
        }
    }

    pub(in super::super) fn cell_help(
        &self,
        row: u32,
        column: u32,
        known: &dyn Fn(&str, &str) -> Vec<String>,
    ) -> CellHelp {
        let rows = self.rows();
        let at = rows.position(row);
        let mut reader = rows.reader();
        let cell = at.and_then(|at| reader.cell(at, column)).map(CellRef::to_cell).unwrap_or_default();
        let shown = cell.shown();
        let alike = rows.column(column).filter(|cell| cell.shown() == shown).count();
        let found = at.and_then(Position::of_index).and_then(|at| {
            let marks = self.checked.of_row(at).iter();
            marks.filter(|mark| mark.column == Some(column)).min_by_key(|mark| mark.severity)
        });
        let target = found.and_then(|mark| self.targets.as_ref()?.fields.get(mark.target as usize));
        let known = self.with_known(known);
        let mut suggestions = found.map(|mark| self.found_texts(mark, cell.as_ref())).unwrap_or_default();
        if suggestions.is_empty() {
            suggestions = target.map(|target| fix::suggestions(target, &shown, &known)).unwrap_or_default();
        }
        CellHelp { alike: u32::try_from(alike).unwrap_or(u32::MAX), suggestions }
    }

    /// Does again what was done to the file that the mapping comes from.
    pub(super) fn replay(&mut self, mapping: &MappingFile) {
        self.fixes.carried.replacements.clone_from(&mapping.replacements);
        self.fixes.carried.excluded.clone_from(&mapping.excluded);
        self.fixes.carried.fill_merged = mapping.fill_merged;
        let replacements: Vec<(u32, &Replacement)> = mapping
            .replacements
            .iter()
            .filter_map(|replacement| {
                let column = self.names.iter().position(|name| *name == replacement.heading)?;
                Some((u32::try_from(column).ok()?, replacement))
            })
            .collect();
        let wanted: HashSet<&str> = mapping.excluded.iter().map(String::as_str).collect();
        // Keys may be what was replaced, so rows are only known by them afterwards.
        let below = self.below();
        let merged = if mapping.fill_merged { self.merged.fills() } else { Vec::new() };
        let replaced = self.fixes.replay(&mut self.sheet, below, &merged, &replacements);
        if replaced {
            self.check();
        }
        let rows: Vec<ExcelRow> = self
            .keys()
            .into_iter()
            .filter(|(key, _)| wanted.contains(key.as_str()))
            .flat_map(|(_, rows)| rows)
            .collect();
        let skipped = self.fixes.skip_rows(&self.sheet, &rows, replaced);
        if replaced || skipped {
            self.check();
        }
    }

    /// The excluded rows by business key, for the next file: only keys of which every row is excluded.
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
        for (key, rows) in self.keys() {
            let all = rows.iter().all(excludes);
            if all && !keys.contains(&key) {
                keys.push(key);
            } else if !all {
                keys.retain(|kept| *kept != key);
            }
        }
        keys.split_off(keys.len().saturating_sub(MAX_CARRIED))
    }

    /// Row numbers by business key.
    fn keys(&self) -> BTreeMap<String, Vec<ExcelRow>> {
        let Some(plan) = self.plan() else { return BTreeMap::new() };
        let mut keys: BTreeMap<String, Vec<ExcelRow>> = BTreeMap::new();
        let columns = plan.targets.key.iter().filter_map(|name| plan.targets.index(name));
        let columns: Vec<u32> = columns.flat_map(|target| plan.columns_of(target)).collect();
        for row in self.rows().iter_of(columns) {
            let key = building::key(&plan, &[&row]);
            if !key.is_empty() {
                keys.entry(key).or_default().push(ExcelRow::new(row.number));
            }
        }
        keys
    }

    fn touched(&self, step: &Step) -> RecheckScope {
        let targets = self.targets.iter().flat_map(|targets| &targets.fields).zip(&self.layout.columns);
        let columns = targets.filter_map(|(target, column)| {
            (*column).filter(|&column| step.bears_on(target.kind, column, &self.sheet, &self.fixes.overlay))
        });
        RecheckScope { rows: step.rows(), columns: columns.collect(), size: step.size() }
    }

    /// Checks what a step touched. What is shown stays where it is, so that a person's place isn't lost.
    fn settle(&mut self, touched: Option<RecheckScope>) {
        let Some(touched) = touched else {
            self.touched = 0;
            return;
        };
        self.touched = touched.size;
        self.find_merged();
        let below = self.below();
        let Self { layout, targets, sheet, fixes, .. } = self;
        let rows = sheet.rows.below(below);
        let other = targets
            .as_ref()
            .is_some_and(|targets| layout.refresh(targets, rows, &fixes.overlay, Some(&touched.columns)));
        if other || self.targets.is_none() {
            self.check_rows();
            return;
        }
        let rows = self.rows();
        let position = |row: &ExcelRow| rows.position(row.get());
        let changed: Vec<u32> =
            touched.rows.iter().filter_map(position).filter_map(|position| u32::try_from(position).ok()).collect();
        let before = std::mem::take(&mut self.checked);
        if let Some(plan) = self.plan() {
            self.checked = fix::recheck(&plan, self.rows(), before, &changed);
        }
        self.mark_doubts();
    }
}

/// What is to be looked at again.
struct RecheckScope {
    /// Ascending.
    rows: Vec<ExcelRow>,
    /// Those whose verdict may be another one now.
    columns: Vec<u32>,
    size: u32,
}
