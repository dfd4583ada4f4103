//! Reads the lists that a sheet needs, within the service's rate limit.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use serde_json::{Value, json};
use takt_client::{Canceller, Client, ClientError, Pages, RetryPolicy, run_blocking_here};
use takt_contract::Contract;

use super::{
    References,
    freshness::{Freshness, age},
    reference_list::{Extent, ReferenceList},
    requirement::ReferenceRequest,
    snapshot::Reference,
};
use takt_core::Problem;
use takt_sites::{SeenPaths, SiteConnection};

use crate::request::{BrowseQuery, ReadRequest};

/// Of a longer list, only the values that the sheet uses are read.
const MAX_PAGES: u32 = 300;
/// The most single things that are requested one by one.
pub const MAX_REQUESTS: usize = 200;

impl References {
    /// Returns the cached lists of a site for these requests.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn of(&self, site: &str, wants: &[ReferenceRequest]) -> Result<Arc<Reference>, Problem> {
        let site_settings = self.sites.find(site)?;
        let lists = wants.iter().filter_map(|want| Some((want.list.clone(), self.cache.list(site, &want.list)?)));
        Ok(Arc::new(Reference::nothing(&self.contract, &self.clock).of(&site_settings, lists.collect())))
    }

    /// Reads and caches the lists in `wants`. Lists that are already current are only read if `again` is set.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): a list can't be read. If the site refuses a list, the others are
    ///   read anyway, and the first refusal is returned.
    pub async fn read_wants(
        &self,
        site: &str,
        wants: &[ReferenceRequest],
        again: bool,
        canceller: &Canceller,
    ) -> Result<(), Problem> {
        if wants.is_empty() {
            return Ok(());
        }
        let SiteConnection { client, contract, .. } = SiteConnection::connect(&self.sites, site).await?;
        let mut refused = None;
        for want in wants.iter().filter(|want| again || !self.is_known(site, want)) {
            let reader = ListReader { references: self, contract: &contract, client: &client, site, want, canceller };
            match reader.read().await {
                Ok((listed, unproven)) => {
                    // A reading that proves nothing doesn't replace an earlier one.
                    if unproven.is_none() || listed.extent != Extent::Asked(HashSet::new()) {
                        self.cache.store(site, &want.list, listed)?;
                    }
                    refused = refused.or_else(|| unproven.map(|error| Problem::of_read_back(site, error)));
                }
                // Continue with the other lists.
                Err(error) if error.status().is_some() => {
                    refused = refused.or(Some(Problem::of_read_back(site, error)));
                }
                Err(error) => return Err(Problem::of_client(site, error)),
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// Returns true if the requested values were read recently, and nothing that changes them was sent since.
    fn is_known(&self, site: &str, want: &ReferenceRequest) -> bool {
        let values = want.parameter_values.as_ref().map(|(_, values)| values.as_slice());
        let Some(cached) = self.cache.list(site, &want.list) else { return false };
        let was_changed = || {
            creating_operations(&self.contract, &want.list)
                .iter()
                .any(|sync| self.was_sent_since(site, sync, cached.at))
        };
        // Only a status shows that a single thing doesn't exist, so it is requested again.
        let is_listed = |value: &String| !cached.find_any(value).is_empty();
        let all_listed = || !want.single || values.is_some_and(|values| values.iter().all(is_listed));
        age(cached.at, (self.clock)()) == Freshness::Fresh && cached.covers(values) && all_listed() && !was_changed()
    }

    fn was_sent_since(&self, site: &str, operation: &str, at: jiff::Timestamp) -> bool {
        let sent = self.journal.references().last_sent(site, operation);
        let sent = sent.inspect_err(|error| tracing::warn!(%error, "the last submission couldn't be read"));
        // If the journal can't be read, read the list again.
        sent.map_or(true, |sent| sent.is_some_and(|sent| sent >= at))
    }
}

/// Returns the operations that create what a list shows.
fn creating_operations(contract: &Contract, list: &str) -> BTreeSet<String> {
    let fields = contract.operations().iter().filter_map(|operation| operation.request.as_ref());
    let references = fields.flat_map(|shape| shape.flat()).filter_map(|(_, field)| field.refers_to.as_ref());
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
    want: &'a ReferenceRequest,
    canceller: &'a Canceller,
}

impl ListReader<'_> {
    /// Reads the list. Also returns the first response that leaves open whether a single thing exists.
    async fn read(&self) -> Result<(ReferenceList, Option<ClientError>), ClientError> {
        // The list is as old as the begin of the read, because rows may change during it.
        let at = (self.references.clock)();
        let (extent, rows, unproven) = match &self.want.parameter_values {
            Some((parameter, values)) if self.want.single => self.read_each(parameter, values).await?,
            asked => {
                let (extent, rows) = self.read_list(asked.as_ref()).await?;
                (extent, rows, None)
            }
        };
        Ok((ReferenceList::new(&self.references.cache.need(&self.want.list), at, extent, rows), unproven))
    }

    /// Reads the whole list. If it is long, reads only the values that the sheet uses.
    async fn read_list(&self, asked: Option<&(String, Vec<String>)>) -> Result<(Extent, Vec<Value>), ClientError> {
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
        ensure_complete(&pages)?;
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
            ensure_complete(&pages)?;
        }
        Ok((requested_extent(values), rows))
    }

    /// Requests each thing to find out whether it exists. Unclear results aren't stored.
    async fn read_each(
        &self,
        parameter: &str,
        values: &[String],
    ) -> Result<(Extent, Vec<Value>, Option<ClientError>), ClientError> {
        let values = values.get(..values.len().min(MAX_REQUESTS)).unwrap_or_default();
        let seen = run_blocking_here(|| SeenPaths::of(&self.references.sites, self.site));
        let (mut rows, mut asked, mut seen_now) = (Vec::new(), Vec::new(), BTreeSet::new());
        let (mut unproven, mut end) = (None, Ok(()));
        for value in values {
            let Some(request) = self.request(&BTreeMap::from([(parameter.to_owned(), value.clone())])) else {
                asked.push(value.clone());
                continue;
            };
            match self.check_exists(&request).await {
                Ok(()) => {
                    rows.push(json!({ parameter: value }));
                    seen_now.insert(request.path().to_owned());
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
        run_blocking_here(|| SeenPaths::remember(&self.references.sites, self.site, seen_now));
        end.map(|()| (requested_extent(&asked), rows, unproven))
    }

    /// Returns `Ok` if a single thing exists, which means that its response has the contract's shape.
    async fn check_exists(&self, request: &ReadRequest) -> Result<(), ClientError> {
        let answer = self.client.read(&request.question, RetryPolicy::STEADY, self.canceller).await?;
        request.all_rows(answer).await.map(drop)
    }

    /// Returns the read, or `None` if a value is invalid.
    fn request(&self, parameters: &BTreeMap<String, String>) -> Option<ReadRequest> {
        let query = BrowseQuery { operation: self.want.list.clone(), parameters: parameters.clone() };
        ReadRequest::new(self.contract, &query).ok()
    }
}

/// Rejects a list that contradicts itself: it doesn't prove that a code is unknown.
fn ensure_complete(pages: &Pages) -> Result<(), ClientError> {
    pages.fault().map_or(Ok(()), |fault| Err(fault.into()))
}

fn requested_extent(values: &[String]) -> Extent {
    Extent::Asked(values.iter().map(|value| value.as_str().into()).collect::<HashSet<Box<str>>>())
}
