//! A target with its secrets' names, its progress and its blocked event, and the faults that block it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::inbox::store::Inbox;

/// A target to be added, or the new values of a target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTarget {
    pub site: String,
    /// Unique within the site.
    pub name: String,
    pub address: String,
    /// The service's numbers for the wanted kinds of events. Empty for all kinds.
    pub kinds: Vec<i64>,
    pub keys: TargetKeys,
    /// The time at which a person added or changed the target.
    pub at: Timestamp,
}

/// The secrets of a target, without their values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetKeys {
    /// The names of headers with secret values.
    pub headers: Vec<String>,
    /// True if requests are signed.
    pub signs: bool,
    /// Increases whenever a secret changes.
    pub version: u32,
    /// True if a person allowed unencrypted requests. False for targets that an earlier version stored.
    #[serde(default)]
    pub open: bool,
}

/// The first event that a target gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForwardStart {
    /// The next event that is received.
    Now,
    /// The oldest stored event.
    Beginning,
    /// The first event that was received at this time or later.
    Since(Timestamp),
}

/// A target with its progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub id: i64,
    pub site: String,
    pub name: String,
    pub address: String,
    pub kinds: Vec<i64>,
    pub keys: TargetKeys,
    pub paused: bool,
    /// The number of the last event before the chosen start. The target gets only later events.
    pub start_after: i64,
    /// All events up to this number are settled.
    pub cursor: i64,
    /// The time at which the target last accepted an event.
    pub last_accepted: Option<Timestamp>,
    /// The number of consecutive events that were set aside since the target last accepted one.
    pub consecutive_refusals: u32,
    pub blocked_event: Option<BlockedEvent>,
    /// Increases whenever a person resumes, changes or retries the target. The result of an earlier delivery is then
    /// ignored.
    pub revision: u32,
}

impl Target {
    /// Returns whether the target responded that it is gone permanently. Nothing is sent until a person resumes or
    /// changes it.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.blocked_event.as_ref().is_some_and(|blocked| blocked.fault == Fault::Gone)
    }
}

/// An event that a target didn't accept and that blocks its queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedEvent {
    pub event: i64,
    pub tries: u32,
    /// The time of the first try.
    pub since: Timestamp,
    pub next: Timestamp,
    pub fault: Fault,
    /// The HTTP status of the response.
    pub status: Option<u16>,
    /// The beginning of the response, or the technical cause. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
}

/// Reads and changes the targets of all sites, with their progress and queues.
#[derive(Debug, Clone, Copy)]
pub struct Targets<'a>(pub(crate) &'a Inbox);

impl Inbox {
    /// Returns access to the targets of all sites.
    #[must_use]
    pub fn targets(&self) -> Targets<'_> {
        Targets(self)
    }
}

/// The reason why a target didn't accept an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Fault {
    /// The connection, the name lookup or TLS failed.
    Unreachable,
    /// The target didn't respond in time.
    Late,
    /// The connection broke before the response was complete.
    Lost,
    /// The target refused the event.
    Refused,
    /// The target is busy or temporarily out of order.
    Busy,
    /// The target refused the sender's credentials.
    Denied,
    /// The target redirected to another address, and redirects aren't followed.
    Redirected,
    /// The target's secrets were only stored until the computer or Takt was restarted.
    KeysMissing,
    /// The target's address or a header can't be used.
    Unusable,
    /// The target responded that it is gone permanently. Nothing is sent until a person resumes it.
    Gone,
}

impl Fault {
    /// Returns whether the fault is about the target's secrets, which another computer of the team may have.
    #[must_use]
    pub fn concerns_secrets(self) -> bool {
        matches!(self, Self::Denied | Self::KeysMissing)
    }
}
