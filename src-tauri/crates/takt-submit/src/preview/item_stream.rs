//! What is to be sent of an import, and its items one after the other, each with what the preview saw of it.

use std::sync::Arc;

use super::{CachedPreview, PreviewChoice};
use takt_core::{Item, Problem};
use takt_import::{
    Imports,
    import::{ImportId, ItemStream, SiteItems},
};

/// What is to be sent of an import: items that are there, and those that are made while they are written down.
#[derive(Debug)]
pub struct PreparedItems {
    pub items: SiteItems,
    /// Absent where all items are there.
    pub further: Option<PreviewedItems>,
}

/// The items of an import's only step, in their order. One that isn't what was looked at is blocked: nobody has seen what it would
/// change.
#[derive(Debug)]
pub struct PreviewedItems {
    stream: ItemStream,
    /// Absent where no preview was taken.
    seen: Option<(Arc<CachedPreview>, PreviewChoice)>,
    next: usize,
    source: ItemsSource,
}

/// The import that items are made from, as it was when that began.
#[derive(Debug, Clone)]
pub(crate) struct ItemsSource {
    imports: Arc<Imports>,
    import: ImportId,
    revision: Option<u32>,
}

impl ItemsSource {
    pub(super) fn new(imports: &Arc<Imports>, import: ImportId) -> Self {
        Self { imports: Arc::clone(imports), import, revision: imports.revision(import) }
    }

    /// Whether all items are of the same rows. A closed import can't be changed.
    ///
    /// # Errors
    ///
    /// [`Code::Precondition`](takt_core::Code::Precondition) (`import-changed`): the import was changed meanwhile.
    pub(crate) fn check_unchanged(&self) -> Result<(), Problem> {
        match self.imports.revision(self.import) {
            Some(revision) if Some(revision) != self.revision => Err(Problem::in_the_way("import-changed")),
            _ => Ok(()),
        }
    }
}

impl PreviewedItems {
    pub(super) fn new(
        stream: ItemStream,
        seen: Option<(Arc<CachedPreview>, PreviewChoice)>,
        source: ItemsSource,
    ) -> Self {
        Self { stream, seen, next: 0, source }
    }

    pub(crate) fn source(&self) -> ItemsSource {
        self.source.clone()
    }
}

impl Iterator for PreviewedItems {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let mut item = self.stream.next()?;
        if let Some((seen, choice)) = &self.seen {
            let step = seen.steps.first();
            item.blocked |= step.is_none_or(|step| step.mark_item(self.next, &mut item, *choice).is_err());
        }
        self.next += 1;
        Some(item)
    }
}
