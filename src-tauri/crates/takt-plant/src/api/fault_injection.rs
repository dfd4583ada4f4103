//! What each fault does to an answer: before anything is applied, or after.

use axum::http::{StatusCode, header};
use jiff::{SignedDuration, Timestamp};
use takt_contract::wire::BatchAnswer;

use crate::{
    FaultKind, Plant,
    answer::{Answer, Content, Ending, Reply, TOO_MANY},
    api::gate::{Admitted, unauthorized},
    grants::Refusal,
    rate::Allowance,
};

/// The wait that an injected 429 asks for.
const INJECTED_WAIT: SignedDuration = SignedDuration::from_secs(1);

const GATEWAY: &str = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n";
const PORTAL: &str = "<html><head><title>Welcome</title></head><body><p>Please wait.</p></body></html>\n";

/// The answer of a fault that lets nothing be applied.
pub(super) async fn before(plant: &Plant, kind: FaultKind, admitted: &Admitted<'_>) -> Option<(Answer, Ending)> {
    let limit = admitted.allowance.limit;
    let reset = plant.now().saturating_add(INJECTED_WAIT).unwrap_or(admitted.allowance.reset);
    let answer = match kind {
        FaultKind::Error500 => Answer::internal(plant.log_id(), None),
        FaultKind::Error500Dev => Answer::internal(plant.log_id(), Some(stack_trace())),
        FaultKind::Limit429Seconds => used_up(Answer::too_many(1.0, limit, reset), limit, reset),
        FaultKind::Limit429Milliseconds => used_up(Answer::too_many(1000.0, limit, reset), limit, reset),
        FaultKind::Limit429Header => {
            let mut answer = used_up(Answer::error(StatusCode::TOO_MANY_REQUESTS, TOO_MANY), limit, reset);
            answer.set(header::RETRY_AFTER.as_str(), "1");
            answer
        }
        FaultKind::Limit429Bare => used_up(Answer::error(StatusCode::TOO_MANY_REQUESTS, TOO_MANY), limit, reset),
        FaultKind::DropBeforeApply => return Some((nothing(), Ending::Cut)),
        FaultKind::Stall => {
            plant.closing.cancelled().await;
            return Some((nothing(), Ending::Cut));
        }
        FaultKind::ExpireToken => {
            plant.identity.expire(&admitted.token);
            unauthorized(Some(Refusal::Expired))
        }
        FaultKind::RevokeRefresh => {
            plant.identity.revoke_refresh(&admitted.token);
            return None;
        }
        FaultKind::ApplyThenDrop
        | FaultKind::ApplyThen502
        | FaultKind::Truncate
        | FaultKind::RejectItem
        | FaultKind::ResultsMissing
        | FaultKind::ResultsReordered
        | FaultKind::WrongCounts
        | FaultKind::NotJson
        | FaultKind::ExactRedirect
        | FaultKind::DemandGrantType => return None,
    };
    Some((answer, Ending::Whole))
}

/// What a fault makes of an answer after everything was applied. Answers that are errors already stay as they are,
/// but for what happens to the connection.
pub(super) fn after(kind: FaultKind, reply: Result<Reply, Answer>) -> (Answer, Ending) {
    let ending = match kind {
        FaultKind::ApplyThenDrop => Ending::Cut,
        FaultKind::Truncate => Ending::Truncated,
        _ => Ending::Whole,
    };
    let answer = match (kind, reply) {
        (FaultKind::ApplyThen502, _) => Answer::foreign(StatusCode::BAD_GATEWAY, GATEWAY),
        (FaultKind::NotJson, Ok(_)) => Answer::foreign(StatusCode::OK, PORTAL),
        (kind, Ok(mut reply)) => {
            if let Content::Batch(batch) = &mut reply.content {
                spoil(kind, batch);
            }
            reply.answer()
        }
        (_, Err(answer)) => answer,
    };
    (answer, ending)
}

fn spoil(kind: FaultKind, batch: &mut BatchAnswer) {
    match kind {
        FaultKind::ResultsMissing => {
            let kept = batch.results.len() / 2;
            batch.results.truncate(kept);
        }
        FaultKind::ResultsReordered => batch.results.reverse(),
        FaultKind::WrongCounts => {
            batch.success_count += 1;
            batch.total_items += 2;
        }
        _ => {}
    }
}

/// A 429 of a fault says in its headers that the limit is used up, as a real one does.
fn used_up(mut answer: Answer, limit: u32, reset: Timestamp) -> Answer {
    answer.count(&Allowance { limit, remaining: 0, reset, exceeded: true });
    answer
}

fn nothing() -> Answer {
    Answer::json(StatusCode::OK, "{}")
}

fn stack_trace() -> Vec<String> {
    let frames = ["Service.Api.BatchController.Handle", "Service.Core.Pipeline.Invoke", "Service.Host.Run"];
    frames.iter().map(|frame| format!("   at {frame}(Request request)")).collect()
}
