//! A workbook as a draft keeps it, and as it is again.

use super::Book;
use takt_core::Problem;

use crate::import::{
    draft::BookDraft,
    session::{Session, SessionContext},
};

impl Book {
    pub(in crate::import) fn draft(&self) -> BookDraft {
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

    /// Cells that hold something else than the file, and rows that are left out, on all sheets.
    pub(in crate::import) fn fixed(&self) -> (u32, u32) {
        let views = self.sheets.iter().map(Session::fixed);
        views.fold((0, 0), |(edited, excluded), (more, out)| (edited + more, excluded + out))
    }

    /// Everything as the draft of the same content says.
    pub(in crate::import) fn restore(&mut self, draft: &BookDraft, around: &SessionContext<'_>) -> Result<(), Problem> {
        let current = self.current_mut()?;
        if let Some(text) = draft.text.as_ref().filter(|text| current.text_reading().as_ref() != Some(*text)) {
            current.choose_text(text, around)?;
        }
        for sheet in &draft.sheets {
            self.choose(&sheet.sheet, around)?;
            self.current_mut()?.restore(sheet, around)?;
        }
        self.choose(&draft.sheet, around)?;
        self.scope = draft.scope.clone();
        self.order.clone_from(&draft.order);
        self.skipped.clone_from(&draft.skipped);
        self.owners.clone_from(&draft.owners);
        self.decided.clone_from(&draft.decided);
        self.changed();
        Ok(())
    }

    /// What the draft of an earlier content says of the columns of sheets that are still there.
    pub(in crate::import) fn take_columns_of(
        &mut self,
        draft: &BookDraft,
        around: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        let now = self.current()?.sheet_name().to_owned();
        for (sheet, mapping) in draft.sheets.iter().filter_map(|one| Some((&one.sheet, one.mapping.as_ref()?))) {
            if self.choose(sheet, around).is_ok() {
                self.current_mut()?.take_choices(mapping, around);
            }
        }
        self.choose(&now, around)
    }
}
