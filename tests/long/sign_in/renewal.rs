//! Expired access tokens, and refresh tokens that can be used once.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use takt_client::{Client, ClientError, Failpoints, SecretKind, SiteAccess};
use tokio::task::JoinSet;

use crate::sign_in::provider::{Provider, READ_PATH, SITE, create_client, free_redirect_address, sign_in};

/// The tokens' lifetime in seconds. [`AFTER_EXPIRY`] is slightly longer.
const TOKEN_LIFETIME: u64 = 2;
const AFTER_EXPIRY: Duration = Duration::from_millis(2200);
const RENEWAL: &str = "refresh_token";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_calls_at_the_end_of_a_token_ask_once() {
    let provider = Provider::start(&[free_redirect_address()], TOKEN_LIFETIME);
    let (client, _) = provider.signed_in().await;
    for round in 1..=3 {
        tokio::time::sleep(AFTER_EXPIRY).await;
        let mut calls = JoinSet::new();
        for _ in 0..50 {
            let client = client.clone();
            calls.spawn(async move { client.get(READ_PATH, &[]).await });
        }
        while let Some(call) = calls.join_next().await {
            assert_eq!(call.unwrap().unwrap().status, 200);
        }
        assert_eq!(provider.requests(RENEWAL).await.len(), round);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_takts_share_one_sign_in() {
    let provider = Provider::start(&[free_redirect_address()], TOKEN_LIFETIME);
    let (first, vault) = provider.signed_in().await;
    let folder = tempfile::tempdir().unwrap();
    let lock_file = Some(folder.path().join("site.lock"));
    let twin = || create_client(SiteAccess { lock_file: lock_file.clone(), ..provider.access() }, vault.clone());
    let (one, other) = (twin(), twin());
    drop(first);
    for round in 1..=3 {
        tokio::time::sleep(AFTER_EXPIRY).await;
        let (left, right) = tokio::join!(one.get(READ_PATH, &[]), other.get(READ_PATH, &[]));
        assert!(left.is_ok() && right.is_ok(), "{left:?} {right:?}");
        assert_eq!(provider.requests(RENEWAL).await.len(), round, "the second would have ended the sign-in of both");
    }
}

#[tokio::test]
async fn a_provider_in_trouble_costs_no_sign_in() {
    let provider = Provider::start(&[free_redirect_address()], TOKEN_LIFETIME);
    let (client, _) = provider.signed_in().await;
    tokio::time::sleep(AFTER_EXPIRY).await;
    // The provider fails for every attempt of the renewal.
    provider.set_failures(&[503, 500, 429, 503]).await;
    assert!(matches!(client.get(READ_PATH, &[]).await, Err(ClientError::Renewal(_))));
    assert!(client.is_signed_in());
    // Temporary failures are retried. With 0, the provider closes the connection without a response.
    for status in [429, 500, 503, 0] {
        provider.set_failures(&[status]).await;
        client.get(READ_PATH, &[]).await.unwrap();
        tokio::time::sleep(AFTER_EXPIRY).await;
    }
}

#[tokio::test]
async fn a_refresh_token_used_by_somebody_else_ends_it_plainly() {
    let provider = Provider::start(&[free_redirect_address()], TOKEN_LIFETIME);
    let (first, vault) = provider.signed_in().await;
    let copy = provider.vault();
    copy.put(SITE, SecretKind::Tokens, &vault.get(SITE, SecretKind::Tokens).unwrap());
    let thief = create_client(provider.access(), copy);
    tokio::time::sleep(AFTER_EXPIRY).await;
    thief.get(READ_PATH, &[]).await.unwrap();
    assert!(matches!(first.get(READ_PATH, &[]).await, Err(ClientError::SignInNeeded)));
    assert!(!first.is_signed_in());
    let asked = provider.requests(RENEWAL).await.len();
    assert!(matches!(first.get(READ_PATH, &[]).await, Err(ClientError::SignInNeeded)));
    assert_eq!(provider.requests(RENEWAL).await.len(), asked, "what is over isn't asked for again");
    // The whole token family is revoked, including the tokens of the attacker.
    tokio::time::sleep(AFTER_EXPIRY).await;
    assert!(matches!(thief.get(READ_PATH, &[]).await, Err(ClientError::SignInNeeded)));
    sign_in(&first).await;
    first.get(READ_PATH, &[]).await.unwrap();
}

/// Takt was killed before it stored the new tokens. The next process has only the old refresh token, which was used.
#[tokio::test]
async fn a_kill_between_answer_and_keeping_asks_for_one_sign_in() {
    let provider = Provider::start(&[free_redirect_address()], TOKEN_LIFETIME);
    let vault = provider.vault();
    let spent = Arc::new(Mutex::new(None));
    let failpoints = {
        let (vault, spent) = (vault.clone(), Arc::clone(&spent));
        Failpoints::with_callback(move |name| {
            if name == "renewal-answered" {
                *spent.lock().unwrap() = vault.get(SITE, SecretKind::Tokens);
            }
        })
    };
    let clock = Arc::new(jiff::Timestamp::now);
    let killed = Client::with_failpoints(provider.access(), vault.clone(), clock, failpoints).unwrap();
    sign_in(&killed).await;
    tokio::time::sleep(AFTER_EXPIRY).await;
    killed.get(READ_PATH, &[]).await.unwrap();
    // Restores the vault's content from the time of the kill.
    let spent = spent.lock().unwrap().take().unwrap();
    vault.put(SITE, SecretKind::Tokens, &spent);
    drop(killed);
    let next = create_client(provider.access(), vault);
    let before = provider.requests(RENEWAL).await.len();
    for _ in 0..3 {
        assert!(matches!(next.get(READ_PATH, &[]).await, Err(ClientError::SignInNeeded)));
    }
    assert_eq!(provider.requests(RENEWAL).await.len(), before + 1, "asked once, told no, and said so");
    sign_in(&next).await;
    next.get(READ_PATH, &[]).await.unwrap();
}

#[tokio::test]
async fn the_services_clock_is_read_off_its_answers() {
    let provider = Provider::start(&[free_redirect_address()], 3600);
    let (client, _) = provider.signed_in().await;
    for hours in [-6, 0, 6] {
        provider.configure(json!({ "skew": hours * 3_600_000 })).await;
        client.get(READ_PATH, &[]).await.unwrap();
        let skew = client.clock_skew().unwrap().as_secs();
        assert!((skew - hours * 3600).abs() <= 2, "{hours} h: {skew}");
    }
}
