//! The opened sheet as a draft keeps it, and the same sheet read again as the draft says.

use super::{FixStack, Session, SessionContext};
use takt_core::Problem;

use crate::import::{
    MappingFile, TextReading, draft::SheetDraft, mapping::NearestMapping, matching::Vocabulary, plan, target::Targets,
};

impl Session {
    /// Hexadecimal SHA-256 of the file.
    pub(in crate::import) fn hash(&self) -> &str {
        &self.hash
    }

    /// Cells that hold something else than the file, and rows that are left out.
    pub(in crate::import) fn fixed(&self) -> (u32, u32) {
        let excluded = self.fixes.overlay.excluded().len();
        (self.fixes.overlay.edited(), u32::try_from(excluded).unwrap_or(u32::MAX))
    }

    pub(in crate::import) fn draft(&self) -> SheetDraft {
        SheetDraft {
            sheet: self.sheet.name.clone(),
            header_row: self.header.and_then(|header| self.sheet.rows.number(header)),
            header_rows: u32::try_from(self.header_rows).unwrap_or(1),
            rows: self.aside.choice,
            mapping: self.choices(),
            fixes: self.fixes.draft(),
        }
    }

    /// How the text is read that the sheet is made of; absent for workbooks.
    pub(in crate::import) fn text_reading(&self) -> Option<TextReading> {
        let reading = self.reading();
        let encoding = reading.encoding?;
        Some(TextReading {
            // A guess isn't a choice: it is made again, and stays among the findings.
            encoding: Some(encoding).filter(|_| reading.letters.is_none()),
            separator: reading.separator,
            quotes_as_text: reading.quotes_as_text,
        })
    }

    /// Reads the sheet as the draft says. What it says that can't be any more, for example of a field that the contract
    /// has no longer, is left out.
    pub(in crate::import) fn restore(
        &mut self,
        draft: &SheetDraft,
        around: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        self.aside.choice = draft.rows;
        if let Some(row) = draft.header_row {
            self.choose_header(row, around)?;
            if usize::try_from(draft.header_rows).is_ok_and(|rows| rows != self.header_rows) {
                self.choose_header_rows(draft.header_rows, around)?;
            }
        }
        if let Some(mapping) = &draft.mapping {
            self.take_choices(mapping, around);
        }
        // What was done again by itself, as on every file with these headings, is part of the draft already.
        self.aside.restore(&mut self.sheet);
        while self.fixes.undo(&mut self.sheet) {}
        self.fixes = FixStack::of_draft(&draft.fixes, &mut self.sheet);
        self.skip_rows();
        self.check();
        Ok(())
    }

    /// The columns of another version of the same file, as far as they are here. Nothing is fixed.
    pub(in crate::import) fn take_choices(&mut self, mapping: &MappingFile, around: &SessionContext<'_>) {
        let targets = match &mapping.list {
            Some(list) => plan::part_targets(around.contract, &mapping.operation, list),
            None => around.contract.operation(&mapping.operation).and_then(Targets::of),
        };
        let Some(targets) = targets else { return };
        self.matches = Vocabulary::of(&targets).match_headings(&self.headings);
        self.targets = Some(targets);
        self.propose_properties();
        self.take_remembered(NearestMapping { mapping: mapping.clone(), changes: Vec::new(), exact: true });
        self.check();
    }
}
