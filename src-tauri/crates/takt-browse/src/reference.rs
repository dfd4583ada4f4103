//! Reads the parts of a site's lists that checks need, such as codes and a few facts about them, and caches them per
//! site.
//!
//! [`References`] reads the lists that a sheet needs within the service's rate limit, and caches them in memory and,
//! for later processes, in the journal. `requirement` determines the lists and fields, and `reference_list` indexes one
//! list. Checks use a `snapshot`. `hours` parses the stations' hours, and `similarity` finds the code most similar to a
//! text. Never judges a row, which belongs to takt-import.

mod hours;
mod reference_list;
mod requirement;
mod similarity;
mod snapshot;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use takt_client::{Canceller, Client, ClientError, Pages, RetryPolicy, run_blocking_here};
use takt_contract::Contract;
use takt_core::{Clock, Problem};
use takt_journal::reference::ReferenceRecord;
use takt_journal::{Journal, JournalError};
use takt_sites::{Context, PRACTICE, SeenPaths, SiteConnection, Sites};

use crate::request::{BrowseQuery, ListRequest};
use hours::HoursSource;
use reference_list::freshness;
use requirement::ListRequirement;

pub use hours::{ShiftInterval, collect_at_path};
pub use reference_list::{Extent, Freshness, ReferenceList, typed_text};
pub use requirement::{ReferenceRequest, narrowing_parameter};
pub use similarity::{MAX_CACHED_TEXTS, SimilarityCache, find_similar_codes, fold_code, is_another_number};
pub use snapshot::ReferenceSnapshot;

/// The maximum pages of a list that is read completely. Of a longer list, only the values that the sheet uses are read.
const MAX_PAGES: u32 = 300;
/// The maximum number of reads for single values or things, because each takes a request.
pub const MAX_REQUESTS: usize = 200;

/// The sites' reference data, read on demand and cached per site.
pub struct References {
    contract: Arc<Contract>,
    journal: Arc<Journal>,
    sites: Arc<Sites>,
    clock: Clock,
    cache: ReferenceCache,
}

takt_core::opaque_debug!(References);

