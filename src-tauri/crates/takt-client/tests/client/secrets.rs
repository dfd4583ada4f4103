//! Tests with servers that echo requests. The client must never return a secret from them.

use std::time::Duration;

use takt_client::{
    Client, ClientError, Redactor, SECRET_PLACEHOLDER, Secret, SecretKind, SiteAccess, Timeouts, Vault,
    post::PostClient, sign_in::NewTokens,
};

use crate::{
    browser,
    fixture::{MATERIALS, SITE, clock, unreachable_site},
    responder::{Responder, answer},
};

const ACCESS: &str = "access-7f3e9a1c";
const REFRESH: &str = "refresh-55d0c2b8";
const CLIENT_SECRET: &str = "s3cret/with+signs=";
const FRESH: &str = "fresh-9917aa03bb";

fn site(responder: &Responder) -> SiteAccess {
    SiteAccess { base_url: responder.base_url.clone(), auth_url: responder.base_url.clone(), ..unreachable_site() }
}

fn client(access: SiteAccess, expires_in: u64) -> Client {
    let vault = Vault::memory();
    vault.put(SITE, SecretKind::ClientSecret, &Secret::new(CLIENT_SECRET));
    let client = Client::new(access, vault, clock()).expect("a client");
    client.store_tokens(NewTokens {
        access: Secret::new(ACCESS),
        refresh: Some(Secret::new(REFRESH)),
        expires_in: Some(Duration::from_secs(expires_in)),
        scopes: None,
    });
    client
}

/// Returns all texts of an error.
fn error_text(error: &ClientError) -> String {
    format!("{error} {error:?} {} {:?} {:?}", error.details(), error.reasons(), error.log_id())
}

fn assert_no_secrets(text: &str) {
    let percent: String = url::form_urlencoded::byte_serialize(CLIENT_SECRET.as_bytes()).collect();
    for secret in [ACCESS, REFRESH, CLIENT_SECRET, &percent, FRESH] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

/// Returns the request quoted in JSON.
fn quote_in_json(request: &str) -> String {
    serde_json::Value::from(request).to_string()
}

#[tokio::test]
async fn a_service_that_echoes_the_request_tells_no_token() {
    for status in ["400 Bad Request", "403 Forbidden", "412 Precondition Failed", "500 Internal Server Error"] {
        let echo = Responder::start(move |request| {
            let body = format!(r#"{{"logId":{0},"message":[{0}],"stackTrace":[{0}]}}"#, quote_in_json(request));
            answer(status, "", &body)
        })
        .await;
        let error = client(site(&echo), 3600).get(MATERIALS, &[]).await.expect_err(status);
        let told = error_text(&error);
        assert_no_secrets(&told);
        assert!(told.contains(SECRET_PLACEHOLDER) && told.contains(MATERIALS), "{told}");
    }
    let page = Responder::start(|request| answer("502 Bad Gateway", "", &format!("<pre>{request}</pre>"))).await;
    let error = client(site(&page), 3600).get(MATERIALS, &[]).await.expect_err("a page");
    assert_no_secrets(&error_text(&error));
}

#[tokio::test]
async fn rows_that_echo_a_token_come_without_it() {
    let echo = Responder::start(|request| {
        answer("200 OK", "", &format!(r#"{{"data":[{{"code":"A-1","note":{}}}]}}"#, quote_in_json(request)))
    })
    .await;
    let answered = client(site(&echo), 3600).get(MATERIALS, &[]).await.expect("an answer");
    let body = String::from_utf8_lossy(&answered.body).into_owned();
    assert_no_secrets(&body);
    assert!(body.contains(SECRET_PLACEHOLDER) && answered.json().expect("JSON")["data"][0]["code"] == "A-1", "{body}");
}

#[tokio::test]
async fn a_provider_that_answers_otherwise_tells_no_token() {
    let pair = format!(r#"{{"access_token":"{FRESH}","refresh_token":"{FRESH}-r","token_type":"Bearer"}}"#);
    let page = format!("<html>token {FRESH} for {{}}</html>");
    for (status, body) in [
        ("201 Created", pair.clone()),
        ("202 Accepted", page),
        ("200 OK", format!(r#"{{"access_token":["{FRESH}"]}}"#)),
        ("302 Found", pair.clone()),
        ("400 Bad Request", pair.clone()),
        ("418 I'm a teapot", format!(r#"{{"error":"{FRESH}","access_token":"{FRESH}"}}"#)),
        ("500 Internal Server Error", pair),
    ] {
        // Error codes of the provider may be shown, but issued tokens must not be.
        let body = body.replace(&format!(r#""error":"{FRESH}""#), r#""error":"odd""#);
        let provider = Responder::start(move |request| {
            let sent = request.split_once("\r\n\r\n").map(|(_, sent)| sent).unwrap_or_default().to_owned();
            answer(status, "", &body.replace("{}", &sent))
        })
        .await;
        let error = client(site(&provider), 0).get(MATERIALS, &[]).await.expect_err(status);
        assert_no_secrets(&error_text(&error));
    }
}

#[tokio::test]
async fn a_provider_that_echoes_the_form_tells_no_secret() {
    let provider = Responder::start(|request| {
        let sent = request.split_once("\r\n\r\n").map(|(_, sent)| sent).unwrap_or_default();
        let words = quote_in_json(&format!("what came: {sent}"));
        answer("400 Bad Request", "", &format!(r#"{{"error":"invalid_client","error_description":{words}}}"#))
    })
    .await;
    let asked = client(site(&provider), 0);
    let error = asked.get(MATERIALS, &[]).await.expect_err("refused");
    let told_first = error_text(&error);
    assert_no_secrets(&told_first);
    assert!(told_first.contains("invalid_client"), "{told_first}");

    let pending = asked.begin_sign_in(Duration::from_secs(30)).await.expect("it begins");
    let (back, state) = (pending.redirect_uri().to_owned(), query_parameter(pending.address(), "state"));
    let waiting = tokio::spawn(pending.wait());
    browser::open_page(&format!("{back}?code=given-code-4711&state={state}")).await;
    let error = waiting.await.expect("it ends").expect_err("refused");
    let told = error_text(&error);
    assert_no_secrets(&told);
    let requests = provider.requests.lock().expect("the requests").join("\n");
    let verifier = query_parameter(
        &format!("http://x/?{}", requests.rsplit("\r\n\r\n").next().unwrap_or_default()),
        "code_verifier",
    );
    assert!(verifier.len() > 40 && !told.contains(&verifier) && !told.contains("given-code-4711"), "{told}");
}

#[tokio::test]
async fn a_target_that_echoes_tells_no_key() {
    let target = Responder::start(|request| answer("500 Internal Server Error", "", request)).await;
    let redactor = Redactor::default();
    redactor.register_header(&Secret::new("Key k-112233445566"));
    let poster = PostClient::new(&target.base_url, Timeouts::default()).expect("a poster").with_redactor(&redactor);
    let headers = [("x-erp".to_owned(), "Key k-112233445566".to_owned()), ("cookie".to_owned(), "a=b".to_owned())];
    let posted = poster.post(&headers, b"{}".to_vec(), &clock()).await.expect("an answer");
    assert!(!posted.body.contains("k-112233445566") && !posted.body.contains("a=b"), "{}", posted.body);
    assert!(posted.body.contains(SECRET_PLACEHOLDER), "{}", posted.body);
}

fn query_parameter(address: &str, name: &str) -> String {
    let url = url::Url::parse(address).expect("an address");
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).expect("the parameter")
}
