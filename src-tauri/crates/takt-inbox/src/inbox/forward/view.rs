//! What the window and the command line see of targets.

use std::collections::BTreeMap;
use takt_journal::StoredWord;

use serde::{Deserialize, Serialize};
use takt_client::post::{PostClient, TransportSecurity};
use takt_journal::inbox::{Backlog, BlockedEvent, ForwardRow, ForwardState, RawEvent, SignatureState, Target};

use super::{
    delivery_failure::IN_A_ROW,
    is_held,
    target_client::{came_back, is_wanted},
};
use takt_core::words::{Words, name};

use crate::events::short;

pub use takt_journal::inbox::Fault;

/// A target as a person wants it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TargetSettings {
    /// One per site.
    pub name: String,
    /// An http or https address.
    pub address: String,
    /// The service's numbers of events; empty for all.
    pub kinds: Vec<i32>,
    /// Headers that go along; one without a value keeps the value that it has.
    pub headers: Vec<(String, String)>,
    /// What is signed with. Absent: what is kept stays; empty: nothing is signed.
    pub secret: Option<String>,
    /// A person's choice: the address may begin with http, so that others can read on the way what is sent there.
    #[serde(default, rename = "allowHttp")]
    pub allow_http: bool,
}

/// The first event that a new target gets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "from", rename_all = "lowercase")]
pub enum TargetStart {
    /// The next one that comes.
    #[default]
    Now,
    /// The oldest one that is kept.
    Beginning,
    /// The first one that came at this moment or later; ISO 8601, without an offset in the site's time.
    Since { moment: String },
}

/// How a target is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum TargetState {
    /// It has everything.
    UpToDate,
    /// Some are on their way to it.
    Waiting,
    /// It didn't take one; the others wait until it does, or until that one is set aside.
    Failing,
    /// It refused several in a row: nothing is set aside any more, all wait.
    Refusing,
    /// Its address isn't encrypted. All events wait until a person allows that.
    Unencrypted,
    /// It answered that it is gone: nothing more is sent until a person resumes or changes it.
    Stopped,
    Paused,
}

/// Why no desk sends to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum IdleReason {
    /// The site's receiver runs nowhere.
    NotReceiving,
    /// What is secret about it isn't kept at this computer, and no computer that has it receives.
    SecretsMissing,
}

/// A target, how it is doing, and what it hasn't got yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ForwardTarget {
    pub id: i32,
    pub site: String,
    pub name: String,
    pub address: String,
    /// Others can read on the way what is sent there.
    pub open: bool,
    /// A person's choice: the address may begin with http.
    pub allow_http: bool,
    pub kinds: Vec<i32>,
    /// Names of headers that go along.
    pub headers: Vec<String>,
    /// What is sent is signed.
    pub signs: bool,
    pub state: TargetState,
    /// Whether somebody sends at this moment; events are sent on where the site's receiver runs.
    pub running: bool,
    /// Why no desk does. Absent if one does, if the target is paused, and if `miss` says it.
    pub idle: Option<IdleReason>,
    /// No more than 10,000 are counted.
    pub waiting: u32,
    /// When the oldest that waits came; ISO 8601 in UTC.
    pub oldest: Option<String>,
    /// How many are set aside.
    #[serde(rename = "aside")]
    pub set_aside: u32,
    /// When it last took one; ISO 8601 in UTC.
    pub took: Option<String>,
    pub miss: Option<TargetMiss>,
}

/// An event that a target didn't take, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TargetMiss {
    pub event: i32,
    pub fault: Fault,
    /// The answer's HTTP status.
    pub status: Option<u16>,
    /// The beginning of the answer, or the technical cause. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
    pub tries: u32,
    /// When it was tried first, and when it is tried next; ISO 8601 in UTC.
    pub since: String,
    pub next: String,
}

/// Where an event is on its way to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ForwardStop {
    Taken,
    Aside,
    /// Set aside, and to be sent again.
    Again,
    Waiting,
    /// The target isn't told of this kind.
    OtherKind,
    /// Its signature isn't believed: it isn't sent on.
    NotBelieved,
    /// A person's replay: it isn't sent on.
    Replay,
    /// It was sent on from here before, and came back.
    CameBack,
    /// It came before the target was to get any.
    Before,
}

