//! Looking at the whole way to a site, from its name to a read, its clock and its limits.

use std::time::Instant;

use takt_client::{Client, ConnectionPart, ConnectionStep, ReadQuestion, StepOutcome};
use takt_contract::Operation;
use takt_core::Problem;

use super::Sites;
use crate::ConnectionCheck;

/// Seconds by which two clocks may differ and still agree.
const SAME_CLOCK: i64 = 5;
const DENIED: u16 = 403;
const UNAUTHORISED: u16 = 401;

impl Sites {
    /// Looks at each step of the way to a site. Nothing is changed there; the tokens are renewed, as they are from time to time
    /// anyway.
    ///
    /// # Errors
    ///
    /// A [client code](takt_core::problem#client-codes): there is no client for the site. What was found wrong with the way
    /// is no error.
    pub async fn check_connection(&self, site: &str) -> Result<ConnectionCheck, Problem> {
        // Not the one that others use: it knows nothing yet of the provider, and its transcript holds this alone.
        let access = self.client(site)?.access().clone();
        let client = self.new_client(access).map_err(|error| Problem::of_client(site, error))?;
        client.begin_transcript();
        let mut steps = client.check_way().await;
        if steps.iter().any(ConnectionStep::is_failed) {
            let later = [
                ConnectionPart::Authorize,
                ConnectionPart::Token,
                ConnectionPart::Read,
                ConnectionPart::Clock,
                ConnectionPart::Limit,
            ];
            let skipped = |part| ConnectionStep::new(part, site, StepOutcome::Skipped, "after-failure");
            steps.extend(later.into_iter().map(skipped));
        } else {
            steps.push(client.check_authorize().await);
            let token = client.check_token().await;
            let signed_in = matches!(token.outcome, StepOutcome::Passed | StepOutcome::Warning);
            steps.push(token);
            if signed_in {
                steps.extend(self.check_reads(&client, site).await?);
            } else {
                steps.push(anonymous(&client).await);
            }
            steps.push(clock(&client, site));
            steps.push(limit(&client, site));
        }
        let steps = steps.into_iter().map(Into::into).collect();
        Ok(ConnectionCheck::new(site, steps, client.transcript()))
    }

    /// A list's first row in each area, with the token: which scope opens which area is nobody's word, so each is asked.
    async fn check_reads(&self, client: &Client, site: &str) -> Result<Vec<ConnectionStep>, Problem> {
        let reads = self.harmless_reads(site)?;
        if reads.is_empty() {
            let skipped = ConnectionStep::new(ConnectionPart::Read, site, StepOutcome::Skipped, "read-nothing");
            return Ok(vec![skipped]);
        }
        let mut steps = Vec::with_capacity(reads.len());
        for operation in &reads {
            steps.push(read(client, operation).await);
            // Without access to this list, there is none to the others.
            if steps.last().is_some_and(|step: &ConnectionStep| step.finding == "read-unauthorised") {
                break;
            }
        }
        Ok(steps)
    }
}

async fn read(client: &Client, operation: &Operation) -> ConnectionStep {
    let started = Instant::now();
    let step =
        |outcome, finding| ConnectionStep::new(ConnectionPart::Read, &operation.path, outcome, finding).since(started);
    match client.ask(&ReadQuestion::first_row(operation)).await {
        Ok(_) => step(StepOutcome::Passed, "read-answers"),
        Err(error) => {
            let finding = match error.status() {
                Some(UNAUTHORISED) => "read-unauthorised",
                Some(DENIED) => "read-denied",
                Some(_) => "read-refused",
                None => "read-failed",
            };
            let status = error.status().map(|status| status.to_string()).unwrap_or_default();
            step(StepOutcome::Failed, finding).parameter("status", status).details(error.details())
        }
    }
}

/// Without a sign-in, the service is asked for its clock alone.
async fn anonymous(client: &Client) -> ConnectionStep {
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

fn clock(client: &Client, site: &str) -> ConnectionStep {
    let step = |outcome, finding| ConnectionStep::new(ConnectionPart::Clock, site, outcome, finding);
    let Some(ahead) = client.skew().map(|skew| -skew.as_secs()) else {
        return step(StepOutcome::Skipped, "clock-untold");
    };
    let seconds = ahead.unsigned_abs().to_string();
    if ahead.abs() <= SAME_CLOCK {
        return step(StepOutcome::Passed, "clock-same");
    }
    let finding = if ahead > 0 { "clock-ahead" } else { "clock-behind" };
    step(StepOutcome::Warning, finding).parameter("seconds", seconds)
}

fn limit(client: &Client, site: &str) -> ConnectionStep {
    let step = |outcome, finding| ConnectionStep::new(ConnectionPart::Limit, site, outcome, finding);
    if let Some(odd) = client.odd_headers().into_iter().next() {
        let found = step(StepOutcome::Warning, "limit-odd").parameter("name", odd.name);
        return found.parameter("value", odd.value);
    }
    match client.limit() {
        Some(limit) => step(StepOutcome::Passed, "limit-told")
            .parameter("limit", limit.limit.to_string())
            .parameter("remaining", limit.remaining.to_string()),
        None => step(StepOutcome::Skipped, "limit-untold"),
    }
}
