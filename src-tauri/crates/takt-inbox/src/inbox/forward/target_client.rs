//! How an event goes to a target: what goes along, and what isn't sent at all.

use std::{sync::Arc, time::Duration};

use takt_client::{Redactor, Timeouts, post::PostClient};
use takt_contract::wire::id_of;
use takt_journal::inbox::{Fault, RawEvent, Target};
use tokio_util::sync::CancellationToken;

use super::{
    delivery_failure::{DeliveryFailure, verdict},
    keys::Keys,
};
use takt_core::Clock;

use crate::inbox::{
    delivery::{self, FORWARDED},
    delivery_format::{DeliveryFormat, header},
};

/// How long closing waits for the response to a request that was sent.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Sends to one target.
pub(super) struct TargetClient {
    /// Absent where the address can't be used, with why.
    poster: Result<PostClient, String>,
    keys: Keys,
    format: Arc<DeliveryFormat>,
    origin: Arc<str>,
    clock: Clock,
}

/// What the clients of all targets of a receiver have in common.
pub(super) struct TargetClientParts {
    pub(super) format: Arc<DeliveryFormat>,
    pub(super) origin: Arc<str>,
    pub(super) clock: Clock,
}

impl TargetClient {
    pub(super) fn new(address: &str, keys: Keys, answer: Duration, parts: TargetClientParts) -> Self {
        let timeouts = Timeouts { whole: answer, ..Timeouts::default() };
        let poster = PostClient::new(address, timeouts).map_err(|error| error.to_string());
        let TargetClientParts { format, origin, clock } = parts;
        Self { poster, keys, format, origin, clock }
    }

    /// The same, and what is known to be secret is removed from answers and errors.
    pub(super) fn redacting(self, redactor: &Redactor) -> Self {
        Self { poster: self.poster.map(|poster| poster.redacting(redactor)), ..self }
    }

    /// Whether a target is to get an event that came from its site, and is believed.
    pub(super) fn accepts(&self, target: &Target, raw: &RawEvent) -> bool {
        is_wanted(target, raw) && !came_back(&self.origin, raw)
    }

    /// Sends once; what was begun is given up soon after `closing`. `delivery`: the id where the event has none, if it isn't the usual one.
    pub(super) async fn send(
        &self,
        target: &Target,
        (raw, delivery): (&RawEvent, Option<&str>),
        closing: &CancellationToken,
    ) -> Result<u16, DeliveryFailure> {
        let poster = self.poster.as_ref().map_err(|cause| DeliveryFailure::own(Fault::Unusable, cause))?;
        let known = &target.keys;
        if !self.keys.are_complete(known) {
            return Err(DeliveryFailure::own(Fault::KeysMissing, ""));
        }
        let giving_up = async {
            closing.cancelled().await;
            tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
        };
        let headers = self.headers(raw, delivery);
        tokio::select! {
            posted = poster.post(&headers, raw.body.clone()) => verdict(posted),
            () = giving_up => Err(DeliveryFailure::own(Fault::Lost, "")),
        }
    }

    fn headers(&self, raw: &RawEvent, delivery: Option<&str>) -> Vec<(String, String)> {
        let ours = format!("takt-{}-{}", self.origin, raw.id);
        let mut headers = delivery::headers(raw, &self.format, Some(delivery.unwrap_or(&ours)));
        let by = match header(&raw.headers, FORWARDED) {
            Some(others) => format!("{others}, {}", self.origin),
            None => self.origin.to_string(),
        };
        headers.push((FORWARDED.to_owned(), by));
        headers.extend(self.keys.headers(&self.format, &headers, &raw.body, (self.clock)()));
        headers
    }
}

pub(super) fn is_wanted(target: &Target, raw: &RawEvent) -> bool {
    target.kinds.is_empty() || id_of(&raw.body).is_some_and(|kind| target.kinds.contains(&kind))
}

/// Whether it was sent on from here before: it isn't sent round once more.
pub(super) fn came_back(origin: &str, raw: &RawEvent) -> bool {
    header(&raw.headers, FORWARDED).is_some_and(|by| by.split(',').any(|one| one.trim() == origin))
}

#[cfg(test)]
mod tests {
    use takt_journal::DEFAULT_SILENCE_TIMEOUT;

    use super::*;

    /// What people are promised of a program that is asked to end.
    const PROMISED_SHUTDOWN_TIME: Duration = Duration::from_secs(5);

    /// Whatever waits for the database is told of its silence at the same time, and what asks then is told at once. Only what is on its
    /// way to a target may still be waited for.
    #[test]
    fn a_receiver_ends_in_time_though_its_database_is_silent_and_a_target_says_nothing() {
        assert!(
            DEFAULT_SILENCE_TIMEOUT + SHUTDOWN_TIMEOUT <= PROMISED_SHUTDOWN_TIME,
            "{DEFAULT_SILENCE_TIMEOUT:?} and {SHUTDOWN_TIMEOUT:?}"
        );
    }
}
