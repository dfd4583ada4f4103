//! Sends events to one target, and selects the events that it gets.

use std::{sync::Arc, time::Duration};

use takt_client::{
    Redactor, Timeouts,
    post::{PostClient, TransportSecurity},
};
use takt_contract::wire::read_event_id;
use takt_journal::inbox::{Fault, RawEvent, Target};
use tokio_util::sync::CancellationToken;

use super::{
    delivery_failure::{DeliveryFailure, classify_response},
    target_secrets::TargetSecrets,
};
use takt_core::Clock;

use crate::{
    delivery_format::{DeliveryFormat, find_header},
    delivery_headers::{self, FORWARDED_HEADER},
};

/// The maximum wait for the response to a request in flight when the client is closed.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The HTTP client for one target.
pub(super) struct TargetClient {
    /// The text of the error if the address can't be used.
    poster: Result<PostClient, String>,
    keys: TargetSecrets,
    format: Arc<DeliveryFormat>,
    origin: Arc<str>,
    clock: Clock,
}

/// The parts that the clients of a receiver share.
pub(super) struct TargetClientParts {
    pub(super) format: Arc<DeliveryFormat>,
    pub(super) origin: Arc<str>,
    pub(super) clock: Clock,
}

impl TargetClient {
    pub(super) fn new(address: &str, keys: TargetSecrets, answer: Duration, parts: TargetClientParts) -> Self {
        let timeouts = Timeouts { request: answer, ..Timeouts::default() };
        let poster = PostClient::new(address, timeouts).map_err(|error| error.to_string());
        let TargetClientParts { format, origin, clock } = parts;
        Self { poster, keys, format, origin, clock }
    }

    /// Adds a redactor that removes known secrets from responses and errors.
    pub(super) fn with_redactor(self, redactor: &Redactor) -> Self {
        Self { poster: self.poster.map(|poster| poster.with_redactor(redactor)), ..self }
    }

    /// Returns whether a target gets an event of its site.
    pub(super) fn accepts(&self, target: &Target, raw: &RawEvent) -> bool {
        is_selected_kind(target, raw) && !is_loop(&self.origin, raw)
    }

    /// Sends an event once, and gives up soon after `closing`. `delivery` replaces the usual ID of an event that was
    /// received without an ID.
    pub(super) async fn send(
        &self,
        target: &Target,
        raw: &RawEvent,
        delivery: Option<&str>,
        closing: &CancellationToken,
    ) -> Result<u16, DeliveryFailure> {
        let poster = self.poster.as_ref().map_err(|cause| DeliveryFailure::unsent(Fault::Unusable, cause))?;
        if !self.keys.are_complete(&target.keys) {
            return Err(DeliveryFailure::unsent(Fault::KeysMissing, ""));
        }
        let giving_up = async {
            closing.cancelled().await;
            tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
        };
        let headers = self.headers(raw, delivery);
        tokio::select! {
            posted = poster.post(&headers, raw.body.clone(), &self.clock) => classify_response(posted),
            () = giving_up => Err(DeliveryFailure::unsent(Fault::Lost, "")),
        }
    }

    fn headers(&self, raw: &RawEvent, delivery: Option<&str>) -> Vec<(String, String)> {
        let default_id = format!("takt-{}-{}", self.origin, raw.id);
        let mut headers = delivery_headers::build_headers(raw, &self.format, Some(delivery.unwrap_or(&default_id)));
        let origins = match find_header(&raw.headers, FORWARDED_HEADER) {
            Some(origins) => format!("{origins}, {}", self.origin),
            None => self.origin.to_string(),
        };
        headers.push((FORWARDED_HEADER.to_owned(), origins));
        headers.extend(self.keys.headers(&self.format, &headers, &raw.body, (self.clock)()));
        headers
    }
}

/// Returns whether the target's address is unencrypted without permission, as earlier versions allowed. Its events
/// wait.
pub(super) fn is_blocked_as_unencrypted(target: &Target) -> bool {
    !target.keys.open && PostClient::transport_security_of(&target.address) == TransportSecurity::Unprotected
}

pub(super) fn is_selected_kind(target: &Target, raw: &RawEvent) -> bool {
    target.kinds.is_empty() || read_event_id(&raw.body).is_some_and(|kind| target.kinds.contains(&kind))
}

/// Returns whether the event was forwarded from here before. Such an event isn't forwarded again.
pub(super) fn is_loop(origin: &str, raw: &RawEvent) -> bool {
    find_header(&raw.headers, FORWARDED_HEADER)
        .is_some_and(|origins| origins.split(',').any(|one| one.trim() == origin))
}

#[cfg(test)]
mod tests {
    use takt_journal::DEFAULT_SILENCE_TIMEOUT;

    use super::*;

    /// The promised time in which a program ends.
    const PROMISED_SHUTDOWN_TIME: Duration = Duration::from_secs(5);

    /// A shutdown takes at most one database timeout plus the timeout of requests in flight, because all database calls
    /// time out together.
    #[test]
    fn a_receiver_ends_in_time_though_its_database_is_silent_and_a_target_says_nothing() {
        assert!(
            DEFAULT_SILENCE_TIMEOUT + SHUTDOWN_TIMEOUT <= PROMISED_SHUTDOWN_TIME,
            "{DEFAULT_SILENCE_TIMEOUT:?} and {SHUTDOWN_TIMEOUT:?}"
        );
    }
}
