//! Streams an import's items to send, each marked with its comparison.

use std::sync::Arc;

use super::{storage::CachedPreview, view::PreviewChoice};
use takt_core::{Item, Problem};
use takt_import::{
    Imports,
    import::{ImportId, ItemStream, SiteItems},
};

/// The items to send of an import, as a list or as a stream.
#[derive(Debug)]
pub struct PreparedItems {
    pub items: SiteItems,
    /// The remaining items as a stream. Absent if all items are in `items`.
    pub further: Option<PreviewedItems>,
}

/// A stream of the items of an import's only step, in order. An item that differs from the compared one is blocked,
/// because the user hasn't seen what it would change.
#[derive(Debug)]
pub struct PreviewedItems {
    stream: ItemStream,
    /// Absent if there is no preview.
    preview: Option<(Arc<CachedPreview>, PreviewChoice)>,
    next: usize,
    source: ItemsSource,
}

/// The import of a stream, with its revision at the start.
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

    /// Checks that the import hasn't changed since the start. A closed import can't change.
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
        preview: Option<(Arc<CachedPreview>, PreviewChoice)>,
        source: ItemsSource,
    ) -> Self {
        Self { stream, preview, next: 0, source }
    }

    pub(crate) fn source(&self) -> ItemsSource {
        self.source.clone()
    }
}

impl Iterator for PreviewedItems {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let mut item = self.stream.next()?;
        if let Some((preview, choice)) = &self.preview {
            let step = preview.steps.first();
            item.blocked |= step.is_none_or(|step| step.mark_item(self.next, &mut item, *choice).is_err());
        }
        self.next += 1;
        Some(item)
    }
}
