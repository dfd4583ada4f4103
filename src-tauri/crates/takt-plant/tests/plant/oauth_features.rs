//! Tests of features for other clients: authentication methods, metadata, revocation, loopback ports, smaller scopes,
//! and expiry on demand.

use reqwest::Method;
use serde_json::{Value, json};
use takt_plant::{Plant, PlantConfig, PlantError};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    fixture::{Answer, Fixture, config},
    sign_in::{Pairs, SCOPE, error_code, with_parameter},
};

impl Fixture {
    async fn token_with_basic(&self, form: &Pairs, id: &str, secret: &str) -> Answer {
        let url = format!("{}/connect/token", self.plant.auth_url);
        Answer::read(self.client.post(url).basic_auth(id, Some(secret)).form(form).send().await.unwrap()).await
    }

    async fn revoke(&self, token: &str) -> u16 {
        let url = format!("{}/connect/revocation", self.plant.auth_url);
        let form = [("token", token), ("token_type_hint", "refresh_token")];
        let (id, secret) = (&self.plant.client_id, &self.plant.client_secret);
        self.client.post(url).basic_auth(id, Some(secret)).form(&form).send().await.unwrap().status().as_u16()
    }

    async fn sign_in(&self) -> Value {
        self.token(&self.exchange_form(&self.sign_in_code("planner", &self.authorize_parameters()).await)).await.body
    }

    /// Returns the status of the sign-in page for this redirect address.
    async fn authorize_status(&self, redirect_uri: &str) -> u16 {
        let asked = with_parameter(self.authorize_parameters(), "redirect_uri", Some(redirect_uri));
        self.authorize(Method::GET, &asked).send().await.unwrap().status().as_u16()
    }
}

#[tokio::test]
async fn a_client_proves_who_it_is_in_the_form_or_by_basic_and_in_one_way_only() {
    let fixture = Fixture::new().await;
    let (id, secret) = (fixture.plant.client_id.clone(), fixture.plant.client_secret.clone());
    let bare = |code: &str| {
        with_parameter(with_parameter(fixture.exchange_form(code), "client_secret", None), "client_id", None)
    };
    let code = fixture.sign_in_code("planner", &fixture.authorize_parameters()).await;
    let wrong = fixture.token_with_basic(&bare(&code), &id, "wrong").await;
    assert_eq!((wrong.status, error_code(&wrong)), (401, "invalid_client".to_owned()));
    assert!(wrong.header("www-authenticate").starts_with("Basic "));
    let both = fixture.token_with_basic(&fixture.exchange_form(&code), &id, &secret).await;
    assert_eq!(error_code(&both), "invalid_request");
    let other = with_parameter(bare(&code), "client_id", Some("other"));
    assert_eq!(error_code(&fixture.token_with_basic(&other, &id, &secret).await), "invalid_request");
    let named = with_parameter(bare(&code), "client_id", Some(&id));
    assert_eq!(fixture.token_with_basic(&named, &id, &secret).await.status, 200);
}

