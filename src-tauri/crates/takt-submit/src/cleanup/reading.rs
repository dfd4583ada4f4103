//! Reading many templates at the service's pace: what has come stays at hand, whatever ends the reading.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use parking_lot::RwLock;
use serde_json::Value;
use takt_client::{Canceller, Client, ClientError, RetryPolicy};
use takt_contract::{Contract, ParameterPlace};
use tokio::task::JoinSet;

use super::{
    TemplatesProgress,
    facts::{Facts, ReadProcess},
};
use takt_browse::{BrowseQuery, request::ReadRequest};
use takt_core::{Code, Problem};
use takt_sites::sites::SeenPaths;

use crate::Templates;

/// Requests that are on their way at a time.
const AT_ONCE: usize = 4;

/// Templates that were asked for, and what has come of them. Clones share it.
#[derive(Debug, Clone)]
pub struct TemplateSet(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    site: String,
    ids: Vec<i64>,
    readings: RwLock<TemplateReadings>,
}

/// What has come so far.
#[derive(Debug, Default, Clone)]
pub(super) struct TemplateReadings {
    /// By id.
    pub(super) templates: BTreeMap<i64, Vec<ReadProcess>>,
    /// Ids that the service doesn't know.
    pub(super) absent: Vec<i64>,
    pub(super) failed: Vec<(i64, Problem)>,
    /// Code and description of every process that there is; absent where that couldn't be read, or wasn't yet.
    pub(super) every: Option<Vec<(String, String)>>,
    pub(super) every_problem: Option<Problem>,
}

impl TemplateSet {
    #[must_use]
    pub fn site(&self) -> &str {
        &self.0.site
    }

    pub(super) fn readings(&self) -> TemplateReadings {
        self.0.readings.read().clone()
    }

    /// Ids of which nothing is known yet, in the order in which they were asked for.
    pub(super) fn left(&self) -> Vec<i64> {
        let readings = self.0.readings.read();
        let known: HashSet<i64> = readings.settled().collect();
        self.0.ids.iter().copied().filter(|id| !known.contains(id)).collect()
    }

    #[must_use]
    pub fn progress(&self) -> TemplatesProgress {
        let readings = self.0.readings.read();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        TemplatesProgress {
            requested: count(self.0.ids.len()),
            settled: count(readings.settled().count()),
            existing: count(readings.templates.len()),
        }
    }

    fn change(&self, change: impl FnOnce(&mut TemplateReadings)) {
        change(&mut self.0.readings.write());
    }

    fn settle(&self, id: i64, read: Result<Vec<ReadProcess>, Problem>) {
        self.change(|found| match read {
            Ok(processes) => drop(found.templates.insert(id, processes)),
            Err(problem) => found.failed.push((id, problem)),
        });
    }
}

impl TemplateReadings {
    fn settled(&self) -> impl Iterator<Item = i64> {
        let failed = self.failed.iter().map(|(id, _)| *id);
        self.templates.keys().copied().chain(self.absent.iter().copied()).chain(failed)
    }
}

/// How one template is read.
#[derive(Clone)]
struct Reader {
    client: Client,
    canceller: Canceller,
}

impl Templates {
    /// A set of templates of which nothing is known yet.
    #[must_use]
    pub fn set(&self, site: &str, ids: &[i64]) -> TemplateSet {
        TemplateSet(Arc::new(Inner { site: site.to_owned(), ids: ids.to_vec(), readings: RwLock::default() }))
    }

