//! Checks requests before an operation: token, rate limit, address and permission, in this order.
//!
//! Without a valid token, the status is always 401, so that it doesn't show which addresses exist.

use axum::http::{StatusCode, header, request::Parts};

use crate::{
    Plant,
    answer::Answer,
    grants::{AccessGrant, TokenRefusal},
    identity::API_SCOPE,
    interface::{Route, RouteMatch},
    log_entry::LogEntry,
    rate_limit::{ANONYMOUS, Allowance},
    user::User,
};

const BEARER_CHALLENGE: &str = "Bearer realm=\"takt-practice\"";

/// A request that passed all checks.
pub(super) struct AdmittedRequest<'a> {
    pub(super) route: &'a Route,
    /// The values of the path's parameters, in order.
    pub(super) path: Vec<String>,
    pub(super) token: String,
    pub(super) user: User,
    pub(super) allowance: Allowance,
}

/// Admits a request, or returns the response that rejects it. Both include the state of the rate limit.
pub(super) fn admit_request<'a>(
    plant: &'a Plant,
    parts: &Parts,
    entry: &mut LogEntry,
) -> Result<AdmittedRequest<'a>, (Answer, Allowance)> {
    let now = plant.real_time();
    let bearer = read_bearer_token(parts);
    let access = bearer.ok_or(None).and_then(|token| plant.identity.check_access_token(token, now).map_err(Some));
    let allowance =
        plant.limiter.count_request(if access.is_ok() { bearer.unwrap_or(ANONYMOUS) } else { ANONYMOUS }, now);
    let refuse = |answer: Answer| (answer, allowance);
    let route_match = plant.interface.find_route(&parts.method, parts.uri.path());
    if let RouteMatch::Route(route, _) = &route_match {
        entry.operation = Some(route.operation.id.clone());
    }
    let access = access.map_err(|refusal| refuse(unauthorized_answer(refusal)))?;
    if allowance.is_exceeded {
        let seconds = allowance.seconds_left(now);
        #[expect(clippy::cast_precision_loss, reason = "seconds of a window")]
        let mut answer = Answer::too_many_requests(seconds as f64, allowance.limit, allowance.reset);
        answer.add_header(header::RETRY_AFTER.as_str(), &seconds.to_string());
        return Err(refuse(answer));
    }
    entry.user = Some(access.user.name().to_owned());
    let (route, path) = match route_match {
        RouteMatch::Route(route, path) => (route, path),
        RouteMatch::OtherMethod(allowed) => {
            let mut answer = Answer::error(StatusCode::METHOD_NOT_ALLOWED, "The method is not allowed here.");
            answer.add_header(header::ALLOW.as_str(), &allowed);
            return Err(refuse(answer));
        }
        RouteMatch::Nothing => return Err(refuse(Answer::error(StatusCode::NOT_FOUND, "The resource was not found."))),
    };
    check_permission(&access, route).map_err(refuse)?;
    Ok(AdmittedRequest { route, path, token: bearer.unwrap_or_default().to_owned(), user: access.user, allowance })
}

/// Returns a 401 with a challenge (RFC 6750). Without a token, the challenge has no error code.
pub(super) fn unauthorized_answer(refusal: Option<TokenRefusal>) -> Answer {
    let text = match refusal {
        None => "The request carries no access token.",
        Some(TokenRefusal::Unknown) => "The access token is invalid.",
        Some(TokenRefusal::Expired) => "The access token has expired.",
    };
    let mut answer = Answer::error(StatusCode::UNAUTHORIZED, text);
    let challenge = match refusal {
        None => BEARER_CHALLENGE.to_owned(),
        Some(_) => format!("{BEARER_CHALLENGE}, error=\"invalid_token\", error_description=\"{text}\""),
    };
    answer.add_header(header::WWW_AUTHENTICATE.as_str(), &challenge);
    answer
}

fn check_permission(access: &AccessGrant, route: &Route) -> Result<(), Answer> {
    if !access.scope.split(' ').any(|name| name == API_SCOPE) {
        let text = format!("The access token lacks the scope {API_SCOPE}.");
        let mut answer = Answer::error(StatusCode::FORBIDDEN, &text);
        let challenge = format!(
            "{BEARER_CHALLENGE}, error=\"insufficient_scope\", error_description=\"{text}\", scope=\"{API_SCOPE}\""
        );
        answer.add_header(header::WWW_AUTHENTICATE.as_str(), &challenge);
        return Err(answer);
    }
    if route.action.is_write() && !access.user.can_write() {
        return Err(Answer::error(StatusCode::FORBIDDEN, "This user may only read."));
    }
    Ok(())
}

/// Returns the token in the `Authorization: Bearer` header. None if the header is repeated. The case of the scheme is
/// ignored.
fn read_bearer_token(parts: &Parts) -> Option<&str> {
    let mut values = parts.headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next().filter(|_| values.next().is_none())?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
