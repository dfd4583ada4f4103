//! Checks whether a sign-in can begin at the identity provider and whether the stored tokens can be refreshed.

use std::time::Instant;

use reqwest::{Method, Request, header::LOCATION};
use url::Url;

use super::{ConnectionPart, ConnectionStep, StepOutcome};
use crate::{Client, ClientError, refusal::excerpt, transport::Received};

/// The port that replaces port 0 in a redirect address, since browsers can't use port 0.
const SAMPLE_PORT: &str = ":49152";

impl Client {
    /// Sends the authorize request of a sign-in without a browser. A provider that doesn't know the client or the
    /// redirect address refuses at once.
    pub async fn check_authorize(&self) -> ConnectionStep {
        const PART: ConnectionPart = ConnectionPart::Authorize;
        let started = Instant::now();
        let redirect_uri =
            self.access().redirect_uris.first().map(|uri| uri.replacen(":0/", &format!("{SAMPLE_PORT}/"), 1));
        let redirect_uri = redirect_uri.unwrap_or_default();
        let target = self.access().auth_url.clone();
        let step = |outcome, finding| {
            ConnectionStep::new(PART, &target, outcome, finding).since(started).parameter("redirect", &*redirect_uri)
        };
        let failed = |error: ClientError| step(StepOutcome::Failed, "authorize-unreached").details(error);
        let request = match self.provider().authorization_request(&redirect_uri).await {
            Ok(request) => request,
            Err(error) => return self.redacted(failed(error)),
        };
        let Ok(url) = Url::parse(&request.address) else { return step(StepOutcome::Failed, "authorize-unreached") };
        let received = match self.transport().exchange(Request::new(Method::GET, url)).await {
            Ok(received) => received,
            Err(error) => return self.redacted(failed(error)),
        };
        let described = self.provider().has_metadata().await;
        let refused = |words: String| step(StepOutcome::Failed, "authorize-refused").parameter("words", words);
        let found = match (redirect_error(&received, &redirect_uri), received.status) {
            (Some(words), _) => refused(words),
            (None, 200..=399) if described => step(StepOutcome::Passed, "authorize-described"),
            (None, 200..=399) => step(StepOutcome::Passed, "authorize-answers"),
            (None, 404 | 405 | 410) => step(StepOutcome::Failed, "authorize-missing"),
            (None, 400..=499) => refused(format!("status {}", received.status)).details(excerpt(&received.body)),
            (None, _) => step(StepOutcome::Failed, "authorize-broken").details(excerpt(&received.body)),
        };
        self.redacted(
            found.parameter("status", received.status.to_string()).parameter("client", &*self.access().client_id),
        )
    }

    /// Refreshes the tokens. Passes without a refresh token, since the next read checks the access token.
    pub async fn check_token(&self) -> ConnectionStep {
        const PART: ConnectionPart = ConnectionPart::Token;
        let started = Instant::now();
        let target = self.access().auth_url.clone();
        let step = |outcome, finding| ConnectionStep::new(PART, &target, outcome, finding);
        if !self.is_signed_in() {
            return step(StepOutcome::Skipped, "token-none");
        }
        let found = match self.refresh_tokens().await {
            Ok(true) => step(StepOutcome::Passed, "token-renewed"),
            Ok(false) => step(StepOutcome::Passed, "token-kept"),
            Err(ClientError::SignInNeeded) => step(StepOutcome::Failed, "token-ended"),
            Err(error) => step(StepOutcome::Failed, "token-failed").details(error),
        };
        let missing = if found.is_failed() { Vec::new() } else { self.missing_scopes().await.unwrap_or_default() };
        if missing.is_empty() {
            return self.redacted(found.since(started));
        }
        let fewer = step(StepOutcome::Warning, "token-fewer-scopes").parameter("scopes", missing.join(", "));
        self.redacted(fewer.parameter("client", &*self.access().client_id).since(started))
    }
}

/// Returns the error in the provider's redirect.
fn redirect_error(received: &Received, redirect_uri: &str) -> Option<String> {
    let address = received.headers.get(LOCATION)?.to_str().ok()?;
    let url = Url::parse(address).ok().filter(|_| address.starts_with(redirect_uri))?;
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let error = value("error")?;
    // Without a browser session, this error is expected.
    if error == "login_required" {
        return None;
    }
    Some(match value("error_description") {
        Some(description) => format!("{error}: {description}"),
        None => error,
    })
}
