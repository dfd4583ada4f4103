//! One TLS handshake as the HTTP client makes it, with a look at what both sides show each other.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

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

use crate::{ClientError, Secret, SiteAccess, tls};

/// Whatever a connection goes over.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}
pub(super) type AnyStream = Box<dyn Stream>;

/// What the other side showed and asked for.
#[derive(Debug, Default)]
pub(super) struct Seen {
    chain: Mutex<Vec<CertificateDer<'static>>>,
    certificate_asked: AtomicBool,
}

impl Seen {
    /// The server's certificate first.
    pub(super) fn chain(&self) -> Vec<CertificateDer<'static>> {
        self.chain.lock().clone()
    }

    /// The server asked for a client certificate.
    pub(super) fn certificate_asked(&self) -> bool {
        self.certificate_asked.load(Ordering::SeqCst)
    }
}

/// A connector that notes what is seen.
///
/// # Errors
/// Where a file of the settings can't be used.
pub(super) fn connector(
    access: &SiteAccess,
    passphrase: Option<&Secret>,
) -> Result<(TlsConnector, Arc<Seen>), ClientError> {
    let seen = Arc::new(Seen::default());
    let mut config: ClientConfig = tls::config(access, passphrase)?;
    let inner = tls::verifier(access, Arc::new(aws_lc_rs::default_provider()))?;
    config.dangerous().set_certificate_verifier(Arc::new(NotingVerifier { inner, seen: Arc::clone(&seen) }));
    let inner = Arc::clone(&config.client_auth_cert_resolver);
    config.client_auth_cert_resolver = Arc::new(NotingResolver { inner, seen: Arc::clone(&seen) });
    Ok((TlsConnector::from(Arc::new(config)), seen))
}

/// # Errors
/// Where the other side isn't who it should be, or speaks no TLS.
pub(super) async fn handshake(
    connector: &TlsConnector,
    host: &str,
    stream: AnyStream,
) -> std::io::Result<TlsStream<AnyStream>> {
    let name = ServerName::try_from(host.to_owned()).map_err(std::io::Error::other)?;
    connector.connect(name, stream).await
}

/// Judges as the verifier in it does.
#[derive(Debug)]
struct NotingVerifier {
    inner: rustls_platform_verifier::Verifier,
    seen: Arc<Seen>,
}

impl ServerCertVerifier for NotingVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let chain = [end_entity].into_iter().chain(intermediates).map(|one| one.clone().into_owned());
        *self.seen.chain.lock() = chain.collect();
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

/// Answers as the resolver in it does.
#[derive(Debug)]
struct NotingResolver {
    inner: Arc<dyn ResolvesClientCert>,
    seen: Arc<Seen>,
}

impl ResolvesClientCert for NotingResolver {
    fn resolve(&self, authorities: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.seen.certificate_asked.store(true, Ordering::SeqCst);
        self.inner.resolve(authorities, schemes)
    }

    fn has_certs(&self) -> bool {
        self.inner.has_certs()
    }
}
