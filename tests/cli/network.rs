//! Company networks: a proxy with a password, the system's proxy, a private authority, client certificates, and IPv6.

use serde_json::{Value, json};
use takt_tests::{ANY_PORT, Authority, CommandOutput, NetworkServer, PRIVATE_HOST, Person, Plant, Takt};

use crate::support::console;

const PASSWORD: &str = "p@ss/word 77";

/// A plant whose interface is behind a TLS gateway. Its identity provider isn't.
struct GatewayPlant {
    plant: Plant,
    authority: Authority,
    gateway: NetworkServer,
}

impl GatewayPlant {
    fn start(more: &Value) -> Self {
        let (plant, authority) = (Plant::start(&[]), Authority::new());
        let gateway = NetworkServer::gateway(&authority, "server", plant.member("base_url"), more);
        Self { plant, authority, gateway }
    }

    /// Starts a gateway that requires a client certificate from the authority.
    fn start_with_client_certificates() -> Self {
        let (plant, authority) = (Plant::start(&[]), Authority::new());
        let asked = json!({ "clientCa": authority.file("ca.pem") });
        let gateway = NetworkServer::gateway(&authority, "server", plant.member("base_url"), &asked);
        Self { plant, authority, gateway }
    }

    /// Returns the URL with the host name that only a proxy can resolve.
    fn private_url(&self) -> String {
        format!("https://{PRIVATE_HOST}:{}", self.gateway.port())
    }

    fn local_url(&self) -> String {
        format!("https://127.0.0.1:{}", self.gateway.port())
    }

    fn authority_file(&self) -> String {
        self.authority.file("ca.pem")
    }

    fn add(&self, takt: &Takt, base_url: &str, options: &[&str]) -> CommandOutput {
        let plant = &self.plant;
        let mut arguments =
            vec!["site", "add", "works", "--base-url", base_url, "--auth-url", plant.member("auth_url")];
        arguments.extend(["--client-id", plant.member("client_id"), "--kind", "test", "--client-secret-stdin"]);
        arguments.extend(["--redirect-uri", ANY_PORT]);
        arguments.extend(options);
        takt.run_with(&arguments, &format!("{}\n", plant.member("client_secret")))
    }

    /// Adds the site, signs in and reads a list.
    async fn read(&self, takt: &Takt, base_url: &str, options: &[&str]) -> CommandOutput {
        let added = self.add(takt, base_url, options);
        assert_eq!(added.code, Some(0), "{}", added.err);
        let signed_in = takt.sign_in("works", Person::Planner).await;
        assert_eq!(signed_in.code, Some(0), "{}", signed_in.err);
        list_materials(takt)
    }
}

fn list_materials(takt: &Takt) -> CommandOutput {
    takt.run(&["list", "materials.list", "--site", "works", "--format", "json"])
}

#[tokio::test]
async fn a_proxy_with_a_password_also_for_encrypted_requests() {
    let works = GatewayPlant::start(&json!({}));
    let proxy = NetworkServer::proxy("anna", PASSWORD, works.gateway.port());
    let address = format!("http://anna@127.0.0.1:{}", proxy.port());
    let console = console(&works.plant);
    let password = console.takt.write("password", format!("{PASSWORD}\n"));
    let takt = console.takt.with("TAKT_PROXY_PASSWORD_FILE", password.to_str().unwrap());
    let options = ["--proxy", &address, "--ca", &works.authority_file()];
    let read = works.read(&takt, &works.private_url(), &options).await;
    assert_eq!(read.code, Some(0), "{}", read.err);
    let requests = proxy.requests();
    let through = (String::from("CONNECT"), format!("{PRIVATE_HOST}:{}", works.gateway.port()), true);
    assert!(requests.contains(&through), "{requests:?}");
    assert!(requests.iter().any(|(method, target, _)| method == "POST" && target.ends_with("/connect/token")));
    // The password was stored, so no file is needed.
    let takt = takt.with("TAKT_PROXY_PASSWORD_FILE", "");
    let again = list_materials(&takt);
    assert_eq!(again.code, Some(0), "{}", again.err);
    // A password from a file is used for one command but not stored.
    let wrong = takt.write("wrong", "another\n");
    let takt = takt.with("TAKT_PROXY_PASSWORD_FILE", wrong.to_str().unwrap());
    let refused = list_materials(&takt);
    assert_eq!(refused.code, Some(5), "{}", refused.err);
    assert!(proxy.requests().iter().any(|(.., allowed)| !allowed));
    let last = list_materials(&takt.with("TAKT_PROXY_PASSWORD_FILE", ""));
    assert_eq!(last.code, Some(0), "{}", last.err);
}

/// The address is reserved for documentation (RFC 5737). No host has it, so only a proxy can receive the request.
#[test]
fn no_proxy_for_everything_counts_for_ip_addresses_too() {
    let works = GatewayPlant::start(&json!({}));
    let proxy = NetworkServer::proxy("anna", "practice", works.gateway.port());
    let address = format!("http://anna:practice@127.0.0.1:{}", proxy.port());
    for (no_proxy, is_asked) in [("erp.example", true), ("*", false), ("erp.example, *", false)] {
        let takt = Takt::new().with("HTTPS_PROXY", &address).with("NO_PROXY", no_proxy);
        let added = works.add(&takt, "https://192.0.2.1", &["--connect-timeout", "1"]);
        assert_eq!(added.code, Some(0), "{}", added.err);
        let before = proxy.requests().len();
        assert_ne!(takt.run(&["site", "check", "works"]).code, Some(0));
        assert_eq!(proxy.requests().len() > before, is_asked, "{no_proxy}");
    }
}

