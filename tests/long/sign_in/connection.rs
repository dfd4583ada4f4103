//! The connection check with an external provider that has a discovery document and compares redirect addresses byte
//! for byte.

use takt_client::{SiteAccess, StepOutcome};

use crate::sign_in::provider::{Provider, READ_PATH, create_client, free_redirect_address};

#[tokio::test]
async fn a_provider_that_describes_itself_renews_and_tells_no_secret() {
    let provider = Provider::start(&[free_redirect_address()], 3600);
    let (client, _) = provider.signed_in().await;
    client.begin_transcript();
    let way = client.check_route().await;
    assert!(way.iter().all(|step| step.outcome != StepOutcome::Failed), "{way:?}");
    let authorize = client.check_authorize().await;
    assert_eq!((authorize.outcome, authorize.finding), (StepOutcome::Passed, "authorize-described"), "{authorize:?}");
    let token = client.check_token().await;
    assert_eq!((token.outcome, token.finding), (StepOutcome::Passed, "token-renewed"), "{token:?}");
    assert_eq!(provider.requests("refresh_token").await.len(), 1);
    client.get(READ_PATH, &[]).await.unwrap();
    let transcript = client.transcript();
    for part in ["> GET ", "/connect/authorize", "> POST ", "< 200", "grant_type=refresh_token"] {
        assert!(transcript.contains(part), "{part} in {transcript}");
    }
    assert!(!transcript.contains(provider.member("client_secret")), "{transcript}");
    assert!(!transcript.contains("state=") || transcript.contains("state=%5Bremoved%5D"), "{transcript}");
}

#[tokio::test]
async fn an_address_or_a_client_that_it_does_not_know_is_found_out() {
    let registered = free_redirect_address();
    let provider = Provider::start(std::slice::from_ref(&registered), 3600);
    let other = SiteAccess { redirect_uris: vec![registered.replace("/callback", "/callback/")], ..provider.access() };
    let stranger = SiteAccess { client_id: "somebody".to_owned(), ..provider.access() };
    for access in [other, stranger] {
        let found = create_client(access, provider.vault()).check_authorize().await;
        assert_eq!((found.outcome, found.finding), (StepOutcome::Failed, "authorize-refused"), "{found:?}");
    }
}
