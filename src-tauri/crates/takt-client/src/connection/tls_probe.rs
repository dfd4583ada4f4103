//! Performs a TLS handshake as the HTTP client does, and records what both sides present.

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

/// Any stream that a TLS connection uses.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}
pub(super) type AnyStream = Box<dyn Stream>;

/// The certificates and requests of the server.
#[derive(Debug, Default)]
pub(super) struct ServerPresentation {
    chain: Mutex<Vec<CertificateDer<'static>>>,
    certificate_asked: AtomicBool,
}

impl ServerPresentation {
    /// Returns the chain with the server's certificate first.
    pub(super) fn chain(&self) -> Vec<CertificateDer<'static>> {
        self.chain.lock().clone()
    }

    /// Returns whether the server asked for a client certificate.
    pub(super) fn certificate_asked(&self) -> bool {
        self.certificate_asked.load(Ordering::SeqCst)
    }
}

/// Returns a connector that records what the server presents.
///
/// # Errors
/// Fails if a file of the settings can't be used.
pub(super) fn connector(
    access: &SiteAccess,
    passphrase: Option<&Secret>,
) -> Result<(TlsConnector, Arc<ServerPresentation>), ClientError> {
    let seen = Arc::new(ServerPresentation::default());
    let mut config: ClientConfig = tls::config(access, passphrase)?;
    let inner = tls::verifier(access, Arc::new(aws_lc_rs::default_provider()))?;
    config.dangerous().set_certificate_verifier(Arc::new(RecordingVerifier { inner, seen: Arc::clone(&seen) }));
    let inner = Arc::clone(&config.client_auth_cert_resolver);
    config.client_auth_cert_resolver = Arc::new(RecordingResolver { inner, seen: Arc::clone(&seen) });
    Ok((TlsConnector::from(Arc::new(config)), seen))
}

/// Performs the handshake.
///
/// # Errors
/// Fails if the server isn't trusted or speaks no TLS.
pub(super) async fn handshake(
    connector: &TlsConnector,
    host: &str,
    stream: AnyStream,
) -> std::io::Result<TlsStream<AnyStream>> {
    let name = ServerName::try_from(host.to_owned()).map_err(std::io::Error::other)?;
    connector.connect(name, stream).await
}

/// Records the chain and delegates to the inner verifier.
#[derive(Debug)]
struct RecordingVerifier {
    inner: rustls_platform_verifier::Verifier,
    seen: Arc<ServerPresentation>,
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

/// Records the request and delegates to the inner resolver.
#[derive(Debug)]
struct RecordingResolver {
    inner: Arc<dyn ResolvesClientCert>,
    seen: Arc<ServerPresentation>,
}

impl ResolvesClientCert for RecordingResolver {
    fn resolve(&self, authorities: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.seen.certificate_asked.store(true, Ordering::SeqCst);
        self.inner.resolve(authorities, schemes)
    }

    fn has_certs(&self) -> bool {
        self.inner.has_certs()
    }
}
