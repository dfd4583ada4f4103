//! The items that an import would send. The items of a step are either all in memory, or built on request for large
//! sheets.

use std::{collections::VecDeque, ops::Range, sync::Arc, vec};

use parking_lot::Mutex;
use takt_core::{Item, Problem};

use crate::{
    import_id::ImportId,
    imports::Imports,
    item_builder::ItemRows,
    plan::{ItemWait, OpenWorkbook, StepItems, StepState},
    view::ItemSet,
};

/// Minimum number of items to build them on request. Fewer are built at once, which is faster and needs little memory.
const MIN_STREAMED_ITEMS: usize = 10_000;
/// Number of items that are built together, since the next request is usually for a neighboring item.
const CHUNK_SIZE: usize = 512;
/// Maximum number of cached chunks.
const MAX_CHUNKS: usize = 4;
/// Number of items that [`ItemIterator`] builds at a time, so that a large sheet's items aren't all in memory.
const BATCH_SIZE: usize = 2_000;

/// The items that an import would send, with their steps.
#[derive(Debug)]
pub struct ImportItems {
    /// In the order of sending.
    pub steps: Vec<StepSource>,
    /// The import's revision when the items were determined. If it has changed, the items may be outdated.
    pub revision: u32,
}

impl ImportItems {
    /// Returns the items that an import would send. Mappings aren't remembered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no sheet has an operation (`no-operation`).
    pub fn from_import(imports: &Imports, id: ImportId) -> Result<Self, Problem> {
        if let Some(revision) = imports.revision(id)
            && let Some((set, items)) = imports.sheet_items(id)?.filter(|(_, items)| items.len() >= MIN_STREAMED_ITEMS)
        {
            let step = StepSource { set, items: ItemSource::Sheet(items), waits: Vec::new() };
            return Ok(Self { steps: vec![step], revision });
        }
        let (steps, revision) = imports.items_with_revision(id)?;
        Ok(Self { steps: steps.into_iter().map(StepSource::from).collect(), revision })
    }
}

/// A step of an import, with a source of its items.
#[derive(Debug)]
pub struct StepSource {
    /// The step's data, with an empty list of items.
    pub set: ItemSet,
    pub items: ItemSource,
    /// Items that wait for items of earlier steps.
    pub waits: Vec<ItemWait>,
}

impl From<StepItems> for StepSource {
    fn from(StepItems { mut set, waits }: StepItems) -> Self {
        let items = ItemSource::All(std::mem::take(&mut set.items));
        Self { set, items, waits }
    }
}

/// A step's items, in memory or built on request.
#[derive(Debug)]
pub enum ItemSource {
    All(Vec<Item>),
    /// Built from the sheet on request.
    Sheet(SheetItems),
}

impl ItemSource {
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::All(items) => items.len(),
            Self::Sheet(sheet) => sheet.len(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Passes an item to `read`. Returns `None` if there is none, for example after a change of the import. Sequential
    /// access is fastest.
    pub fn with_item<T>(&self, index: usize, read: impl FnOnce(&Item) -> T) -> Option<T> {
        match self {
            Self::All(items) => items.get(index).map(read),
            Self::Sheet(sheet) => sheet.with_item(index, read),
        }
    }

    /// Returns all items, in order. After a change of the import, they may differ or be missing.
    #[must_use]
    pub fn into_items(self) -> ItemIterator {
        match self {
            Self::All(items) => ItemIterator { ready: items.into_iter(), sheet: None, next: 0 },
            Self::Sheet(sheet) => ItemIterator { ready: Vec::new().into_iter(), sheet: Some(sheet), next: 0 },
        }
    }
}

/// A step's items in order. Items of a large sheet are built in batches.
#[derive(Debug)]
pub struct ItemIterator {
    ready: vec::IntoIter<Item>,
    sheet: Option<SheetItems>,
    /// The index of the sheet's next item that isn't built yet.
    next: usize,
}

impl Iterator for ItemIterator {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if let Some(item) = self.ready.next() {
            return Some(item);
        }
        let sheet = self.sheet.as_ref()?;
        let end = sheet.len().min(self.next + BATCH_SIZE);
        self.ready = sheet.items_in_range(self.next..end).into_iter();
        self.next = end;
        self.ready.next()
    }
}

/// The items of a single sheet, built on request. They keep the import's rows in memory until they're dropped, even if
/// the import is closed. Changes to the import change the items.
pub struct SheetItems {
    book: Arc<Mutex<OpenWorkbook>>,
    sheet: String,
    groups: ItemRows,
    /// The latest chunks by number, newest first.
    chunks: Mutex<VecDeque<(usize, Arc<Vec<Item>>)>>,
}

takt_core::opaque_debug!(SheetItems);

impl SheetItems {
    /// Returns the step without its items, and the items. Returns `None` unless the plan is a single step without parts
    /// from other sheets and without excluded rows.
    fn from_plan(
        book: &Arc<Mutex<OpenWorkbook>>,
        steps: impl FnOnce(&OpenWorkbook) -> Vec<crate::PlanStep>,
    ) -> Result<Option<(ItemSet, Self)>, Problem> {
        let locked = book.lock();
        let steps = steps(&locked);
        let [step] = steps.as_slice() else { return Ok(None) };
        let sheet = locked.sheet(&step.sheet).filter(|_| step.state != StepState::Skipped && step.part.is_none());
        let Some(sheet) = sheet else { return Ok(None) };
        let Some((set, groups)) = sheet.item_rows()? else { return Ok(None) };
        let (book, sheet) = (Arc::clone(book), step.sheet.clone());
        Ok(Some((set, Self { book, sheet, groups, chunks: Mutex::default() })))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the items in a range, in order.
    pub(crate) fn items_in_range(&self, range: Range<usize>) -> Vec<Item> {
        let book = self.book.lock();
        let sheet = book.sheet(&self.sheet);
        sheet.map(|sheet| sheet.items_in_range(&self.groups, range)).unwrap_or_default()
    }

    fn with_item<T>(&self, index: usize, read: impl FnOnce(&Item) -> T) -> Option<T> {
        let chunk = self.load_chunk(index / CHUNK_SIZE);
        chunk.get(index % CHUNK_SIZE).map(read)
    }

    fn load_chunk(&self, number: usize) -> Arc<Vec<Item>> {
        let mut chunks = self.chunks.lock();
        if let Some(at) = chunks.iter().position(|(known, _)| *known == number)
            && let Some(known) = chunks.remove(at)
        {
            let items = Arc::clone(&known.1);
            chunks.push_front(known);
            return items;
        }
        let from = number * CHUNK_SIZE;
        let built = Arc::new(self.items_in_range(from..self.len().min(from + CHUNK_SIZE)));
        chunks.push_front((number, Arc::clone(&built)));
        chunks.truncate(MAX_CHUNKS);
        built
    }
}

impl Imports {
    fn sheet_items(&self, id: ImportId) -> Result<Option<(ItemSet, SheetItems)>, Problem> {
        SheetItems::from_plan(&self.book(id)?, |book| self.with_context(&book.contract(), |ctx| book.steps(ctx)))
    }
}
