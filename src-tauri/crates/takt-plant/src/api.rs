//! The service's API: the path of every request, from token and rate limit to the applied items.
//!
//! Owns the order of the checks and the log entry.
//! Leaves finding the operation, reading parameters and bodies, validating items and faults to its submodules, and rows
//! to `store`.

mod batch;
mod fault_injection;
mod gate;
mod links;
mod query;
mod read;

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{ConnectInfo, Request, State},
    http::request::Parts,
    response::Response,
};

use crate::{
    FaultKind, Plant,
    answer::{Answer, Ending, Reply},
    cut::Cut,
    interface::{Action, items},
    log_entry::{LogEntry, LogRing, OriginalAddress},
    paging::Page,
    request_body::read_body,
};

use gate::{Admitted, admit};

/// The identity provider's operations as the log names them.
pub(crate) const AUTHORIZE: &str = "connect/authorize";
pub(crate) const TOKEN: &str = "connect/token";
pub(crate) const REVOCATION: &str = "connect/revocation";

/// A request extension with the response to send if the request is admitted. Set if a site's contract refuses the
/// request.
#[derive(Debug, Clone)]
pub(crate) struct RefusedRequest(pub(crate) Answer);

/// Answers any request under the base URL.
pub(crate) async fn serve(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let mut entry = new_entry(&plant, &parts);
    let admitted = admit(&plant, &parts, &mut entry);
    let (allowance, ring) = match &admitted {
        Ok(admitted) if admitted.route.action.writes() => (admitted.allowance, LogRing::Writes),
        Ok(admitted) => (admitted.allowance, LogRing::Reads),
        Err((_, allowance)) => (*allowance, LogRing::Reads),
    };
    let (mut answer, ending) = match admitted {
        Ok(admitted) => match parts.extensions.get::<RefusedRequest>() {
            Some(RefusedRequest(answer)) => (answer.clone(), Ending::Complete),
            None => perform(&plant, &parts, body, &admitted, &mut entry).await,
        },
        Err((answer, _)) => {
            // Reads the rest of the body, so that the client gets to read the response.
            drop(read_body(body, false).await);
            (answer, Ending::Complete)
        }
    };
    answer.add_rate_limit(&allowance);
    entry.status = (ending != Ending::Cut).then(|| answer.status.as_u16());
    plant.log.write(entry, ring);
    let cut = parts.extensions.get::<ConnectInfo<Cut>>().map(|connection| connection.0.clone());
    answer.response(ending, cut)
}

/// Returns an admitted request's response: the operation's reply, a fault, or both.
async fn perform(
    plant: &Arc<Plant>,
    parts: &Parts,
    body: Body,
    admitted: &Admitted<'_>,
    entry: &mut LogEntry,
) -> (Answer, Ending) {
    let bytes = read_body(body, admitted.route.action.takes_body()).await;
    let is_batch = matches!(admitted.route.action, Action::Sync(_) | Action::DeleteLinks);
    let (latency, fault) = {
        let mut dice = plant.dice.lock();
        (dice.latency(), dice.roll(|kind| !kind.affects_sign_in() && (is_batch || !kind.needs_batch())))
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
        Ok(bytes) => apply(plant, parts, &bytes, admitted, fault, entry).await,
        Err(answer) => Err(answer),
    };
    match (reply, fault) {
        (reply, Some(kind)) => fault_injection::alter_reply(kind, reply),
        (Ok(reply), None) => (reply.answer(), Ending::Complete),
        (Err(answer), None) => (answer, Ending::Complete),
    }
}

async fn apply(
    plant: &Arc<Plant>,
    parts: &Parts,
    bytes: &[u8],
    admitted: &Admitted<'_>,
    fault: Option<FaultKind>,
    entry: &mut LogEntry,
) -> Result<Reply, Answer> {
    let route = admitted.route;
    let query = parts.uri.query().unwrap_or_default();
    let refuse_some = fault == Some(FaultKind::RejectItem);
    let sender = batch::Sender { parts, user: admitted.user.name() };
    match &route.action {
        Action::List(resource, view) => {
            read::list(plant, route, *resource, *view, query, parts.extensions.get::<Page>().copied())
        }
        Action::TemplateProcesses => read::template_processes(plant, route, &admitted.path, query),
        Action::Sync(sync) => batch::sync(plant, route, *sync, &sender, bytes, refuse_some, entry),
        Action::DeleteLinks => links::delete(plant, route, &sender, bytes, refuse_some, entry),
        Action::GraphQl => {
            let request = items::parse_body(parts, bytes)?;
            crate::graphql::execute(&plant.graphql, request).await
        }
    }
}

/// Returns a log entry with only the request's address, method and time.
pub(crate) fn new_entry(plant: &Plant, parts: &Parts) -> LogEntry {
    let inside = parts.uri.path_and_query().map_or("", |path| path.as_str());
    let path = parts.extensions.get::<OriginalAddress>().map_or(inside, |original| original.0.as_str());
    LogEntry {
        number: 0,
        at: plant.now(),
        method: parts.method.as_str().to_owned(),
        path: path.chars().take(2000).collect(),
        operation: None,
        user: None,
        status: None,
        fault: None,
        applied: Vec::new(),
    }
}
