//! Whether a site's rules answer: how many events were answered lately by what stands in for them.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use takt_core::Problem;

use crate::{
    AnswerRules,
    events::{AnsweredBy, EventAnswer},
};

/// How long a failure is shown.
const FAILURE_DISPLAY_PERIOD: SignedDuration = SignedDuration::from_hours(1);
/// Answers that are looked at, the newest of all sites.
const MAX_ANSWERS: u32 = 500;

/// Rules that failed within the last hour, since they were edited last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RulesFailing {
    /// Events of which a rule failed, or the rules weren't done in time; of the newest 500 that asked.
    pub events: u32,
    /// How many of them were allowed all the same.
    pub allowed: u32,
    /// When the first and the last of them came; ISO 8601 in UTC.
    pub since: String,
    pub last: String,
    /// The names of the rules that failed; none where only time ran out.
    pub rules: Vec<String>,
}

impl AnswerRules {
    /// What of a site's rules failed lately; none where they answer.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the rules or the answers can't be read.
    pub fn failing(&self, site: &str) -> Result<Option<RulesFailing>, Problem> {
        let site = self.sites.find(site)?.name;
        let inbox = self.events.of(Some(&site))?;
        let edited = inbox.rules().latest(&site)?.map_or(Timestamp::MIN, |kept| kept.at);
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
