//! Who is told of events: an address, a secret to sign with, and which events it wants.

use std::fmt;

use url::Url;

use crate::{EventKind, PlantError};

/// Somebody who is told of events.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// An http or https address.
    pub url: String,
    /// What it is sent is signed with this, where there is one: as Standard Webhooks has it where it begins with `whsec_`.
    pub secret: Option<String>,
    /// The events that it is told; empty: all.
    pub events: Vec<EventKind>,
}

impl Target {
    /// Whether it is told of such events.
    #[must_use]
    pub fn accepts(&self, kind: EventKind) -> bool {
        self.events.is_empty() || self.events.contains(&kind)
    }

    /// The address, where events can be sent to it.
    pub(super) fn address(&self) -> Result<Url, PlantError> {
        let usable = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        Url::parse(&self.url).ok().filter(usable).ok_or_else(|| PlantError::Target(self.shown()))
    }

    /// The address without the password that it may carry.
    pub(crate) fn shown(&self) -> String {
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
            .field("url", &self.shown())
            .field("signed", &self.secret.is_some())
            .field("events", &self.events)
            .finish()
    }
}
