//! Tests of the sign-in with a browser.

use std::{collections::HashMap, net::TcpListener, time::Duration};

use reqwest::StatusCode;
use takt_client::{Client, ClientError, Delivery, Secret, SecretKind, Vault, sign_in::PendingSignIn};
use takt_plant::PlantConfig;
use url::Url;

use crate::{
    browser,
    fixture::{Fixture, MATERIALS, SITE, clock, config, config_with_port, free_port, unreachable_site},
};

const TIMEOUT: Duration = Duration::from_secs(30);

async fn begin_sign_in(fixture: &Fixture) -> PendingSignIn {
    fixture.client.begin_sign_in(TIMEOUT).await.expect("a sign-in begins")
}

#[tokio::test]
async fn the_whole_way() {
    let fixture = Fixture::signed_out(config()).await;
    assert!(matches!(fixture.client.get(MATERIALS, &[]).await, Err(ClientError::SignInNeeded)));
    let pending = begin_sign_in(&fixture).await;
    let address = pending.address().to_owned();
    let waiting = tokio::spawn(pending.wait());
    let shown = browser::press_button(&address, "user=planner", "de-AT,de;q=0.9").await;
    waiting.await.expect("it ends").expect("signed in");
    assert_eq!(shown.status, StatusCode::OK);
    assert!(shown.text.contains("<html lang=\"de\">") && shown.text.contains("Takt"), "{}", shown.text);
    assert!(fixture.client.is_signed_in());
    let answer = fixture.client.get(MATERIALS, &[]).await.expect("an answer");
    assert_eq!(answer.status, 200);
    assert!(answer.json().expect("JSON")["data"].is_array());
    assert!(fixture.client.rate_limit().is_some_and(|limit| limit.remaining < limit.limit && limit.reset.is_some()));
    assert_eq!(fixture.request_count("connect/token"), 1);
}

#[tokio::test]
async fn the_address_is_as_specified() {
    let fixture = Fixture::signed_out(config_with_port()).await;
    let pending = begin_sign_in(&fixture).await;
    let url = Url::parse(pending.address()).expect("an address");
    assert!(pending.address().starts_with(&format!("{}/connect/authorize?", fixture.plant.auth_url)));
    assert!(pending.address().contains("scope=service-portal-api%20service-api%20offline_access"));
    let given: HashMap<String, String> = url.query_pairs().into_owned().collect();
    assert_eq!(given.len(), 8, "{given:?}");
    assert_eq!(given["client_id"], fixture.plant.client_id);
    assert_eq!(given["response_type"], "code");
    assert_eq!(given["grant_type"], "authorization_code");
    assert_eq!(given["scope"], "service-portal-api service-api offline_access");
    assert_eq!(given["redirect_uri"], fixture.plant.redirect_uris[0]);
    assert_eq!(given["code_challenge_method"], "S256");
    assert_eq!(given["code_challenge"].len(), 43);
    assert!(given["state"].len() >= 22, "128 bits: {}", given["state"]);
    let other = Fixture::signed_out(config()).await;
    let other = begin_sign_in(&other).await;
    let again: HashMap<String, String> =
        Url::parse(other.address()).expect("an address").query_pairs().into_owned().collect();
    assert_ne!(given["state"], again["state"]);
}

#[tokio::test]
async fn a_wrong_secret_is_refused_in_the_providers_words() {
    let fixture = Fixture::signed_out(config()).await;
    fixture.vault.put(SITE, SecretKind::ClientSecret, &Secret::new("wrong"));
    let pending = begin_sign_in(&fixture).await;
    let address = pending.address().to_owned();
    let waiting = tokio::spawn(pending.wait());
    browser::press_button(&address, "user=planner", "en").await;
    match waiting.await.expect("it ends") {
        Err(ClientError::SignInRefused(words)) => assert!(words.starts_with("invalid_client"), "{words}"),
        other => panic!("{other:?}"),
    }
    assert!(!fixture.client.is_signed_in());
}

#[tokio::test]
async fn a_person_can_say_no_there_or_here() {
    let fixture = Fixture::signed_out(config()).await;
    let pending = begin_sign_in(&fixture).await;
    let address = pending.address().to_owned();
    let waiting = tokio::spawn(pending.wait());
    let shown = browser::press_button(&address, "cancel=1", "es").await;
    assert!(shown.text.contains("<html lang=\"es\">"), "{}", shown.text);
    let declined = waiting.await.expect("it ends");
    assert!(
        matches!(&declined, Err(ClientError::SignInDeclined(words)) if words.starts_with("access_denied")),
        "{declined:?}"
    );

    let pending = begin_sign_in(&fixture).await;
    let canceller = pending.canceller();
    let waiting = tokio::spawn(pending.wait());
    canceller.cancel();
    assert!(matches!(waiting.await.expect("it ends"), Err(ClientError::SignInCancelled)));
}

