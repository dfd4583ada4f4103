//! Reads certificates.

use jiff::Timestamp;
use tokio_rustls::rustls::pki_types::CertificateDer;
use x509_parser::{certificate::X509Certificate, extensions::GeneralName, parse_x509_certificate, x509::X509Name};

/// The names, issuer and expiry of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CertificateFacts {
    pub(super) subject: String,
    pub(super) issuer: String,
    pub(super) until: Option<Timestamp>,
    /// The hosts of the certificate.
    pub(super) names: Vec<String>,
}

pub(super) fn read(certificate: &CertificateDer<'_>) -> Option<CertificateFacts> {
    let (_, found) = parse_x509_certificate(certificate).ok()?;
    Some(CertificateFacts {
        subject: name(found.subject()),
        issuer: name(found.issuer()),
        until: Timestamp::from_second(found.validity().not_after.timestamp()).ok(),
        names: hosts(&found),
    })
}

/// Returns the common name if there is one, else the whole name.
fn name(name: &X509Name<'_>) -> String {
    let common = name.iter_common_name().next().and_then(|part| part.as_str().ok());
    common.map_or_else(|| name.to_string(), str::to_owned)
}

fn hosts(certificate: &X509Certificate<'_>) -> Vec<String> {
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
