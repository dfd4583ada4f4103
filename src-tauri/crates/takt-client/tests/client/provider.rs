//! Tests with other identity providers, which have other endpoints and client authentication, or untrusted metadata.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use takt_client::{
    Client, ClientError, Delivery, Secret, SecretKind, SiteAccess, StepOutcome, Vault,
    sign_in::{ClientAuthentication, NewTokens, ProviderSettings},
};

use crate::{
    browser,
    fixture::{MATERIALS, SITE, clock, unreachable_site},
    responder::{Responder, answer},
};

const TIMEOUT: Duration = Duration::from_secs(30);
const TOKENS: &str = r#"{"access_token":"new","token_type":"Bearer","refresh_token":"refresh-1"}"#;
/// The header for `takt works:s+cret/1`. Both parts are form-encoded first (RFC 6749, 2.3.1).
const BASIC: &str = "authorization: basic dGFrdCt3b3JrczpzJTJCY3JldCUyRjE=";

fn client_of(responder: &Responder, provider: ProviderSettings) -> (Client, Vault) {
    let (base_url, auth_url) = (responder.base_url.clone(), responder.base_url.clone());
    let access = SiteAccess { base_url, auth_url, provider, client_id: "takt works".to_owned(), ..unreachable_site() };
    let vault = Vault::memory();
    vault.put(SITE, SecretKind::ClientSecret, &Secret::new("s+cret/1"));
    (Client::new(access, vault.clone(), clock()).expect("a client"), vault)
}

/// Starts a provider with this metadata (`{base}` is its address) and this response to token requests.
async fn start_provider(discovery: Option<(&'static str, &'static str)>, tokens: Vec<u8>) -> Responder {
    Responder::start(move |request| {
        let host = request.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
        match discovery {
            Some((path, body)) if request.starts_with(&format!("GET {path} ")) => {
                answer("200 OK", "", &body.replace("{base}", &format!("http://{host}")))
            }
            _ if request.starts_with("POST ") => tokens.clone(),
            _ if request.starts_with("GET /api/") => answer("200 OK", "", r#"{"data":[]}"#),
            _ => answer("404 Not Found", "", ""),
        }
    })
    .await
}

/// Simulates the browser's redirect. Returns the page that the browser shows and the result of the sign-in.
async fn complete_sign_in(client: &Client, extra_query: &str) -> (String, Result<(), ClientError>) {
    let pending = client.begin_sign_in(TIMEOUT).await.expect("a sign-in begins");
    let back = redirect_address(pending.address(), pending.redirect_uri());
    let waiting = tokio::spawn(pending.wait());
    let shown = browser::open_page(&format!("{back}{extra_query}")).await;
    (shown.text, waiting.await.expect("it ends"))
}

fn redirect_address(address: &str, redirect_uri: &str) -> String {
    let url = url::Url::parse(address).expect("an address");
    let state = url.query_pairs().find(|(name, _)| name == "state").expect("a state").1.into_owned();
    format!("{redirect_uri}?code=c1&state={state}")
}

fn token_request(responder: &Responder) -> String {
    let requests = responder.requests.lock().expect("the requests");
    let asked: Vec<&String> = requests.iter().filter(|request| request.starts_with("POST ")).collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    asked[0].clone()
}

#[tokio::test]
async fn the_secret_goes_among_the_forms_fields() {
    let responder = start_provider(None, answer("200 OK", "", TOKENS)).await;
    let (client, _) = client_of(&responder, ProviderSettings::default());
    complete_sign_in(&client, "").await.1.expect("signed in");
    let asked = token_request(&responder);
    assert!(asked.starts_with("POST /connect/token "), "{asked}");
    assert!(asked.contains("client_id=takt+works") && asked.contains("client_secret=s%2Bcret%2F1"), "{asked}");
    assert!(!asked.to_lowercase().contains("authorization:"), "{asked}");
}

#[tokio::test]
async fn the_secret_goes_by_basic_where_the_provider_or_the_setting_says_so() {
    let only_basic = r#"{"issuer":"{base}","token_endpoint":"{base}/oauth/token","authorization_endpoint":"{base}/oauth/authorize","token_endpoint_auth_methods_supported":["client_secret_basic"]}"#;
    for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
        let responder = start_provider(Some((path, only_basic)), answer("200 OK", "", TOKENS)).await;
        let (client, _) = client_of(&responder, ProviderSettings::default());
        let pending = client.begin_sign_in(TIMEOUT).await.expect("a sign-in begins");
        assert!(pending.address().starts_with(&format!("{}/oauth/authorize?", responder.base_url)), "{path}");
        drop(pending);
        complete_sign_in(&client, "").await.1.expect("signed in");
        let asked = token_request(&responder);
        assert!(
            asked.starts_with("POST /oauth/token ") && asked.to_lowercase().contains(&BASIC.to_lowercase()),
            "{asked}"
        );
        assert!(!asked.contains("client_secret"), "{asked}");
    }
    let settings = ProviderSettings {
        client_authentication: Some(ClientAuthentication::Basic),
        token: Some("tokens".to_owned()),
        ..ProviderSettings::default()
    };
    let responder = start_provider(None, answer("200 OK", "", TOKENS)).await;
    complete_sign_in(&client_of(&responder, settings).0, "").await.1.expect("signed in");
    let asked = token_request(&responder);
    assert!(asked.starts_with("POST /tokens ") && asked.to_lowercase().contains(&BASIC.to_lowercase()), "{asked}");
}

