//! Checks the connection to a site step by step: names, connections, proxy, certificates, provider, token.
//!
//! [`ConnectionStep`] is the result of a step. Callers select the text for users by [`ConnectionStep::finding`].

mod provider;
mod proxy_script;
mod route;
mod tls_probe;

use std::{collections::BTreeMap, time::Instant};

use serde::{Deserialize, Serialize};

use crate::Client;

/// The part of a connection that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionPart {
    Dns,
    Tcp,
    Proxy,
    Tls,
    Authorize,
    Token,
    Read,
    Clock,
    Limit,
}

/// Whether a check passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    #[serde(rename = "ok")]
    Passed,
    /// Passed, but needs attention.
    Warning,
    Failed,
    /// Not checked, for the reason in the finding.
    Skipped,
}

/// The result of one check, with its duration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionStep {
    pub part: ConnectionPart,
    /// The checked host and port, or the checked address.
    pub target: String,
    pub outcome: StepOutcome,
    pub milliseconds: Option<u32>,
    /// The key of the text for users.
    pub finding: &'static str,
    /// The values for the placeholders of the text.
    pub parameters: BTreeMap<&'static str, String>,
    /// The technical cause, without secrets.
    pub details: Option<String>,
}

impl ConnectionStep {
    #[must_use]
    pub fn new(part: ConnectionPart, target: &str, outcome: StepOutcome, finding: &'static str) -> Self {
        Self {
            part,
            target: target.to_owned(),
            outcome,
            milliseconds: None,
            finding,
            parameters: BTreeMap::new(),
            details: None,
        }
    }

    /// Sets the duration to the time since `started`.
    #[must_use]
    pub fn since(mut self, started: Instant) -> Self {
        self.milliseconds = Some(u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX));
        self
    }

    #[must_use]
    pub fn parameter(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.parameters.insert(name, value.into());
        self
    }

    #[must_use]
    pub fn details(mut self, details: impl std::fmt::Display) -> Self {
        self.details = Some(details.to_string());
        self
    }

    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.outcome == StepOutcome::Failed
    }
}

impl Client {
    /// Removes secrets from the details and parameters of a step.
    fn redacted(&self, mut step: ConnectionStep) -> ConnectionStep {
        let redact = |text: &mut String| *text = self.redactor().redact_text(text).into_owned();
        step.details.iter_mut().for_each(redact);
        step.parameters.values_mut().for_each(redact);
        step
    }
}
