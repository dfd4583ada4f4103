//! The kinds of secrets, and the names of their entries in a store.

/// The entry name of the team's database, in place of a site's name.
pub const TEAM: &str = "team";

/// The kind of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecretKind {
    ClientSecret,
    Tokens,
    /// The secret part of the address that receives the site's events.
    EventPath,
    /// The secrets with which the site signs its events.
    EventSecrets,
    /// The credentials for forwarding the site's events.
    TargetKeys,
    ProxyPassword,
    /// The passphrase of the client certificate's file.
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

/// Returns the name of a secret's entry.
pub(super) fn entry_name(site: &str, kind: SecretKind) -> String {
    format!("{site}/{}", kind.name())
}