/// What became of an event at a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ForwardedEvent {
    pub target: i32,
    pub name: String,
    pub event: i32,
    pub stop: ForwardStop,
    /// ISO 8601 in UTC; absent where nothing was sent.
    pub at: Option<String>,
    pub tries: u32,
    pub fault: Option<Fault>,
    pub status: Option<u16>,
    /// The beginning of the answer, or the technical cause. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
}

/// `running` or why not.
pub(super) fn target(target: Target, backlog: &Backlog, sender: Result<(), IdleReason>) -> ForwardTarget {
    let halt = target.halt.as_ref().filter(|halt| halt.event > target.cursor || backlog.owed || target.is_stopped());
    ForwardTarget {
        id: short(target.id),
        open: PostClient::transport_security_of(&target.address) == TransportSecurity::Unprotected,
        allow_http: target.keys.open,
        kinds: target.kinds.iter().map(|kind| short(*kind)).collect(),
        state: match halt {
            _ if target.paused => TargetState::Paused,
            _ if is_held(&target) => TargetState::Unencrypted,
            _ if target.is_stopped() => TargetState::Stopped,
            Some(_) if target.refused >= IN_A_ROW => TargetState::Refusing,
            Some(_) => TargetState::Failing,
            None if backlog.waiting > 0 => TargetState::Waiting,
            None => TargetState::UpToDate,
        },
        running: sender.is_ok(),
        idle: sender
            .err()
            .filter(|_| !target.paused && !target.is_stopped() && !halt.is_some_and(|halt| halt.fault.is_of_secrets())),
        waiting: backlog.waiting,
        oldest: backlog.oldest.map(|oldest| oldest.to_string()),
        set_aside: backlog.set_aside,
        took: target.took.map(|took| took.to_string()),
        miss: halt.map(miss),
        site: target.site,
        name: target.name,
        address: target.address,
        headers: target.keys.headers,
        signs: target.keys.signs,
    }
}

/// Of an event that a target hasn't got.
pub(super) fn without(target: &Target, raw: &RawEvent, (origin, waits): (&str, bool)) -> ForwardedEvent {
    let stop = if raw.replay {
        ForwardStop::Replay
    } else if !matches!(raw.signed, SignatureState::Unchecked | SignatureState::Valid) {
        ForwardStop::NotBelieved
    } else if !is_wanted(target, raw) {
        ForwardStop::OtherKind
    } else if came_back(origin, raw) {
        ForwardStop::CameBack
    } else if waits {
        ForwardStop::Waiting
    } else {
        ForwardStop::Before
    };
    let halt = target.halt.as_ref().filter(|halt| halt.event == raw.id && stop == ForwardStop::Waiting);
    ForwardedEvent {
        target: short(target.id),
        name: target.name.clone(),
        event: short(raw.id),
        stop,
        at: None,
        tries: halt.map_or(0, |halt| halt.tries),
        fault: halt.map(|halt| halt.fault),
        status: halt.and_then(|halt| halt.status),
        response: halt.map(|halt| halt.response.clone()).unwrap_or_default(),
    }
}

fn miss(halt: &BlockedEvent) -> TargetMiss {
    TargetMiss {
        event: short(halt.event),
        fault: halt.fault,
        status: halt.status,
        response: halt.response.clone(),
        tries: halt.tries,
        since: halt.since.to_string(),
        next: halt.next.to_string(),
    }
}

pub(super) fn forwarded(name: &str, row: ForwardRow) -> ForwardedEvent {
    ForwardedEvent {
        target: short(row.target),
        name: name.to_owned(),
        event: short(row.event),
        stop: match row.state {
            ForwardState::Taken => ForwardStop::Taken,
            ForwardState::Aside => ForwardStop::Aside,
            ForwardState::Again => ForwardStop::Again,
        },
        at: Some(row.at.to_string()),
        tries: row.tries,
        fault: row.fault,
        status: row.status,
        response: row.response,
    }
}

/// Why a target didn't take an event, as a sentence. `status` is that of its answer.
#[must_use]
pub fn forward_fault_text(fault: Fault, status: Option<u16>, words: &Words) -> String {
    let status = status.map(|status| ("status".to_owned(), status.to_string()));
    words.text(&["forward", "fault", fault.word()], &status.into_iter().collect())
}

impl TargetState {
    /// The state in words.
    #[must_use]
    pub fn text(self, words: &Words) -> String {
        words.text(&["forward", "state", &name(self)], &BTreeMap::new())
    }
}
