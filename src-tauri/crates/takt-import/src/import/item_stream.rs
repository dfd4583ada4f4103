//! The items of a sheet, made as they are asked for: a sheet may make a million, and nobody needs all of them at once.

use std::vec;

use super::{ImportId, Imports, StepItems, item_source::SheetItems};
use takt_core::{Item, Problem};

/// Items that are made at once.
const BATCH: usize = 2_000;

/// The items of a plan's only step, in their order. It holds the import's rows until it is dropped, also where that is closed
/// meanwhile; whoever changes the import meanwhile changes what comes.
#[derive(Debug)]
pub struct ItemStream {
    items: SheetItems,
    next: usize,
    ready: vec::IntoIter<Item>,
}

impl ItemStream {
    /// Where an import's plan is a single step without parts from other sheets and without excluded rows: the step without its
    /// items, and these. Absent for any other plan. Taking it remembers the mapping for the next file with these headings.
    ///
    /// # Errors
    ///
    /// As [`Imports::items`].
    pub fn of(imports: &Imports, id: ImportId) -> Result<Option<(StepItems, Self)>, Problem> {
        let Some((set, items)) = imports.sheet_items(id)? else { return Ok(None) };
        imports.remember_mapping_of(id, items.sheet())?;
        let ready = Vec::new().into_iter();
        Ok(Some((set.into(), Self { items, next: 0, ready })))
    }

    /// How many there are, those that came included.
    #[must_use]
    pub fn count_of_all(&self) -> usize {
        self.items.len()
    }
}

impl Iterator for ItemStream {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if let Some(item) = self.ready.next() {
            return Some(item);
        }
        let end = self.items.len().min(self.next + BATCH);
        self.ready = self.items.some(self.next..end).into_iter();
        self.next = end;
        self.ready.next()
    }
}
