//! What other desks of the team send, seen as it moves: the newest submissions are looked at when the database tells of a change, and
//! now and then where it doesn't.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use takt_core::blocking::run_blocking;
use takt_journal::{JournalError, ResultCounts, SubmissionId, SubmissionState, Team, approval::ApprovalDecision};

use super::{Shared, Submissions, view::SubmissionView};

/// Between two checks, at least.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(200);
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(3);
/// A desk reports its next changes a little later. So there is one more check after this time.
const RECHECK_DELAY: Duration = Duration::from_millis(200);
/// While the database is unavailable, and once after.
const UNAVAILABLE_POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Submissions that are looked at: what is older hardly moves any more, and is read when somebody opens it.
const NEWEST: u32 = 30;

/// How submissions stood at the last look, and what was decided about their plans.
type Seen = HashMap<SubmissionId, (SubmissionState, ResultCounts, Option<Option<ApprovalDecision>>)>;

impl Submissions {
    /// Tells of each submission of another desk that has changed, until these submissions are gone. Ends at once without a team.
    pub async fn follow_team(&self, changed: impl Fn(SubmissionView) + Send) {
        let shared = Arc::downgrade(&self.shared);
        let mut seen: Option<Seen> = None;
        let Some(mut changes) = Team::of(&self.shared.journal).map(|team| team.changes()) else { return };
        let mut is_told = false;
        while let Some(looked) = look(&shared, seen.take()).await {
            let pause = match looked {
                Ok((now, views)) => {
                    seen = Some(now);
                    views.into_iter().for_each(&changed);
                    if is_told { RECHECK_DELAY } else { MAX_POLL_INTERVAL }
                }
                Err(error) => {
                    tracing::debug!(%error, "what other desks send can't be looked at now");
                    UNAVAILABLE_POLL_INTERVAL
                }
            };
            tokio::time::sleep(MIN_POLL_INTERVAL).await;
            is_told = tokio::time::timeout(pause, changes.changed()).await.is_ok();
        }
    }
}

type Look = Result<(Seen, Vec<SubmissionView>), takt_core::Problem>;

/// Absent without a team, and once no run is watched.
async fn look(shared: &Weak<Shared>, seen: Option<Seen>) -> Option<Look> {
    let shared = shared.upgrade()?;
    Team::of(&shared.journal)?;
    Some(run_blocking(move || Ok(moved(&shared, seen.as_ref())?)).await)
}

/// The first look only learns how everything stands.
fn moved(shared: &Shared, seen: Option<&Seen>) -> Result<(Seen, Vec<SubmissionView>), JournalError> {
    let now = standing(shared)?;
    let Some(seen) = seen else { return Ok((now, Vec::new())) };
    let mut ids: Vec<_> = now.iter().filter(|(id, stands)| seen.get(*id) != Some(*stands)).map(|(id, _)| *id).collect();
    ids.retain(|id| !shared.runs_here(*id));
    ids.sort_unstable();
    let views = ids.into_iter().map(|id| shared.view(id, None)).collect::<Result<_, _>>()?;
    Ok((now, views))
}

fn standing(shared: &Shared) -> Result<Seen, JournalError> {
    let newest = shared.journal.submissions(0, NEWEST)?;
    let approvals = shared.approvals_of(&newest)?;
    let decision = |plan| approvals.get(&plan).map(|approval| approval.decision);
    Ok(newest.into_iter().map(|record| (record.id, (record.state, record.counts, decision(record.plan)))).collect())
}
