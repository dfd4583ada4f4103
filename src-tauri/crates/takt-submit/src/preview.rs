//! Change previews: the changes that sending an import would make, item by item, compared with the service's data.
//!
//! `comparison` reads and compares, `storage` stores the result until it is sent, and `alarms` finds suspicious
//! patterns over all rows. The items to send are marked with their comparisons. This module never sends rows.

mod alarms;
mod comparison;
mod storage;
mod view;

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use parking_lot::{Mutex, MutexGuard};
use takt_client::{Canceller, ClientError};
use takt_core::{Code, Item, Problem, blocking::run_blocking, words::CurrentWords};
use takt_import::{
    CellSearch, ImportId, ImportItems, ImportSites, Imports, ItemIterator, ItemSet, ItemWait, SiteItems, StepItems,
    StepSource,
};
use takt_sites::{SiteConnection, Sites};

use self::{
    comparison::ComparisonContext,
    storage::{CachedPreview, FoundItems},
};

pub(crate) use self::comparison::{preview_kind, preview_stored_item};
pub use self::view::{
    AlarmKind, ChangedField, ConflictChoice, ConflictReason, PreviewAlarm, PreviewChoice, PreviewCounts, PreviewField,
    PreviewFilter, PreviewKind, PreviewPage, PreviewProgress, PreviewRow, PreviewStep, PreviewView,
};

/// The change previews, one per open import.
pub struct Previews {
    sites: Arc<Sites>,
    imports: Arc<Imports>,
    import_sites: ImportSites,
    current_words: CurrentWords,
    previews: Mutex<BTreeMap<ImportId, Arc<CachedPreview>>>,
}

takt_core::opaque_debug!(Previews);

impl Previews {
    pub fn new(
        sites: Arc<Sites>,
        imports: Arc<Imports>,
        import_sites: ImportSites,
        current_words: CurrentWords,
    ) -> Self {
        Self { sites, imports, import_sites, current_words, previews: Mutex::default() }
    }

    /// Compares the items of an import with the site's data, step by step, and replaces the import's earlier preview.
    ///
    /// Items that the site doesn't show are marked as unknown. If canceled, the earlier preview stays.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or no site has this name.
    /// - [`Code::Precondition`]: the import is for another site (`other-site`), no sheet has an operation
    ///   (`no-operation`), or the read was canceled (`reading-stopped`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): the site doesn't answer a read.
    pub async fn compare(
        &self,
        site: &str,
        import: ImportId,
        canceller: &Canceller,
        mut progress: impl FnMut(PreviewProgress) + Send,
    ) -> Result<PreviewView, Problem> {
        let start = Instant::now();
        let (imports, import_sites, sites) =
            (Arc::clone(&self.imports), self.import_sites.clone(), Arc::clone(&self.sites));
        let name = site.to_owned();
        let (items, exported, connection) = run_blocking(move || {
            import_sites.require_site(import, &name)?;
            let items = ImportItems::from_import(&imports, import)?;
            let connection = SiteConnection::open(&sites, &name)?;
            let address = sites.site_address(&name)?;
            let exported =
                imports.read_export_snapshot(import)?.filter(|exported| exported.is_from_site(&name, &address));
            Ok((items, exported, connection))
        })
        .await?;
        let ImportItems { steps: sources, revision } = items;
        let comparison = ComparisonContext {
            contract: &connection.contract,
            client: &connection.client,
            site,
            time_zone: &connection.time_zone,
            sites: &self.sites,
            canceller,
            exported: exported.as_ref(),
        };
        let mut steps = Vec::with_capacity(sources.len());
        for step in &sources {
            let compared = comparison.compare_step(&step.set, &step.items, &mut progress).await;
            steps.push(compared.map_err(|error| read_problem(site, error))?);
        }
        let file = sources.first().map(|step| step.set.file.clone()).unwrap_or_default();
        let seconds = start.elapsed().as_secs_f64();
        let cached = CachedPreview { site: site.to_owned(), file, revision, seconds, steps };
        self.store(import, cached, |import| self.imports.revision(import).is_some());
        self.view(import)
    }

