//! The results of a connection check, for users and scripts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use takt_client::{ConnectionPart, StepOutcome};

/// A step of the check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ConnectionStep {
    pub part: ConnectionPart,
    /// The checked target: a host with its port, an address or a path.
    pub target: String,
    pub outcome: StepOutcome,
    /// The duration of the step.
    pub milliseconds: Option<u32>,
    /// The key of the result's text in the section `connection`.
    pub finding: String,
    /// The parameters of the text. Not trusted.
    pub parameters: BTreeMap<String, String>,
    /// The technical cause. Not trusted.
    pub details: Option<String>,
}

/// The result of checking the connection to a site, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ConnectionCheck {
    pub site: String,
    /// The worst outcome of the steps.
    pub outcome: StepOutcome,
    pub steps: Vec<ConnectionStep>,
    /// The exchange with the identity provider, without secrets.
    pub transcript: String,
}

impl ConnectionCheck {
    pub(crate) fn new(site: &str, steps: Vec<ConnectionStep>, transcript: String) -> Self {
        let has_outcome = |outcome| steps.iter().any(|step| step.outcome == outcome);
        let outcome = [StepOutcome::Failed, StepOutcome::Warning].into_iter().find(|outcome| has_outcome(*outcome));
        Self { site: site.to_owned(), outcome: outcome.unwrap_or(StepOutcome::Passed), steps, transcript }
    }

    /// Returns true if no user is signed in, or the sign-in has expired.
    #[must_use]
    pub fn needs_sign_in(&self) -> bool {
        let is_token_step =
            |step: &ConnectionStep| step.part == ConnectionPart::Token && step.finding != "after-failure";
        self.steps
            .iter()
            .any(|step| is_token_step(step) && matches!(step.outcome, StepOutcome::Failed | StepOutcome::Skipped))
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