#[tokio::test]
async fn the_systems_proxy_unless_a_site_goes_without_one() {
    let works = GatewayPlant::start(&json!({}));
    let proxy = NetworkServer::proxy("anna", "practice", works.gateway.port());
    let console = console(&works.plant);
    let takt = console.takt.with("HTTPS_PROXY", format!("http://anna:practice@127.0.0.1:{}", proxy.port()));
    let read = works.read(&takt, &works.private_url(), &["--ca", &works.authority_file()]).await;
    assert_eq!(read.code, Some(0), "{}", read.err);
    let count = proxy.requests().len();
    assert!(count > 0);
    let direct = works.read(&takt, &works.private_url(), &["--ca", &works.authority_file(), "--no-proxy"]).await;
    assert_eq!((direct.code, proxy.requests().len()), (Some(5), count), "nobody knows the name: {}", direct.err);
    let direct = works.read(&takt, &works.local_url(), &["--ca", &works.authority_file(), "--no-proxy"]).await;
    assert_eq!((direct.code, proxy.requests().len()), (Some(0), count), "{}", direct.err);
}

/// On other systems, the certificate store isn't a file that the test could replace.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_companys_authority_in_the_systems_store() {
    let works = GatewayPlant::start(&json!({}));
    let console = console(&works.plant);
    let unknown = works.read(&console.takt, &works.local_url(), &[]).await;
    assert_eq!(unknown.code, Some(5), "{}", unknown.err);
    let takt = console.takt.with("SSL_CERT_FILE", works.authority_file());
    assert_eq!(list_materials(&takt).code, Some(0));
}

#[tokio::test]
async fn a_site_that_asks_for_a_client_certificate() {
    let works = GatewayPlant::start_with_client_certificates();
    let console = console(&works.plant);
    let (ca, file) = (works.authority_file(), |name: &str| works.authority.file(name));
    let without = works.read(&console.takt, &works.local_url(), &["--ca", &ca]).await;
    assert_eq!(without.code, Some(5), "{}", without.err);
    let (both, bare, key) = (file("client-both.pem"), file("client.pem"), file("client-key.pem"));
    for options in [
        ["--ca", &ca, "--client-certificate", &both].as_slice(),
        &["--ca", &ca, "--client-certificate", &bare, "--client-key", &key],
    ] {
        let read = works.read(&console.takt, &works.local_url(), options).await;
        assert_eq!(read.code, Some(0), "{options:?}: {}", read.err);
    }
    let keyless = works.add(&console.takt, &works.local_url(), &["--ca", &ca, "--client-certificate", &bare]);
    assert!(keyless.code == Some(2) && keyless.err.contains("client certificate"), "{}", keyless.err);

    let pkcs12 = works.authority.pkcs12("a-passphrase");
    let options = ["--ca", &ca, "--client-certificate", &pkcs12];
    let (right, wrong) = (console.takt.write("right", "a-passphrase\n"), console.takt.write("wrong", "b-passphrase\n"));
    let takt = console.takt.with("TAKT_CLIENT_CERTIFICATE_PASSPHRASE_FILE", wrong.to_str().unwrap());
    let refused = works.add(&takt, &works.local_url(), &options);
    assert!(refused.code == Some(2) && refused.err.contains("client certificate"), "{}", refused.err);
    let takt = takt.with("TAKT_CLIENT_CERTIFICATE_PASSPHRASE_FILE", right.to_str().unwrap());
    let read = works.read(&takt, &works.local_url(), &options).await;
    assert_eq!(read.code, Some(0), "{}", read.err);
    let takt = takt.with("TAKT_CLIENT_CERTIFICATE_PASSPHRASE_FILE", "");
    assert_eq!(list_materials(&takt).code, Some(0), "it was kept");
}

#[tokio::test]
async fn an_address_of_ipv6() {
    let works = GatewayPlant::start(&json!({ "host": "::1" }));
    let console = console(&works.plant);
    let address = format!("https://[::1]:{}", works.gateway.port());
    let read = works.read(&console.takt, &address, &["--ca", &works.authority_file()]).await;
    assert_eq!(read.code, Some(0), "{}", read.err);
}

#[test]
fn timeouts_are_bounded_and_a_proxy_is_there_or_not() {
    let (plant, takt) = (Plant::start(&[]), Takt::new());
    let add = |options: &[&str]| {
        let mut arguments = vec!["site", "add", "works", "--base-url", plant.member("base_url"), "--auth-url"];
        arguments.extend([plant.member("auth_url"), "--client-id", "takt"]);
        arguments.extend(options);
        takt.run(&arguments).code
    };
    assert_eq!(add(&["--read-timeout", "0"]), Some(2));
    assert_eq!(add(&["--connect-timeout", "601"]), Some(2));
    assert_eq!(add(&["--no-proxy", "--proxy", "http://127.0.0.1:3128"]), Some(2));
    assert_eq!(add(&["--connect-timeout", "3", "--read-timeout", "120"]), Some(0));
    let listed = takt.run(&["site", "list", "--json"]).json();
    let works = listed.iter().find(|site| site["name"] == "works").unwrap();
    assert_eq!((&works["network"]["connectTimeout"], &works["network"]["readTimeout"]), (&json!(3), &json!(120)));
}
