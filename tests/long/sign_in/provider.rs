//! The external provider as a separate process, a user in the browser, and a client.

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, ChildStdin, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use reqwest::header;
use serde_json::{Value, json};
use takt_client::{Client, Secret, SecretKind, SiteAccess, Timeouts, Vault, sign_in::ProviderSettings};
use takt_tests::repository;

pub(crate) const SITE: &str = "works";
pub(crate) const READ_PATH: &str = "/api/v1/Materials";
/// The maximum number of pages between the login and the redirect.
const MAX_PAGES: usize = 12;
const TIMEOUT: Duration = Duration::from_secs(30);

/// An external identity provider. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Provider {
    child: Child,
    /// The provider ends when its standard input is closed.
    _input: ChildStdin,
    line: Value,
    redirects: Vec<String>,
}

impl Drop for Provider {
    fn drop(&mut self) {
        // Errors are ignored, since the provider may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a port that is currently free.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

pub(crate) fn free_redirect_address() -> String {
    format!("http://127.0.0.1:{}/callback", free_port())
}

impl Provider {
    /// Starts a provider that knows these redirect addresses. `lifetime` is the tokens' lifetime in seconds.
    pub(crate) fn start(redirects: &[String], lifetime: u64) -> Self {
        let folder = repository().join("tests/long/provider");
        assert!(
            folder.join("node_modules/oidc-provider").is_dir(),
            "the provider's packages are missing: `cargo xtask setup` installs what the tests need"
        );
        let mut node = Command::new("node");
        node.arg("provider.mjs").args(redirects).current_dir(folder).env("TOKEN_LIFETIME", lifetime.to_string());
        node.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = node.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, _input: input, line: serde_json::from_str(&line).unwrap(), redirects: redirects.to_vec() }
    }

    pub(crate) fn member(&self, name: &str) -> &str {
        self.line[name].as_str().unwrap()
    }

    pub(crate) fn access(&self) -> SiteAccess {
        SiteAccess {
            name: SITE.to_owned(),
            base_url: self.member("base_url").to_owned(),
            auth_url: self.member("auth_url").to_owned(),
            client_id: self.member("client_id").to_owned(),
            scope: "service-portal-api service-api offline_access".to_owned(),
            redirect_uris: self.redirects.clone(),
            provider: ProviderSettings::default(),
            proxy: None,
            no_proxy: false,
            ca_file: None,
            client_certificate: None,
            lock_file: None,
            errors: Default::default(),
            timeouts: Timeouts {
                connect: Duration::from_secs(5),
                request: Duration::from_secs(20),
                ..Timeouts::default()
            },
        }
    }

    pub(crate) fn vault(&self) -> Vault {
        let vault = Vault::memory();
        vault.put(SITE, SecretKind::ClientSecret, &Secret::new(self.member("client_secret")));
        vault
    }

    pub(crate) fn client(&self) -> Client {
        create_client(self.access(), self.vault())
    }

    /// Returns a client with a signed-in user.
    pub(crate) async fn signed_in(&self) -> (Client, Vault) {
        let vault = self.vault();
        let client = create_client(self.access(), vault.clone());
        sign_in(&client).await;
        (client, vault)
    }

    /// Returns the requests to the token endpoint with this grant type.
    pub(crate) async fn requests(&self, grant: &str) -> Vec<Value> {
        let asked: Vec<Value> = self.get("asked").await.json().await.unwrap();
        asked.into_iter().filter(|entry| entry["grant"] == grant).collect()
    }

    /// Makes the next token requests fail with these statuses, one per request. The status 0 closes the connection.
    pub(crate) async fn set_failures(&self, statuses: &[u16]) {
        self.configure(json!({ "failures": statuses })).await;
    }

    pub(crate) async fn configure(&self, wish: Value) {
        let address = format!("{}/want", self.member("base_url"));
        assert!(create_browser().post(address).json(&wish).send().await.unwrap().status().is_success());
    }

    async fn get(&self, path: &str) -> reqwest::Response {
        create_browser().get(format!("{}/{path}", self.member("base_url"))).send().await.unwrap()
    }
}

pub(crate) fn create_client(access: SiteAccess, vault: Vault) -> Client {
    Client::new(access, vault, Arc::new(jiff::Timestamp::now)).unwrap()
}

/// Signs in through the browser, and waits until the client has its tokens.
pub(crate) async fn sign_in(client: &Client) {
    let pending = client.begin_sign_in(TIMEOUT).await.unwrap();
    let address = pending.address().to_owned();
    let waiting = tokio::spawn(pending.wait());
    let back = log_in(&address).await;
    assert!(create_browser().get(back).send().await.unwrap().status().is_success());
    waiting.await.unwrap().unwrap();
}

/// Logs in and consents. Returns the address to which the browser is redirected, without opening it.
pub(crate) async fn log_in(address: &str) -> String {
    let provider = reqwest::Url::parse(address).unwrap();
    let (mut cookies, mut address) = (Vec::<(String, String)>::new(), provider.clone());
    for _ in 0..MAX_PAGES {
        if address.origin() != provider.origin() {
            return address.to_string();
        }
        let jar = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ");
        let form: &[(&str, &str)] = if !address.path().starts_with("/interaction") {
            &[]
        } else if get_page(&jar, &address).await.contains("name=\"login\"") {
            &[("prompt", "login"), ("login", "planner"), ("password", "any")]
        } else {
            &[("prompt", "consent")]
        };
        let request = if form.is_empty() {
            create_browser().get(address.clone())
        } else {
            create_browser().post(address.clone()).form(form)
        };
        let page = request.header(header::COOKIE, jar).send().await.unwrap();
        for cookie in page.headers().get_all(header::SET_COOKIE) {
            let (name, value) = cookie.to_str().unwrap().split(';').next().unwrap().split_once('=').unwrap();
            cookies.retain(|(known, _)| known != name);
            cookies.push((name.to_owned(), value.to_owned()));
        }
        let status = page.status();
        let Some(next) = page.headers().get(header::LOCATION) else {
            panic!("{address} answers {status}: {}", page.text().await.unwrap());
        };
        address = address.join(next.to_str().unwrap()).unwrap();
    }
    panic!("no way back from {address}");
}

async fn get_page(jar: &str, address: &reqwest::Url) -> String {
    let page = create_browser().get(address.clone()).header(header::COOKIE, jar).send().await.unwrap();
    page.text().await.unwrap()
}

pub(crate) fn create_browser() -> reqwest::Client {
    let browser = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).timeout(TIMEOUT);
    browser.build().unwrap()
}
