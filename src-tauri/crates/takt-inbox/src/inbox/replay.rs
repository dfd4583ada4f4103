//! Events sent once more, by a person: to a system that missed them, or to try one out.
//!
//! Owns which ones, and how they leave: one after the other, their bytes as they came, and marked as a replay. They are
//! signed anew, with the target's secret or with the site's. Nothing is sent twice by itself.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};
use takt_client::{
    Canceller, ClientError, Secret, Timeouts,
    post::{PostClient, TransportSecurity},
};
use takt_core::blocking::run_blocking;
use takt_journal::inbox::RawEvent;

use super::{
    delivery::{self, REPLAY},
    delivery_format::DeliveryFormat,
    forward::{self, Keys},
};
use takt_core::{Code, Problem};
use takt_sites::sites::PRACTICE;

use crate::{
    EventInbox,
    events::{EventQuery, short},
};

/// The most that one replay sends: who has more narrows the filter.
const MAX_EVENTS: u32 = 100_000;

/// Where events are replayed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "to", rename_all = "lowercase")]
pub enum Destination {
    /// An http or https address, and a person's choice that it may begin with http.
    Address {
        address: String,
        #[serde(default, rename = "allowHttp")]
        allow_http: bool,
    },
    /// Where the site's events are sent on to, with all that goes along.
    Target { id: i32 },
}

/// What is to be sent, where to, and how fast.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// Whose events; absent: of whichever site, in a team not of the practice plant.
    pub site: Option<String>,
    /// Numbers of events, in the order in which they are to leave.
    pub events: Vec<i64>,
    pub to: Destination,
    /// How many leave in a second, at most.
    pub per_second: f64,
}

/// What a replay would send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ReplayPlan {
    pub count: u32,
    /// More fit than one replay sends; these are the oldest.
    pub cut: bool,
    /// How many of each of the service's numbers; absent where an event has none.
    pub kinds: Vec<(Option<i32>, u32)>,
    /// When the first and the last of them came; ISO 8601 in UTC.
    pub first: Option<String>,
    pub last: Option<String>,
    /// The last of them; none where there is nothing. What comes later isn't part of it.
    pub up_to: Option<i32>,
    /// Where they would go.
    pub address: String,
    /// Others can read on the way what is sent there.
    pub open: bool,
}

/// What became of one event that was sent once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReplayResult {
    pub event: i32,
    /// The answer's HTTP status; absent where none came.
    pub status: Option<u16>,
    /// The beginning of the answer, or why there is none. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
}

impl ReplayResult {
    /// Whether the other side took it.
    #[must_use]
    pub fn taken(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}

impl EventInbox {
    /// Numbers of the events that fit, oldest first; the oldest hundred thousand of more.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the begin or the end is no moment.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn replayable(&self, query: &EventQuery) -> Result<Vec<i64>, Problem> {
        let (inbox, reading) = self.reader.of(query.site.as_deref())?;
        reading.catch_up(super::CATCH_UP_TIMEOUT).await;
        let filter = self.event_filter(query)?;
        run_blocking(move || Ok(inbox.numbers(&filter, MAX_EVENTS + 1)?)).await
    }

