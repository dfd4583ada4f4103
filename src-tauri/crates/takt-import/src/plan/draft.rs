//! Saves a workbook as a draft, and restores it.

use super::book::Book;
use takt_core::Problem;

use crate::{
    draft::BookDraft,
    session::{Session, SessionContext},
};

impl Book {
    pub(crate) fn draft(&self) -> BookDraft {
        BookDraft {
            text: self.sheets.first().and_then(Session::text_reading),
            sheets: self.sheets.iter().map(Session::draft).collect(),
            sheet: self.current().map(|current| current.sheet_name().to_owned()).unwrap_or_default(),
            scope: self.scope.clone(),
            order: self.order.clone(),
            skipped: self.skipped.clone(),
            owners: self.owners.clone(),
            decided: self.decided.clone(),
            destination: self.destination().cloned(),
            position: self.draft.position.clone(),
        }
    }

    /// Returns the number of cells that differ from the file, and of excluded rows, on all sheets.
    pub(crate) fn fix_counts(&self) -> (u32, u32) {
        let views = self.sheets.iter().map(Session::fix_counts);
        views.fold((0, 0), |(edited, excluded), (more, out)| (edited + more, excluded + out))
    }

    /// Restores everything from a draft of the same content.
    pub(crate) fn restore(&mut self, draft: &BookDraft, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let current = self.current_mut()?;
        if let Some(text) = draft.text.as_ref().filter(|text| current.text_reading().as_ref() != Some(*text)) {
            current.choose_text(text, ctx)?;
        }
        for sheet in &draft.sheets {
            self.choose(&sheet.sheet, ctx)?;
            self.current_mut()?.restore(sheet, ctx)?;
        }
        self.choose(&draft.sheet, ctx)?;
        self.scope = draft.scope.clone();
        self.order.clone_from(&draft.order);
        self.skipped.clone_from(&draft.skipped);
        self.owners.clone_from(&draft.owners);
        self.decided.clone_from(&draft.decided);
        self.bump_revision();
        Ok(())
    }

    /// Applies the columns of a draft of an earlier content, for sheets that still exist.
    pub(crate) fn apply_columns_of(&mut self, draft: &BookDraft, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let now = self.current()?.sheet_name().to_owned();
        for (sheet, mapping) in draft.sheets.iter().filter_map(|one| Some((&one.sheet, one.mapping.as_ref()?))) {
            if self.choose(sheet, ctx).is_ok() {
                self.current_mut()?.apply_choices(mapping, ctx);
            }
        }
        self.choose(&now, ctx)
    }
}
