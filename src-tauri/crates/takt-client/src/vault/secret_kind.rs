//! The kinds of secrets, and the names of their entries in a store.

/// The entry name for the team's database, used in place of a site's name.
pub const TEAM: &str = "team";

/// The kind of a secret, which is part of the name of its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecretKind {
    ClientSecret,
    Tokens,
    /// The part of the webhook address that is kept secret.
    EventPath,
    /// The secrets that verify the signatures of the site's events.
    EventSecrets,
    /// The credentials of the targets to which the site's events are forwarded.
    TargetKeys,
    ProxyPassword,
    /// The passphrase of a PKCS#12 file with the client certificate.
    CertificatePassphrase,
    /// The password of the team's database.
    TeamPassword,
}

impl SecretKind {
    pub(super) const ALL: [Self; 8] = [
        Self::ClientSecret,
        Self::Tokens,
        Self::EventPath,
        Self::EventSecrets,
        Self::TargetKeys,
        Self::ProxyPassword,
        Self::CertificatePassphrase,
        Self::TeamPassword,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ClientSecret => "client-secret",
            Self::Tokens => "tokens",
            Self::EventPath => "event-path",
            Self::EventSecrets => "event-secrets",
            Self::TargetKeys => "target-keys",
            Self::ProxyPassword => "proxy-password",
            Self::CertificatePassphrase => "certificate-passphrase",
            Self::TeamPassword => "team-password",
        }
    }
}

pub(super) fn entry_name(site: &str, kind: SecretKind) -> String {
    format!("{site}/{}", kind.name())
}