impl References {
    /// Creates the reference data of the sites of `context`. Nothing is read yet.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        let cache = ReferenceCache::new(Arc::clone(&context.contract), Arc::clone(&context.journal));
        Self {
            contract: Arc::clone(&context.contract),
            journal: Arc::clone(&context.journal),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            cache,
        }
    }

    /// Returns the cached lists of a site for these requests.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn snapshot(&self, site: &str, requests: &[ReferenceRequest]) -> Result<Arc<ReferenceSnapshot>, Problem> {
        let site_settings = self.sites.find(site)?;
        let lists = requests.iter().filter_map(|reference_request| {
            Some((reference_request.list.clone(), self.cache.list(site, &reference_request.list)?))
        });
        Ok(Arc::new(ReferenceSnapshot::empty(&self.contract, &self.clock).with_site(&site_settings, lists.collect())))
    }

    /// Reads and caches the lists in `requests`. Lists that are already current are only read if `refresh` is true.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): a list can't be read. If the site refuses a list, the others are
    ///   read anyway, and the first refusal is returned.
    pub async fn read_requests(
        &self,
        site: &str,
        requests: &[ReferenceRequest],
        refresh: bool,
        canceller: &Canceller,
    ) -> Result<(), Problem> {
        if requests.is_empty() {
            return Ok(());
        }
        let SiteConnection { client, contract, .. } = SiteConnection::connect(&self.sites, site).await?;
        let mut refused = None;
        for reference_request in
            requests.iter().filter(|reference_request| refresh || !self.is_current(site, reference_request))
        {
            let reader = ListReader {
                references: self,
                contract: &contract,
                client: &client,
                site,
                reference_request,
                canceller,
            };
            match reader.read().await {
                Ok((listed, unproven)) => {
                    // A reading that proves nothing doesn't replace an earlier one.
                    if unproven.is_none() || listed.extent != Extent::Asked(HashSet::new()) {
                        self.cache.store(site, &reference_request.list, listed)?;
                    }
                    refused = refused.or_else(|| unproven.map(|error| Problem::from_read_back_error(site, error)));
                }
                // Continue with the other lists.
                Err(error) if error.status().is_some() => {
                    refused = refused.or(Some(Problem::from_read_back_error(site, error)));
                }
                Err(error) => return Err(Problem::from_client_error(site, error)),
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// Reads the stations' hours if they aren't cached or are stale. Hours that can't be read stay unknown.
    pub async fn refresh_hours(&self, site: &str, canceller: &Canceller) {
        let Some(source) = HoursSource::find(&self.contract) else { return };
        let cached = self.cache.list(site, source.list);
        if cached.is_some_and(|cached| freshness(cached.at, (self.clock)()) != Freshness::Stale) {
            return;
        }
        let reference_request =
            ReferenceRequest { list: source.list.to_owned(), parameter_values: None, single: false };
        if let Err(problem) = self.read_requests(site, &[reference_request], true, canceller).await {
            tracing::debug!(%problem, "the stations' hours aren't known");
        }
    }

    /// Returns the cached hours of all stations, without duplicates.
    pub(crate) fn hours(&self, site: &str) -> Vec<ShiftInterval> {
        let Some(source) = HoursSource::find(&self.contract) else { return Vec::new() };
        let cached = self
            .cache
            .list(site, source.list)
            .filter(|cached| freshness(cached.at, (self.clock)()) != Freshness::Stale);
        cached.map(|cached| source.read(&cached)).unwrap_or_default()
    }

    /// Returns true if the requested values were read recently, and nothing that changes them was sent since.
    fn is_current(&self, site: &str, reference_request: &ReferenceRequest) -> bool {
        let values = reference_request.parameter_values.as_ref().map(|(_, values)| values.as_slice());
        let Some(cached) = self.cache.list(site, &reference_request.list) else { return false };
        let was_changed = || {
            creating_operations(&self.contract, &reference_request.list)
                .iter()
                .any(|sync| self.was_sent_since(site, sync, cached.at))
        };
        // Only a status shows that a single thing doesn't exist, so it is requested again.
        let is_listed = |value: &String| !cached.find_in_any_key(value).is_empty();
        let all_listed = || !reference_request.single || values.is_some_and(|values| values.iter().all(is_listed));
        freshness(cached.at, (self.clock)()) == Freshness::Fresh
            && cached.covers(values)
            && all_listed()
            && !was_changed()
    }

    fn was_sent_since(&self, site: &str, operation: &str, at: jiff::Timestamp) -> bool {
        let sent = self.journal.references().last_sent(site, operation);
        let sent = sent.inspect_err(|error| tracing::warn!(%error, "the last submission couldn't be read"));
        // If the journal can't be read, read the list again.
        sent.map_or(true, |sent| sent.is_some_and(|sent| sent >= at))
    }

    /// Forgets everything about a site that was replaced or removed.
    pub fn forget(&self, site: &str) {
        self.cache.forget(site);
        SeenPaths::forget(&self.sites, site);
    }
}

/// Returns the operations that create the rows of a list.
fn creating_operations(contract: &Contract, list: &str) -> BTreeSet<String> {
    let fields = contract.operations().iter().filter_map(|operation| operation.request.as_ref());
    let references =
        fields.flat_map(|shape| shape.fields_with_paths()).filter_map(|(_, field)| field.refers_to.as_ref());
    references
        .filter(|refers_to| refers_to.list.as_deref() == Some(list))
        .filter_map(|refers_to| refers_to.sync.clone())
        .collect()
}

/// Reads one list.
struct ListReader<'a> {
    references: &'a References,
    contract: &'a Contract,
    client: &'a Client,
    site: &'a str,
    reference_request: &'a ReferenceRequest,
    canceller: &'a Canceller,
}

impl ListReader<'_> {
    /// Reads the list. Also returns the first response that leaves open whether a single thing exists.
    async fn read(&self) -> Result<(ReferenceList, Option<ClientError>), ClientError> {
        // The list is as old as the begin of the read, because rows may change during it.
        let at = (self.references.clock)();
        let (extent, rows, unproven) = match &self.reference_request.parameter_values {
            Some((parameter, values)) if self.reference_request.single => self.check_each(parameter, values).await?,
            asked => {
                let (extent, rows) = self.read_whole_or_narrowed(asked.as_ref()).await?;
                (extent, rows, None)
            }
        };
        Ok((
            ReferenceList::new(&self.references.cache.requirement(&self.reference_request.list), at, extent, rows),
            unproven,
        ))
    }

    /// Reads the whole list. If it is long, reads only the values that the sheet uses.
    async fn read_whole_or_narrowed(
        &self,
        asked: Option<&(String, Vec<String>)>,
    ) -> Result<(Extent, Vec<Value>), ClientError> {
        let few = asked.filter(|(_, values)| values.len() <= MAX_REQUESTS);
        let Some(request) = self.request(&BTreeMap::new()) else { return Ok((Extent::TooLong(0), Vec::new())) };
        let mut pages = request.pages(self.client);
        let mut rows = Vec::new();
        while let Some(page) = pages.next(self.canceller).await? {
            let progress = page.progress;
            rows.extend(page.rows.values());
            let all_pages = progress.pages.unwrap_or(progress.page);
            if let Some((parameter, values)) =
                few.filter(|(_, values)| progress.page == 1 && values.len() < all_pages as usize)
            {
                return self.read_narrowed(parameter, values).await;
            }
            if all_pages > MAX_PAGES {
                let total = progress.total.unwrap_or(progress.rows);
                return match few {
                    Some((parameter, values)) => self.read_narrowed(parameter, values).await,
                    None => Ok((Extent::TooLong(total), Vec::new())),
                };
            }
        }
        check_complete(&pages)?;
        Ok((Extent::Whole, rows))
    }

    async fn read_narrowed(&self, parameter: &str, values: &[String]) -> Result<(Extent, Vec<Value>), ClientError> {
        let mut rows = Vec::new();
        for value in values {
            let parameters = BTreeMap::from([(parameter.to_owned(), value.clone())]);
            let Some(request) = self.request(&parameters) else { continue };
            let mut pages = request.pages(self.client);
            while let Some(page) = pages.next(self.canceller).await? {
                rows.extend(page.rows.values());
            }
            check_complete(&pages)?;
        }
        Ok((requested_extent(values), rows))
    }

    /// Requests each thing to find out whether it exists. Unclear results aren't stored.
    async fn check_each(
        &self,
        parameter: &str,
        values: &[String],
    ) -> Result<(Extent, Vec<Value>, Option<ClientError>), ClientError> {
        let values = values.get(..values.len().min(MAX_REQUESTS)).unwrap_or_default();
        let seen = run_blocking_here(|| SeenPaths::load(&self.references.sites, self.site));
        let (mut rows, mut asked, mut current_paths) = (Vec::new(), Vec::new(), BTreeSet::new());
        let (mut unproven, mut end) = (None, Ok(()));
        for value in values {
            let Some(request) = self.request(&BTreeMap::from([(parameter.to_owned(), value.clone())])) else {
                asked.push(value.clone());
                continue;
            };
            match self.check_exists(&request).await {
                Ok(()) => {
                    rows.push(json!({ parameter: value }));
                    current_paths.insert(request.path().to_owned());
                    asked.push(value.clone());
                }
                Err(error) if request.is_absence(&error) && !seen.contains(request.path()) => asked.push(value.clone()),
                Err(error) if request.leaves_open(&error) => drop(unproven.get_or_insert(error)),
                Err(error) => {
                    end = Err(error);
                    break;
                }
            }
        }
        run_blocking_here(|| SeenPaths::add(&self.references.sites, self.site, current_paths));
        end.map(|()| (requested_extent(&asked), rows, unproven))
    }

    /// Returns `Ok` if a single thing exists, which means that its response has the contract's shape.
    async fn check_exists(&self, request: &ListRequest) -> Result<(), ClientError> {
        let answer = self.client.read(&request.read_request, RetryPolicy::COMPLETE_READ, self.canceller).await?;
        request.parse_all_rows(answer).await.map(drop)
    }

    /// Returns the read, or `None` if a value is invalid.
    fn request(&self, parameters: &BTreeMap<String, String>) -> Option<ListRequest> {
        let query = BrowseQuery { operation: self.reference_request.list.clone(), parameters: parameters.clone() };
        ListRequest::new(self.contract, &query).ok()
    }
}

