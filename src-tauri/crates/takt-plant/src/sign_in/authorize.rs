//! The authorize address: the sign-in page, and the way back to the client.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use url::Url;

use crate::{
    FaultKind, Plant,
    form::Parameters,
    grants::Code,
    identity::{CLIENT_ID, CODE_LIFETIME, SCOPES, redirect},
    page::{Language, Page},
    user::User,
};

/// An authorize request whose client and return address are known: from here on, errors go back to the client.
struct Request {
    redirect_uri: String,
    state: Option<String>,
    scope: String,
    challenge: Option<String>,
}

/// Why there is no [`Request`].
enum Refused {
    /// Client or return address are wrong: the person is told, and the browser is sent nowhere.
    Here(&'static str),
    /// The client is told, by a redirect.
    There { redirect_uri: String, state: Option<String>, mistake: Mistake },
}

/// An OAuth error code with a sentence for the client's developer (RFC 6749, 4.1.2.1).
struct Mistake(&'static str, &'static str);

/// `GET /connect/authorize`: the page that asks who signs in.
pub(crate) fn ask(plant: &Plant, headers: &HeaderMap, query: &[u8]) -> Response {
    let language = Language::preferred(headers);
    match read(plant, &Parameters::parse(query)) {
        Ok(request) => sign_in_page(language, &request),
        Err(refused) => refusal(language, &refused),
    }
}

/// `POST /connect/authorize`: what the person chose. Says who, for the log.
pub(crate) fn decide(plant: &Plant, headers: &HeaderMap, query: &[u8], body: &[u8]) -> (Response, Option<User>) {
    let language = Language::preferred(headers);
    let request = match read(plant, &Parameters::parse(query)) {
        Ok(request) => request,
        Err(refused) => return (refusal(language, &refused), None),
    };
    let form = Parameters::parse(body);
    let Request { redirect_uri, state, scope, challenge } = request;
    let Some(user) = form.get("user").and_then(|name| User::named(name).ok()) else {
        let mistake = Mistake("access_denied", "The person did not sign in.");
        return (refusal(language, &Refused::There { redirect_uri, state, mistake }), None);
    };
    let now = plant.now();
    let Ok(expires) = now.saturating_add(CODE_LIFETIME) else { return (broken(language), None) };
    let code = Code { user, scope, redirect_uri: redirect_uri.clone(), challenge, expires };
    match plant.identity.issue_code(code, now) {
        Ok(code) => (back(language, &redirect_uri, &[("code", Some(&code)), ("state", state.as_deref())]), Some(user)),
        Err(error) => {
            tracing::error!(%error, "a code could not be issued");
            (broken(language), None)
        }
    }
}

fn read(plant: &Plant, query: &Parameters) -> Result<Request, Refused> {
    if query.sole("client_id") != Some(CLIENT_ID) {
        return Err(Refused::Here("refused.client"));
    }
    let (exact, demands_grant_type) = {
        let mut dice = plant.dice.lock();
        (dice.strikes(FaultKind::ExactRedirect), dice.strikes(FaultKind::DemandGrantType))
    };
    let redirect_uri = query.sole("redirect_uri").filter(|uri| plant.identity.registered(uri, exact));
    let redirect_uri = redirect_uri.ok_or(Refused::Here("refused.redirect"))?.to_owned();
    let state = query.get("state").map(str::to_owned);
    match mistake_of(query, demands_grant_type) {
        Some(mistake) => Err(Refused::There { redirect_uri, state, mistake }),
        None => Ok(Request {
            redirect_uri,
            state,
            scope: query.get("scope").unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" "),
            challenge: query.filled("code_challenge").map(str::to_owned),
        }),
    }
}

/// What is wrong with a request, if anything. The specification lists `grant_type` as sent here, which no other
/// provider needs: a request without it is good unless a fault demands it.
fn mistake_of(query: &Parameters, demands_grant_type: bool) -> Option<Mistake> {
    let invalid = |text| Some(Mistake("invalid_request", text));
    if query.repeated().is_some() {
        return invalid("Each parameter must stand only once.");
    }
    match query.filled("response_type") {
        Some("code") => {}
        Some(_) => return Some(Mistake("unsupported_response_type", "response_type must be code.")),
        None => return invalid("response_type is missing."),
    }
    match query.filled("grant_type") {
        Some("authorization_code") => {}
        None if !demands_grant_type => {}
        _ => return invalid("grant_type must be authorization_code."),
    }
    let names: Vec<&str> = query.get("scope").unwrap_or_default().split_whitespace().collect();
    if names.is_empty() || names.iter().any(|name| !SCOPES.contains(name)) {
        return Some(Mistake("invalid_scope", "scope is missing, or names one that does not exist."));
    }
    let hashed = query.get("code_challenge_method") == Some("S256");
    if query.filled("code_challenge").is_some_and(|challenge| !hashed || challenge.len() != 43) {
        return invalid("code_challenge must be made with the method S256.");
    }
    None
}

fn sign_in_page(language: Language, request: &Request) -> Response {
    let text = |key: &str| language.text(key);
    let mut content = format!("<p>{}</p>\n<form method=\"post\">\n", text("sign_in.lead"));
    for user in User::ALL {
        let name = user.name();
        let class = if user.may_write() { "first" } else { "second" };
        let label = text(&format!("sign_in.{name}"));
        let may = text(&format!("sign_in.{name}.may"));
        content.push_str(&format!(
            "<button class=\"{class}\" name=\"user\" value=\"{name}\"><strong>{label}</strong><span>{may}</span></button>\n"
        ));
    }
    let cancel = text("sign_in.cancel");
    content.push_str(&format!("<button class=\"plain\" name=\"cancel\" value=\"1\">{cancel}</button>\n</form>"));
    let leads_to = redirect::form_target(&request.redirect_uri);
    let title = language.plain("sign_in.title");
    Page { language, title, content: &content, nav: "", wide: false, leads_to: leads_to.as_deref() }
        .answer(StatusCode::OK)
}

fn refusal(language: Language, refused: &Refused) -> Response {
    match refused {
        Refused::Here(reason) => stop(language, reason, StatusCode::BAD_REQUEST),
        Refused::There { redirect_uri, state, mistake: Mistake(error, description) } => {
            let told =
                [("error", Some(*error)), ("error_description", Some(*description)), ("state", state.as_deref())];
            back(language, redirect_uri, &told)
        }
    }
}

fn broken(language: Language) -> Response {
    stop(language, "refused.broken", StatusCode::INTERNAL_SERVER_ERROR)
}

fn stop(language: Language, reason: &str, status: StatusCode) -> Response {
    let content = format!("<p role=\"alert\">{}</p>", language.text(reason));
    let title = language.plain("refused.title");
    Page { language, title, content: &content, nav: "", wide: false, leads_to: None }.answer(status)
}

/// Sends the browser back to a registered address with these parameters, by a GET that carries nothing of the form.
fn back(language: Language, redirect_uri: &str, parameters: &[(&str, Option<&str>)]) -> Response {
    let Ok(mut url) = Url::parse(redirect_uri) else { return broken(language) };
    for (name, value) in parameters {
        if let Some(value) = value {
            url.query_pairs_mut().append_pair(name, value);
        }
    }
    let Ok(location) = HeaderValue::from_str(url.as_str()) else { return broken(language) };
    let mut response = Response::new(Body::from(language.text("sign_in.title")));
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(header::LOCATION, location);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
