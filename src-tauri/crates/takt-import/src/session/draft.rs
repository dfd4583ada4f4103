//! Saves the opened sheet as a draft, and restores it.

use takt_core::Problem;

use super::state::{Session, SessionChange, SessionContext};
use crate::{
    draft::SheetDraft,
    fix::FixStack,
    mapping::{MappingFile, NearestMapping},
    matching::Vocabulary,
    plan,
    reading_view::TextReading,
    target::TargetFields,
};

impl Session {
    /// Returns the hexadecimal SHA-256 of the file.
    pub(crate) fn hash(&self) -> &str {
        &self.source.hash
    }

    /// Returns the number of cells that differ from the file, and of excluded rows.
    pub(crate) fn fix_counts(&self) -> (u32, u32) {
        let excluded = self.fixes.overlay.excluded_rows().len();
        (self.fixes.overlay.edited_cells(), u32::try_from(excluded).unwrap_or(u32::MAX))
    }

    pub(crate) fn create_draft(&self) -> SheetDraft {
        SheetDraft {
            sheet: self.table.sheet.name.clone(),
            header_row: self.table.header.and_then(|header| self.table.sheet.rows.number(header)),
            header_rows: u32::try_from(self.table.header_rows).unwrap_or(1),
            rows: self.table.excluded_rows.choice,
            mapping: self.mapping_without_fixes(),
            fixes: self.fixes.create_draft(),
        }
    }

    /// Returns how the text file is read, or `None` for workbooks.
    pub(crate) fn text_reading(&self) -> Option<TextReading> {
        let reading = self.reading_view();
        let encoding = reading.encoding?;
        Some(TextReading {
            // A guessed encoding isn't saved. It's guessed again, so that its finding stays.
            encoding: Some(encoding).filter(|_| reading.letters.is_none()),
            separator: reading.separator,
            quotes_as_text: reading.quotes_as_text,
        })
    }

    /// Restores the sheet from the draft. Parts that are no longer valid, such as a field that the contract no longer
    /// has, are left out.
    pub(crate) fn restore_draft(&mut self, draft: &SheetDraft, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        self.table.excluded_rows.choice = draft.rows;
        if let Some(row) = draft.header_row {
            self.choose_header_row(row, ctx)?;
            if usize::try_from(draft.header_rows).is_ok_and(|rows| rows != self.table.header_rows) {
                self.choose_header_rows(draft.header_rows, ctx)?;
            }
        }
        if let Some(mapping) = &draft.mapping {
            self.apply_mapping_columns(mapping, ctx);
        }
        // Fixes that were replayed automatically are already part of the draft.
        self.table.excluded_rows.restore_rows(&mut self.table.sheet);
        while self.fixes.undo(&mut self.table.sheet) {}
        self.fixes = FixStack::from_draft(&draft.fixes, &mut self.table.sheet);
        self.skip_rows();
        self.recompute(SessionChange::Mapping);
        Ok(())
    }

    /// Applies the columns of another version of the same file, as far as they exist here. Doesn't apply fixes.
    pub(crate) fn apply_mapping_columns(&mut self, mapping: &MappingFile, ctx: &SessionContext<'_>) {
        let targets = match &mapping.list {
            Some(list) => plan::part_targets(ctx.contract, &mapping.operation, list),
            None => ctx.contract.operation(&mapping.operation).and_then(TargetFields::from_operation),
        };
        let Some(targets) = targets else { return };
        self.mapping.matches = Vocabulary::new(&targets).match_headings(&self.table.headings);
        self.mapping.targets = Some(targets);
        self.propose_properties();
        self.apply_remembered(NearestMapping { mapping: mapping.clone(), changes: Vec::new(), exact: true });
        self.recompute(SessionChange::Mapping);
    }
}
