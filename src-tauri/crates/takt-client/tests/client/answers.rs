//! Tests of the results of each kind of response, and of missing responses.

use std::time::Duration;

use serde_json::json;
use takt_client::{Client, ClientError, Delivery, Secret, SiteAccess, Timeouts, Vault, sign_in::NewTokens};

use crate::{
    fixture::{Fixture, MATERIALS, clock, config, plant, unreachable_site},
    responder::{Responder, answer},
};

const BATCH: &str = "/api/v1/Materials/batch";

fn with_token(access: SiteAccess) -> Client {
    let client = Client::new(access, Vault::memory(), clock()).expect("a client");
    client.store_tokens(NewTokens { access: Secret::new("access"), refresh: None, expires_in: None, scopes: None });
    client
}

fn client_of(responder: &Responder) -> Client {
    with_token(SiteAccess { base_url: responder.base_url.clone(), ..unreachable_site() })
}

async fn error_for(fault: &str) -> ClientError {
    let fixture = Fixture::with_fault(fault).await;
    let body = json!({ "items": [{ "code": "MAT-1001", "description": "x" }] });
    fixture.client.send("POST", BATCH, &body).await.expect_err("a fault")
}

#[tokio::test]
async fn internal_errors_carry_their_log_id() {
    let error = error_for("error-500").await;
    assert_eq!(error.delivery(), Delivery::Answered(500));
    assert!(error.log_id().is_some_and(|id| !id.is_empty()));
    assert!(!error.reasons().is_empty());
    assert!(error_for("error-500-dev").await.details().contains("stackTrace"));
}

#[tokio::test]
async fn too_many_requests_say_how_long_to_wait() {
    for fault in ["limit-429-s", "limit-429-ms", "limit-429-header"] {
        let error = error_for(fault).await;
        assert_eq!(error.delivery(), Delivery::Answered(429), "{fault}");
        let wait = error.retry_after().expect("a wait");
        assert!((0.9..=1.1).contains(&wait.as_secs_f64()), "{fault}: {wait:?}");
    }
    // The body states no wait, but the headers state the reset, as in every response.
    let wait = error_for("limit-429-bare").await.retry_after().expect("a wait");
    assert!(wait.as_secs_f64() <= 2.1, "{wait:?}");
}

#[tokio::test]
async fn what_broke_off_is_unknown() {
    for fault in ["drop-before-apply", "apply-then-drop", "truncate"] {
        let error = error_for(fault).await;
        assert!(matches!(error, ClientError::Lost(_)), "{fault}: {error:?}");
        assert_eq!(error.delivery(), Delivery::Unknown, "{fault}");
    }
    let error = error_for("apply-then-502").await;
    assert_eq!(error.delivery(), Delivery::Answered(502));
    assert!(error.details().contains("Bad Gateway") && error.reasons().is_empty());
}

#[tokio::test]
async fn no_answer_in_time_is_unknown() {
    let fixture = Fixture::with(plant(config()).await, |access| SiteAccess {
        timeouts: Timeouts {
            connect: Duration::from_secs(5),
            request: Duration::from_millis(300),
            ..Timeouts::default()
        },
        ..access
    });
    fixture.store_tokens("planner", None);
    fixture.plant.plant().set_faults(vec![takt_plant::Fault::parse("stall").expect("a fault")], 1);
    let error = fixture.client.get(MATERIALS, &[]).await.expect_err("no answer");
    assert!(matches!(error, ClientError::TimedOut(_)), "{error:?}");
    assert_eq!(error.delivery(), Delivery::Unknown);
}

#[tokio::test]
async fn a_closed_port_proves_that_nothing_was_sent() {
    let error = with_token(unreachable_site()).send("POST", BATCH, &json!({})).await.expect_err("nobody there");
    assert!(matches!(error, ClientError::Unreachable(_)), "{error:?}");
    assert_eq!(error.delivery(), Delivery::NotSent);
    let access = SiteAccess { base_url: "http://no-such-host.invalid".to_owned(), ..unreachable_site() };
    assert_eq!(
        with_token(access).get("/", &[]).await.map(|_| ()).map_err(|error| error.delivery()),
        Err(Delivery::NotSent)
    );
}

#[tokio::test]
async fn refusals_of_the_service() {
    let fixture = Fixture::signed_in(config(), "viewer").await;
    let denied = fixture.client.send("POST", BATCH, &json!({ "items": [] })).await.expect_err("a viewer");
    assert_eq!(denied.delivery(), Delivery::Answered(403));
    assert_eq!(denied.reasons().len(), 1);
    let missing = fixture.client.get("/api/v1/Nothing", &[]).await.expect_err("no such path");
    assert_eq!(missing.delivery(), Delivery::Answered(404));
    fixture.store_tokens("planner", None);
    let invalid = fixture.client.send("POST", BATCH, &json!({ "things": 1 })).await.expect_err("not a batch");
    assert!(matches!(invalid.status(), Some(400 | 412)), "{invalid:?}");
    assert!(!invalid.reasons().is_empty());
}

