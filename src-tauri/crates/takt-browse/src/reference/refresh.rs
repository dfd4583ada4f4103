//! Reading what a site holds: list by list, at the service's pace, and no more than the sheet needs.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use serde_json::{Value, json};
use takt_client::{Canceller, Client, ClientError, Pages, RetryPolicy, run_blocking_here};
use takt_contract::Contract;

use super::{Extent, Freshness, Reference, ReferenceList, ReferenceRequest, References, age};
use takt_core::Problem;
use takt_sites::sites::SeenPaths;

use crate::request::{BrowseQuery, ReadRequest};

/// A list with more pages than this is only asked for what the sheet names.
const MAX_PAGES: u32 = 300;
/// So many things are asked for one by one.
pub const MAX_REQUESTS: usize = 200;

impl References {
    /// What is at hand of a site for these wants.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn of(&self, site: &str, wants: &[ReferenceRequest]) -> Result<Arc<Reference>, Problem> {
        let found = self.sites.find(site)?;
        let lists = wants.iter().filter_map(|want| Some((want.list.clone(), self.cache.list(site, &want.list)?)));
        Ok(Arc::new(Reference::nothing(&self.contract, &self.clock).of(&found, lists.collect())))
    }

    /// Reads the lists that `wants` names into what is held of a site; one that is known only where `again` is set.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): a list can't be read. One that the site refuses doesn't keep the
    ///   others from being read; the first refusal is told at the end.
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
        let (client, contract) = (self.sites.client(site)?, self.sites.contract(site)?);
        let mut refused = None;
        for want in wants.iter().filter(|want| again || !self.is_known(site, want)) {
            let reader = ListReader { references: self, contract: &contract, client: &client, site, want, canceller };
            match reader.read().await {
                Ok((listed, unproven)) => {
                    // What proves nothing doesn't replace what was read before.
                    if unproven.is_none() || listed.extent != Extent::Asked(HashSet::new()) {
                        self.cache.store(site, &want.list, listed)?;
                    }
                    refused = refused.or_else(|| unproven.map(|error| Problem::of_read_back(site, error)));
                }
                // A list that may not be read doesn't keep the others from being read.
                Err(error) if error.status().is_some() => {
                    refused = refused.or(Some(Problem::of_read_back(site, error)));
                }
                Err(error) => return Err(Problem::of_client(site, error)),
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// True where what is wanted was read a moment ago, and nothing was sent since that makes such things.
    fn is_known(&self, site: &str, want: &ReferenceRequest) -> bool {
        let asked = want.parameter_values.as_ref().map(|(_, values)| values.as_slice());
        let Some(held) = self.cache.list(site, &want.list) else { return false };
        let changed = || makers(&self.contract, &want.list).iter().any(|sync| self.was_sent_since(site, sync, held.at));
        // That a single thing doesn't exist is said by a status alone, so it is asked for again.
        let is_there = |value: &String| !held.find_any(value).is_empty();
        let all_there = || !want.single || asked.is_some_and(|asked| asked.iter().all(is_there));
        age(held.at, (self.clock)()) == Freshness::Fresh && held.covers(asked) && all_there() && !changed()
    }

    fn was_sent_since(&self, site: &str, operation: &str, at: jiff::Timestamp) -> bool {
        let sent = self.journal.references().last_sent(site, operation);
        let sent = sent.inspect_err(|error| tracing::warn!(%error, "the last submission couldn't be read"));
        // What can't be told is read again.
        sent.map_or(true, |sent| sent.is_some_and(|sent| sent >= at))
    }
}

/// The operations that make what a list shows.
fn makers(contract: &Contract, list: &str) -> BTreeSet<String> {
    let fields = contract.operations().iter().filter_map(|operation| operation.request.as_ref());
    let named = fields.flat_map(|shape| shape.flat()).filter_map(|(_, field)| field.refers_to.as_ref());
    named
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
    /// The list, and the first response that left open whether a single thing exists.
    async fn read(&self) -> Result<(ReferenceList, Option<ClientError>), ClientError> {
        // What changes while it is read is as old as its beginning.
        let at = (self.references.clock)();
        let (extent, rows, unproven) = match &self.want.parameter_values {
            Some((parameter, values)) if self.want.single => self.each(parameter, values).await?,
            asked => {
                let (extent, rows) = self.list(asked.as_ref()).await?;
                (extent, rows, None)
            }
        };
        Ok((ReferenceList::new(&self.references.cache.need(&self.want.list), at, extent, rows), unproven))
    }

    /// The whole list; where that is long, what the sheet names of it.
    async fn list(&self, asked: Option<&(String, Vec<String>)>) -> Result<(Extent, Vec<Value>), ClientError> {
        let few = asked.filter(|(_, values)| values.len() <= MAX_REQUESTS);
        let Some(request) = self.request(&BTreeMap::new()) else { return Ok((Extent::TooLong(0), Vec::new())) };
        let mut pages = request.pages(self.client);
        let mut rows = Vec::new();
        while let Some(page) = pages.next(self.canceller).await? {
            let walked = page.progress;
            rows.extend(page.rows.values());
            let all = walked.pages.unwrap_or(walked.page);
            if let Some((parameter, values)) = few.filter(|(_, values)| walked.page == 1 && values.len() < all as usize)
            {
                return self.narrowed(parameter, values).await;
            }
            if all > MAX_PAGES {
                let total = walked.total.unwrap_or(walked.rows);
                return match few {
                    Some((parameter, values)) => self.narrowed(parameter, values).await,
                    None => Ok((Extent::TooLong(total), Vec::new())),
                };
            }
        }
        ensure_complete(&pages)?;
        Ok((Extent::Whole, rows))
    }

    async fn narrowed(&self, parameter: &str, values: &[String]) -> Result<(Extent, Vec<Value>), ClientError> {
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
        Ok((extent(values), rows))
    }

    /// Asks for each thing: whether it is there, and nothing more. Of what can't be told nothing is kept.
    async fn each(
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
            match self.holds(&request).await {
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
        end.map(|()| (extent(&asked), rows, unproven))
    }

    /// Nothing if a single thing is there: its response has the contract's shape.
    async fn holds(&self, request: &ReadRequest) -> Result<(), ClientError> {
        let answer = self.client.read(&request.question, RetryPolicy::STEADY, self.canceller).await?;
        request.all_rows(answer).await.map(drop)
    }

    /// Absent for a value that such a thing can't have.
    fn request(&self, parameters: &BTreeMap<String, String>) -> Option<ReadRequest> {
        let query = BrowseQuery { operation: self.want.list.clone(), parameters: parameters.clone() };
        ReadRequest::new(self.contract, &query).ok()
    }
}

/// Refuses a list that contradicts itself: it doesn't prove that a code is unknown.
fn ensure_complete(pages: &Pages) -> Result<(), ClientError> {
    pages.fault().map_or(Ok(()), |fault| Err(fault.into()))
}

fn extent(values: &[String]) -> Extent {
    Extent::Asked(values.iter().map(|value| value.as_str().into()).collect::<HashSet<Box<str>>>())
}
