//! A company's network in tests: a proxy with a password, a TLS gateway, and certificates of a private authority.

use std::{process::Command, time::Duration};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, SanType,
};
use serde_json::{Value, json};

use crate::{Program, repository};

const START_TIMEOUT: Duration = Duration::from_secs(120);
/// The host name in the gateway's certificate. Only the proxy can resolve it.
pub const PRIVATE_HOST: &str = "erp.test";

/// A private certificate authority, with its files in a temporary folder.
#[derive(Debug)]
pub struct Authority {
    folder: tempfile::TempDir,
}

impl Authority {
    /// Creates the authority's certificate (`ca.pem`). Signs a gateway's (`server.pem`, `server-key.pem`), an expired
    /// one (`old.pem`) and a client's (`client.pem`, `client-key.pem`, both in `client-both.pem`).
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "Works Root CA");
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate");
        let made = Self { folder };
        made.write("ca.pem", issuer.pem());
        made.sign(&issuer, "server", ExtendedKeyUsagePurpose::ServerAuth, 2099);
        made.sign(&issuer, "old", ExtendedKeyUsagePurpose::ServerAuth, 2021);
        made.sign(&issuer, "client", ExtendedKeyUsagePurpose::ClientAuth, 2099);
        made
    }

    fn sign(&self, issuer: &CertifiedIssuer<'_, KeyPair>, name: &str, purpose: ExtendedKeyUsagePurpose, until: i32) {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(vec![PRIVATE_HOST.to_owned()]).expect("a name");
        for address in ["127.0.0.1", "::1"] {
            params.subject_alt_names.push(SanType::IpAddress(address.parse().expect("an address")));
        }
        params.distinguished_name.push(DnType::CommonName, name);
        params.extended_key_usages = vec![purpose];
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(until, 1, 1);
        let certificate = params.signed_by(&key, issuer).expect("a certificate");
        self.write(&format!("{name}.pem"), certificate.pem());
        self.write(&format!("{name}-key.pem"), key.serialize_pem());
        self.write(&format!("{name}-both.pem"), certificate.pem() + &key.serialize_pem());
    }

    fn write(&self, name: &str, text: String) {
        std::fs::write(self.folder.path().join(name), text).expect("a temporary file can be written");
    }

    /// Returns the path of one of the authority's files.
    #[must_use]
    pub fn file(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("a path is text").to_owned()
    }

    /// Writes the client's certificate with its key as a PKCS#12 file, and returns the file's path.
    #[must_use]
    pub fn pkcs12(&self, passphrase: &str) -> String {
        let file = self.file("client.p12");
        let mut openssl = Command::new("openssl");
        openssl.args(["pkcs12", "-export", "-in", &self.file("client.pem"), "-inkey", &self.file("client-key.pem")]);
        openssl.args(["-certfile", &self.file("ca.pem"), "-out", &file, "-passout"]).arg(format!("pass:{passphrase}"));
        assert!(openssl.status().expect("openssl can be started").success());
        file
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

/// A proxy or a gateway. It ends when it is dropped.
#[derive(Debug)]
pub struct NetworkServer {
    program: Program,
    port: u64,
    _input: std::process::ChildStdin,
}

impl NetworkServer {
    /// Starts a proxy that requires this user and password. It resolves [`PRIVATE_HOST`] to `port` on this computer.
    #[must_use]
    pub fn proxy(user: &str, password: &str, port: u64) -> Self {
        Self::start("proxy", &json!({ "user": user, "password": password, "hosts": { PRIVATE_HOST: port } }))
    }

    /// Starts a TLS gateway in front of an address such as `http://127.0.0.1:8080`. `certificate` is the base name of
    /// its certificate's files.
    #[must_use]
    pub fn gateway(authority: &Authority, certificate: &str, server: &str, more: &Value) -> Self {
        let target: u16 = server.rsplit(':').next().and_then(|port| port.parse().ok()).expect("an address has a port");
        let (key, cert) = (format!("{certificate}-key.pem"), format!("{certificate}.pem"));
        let mut options = json!({ "key": authority.file(&key), "cert": authority.file(&cert), "target": target });
        for (name, value) in more.as_object().into_iter().flatten() {
            options[name] = value.clone();
        }
        Self::start("gateway", &options)
    }

    fn start(kind: &str, options: &Value) -> Self {
        let mut node = Command::new("node");
        node.arg("network.mjs").arg(kind).arg(options.to_string()).current_dir(repository().join("tests/network"));
        let (mut program, input) = Program::start_with_input(kind, node);
        let line: Value = serde_json::from_str(&program.first_line(START_TIMEOUT)).expect("its first line is JSON");
        Self { program, port: line["port"].as_u64().expect("a port"), _input: input }
    }

    #[must_use]
    pub fn port(&self) -> u64 {
        self.port
    }

    /// Returns the requests that a proxy received: method, target, and whether it allowed the request.
    #[must_use]
    pub fn requests(&self) -> Vec<(String, String, bool)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let lines = self.program.output_text();
        let read = |line: &str| serde_json::from_str::<Value>(line).ok();
        let entries = lines.lines().skip(1).filter_map(read);
        entries.map(|line| (text(&line["method"]), text(&line["target"]), line["allowed"] == true)).collect()
    }
}
