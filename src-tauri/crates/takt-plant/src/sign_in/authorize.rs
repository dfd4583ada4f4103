//! The authorize endpoint, which shows the sign-in page and redirects back to the client.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use url::Url;

use crate::{
    FaultKind, Plant,
    form::Parameters,
    grants::CodeGrant,
    html_page::{HtmlPage, Language},
    identity::{CLIENT_ID, CODE_LIFETIME, SCOPES, redirect},
    user::User,
};

/// An authorize request with a valid client and redirect address, so that errors can be returned to the client.
struct AuthorizeRequest {
    redirect_uri: String,
    state: Option<String>,
    scope: String,
    challenge: Option<String>,
}

/// The reason why an authorize request is rejected.
enum AuthorizeError {
    /// The client or the redirect address is invalid. The reason is shown on a page, without a redirect.
    OnPage(&'static str),
    /// The error is returned to the client by a redirect.
    ByRedirect { redirect_uri: String, state: Option<String>, oauth_error: OAuthError },
}

/// An OAuth error code with a sentence for developers (RFC 6749, 4.1.2.1).
struct OAuthError(&'static str, &'static str);

/// Handles `GET /connect/authorize` and returns the sign-in page.
pub(crate) fn show_page(plant: &Plant, headers: &HeaderMap, query: &[u8]) -> Response {
    let language = Language::from_headers(headers);
    match parse_request(plant, &Parameters::parse(query)) {
        Ok(request) => sign_in_page(language, &request),
        Err(refused) => refusal_response(language, &refused),
    }
}

/// Handles `POST /connect/authorize` after a choice on the sign-in page. Also returns the user for the log.
pub(crate) fn answer_choice(plant: &Plant, headers: &HeaderMap, query: &[u8], body: &[u8]) -> (Response, Option<User>) {
    let language = Language::from_headers(headers);
    let request = match parse_request(plant, &Parameters::parse(query)) {
        Ok(request) => request,
        Err(refused) => return (refusal_response(language, &refused), None),
    };
    let form = Parameters::parse(body);
    let AuthorizeRequest { redirect_uri, state, scope, challenge } = request;
    let Some(user) = form.get("user").and_then(|name| User::from_name(name).ok()) else {
        let oauth_error = OAuthError("access_denied", "The person did not sign in.");
        return (refusal_response(language, &AuthorizeError::ByRedirect { redirect_uri, state, oauth_error }), None);
    };
    let now = plant.real_time();
    let Ok(expires) = now.saturating_add(CODE_LIFETIME) else { return (internal_error_page(language), None) };
    let code = CodeGrant { user, scope, redirect_uri: redirect_uri.clone(), challenge, expires };
    match plant.identity.issue_code(code, now) {
        Ok(code) => {
            (redirect_back(language, &redirect_uri, &[("code", Some(&code)), ("state", state.as_deref())]), Some(user))
        }
        Err(error) => {
            tracing::error!(%error, "a code could not be issued");
            (internal_error_page(language), None)
        }
    }
}

fn parse_request(plant: &Plant, query: &Parameters) -> Result<AuthorizeRequest, AuthorizeError> {
    if query.get_unique("client_id") != Some(CLIENT_ID) {
        return Err(AuthorizeError::OnPage("refused.client"));
    }
    let (exact, demands_grant_type) = {
        let mut fault_selector = plant.fault_selector.lock();
        (
            fault_selector.affects_next_request(FaultKind::ExactRedirect),
            fault_selector.affects_next_request(FaultKind::DemandGrantType),
        )
    };
    let redirect_uri = query.get_unique("redirect_uri").filter(|uri| plant.identity.is_registered(uri, exact));
    let redirect_uri = redirect_uri.ok_or(AuthorizeError::OnPage("refused.redirect"))?.to_owned();
    let state = query.get("state").map(str::to_owned);
    match find_oauth_error(query, demands_grant_type) {
        Some(oauth_error) => Err(AuthorizeError::ByRedirect { redirect_uri, state, oauth_error }),
        None => Ok(AuthorizeRequest {
            redirect_uri,
            state,
            scope: query.get("scope").unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" "),
            challenge: query.get_nonempty("code_challenge").map(str::to_owned),
        }),
    }
}

