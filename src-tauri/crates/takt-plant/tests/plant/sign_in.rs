//! Tests of the OAuth flow with a browser and a client, including all errors.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;

use crate::fixture::{Answer, Fixture};

const VERIFIER: &str = "a-verifier-that-is-long-enough-for-the-rules-0123456789";
pub(crate) const SCOPE: &str = "service-portal-api service-api offline_access";

pub(crate) type Pairs = Vec<(&'static str, String)>;

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER))
}

pub(crate) fn with_parameter(mut pairs: Pairs, name: &'static str, value: Option<&str>) -> Pairs {
    pairs.retain(|(known, _)| *known != name);
    pairs.extend(value.map(|value| (name, value.to_owned())));
    pairs
}

impl Fixture {
    pub(crate) fn authorize_parameters(&self) -> Pairs {
        vec![
            ("client_id", self.plant.client_id.clone()),
            ("response_type", "code".to_owned()),
            ("grant_type", "authorization_code".to_owned()),
            ("scope", SCOPE.to_owned()),
            ("redirect_uri", self.plant.redirect_uris[2].clone()),
            ("state", "s+t a/t&e".to_owned()),
            ("code_challenge", challenge()),
            ("code_challenge_method", "S256".to_owned()),
        ]
    }

    pub(crate) fn authorize(&self, method: Method, pairs: &Pairs) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}/connect/authorize", self.plant.auth_url)).query(pairs)
    }

    pub(crate) async fn sign_in_code(&self, user: &str, pairs: &Pairs) -> String {
        let answer = self.authorize(Method::POST, pairs).form(&[("user", user)]).send().await.unwrap();
        redirect_parameter(&answer, "code").unwrap()
    }

    pub(crate) fn exchange_form(&self, code: &str) -> Pairs {
        vec![
            ("grant_type", "authorization_code".to_owned()),
            ("client_id", self.plant.client_id.clone()),
            ("client_secret", self.plant.client_secret.clone()),
            ("code", code.to_owned()),
            ("redirect_uri", self.plant.redirect_uris[2].clone()),
            ("code_verifier", VERIFIER.to_owned()),
        ]
    }

    pub(crate) async fn token(&self, form: &Pairs) -> Answer {
        let url = format!("{}/connect/token", self.plant.auth_url);
        Answer::read(self.client.post(url).form(form).send().await.unwrap()).await
    }

    pub(crate) async fn refresh(&self, token: &Value) -> Answer {
        let form = with_parameter(self.exchange_form(""), "grant_type", Some("refresh_token"));
        self.token(&with_parameter(form, "refresh_token", token.as_str())).await
    }

    pub(crate) async fn read_status(&self, token: &Value) -> u16 {
        let request = self.client.get(self.url("/api/v1/Materials")).bearer_auth(token.as_str().unwrap());
        request.send().await.unwrap().status().as_u16()
    }
}

/// Returns the error code of a rejected request, which must also have a description.
pub(crate) fn error_code(answer: &Answer) -> String {
    let members = answer.body.as_object().unwrap();
    assert_eq!(members.len(), 2, "{members:?}");
    assert!(members["error_description"].as_str().is_some_and(|text| text.len() > 10), "{members:?}");
    members["error"].as_str().unwrap().to_owned()
}

