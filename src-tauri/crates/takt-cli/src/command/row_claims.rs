//! Sending while other desks of the team are sending some of the same rows.

use std::time::Duration;

use takt_engine::{
    Problem,
    submission::{PlanId, SubmissionId, Submissions},
};

use crate::{arguments::Claimed, console::Console, exit_codes::Failure, session::Interruption};

/// The time between two attempts to send rows that other desks claim.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Attempts to send. If `claimed` is to wait, retries until other desks have sent the rows that they claim. Returns
/// `None` if the user interrupts the waiting.
pub(super) async fn retry_while_claimed<T>(
    claimed: Claimed,
    interruption: &mut Interruption,
    console: &Console,
    attempt: impl AsyncFn() -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    let mut is_reported = false;
    loop {
        match attempt().await {
            Err(Failure::Problem(problem)) if claimed == Claimed::Wait && is_claimed(&problem) => {
                if !std::mem::replace(&mut is_reported, true) {
                    console.remark("sync.claimed", &[("what", console.obstacle(&problem))]);
                }
                tokio::select! {
                    () = tokio::time::sleep(RETRY_INTERVAL) => {}
                    () = interruption.next() => return Ok(None),
                }
            }
            outcome => return outcome.map(Some),
        }
    }
}

/// Resumes a plan and returns its id. `claimed` determines whether rows that other desks are sending are skipped.
pub(super) async fn resume(
    submissions: &Submissions,
    id: SubmissionId,
    confirmed: Option<&str>,
    claimed: Claimed,
) -> Result<PlanId, Problem> {
    match submissions.resume(id, confirmed).await {
        // Other obstacles are reported first, so that no row is skipped while they exist.
        Err(problem) if claimed == Claimed::LeaveOut && is_claimed(&problem) => {}
        resumed => return Ok(resumed?.id),
    }
    let plan = submissions.skip_claimed(id).await?.plan;
    match submissions.resume(id, confirmed).await {
        // Other desks were sending all pending rows.
        Err(problem) if problem.is_obstacle("nothing-pending") => Ok(plan),
        resumed => Ok(resumed?.id),
    }
}

fn is_claimed(problem: &Problem) -> bool {
    problem.is_obstacle("keys-claimed")
}
