//! Checks the complete connection to a site, from its name to a read, its clock and its rate limit.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};
use takt_client::{Client, ConnectionStep as ClientStep, ReadRequest};
pub use takt_client::{ConnectionPart, StepOutcome};
use takt_contract::{Contract, Operation};
use takt_core::{Problem, blocking::run_blocking};

use crate::{sign_in::probe_reads, site_connection::SiteConnection, site_list::Sites};

/// The difference in seconds up to which two clocks agree.
const MAX_CLOCK_DIFFERENCE: i64 = 5;
const FORBIDDEN_STATUS: u16 = 403;
const UNAUTHORIZED_STATUS: u16 = 401;

/// A step of the check, with its outcome and the text of its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ConnectionStep {
    pub part: ConnectionPart,
    /// The checked target: a host with its port, an address or a path.
    pub target: String,
    pub outcome: StepOutcome,
    /// The duration of the step. `None` if it wasn't measured.
    pub milliseconds: Option<u32>,
    /// The key of the result's text in the section `connection`.
    pub finding: String,
    /// The parameters of the text. Not trusted.
    pub parameters: BTreeMap<String, String>,
    /// The technical cause. Not trusted.
    pub details: Option<String>,
}

/// The result of checking the connection to a site, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ConnectionCheck {
    pub site: String,
    /// The worst outcome of the steps.
    pub outcome: StepOutcome,
    pub steps: Vec<ConnectionStep>,
    /// The exchange with the identity provider, without secrets.
    pub transcript: String,
}

impl ConnectionCheck {
    fn new(site: &str, steps: Vec<ConnectionStep>, transcript: String) -> Self {
        let has_outcome = |outcome| steps.iter().any(|step| step.outcome == outcome);
        let outcome = [StepOutcome::Failed, StepOutcome::Warning].into_iter().find(|outcome| has_outcome(*outcome));
        Self { site: site.to_owned(), outcome: outcome.unwrap_or(StepOutcome::Passed), steps, transcript }
    }

    /// Returns true if no user is signed in, or the tokens can't be refreshed.
    #[must_use]
    pub fn needs_sign_in(&self) -> bool {
        let is_token_step =
            |step: &ConnectionStep| step.part == ConnectionPart::Token && step.finding != "after-failure";
        self.steps
            .iter()
            .any(|step| is_token_step(step) && matches!(step.outcome, StepOutcome::Failed | StepOutcome::Skipped))
    }
}

impl From<ClientStep> for ConnectionStep {
    fn from(step: ClientStep) -> Self {
        Self {
            part: step.part,
            target: step.target,
            outcome: step.outcome,
            milliseconds: step.milliseconds,
            finding: step.finding.to_owned(),
            parameters: step.parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            details: step.details,
        }
    }
}

impl Sites {
    /// Checks each step of the connection to a site. Nothing is changed at the site. The tokens are renewed if
    /// possible.
    ///
    /// # Errors
    ///
    /// A [client code](takt_core::problem#client-codes): there is no client for the site. A failed step isn't an error.
    pub async fn check_connection(self: &Arc<Self>, site: &str) -> Result<ConnectionCheck, Problem> {
        // Uses a new client without cached metadata of the provider, so that its transcript contains exactly this
        // check.
        let (sites, name) = (Arc::clone(self), site.to_owned());
        let (client, contract) = run_blocking(move || {
            let connection = SiteConnection::open(&sites, &name)?;
            let client = sites.new_client(connection.client.access().clone());
            Ok((client.map_err(|error| Problem::from_client_error(&name, error))?, connection.contract))
        })
        .await?;
        client.begin_transcript();
        let mut steps = client.check_route().await;
        if steps.iter().any(ClientStep::is_failed) {
            let skipped_parts = [
                ConnectionPart::Authorize,
                ConnectionPart::Token,
                ConnectionPart::Read,
                ConnectionPart::Clock,
                ConnectionPart::Limit,
            ];
            let skipped = |part| ClientStep::new(part, site, StepOutcome::Skipped, "after-failure");
            steps.extend(skipped_parts.into_iter().map(skipped));
        } else {
            steps.push(client.check_authorize().await);
            let token = client.check_token().await;
            let is_signed_in = matches!(token.outcome, StepOutcome::Passed | StepOutcome::Warning);
            steps.push(token);
            if is_signed_in {
                steps.extend(check_reads(&client, &contract, site).await);
            } else {
                steps.push(check_without_token(&client).await);
            }
            steps.push(check_clock(&client, site));
            steps.push(check_limit(&client, site));
        }
        let steps = steps.into_iter().map(Into::into).collect();
        Ok(ConnectionCheck::new(site, steps, client.transcript()))
    }
}

