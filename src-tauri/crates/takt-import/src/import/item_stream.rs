//! The items of a sheet, made as they are asked for: a sheet may make a million, and nobody needs all of them at once.

use std::{
    sync::{Arc, Mutex, PoisonError},
    vec,
};

use super::{building::ItemRows, plan::Book};
use takt_core::Item;

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
    pub(super) fn new(book: Arc<Mutex<Book>>, sheet: String, groups: ItemRows) -> Self {
        Self { book, sheet, groups, next: 0, ready: Vec::new().into_iter() }
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