    /// Returns the preview of an import.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: the import has no preview.
    pub fn view(&self, import: ImportId) -> Result<PreviewView, Problem> {
        let cached = self.cached_preview(import)?;
        let counts =
            cached.steps.iter().map(|step| step.view.counts).fold(PreviewCounts::default(), PreviewCounts::sum_with);
        Ok(PreviewView {
            import,
            site: cached.site.clone(),
            file: cached.file.clone(),
            steps: cached.steps.iter().map(|step| step.view.clone()).collect(),
            counts,
            seconds: cached.seconds,
            stale: self.imports.revision(import) != Some(cached.revision),
        })
    }

    /// Returns a page of a step's items that pass the filter.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: the import has no preview, or the preview has no such step.
    pub fn rows(
        &self,
        import: ImportId,
        step: u32,
        filter: &PreviewFilter,
        offset: u32,
        limit: u32,
    ) -> Result<PreviewPage, Problem> {
        let cached = self.cached_preview(import)?;
        let step = cached.steps.get(step as usize).ok_or_else(|| unknown_problem(step))?;
        let text = filter.text.trim();
        let found = match text.is_empty() {
            true => None,
            false => {
                let rows = CellSearch::new(&self.imports).find_rows(import, &step.view.sheet, text)?;
                Some(FoundItems { text: text.to_lowercase(), rows })
            }
        };
        Ok(step.page(filter, found.as_ref(), offset..offset.saturating_add(limit), &self.current_words.words()))
    }

    /// Adds the comparisons to the items to send: whether to skip an item, and the values that an undo restores.
    ///
    /// Fails if the import has changed since, or if there are conflicts that the user hasn't decided about.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the import has no preview.
    /// - [`Code::Precondition`]: rows are in conflict and `choice` doesn't decide about them (`rows-in-conflict`), or
    ///   the preview is of another site or of other rows (`preview-stale`).
    pub fn mark_items(
        &self,
        import: ImportId,
        site: &str,
        items: &mut [StepItems],
        choice: PreviewChoice,
    ) -> Result<(), Problem> {
        let cached = self.require_decided(import, choice)?;
        let mut steps = cached.steps.iter();
        for StepItems { set, .. } in items {
            let step = steps.next().filter(|_| cached.site == site);
            step.ok_or_else(|| Problem::obstacle("preview-stale"))?.mark_items(set, choice)?;
        }
        if steps.next().is_some() { Err(Problem::obstacle("preview-stale")) } else { Ok(()) }
    }

    /// Returns the items that an import would send to a site, with their comparisons if there is a `choice`. Also
    /// stores the mappings.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the import isn't open, or it has no preview although there is a `choice`.
    /// - [`Code::Precondition`]: the import is for another site (`other-site`), no sheet has an operation
    ///   (`no-operation`), rows are in conflict (`rows-in-conflict`), or the preview is of another site or of other
    ///   rows (`preview-stale`).
    /// - A [journal code](takt_core::problem#journal-codes): the mapping can't be remembered.
    pub fn import_items(
        &self,
        import: ImportId,
        site: &str,
        choice: Option<PreviewChoice>,
    ) -> Result<SiteItems, Problem> {
        self.import_sites.require_site(import, site)?;
        let mut steps = self.imports.prepare_items(import)?;
        if let Some(choice) = choice {
            self.mark_items(import, site, &mut steps, choice)?;
        }
        Ok(SiteItems { site: site.to_owned(), steps })
    }

    /// Like [`Self::import_items`], but the items are created while they are stored.
    ///
    /// # Errors
    ///
    /// Like [`Self::import_items`]. The iterator returns an error for an item that differs from the preview.
    pub(crate) fn items_to_send(
        &self,
        import: ImportId,
        site: &str,
        choice: Option<PreviewChoice>,
    ) -> Result<ItemsToSend, Problem> {
        self.import_sites.require_site(import, site)?;
        let items = ImportItems::from_import(&self.imports, import)?;
        let preview = choice.map(|choice| Ok::<_, Problem>((self.require_decided(import, choice)?, choice)));
        let preview = preview.transpose()?;
        if preview.as_ref().is_some_and(|(preview, _)| preview.site != site || !preview.matches(&items.steps)) {
            return Err(Problem::obstacle("preview-stale"));
        }
        self.imports.remember_mappings(import)?;
        Ok(ItemsToSend::new(&self.imports, import, items, preview.as_ref()))
    }

