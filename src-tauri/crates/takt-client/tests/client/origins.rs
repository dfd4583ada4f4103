//! Tests that secrets are bound to their origin: scheme, host and port, proxy, and certificate authorities.

use std::{path::PathBuf, time::Duration};

use takt_client::{
    Client, ClientError, Secret, SecretKind, SiteAccess, Vault,
    sign_in::{ClientAuthentication, NewTokens, ProviderSettings, Revocation},
};

use crate::{
    fixture::{MATERIALS, SITE, clock, unreachable_site},
    responder::{Responder, answer},
};

fn tokens() -> NewTokens {
    NewTokens {
        access: Secret::new("access-4711-0815"),
        refresh: Some(Secret::new("refresh-4711-0815")),
        expires_in: Some(Duration::from_secs(3600)),
        scopes: None,
    }
}

fn client(access: &SiteAccess, vault: &Vault) -> Client {
    Client::new(access.clone(), vault.clone(), clock()).expect("a client")
}

/// Returns variants of a site. Each has one change that makes it another origin.
fn site_variants(site: &SiteAccess, folder: &std::path::Path) -> Vec<(&'static str, SiteAccess)> {
    let ca = folder.join("ca.pem");
    std::fs::write(&ca, "authorities").expect("a file");
    vec![
        ("auth", SiteAccess { auth_url: "http://127.0.0.1:9".to_owned(), ..site.clone() }),
        ("scheme", SiteAccess { auth_url: site.auth_url.replace("http:", "https:"), ..site.clone() }),
        ("proxy", SiteAccess { proxy: Some("http://127.0.0.1:3128".to_owned()), ..site.clone() }),
        ("no proxy", SiteAccess { no_proxy: true, ..site.clone() }),
        ("ca", SiteAccess { ca_file: Some(ca), ..site.clone() }),
        (
            "token address",
            SiteAccess {
                provider: ProviderSettings {
                    token: Some("http://127.0.0.1:9/token".to_owned()),
                    ..ProviderSettings::default()
                },
                ..site.clone()
            },
        ),
        ("base", SiteAccess { base_url: "http://127.0.0.1:9".to_owned(), ..site.clone() }),
    ]
}

#[test]
fn whoever_changes_gets_no_tokens_and_no_secret() {
    let (site, folder) = (unreachable_site(), tempfile::tempdir().expect("a folder"));
    for (what, other) in site_variants(&site, folder.path()) {
        assert_ne!(other.token_origin(), site.token_origin(), "{what}");
        // The client secret isn't sent to the service, so its address isn't part of the secret's origin.
        assert_eq!(other.secret_origin() == site.secret_origin(), what == "base", "{what}");
        let vault = Vault::memory();
        vault.put_for(SITE, SecretKind::ClientSecret, &site.secret_origin(), &Secret::new("secret"));
        client(&site, &vault).store_tokens(tokens());
        assert!(client(&site, &vault).is_signed_in());
        assert_eq!(vault.get_for(SITE, SecretKind::Tokens, &other.token_origin()), None, "{what}");
        let given = vault.get_for(SITE, SecretKind::ClientSecret, &other.secret_origin());
        assert_eq!(given.is_some(), what == "base", "{what}");
    }
    let authorities = SiteAccess { ca_file: Some(PathBuf::from("/no/such/file")), ..site.clone() };
    assert_ne!(authorities.token_origin(), site.token_origin());
    let below = ProviderSettings { token: Some("/oauth/token".to_owned()), ..ProviderSettings::default() };
    assert_eq!(SiteAccess { provider: below, ..site.clone() }.secret_origin(), site.secret_origin());
    let path = SiteAccess { base_url: format!("{}/tenant", site.base_url), ..site.clone() };
    assert_eq!(path.token_origin(), site.token_origin());
}