/// Rejects a list whose pages contradict each other, because it doesn't prove that a code is unknown.
fn check_complete(pages: &Pages) -> Result<(), ClientError> {
    pages.fault().map_or(Ok(()), |fault| Err(fault.into()))
}

fn requested_extent(values: &[String]) -> Extent {
    Extent::Asked(values.iter().map(|value| value.as_str().into()).collect::<HashSet<Box<str>>>())
}

/// Caches the lists in memory, and in the journal for later processes.
struct ReferenceCache {
    contract: Arc<Contract>,
    journal: Arc<Journal>,
    /// By site and list.
    lists: Mutex<BTreeMap<(String, String), Arc<ReferenceList>>>,
}

impl ReferenceCache {
    fn new(contract: Arc<Contract>, journal: Arc<Journal>) -> Self {
        Self { contract, journal, lists: Mutex::default() }
    }

    /// Returns the list that was read last, or `None` if it was never read.
    fn list(&self, site: &str, list: &str) -> Option<Arc<ReferenceList>> {
        let key = (site.to_owned(), list.to_owned());
        let mut lists = self.lists.lock();
        if let Some(listed) = lists.get(&key) {
            return Some(Arc::clone(listed));
        }
        if site == PRACTICE {
            return None;
        }
        let read = self.journal.references().get(site, list);
        let record = read.inspect_err(|error| tracing::warn!(%error, "what a site held couldn't be read")).ok()??;
        let listed = Arc::new(ReferenceList::read(&self.requirement(list), record.at, record.body)?);
        lists.insert(key, Arc::clone(&listed));
        Some(listed)
    }

    /// Stores a list. The practice plant's lists stay in memory, because the next plant is a different one.
    fn store(&self, site: &str, list: &str, listed: ReferenceList) -> Result<(), JournalError> {
        if site != PRACTICE {
            let record =
                ReferenceRecord { site: site.to_owned(), list: list.to_owned(), body: listed.body(), at: listed.at };
            self.journal.references().store(&record)?;
        }
        let mut lists = self.lists.lock();
        lists.insert((site.to_owned(), list.to_owned()), Arc::new(listed));
        Ok(())
    }

    /// Forgets the lists of a site that was replaced or removed.
    fn forget(&self, site: &str) {
        let result = self.journal.references().forget(site);
        if let Err(error) = result {
            tracing::warn!(%error, "what a site held couldn't be forgotten");
        }
        self.lists.lock().retain(|(cached, _), _| cached != site);
    }

    fn requirement(&self, list: &str) -> ListRequirement {
        ListRequirement::for_list(&self.contract, list)
    }
}
