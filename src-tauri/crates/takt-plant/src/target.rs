//! A target of events: an address, a secret for signatures, and the events that it accepts.

use std::fmt;

use serde::Serialize;
use url::Url;

use crate::{EventKind, PlantError};

/// A receiver of events.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// An http or https address.
    pub url: String,
    /// The secret for signatures, if any. Secrets that begin with `whsec_` sign by Standard Webhooks.
    pub secret: Option<String>,
    /// The accepted events. Empty accepts all.
    pub events: Vec<EventKind>,
}

impl Target {
    /// Whether it accepts this kind of event.
    #[must_use]
    pub fn accepts(&self, kind: EventKind) -> bool {
        self.events.is_empty() || self.events.contains(&kind)
    }

    /// Returns the address if events can be sent to it.
    pub(crate) fn address(&self) -> Result<Url, PlantError> {
        let usable = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        Url::parse(&self.url).ok().filter(usable).ok_or_else(|| PlantError::Target(self.display_url()))
    }

    /// Returns the address without its password.
    pub(crate) fn display_url(&self) -> String {
        let Ok(mut url) = Url::parse(&self.url) else { return self.url.clone() };
        if url.password().is_some() && url.set_password(Some("***")).is_err() {
            return String::new();
        }
        url.to_string()
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Target")
            .field("url", &self.display_url())
            .field("signed", &self.secret.is_some())
            .field("events", &self.events)
            .finish()
    }
}

/// A target of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TargetView {
    pub id: u32,
    pub url: String,
    /// Whether its events are signed.
    pub signed: bool,
    /// IDs of the accepted events. Empty accepts all.
    pub events: Vec<u32>,
}
