//! What is done where other desks of the team are sending some of the rows at this moment.

use std::time::Duration;

use takt_engine::{
    Problem,
    submission::{PlanId, SubmissionId, Submissions},
};

use crate::{arguments::Claimed, console::Console, ending::Failure, session::Interruption};

/// Between two tries to send what another desk is sending.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Tries once; where it is to wait for other desks, until they have sent what is theirs. Nothing where a person didn't want to wait any
/// more.
pub(super) async fn unclaimed<T>(
    claimed: Claimed,
    interruption: &mut Interruption,
    console: &Console,
    attempt: impl AsyncFn() -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    let mut is_told = false;
    loop {
        match attempt().await {
            Err(Failure::Problem(problem)) if claimed == Claimed::Wait && is_claimed(&problem) => {
                if !std::mem::replace(&mut is_told, true) {
                    console.remark("sync.claimed", &[("what", console.obstacle(&problem))]);
                }
                tokio::select! {
                    () = tokio::time::sleep(RETRY_INTERVAL) => {}
                    () = interruption.next() => return Ok(None),
                }
            }
            tried => return tried.map(Some),
        }
    }
}

/// Goes on with a plan, without what other desks are sending where that is to be left out. Gives the plan.
pub(super) async fn resume(
    submissions: &Submissions,
    id: SubmissionId,
    (confirmed, claimed): (Option<&str>, Claimed),
) -> Result<PlanId, Problem> {
    match submissions.resume(id, confirmed).await {
        // What else is in the way comes first: until then no row is given up.
        Err(problem) if claimed == Claimed::LeaveOut && is_claimed(&problem) => {}
        resumed => return Ok(resumed?.id),
    }
    let plan = submissions.skip_claimed(id).await?.plan;
    match submissions.resume(id, confirmed).await {
        // They were sending all that was left.
        Err(problem) if problem.is_obstacle("nothing-pending") => Ok(plan),
        resumed => Ok(resumed?.id),
    }
}

fn is_claimed(problem: &Problem) -> bool {
    problem.is_obstacle("keys-claimed")
}
