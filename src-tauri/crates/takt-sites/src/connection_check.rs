//! Checks the complete connection to a site, from its name to a read, its clock and its rate limit.

use std::{sync::Arc, time::Instant};

use takt_client::{Client, ConnectionPart, ConnectionStep, ReadQuestion, StepOutcome};
use takt_contract::{Contract, Operation};
use takt_core::{Problem, blocking::run_blocking};

use crate::{ConnectionCheck, sign_in::harmless_reads, site_connection::SiteConnection, site_list::Sites};

/// The difference in seconds up to which two clocks agree.
const MAX_CLOCK_DIFFERENCE: i64 = 5;
const DENIED: u16 = 403;
const UNAUTHORIZED: u16 = 401;

impl Sites {
    /// Checks each step of the connection to a site. Nothing is changed there. The tokens are renewed, as they
    /// regularly are.
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
            Ok((client.map_err(|error| Problem::of_client(&name, error))?, connection.contract))
        })
        .await?;
        client.begin_transcript();
        let mut steps = client.check_way().await;
        if steps.iter().any(ConnectionStep::is_failed) {
            let skipped_parts = [
                ConnectionPart::Authorize,
                ConnectionPart::Token,
                ConnectionPart::Read,
                ConnectionPart::Clock,
                ConnectionPart::Limit,
            ];
            let skipped = |part| ConnectionStep::new(part, site, StepOutcome::Skipped, "after-failure");
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

/// Reads a list's first row in each area with the token. No source says which scope is needed for which area, so each
/// is tested.
async fn check_reads(client: &Client, contract: &Contract, site: &str) -> Vec<ConnectionStep> {
    let reads = harmless_reads(contract);
    if reads.is_empty() {
        return vec![ConnectionStep::new(ConnectionPart::Read, site, StepOutcome::Skipped, "read-nothing")];
    }
    let mut steps = Vec::with_capacity(reads.len());
    for operation in reads {
        steps.push(check_read(client, operation).await);
        // Without access to this list, the others can't be accessed either.
        if steps.last().is_some_and(|step: &ConnectionStep| step.finding == "read-unauthorised") {
            break;
        }
    }
    steps
}

async fn check_read(client: &Client, operation: &Operation) -> ConnectionStep {
    let started = Instant::now();
    let step =
        |outcome, finding| ConnectionStep::new(ConnectionPart::Read, &operation.path, outcome, finding).since(started);
    match client.ask(&ReadQuestion::first_row(operation)).await {
        Ok(_) => step(StepOutcome::Passed, "read-answers"),
        Err(error) => {
            let finding = match error.status() {
                Some(UNAUTHORIZED) => "read-unauthorised",
                Some(DENIED) => "read-denied",
                Some(_) => "read-refused",
                None => "read-failed",
            };
            let status = error.status().map(|status| status.to_string()).unwrap_or_default();
            step(StepOutcome::Failed, finding).parameter("status", status).details(error.details())
        }
    }
}

/// Reaches the service without a sign-in, only for its clock.
async fn check_without_token(client: &Client) -> ConnectionStep {
    let started = Instant::now();
    let address = client.access().base_url.clone();
    match client.reach_service().await {
        Ok(_) => ConnectionStep::new(ConnectionPart::Read, &address, StepOutcome::Skipped, "read-not-signed-in")
            .since(started),
        Err(error) => ConnectionStep::new(ConnectionPart::Read, &address, StepOutcome::Failed, "read-failed")
            .since(started)
            .details(error.details()),
    }
}

fn check_clock(client: &Client, site: &str) -> ConnectionStep {
    let step = |outcome, finding| ConnectionStep::new(ConnectionPart::Clock, site, outcome, finding);
    let Some(ahead) = client.skew().map(|skew| -skew.as_secs()) else {
        return step(StepOutcome::Skipped, "clock-untold");
    };
    let seconds = ahead.unsigned_abs().to_string();
    if ahead.abs() <= MAX_CLOCK_DIFFERENCE {
        return step(StepOutcome::Passed, "clock-same");
    }
    let finding = if ahead > 0 { "clock-ahead" } else { "clock-behind" };
    step(StepOutcome::Warning, finding).parameter("seconds", seconds)
}

fn check_limit(client: &Client, site: &str) -> ConnectionStep {
    let step = |outcome, finding| ConnectionStep::new(ConnectionPart::Limit, site, outcome, finding);
    if let Some(odd) = client.odd_headers().into_iter().next() {
        let warning = step(StepOutcome::Warning, "limit-odd").parameter("name", odd.name);
        return warning.parameter("value", odd.value);
    }
    match client.limit() {
        Some(limit) => step(StepOutcome::Passed, "limit-told")
            .parameter("limit", limit.limit.to_string())
            .parameter("remaining", limit.remaining.to_string()),
        None => step(StepOutcome::Skipped, "limit-untold"),
    }
}