#[tokio::test]
async fn nothing_but_the_right_state_counts() {
    let fixture = Fixture::signed_out(config()).await;
    let pending = begin_sign_in(&fixture).await;
    let (address, back) = (pending.address().to_owned(), pending.redirect_uri().to_owned());
    let waiting = tokio::spawn(pending.wait());
    for wrong in [format!("{back}?code=x&state=wrong"), back.replace("/callback", "/favicon.ico")] {
        assert_eq!(browser::open_page(&wrong).await.status, StatusCode::NOT_FOUND, "{wrong}");
    }
    // Browsers open connections before they need them.
    let idle = std::net::TcpStream::connect(back.trim_start_matches("http://").trim_end_matches("/callback"));
    assert!(!waiting.is_finished());
    let shown = browser::press_button(&address, "user=planner", "en").await;
    assert!(shown.address.starts_with(&back), "{}", shown.address);
    waiting.await.expect("it ends").expect("signed in");
    drop(idle);
}

#[tokio::test]
async fn a_way_back_without_the_state_ends_nothing() {
    let fixture = Fixture::signed_out(config()).await;
    let pending = begin_sign_in(&fixture).await;
    let (address, back) = (pending.address().to_owned(), pending.redirect_uri().to_owned());
    let waiting = tokio::spawn(pending.wait());
    // Any page in the browser can open these addresses.
    for forged in ["code=x", "code=x&state=", "error=access_denied"] {
        assert_eq!(browser::open_page(&format!("{back}?{forged}")).await.status, StatusCode::BAD_REQUEST, "{forged}");
    }
    browser::press_button(&address, "user=planner", "en").await;
    waiting.await.expect("it ends").expect("signed in");
}

#[tokio::test]
async fn silent_connections_keep_no_browser_out() {
    let fixture = Fixture::signed_out(config()).await;
    let pending = begin_sign_in(&fixture).await;
    let (address, back) = (pending.address().to_owned(), pending.redirect_uri().to_owned());
    let waiting = tokio::spawn(pending.wait());
    let host = back.trim_start_matches("http://").trim_end_matches("/callback").to_owned();
    let mut silent = Vec::new();
    for _ in 0..300 {
        silent.push(tokio::net::TcpStream::connect(&host).await.expect("a connection"));
    }
    // The limit is less than the timeout of idle connections.
    let signed_in = tokio::time::timeout(Duration::from_secs(9), async {
        browser::press_button(&address, "user=planner", "en").await;
        waiting.await.expect("it ends").expect("signed in");
    });
    signed_in.await.expect("the browser is heard at once");
    drop(silent);
}

#[tokio::test]
async fn nobody_waits_for_ever() {
    let fixture = Fixture::signed_out(config_with_port()).await;
    let pending = fixture.client.begin_sign_in(Duration::from_millis(100)).await.expect("a sign-in begins");
    let port = pending.redirect_uri().to_owned();
    assert!(matches!(pending.wait().await, Err(ClientError::SignInTimedOut)));
    // The port was closed, so the next sign-in can open it again.
    assert_eq!(begin_sign_in(&fixture).await.redirect_uri(), port);
}

#[tokio::test]
async fn addresses_are_tried_in_order() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let (taken_port, free) = (taken.local_addr().expect("its address").port(), free_port());
    let uri = |port: u16| format!("http://127.0.0.1:{port}/callback");
    let begin = async |uris: Vec<String>| {
        let client = Client::new(
            takt_client::SiteAccess { redirect_uris: uris, ..unreachable_site() },
            Vault::memory(),
            clock(),
        );
        client.expect("a client").begin_sign_in(TIMEOUT).await
    };
    let second = begin(vec![uri(taken_port), uri(free)]).await.expect("the second");
    assert_eq!(second.redirect_uri(), uri(free));
    match begin(vec![uri(taken_port), uri(free)]).await {
        Err(error @ ClientError::RedirectPortTaken { .. }) => {
            assert_eq!(error.delivery(), Delivery::NotSent);
            let ClientError::RedirectPortTaken { ports, .. } = error else { unreachable!() };
            assert_eq!(ports, [taken_port, free]);
        }
        other => panic!("{other:?}"),
    }
    let any = begin(vec!["http://127.0.0.1:0/back".to_owned()]).await.expect("any port");
    let url = Url::parse(any.redirect_uri()).expect("an address");
    assert!(url.port().is_some_and(|port| port > 0) && url.path() == "/back");
    assert!(matches!(begin(vec!["https://erp.example/callback".to_owned()]).await, Err(ClientError::Settings { .. })));
}

#[tokio::test]
async fn localhost_listens_wherever_a_browser_looks() {
    let uri = format!("http://localhost:{}/callback", free_port());
    let access = takt_client::SiteAccess { redirect_uris: vec![uri.clone()], ..unreachable_site() };
    let client = Client::new(access, Vault::memory(), clock()).expect("a client");
    let pending = client.begin_sign_in(TIMEOUT).await.expect("a sign-in begins");
    assert_eq!(pending.redirect_uri(), uri);
    let waiting = tokio::spawn(pending.wait());
    assert_eq!(browser::open_page(&uri).await.status, StatusCode::NOT_FOUND);
    assert_eq!(browser::open_page(&uri.replace("localhost", "127.0.0.1")).await.status, StatusCode::NOT_FOUND);
    waiting.abort();
}