#[tokio::test]
async fn nothing_is_sent_elsewhere() {
    let old = Responder::start(|_| answer("200 OK", "", r#"{"data":[]}"#)).await;
    let new = Responder::start(|_| answer("200 OK", "", r#"{"data":[]}"#)).await;
    let vault = Vault::memory();
    let site = unreachable_site();
    let at = |responder: &Responder| SiteAccess { base_url: responder.base_url.clone(), ..site.clone() };
    client(&at(&old), &vault).store_tokens(tokens());
    client(&at(&old), &vault).get(MATERIALS, &[]).await.expect("an answer");
    let error = client(&at(&new), &vault).get(MATERIALS, &[]).await.expect_err("nobody is signed in there");
    assert!(matches!(error, ClientError::SignInNeeded), "{error:?}");
    assert_eq!((old.count(), new.count()), (1, 0));
}

#[test]
fn what_an_earlier_takt_kept_is_for_where_the_site_is() {
    let (vault, site) = (Vault::memory(), unreachable_site());
    vault.put(SITE, SecretKind::ClientSecret, &Secret::new("secret"));
    assert_eq!(vault.get_for(SITE, SecretKind::ClientSecret, &site.secret_origin()), Some(Secret::new("secret")));
    assert_eq!(vault.get_for(SITE, SecretKind::ClientSecret, "https://elsewhere.example"), None);
    assert!(
        !vault.remove_for_other_origins(SITE, SecretKind::ClientSecret, Some(&site.secret_origin())).expect("a vault")
    );
    assert!(
        vault
            .remove_for_other_origins(SITE, SecretKind::ClientSecret, Some("https://elsewhere.example"))
            .expect("a vault")
    );
    assert_eq!(vault.get(SITE, SecretKind::ClientSecret), None);
}

#[tokio::test]
async fn a_proxy_gets_its_password_and_nobody_hears_of_it() {
    let proxy = Responder::start(|request| answer("502 Bad Gateway", "", request)).await;
    let address = proxy.base_url.replace("http://", "http://anna@");
    let site = SiteAccess {
        base_url: "http://erp.invalid".to_owned(),
        auth_url: "http://erp.invalid".to_owned(),
        proxy: Some(address),
        ..unreachable_site()
    };
    let vault = Vault::memory();
    let origin = site.proxy_origin().expect("a proxy");
    vault.put_for(SITE, SecretKind::ProxyPassword, &origin, &Secret::new("p%40ss-word-77"));
    client(&site, &vault).store_tokens(tokens());
    let error = client(&site, &vault).get(MATERIALS, &[]).await.expect_err("a gateway's answer");
    let seen = proxy.requests.lock().expect("the requests").join("\n").to_ascii_lowercase();
    // The base64 of `anna:p@ss-word-77` in lower case.
    assert!(seen.contains("proxy-authorization: basic yw5uytpwqhnzlxdvcmqtnzc="), "{seen}");
    let told = format!("{error:?} {}", error.details());
    for secret in ["p%40ss", "p@ss", "YW5uYTpwQHNz", "access-4711"] {
        assert!(!told.contains(secret), "{secret} in {told}");
    }
    let other = SiteAccess { proxy: Some("http://anna@127.0.0.1:3128".to_owned()), ..site };
    assert_eq!(vault.get_for(SITE, SecretKind::ProxyPassword, &other.proxy_origin().expect("a proxy")), None);
}

#[tokio::test]
async fn a_sign_out_revokes_where_that_is_offered() {
    for (offered, status, told) in [
        ("here", "200 OK", Revocation::Revoked),
        ("here", "503 Service Unavailable", Revocation::Failed),
        ("elsewhere", "200 OK", Revocation::NotOffered),
        ("nowhere", "200 OK", Revocation::NotOffered),
    ] {
        let provider = Responder::start(move |request| {
            let host = request.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
            let place = match offered {
                "here" => format!(r#","revocation_endpoint":"http://{host}/revoke""#),
                "elsewhere" => r#","revocation_endpoint":"http://127.0.0.1:9/revoke""#.to_owned(),
                _ => String::new(),
            };
            if request.starts_with("GET /.well-known/openid-configuration") {
                answer("200 OK", "", &format!(r#"{{"issuer":"http://{host}"{place}}}"#))
            } else {
                answer(status, "", "{}")
            }
        })
        .await;
        let vault = Vault::memory();
        vault.put(SITE, SecretKind::ClientSecret, &Secret::new("client-secret"));
        let site = SiteAccess { auth_url: provider.base_url.clone(), ..unreachable_site() };
        let client = client(&site, &vault);
        client.store_tokens(tokens());
        assert_eq!(client.sign_out_and_revoke().await.expect("a vault"), told, "{offered}, {status}");
        assert!(!client.is_signed_in(), "{offered}, {status}");
        let asked = provider.requests.lock().expect("the requests").iter().any(|request| {
            request.starts_with("POST /revoke")
                && request.contains("token=refresh-4711-0815&token_type_hint=refresh_token")
                && request.contains("client_secret=client-secret")
        });
        assert_eq!(asked, offered == "here", "{offered}");
        assert_eq!(client.sign_out_and_revoke().await.expect("a vault"), Revocation::NotOffered, "nothing is left");
    }
}

#[tokio::test]
async fn a_sign_out_asks_where_to_revoke_though_everything_else_is_set() {
    for (says, told) in [("200 OK", Revocation::Revoked), ("503 Service Unavailable", Revocation::Failed)] {
        let provider = Responder::start(move |request| {
            let host = request.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
            let place = format!(r#"{{"issuer":"http://{host}","revocation_endpoint":"http://{host}/revoke"}}"#);
            if request.starts_with("GET ") { answer(says, "", &place) } else { answer("200 OK", "", "{}") }
        })
        .await;
        let set = ProviderSettings {
            client_authentication: Some(ClientAuthentication::Post),
            authorize: Some("/authorize".to_owned()),
            token: Some("/token".to_owned()),
            revocation: None,
        };
        let vault = Vault::memory();
        vault.put(SITE, SecretKind::ClientSecret, &Secret::new("client-secret"));
        let site = SiteAccess { auth_url: provider.base_url.clone(), provider: set, ..unreachable_site() };
        let client = client(&site, &vault);
        client.store_tokens(tokens());
        assert_eq!(client.sign_out_and_revoke().await.expect("a vault"), told, "{says}");
        assert!(!client.is_signed_in(), "{says}");
        let requests = provider.requests.lock().expect("the requests");
        assert_eq!(requests.iter().any(|request| request.starts_with("POST /revoke")), told == Revocation::Revoked);
    }
}
