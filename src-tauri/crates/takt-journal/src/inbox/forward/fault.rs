//! Why a target didn't accept an event.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// Why a target didn't accept an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Fault {
    /// The connection, the name lookup or TLS failed.
    Unreachable,
    /// It didn't respond in time.
    Late,
    /// The connection broke before the response was complete.
    Lost,
    /// It refused the event.
    Refused,
    /// It is busy or out of order for now.
    Busy,
    /// It refused the sender's credentials.
    Denied,
    /// It redirected to another address, and redirects aren't followed.
    Redirected,
    /// Its secrets were only stored until the computer or Takt was restarted.
    KeysMissing,
    /// Its address or a header can't be used.
    Unusable,
    /// It responded that it is gone for good. Nothing is sent until a person resumes it.
    Gone,
}

impl Fault {
    /// Returns whether the fault is about the target's secrets, which another computer of the team may have.
    #[must_use]
    pub fn is_of_secrets(self) -> bool {
        matches!(self, Self::Denied | Self::KeysMissing)
    }
}