#[tokio::test]
async fn bodies_that_are_no_json() {
    let fixture = Fixture::with_fault("not-json").await;
    let odd = fixture.client.get(MATERIALS, &[]).await.expect("a 200").json().expect_err("a page");
    assert_eq!(odd.delivery(), Delivery::Answered(200));
    assert!(odd.details().contains("Welcome"));
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = Responder::start(|_| answer("200 OK", "", "{}")).await;
    let target = format!("Location: {}/\r\n", elsewhere.base_url);
    let responder = Responder::start(move |_| answer("307 Temporary Redirect", &target, "")).await;
    let error = client_of(&responder).send("POST", BATCH, &json!({})).await.expect_err("a redirect");
    assert_eq!(error.delivery(), Delivery::Answered(307));
    assert_eq!(elsewhere.count(), 0);
}

#[tokio::test]
async fn a_token_follows_a_read_within_its_origin_and_nowhere_else() {
    let elsewhere = Responder::start(|_| answer("200 OK", "", "{}")).await;
    let responder = Responder::start({
        let target = format!("Location: {}/there\r\n", elsewhere.base_url);
        move |request| match request.split(' ').nth(1) {
            Some("/api/v1/Old") => answer("308 Permanent Redirect", "Location: /api/v1/New?page=2\r\n", ""),
            Some("/api/v1/Round") => answer("302 Found", "Location: /api/v1/Round\r\n", ""),
            Some("/api/v1/Elsewhere") => answer("302 Found", &target, ""),
            _ => answer("200 OK", "", "[7]"),
        }
    })
    .await;
    let client = client_of(&responder);
    assert_eq!(client.get("/api/v1/Old", &[]).await.expect("an answer").body, b"[7]");
    {
        let requests = responder.requests.lock().expect("the requests");
        let last = requests.last().expect("a request").to_ascii_lowercase();
        assert!(last.starts_with("get /api/v1/new?page=2 ") && last.contains("authorization: bearer "), "{last}");
    }
    let before = responder.count();
    let round = client.get("/api/v1/Round", &[]).await.expect_err("no end");
    assert_eq!((round.status(), responder.count() - before), (Some(302), 6));
    let refused = client.get("/api/v1/Elsewhere", &[]).await.expect_err("another origin");
    assert_eq!((refused.status(), elsewhere.count()), (Some(302), 0));
    assert!(refused.details().contains(&format!("{}/there", elsewhere.base_url)), "{}", refused.details());
    let written = client.send("POST", "/api/v1/Old", &json!({})).await.expect_err("a write isn't sent on");
    assert_eq!(written.delivery(), Delivery::Answered(308));
}

#[tokio::test]
async fn a_body_without_end_is_given_up() {
    let responder = Responder::start(|_| {
        let mut bytes = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
        bytes.resize(66 * 1024 * 1024, b' ');
        bytes
    })
    .await;
    let error =
        client_of(&responder).send("POST", BATCH, &json!({})).await.map(|answer| answer.status).expect_err("too large");
    assert!(matches!(error, ClientError::NotUnderstood { status: 200, .. }), "{error:?}");
}

#[tokio::test]
async fn requests_say_who_they_are() {
    let responder = Responder::start(|_| answer("200 OK", "", "{}")).await;
    client_of(&responder).send("DELETE", "/api/v1/x/batch", &json!({ "items": [1] })).await.expect("an answer");
    let request = responder.requests.lock().expect("the requests")[0].to_ascii_lowercase();
    assert!(request.starts_with("delete /api/v1/x/batch http/1.1\r\n"), "{request}");
    assert!(request.contains("authorization: bearer access\r\n"));
    assert!(request.contains(&format!("user-agent: takt/{}\r\n", env!("CARGO_PKG_VERSION"))));
    assert!(request.contains("content-type: application/json\r\n"));
    assert!(request.ends_with("{\"items\":[1]}"));
}

#[tokio::test]
async fn anybody_there() {
    let fixture = Fixture::signed_out(config()).await;
    assert!(fixture.client.reach_service().await.is_ok());
    assert!(fixture.client.reach_provider().await.is_ok());
    let client = Client::new(unreachable_site(), Vault::memory(), clock()).expect("a client");
    assert!(matches!(client.reach_service().await, Err(ClientError::Unreachable(_))));
}
