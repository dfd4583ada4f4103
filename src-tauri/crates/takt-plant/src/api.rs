//! The service's API, from the check of the token to the response and the log entry.
//!
//! This module defines the order of these steps. Its submodules admit requests, perform operations and inject faults.
//! Items are validated in `interface`, and rows are in `store`.

mod admission;
mod batch;
mod fault_injection;
mod reads;

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{ConnectInfo, Request, State},
    http::request::Parts,
    response::Response,
};

use crate::{
    FaultKind, Plant,
    answer::{Answer, ConnectionCutter, Reply, ResponseEnding},
    interface::{Action, items},
    log_entry::{LogEntry, LogRing, OriginalAddress},
    paging::PageRange,
    request_body::read_body,
};

use admission::{AdmittedRequest, admit_request};

/// The operations of the identity provider, as named in the log.
pub(crate) const AUTHORIZE_OPERATION: &str = "connect/authorize";
pub(crate) const TOKEN_OPERATION: &str = "connect/token";
pub(crate) const REVOCATION_OPERATION: &str = "connect/revocation";

/// A request extension with the response to return if the request is admitted. Set if the request is invalid in a
/// site's contract.
#[derive(Debug, Clone)]
pub(crate) struct RefusedRequest(pub(crate) Answer);

/// Answers all requests under the base URL.
pub(crate) async fn answer_request(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let mut entry = new_log_entry(&plant, &parts);
    let admitted = admit_request(&plant, &parts, &mut entry);
    let (allowance, ring) = match &admitted {
        Ok(admitted) if admitted.route.action.is_write() => (admitted.allowance, LogRing::Writes),
        Ok(admitted) => (admitted.allowance, LogRing::Reads),
        Err((_, allowance)) => (*allowance, LogRing::Reads),
    };
    let (mut answer, ending) = match admitted {
        Ok(admitted) => match parts.extensions.get::<RefusedRequest>() {
            Some(RefusedRequest(answer)) => (answer.clone(), ResponseEnding::Complete),
            None => perform_operation(&plant, &parts, body, &admitted, &mut entry).await,
        },
        Err((answer, _)) => {
            // The rest of the body is read, since otherwise the client may not receive the response.
            drop(read_body(body, false).await);
            (answer, ResponseEnding::Complete)
        }
    };
    answer.add_rate_limit(&allowance);
    entry.status = (ending != ResponseEnding::Cut).then(|| answer.status.as_u16());
    plant.log.write_entry(entry, ring);
    let cutter = parts.extensions.get::<ConnectInfo<ConnectionCutter>>().map(|connection| connection.0.clone());
    answer.into_response(ending, cutter)
}

/// Returns the response to an admitted request. Faults may replace or alter the reply of the operation.
async fn perform_operation(
    plant: &Arc<Plant>,
    parts: &Parts,
    body: Body,
    admitted: &AdmittedRequest<'_>,
    entry: &mut LogEntry,
) -> (Answer, ResponseEnding) {
    let bytes = read_body(body, admitted.route.action.has_body()).await;
    let is_batch = matches!(admitted.route.action, Action::Sync(_) | Action::DeleteLinks);
    let (latency, fault) = {
        let mut fault_selector = plant.fault_selector.lock();
        (
            fault_selector.latency(),
            fault_selector.choose_fault(|kind| !kind.affects_sign_in() && (is_batch || !kind.needs_batch())),
        )
    };
    entry.fault = fault.map(|kind| kind.name().to_owned());
    if !latency.is_zero() {
        tokio::time::sleep(latency).await;
    }
    if let Some(kind) = fault
        && let Some(early) = fault_injection::answer_before_apply(plant, kind, admitted).await
    {
        return early;
    }
    let reply = match bytes {
        Ok(bytes) => apply_request(plant, parts, &bytes, admitted, fault, entry).await,
        Err(answer) => Err(answer),
    };
    match (reply, fault) {
        (reply, Some(kind)) => fault_injection::alter_reply(kind, reply),
        (Ok(reply), None) => (reply.into_answer(), ResponseEnding::Complete),
        (Err(answer), None) => (answer, ResponseEnding::Complete),
    }
}

async fn apply_request(
    plant: &Arc<Plant>,
    parts: &Parts,
    bytes: &[u8],
    admitted: &AdmittedRequest<'_>,
    fault: Option<FaultKind>,
    entry: &mut LogEntry,
) -> Result<Reply, Answer> {
    let route = admitted.route;
    let query = parts.uri.query().unwrap_or_default();
    let refuse_some = fault == Some(FaultKind::RejectItem);
    let request = batch::BatchRequest { parts, user: admitted.user.name() };
    match &route.action {
        Action::List(resource, view) => {
            reads::answer_list(plant, route, *resource, *view, query, parts.extensions.get::<PageRange>().copied())
        }
        Action::TemplateProcesses => reads::answer_template_processes(plant, route, &admitted.path, query),
        Action::Sync(sync) => batch::sync_items(plant, route, *sync, &request, bytes, refuse_some, entry),
        Action::DeleteLinks => batch::delete_links(plant, route, &request, bytes, refuse_some, entry),
        Action::GraphQl => {
            let request = items::parse_body(parts, bytes)?;
            crate::graphql::execute_query(&plant.graphql, request).await
        }
    }
}

/// Returns a log entry with only the time, method and address of the request.
pub(crate) fn new_log_entry(plant: &Plant, parts: &Parts) -> LogEntry {
    let inside = parts.uri.path_and_query().map_or("", |path| path.as_str());
    let path = parts.extensions.get::<OriginalAddress>().map_or(inside, |original| original.0.as_str());
    LogEntry {
        number: 0,
        at: plant.real_time(),
        method: parts.method.as_str().to_owned(),
        path: path.chars().take(2000).collect(),
        operation: None,
        user: None,
        status: None,
        fault: None,
        applied: Vec::new(),
    }
}
