//! What a look at a site's connection found, as people and scripts read it.

use std::collections::BTreeMap;

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
    Ok,
    /// It works, and somebody should look at it.
    Warning,
    Failed,
    /// It wasn't looked at, and the finding says why.
    Skipped,
}

impl ConnectionPart {
    /// As the language files call it.
    #[must_use]
    pub fn name(self) -> String {
        takt_core::words::name(self)
    }
}

impl StepOutcome {
    /// As the language files call it.
    #[must_use]
    pub fn name(self) -> String {
        takt_core::words::name(self)
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ConnectionStep {
    pub part: ConnectionPart,
    /// Whom it concerned: a host with its port, an address, a path.
    pub target: String,
    pub outcome: StepOutcome,
    /// How long it took.
    pub milliseconds: Option<u32>,
    /// The key of the sentence that says what was found, in the section `connection`.
    pub finding: String,
    /// What the sentence names. Not trusted.
    pub parameters: BTreeMap<String, String>,
    /// The technical cause. Not trusted.
    pub details: Option<String>,
}

/// The whole way to a site, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ConnectionCheck {
    pub site: String,
    /// The worst of the steps.
    pub outcome: StepOutcome,
    pub steps: Vec<ConnectionStep>,
    /// What was said between Takt and the identity provider, without secrets.
    pub transcript: String,
}

impl ConnectionCheck {
    pub(crate) fn new(site: &str, steps: Vec<ConnectionStep>, transcript: String) -> Self {
        let is = |outcome| steps.iter().any(|step| step.outcome == outcome);
        let outcome = [StepOutcome::Failed, StepOutcome::Warning].into_iter().find(|outcome| is(*outcome));
        Self { site: site.to_owned(), outcome: outcome.unwrap_or(StepOutcome::Ok), steps, transcript }
    }

    /// Nobody is signed in, or the sign-in has ended.
    #[must_use]
    pub fn needs_sign_in(&self) -> bool {
        let ended = |step: &ConnectionStep| step.part == ConnectionPart::Token && step.finding != "after-failure";
        self.steps.iter().any(|step| ended(step) && matches!(step.outcome, StepOutcome::Failed | StepOutcome::Skipped))
    }
}

impl From<takt_client::ConnectionStep> for ConnectionStep {
    fn from(step: takt_client::ConnectionStep) -> Self {
        use takt_client::{ConnectionPart as Part, StepOutcome as Outcome};
        Self {
            part: match step.part {
                Part::Dns => ConnectionPart::Dns,
                Part::Tcp => ConnectionPart::Tcp,
                Part::Proxy => ConnectionPart::Proxy,
                Part::Tls => ConnectionPart::Tls,
                Part::Authorize => ConnectionPart::Authorize,
                Part::Token => ConnectionPart::Token,
                Part::Read => ConnectionPart::Read,
                Part::Clock => ConnectionPart::Clock,
                Part::Limit => ConnectionPart::Limit,
            },
            target: step.target,
            outcome: match step.outcome {
                Outcome::Passed => StepOutcome::Ok,
                Outcome::Warning => StepOutcome::Warning,
                Outcome::Failed => StepOutcome::Failed,
                Outcome::Skipped => StepOutcome::Skipped,
            },
            milliseconds: step.milliseconds,
            finding: step.finding.to_owned(),
            parameters: step.parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            details: step.details,
        }
    }
}
