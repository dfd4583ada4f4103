//! The items of a step, by their place: all of them there, or made as they are asked for where a sheet makes many.

use std::{collections::VecDeque, ops::Range, sync::Arc};

use parking_lot::Mutex;

use super::{ImportId, Imports, ItemSet, StepItems, StepState, building::ItemRows, plan::Book};
use takt_core::{Item, Problem};

/// Of a sheet that makes fewer, all are made at once: that is faster, and little memory.
const MIN_STREAMED_ITEMS: usize = 10_000;
/// Items that are made together: who looks at one looks at its neighbours next.
const CHUNK: usize = 512;
/// Chunks that are kept.
const MAX_CHUNKS: usize = 4;

/// A step's items.
#[derive(Debug)]
pub enum ItemSource {
    All(Vec<Item>),
    /// A sheet makes them when they are asked for.
    Sheet(SheetItems),
}

impl ItemSource {
    /// What an import would send, step by step and each without its items, these beside it, and the revision that it is of. Nothing is
    /// remembered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no sheet has an operation (`no-operation`).
    pub fn of_steps(imports: &Imports, id: ImportId) -> Result<(Vec<(ItemSet, Self)>, u32), Problem> {
        if let Some(revision) = imports.revision(id)
            && let Some((set, items)) = imports.sheet_items(id)?.filter(|(_, items)| items.len() >= MIN_STREAMED_ITEMS)
        {
            return Ok((vec![(set, Self::Sheet(items))], revision));
        }
        let (steps, revision) = imports.to_send(id)?;
        let apart = |StepItems { mut set, .. }: StepItems| {
            let items = std::mem::take(&mut set.items);
            (set, Self::All(items))
        };
        Ok((steps.into_iter().map(apart).collect(), revision))
    }

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

    /// Shows an item; fastest one after the other. Absent where there is none, as after a change of the import.
    pub fn with<T>(&self, place: usize, look: impl FnOnce(&Item) -> T) -> Option<T> {
        match self {
            Self::All(items) => items.get(place).map(look),
            Self::Sheet(sheet) => sheet.with(place, look),
        }
    }
}

/// The items that a single sheet makes. They hold the import's rows until they are dropped, also where it is closed meanwhile; whoever
/// changes the import meanwhile changes them.
pub struct SheetItems {
    book: Arc<Mutex<Book>>,
    sheet: String,
    groups: ItemRows,
    /// Those that were made last, by the number of their chunk, the latest in front.
    chunks: Mutex<VecDeque<(usize, Arc<Vec<Item>>)>>,
}

takt_core::opaque_debug!(SheetItems);

impl SheetItems {
    /// Where a plan is a single step without parts from other sheets and without excluded rows: the step without its items, and
    /// these. Absent for any other plan.
    pub(in crate::import) fn of(
        book: &Arc<Mutex<Book>>,
        steps: impl FnOnce(&Book) -> Vec<super::PlanStep>,
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

    /// Some of them, in their order.
    pub(in crate::import) fn some(&self, which: Range<usize>) -> Vec<Item> {
        let book = self.book.lock();
        let sheet = book.sheet(&self.sheet);
        sheet.map(|sheet| sheet.items_in_range(&self.groups, which)).unwrap_or_default()
    }

    pub(in crate::import) fn sheet(&self) -> &str {
        &self.sheet
    }

    fn with<T>(&self, place: usize, look: impl FnOnce(&Item) -> T) -> Option<T> {
        let chunk = self.chunk(place / CHUNK);
        chunk.get(place % CHUNK).map(look)
    }

    fn chunk(&self, number: usize) -> Arc<Vec<Item>> {
        let mut chunks = self.chunks.lock();
        if let Some(at) = chunks.iter().position(|(known, _)| *known == number)
            && let Some(known) = chunks.remove(at)
        {
            let items = Arc::clone(&known.1);
            chunks.push_front(known);
            return items;
        }
        let from = number * CHUNK;
        let made = Arc::new(self.some(from..self.len().min(from + CHUNK)));
        chunks.push_front((number, Arc::clone(&made)));
        chunks.truncate(MAX_CHUNKS);
        made
    }
}

impl Imports {
    pub(in crate::import) fn sheet_items(&self, id: ImportId) -> Result<Option<(ItemSet, SheetItems)>, Problem> {
        SheetItems::of(&self.book(id)?, |book| self.around(book.site().as_deref(), |around| book.steps(around)))
    }
}