    /// What a replay of a site's events would send, and where to. Sends nothing.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - [`Code::InvalidInput`]: the address can't be used.
    /// - [`Code::Precondition`]: the target's address is unencrypted, and nobody allowed that (`target-plain-http`).
    /// - A [journal code](takt_core::problem#journal-codes): the targets or the events can't be read.
    pub async fn plan_replay(
        &self,
        site: Option<&str>,
        events: &[i64],
        to: &Destination,
    ) -> Result<ReplayPlan, Problem> {
        let (address, _) = self.leads_to(site, to)?;
        let open =
            PostClient::new(&address, Timeouts::default())?.transport_security() == TransportSecurity::Unprotected;
        let (inbox, _) = self.reader.of(site)?;
        let cut = events.len() > MAX_EVENTS as usize;
        let events: Vec<i64> = events.iter().copied().take(MAX_EVENTS as usize).collect();
        run_blocking(move || {
            let (mut kinds, mut span) = (BTreeMap::new(), None);
            for chunk in events.chunks(500) {
                for row in inbox.rows(chunk)? {
                    *kinds.entry(row.kind.and_then(|kind| i32::try_from(kind).ok())).or_insert(0) += 1;
                    let (first, last) = span.unwrap_or((row.received, row.received));
                    span = Some((row.received.min(first), row.received.max(last)));
                }
            }
            Ok(ReplayPlan {
                up_to: events.iter().max().map(|event| short(*event)),
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

    /// Sends events once more, one after the other, and tells what became of each. Goes on after one that wasn't taken; ends
    /// early when it is cancelled.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target, or an event is gone; those before it were sent.
    /// - [`Code::InvalidInput`]: the address or the pace can't be used.
    /// - [`Code::Precondition`]: the address is unencrypted, and nobody allowed that (`plain-http`, `target-plain-http`).
    /// - A [journal code](takt_core::problem#journal-codes): the targets or the events can't be read. That an event isn't
    ///   taken is no error, it stands in [`Replayed`].
    pub async fn replay(
        &self,
        replay: &Replay,
        canceller: &Canceller,
        mut told: impl FnMut(ReplayResult),
    ) -> Result<(), Problem> {
        let site = replay.site.as_deref();
        let (address, own) = self.leads_to(site, &replay.to)?;
        let redactor = self.sites.vault(PRACTICE).redactor().clone();
        let poster = PostClient::new(&address, Timeouts::default())?.redacting(&redactor);
        if let Destination::Address { allow_http, .. } = &replay.to {
            forward::allowed(&poster, &address, *allow_http)?;
        }
        let (inbox, _) = self.reader.of(site)?;
        let breath = Duration::try_from_secs_f64(1.0 / replay.per_second)
            .map_err(|_| Problem::new(Code::InvalidInput).parameter("what", replay.per_second.to_string()))?;
        for (at, id) in replay.events.iter().take(MAX_EVENTS as usize).enumerate() {
            if at > 0 {
                tokio::select! {
                    () = tokio::time::sleep(breath) => {}
                    () = canceller.cancelled() => {}
                }
            }
            if canceller.is_cancelled() {
                return Ok(());
            }
            let missing = || Problem::new(Code::Unknown).parameter("what", id.to_string());
            let raw = inbox.raw(*id)?.ok_or_else(missing)?;
            let headers = self.headers(&raw, &DeliveryFormat::of(&self.contract_of(&raw.site)), own.as_ref());
            tokio::select! {
                posted = poster.post(&headers, raw.body) => told(outcome(*id, posted)),
                () = canceller.cancelled() => return Ok(()),
            }
        }
        Ok(())
    }

    /// The address, and what goes along where that is a target's.
    fn leads_to(&self, site: Option<&str>, to: &Destination) -> Result<(String, Option<Keys>), Problem> {
        match to {
            Destination::Address { address, .. } => Ok((address.clone(), None)),
            Destination::Target { id } => {
                self.targets.keys(site, i64::from(*id)).map(|(address, keys)| (address, Some(keys)))
            }
        }
    }

    fn headers(&self, raw: &RawEvent, format: &DeliveryFormat, own: Option<&Keys>) -> Vec<(String, String)> {
        let mut headers = delivery::headers(raw, format, None);
        headers.push((REPLAY.to_owned(), raw.id.to_string()));
        match own {
            Some(keys) => headers.extend(keys.headers(format, &headers, &raw.body, (self.clock)())),
            None => {
                let secret: Option<Secret> = self.secrets(&raw.site).into_iter().next();
                let sign = |secret| delivery::signature(secret, format, &headers, &raw.body, (self.clock)());
                let signed: Vec<_> = secret.iter().flat_map(sign).collect();
                headers.extend(signed);
            }
        }
        headers
    }
}

fn outcome(id: i64, posted: Result<takt_client::post::PostResponse, ClientError>) -> ReplayResult {
    let event = short(id);
    match posted {
        Ok(posted) => ReplayResult { event, status: Some(posted.status), response: posted.answer },
        Err(error) => ReplayResult { event, status: None, response: error.to_string() },
    }
}
