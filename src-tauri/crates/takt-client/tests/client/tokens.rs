//! Tests that tokens are refreshed in time and only once, and that they are never lost unnecessarily.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};

use serde_json::json;
use takt_client::{Client, ClientError, Delivery, Secret, SecretKind, SiteAccess, Vault, sign_in::NewTokens};
use takt_plant::PlantConfig;
use tokio::task::JoinSet;

use crate::{
    fixture::{Fixture, MATERIALS, SITE, clock, config, unreachable_site},
    responder::{Responder, answer},
};

const BATCH: &str = "/api/v1/Materials/batch";

fn short_lived() -> PlantConfig {
    PlantConfig { token_lifetime: Duration::from_secs(1), ..config() }
}

fn tokens(expires_in: u64) -> NewTokens {
    NewTokens {
        access: Secret::new("access-0"),
        refresh: Some(Secret::new("refresh-0")),
        expires_in: Some(Duration::from_secs(expires_in)),
        scopes: None,
    }
}

fn site(responder: &Responder) -> SiteAccess {
    SiteAccess { base_url: responder.base_url.clone(), auth_url: responder.base_url.clone(), ..unreachable_site() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_at_once_renew_once() {
    let fixture = Fixture::signed_in(short_lived(), "planner").await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let mut calls = JoinSet::new();
    for _ in 0..50 {
        let client = fixture.client.clone();
        calls.spawn(async move { client.get(MATERIALS, &[]).await });
    }
    while let Some(call) = calls.join_next().await {
        assert_eq!(call.expect("it ends").expect("an answer").status, 200);
    }
    assert_eq!(fixture.request_count("connect/token"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_refused_at_once_renew_once() {
    let fixture = Fixture::signed_out(short_lived()).await;
    // The client assumes that the token is valid for an hour, but the plant expires it earlier.
    fixture.store_tokens("planner", Some(Duration::from_secs(3600)));
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let mut calls = JoinSet::new();
    for number in 0..50 {
        let client = fixture.client.clone();
        calls.spawn(async move {
            if number % 2 == 0 {
                client.get(MATERIALS, &[]).await
            } else {
                client.send("POST", BATCH, &json!({ "items": [] })).await
            }
        });
    }
    while let Some(call) = calls.join_next().await {
        let status = call.expect("it ends").map_or_else(|error| error.status(), |answer| Some(answer.status));
        assert!(status.is_some_and(|status| status != 401), "{status:?}");
    }
    assert_eq!(fixture.request_count("connect/token"), 1);
}

#[tokio::test]
async fn a_second_refusal_is_final() {
    let fixture = Fixture::with_fault("expire-token").await;
    let refused = fixture.client.send("POST", BATCH, &json!({ "items": [] })).await;
    assert_eq!(refused.as_ref().err().map(ClientError::delivery), Some(Delivery::Answered(401)));
    assert_eq!(fixture.request_count("materials.sync"), 2);
    assert_eq!(fixture.request_count("connect/token"), 1);
}

#[tokio::test]
async fn a_revoked_sign_in_ends() {
    let fixture = Fixture::with_fault("revoke-refresh").await;
    fixture.client.get(MATERIALS, &[]).await.expect("the access token is still good");
    fixture.plant.plant().set_faults(vec![takt_plant::Fault::parse("expire-token").expect("a fault")], 1);
    let ended = fixture.client.get(MATERIALS, &[]).await;
    assert!(matches!(ended, Err(ClientError::SignInNeeded)), "{ended:?}");
    assert!(!fixture.client.is_signed_in());
    assert!(fixture.vault.get(SITE, SecretKind::ClientSecret).is_some());
    let refresh_requests = fixture.request_count("connect/token");
    assert!(matches!(fixture.client.get(MATERIALS, &[]).await, Err(ClientError::SignInNeeded)));
    assert_eq!(fixture.request_count("connect/token"), refresh_requests);
}

#[tokio::test]
async fn a_provider_in_trouble_costs_no_sign_in() {
    for (status, body) in [
        ("503 Service Unavailable", "<html>later</html>"),
        ("429 Too Many Requests", r#"{"error":"invalid_grant"}"#),
        ("500 Internal Server Error", r#"{"error":"invalid_grant"}"#),
    ] {
        let responder = Responder::start(move |_| answer(status, "Retry-After: 0.2\r\n", body)).await;
        let vault = Vault::memory();
        let client = Client::new(site(&responder), vault.clone(), clock()).expect("a client");
        client.store_tokens(tokens(0));
        let error = client.get(MATERIALS, &[]).await.expect_err("no token");
        assert!(matches!(error, ClientError::Renewal(_)), "{error:?}");
        assert_eq!(error.delivery(), Delivery::NotSent);
        assert!(client.is_signed_in());
        assert_eq!(responder.count(), 4, "it was tried again, and only at the token address");
    }
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_once_more() {
    let count = AtomicUsize::new(0);
    let responder = Responder::start(move |request| {
        if !request.starts_with("POST /connect/token") {
            return answer("200 OK", "", r#"{"data":[]}"#);
        }
        assert!(request.contains("grant_type=refresh_token") && request.contains("refresh_token=refresh-0"));
        assert!(!request.contains("code_verifier"));
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            Vec::new()
        } else {
            answer("200 OK", "", r#"{"access_token":"new"}"#)
        }
    })
    .await;
    let vault = Vault::memory();
    let client = Client::new(site(&responder), vault.clone(), clock()).expect("a client");
    client.store_tokens(tokens(0));
    client.get(MATERIALS, &[]).await.expect("an answer");
    assert_eq!(responder.count(), 3);
    // The response contains no refresh token, so the old one remains valid.
    let kept = vault.get(SITE, SecretKind::Tokens).expect("kept");
    assert!(kept.reveal().contains("refresh-0") && kept.reveal().contains("\\\"new\\\""));
}

#[tokio::test]
async fn the_new_pair_is_kept_though_nobody_waits_for_it() {
    let responder = Responder::start(|request| {
        if request.starts_with("POST /connect/token") {
            std::thread::sleep(Duration::from_millis(300));
            return answer("200 OK", "", r#"{"access_token":"new","refresh_token":"refresh-1"}"#);
        }
        answer("200 OK", "", r#"{"data":[]}"#)
    })
    .await;
    let vault = Vault::memory();
    let client = Client::new(site(&responder), vault.clone(), clock()).expect("a client");
    client.store_tokens(tokens(0));
    let given_up = tokio::time::timeout(Duration::from_millis(100), client.get(MATERIALS, &[])).await;
    assert!(given_up.is_err());
    client.get(MATERIALS, &[]).await.expect("an answer");
    assert!(vault.get(SITE, SecretKind::Tokens).is_some_and(|kept| kept.reveal().contains("refresh-1")));
    assert_eq!(responder.count(), 2, "one renewal, one read");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_takts_take_turns() {
    let fixture = Fixture::signed_in(short_lived(), "planner").await;
    let folder = tempfile::tempdir().expect("a folder");
    let lock_file = Some(folder.path().join("site.lock"));
    let twin = || {
        let access = SiteAccess { lock_file: lock_file.clone(), ..fixture.client.access().clone() };
        Client::new(access, fixture.vault.clone(), clock()).expect("a client")
    };
    let (first, second) = (twin(), twin());
    first.get(MATERIALS, &[]).await.expect("an answer");
    second.get(MATERIALS, &[]).await.expect("an answer");
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let (one, other) = tokio::join!(first.get(MATERIALS, &[]), second.get(MATERIALS, &[]));
    assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
    assert_eq!(fixture.request_count("connect/token"), 1);
}

/// Two clients that share a vault, like two processes that share a keychain. The provider responds to a refresh only
/// when the test allows it.
struct RefreshFixture {
    first: Client,
    second: Client,
    vault: Vault,
    responder: Responder,
    refresh_requests: mpsc::Receiver<()>,
    allow_response: mpsc::Sender<()>,
    _folder: tempfile::TempDir,
}

impl RefreshFixture {
    /// Starts with `renewal` as the provider's response to a refresh.
    async fn start(renewal: Vec<u8>) -> Self {
        let (asking, refresh_requests) = mpsc::channel();
        let (allow_response, waiting) = mpsc::channel::<()>();
        let (asking, waiting) = (Mutex::new(asking), Mutex::new(waiting));
        let responder = Responder::start(move |request| {
            if !request.starts_with("POST /connect/token") {
                return answer("200 OK", "", r#"{"data":[]}"#);
            }
            asking.lock().expect("the test").send(()).expect("the test");
            waiting.lock().expect("the test").recv().expect("the test");
            renewal.clone()
        })
        .await;
        let (folder, vault) = (tempfile::tempdir().expect("a folder"), Vault::memory());
        let lock_file = Some(folder.path().join("site.lock"));
        let twin = || {
            let access = SiteAccess { lock_file: lock_file.clone(), ..site(&responder) };
            Client::new(access, vault.clone(), clock()).expect("a client")
        };
        let (first, second) = (twin(), twin());
        first.store_tokens(tokens(0));
        Self { first, second, vault, responder, refresh_requests, allow_response, _folder: folder }
    }

    /// Returns the result of a read. `during_refresh` runs during the refresh.
    async fn read_while(&self, during_refresh: impl FnOnce()) -> Result<takt_client::ServiceResponse, ClientError> {
        let client = self.first.clone();
        let reading = tokio::spawn(async move { client.get(MATERIALS, &[]).await });
        self.refresh_requests.recv().expect("a renewal");
        during_refresh();
        self.allow_response.send(()).expect("the provider");
        reading.await.expect("it ends")
    }

    fn stored_tokens(&self) -> Option<Secret> {
        self.vault.get(SITE, SecretKind::Tokens)
    }
}

fn refresh_response() -> Vec<u8> {
    answer("200 OK", "", r#"{"access_token":"renewed","refresh_token":"refresh-1","expires_in":3600}"#)
}

fn tokens_of_another_user() -> NewTokens {
    NewTokens { access: Secret::new("access-of-b"), refresh: Some(Secret::new("refresh-of-b")), ..tokens(3600) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_sign_out_elsewhere_is_newer_than_a_renewal_under_way() {
    let fixture = RefreshFixture::start(refresh_response()).await;
    let read = fixture.read_while(|| fixture.second.sign_out().expect("forgotten")).await;
    assert!(matches!(read, Err(ClientError::SignInNeeded)), "{read:?}");
    assert!(fixture.stored_tokens().is_none(), "nobody is signed in again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_sign_in_elsewhere_is_newer_than_a_renewal_under_way() {
    for renewal in [refresh_response(), answer("400 Bad Request", "", r#"{"error":"invalid_grant"}"#)] {
        let fixture = RefreshFixture::start(renewal).await;
        fixture.read_while(|| fixture.second.store_tokens(tokens_of_another_user())).await.expect("an answer");
        assert!(fixture.stored_tokens().expect("kept").reveal().contains("refresh-of-b"));
        let requests = fixture.responder.requests.lock().expect("the requests").clone();
        assert!(requests.last().expect("a read").contains("Bearer access-of-b"), "{requests:?}");
    }
}

#[tokio::test]
async fn a_sign_out_and_a_sign_in_elsewhere_count_from_the_next_request_on() {
    let fixture = RefreshFixture::start(refresh_response()).await;
    fixture.first.store_tokens(tokens(3600));
    fixture.first.get(MATERIALS, &[]).await.expect("an answer");
    fixture.second.store_tokens(tokens_of_another_user());
    fixture.first.get(MATERIALS, &[]).await.expect("an answer");
    let last = fixture.responder.requests.lock().expect("the requests").last().cloned();
    assert!(last.expect("a read").contains("Bearer access-of-b"));
    fixture.second.sign_out().expect("forgotten");
    assert!(matches!(fixture.first.get(MATERIALS, &[]).await, Err(ClientError::SignInNeeded)));
}

#[tokio::test]
async fn a_token_that_is_good_is_used_while_another_takt_renews() {
    let fixture = RefreshFixture::start(refresh_response()).await;
    fixture.first.store_tokens(tokens(3600));
    let lock_file = fixture.first.access().lock_file.clone().expect("a lock file");
    let lock = std::fs::File::create(&lock_file).expect("a file");
    lock.lock().expect("a lock");
    // The token expires in half a minute, so a refresh is due. Another process has already begun it.
    let later: takt_client::Clock = std::sync::Arc::new(|| clock()() + jiff::SignedDuration::from_secs(3570));
    let client = Client::new(fixture.first.access().clone(), fixture.vault.clone(), later).expect("a client");
    client.get(MATERIALS, &[]).await.expect("an answer");
    assert_eq!(fixture.responder.count(), 1, "no renewal");
}

/// Returns the result of a read after a refresh with this response, and whether a user is still signed in.
async fn read_with_renewal(body: &'static str) -> (Result<takt_client::ServiceResponse, ClientError>, bool) {
    let responder = Responder::start(move |request| {
        let body = if request.starts_with("POST /connect/token") { body } else { "\u{feff}{\"data\":[]}" };
        answer("200 OK", "", body)
    })
    .await;
    let client = Client::new(site(&responder), Vault::memory(), clock()).expect("a client");
    client.store_tokens(tokens(0));
    let read = client.get(MATERIALS, &[]).await;
    (read, client.is_signed_in())
}

#[tokio::test]
async fn a_refusal_with_status_200_is_a_refusal() {
    let (read, signed_in) = read_with_renewal(r#"{"error":"invalid_grant","error_description":"used before"}"#).await;
    assert!(matches!(read, Err(ClientError::SignInNeeded)) && !signed_in, "{read:?}");
    let (read, signed_in) = read_with_renewal(r#"{"error":"temporarily_unavailable"}"#).await;
    let reasons = read.expect_err("no token").reasons();
    assert!(reasons == ["temporarily_unavailable"] && signed_in, "{reasons:?}");
}

#[tokio::test]
async fn a_token_that_no_request_can_carry_is_none() {
    for body in [r#"{"access_token":""}"#, "{\"access_token\":\"a\\r\\nb\"}", r#"{"access_token":"ä"}"#] {
        let (read, signed_in) = read_with_renewal(body).await;
        let error = read.expect_err("no token");
        assert!(matches!(error, ClientError::Renewal(_)) && signed_in, "{body}: {error:?}");
        assert!(error.to_string().contains("access_token"), "{error}");
    }
}

#[tokio::test]
async fn a_byte_order_mark_before_json_is_passed_over() {
    let (read, _) = read_with_renewal("\u{feff}{\"access_token\":\"new\",\"expires_in\":3600}").await;
    assert_eq!(read.expect("an answer").body, br#"{"data":[]}"#);
}

#[tokio::test]
async fn signing_out_forgets() {
    let fixture = Fixture::signed_in(config(), "planner").await;
    fixture.client.get(MATERIALS, &[]).await.expect("an answer");
    fixture.client.sign_out().expect("forgotten");
    assert!(!fixture.client.is_signed_in());
    assert!(matches!(fixture.client.get(MATERIALS, &[]).await, Err(ClientError::SignInNeeded)));
}

#[tokio::test]
async fn nothing_shows_a_secret() {
    let fixture = Fixture::signed_in(config(), "planner").await;
    let kept = fixture.vault.get(SITE, SecretKind::Tokens).expect("kept");
    let access = kept.reveal().split('"').nth(3).expect("the access token").to_owned();
    assert!(access.len() > 20);
    let shown =
        format!("{:?} {:?} {:?} {:?}", fixture.client, fixture.vault, kept, fixture.client.get(MATERIALS, &[]).await);
    assert!(!shown.contains(&access) && !shown.contains(&fixture.plant.client_secret));
}

#[tokio::test]
async fn a_life_that_cannot_be_is_no_life_that_is_known() {
    for life in ["0", "-5", "1e300", "\"soon\"", "99999999999999999999"] {
        let body = format!(r#"{{"access_token":"new","refresh_token":"refresh-1","expires_in":{life}}}"#);
        let responder = Responder::start(move |request| {
            if request.starts_with("POST /connect/token") {
                return answer("200 OK", "", &body);
            }
            answer("200 OK", "", r#"{"data":[]}"#)
        })
        .await;
        let client = Client::new(site(&responder), Vault::memory(), clock()).expect("a client");
        client.store_tokens(tokens(0));
        for _ in 0..3 {
            client.get(MATERIALS, &[]).await.expect("an answer");
        }
        assert_eq!(responder.count(), 4, "{life}: one renewal, three reads");
    }
}
