//! Applies faults to responses, before or after the request is applied.

use axum::http::{StatusCode, header};
use jiff::{SignedDuration, Timestamp};
use takt_contract::wire::BatchResponse;

use super::admission::{AdmittedRequest, unauthorized_answer};
use crate::{
    FaultKind, Plant,
    answer::{Answer, Reply, ReplyContent, ResponseEnding, TOO_MANY_REQUESTS_TEXT},
    grants::TokenRefusal,
    rate_limit::Allowance,
};

/// The wait in an injected 429 response.
const INJECTED_WAIT: SignedDuration = SignedDuration::from_secs(1);

const BAD_GATEWAY_HTML: &str =
    "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n";
const PORTAL_HTML: &str = "<html><head><title>Welcome</title></head><body><p>Please wait.</p></body></html>\n";

/// Returns the response for a fault that prevents the request from being applied. None for other faults.
pub(super) async fn answer_before_apply(
    plant: &Plant,
    kind: FaultKind,
    admitted: &AdmittedRequest<'_>,
) -> Option<(Answer, ResponseEnding)> {
    let limit = admitted.allowance.limit;
    let reset = plant.real_time().saturating_add(INJECTED_WAIT).unwrap_or(admitted.allowance.reset);
    let answer = match kind {
        FaultKind::Error500 => Answer::internal_error(plant.new_log_id(), None),
        FaultKind::Error500Dev => Answer::internal_error(plant.new_log_id(), Some(sample_stack_trace())),
        FaultKind::Limit429Seconds => with_used_up_limit(Answer::too_many_requests(1.0, limit, reset), limit, reset),
        FaultKind::Limit429Milliseconds => {
            with_used_up_limit(Answer::too_many_requests(1000.0, limit, reset), limit, reset)
        }
        FaultKind::Limit429Header => {
            let mut answer =
                with_used_up_limit(Answer::error(StatusCode::TOO_MANY_REQUESTS, TOO_MANY_REQUESTS_TEXT), limit, reset);
            answer.add_header(header::RETRY_AFTER.as_str(), "1");
            answer
        }
        FaultKind::Limit429Bare => {
            with_used_up_limit(Answer::error(StatusCode::TOO_MANY_REQUESTS, TOO_MANY_REQUESTS_TEXT), limit, reset)
        }
        FaultKind::DropBeforeApply => return Some((empty_object(), ResponseEnding::Cut)),
        FaultKind::Stall => {
            plant.shutdown_token.cancelled().await;
            return Some((empty_object(), ResponseEnding::Cut));
        }
        FaultKind::ExpireToken => {
            plant.identity.expire_access_token(&admitted.token);
            unauthorized_answer(Some(TokenRefusal::Expired))
        }
        FaultKind::RevokeRefresh => {
            plant.identity.revoke_refresh_tokens(&admitted.token);
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
    Some((answer, ResponseEnding::Complete))
}

/// Alters the reply to an applied request. An error is only cut off or replaced with a 502.
pub(super) fn alter_reply(kind: FaultKind, reply: Result<Reply, Answer>) -> (Answer, ResponseEnding) {
    let ending = match kind {
        FaultKind::ApplyThenDrop => ResponseEnding::Cut,
        FaultKind::Truncate => ResponseEnding::Truncated,
        _ => ResponseEnding::Complete,
    };
    let answer = match (kind, reply) {
        (FaultKind::ApplyThen502, _) => Answer::html(StatusCode::BAD_GATEWAY, BAD_GATEWAY_HTML),
        (FaultKind::NotJson, Ok(_)) => Answer::html(StatusCode::OK, PORTAL_HTML),
        (kind, Ok(mut reply)) => {
            if let ReplyContent::Batch(batch) = &mut reply.content {
                alter_batch(kind, batch);
            }
            reply.into_answer()
        }
        (_, Err(answer)) => answer,
    };
    (answer, ending)
}

fn alter_batch(kind: FaultKind, batch: &mut BatchResponse) {
    match kind {
        FaultKind::ResultsMissing => {
            let half = batch.results.len() / 2;
            batch.results.truncate(half);
        }
        FaultKind::ResultsReordered => batch.results.reverse(),
        FaultKind::WrongCounts => {
            batch.success_count += 1;
            batch.total_items += 2;
        }
        _ => {}
    }
}

/// Adds the headers of an exceeded rate limit to an injected 429, as in a real one.
fn with_used_up_limit(mut answer: Answer, limit: u32, reset: Timestamp) -> Answer {
    answer.add_rate_limit(&Allowance { limit, remaining: 0, reset, is_exceeded: true });
    answer
}

fn empty_object() -> Answer {
    Answer::json(StatusCode::OK, "{}")
}

fn sample_stack_trace() -> Vec<String> {
    let frames = ["Service.Api.BatchController.Handle", "Service.Core.Pipeline.Invoke", "Service.Host.Run"];
    frames.iter().map(|frame| format!("   at {frame}(Request request)")).collect()
}
