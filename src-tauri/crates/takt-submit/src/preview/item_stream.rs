//! Items one after the other, each with what the preview saw of it.

use std::sync::Arc;

use super::{CachedPreview, PreviewChoice};
use takt_core::Item;
use takt_import::import::ItemStream;

/// The items of an import's only step, in their order. One that isn't what was looked at is blocked: nobody has seen what it would
/// change.
#[derive(Debug)]
pub struct PreviewedItems {
    stream: ItemStream,
    /// Absent where no preview was taken.
    seen: Option<(Arc<CachedPreview>, PreviewChoice)>,
    next: usize,
}

impl PreviewedItems {
    pub(super) fn new(stream: ItemStream, seen: Option<(Arc<CachedPreview>, PreviewChoice)>) -> Self {
        Self { stream, seen, next: 0 }
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
