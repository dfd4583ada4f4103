//! The state of a team's database.

use serde::Serialize;
use takt_journal::{TeamAddress, TeamCheck};

/// The state of a team's database.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamCheckView {
    pub address: String,
    pub user: String,
    /// PostgreSQL's version.
    pub server: String,
    /// The schema's version.
    pub schema: u32,
    /// The round-trip time of a query, in milliseconds.
    pub latency_milliseconds: f64,
    /// The seconds by which the server's clock is ahead of this computer's. Negative if it is behind.
    pub clock_seconds: f64,
    pub megabytes: f64,
    /// The submissions that are being sent by any computer of the team.
    pub running: Vec<TeamRunView>,
    /// The approval rules, by service.
    pub approval_rules: Vec<ApprovalRuleView>,
}

/// The submissions of a service that need a second person's approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRuleView {
    /// The service's address.
    pub service: String,
    /// Submissions with more rows than this need approval. If `None`, the number of rows doesn't matter.
    pub rows_above: Option<u32>,
    /// True if every delete needs approval.
    pub deletes: bool,
}

/// A submission that a computer of the team is sending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamRunView {
    pub submission: u32,
    /// The name with which the computer signed in to the database.
    pub desk: String,
}

#[expect(clippy::cast_precision_loss, reason = "shown to a tenth")]
pub(super) fn check_view(address: &TeamAddress, check: TeamCheck) -> TeamCheckView {
    let running = check.running.into_iter();
    let rules = check.approval_rules.into_iter().map(|rule| ApprovalRuleView {
        service: rule.base_url,
        rows_above: rule.rows_above,
        deletes: rule.deletes,
    });
    TeamCheckView {
        address: address.shown(),
        user: address.user().to_owned(),
        server: check.server,
        schema: check.schema.0,
        latency_milliseconds: check.latency.as_secs_f64() * 1e3,
        clock_seconds: check.clock as f64 / 1e3,
        megabytes: check.bytes as f64 / 1e6,
        running: running.map(|run| TeamRunView { submission: run.submission, desk: run.desk }).collect(),
        approval_rules: rules.collect(),
    }
}
