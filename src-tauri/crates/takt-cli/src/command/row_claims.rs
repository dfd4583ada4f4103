//! Sending while other desks of the team are sending some of the same rows.

use std::time::Duration;

use takt_engine::Problem;

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
                    console.print_remark("sync.claimed", &[("what", console.obstacle_text(&problem))]);
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

fn is_claimed(problem: &Problem) -> bool {
    problem.is_obstacle("keys-claimed")
}
