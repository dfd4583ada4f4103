//! The items of a sheet, made as they are asked for: a sheet may make a million, and nobody needs all of them at once.

use std::{
    sync::{Arc, Mutex, PoisonError},
    vec,
};

use super::{ImportId, Imports, StepItems, StepState, building::ItemRows, plan::Book};
use takt_core::{Item, Problem};

/// Items that are made at once.
const BATCH: usize = 2_000;

/// The items of a plan's only step, in their order. It holds the import's rows until it is dropped, also where that is closed
/// meanwhile; whoever changes the import meanwhile changes what comes.
pub struct ItemStream {
    book: Arc<Mutex<Book>>,
    sheet: String,
    groups: ItemRows,
    next: usize,
    ready: vec::IntoIter<Item>,
}

takt_core::opaque_debug!(ItemStream);

impl ItemStream {
    /// Where an import's plan is a single step without parts from other sheets and without excluded rows: the step without its
    /// items, and these. Absent for any other plan. Taking it remembers the mapping for the next file with these headings.
    ///
    /// # Errors
    ///
    /// As [`Imports::items`].
    pub fn of(imports: &Imports, id: ImportId) -> Result<Option<(StepItems, Self)>, Problem> {
        let shared = imports.book(id)?;
        let book = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = imports.around(book.site().as_deref(), |around| book.steps(around));
        let [step] = steps.as_slice() else { return Ok(None) };
        let sheet = book.sheet(&step.sheet).filter(|_| step.state != StepState::Skipped && step.part.is_none());
        let Some(sheet) = sheet else { return Ok(None) };
        let Some((set, groups)) = sheet.item_rows()? else { return Ok(None) };
        if let Some(mapping) = sheet.mapping_to_remember() {
            imports.remember(&mapping, sheet.headings())?;
        }
        let ready = Vec::new().into_iter();
        let stream = Self { book: Arc::clone(&shared), sheet: step.sheet.clone(), groups, next: 0, ready };
        Ok(Some((set.into(), stream)))
    }
}

impl Iterator for ItemStream {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if let Some(item) = self.ready.next() {
            return Some(item);
        }
        let end = self.groups.len().min(self.next + BATCH);
        let made = {
            let book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
            book.sheet(&self.sheet)?.some_items(&self.groups, self.next..end)
        };
        self.next = end;
        self.ready = made.into_iter();
        self.ready.next()
    }
}
