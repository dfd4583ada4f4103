//! Whether a site can be reached, step by step, and where the way ends: names, connections, proxy, certificates, provider, token.
//!
//! Owns what is found and how long it took. Leaves to others: reading from the service, and the sentences for people, which are
//! chosen by [`ConnectionStep::finding`].

mod certificate;
mod provider;
mod proxy_script;
mod route;
mod tls_probe;
mod way;

use std::{collections::BTreeMap, time::Instant};

use serde::{Deserialize, Serialize};

/// What is looked at.
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

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    #[serde(rename = "ok")]
    Passed,
    /// It works, and somebody should look at it.
    Warning,
    Failed,
    /// It wasn't looked at, and the finding says why.
    Skipped,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionStep {
    pub part: ConnectionPart,
    /// Whom it concerned: a host with its port, an address, a path.
    pub target: String,
    pub outcome: StepOutcome,
    pub milliseconds: Option<u32>,
    /// Which sentence says what was found.
    pub finding: &'static str,
    /// What the sentence names.
    pub parameters: BTreeMap<&'static str, String>,
    /// The technical cause. Holds no secret.
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

    /// With how long it took.
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