/// Returns a parameter of the redirect to the client.
pub(crate) fn redirect_parameter(answer: &Response, name: &str) -> Option<String> {
    assert_eq!(answer.status(), 303);
    let url = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
    assert_eq!(url.as_str().split('?').next(), Some("http://127.0.0.1:47823/callback"));
    url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

#[tokio::test]
async fn a_person_signs_in_and_the_tokens_work() {
    let fixture = Fixture::new().await;
    let page = fixture.authorize(Method::GET, &fixture.authorize_parameters()).send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.headers()["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    let html = page.text().await.unwrap();
    for part in [
        "<html lang=\"en\">",
        "name=\"user\" value=\"planner\"",
        "value=\"viewer\"",
        "name=\"cancel\"",
        "method=\"post\"",
    ] {
        assert!(html.contains(part), "{part} is missing");
    }
    let answer = fixture
        .authorize(Method::POST, &fixture.authorize_parameters())
        .form(&[("user", "viewer")])
        .send()
        .await
        .unwrap();
    assert_eq!(redirect_parameter(&answer, "state").as_deref(), Some("s+t a/t&e"));
    let pair = fixture.token(&fixture.exchange_form(&redirect_parameter(&answer, "code").unwrap())).await;
    assert_eq!(pair.status, 200);
    assert_eq!(pair.header("cache-control"), "no-store");
    let expected = json!({ "token_type": "Bearer", "expires_in": 3600, "scope": SCOPE });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(pair.body[name], *value);
    }
    assert_eq!(fixture.read_status(&pair.body["access_token"]).await, 200);
    assert_eq!(fixture.last_log_entry().user.as_deref(), Some("viewer"));
    fixture.advance_clock(3600);
    assert_eq!(fixture.read_status(&pair.body["access_token"]).await, 401);
}

#[tokio::test]
async fn the_page_speaks_the_browsers_language() {
    let fixture = Fixture::new().await;
    let languages = [
        ("de-AT,de;q=0.9,en;q=0.5", "de"),
        ("fr,pt-BR;q=0.8", "pt"),
        ("es", "es"),
        ("fr", "en"),
        ("en;q=0.1,de;q=0.9", "de"),
    ];
    for (wanted, expected) in languages {
        let page = fixture
            .authorize(Method::GET, &fixture.authorize_parameters())
            .header("accept-language", wanted)
            .send()
            .await
            .unwrap();
        assert!(page.text().await.unwrap().contains(&format!("<html lang=\"{expected}\">")), "{wanted}");
    }
}

#[tokio::test]
async fn a_wrong_client_or_address_sends_the_browser_nowhere() {
    let fixture = Fixture::new().await;
    let elsewhere =
        ["http://127.0.0.1:47823/callback/", "http://localhost:47823/callback", "https://evil.invalid/", "\"><script>"];
    let mut wrong = vec![
        with_parameter(fixture.authorize_parameters(), "client_id", Some("other")),
        with_parameter(fixture.authorize_parameters(), "redirect_uri", None),
    ];
    wrong
        .extend(elsewhere.map(|address| with_parameter(fixture.authorize_parameters(), "redirect_uri", Some(address))));
    for pairs in wrong {
        for method in [Method::GET, Method::POST] {
            let answer = fixture.authorize(method, &pairs).form(&[("user", "planner")]).send().await.unwrap();
            assert_eq!(answer.status(), 400);
            assert!(answer.headers().get("location").is_none());
            let html = answer.text().await.unwrap();
            assert!(html.contains("role=\"alert\"") && !html.contains("<script>"));
        }
    }
}

#[tokio::test]
async fn other_mistakes_go_back_to_the_client() {
    let fixture = Fixture::new().await;
    let mistakes = [
        ("response_type", Some("token"), "unsupported_response_type"),
        ("response_type", None, "invalid_request"),
        ("grant_type", Some("implicit"), "invalid_request"),
        ("scope", Some("service-api everything"), "invalid_scope"),
        ("scope", None, "invalid_scope"),
        ("code_challenge_method", Some("plain"), "invalid_request"),
    ];
    for (name, value, error) in mistakes {
        let answer = fixture
            .authorize(Method::GET, &with_parameter(fixture.authorize_parameters(), name, value))
            .send()
            .await
            .unwrap();
        assert_eq!(redirect_parameter(&answer, "error").as_deref(), Some(error));
        assert!(redirect_parameter(&answer, "error_description").is_some_and(|text| text.len() > 10), "{name}");
        assert_eq!(redirect_parameter(&answer, "code"), None);
    }
    let mut twice = fixture.authorize_parameters();
    twice.push(("scope", SCOPE.to_owned()));
    let answer = fixture.authorize(Method::GET, &twice).send().await.unwrap();
    assert_eq!(redirect_parameter(&answer, "error").as_deref(), Some("invalid_request"));
    let answer =
        fixture.authorize(Method::POST, &fixture.authorize_parameters()).form(&[("cancel", "1")]).send().await.unwrap();
    assert_eq!(redirect_parameter(&answer, "error").as_deref(), Some("access_denied"));
    assert_eq!(redirect_parameter(&answer, "state").as_deref(), Some("s+t a/t&e"));
}

#[tokio::test]
async fn the_token_address_checks_everything() {
    let fixture = Fixture::new().await;
    let other_uri = fixture.plant.redirect_uris[0].clone();
    let wrong = [
        ("client_secret", Some("wrong"), 401, "invalid_client"),
        ("client_secret", None, 401, "invalid_client"),
        ("client_id", Some("other"), 401, "invalid_client"),
        ("grant_type", None, 400, "invalid_request"),
        ("grant_type", Some("password"), 400, "unsupported_grant_type"),
        ("code", Some("invented"), 400, "invalid_grant"),
        ("redirect_uri", Some(other_uri.as_str()), 400, "invalid_grant"),
        ("code_verifier", Some("another-verifier-that-is-long-enough-0123456789"), 400, "invalid_grant"),
        ("code_verifier", None, 400, "invalid_grant"),
    ];
    for (name, value, status, error) in wrong {
        let code = fixture.sign_in_code("planner", &fixture.authorize_parameters()).await;
        let answer = fixture.token(&with_parameter(fixture.exchange_form(&code), name, value)).await;
        assert_eq!(answer.header("pragma"), "no-cache");
        assert_eq!(answer.header("www-authenticate").starts_with("Basic "), status == 401);
        assert_eq!((answer.status, error_code(&answer)), (status, error.to_owned()), "{name} {value:?}");
    }
    let code = fixture.sign_in_code("planner", &fixture.authorize_parameters()).await;
    let mut twice = fixture.exchange_form(&code);
    twice.push(("code", code.clone()));
    assert_eq!(error_code(&fixture.token(&twice).await), "invalid_request");
    assert_eq!(fixture.token(&fixture.exchange_form(&code)).await.status, 200, "the code was not used up");
    let url = format!("{}/connect/token", fixture.plant.auth_url);
    let answer = Answer::read(fixture.client.post(url).json(&json!({})).send().await.unwrap()).await;
    assert_eq!((answer.status, error_code(&answer)), (400, "invalid_request".to_owned()));
}

#[tokio::test]
async fn a_code_lives_a_minute_and_works_once() {
    let fixture = Fixture::new().await;
    let late = fixture.sign_in_code("planner", &fixture.authorize_parameters()).await;
    fixture.advance_clock(60);
    assert_eq!(error_code(&fixture.token(&fixture.exchange_form(&late)).await), "invalid_grant");
    let code = fixture.sign_in_code("planner", &fixture.authorize_parameters()).await;
    let pair = fixture.token(&fixture.exchange_form(&code)).await;
    assert_eq!(fixture.read_status(&pair.body["access_token"]).await, 200);
    assert_eq!(error_code(&fixture.token(&fixture.exchange_form(&code)).await), "invalid_grant");
    assert_eq!(fixture.read_status(&pair.body["access_token"]).await, 401, "what grew from a stolen code ends");
}

/// If several clients use a code concurrently, one obtains tokens, and the other attempts revoke them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_that_many_bring_at_once_is_worth_nothing_in_the_end() {
    let fixture = std::sync::Arc::new(Fixture::new().await);
    for _ in 0..10 {
        let code = fixture.sign_in_code("planner", &fixture.authorize_parameters()).await;
        let bring = || {
            let (fixture, form) = (std::sync::Arc::clone(&fixture), fixture.exchange_form(&code));
            tokio::spawn(async move { fixture.token(&form).await })
        };
        let mut tokens = Vec::new();
        for brought in [bring(), bring(), bring(), bring()] {
            let answer = brought.await.unwrap();
            match answer.status {
                200 => tokens.push(answer.body["access_token"].clone()),
                _ => assert_eq!(error_code(&answer), "invalid_grant"),
            }
        }
        assert_eq!(tokens.len(), 1);
        assert_eq!(fixture.read_status(&tokens[0]).await, 401, "its code was used again");
    }
}

