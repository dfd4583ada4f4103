//! The redirect address. The first free one of the list is used, exactly as registered, and for one sign-in only.

use std::{net::TcpListener, time::Duration};

use takt_client::{ClientError, SiteAccess, Vault};

use crate::sign_in::provider::{
    Provider, READ_PATH, create_browser, create_client, free_port, free_redirect_address, log_in, sign_in,
};

const TIMEOUT: Duration = Duration::from_secs(30);

#[tokio::test]
async fn the_whole_way() {
    let provider = Provider::start(&[free_redirect_address()], 3600);
    let (client, _) = provider.signed_in().await;
    assert_eq!(client.get(READ_PATH, &[]).await.unwrap().status, 200);
    assert_eq!(provider.requests("authorization_code").await.len(), 1);
}

#[tokio::test]
async fn the_first_port_that_is_free_of_those_registered() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let uris = [format!("http://127.0.0.1:{}/callback", taken.local_addr().unwrap().port()), free_redirect_address()];
    let provider = Provider::start(&uris, 3600);
    let client = provider.client();
    sign_in(&client).await;
    let asked = provider.requests("authorization_code").await;
    assert_eq!(asked[0]["redirect"], uris[1]);
    let second = TcpListener::bind(uris[1].trim_start_matches("http://").trim_end_matches("/callback")).unwrap();
    match client.begin_sign_in(TIMEOUT).await {
        Err(ClientError::RedirectPortTaken { ports, .. }) => assert_eq!(ports.len(), 2),
        other => panic!("{other:?}"),
    }
    drop((taken, second));
}

#[tokio::test]
async fn an_address_that_is_registered_otherwise_is_refused() {
    let registered = free_redirect_address();
    let provider = Provider::start(std::slice::from_ref(&registered), 3600);
    for other in [
        registered.replace("/callback", "/callback/"),
        registered.replace("127.0.0.1", "localhost"),
        free_redirect_address(),
    ] {
        let access = SiteAccess { redirect_uris: vec![other.clone()], ..provider.access() };
        let pending = create_client(access, Vault::memory()).begin_sign_in(TIMEOUT).await.unwrap();
        assert_eq!(create_browser().get(pending.address()).send().await.unwrap().status(), 400, "{other}");
    }
}

#[tokio::test]
async fn exactly_the_registered_address_wherever_it_is_said() {
    // Normalizing the address would append a slash.
    let uri = format!("http://127.0.0.1:{}", free_port());
    let provider = Provider::start(std::slice::from_ref(&uri), 3600);
    sign_in(&provider.client()).await;
    assert_eq!(provider.requests("authorization_code").await[0]["redirect"], uri);
}

#[tokio::test]
async fn a_page_elsewhere_whose_address_is_pasted() {
    let uri = "https://erp.example/signed-in".to_owned();
    let provider = Provider::start(std::slice::from_ref(&uri), 3600);
    let client = provider.client();
    let pending = client.begin_sign_in_to_paste(TIMEOUT).await.unwrap();
    assert!(!pending.is_listening());
    let (address, redirect_sender) = (pending.address().to_owned(), pending.redirect_sender());
    let waiting = tokio::spawn(pending.wait());
    let back = log_in(&address).await;
    assert!(back.starts_with(&uri) && back.contains("iss="), "{back}");
    redirect_sender.paste(&back).unwrap();
    waiting.await.unwrap().unwrap();
    client.get(READ_PATH, &[]).await.unwrap();
}

#[tokio::test]
async fn an_answer_from_elsewhere_and_one_that_comes_twice() {
    let provider = Provider::start(&[free_redirect_address()], 3600);
    let client = provider.client();
    let pending = client.begin_sign_in(TIMEOUT).await.unwrap();
    let (address, redirect_sender) = (pending.address().to_owned(), pending.redirect_sender());
    let waiting = tokio::spawn(pending.wait());
    let back = log_in(&address).await;
    let issuer = provider.member("auth_url").replace("127.0.0.1", "localhost").replace(':', "%3A").replace('/', "%2F");
    let (bare, _) = back.split_once("&iss=").unwrap();
    redirect_sender.paste(&format!("{bare}&iss={issuer}")).unwrap();
    let refused = waiting.await.unwrap();
    assert!(matches!(&refused, Err(ClientError::SignInRefused(_))), "{refused:?}");
    assert_eq!(provider.requests("authorization_code").await.len(), 0, "the code went to nobody");
    // The pasted address of the first sign-in must not be valid for the next one.
    let next = client.begin_sign_in(TIMEOUT).await.unwrap();
    assert!(matches!(next.redirect_sender().paste(&back), Err(ClientError::WrongPastedAddress)));
}
