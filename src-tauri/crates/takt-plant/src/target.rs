//! A target of events, with its address, its secret for signatures, and the events that it accepts.

use std::fmt;

use serde::Serialize;
use url::Url;

use crate::{EventKind, PlantError};

/// A receiver of events.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// The http or https address.
    pub url: String,
    /// The secret for signatures. Secrets with the prefix `whsec_` use Standard Webhooks.
    pub secret: Option<String>,
    /// The accepted events. Empty means all events.
    pub events: Vec<EventKind>,
}

impl Target {
    /// Returns whether the target accepts an event.
    #[must_use]
    pub fn accepts(&self, kind: EventKind) -> bool {
        self.events.is_empty() || self.events.contains(&kind)
    }

    /// Returns the parsed address. Fails if it isn't http or https.
    pub(crate) fn address(&self) -> Result<Url, PlantError> {
        let usable = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        Url::parse(&self.url).ok().filter(usable).ok_or_else(|| PlantError::Target(self.display_url()))
    }

    /// Returns the address with its password masked.
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

/// A target as shown to users, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TargetView {
    pub id: u32,
    pub url: String,
    /// Whether events are signed.
    pub signed: bool,
    /// The numbers of the accepted events. Empty means all events.
    pub events: Vec<u32>,
}