    /// Closes an import, and removes its preview.
    pub(crate) fn close_import(&self, import: ImportId) {
        self.remove_preview(import);
        self.imports.close(import);
    }

    /// Removes an import's preview, if there is one.
    pub fn remove_preview(&self, import: ImportId) {
        self.lock_previews().remove(&import);
    }

    /// Stores a preview, and removes the previews of closed imports.
    fn store(&self, import: ImportId, preview: CachedPreview, is_open: impl Fn(ImportId) -> bool) {
        let mut previews = self.lock_previews();
        previews.retain(|import, _| is_open(*import));
        previews.insert(import, Arc::new(preview));
    }

    /// Returns an import's preview if no conflict needs a decision.
    fn require_decided(&self, import: ImportId, choice: PreviewChoice) -> Result<Arc<CachedPreview>, Problem> {
        let cached = self.cached_preview(import)?;
        let conflicts: u32 = cached.steps.iter().map(|step| step.view.counts.conflict).sum();
        if conflicts > 0 && choice.conflicts == ConflictChoice::Stop {
            return Err(Problem::obstacle_with("rows-in-conflict", &[("count", &conflicts.to_string())]));
        }
        Ok(cached)
    }

    fn cached_preview(&self, import: ImportId) -> Result<Arc<CachedPreview>, Problem> {
        self.lock_previews().get(&import).cloned().ok_or_else(|| unknown_problem(import))
    }

    fn lock_previews(&self) -> MutexGuard<'_, BTreeMap<ImportId, Arc<CachedPreview>>> {
        self.previews.lock()
    }
}

fn unknown_problem(what: impl std::fmt::Display) -> Problem {
    Problem::new(Code::Unknown).parameter("what", what.to_string())
}

fn read_problem(site: &str, error: ClientError) -> Problem {
    match error {
        ClientError::Cancelled => Problem::obstacle("reading-stopped"),
        error => Problem::from_read_back_error(site, error),
    }
}

/// The items that an import would send, with their steps.
#[derive(Debug)]
pub(crate) struct ItemsToSend {
    pub(crate) steps: Vec<StepToSend>,
    pub(crate) revision: ImportRevision,
}

/// A step with its items, which are created while they are stored.
#[derive(Debug)]
pub(crate) struct StepToSend {
    /// The step without its items.
    pub(crate) set: ItemSet,
    pub(crate) items: MarkedItems,
    /// Items that wait for items of earlier steps.
    pub(crate) waits: Vec<ItemWait>,
}

/// A step's items in order. An item that differs from the compared one is an error, because the user hasn't seen what
/// it would change.
#[derive(Debug)]
pub(crate) struct MarkedItems {
    items: ItemIterator,
    next: usize,
    /// Absent if there is no preview.
    comparison: Option<StepComparison>,
}

/// The comparison of a step's items, and the user's choices for them.
#[derive(Debug)]
struct StepComparison {
    preview: Arc<CachedPreview>,
    step: usize,
    choice: PreviewChoice,
}

/// The revision of an import when its items were requested.
#[derive(Debug)]
pub(crate) struct ImportRevision {
    imports: Arc<Imports>,
    import: ImportId,
    revision: u32,
}

impl ItemsToSend {
    /// Creates the steps. `preview` contains the comparisons of their items, if they were compared.
    fn new(
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

    /// Creates all items, and returns them without their waits.
    pub(crate) fn into_set(self) -> Result<ItemSet, Problem> {
        Ok(ItemSet { items: self.items.collect::<Result<_, _>>()?, ..self.set })
    }
}

impl From<StepItems> for StepToSend {
    /// Creates a step whose items are sent without a comparison.
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
