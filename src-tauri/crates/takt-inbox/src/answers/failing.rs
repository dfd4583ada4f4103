//! Reports whether a site's rules failed lately, from the stored answers.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use takt_core::Problem;

use crate::{
    AnswerRules,
    events::{AnsweredBy, EventAnswer},
};

/// The time for which a failure is shown.
const FAILURE_DISPLAY_PERIOD: SignedDuration = SignedDuration::from_hours(1);
/// The most answers that are read, the newest of all sites.
const MAX_ANSWERS: u32 = 500;

/// Failures of a site's rules within the last hour, since their last edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RulesFailing {
    /// Events on which a rule failed or the rules timed out, of the newest 500 with an answer.
    pub events: u32,
    /// Events among them that were allowed nevertheless.
    pub allowed: u32,
    /// Arrival of the first of them (ISO 8601 in UTC).
    pub since: String,
    pub last: String,
    /// The names of the failed rules. Empty if the rules only timed out.
    pub rules: Vec<String>,
}

impl AnswerRules {
    /// Returns the recent failures of a site's rules, or `None` if there are none.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the rules or the answers can't be read.
    pub fn failing(&self, site: &str) -> Result<Option<RulesFailing>, Problem> {
        let site = self.sites.find(site)?.name;
        let inbox = self.events.of(Some(&site))?;
        let edited = inbox.rules().latest(&site)?.map_or(Timestamp::MIN, |edit| edit.at);
        let since = (self.clock)().checked_sub(FAILURE_DISPLAY_PERIOD).unwrap_or(Timestamp::MIN).max(edited);
        let mut failing: Option<RulesFailing> = None;
        // Newest first.
        for record in inbox.answers_since(&site, since, MAX_ANSWERS)? {
            let Ok(answer) = serde_json::from_str::<EventAnswer>(&record.detail) else { continue };
            if answer.by != AnsweredBy::Slow && answer.failed.is_empty() {
                continue;
            }
            let at = record.at.to_string();
            let failing = failing.get_or_insert_with(|| RulesFailing {
                events: 0,
                allowed: 0,
                since: at.clone(),
                last: at.clone(),
                rules: Vec::new(),
            });
            failing.events += 1;
            failing.allowed += u32::from(answer.allowed);
            failing.since = at;
            for failure in answer.failed {
                if !failure.name.is_empty() && !failing.rules.contains(&failure.name) {
                    failing.rules.push(failure.name);
                }
            }
        }
        Ok(failing)
    }
}
