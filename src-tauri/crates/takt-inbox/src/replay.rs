//! Replays events at a user's request, to a system that missed them or for tests.
//!
//! Events are sent in order with their original bytes and marked as replays. They are signed again with the target's
//! secret or the site's. No event is retried.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use takt_client::{
    Canceller, ClientError, Secret, Timeouts,
    post::{PostClient, TransportSecurity},
};
use takt_journal::inbox::RawEvent;

use takt_core::{Code, Problem};
use takt_sites::PRACTICE;

use crate::{
    delivery_format::DeliveryFormat,
    delivery_headers::{self, REPLAY_HEADER},
    event_inbox::EventInbox,
    events::{EventQuery, short_id},
    forward::{self, TargetSecrets},
};

/// The maximum number of events in a replay. With more events, users narrow the filter.
const MAX_EVENTS: u32 = 100_000;

/// The destination of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "to", rename_all = "lowercase")]
pub enum Destination {
    /// An http or https address. The user must allow http.
    Address {
        address: String,
        #[serde(default, rename = "allowHttp")]
        allow_http: bool,
    },
    /// A target of the site, with its headers and signature.
    Target { id: i32 },
}

/// The events, destination and rate of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// The site of the events. If absent, any site, except a team's practice plant.
    pub site: Option<String>,
    /// The IDs of the events, in the order of sending.
    pub events: Vec<i64>,
    pub to: Destination,
    /// The maximum number of events per second.
    pub per_second: f64,
}

/// A preview of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ReplayPlan {
    pub count: u32,
    /// Whether more events match than one replay sends. The plan has the oldest.
    pub cut: bool,
    /// The number of events by the service's number of their kind.
    pub kinds: Vec<(Option<i32>, u32)>,
    /// The arrival of the first event (ISO 8601 in UTC). `last` is the arrival of the last event.
    pub first: Option<String>,
    pub last: Option<String>,
    /// The ID of the newest event in the replay. Absent if there is no event.
    pub up_to: Option<i32>,
    /// The address of the destination.
    pub address: String,
    /// Whether others can read the events on their way, because the address is unencrypted.
    pub open: bool,
}

/// The result of one replayed event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReplayResult {
    pub event: i32,
    /// The response's HTTP status. Absent without a response.
    pub status: Option<u16>,
    /// The beginning of the response, or the reason why there is none. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
}

impl ReplayResult {
    /// Returns whether the destination accepted the event.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}

impl EventInbox {
    /// Returns the IDs of the matching events, oldest first. Returns at most one more than a replay sends.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the begin or the end isn't a time.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn list_replayable_ids(&self, query: &EventQuery) -> Result<Vec<i64>, Problem> {
        let inbox = self.catch_up(query.site.as_deref()).await?;
        let query = query.clone();
        self.run_blocking(move |inboxes| Ok(inbox.event_numbers(&inboxes.event_filter(&query)?, MAX_EVENTS + 1)?)).await
    }

    /// Previews a replay of a site's events. Sends nothing.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - [`Code::InvalidInput`]: the address can't be used.
    /// - [`Code::Precondition`]: the target's address is unencrypted, and the user didn't allow that
    ///   (`target-plain-http`).
    /// - A [journal code](takt_core::problem#journal-codes): the targets or the events can't be read.
    pub async fn plan_replay(
        &self,
        site: Option<&str>,
        events: &[i64],
        to: &Destination,
    ) -> Result<ReplayPlan, Problem> {
        let cut = events.len() > MAX_EVENTS as usize;
        let events: Vec<i64> = events.iter().copied().take(MAX_EVENTS as usize).collect();
        let (site, to) = (site.map(str::to_owned), to.clone());
        self.run_blocking(move |inboxes| {
            let (address, _) = inboxes.resolve_destination(site.as_deref(), &to)?;
            let open =
                PostClient::new(&address, Timeouts::default())?.transport_security() == TransportSecurity::Unprotected;
            let (inbox, _) = inboxes.reader.open(site.as_deref())?;
            let (mut kinds, mut span) = (BTreeMap::new(), None);
            for chunk in events.chunks(500) {
                for row in inbox.events_by_number(chunk)? {
                    *kinds.entry(row.kind.and_then(|kind| i32::try_from(kind).ok())).or_insert(0) += 1;
                    let (first, last) = span.unwrap_or((row.received, row.received));
                    span = Some((row.received.min(first), row.received.max(last)));
                }
            }
            Ok(ReplayPlan {
                up_to: events.iter().max().map(|event| short_id(*event)),
                count: kinds.values().sum(),
                cut,
                kinds: kinds.into_iter().collect(),
                first: span.map(|(first, _)| first.to_string()),
                last: span.map(|(_, last)| last.to_string()),
                address,
                open,
            })
        })
        .await
    }

