//! The views of targets for the window and the command line.

use std::collections::BTreeMap;
use takt_journal::StoredWord;

use serde::{Deserialize, Serialize};
use takt_client::post::{PostClient, TransportSecurity};
use takt_journal::inbox::{Backlog, BlockedEvent, ForwardRow, ForwardState, RawEvent, SignatureState, Target};

use super::{
    delivery_failure::MAX_REFUSED_IN_A_ROW,
    target_client::{is_blocked_as_unencrypted, is_loop, is_selected_kind},
};
use takt_core::words::{Words, serialized_name};

use crate::events::short_id;

pub use takt_journal::inbox::Fault;

/// A target's settings by the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TargetSettings {
    /// Unique within a site.
    pub name: String,
    /// An http or https address.
    pub address: String,
    /// The service's numbers for the wanted kinds of events. Empty for all kinds.
    pub kinds: Vec<i32>,
    /// Headers to send. A header without a value keeps its stored value.
    pub headers: Vec<(String, String)>,
    /// The signing secret. If absent, the stored secret stays. If empty, events aren't signed.
    pub secret: Option<String>,
    /// Whether the user allows an http address, although others can then read the events.
    #[serde(default, rename = "allowHttp")]
    pub allow_http: bool,
}

/// The first event that a new target gets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "from", rename_all = "lowercase")]
pub enum TargetStart {
    /// The next event that arrives.
    #[default]
    Now,
    /// The oldest stored event.
    Beginning,
    /// The first event since this time (ISO 8601, in the site's time zone if it has no offset).
    Since { moment: String },
}

/// The state of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum TargetState {
    /// The target has all events.
    UpToDate,
    /// Events are waiting to be sent.
    Waiting,
    /// An event failed. Other events wait until it is accepted or excluded.
    Failing,
    /// The target refused several events in a row. No more events are excluded, and all of them wait.
    Refusing,
    /// The address is unencrypted. All events wait until the user allows that.
    Unencrypted,
    /// The target responded that it is gone. Nothing is sent until the user resumes or changes it.
    Stopped,
    Paused,
}

/// The reason why no desk sends to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum IdleReason {
    /// The site's receiver isn't running on any computer.
    NotReceiving,
    /// The secrets aren't stored on this computer, and no computer that has them is receiving.
    SecretsMissing,
}

/// A target with its state and its backlog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ForwardTarget {
    pub id: i32,
    pub site: String,
    pub name: String,
    pub address: String,
    /// Whether others can read the events on their way, because the address is unencrypted.
    pub open: bool,
    /// Whether the user allows an http address.
    pub allow_http: bool,
    pub kinds: Vec<i32>,
    /// The names of the headers to send.
    pub headers: Vec<String>,
    /// Whether events are signed.
    pub signs: bool,
    pub state: TargetState,
    /// Whether a process currently sends. Events are forwarded while the site's receiver runs.
    pub running: bool,
    /// The reason why no desk sends. Absent if a desk sends, if the target is paused or stopped, or if `miss` explains
    /// it.
    pub idle: Option<IdleReason>,
    /// The number of waiting events, counted up to 10,000.
    pub waiting: u32,
    /// The arrival of the oldest waiting event (ISO 8601 in UTC).
    pub oldest: Option<String>,
    /// The number of excluded events.
    #[serde(rename = "aside")]
    pub set_aside: u32,
    /// The time at which the target last accepted an event (ISO 8601 in UTC).
    pub took: Option<String>,
    pub miss: Option<TargetMiss>,
}

/// An event that a target didn't accept, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TargetMiss {
    pub event: i32,
    pub fault: Fault,
    /// The response's HTTP status.
    pub status: Option<u16>,
    /// The beginning of the response, or the technical cause. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
    pub tries: u32,
    /// The time of the first try (ISO 8601 in UTC). `next` is the time of the next try.
    pub since: String,
    pub next: String,
}

/// The state of an event at a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ForwardStop {
    Taken,
    #[serde(rename = "aside")]
    SetAside,
    /// Excluded, and queued again.
    Again,
    Waiting,
    /// The target doesn't get this kind of event.
    OtherKind,
    /// Not forwarded because its signature isn't valid.
    NotBelieved,
    /// Not forwarded because a user replayed it.
    Replay,
    /// Not forwarded again because it was forwarded from here before.
    #[serde(rename = "came-back")]
    AlreadyForwarded,
    /// The event arrived before the target's first event.
    #[serde(rename = "before")]
    BeforeStart,
}