#[tokio::test]
async fn without_pkce_the_specified_parameters_suffice() {
    let fixture = Fixture::new().await;
    let asked = with_parameter(
        with_parameter(fixture.authorize_parameters(), "code_challenge", None),
        "code_challenge_method",
        None,
    );
    let code = fixture.sign_in_code("planner", &with_parameter(asked, "state", None)).await;
    let pair = fixture.token(&with_parameter(fixture.exchange_form(&code), "code_verifier", None)).await;
    assert_eq!(pair.status, 200);
}

#[tokio::test]
async fn refresh_tokens_rotate_and_reuse_ends_the_family() {
    let fixture = Fixture::new().await;
    let code = fixture.sign_in_code("planner", &fixture.authorize_parameters()).await;
    let first = fixture.token(&fixture.exchange_form(&code)).await.body;
    let second = fixture.refresh(&first["refresh_token"]).await;
    assert_eq!(second.status, 200);
    assert_ne!(second.body["refresh_token"], first["refresh_token"]);
    assert_eq!(fixture.read_status(&second.body["access_token"]).await, 200);
    let reused = fixture.refresh(&first["refresh_token"]).await;
    assert_eq!((reused.status, error_code(&reused)), (400, "invalid_grant".to_owned()));
    assert_eq!(fixture.read_status(&second.body["access_token"]).await, 401);
    assert_eq!(fixture.refresh(&second.body["refresh_token"]).await.status, 400);
}

#[tokio::test]
async fn only_the_scope_offline_access_gives_a_refresh_token_and_service_api_the_operations() {
    let fixture = Fixture::new().await;
    let asked = with_parameter(fixture.authorize_parameters(), "scope", Some("service-api"));
    let pair = fixture.token(&fixture.exchange_form(&fixture.sign_in_code("planner", &asked).await)).await;
    assert_eq!(pair.body.get("refresh_token"), None);
    assert_eq!(pair.body["scope"], "service-api");
    let asked = with_parameter(fixture.authorize_parameters(), "scope", Some("service-portal-api"));
    let pair = fixture.token(&fixture.exchange_form(&fixture.sign_in_code("planner", &asked).await)).await;
    let token = pair.body["access_token"].as_str().unwrap();
    let read = fixture.client.get(fixture.url("/api/v1/Materials")).bearer_auth(token).send().await.unwrap();
    let read = Answer::read(read).await;
    assert_eq!(read.status, 403, "permission can be rehearsed");
    let challenge = read.header("www-authenticate");
    assert!(challenge.contains("error=\"insufficient_scope\"") && challenge.contains("scope=\"service-api\""));
}