#[tokio::test]
async fn the_discovery_document_names_addresses_that_work() {
    let fixture = Fixture::new().await;
    let (base, auth) = (&fixture.plant.base_url, &fixture.plant.auth_url);
    let mut documents = Vec::new();
    for url in [
        format!("{auth}/.well-known/openid-configuration"),
        format!("{auth}/.well-known/oauth-authorization-server"),
        format!("{base}/.well-known/oauth-authorization-server/identity"),
        format!("{base}/.well-known/openid-configuration/identity"),
    ] {
        let answer = Answer::read(fixture.client.get(&url).send().await.unwrap()).await;
        assert_eq!(answer.status, 200, "{url}");
        documents.push(answer.body);
    }
    assert!(documents.iter().all(|document| *document == documents[0]));
    let document = &documents[0];
    assert_eq!(document["issuer"], json!(auth));
    let methods = json!(["client_secret_basic", "client_secret_post"]);
    assert_eq!(document["token_endpoint_auth_methods_supported"], methods);
    for (member, method, status) in
        [("authorization_endpoint", "GET", 400), ("token_endpoint", "POST", 400), ("revocation_endpoint", "POST", 400)]
    {
        let url = document[member].as_str().unwrap();
        let answer = fixture.client.request(method.parse().unwrap(), url).send().await.unwrap();
        assert_eq!(answer.status(), status, "{member} exists, and nothing was asked of it");
    }
    for path in ["/.well-known/security.txt", "/.well-known/oauth-protected-resource", "/.well-known/"] {
        for url in [format!("{base}{path}"), format!("{auth}{path}")] {
            assert_eq!(fixture.client.get(&url).send().await.unwrap().status(), 404, "{url}");
        }
    }
    assert_eq!(fixture.client.get(format!("{auth}/nothing")).send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn a_revoked_refresh_token_ends_what_grew_from_it() {
    let fixture = Fixture::new().await;
    let pair = fixture.sign_in().await;
    assert_eq!(fixture.revoke("nobody knows it").await, 200);
    assert_eq!(fixture.read_status(&pair["access_token"]).await, 200);
    assert_eq!(fixture.revoke(pair["refresh_token"].as_str().unwrap()).await, 200);
    assert_eq!(fixture.read_status(&pair["access_token"]).await, 401);
    assert_eq!(error_code(&fixture.refresh(&pair["refresh_token"]).await), "invalid_grant");
    let pair = fixture.sign_in().await;
    assert_eq!(fixture.revoke(pair["access_token"].as_str().unwrap()).await, 200);
    assert_eq!(fixture.read_status(&pair["access_token"]).await, 401);
    assert_eq!(fixture.refresh(&pair["refresh_token"]).await.status, 200, "the sign-in itself goes on");
    let url = format!("{}/connect/revocation", fixture.plant.auth_url);
    let form = [("token", "x"), ("client_id", &fixture.plant.client_id), ("client_secret", "wrong")];
    assert_eq!(fixture.client.post(url).form(&form).send().await.unwrap().status(), 401);
}

#[tokio::test]
async fn a_loopback_address_may_have_any_port_unless_a_fault_is_strict() {
    let fixture = Fixture::new().await;
    for (address, status) in [
        ("http://127.0.0.1:54321/callback", 200),
        ("http://127.0.0.1/callback", 200),
        ("http://127.0.0.1:54321/other", 400),
        ("http://127.0.0.1:54321/callback?more=1", 400),
        ("http://localhost:54321/callback", 400),
    ] {
        assert_eq!(fixture.authorize_status(address).await, status, "{address}");
    }
    // The code is valid only for the requested redirect address, including its port.
    let asked = with_parameter(fixture.authorize_parameters(), "redirect_uri", Some("http://127.0.0.1:54321/callback"));
    let answer = fixture.authorize(Method::POST, &asked).form(&[("user", "planner")]).send().await.unwrap();
    let location = url::Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
    assert_eq!(location.port(), Some(54321));
    let code = location.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
    assert_eq!(error_code(&fixture.token(&fixture.exchange_form(&code)).await), "invalid_grant");
    fixture.set_faults(&["exact-redirect"], 1).await;
    assert_eq!(fixture.authorize_status("http://127.0.0.1:54321/callback").await, 400);
    assert_eq!(fixture.authorize_status(&fixture.plant.redirect_uris[0]).await, 200);
}

#[tokio::test]
async fn redirect_addresses_of_ones_own_are_taken_and_checked_at_the_start() {
    let own = ["https://erp.example/back", "http://localhost:9000/", "com.example.erp:/back"];
    let redirect_uris = own.map(str::to_owned).to_vec();
    let fixture = Fixture::with_config(PlantConfig { redirect_uris, ..config() }).await;
    for address in own.iter().chain(&["http://localhost:1234/"]) {
        assert_eq!(fixture.authorize_status(address).await, 200, "{address}");
    }
    assert_eq!(fixture.authorize_status("https://erp.example:8443/back").await, 400, "only loopback ports are free");
    let refused = Plant::new(PlantConfig { redirect_uris: vec!["callback".to_owned()], ..config() });
    assert!(matches!(refused, Err(PlantError::RedirectUri(_))));
}

#[tokio::test]
async fn grant_type_is_taken_at_the_sign_in_page_and_demanded_by_a_fault_alone() {
    let fixture = Fixture::new().await;
    let without = with_parameter(fixture.authorize_parameters(), "grant_type", None);
    for (fault, pairs, status) in [
        (None, &without, 200),
        (Some("demand-grant-type"), &without, 303),
        (Some("demand-grant-type"), &fixture.authorize_parameters(), 200),
    ] {
        fixture.set_faults(fault.as_slice(), 1).await;
        assert_eq!(fixture.authorize(Method::GET, pairs).send().await.unwrap().status(), status, "{fault:?}");
    }
}

#[tokio::test]
async fn a_refresh_may_ask_for_less_and_never_for_more() {
    let fixture = Fixture::new().await;
    let asked = with_parameter(fixture.authorize_parameters(), "scope", Some("service-api offline_access"));
    let pair = fixture.token(&fixture.exchange_form(&fixture.sign_in_code("planner", &asked).await)).await.body;
    let refresh = async |token: &Value, scope: &str| {
        let form = with_parameter(fixture.exchange_form(""), "grant_type", Some("refresh_token"));
        let form = with_parameter(form, "refresh_token", token.as_str());
        fixture.token(&with_parameter(form, "scope", Some(scope))).await
    };
    let wider = refresh(&pair["refresh_token"], SCOPE).await;
    assert_eq!((wider.status, error_code(&wider)), (400, "invalid_scope".to_owned()));
    let less = refresh(&pair["refresh_token"], "offline_access").await;
    assert_eq!((less.status, &less.body["scope"]), (200, &json!("offline_access")), "the mistake used nothing up");
    assert_eq!(fixture.read_status(&less.body["access_token"]).await, 403);
    let again = refresh(&less.body["refresh_token"], "service-api offline_access").await;
    assert_eq!(again.status, 200, "the refresh token keeps what was granted");
    assert_eq!(fixture.read_status(&again.body["access_token"]).await, 200);
}

#[tokio::test]
async fn codes_and_tokens_expire_when_the_control_interface_says_so() {
    let fixture = Fixture::new().await;
    let expire = async |which: Value| {
        Answer::read(fixture.control_request(Method::POST, "/expire").json(&which).send().await.unwrap()).await
    };
    let (code, pair) =
        (fixture.sign_in_code("planner", &fixture.authorize_parameters()).await, fixture.sign_in().await);
    assert_eq!(expire(json!({ "codes": true })).await.body["codes"], 1);
    assert_eq!(error_code(&fixture.token(&fixture.exchange_form(&code)).await), "invalid_grant");
    assert_eq!(fixture.read_status(&pair["access_token"]).await, 200);
    assert_eq!(expire(json!({ "accessTokens": true })).await.status, 200);
    assert_eq!(fixture.read_status(&pair["access_token"]).await, 401);
    let next = fixture.refresh(&pair["refresh_token"]).await.body;
    assert_eq!(fixture.read_status(&next["access_token"]).await, 200);
    assert!(
        expire(json!({ "refreshTokens": true })).await.body["refreshTokens"].as_u64().is_some_and(|count| count > 0)
    );
    assert_eq!(error_code(&fixture.refresh(&next["refresh_token"]).await), "invalid_grant");
    for nothing in [json!({}), json!({ "codes": false }), json!({ "tokens": true })] {
        assert_eq!(expire(nothing).await.status, 400);
    }
}

#[tokio::test]
async fn http_1_1_without_a_host_or_with_two_is_refused() {
    let fixture = Fixture::new().await;
    let address = fixture.plant.base_url.strip_prefix("http://").unwrap();
    for (head, status) in [
        ("GET / HTTP/1.1\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\n", "200"),
        ("GET / HTTP/1.0\r\n", "200"),
        ("GET /api/v1/Materials HTTP/1.1\r\n", "400"),
    ] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer);
        assert_eq!(answer.split(' ').nth(1), Some(status), "{head:?}: {answer}");
    }
}
