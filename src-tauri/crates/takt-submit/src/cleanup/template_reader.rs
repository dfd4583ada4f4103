//! Reads many templates within the site's rate limit. Templates that were read stay available even if reading fails.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;
use takt_client::{Canceller, Client, ClientError, RetryPolicy};
use takt_contract::{Contract, ParameterPlace};
use tokio::task::JoinSet;

use super::{
    cleanup_contract::CleanupContract, template_set::TemplateSet, templates::Templates, view::TemplatesProgress,
};
use takt_browse::{BrowseQuery, request::ListRequest};
use takt_core::{Code, Problem, blocking::run_blocking};
use takt_sites::{SeenPaths, SiteConnection};

/// Limits concurrent requests, in addition to the site's rate limit.
const MAX_IN_FLIGHT: usize = 4;

#[derive(Clone)]
struct TemplateReader {
    client: Client,
    canceller: Canceller,
}

impl Templates {
    /// Reads the unsettled templates of a set within the site's rate limit. Failed templates are retried.
    ///
    /// A template that can't be read gets a problem. A problem of the whole site, or the canceller, ends the read.
    /// Templates that were read before stay in the set.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::Unknown`]: the contract doesn't define templates.
    /// - A [read code](takt_core::problem#read-codes): the site doesn't respond to reads. Problems of single templates
    ///   are in the set.
    /// - A [journal code](takt_core::problem#journal-codes): the templates can't be remembered.
    pub async fn read(
        &self,
        set: &TemplateSet,
        canceller: &Canceller,
        mut progress: impl FnMut(TemplatesProgress) + Send,
    ) -> Result<(), Problem> {
        set.update(|readings| readings.failed.clear());
        let SiteConnection { client, contract, .. } = SiteConnection::connect(&self.sites, set.site()).await?;
        let reader = TemplateReader { client, canceller: canceller.clone() };
        progress(set.progress());
        read_process_list(set, &contract, &reader).await?;
        let mut remaining = set.unsettled_ids().into_iter();
        let mut requests: JoinSet<(i64, ListRequest, Result<Vec<Value>, ClientError>)> = JoinSet::new();
        let cleanup_contract = CleanupContract::find(&contract)?;
        let mut end = Ok(());
        let (sites, site) = (Arc::clone(&self.sites), set.site().to_owned());
        let known_paths = run_blocking(move || Ok(SeenPaths::load(&sites, &site))).await?;
        let mut new_paths = BTreeSet::new();
        loop {
            while end.is_ok() && !canceller.is_cancelled() && requests.len() < MAX_IN_FLIGHT {
                let Some(id) = remaining.next() else { break };
                let (reader, request) = (reader.clone(), Self::template_request(&contract, cleanup_contract, id)?);
                requests.spawn(async move {
                    let read = reader.read(&request).await;
                    (id, request, read)
                });
            }
            let Some(finished) = requests.join_next().await else { break };
            let (id, request, read) = finished.map_err(|error| Problem::new(Code::Bug).details(error))?;
            let read = match read {
                Err(ClientError::Cancelled) => continue,
                Err(error) if request.is_absence(&error) && !known_paths.contains(request.path()) => {
                    set.update(|readings| readings.absent.push(id));
                    progress(set.progress());
                    continue;
                }
                Err(error) => Err(Problem::from_read_back_error(set.site(), error)),
                Ok(rows) => Ok(rows.iter().filter_map(|row| cleanup_contract.read_process(row)).collect()),
            };
            if read.is_ok() {
                new_paths.insert(request.path().to_owned());
            }
            match read {
                Err(problem) if concerns_site(problem.code) => end = end.and(Err(problem)),
                read => set.record_reading(id, read),
            }
            progress(set.progress());
        }
        let (templates, site) = (self.clone(), set.site().to_owned());
        let known: Vec<i64> = set.readings().templates.into_keys().collect();
        run_blocking(move || {
            SeenPaths::add(&templates.sites, &site, new_paths);
            Ok(templates.journal.templates().record_opened(&site, &known, (templates.clock)())?)
        })
        .await?;
        end
    }

    fn template_request(
        contract: &Contract,
        cleanup_contract: CleanupContract<'_>,
        template: i64,
    ) -> Result<ListRequest, Problem> {
        let ids = cleanup_contract.read.parameters.iter().filter(|parameter| {
            parameter.name == cleanup_contract.cleanup.template || parameter.place == ParameterPlace::Path
        });
        let parameters: BTreeMap<_, _> = ids.map(|parameter| (parameter.name.clone(), template.to_string())).collect();
        ListRequest::new(contract, &BrowseQuery { operation: cleanup_contract.read.id.clone(), parameters })
    }
}

/// Reads the list of all processes, once per set. If that fails, the templates are read anyway.
async fn read_process_list(set: &TemplateSet, contract: &Contract, reader: &TemplateReader) -> Result<(), Problem> {
    if set.readings().all_processes.is_some() {
        return Ok(());
    }
    let list = &CleanupContract::find(contract)?.cleanup.every;
    let query = BrowseQuery { operation: list.list.clone(), ..BrowseQuery::default() };
    let request = ListRequest::new(contract, &query)?;
    let mut pages = request.pages(&reader.client);
    let mut processes = Vec::new();
    loop {
        match pages.next(&reader.canceller).await {
            Ok(Some(page)) => processes.extend(page.rows.values().filter_map(|row| {
                let text = |field: &str| row.get(field).and_then(Value::as_str).map(str::to_owned);
                Some((text(&list.code)?, text(&list.description).unwrap_or_default()))
            })),
            Ok(None) => {
                let problem = pages.fault().map(|fault| Problem::from_client_error(set.site(), fault.into()));
                let listed = problem.is_none().then_some(processes);
                set.update(|readings| (readings.all_processes, readings.list_problem) = (listed, problem));
                return Ok(());
            }
            Err(ClientError::Cancelled) => return Ok(()),
            Err(error) => {
                let problem = Problem::from_read_error(set.site(), error);
                if concerns_site(problem.code) && problem.code != Code::AccessDenied {
                    return Err(problem);
                }
                set.update(|readings| readings.list_problem = Some(problem));
                return Ok(());
            }
        }
    }
}

impl TemplateReader {
    async fn read(&self, request: &ListRequest) -> Result<Vec<Value>, ClientError> {
        let response = self.client.read(&request.read_request, RetryPolicy::COMPLETE_READ, &self.canceller).await?;
        match request.parse_all_rows(response).await? {
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
