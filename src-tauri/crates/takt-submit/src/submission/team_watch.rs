//! Watches the submissions of other desks of the team. The newest ones are read when the database reports a change, and
//! at intervals.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use takt_core::blocking::run_blocking;
use takt_journal::{JournalError, ResultCounts, SubmissionId, SubmissionState, Team, approval::ApprovalDecision};

use super::{
    submissions_state::{Submissions, SubmissionsState},
    view::SubmissionView,
};

/// Limits of the interval between checks.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(200);
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(3);
/// The delay of one more check, because a desk reports its next changes a little later.
const RECHECK_DELAY: Duration = Duration::from_millis(200);
/// The interval of checks while the database is unavailable.
const UNAVAILABLE_POLL_INTERVAL: Duration = Duration::from_secs(5);
/// The newest submissions that are checked. Older ones rarely change, and are read when they are opened.
const MAX_WATCHED: u32 = 30;

/// The state of each submission and its plan's approval at the last check.
type SubmissionStates = HashMap<SubmissionId, (SubmissionState, ResultCounts, Option<Option<ApprovalDecision>>)>;

impl Submissions {
    /// Calls `changed` for each submission of another desk that has changed, until these submissions are dropped.
    ///
    /// Returns at once without a team.
    pub async fn follow_team(&self, changed: impl Fn(SubmissionView) + Send) {
        let shared = Arc::downgrade(&self.shared);
        let mut known_states: Option<SubmissionStates> = None;
        let Some(mut changes) = Team::from_journal(&self.shared.journal).map(|team| team.changes()) else { return };
        let mut is_notified = false;
        while let Some(result) = poll(&shared, known_states.take()).await {
            let pause = match result {
                Ok((now, views)) => {
                    known_states = Some(now);
                    views.into_iter().for_each(&changed);
                    if is_notified { RECHECK_DELAY } else { MAX_POLL_INTERVAL }
                }
                Err(error) => {
                    tracing::debug!(%error, "what other desks send can't be looked at now");
                    UNAVAILABLE_POLL_INTERVAL
                }
            };
            tokio::time::sleep(MIN_POLL_INTERVAL).await;
            is_notified = tokio::time::timeout(pause, changes.changed()).await.is_ok();
        }
    }
}

type PollResult = Result<(SubmissionStates, Vec<SubmissionView>), takt_core::Problem>;

/// Checks for changes once. Returns `None` without a team, or once the submissions are dropped.
async fn poll(shared: &Weak<SubmissionsState>, known_states: Option<SubmissionStates>) -> Option<PollResult> {
    let shared = shared.upgrade()?;
    Team::from_journal(&shared.journal)?;
    Some(run_blocking(move || Ok(changed_submissions(&shared, known_states.as_ref())?)).await)
}

/// Returns the current states and the changed submissions. The first check only records the states.
fn changed_submissions(
    shared: &SubmissionsState,
    known_states: Option<&SubmissionStates>,
) -> Result<(SubmissionStates, Vec<SubmissionView>), JournalError> {
    let now = current_states(shared)?;
    let Some(known_states) = known_states else { return Ok((now, Vec::new())) };
    let mut ids: Vec<_> =
        now.iter().filter(|(id, state)| known_states.get(*id) != Some(*state)).map(|(id, _)| *id).collect();
    ids.retain(|id| !shared.runs_here(*id));
    ids.sort_unstable();
    let views = ids.into_iter().map(|id| shared.view(id, None)).collect::<Result<_, _>>()?;
    Ok((now, views))
}

fn current_states(shared: &SubmissionsState) -> Result<SubmissionStates, JournalError> {
    let newest = shared.journal.submissions(0, MAX_WATCHED)?;
    let approvals = shared.load_approvals(&newest)?;
    let decision = |plan| approvals.get(&plan).map(|approval| approval.decision);
    Ok(newest.into_iter().map(|record| (record.id, (record.state, record.counts, decision(record.plan)))).collect())
}