#[tokio::test]
async fn a_provider_that_is_away_is_unreachable() {
    let client = Client::new(unreachable_site(), Vault::memory(), clock()).expect("a client");
    let pending = client.begin_sign_in(TIMEOUT).await.expect("a sign-in begins");
    let state =
        Url::parse(pending.address()).expect("an address").query_pairs().into_owned().collect::<HashMap<_, _>>();
    let back = format!("{}?code=x&state={}", pending.redirect_uri(), state["state"]);
    let waiting = tokio::spawn(pending.wait());
    assert_eq!(browser::open_page(&back).await.status, StatusCode::OK);
    assert!(matches!(waiting.await.expect("it ends"), Err(ClientError::Unreachable(_))));
}

#[tokio::test]
async fn the_last_address_can_be_pasted() {
    let uris = vec!["https://erp.example/back".to_owned()];
    let config = PlantConfig { redirect_uris: uris.clone(), ..config() };
    let fixture = Fixture::signed_out(config).await;
    assert!(matches!(fixture.client.begin_sign_in(TIMEOUT).await, Err(ClientError::Settings { .. })));
    let pending = fixture.client.begin_sign_in_to_paste(TIMEOUT).await.expect("a sign-in begins");
    assert!(!pending.is_listening());
    assert_eq!(pending.redirect_uri(), uris[0]);
    let (address, redirect_sender) = (pending.address().to_owned(), pending.redirect_sender());
    let waiting = tokio::spawn(pending.wait());
    assert!(matches!(redirect_sender.paste(&address), Err(ClientError::WrongPastedAddress)), "not where it began");
    assert!(!waiting.is_finished());
    redirect_sender.paste(&browser::redirect_address(&address, "user=planner").await).expect("the way back");
    waiting.await.expect("it ends").expect("signed in");
    assert!(redirect_sender.paste(&address).is_err(), "nobody waits any more");
    fixture.client.get(MATERIALS, &[]).await.expect("an answer");
}

#[tokio::test]
async fn pasting_is_as_good_where_somebody_listens() {
    let fixture = Fixture::signed_out(config_with_port()).await;
    let taken =
        TcpListener::bind(fixture.plant.redirect_uris[0].trim_start_matches("http://").trim_end_matches("/callback"));
    let pending = fixture.client.begin_sign_in_to_paste(TIMEOUT).await.expect("a sign-in begins");
    assert!(!pending.is_listening(), "its only port is taken");
    drop((pending, taken));
    let pending = fixture.client.begin_sign_in_to_paste(TIMEOUT).await.expect("a sign-in begins");
    assert!(pending.is_listening());
    let (address, redirect_sender) = (pending.address().to_owned(), pending.redirect_sender());
    let waiting = tokio::spawn(pending.wait());
    redirect_sender.paste(&browser::redirect_address(&address, "user=planner").await).expect("the way back");
    waiting.await.expect("it ends").expect("signed in");
}

#[tokio::test]
async fn another_providers_answer_is_refused() {
    let fixture = Fixture::signed_out(config()).await;
    for (issuer, known) in [(fixture.plant.auth_url.clone(), true), ("https://other.example".to_owned(), false)] {
        let pending = begin_sign_in(&fixture).await;
        let (address, redirect_sender) = (pending.address().to_owned(), pending.redirect_sender());
        let waiting = tokio::spawn(pending.wait());
        let back = browser::redirect_address(&address, "user=planner").await;
        redirect_sender.paste(&format!("{back}&iss={issuer}")).expect("the way back");
        match waiting.await.expect("it ends") {
            Ok(()) => assert!(known),
            Err(ClientError::SignInRefused(words)) => assert!(!known && words.contains("other.example"), "{words}"),
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_registered_address_goes_out_byte_for_byte() {
    // The address has capitals and no path, which normalization would change.
    let uri = format!("HTTP://LocalHost:{}", free_port());
    let fixture = Fixture::signed_out(PlantConfig { redirect_uris: vec![uri.clone()], ..config() }).await;
    let pending = begin_sign_in(&fixture).await;
    assert_eq!(pending.redirect_uri(), uri);
    let address = pending.address().to_owned();
    let given: HashMap<String, String> = Url::parse(&address).expect("an address").query_pairs().into_owned().collect();
    assert_eq!(given["redirect_uri"], uri);
    let waiting = tokio::spawn(pending.wait());
    browser::press_button(&address, "user=planner", "en").await;
    // The plant also compares the address in the token request byte for byte.
    waiting.await.expect("it ends").expect("signed in");
}
