//! What a look at a site's connection found, as people and scripts read it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use takt_client::{ConnectionPart, StepOutcome};

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
        Self { site: site.to_owned(), outcome: outcome.unwrap_or(StepOutcome::Passed), steps, transcript }
    }

    /// No person is signed in, or the sign-in has ended.
    #[must_use]
    pub fn needs_sign_in(&self) -> bool {
        let ended = |step: &ConnectionStep| step.part == ConnectionPart::Token && step.finding != "after-failure";
        self.steps.iter().any(|step| ended(step) && matches!(step.outcome, StepOutcome::Failed | StepOutcome::Skipped))
    }
}

impl From<takt_client::ConnectionStep> for ConnectionStep {
    fn from(step: takt_client::ConnectionStep) -> Self {
        Self {
            part: step.part,
            target: step.target,
            outcome: step.outcome,
            milliseconds: step.milliseconds,
            finding: step.finding.to_owned(),
            parameters: step.parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            details: step.details,
        }
    }
}