/// Reads the first row of one list per area with the token. The scope that an area needs isn't documented, so each area
/// is tested.
async fn check_reads(client: &Client, contract: &Contract, site: &str) -> Vec<ClientStep> {
    let reads = probe_reads(contract);
    if reads.is_empty() {
        return vec![ClientStep::new(ConnectionPart::Read, site, StepOutcome::Skipped, "read-nothing")];
    }
    let mut steps = Vec::with_capacity(reads.len());
    for operation in reads {
        steps.push(check_read(client, operation).await);
        // A rejected token is rejected for all other lists, too.
        if steps.last().is_some_and(|step: &ClientStep| step.finding == "read-unauthorised") {
            break;
        }
    }
    steps
}

async fn check_read(client: &Client, operation: &Operation) -> ClientStep {
    let started = Instant::now();
    let step =
        |outcome, finding| ClientStep::new(ConnectionPart::Read, &operation.path, outcome, finding).since(started);
    match client.read_without_retry(&ReadRequest::first_row(operation)).await {
        Ok(_) => step(StepOutcome::Passed, "read-answers"),
        Err(error) => {
            let finding = match error.status() {
                Some(UNAUTHORIZED_STATUS) => "read-unauthorised",
                Some(FORBIDDEN_STATUS) => "read-denied",
                Some(_) => "read-refused",
                None => "read-failed",
            };
            let status = error.status().map(|status| status.to_string()).unwrap_or_default();
            step(StepOutcome::Failed, finding).parameter("status", status).details(error.details())
        }
    }
}

/// Checks that the service responds without a token. The following clock check uses the time in the response.
async fn check_without_token(client: &Client) -> ClientStep {
    let started = Instant::now();
    let address = client.access().base_url.clone();
    match client.reach_service().await {
        Ok(_) => {
            ClientStep::new(ConnectionPart::Read, &address, StepOutcome::Skipped, "read-not-signed-in").since(started)
        }
        Err(error) => ClientStep::new(ConnectionPart::Read, &address, StepOutcome::Failed, "read-failed")
            .since(started)
            .details(error.details()),
    }
}

fn check_clock(client: &Client, site: &str) -> ClientStep {
    let step = |outcome, finding| ClientStep::new(ConnectionPart::Clock, site, outcome, finding);
    let Some(ahead) = client.clock_skew().map(|skew| -skew.as_secs()) else {
        return step(StepOutcome::Skipped, "clock-untold");
    };
    let seconds = ahead.unsigned_abs().to_string();
    if ahead.abs() <= MAX_CLOCK_DIFFERENCE {
        return step(StepOutcome::Passed, "clock-same");
    }
    let finding = if ahead > 0 { "clock-ahead" } else { "clock-behind" };
    step(StepOutcome::Warning, finding).parameter("seconds", seconds)
}

fn check_limit(client: &Client, site: &str) -> ClientStep {
    let step = |outcome, finding| ClientStep::new(ConnectionPart::Limit, site, outcome, finding);
    if let Some(odd) = client.ignored_headers().into_iter().next() {
        let warning = step(StepOutcome::Warning, "limit-odd").parameter("name", odd.name);
        return warning.parameter("value", odd.value);
    }
    match client.rate_limit() {
        Some(limit) => step(StepOutcome::Passed, "limit-told")
            .parameter("limit", limit.limit.to_string())
            .parameter("remaining", limit.remaining.to_string()),
        None => step(StepOutcome::Skipped, "limit-untold"),
    }
}
