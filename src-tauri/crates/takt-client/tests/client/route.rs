//! Tests of the connection check with a TLS server.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use takt_client::{Client, Clock, ConnectionPart, SiteAccess, StepOutcome, Vault};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::aws_lc_rs, pki_types::PrivateKeyDer},
};

use crate::fixture::unreachable_site;

/// A TLS server with a certificate from its own authority. It closes each connection after the handshake.
struct TlsServer {
    base_url: String,
    /// The folder with the authority's certificate.
    folder: TempDir,
    serving: JoinHandle<()>,
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn in_days(days: i64) -> Timestamp {
    Timestamp::now() + SignedDuration::from_hours(24 * days)
}

/// Returns TLS settings with a certificate that is valid for a number of days, and its authority's certificate.
fn server_config(valid_days: i64) -> (ServerConfig, String) {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate");
    let day = |days| {
        let date = in_days(days).to_zoned_datetime(TimeZone::UTC).date();
        rcgen::date_time_ymd(date.year().into(), date.month().unsigned_abs(), date.day().unsigned_abs())
    };
    let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("an address");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    (params.not_before, params.not_after) = (day(-1), day(valid_days));
    let key = KeyPair::generate().expect("a key");
    let certificate = params.signed_by(&key, &authority).expect("a certificate");
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
        .expect("a certificate with its key");
    (config, authority.pem())
}

impl TlsServer {
    async fn start(valid_days: i64) -> Self {
        let (config, authority) = server_config(valid_days);
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("ca.pem"), authority).expect("a file");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base_url = format!("https://{}", socket.local_addr().expect("its address"));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = socket.accept().await {
                drop(acceptor.accept(stream).await);
            }
        });
        Self { base_url, folder, serving }
    }

    fn client(&self, clock: Clock) -> Client {
        let access = SiteAccess {
            base_url: self.base_url.clone(),
            auth_url: self.base_url.clone(),
            no_proxy: true,
            ca_file: Some(self.folder.path().join("ca.pem")),
            ..unreachable_site()
        };
        Client::new(access, Vault::memory(), clock).expect("a client")
    }
}

#[tokio::test]
async fn a_certificate_expires_soon_by_the_given_clock() {
    let server = TlsServer::start(60).await;
    for (days, expected) in [(0, (StepOutcome::Passed, "tls-trusted")), (40, (StepOutcome::Warning, "tls-ends-soon"))] {
        let steps = server.client(Arc::new(move || in_days(days))).check_route().await;
        let found = steps.iter().find(|step| step.part == ConnectionPart::Tls).map(|step| (step.outcome, step.finding));
        assert_eq!(found, Some(expected), "{steps:?}");
    }
}
