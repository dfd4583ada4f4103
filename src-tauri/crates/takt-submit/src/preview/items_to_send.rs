//! The items that an import would send, each marked by its comparison.

use std::sync::Arc;

use super::{storage::CachedPreview, view::PreviewChoice};
use takt_core::{Item, Problem};
use takt_import::{ImportId, ImportItems, Imports, ItemIterator, ItemSet, ItemWait, StepItems, StepSource};

/// The items that an import would send, with their steps.
#[derive(Debug)]
pub(crate) struct ItemsToSend {
    pub(crate) steps: Vec<StepToSend>,
    pub(crate) revision: ImportRevision,
}

/// A step with its items, which are made while they are stored.
#[derive(Debug)]
pub(crate) struct StepToSend {
    /// The step without its items.
    pub(crate) set: ItemSet,
    pub(crate) items: MarkedItems,
    /// Items that wait for items of earlier steps.
    pub(crate) waits: Vec<ItemWait>,
}

/// A step's items in order. An item that differs from the compared one is an error, because the user hasn't seen what it
/// would change.
#[derive(Debug)]
pub(crate) struct MarkedItems {
    items: ItemIterator,
    next: usize,
    /// Absent if there is no preview.
    comparison: Option<StepComparison>,
}

/// The comparison of a step's items, and what the user decided about them.
#[derive(Debug)]
struct StepComparison {
    preview: Arc<CachedPreview>,
    step: usize,
    choice: PreviewChoice,
}

/// An import as it was when its items were taken.
#[derive(Debug)]
pub(crate) struct ImportRevision {
    imports: Arc<Imports>,
    import: ImportId,
    revision: u32,
}

impl ItemsToSend {
    /// `preview` has the comparisons of these items, if there is one.
    pub(super) fn new(
        imports: &Arc<Imports>,
        import: ImportId,
        items: ImportItems,
        preview: Option<&(Arc<CachedPreview>, PreviewChoice)>,
    ) -> Self {
        let revision = ImportRevision { imports: Arc::clone(imports), import, revision: items.revision };
        let comparison_of = |step: usize| {
            let (preview, choice) = preview?;
            Some(StepComparison { preview: Arc::clone(preview), step, choice: *choice })
        };
        let steps = items.steps.into_iter().enumerate();
        let steps = steps.map(|(index, step)| StepToSend::new(step, comparison_of(index))).collect();
        Self { steps, revision }
    }
}

impl StepToSend {
    fn new(step: StepSource, comparison: Option<StepComparison>) -> Self {
        let items = MarkedItems { items: step.items.into_items(), next: 0, comparison };
        Self { set: step.set, items, waits: step.waits }
    }
}

impl From<StepItems> for StepToSend {
    /// Creates a step of items that are sent as they are.
    fn from(step: StepItems) -> Self {
        Self::new(step.into(), None)
    }
}

impl ImportRevision {
    /// Checks that the import hasn't changed since. A closed import can't change.
    pub(crate) fn check_unchanged(&self) -> Result<(), Problem> {
        match self.imports.revision(self.import) {
            Some(revision) if revision != self.revision => Err(Problem::obstacle("import-changed")),
            _ => Ok(()),
        }
    }
}

impl Iterator for MarkedItems {
    type Item = Result<Item, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut item = self.items.next()?;
        let index = self.next;
        self.next += 1;
        let Some(StepComparison { preview, step, choice }) = &self.comparison else { return Some(Ok(item)) };
        let compared = preview.steps.get(*step).ok_or_else(|| Problem::obstacle("preview-stale"));
        Some(compared.and_then(|compared| compared.mark_item(index, &mut item, *choice)).map(|()| item))
    }
}