    /// Reads what is left of a set, paced by the site's budget; those that failed before are tried again. A template that can't be
    /// read says why; what concerns the site as a whole ends the reading, and so does the canceller. What has come stays.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::Unknown`]: the contract says nothing of templates.
    /// - A [read code](takt_core::problem#read-codes): the site answers none of the reads. What fails for one template
    ///   stands with it in the set.
    /// - A [journal code](takt_core::problem#journal-codes): the templates can't be remembered.
    pub async fn read(
        &self,
        set: &TemplateSet,
        canceller: &Canceller,
        mut progress: impl FnMut(TemplatesProgress) + Send,
    ) -> Result<(), Problem> {
        set.change(|found| found.failed.clear());
        let reader = Reader { client: self.sites.client(set.site())?, canceller: canceller.clone() };
        progress(set.progress());
        self.read_every(set, &reader).await?;
        let mut left = set.left().into_iter();
        let mut flights: JoinSet<(i64, ReadRequest, Result<Vec<Value>, ClientError>)> = JoinSet::new();
        let contract = self.sites.contract(set.site())?;
        let facts = Facts::of(&contract)?;
        let mut end = Ok(());
        let (seen, mut seen_now) = (SeenPaths::of(&self.sites, set.site()), BTreeSet::new());
        loop {
            while end.is_ok() && !canceller.is_cancelled() && flights.len() < AT_ONCE {
                let Some(id) = left.next() else { break };
                let (reader, request) = (reader.clone(), Self::template_request(&contract, facts, id)?);
                flights.spawn(async move {
                    let read = reader.read(&request).await;
                    (id, request, read)
                });
            }
            let Some(landed) = flights.join_next().await else { break };
            let (id, request, read) = landed.map_err(|error| Problem::new(Code::Bug).details(error))?;
            let read = match read {
                Err(ClientError::Cancelled) => continue,
                Err(error) if request.is_absence(&error) && !seen.contains(request.path()) => {
                    set.change(|found| found.absent.push(id));
                    progress(set.progress());
                    continue;
                }
                Err(error) => Err(Problem::of_read_back(set.site(), error)),
                Ok(rows) => Ok(rows.iter().filter_map(|row| facts.process(row)).collect()),
            };
            if read.is_ok() {
                seen_now.insert(request.path().to_owned());
            }
            match read {
                Err(problem) if concerns_site(problem.code) => end = end.and(Err(problem)),
                read => set.settle(id, read),
            }
            progress(set.progress());
        }
        SeenPaths::remember(&self.sites, set.site(), seen_now);
        let known: Vec<i64> = set.readings().templates.into_keys().collect();
        self.journal.templates().remember(set.site(), &known, (self.clock)())?;
        end
    }

    /// The list of every process, once per set. Where it can't be read, the templates are read nonetheless.
    async fn read_every(&self, set: &TemplateSet, reader: &Reader) -> Result<(), Problem> {
        if set.readings().every.is_some() {
            return Ok(());
        }
        let contract = self.sites.contract(set.site())?;
        let list = &Facts::of(&contract)?.cleanup.every;
        let query = BrowseQuery { operation: list.list.clone(), ..BrowseQuery::default() };
        let request = ReadRequest::new(&contract, &query)?;
        let mut pages = request.pages(&reader.client);
        let mut every = Vec::new();
        loop {
            match pages.next(&reader.canceller).await {
                Ok(Some(page)) => every.extend(page.rows.values().filter_map(|row| {
                    let text = |field: &str| row.get(field).and_then(Value::as_str).map(str::to_owned);
                    Some((text(&list.code)?, text(&list.description).unwrap_or_default()))
                })),
                Ok(None) => {
                    let problem = pages.fault().map(|fault| Problem::of_client(set.site(), fault.into()));
                    let every = problem.is_none().then_some(every);
                    set.change(|found| (found.every, found.every_problem) = (every, problem));
                    return Ok(());
                }
                Err(ClientError::Cancelled) => return Ok(()),
                Err(error) => {
                    let problem = Problem::of_read(set.site(), error);
                    if concerns_site(problem.code) && problem.code != Code::AccessDenied {
                        return Err(problem);
                    }
                    set.change(|found| found.every_problem = Some(problem));
                    return Ok(());
                }
            }
        }
    }

    fn template_request(contract: &Contract, facts: Facts<'_>, template: i64) -> Result<ReadRequest, Problem> {
        let ids =
            facts.read.parameters.iter().filter(|parameter| {
                parameter.name == facts.cleanup.template || parameter.place == ParameterPlace::Path
            });
        let parameters: BTreeMap<_, _> = ids.map(|parameter| (parameter.name.clone(), template.to_string())).collect();
        ReadRequest::new(contract, &BrowseQuery { operation: facts.read.id.clone(), parameters })
    }
}

impl Reader {
    async fn read(&self, request: &ReadRequest) -> Result<Vec<Value>, ClientError> {
        let answer = self.client.read(&request.question, RetryPolicy::STEADY, &self.canceller).await?;
        match request.all_rows(answer).await? {
            (rows, None) => Ok(rows.values().collect()),
            (_, Some(fault)) => Err(fault.into()),
        }
    }
}

fn concerns_site(code: Code) -> bool {
    matches!(
        code,
        Code::SignInNeeded
            | Code::KeychainFailed
            | Code::SignInRefused
            | Code::AccessDenied
            | Code::ServiceUnreachable
            | Code::RateLimited
            | Code::InvalidInput
            | Code::Bug
    )
}