    /// Sends events again one by one and reports each result. Continues after a failure, and stops if it is canceled.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target, or an event was removed. The events before it were sent.
    /// - [`Code::InvalidInput`]: the address or the rate can't be used.
    /// - [`Code::Precondition`]: the address is unencrypted, and the user didn't allow that (`plain-http`,
    ///   `target-plain-http`).
    /// - A [journal code](takt_core::problem#journal-codes): the targets or the events can't be read. A failed delivery
    ///   is no error, see [`ReplayResult`].
    pub async fn replay(
        &self,
        replay: &Replay,
        canceller: &Canceller,
        mut on_result: impl FnMut(ReplayResult),
    ) -> Result<(), Problem> {
        let (owned_site, to) = (replay.site.clone(), replay.to.clone());
        let opened = self.run_blocking(move |events| {
            let (address, target_keys) = events.resolve_destination(owned_site.as_deref(), &to)?;
            let (inbox, _) = events.reader.open(owned_site.as_deref())?;
            Ok((address, target_keys.map(Arc::new), inbox))
        });
        let (address, target_keys, inbox) = opened.await?;
        let redactor = self.sites.vault(PRACTICE).redactor().clone();
        let poster = PostClient::new(&address, Timeouts::default())?.with_redactor(&redactor);
        if let Destination::Address { allow_http, .. } = &replay.to {
            forward::check_transport_security(&poster, &address, *allow_http)?;
        }
        let interval = Duration::try_from_secs_f64(1.0 / replay.per_second)
            .map_err(|_| Problem::new(Code::InvalidInput).parameter("what", replay.per_second.to_string()))?;
        for (index, id) in replay.events.iter().take(MAX_EVENTS as usize).enumerate() {
            if index > 0 {
                tokio::select! {
                    () = tokio::time::sleep(interval) => {}
                    () = canceller.cancelled() => {}
                }
            }
            if canceller.is_cancelled() {
                return Ok(());
            }
            let (inbox, target_keys, id) = (Arc::clone(&inbox), target_keys.clone(), *id);
            let loaded = self.run_blocking(move |events| {
                let missing = || Problem::new(Code::Unknown).parameter("what", id.to_string());
                let raw = inbox.raw_event(id)?.ok_or_else(missing)?;
                let format = DeliveryFormat::from_contract(&*events.sites.contract(&raw.site)?);
                Ok((events.replay_headers(&raw, &format, target_keys.as_deref()), raw.body))
            });
            let (headers, body) = loaded.await?;
            tokio::select! {
                posted = poster.post(&headers, body, &self.clock) => on_result(to_replay_result(id, posted)),
                () = canceller.cancelled() => return Ok(()),
            }
        }
        Ok(())
    }

    /// Returns the address of the destination, and the secrets if it is a target.
    fn resolve_destination(
        &self,
        site: Option<&str>,
        to: &Destination,
    ) -> Result<(String, Option<TargetSecrets>), Problem> {
        match to {
            Destination::Address { address, .. } => Ok((address.clone(), None)),
            Destination::Target { id } => {
                self.targets.target_secrets(site, i64::from(*id)).map(|(address, keys)| (address, Some(keys)))
            }
        }
    }

    fn replay_headers(
        &self,
        raw: &RawEvent,
        format: &DeliveryFormat,
        target_keys: Option<&TargetSecrets>,
    ) -> Vec<(String, String)> {
        let mut headers = delivery_headers::build_headers(raw, format, None);
        headers.push((REPLAY_HEADER.to_owned(), raw.id.to_string()));
        match target_keys {
            Some(keys) => headers.extend(keys.headers(format, &headers, &raw.body, (self.clock)())),
            None => {
                let secret: Option<Secret> = self.secrets(&raw.site).into_iter().next();
                let sign =
                    |secret| delivery_headers::sign_delivery(secret, format, &headers, &raw.body, (self.clock)());
                let signed: Vec<_> = secret.iter().flat_map(sign).collect();
                headers.extend(signed);
            }
        }
        headers
    }
}

fn to_replay_result(id: i64, posted: Result<takt_client::post::PostResponse, ClientError>) -> ReplayResult {
    let event = short_id(id);
    match posted {
        Ok(posted) => ReplayResult { event, status: Some(posted.status), response: posted.body },
        Err(error) => ReplayResult { event, status: None, response: error.to_string() },
    }
}
