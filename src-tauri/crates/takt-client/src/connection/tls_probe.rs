//! Performs a TLS handshake as the HTTP client does, records the server's part, and parses certificates.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig, DigitallySignedStruct, Error, SignatureScheme,
        client::{
            ResolvesClientCert,
            danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        },
        crypto::aws_lc_rs,
        pki_types::{CertificateDer, ServerName, UnixTime},
        sign::CertifiedKey,
    },
};
use x509_parser::{certificate::X509Certificate, extensions::GeneralName, parse_x509_certificate, x509::X509Name};

use crate::{ClientError, Secret, SiteAccess, tls};

/// A stream that TLS can use.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}
pub(super) type AnyStream = Box<dyn Stream>;

/// The certificates that the server presented, and whether it requested one.
#[derive(Debug, Default)]
pub(super) struct ServerPresentation {
    chain: Mutex<Vec<CertificateDer<'static>>>,
    client_certificate_requested: AtomicBool,
}

impl ServerPresentation {
    /// Returns the server's certificate and its issuers.
    pub(super) fn chain(&self) -> Vec<CertificateDer<'static>> {
        self.chain.lock().clone()
    }

    /// Returns whether the server requested a client certificate.
    pub(super) fn is_client_certificate_requested(&self) -> bool {
        self.client_certificate_requested.load(Ordering::SeqCst)
    }
}

/// Returns a connector that records the server's certificates and requests.
///
/// # Errors
/// Fails if a file of the settings can't be used.
pub(super) fn recording_connector(
    access: &SiteAccess,
    passphrase: Option<&Secret>,
) -> Result<(TlsConnector, Arc<ServerPresentation>), ClientError> {
    let presented = Arc::new(ServerPresentation::default());
    let mut config: ClientConfig = tls::client_config(access, passphrase)?;
    let inner = tls::verifier(access, Arc::new(aws_lc_rs::default_provider()))?;
    config
        .dangerous()
        .set_certificate_verifier(Arc::new(RecordingVerifier { inner, presented: Arc::clone(&presented) }));
    let inner = Arc::clone(&config.client_auth_cert_resolver);
    config.client_auth_cert_resolver = Arc::new(RecordingResolver { inner, presented: Arc::clone(&presented) });
    Ok((TlsConnector::from(Arc::new(config)), presented))
}

/// Performs the handshake.
///
/// # Errors
/// Fails if the server isn't trusted or doesn't support TLS.
pub(super) async fn handshake(
    connector: &TlsConnector,
    host: &str,
    stream: AnyStream,
) -> std::io::Result<TlsStream<AnyStream>> {
    let name = ServerName::try_from(host.to_owned()).map_err(std::io::Error::other)?;
    connector.connect(name, stream).await
}

/// Records the certificate chain and delegates to the inner verifier.
#[derive(Debug)]
struct RecordingVerifier {
    inner: rustls_platform_verifier::Verifier,
    presented: Arc<ServerPresentation>,
}

impl ServerCertVerifier for RecordingVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let chain = [end_entity].into_iter().chain(intermediates).map(|one| one.clone().into_owned());
        *self.presented.chain.lock() = chain.collect();
        self.inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// Records the server's request and delegates to the inner resolver.
#[derive(Debug)]
struct RecordingResolver {
    inner: Arc<dyn ResolvesClientCert>,
    presented: Arc<ServerPresentation>,
}

impl ResolvesClientCert for RecordingResolver {
    fn resolve(&self, authorities: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.presented.client_certificate_requested.store(true, Ordering::SeqCst);
        self.inner.resolve(authorities, schemes)
    }

    fn has_certs(&self) -> bool {
        self.inner.has_certs()
    }
}

/// The names, issuer and expiry of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CertificateDetails {
    pub(super) subject: String,
    pub(super) issuer: String,
    pub(super) valid_until: Option<Timestamp>,
    /// The host names and IP addresses that the certificate is valid for.
    pub(super) names: Vec<String>,
}

impl CertificateDetails {
    /// Returns None if the certificate can't be parsed.
    pub(super) fn read(certificate: &CertificateDer<'_>) -> Option<Self> {
        let (_, found) = parse_x509_certificate(certificate).ok()?;
        Some(Self {
            subject: common_name(found.subject()),
            issuer: common_name(found.issuer()),
            valid_until: Timestamp::from_second(found.validity().not_after.timestamp()).ok(),
            names: certificate_hosts(&found),
        })
    }
}

/// Returns the first common name, or the whole name if there is none.
fn common_name(name: &X509Name<'_>) -> String {
    let common = name.iter_common_name().next().and_then(|part| part.as_str().ok());
    common.map_or_else(|| name.to_string(), str::to_owned)
}

fn certificate_hosts(certificate: &X509Certificate<'_>) -> Vec<String> {
    let names = certificate.subject_alternative_name().ok().flatten();
    let host = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => match *bytes {
            [a, b, c, d] => Some(std::net::Ipv4Addr::new(*a, *b, *c, *d).to_string()),
            bytes => <[u8; 16]>::try_from(bytes).ok().map(|bytes| std::net::Ipv6Addr::from(bytes).to_string()),
        },
        _ => None,
    };
    names.into_iter().flat_map(|names| names.value.general_names.iter().filter_map(host)).collect()
}
