//! What stands before every operation: token, rate limit, address, permission. In this order, so that nobody without a
//! token learns which addresses exist.

use axum::http::{StatusCode, header, request::Parts};

use crate::{
    Plant,
    api::{
        Answer,
        routes::{Found, Route},
    },
    identity::{API_SCOPE, Access, Refusal},
    log::LogEntry,
    rate::Allowance,
    user::User,
};

/// The bucket of requests that carry no good token.
const NOBODY: &str = "";

/// A request that may go on.
pub(super) struct Admitted<'a> {
    pub(super) route: &'a Route,
    /// The values of the path's parameters, in order.
    pub(super) path: Vec<String>,
    pub(super) token: String,
    pub(super) user: User,
    pub(super) allowance: Allowance,
}

/// Lets a request in, or says what it gets instead.
pub(super) fn admit<'a>(
    plant: &'a Plant,
    parts: &Parts,
    entry: &mut LogEntry,
) -> Result<Admitted<'a>, (Answer, Allowance)> {
    let now = plant.now();
    let bearer = bearer(parts);
    let access = bearer.ok_or(None).and_then(|token| plant.identity.check(token, now).map_err(Some));
    let allowance = plant.limiter.take(if access.is_ok() { bearer.unwrap_or(NOBODY) } else { NOBODY }, now);
    let refuse = |answer: Answer| (answer, allowance);
    let found = plant.interface.find(&parts.method, parts.uri.path());
    if let Found::Route(route, _) = &found {
        entry.operation = Some(route.operation.id.clone());
    }
    if allowance.exceeded {
        #[expect(clippy::cast_precision_loss, reason = "seconds of a window")]
        let seconds = allowance.seconds_left(now) as f64;
        return Err(refuse(Answer::too_many(seconds, allowance.limit, allowance.reset)));
    }
    let access = access.map_err(|refusal| {
        let text = match refusal {
            None => "The request carries no access token.",
            Some(Refusal::Unknown) => "The access token is invalid.",
            Some(Refusal::Expired) => "The access token has expired.",
        };
        let mut answer = Answer::error(StatusCode::UNAUTHORIZED, text);
        answer.set(header::WWW_AUTHENTICATE.as_str(), "Bearer");
        refuse(answer)
    })?;
    entry.user = Some(access.user.name().to_owned());
    let (route, path) = match found {
        Found::Route(route, path) => (route, path),
        Found::OtherMethod(allowed) => {
            let mut answer = Answer::error(StatusCode::METHOD_NOT_ALLOWED, "The method is not allowed here.");
            answer.set(header::ALLOW.as_str(), &allowed);
            return Err(refuse(answer));
        }
        Found::Nothing => return Err(refuse(Answer::error(StatusCode::NOT_FOUND, "The resource was not found."))),
    };
    permitted(&access, route).map_err(refuse)?;
    Ok(Admitted { route, path, token: bearer.unwrap_or_default().to_owned(), user: access.user, allowance })
}

fn permitted(access: &Access, route: &Route) -> Result<(), Answer> {
    if !access.scope.split(' ').any(|name| name == API_SCOPE) {
        let text = format!("The access token lacks the scope {API_SCOPE}.");
        return Err(Answer::error(StatusCode::FORBIDDEN, &text));
    }
    if route.action.writes() && !access.user.may_write() {
        return Err(Answer::error(StatusCode::FORBIDDEN, "This user may only read."));
    }
    Ok(())
}

/// The token of an `Authorization: Bearer` header. The scheme's case doesn't matter.
fn bearer(parts: &Parts) -> Option<&str> {
    let value = parts.headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