#[tokio::test]
async fn a_token_of_another_type_is_refused() {
    let responder = start_provider(None, answer("200 OK", "", r#"{"access_token":"a","token_type":"DPoP"}"#)).await;
    let (client, _) = client_of(&responder, ProviderSettings::default());
    let (shown, ended) = complete_sign_in(&client, "").await;
    assert!(matches!(&ended, Err(ClientError::SignInRefused(words)) if words.contains("DPoP")), "{ended:?}");
    assert!(!client.is_signed_in() && !shown.contains("You're signed in"), "{shown}");
}

#[tokio::test]
async fn two_codes_are_refused() {
    let responder = start_provider(None, answer("200 OK", "", TOKENS)).await;
    let (client, _) = client_of(&responder, ProviderSettings::default());
    let (shown, ended) = complete_sign_in(&client, "&code=c2").await;
    assert!(matches!(ended, Err(ClientError::SignInRefused(_))), "{ended:?}");
    assert!(!client.is_signed_in() && shown.contains("refused"), "{shown}");
    assert_eq!(responder.count(), 0, "neither was used");
}

#[tokio::test]
async fn the_browser_is_told_once_there_are_tokens() {
    for (tokens, expected) in [
        (answer("200 OK", "", TOKENS), "You're signed in"),
        (answer("400 Bad Request", "", r#"{"error":"invalid_grant"}"#), "The sign-in didn't work"),
        (answer("502 Bad Gateway", "", "<html>later</html>"), "The sign-in didn't work"),
    ] {
        let responder = start_provider(None, tokens).await;
        let (client, _) = client_of(&responder, ProviderSettings::default());
        let (shown, ended) = complete_sign_in(&client, "").await;
        assert!(shown.contains(expected), "{expected}: {shown}");
        assert_eq!(ended.is_ok(), client.is_signed_in());
    }
}

#[tokio::test]
async fn a_refusal_with_status_200_is_a_refusal() {
    for body in [
        r#"{"error":"invalid_client","error_description":"unknown"}"#,
        r#"{"access_token":"","error":"invalid_client","error_description":"unknown"}"#,
        r#"{"access_token":null,"token_type":"Bearer","error":"invalid_client","error_description":"unknown"}"#,
    ] {
        let responder = start_provider(None, answer("200 OK", "", body)).await;
        let (client, _) = client_of(&responder, ProviderSettings::default());
        let (shown, ended) = complete_sign_in(&client, "").await;
        let is_told = matches!(&ended, Err(ClientError::SignInRefused(words)) if words == "invalid_client: unknown");
        assert!(is_told && !client.is_signed_in() && !shown.contains("You're signed in"), "{body}: {ended:?}");
    }
}

#[tokio::test]
async fn a_provider_that_announces_its_name_has_to_send_it() {
    const ANNOUNCED: &str = r#"{"issuer":"{base}","authorization_response_iss_parameter_supported":true}"#;
    const SILENT: &str = r#"{"issuer":"{base}"}"#;
    for (told, extra_query, is_taken) in
        [(ANNOUNCED, false, false), (ANNOUNCED, true, true), (SILENT, false, true), (SILENT, true, true)]
    {
        let discovery = Some(("/.well-known/openid-configuration", told));
        let responder = start_provider(discovery, answer("200 OK", "", TOKENS)).await;
        let (client, _) = client_of(&responder, ProviderSettings::default());
        let issuer = if extra_query { format!("&iss={}", responder.base_url) } else { String::new() };
        let (_, ended) = complete_sign_in(&client, &issuer).await;
        assert_eq!((ended.is_ok(), client.is_signed_in()), (is_taken, is_taken), "{told} {extra_query}: {ended:?}");
    }
}

#[tokio::test]
async fn a_providers_page_is_the_providers_fault() {
    for status in ["400 Bad Request", "405 Method Not Allowed", "302 Found", "200 OK"] {
        let responder = start_provider(None, answer(status, "", "<html>Sign in</html>")).await;
        let (client, _) = client_of(&responder, ProviderSettings::default());
        client.store_tokens(ended_tokens());
        let error = client.get(MATERIALS, &[]).await.expect_err("no token");
        let ClientError::Renewal(cause) = &error else { panic!("{status}: {error:?}") };
        assert!(matches!(**cause, ClientError::Provider(_)), "{status}: {cause:?}");
        assert_eq!(error.delivery(), Delivery::NotSent);
    }
}

#[tokio::test]
async fn trouble_at_a_renewal_passes() {
    for trouble in [Vec::new(), answer("503 Service Unavailable", "", "<html>later</html>")] {
        let count = Arc::new(AtomicUsize::new(0));
        let asked = Arc::clone(&count);
        let responder = Responder::start(move |request| {
            if !request.starts_with("POST /connect/token") {
                return answer("200 OK", "", r#"{"data":[]}"#);
            }
            if asked.fetch_add(1, Ordering::SeqCst) < 2 { trouble.clone() } else { answer("200 OK", "", TOKENS) }
        })
        .await;
        let (client, _) = client_of(&responder, ProviderSettings::default());
        client.store_tokens(ended_tokens());
        client.get(MATERIALS, &[]).await.expect("an answer");
        assert_eq!(count.load(Ordering::SeqCst), 3);
    }
}

fn ended_tokens() -> NewTokens {
    let (access, refresh) = (Secret::new("access-0"), Some(Secret::new("refresh-0")));
    NewTokens { access, refresh, expires_in: Some(Duration::ZERO), scopes: None }
}

#[tokio::test]
async fn scopes_that_were_not_granted_are_named() {
    const SOME: &str = r#"{"access_token":"new","refresh_token":"refresh-1","scope":"orders.read Site/stock"}"#;
    const SILENT: &str = r#"{"access_token":"new","refresh_token":"refresh-1"}"#;
    for (tokens, finding, outcome) in
        [(SOME, "token-fewer-scopes", StepOutcome::Warning), (SILENT, "token-renewed", StepOutcome::Passed)]
    {
        let responder = start_provider(None, answer("200 OK", "", tokens)).await;
        let (client, vault) = client_of(&responder, ProviderSettings::default());
        let scope = "orders.read orders.write alerts offline_access".to_owned();
        let client = Client::new(SiteAccess { scope, ..client.access().clone() }, vault, clock()).expect("a client");
        complete_sign_in(&client, "").await.1.expect("signed in");
        let found = client.check_token().await;
        assert_eq!((found.finding, found.outcome), (finding, outcome), "{found:?}");
        let missing = found.parameters.get("scopes").map(String::as_str);
        assert_eq!(missing, (finding == "token-fewer-scopes").then_some("orders.write, alerts"));
    }
}

/// The request is sent as a browser would, so that a wrong client or redirect address shows before a sign-in.
#[tokio::test]
async fn the_check_of_a_sign_in_names_what_the_provider_refuses() {
    let back = |query: &str| format!("{{redirect}}{query}");
    for (status, location, finding, words) in [
        ("200 OK", None, "authorize-answers", None),
        ("302 Found", Some("/login".to_owned()), "authorize-answers", None),
        ("302 Found", Some(back("?error=login_required")), "authorize-answers", None),
        ("302 Found", Some("http://127.0.0.1:1/?error=other".to_owned()), "authorize-answers", None),
        ("302 Found", Some(back("?error=unauthorized_client")), "authorize-refused", Some("unauthorized_client")),
        (
            "302 Found",
            Some(back("?error=invalid_scope&error_description=No%20such%20scope")),
            "authorize-refused",
            Some("invalid_scope: No such scope"),
        ),
        ("400 Bad Request", None, "authorize-refused", Some("status 400")),
        ("404 Not Found", None, "authorize-missing", None),
        ("503 Service Unavailable", None, "authorize-broken", None),
    ] {
        let given = location.clone();
        let responder = Responder::start(move |request| {
            if request.contains("/.well-known/") {
                return answer("404 Not Found", "", "");
            }
            let address = format!("http://127.0.0.1{}", request.split(' ').nth(1).unwrap_or_default());
            let url = url::Url::parse(&address).expect("the authorize request");
            let redirect =
                url.query_pairs().find(|(name, _)| name == "redirect_uri").expect("a redirect").1.into_owned();
            let to = given.as_ref().map(|to| format!("Location: {}\r\n", to.replace("{redirect}", &redirect)));
            answer(status, &to.unwrap_or_default(), "")
        })
        .await;
        let (client, _) = client_of(&responder, ProviderSettings::default());
        let step = client.check_authorize().await;
        assert_eq!(
            (step.finding, step.parameters.get("words").map(String::as_str)),
            (finding, words),
            "{status} {location:?}"
        );
        assert_eq!(step.is_failed(), !finding.ends_with("answers"));
        assert_eq!(step.parameters["client"], "takt works");
    }
}

#[tokio::test]
async fn the_check_of_a_sign_in_tells_whether_the_provider_describes_itself() {
    let metadata =
        r#"{"issuer":"{base}","token_endpoint":"{base}/oauth/token","authorization_endpoint":"{base}/api/authorize"}"#;
    let discovery = Some(("/.well-known/openid-configuration", metadata));
    let responder = start_provider(discovery, answer("200 OK", "", TOKENS)).await;
    let (client, _) = client_of(&responder, ProviderSettings::default());
    assert_eq!(client.check_authorize().await.finding, "authorize-described");
}