/// Returns the error in a request, if there is one. The specification lists `grant_type`, but no other provider
/// requires it. It is optional here unless a fault demands it.
fn find_oauth_error(query: &Parameters, demands_grant_type: bool) -> Option<OAuthError> {
    let invalid = |text| Some(OAuthError("invalid_request", text));
    if query.repeated_name().is_some() {
        return invalid("Each parameter must stand only once.");
    }
    match query.get_nonempty("response_type") {
        Some("code") => {}
        Some(_) => return Some(OAuthError("unsupported_response_type", "response_type must be code.")),
        None => return invalid("response_type is missing."),
    }
    match query.get_nonempty("grant_type") {
        Some("authorization_code") => {}
        None if !demands_grant_type => {}
        _ => return invalid("grant_type must be authorization_code."),
    }
    let names: Vec<&str> = query.get("scope").unwrap_or_default().split_whitespace().collect();
    if names.is_empty() || names.iter().any(|name| !SCOPES.contains(name)) {
        return Some(OAuthError("invalid_scope", "scope is missing, or names one that does not exist."));
    }
    let hashed = query.get("code_challenge_method") == Some("S256");
    if query.get_nonempty("code_challenge").is_some_and(|challenge| !hashed || challenge.len() != 43) {
        return invalid("code_challenge must be made with the method S256.");
    }
    None
}

fn sign_in_page(language: Language, request: &AuthorizeRequest) -> Response {
    let text = |key: &str| language.html_text(key);
    let mut content = format!("<p>{}</p>\n<form method=\"post\">\n", text("sign_in.lead"));
    for user in User::ALL {
        let name = user.name();
        let class = if user.can_write() { "first" } else { "second" };
        let label = text(&format!("sign_in.{name}"));
        let may = text(&format!("sign_in.{name}.may"));
        content.push_str(&format!(
            "<button class=\"{class}\" name=\"user\" value=\"{name}\"><strong>{label}</strong><span>{may}</span></button>\n"
        ));
    }
    let cancel = text("sign_in.cancel");
    content.push_str(&format!("<button class=\"plain\" name=\"cancel\" value=\"1\">{cancel}</button>\n</form>"));
    let form_target = redirect::form_target(&request.redirect_uri);
    let title = language.plain_text("sign_in.title");
    HtmlPage { language, title, content: &content, nav: "", is_wide: false, form_target: form_target.as_deref() }
        .to_response(StatusCode::OK)
}

fn refusal_response(language: Language, refused: &AuthorizeError) -> Response {
    match refused {
        AuthorizeError::OnPage(reason) => error_page(language, reason, StatusCode::BAD_REQUEST),
        AuthorizeError::ByRedirect { redirect_uri, state, oauth_error: OAuthError(error, description) } => {
            let parameters =
                [("error", Some(*error)), ("error_description", Some(*description)), ("state", state.as_deref())];
            redirect_back(language, redirect_uri, &parameters)
        }
    }
}

fn internal_error_page(language: Language) -> Response {
    error_page(language, "refused.broken", StatusCode::INTERNAL_SERVER_ERROR)
}

fn error_page(language: Language, reason: &str, status: StatusCode) -> Response {
    let content = format!("<p role=\"alert\">{}</p>", language.html_text(reason));
    let title = language.plain_text("refused.title");
    HtmlPage { language, title, content: &content, nav: "", is_wide: false, form_target: None }.to_response(status)
}

/// Redirects to a registered address with these parameters. The status makes the browser use `GET`, so that the form
/// isn't sent again.
fn redirect_back(language: Language, redirect_uri: &str, parameters: &[(&str, Option<&str>)]) -> Response {
    let Ok(mut url) = Url::parse(redirect_uri) else { return internal_error_page(language) };
    for (name, value) in parameters {
        if let Some(value) = value {
            url.query_pairs_mut().append_pair(name, value);
        }
    }
    let Ok(location) = HeaderValue::from_str(url.as_str()) else { return internal_error_page(language) };
    let mut response = Response::new(Body::from(language.html_text("sign_in.title")));
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(header::LOCATION, location);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
