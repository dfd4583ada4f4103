//! Computes again what depends on a change.
//!
//! | change | computed again |
//! |---|---|
//! | mapping or left-out rows | merged cells, layout, reference checks, findings of all rows |
//! | the site's data or earlier sheets | reference checks, findings of all rows |
//! | cells, by a fix | merged cells, formats of the columns, findings of the changed rows |
//!
//! If a fix changes how a column is read, all rows are checked.

use takt_core::ExcelRow;

use super::{merged::MergedCells, state::Session};
use crate::{
    check::{self, CheckResult},
    column_layout::ColumnLayout,
    fix::{self, Step},
    reference_checks::ReferenceChecks,
};

/// The part of a session that changed. Everything that depends on it is computed again.
pub(super) enum Changed {
    /// The header row, left-out rows, the operation, columns or rules.
    Mapping,
    /// The site's data, or the values of earlier sheets.
    Reference,
    /// Cells and rows, by a fix. The listing stays, so that users keep their place.
    Cells(FixScope),
}

/// The cells that a fix affects.
pub(super) struct FixScope {
    /// Ascending.
    pub(super) rows: Vec<ExcelRow>,
    /// Columns whose format may have changed.
    pub(super) columns: Vec<u32>,
    /// The number of changed cells and rows.
    pub(super) size: u32,
}

impl Session {
    pub(super) fn recompute(&mut self, changed: Changed) {
        match changed {
            Changed::Mapping => {
                self.computed.listing = None;
                self.computed.merged = MergedCells::find(&self.table.sheet, self.rows());
                self.computed.layout = self.find_layout();
                self.computed.layout.contested = self.contested_notes();
                self.computed.reference_checks = self.build_reference_checks();
                self.check_rows();
            }
            Changed::Reference => {
                self.computed.listing = None;
                self.computed.reference_checks = self.build_reference_checks();
                self.check_rows();
            }
            Changed::Cells(scope) => {
                self.computed.merged = MergedCells::find(&self.table.sheet, self.rows());
                let rows = self.table.sheet.rows.below(self.data_start());
                let (layout, overlay) = (&mut self.computed.layout, &self.fixes.overlay);
                let targets = self.mapping.targets.as_ref();
                match targets.map(|targets| layout.refresh(targets, rows, overlay, Some(&scope.columns))) {
                    Some(false) => self.check_changed_rows(&scope.rows),
                    // Every row is read differently, or there is no operation.
                    Some(true) | None => self.check_rows(),
                }
            }
        }
    }

    fn find_layout(&self) -> ColumnLayout {
        let Some(targets) = &self.mapping.targets else { return ColumnLayout::default() };
        let (matches, rules, names) = (&self.mapping.matches, &self.mapping.rules, &self.mapping.names);
        let today = self.reference_context.reference.local_now().date();
        ColumnLayout::new(targets, matches, rules, names, self.rows(), &self.fixes.overlay, today)
    }

    fn build_reference_checks(&self) -> ReferenceChecks {
        let targets = self.mapping.targets.as_ref();
        let checks =
            targets.map(|targets| ReferenceChecks::new(targets, &self.computed.layout, &self.reference_context));
        checks.unwrap_or_default()
    }

    fn check_rows(&mut self) {
        self.computed.checked = match self.mapper() {
            Some(mapper) => check::check(&mapper, self.rows()),
            None => CheckResult::unchecked(self.rows().len()),
        };
        self.mark_doubts();
    }

    fn check_changed_rows(&mut self, changed: &[ExcelRow]) {
        let rows = self.rows();
        let position = |row: &ExcelRow| rows.position(row.get());
        let changed: Vec<u32> =
            changed.iter().filter_map(position).filter_map(|position| u32::try_from(position).ok()).collect();
        let before = std::mem::take(&mut self.computed.checked);
        if let Some(mapper) = self.mapper() {
            self.computed.checked = fix::recheck(&mapper, self.rows(), before, &changed);
        }
        self.mark_doubts();
    }

    /// Returns the cells that a step of fixes affects.
    pub(super) fn scope_of(&self, step: &Step) -> FixScope {
        let targets = self.mapping.targets.iter().flat_map(|targets| &targets.fields);
        let columns = targets.zip(&self.computed.layout.columns).filter_map(|(target, column)| {
            let affects =
                |&column: &u32| step.affects_format(target.kind, column, &self.table.sheet, &self.fixes.overlay);
            (*column).filter(affects)
        });
        FixScope { rows: step.rows(), columns: columns.collect(), size: step.size() }
    }
}