/// The state of an event at a target, with the last response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ForwardedEvent {
    pub target: i32,
    pub name: String,
    pub event: i32,
    pub stop: ForwardStop,
    /// ISO 8601 in UTC. Absent if nothing was sent.
    pub at: Option<String>,
    pub tries: u32,
    pub fault: Option<Fault>,
    pub status: Option<u16>,
    /// The beginning of the response, or the technical cause. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
}

/// Creates a target's view. An error in `sender` is the reason why no desk sends.
pub(super) fn forward_target(target: Target, backlog: &Backlog, sender: Result<(), IdleReason>) -> ForwardTarget {
    let halt =
        target.blocked_event.as_ref().filter(|halt| halt.event > target.cursor || backlog.owed || target.is_stopped());
    ForwardTarget {
        id: short_id(target.id),
        open: PostClient::transport_security_of(&target.address) == TransportSecurity::Unprotected,
        allow_http: target.keys.open,
        kinds: target.kinds.iter().map(|kind| short_id(*kind)).collect(),
        state: match halt {
            _ if target.paused => TargetState::Paused,
            _ if is_blocked_as_unencrypted(&target) => TargetState::Unencrypted,
            _ if target.is_stopped() => TargetState::Stopped,
            Some(_) if target.consecutive_refusals >= MAX_REFUSED_IN_A_ROW => TargetState::Refusing,
            Some(_) => TargetState::Failing,
            None if backlog.waiting > 0 => TargetState::Waiting,
            None => TargetState::UpToDate,
        },
        running: sender.is_ok(),
        idle: sender.err().filter(|_| {
            !target.paused && !target.is_stopped() && !halt.is_some_and(|halt| halt.fault.concerns_secrets())
        }),
        waiting: backlog.waiting,
        oldest: backlog.oldest.map(|oldest| oldest.to_string()),
        set_aside: backlog.set_aside,
        took: target.last_accepted.map(|took| took.to_string()),
        miss: halt.map(target_miss),
        site: target.site,
        name: target.name,
        address: target.address,
        headers: target.keys.headers,
        signs: target.keys.signs,
    }
}

/// Creates the view of an event that a target hasn't received.
pub(super) fn view_undelivered(target: &Target, raw: &RawEvent, origin: &str, waits: bool) -> ForwardedEvent {
    let stop = if raw.replay {
        ForwardStop::Replay
    } else if !matches!(raw.signed, SignatureState::Unchecked | SignatureState::Valid) {
        ForwardStop::NotBelieved
    } else if !is_selected_kind(target, raw) {
        ForwardStop::OtherKind
    } else if is_loop(origin, raw) {
        ForwardStop::AlreadyForwarded
    } else if waits {
        ForwardStop::Waiting
    } else {
        ForwardStop::BeforeStart
    };
    let halt = target.blocked_event.as_ref().filter(|halt| halt.event == raw.id && stop == ForwardStop::Waiting);
    ForwardedEvent {
        target: short_id(target.id),
        name: target.name.clone(),
        event: short_id(raw.id),
        stop,
        at: None,
        tries: halt.map_or(0, |halt| halt.tries),
        fault: halt.map(|halt| halt.fault),
        status: halt.and_then(|halt| halt.status),
        response: halt.map(|halt| halt.response.clone()).unwrap_or_default(),
    }
}

fn target_miss(halt: &BlockedEvent) -> TargetMiss {
    TargetMiss {
        event: short_id(halt.event),
        fault: halt.fault,
        status: halt.status,
        response: halt.response.clone(),
        tries: halt.tries,
        since: halt.since.to_string(),
        next: halt.next.to_string(),
    }
}

pub(super) fn forwarded_event(name: &str, row: ForwardRow) -> ForwardedEvent {
    ForwardedEvent {
        target: short_id(row.target),
        name: name.to_owned(),
        event: short_id(row.event),
        stop: match row.state {
            ForwardState::Taken => ForwardStop::Taken,
            ForwardState::SetAside => ForwardStop::SetAside,
            ForwardState::Again => ForwardStop::Again,
        },
        at: Some(row.at.to_string()),
        tries: row.tries,
        fault: row.fault,
        status: row.status,
        response: row.response,
    }
}

/// Returns a sentence about the fault. `status` is the HTTP status of the response.
#[must_use]
pub fn forward_fault_text(fault: Fault, status: Option<u16>, words: &Words) -> String {
    let status = status.map(|status| ("status".to_owned(), status.to_string()));
    words.text(&["forward", "fault", fault.word()], &status.into_iter().collect())
}

impl TargetState {
    /// Returns the state in words.
    #[must_use]
    pub fn text(self, words: &Words) -> String {
        words.text(&["forward", "state", &serialized_name(self)], &BTreeMap::new())
    }
}
