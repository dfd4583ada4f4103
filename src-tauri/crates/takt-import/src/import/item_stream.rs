//! Streams the items of a sheet. They're built in batches, since a sheet may have a million.

use std::vec;

use super::{import_id::ImportId, imports::Imports, item_source::SheetItems, plan::StepItems};
use takt_core::{Item, Problem};

/// Number of items that are built at once.
const BATCH_SIZE: usize = 2_000;

/// The items of a plan's only step, in order. They keep the import's rows in memory until they're dropped, even if it's
/// closed. Changes to the import change later items.
#[derive(Debug)]
pub struct ItemStream {
    items: SheetItems,
    next: usize,
    ready: vec::IntoIter<Item>,
}

impl ItemStream {
    /// Returns the step without its items, and the stream. Returns `None` unless the plan is a single step without
    /// parts from other sheets and without excluded rows. Remembers the mapping for the next file with these headings.
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

    /// Returns the number of all items, including those already returned.
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
        let end = self.items.len().min(self.next + BATCH_SIZE);
        self.ready = self.items.items_in_range(self.next..end).into_iter();
        self.next = end;
        self.ready.next()
    }
}
