//! The environment variables. Names are a stable interface. Doc comments are the reference's texts.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Variable {
    /// The folder in which Takt keeps everything; without it the system's folder for the files of programs
    #[value(name = "TAKT_HOME")]
    Home,
    /// A policy file, where the system has none
    #[value(name = "TAKT_POLICY")]
    Policy,
    /// What is logged: error, warn, info, debug or trace, also by part of the program, for example takt_client=debug
    #[value(name = "TAKT_LOG")]
    Log,
    /// A file with the passphrase of the vault
    #[value(name = "TAKT_VAULT_PASSPHRASE_FILE")]
    VaultPassphraseFile,
    /// A file with the client secret, for `takt site add`
    #[value(name = "TAKT_CLIENT_SECRET_FILE")]
    ClientSecretFile,
    /// A file with the password of the site's own proxy, for `takt site add`
    #[value(name = "TAKT_PROXY_PASSWORD_FILE")]
    ProxyPasswordFile,
    /// A file with the passphrase of a PKCS#12 client certificate, for `takt site add`
    #[value(name = "TAKT_CLIENT_CERTIFICATE_PASSPHRASE_FILE")]
    CertificatePassphraseFile,
    /// Milliseconds before a failed request is repeated for the first time, where the service names no time; 250 without it. Later
    /// waits are multiples
    #[value(name = "TAKT_RETRY_WAIT")]
    RetryWait,
    /// The team's database for this process alone, `postgres://name@host:5432/database`
    #[value(name = "TAKT_TEAM_URL")]
    TeamUrl,
    /// A file with the password of the team's database
    #[value(name = "TAKT_TEAM_PASSWORD_FILE")]
    TeamPasswordFile,
    /// The language: de, es, pt, else English; the first of these three that is set
    #[value(name = "LC_ALL,LC_MESSAGES,LANG")]
    Language,
    /// The proxy, and what needs none; a site's own settings come first
    #[value(name = "HTTPS_PROXY,HTTP_PROXY,ALL_PROXY,NO_PROXY")]
    Proxy,
    /// The window, driven by a program: folders whose files it opens without a dialog
    #[value(name = "TAKT_OPEN_FROM")]
    OpenFrom,
    /// The window, driven by a program: accept or refuse, for every question
    #[value(name = "TAKT_DIALOGS")]
    Dialogs,
    /// The window, driven by a program: a site's OpenAPI document
    #[value(name = "TAKT_OPEN_DOCUMENT")]
    OpenDocument,
    /// The window, driven by a program: a site file
    #[value(name = "TAKT_OPEN_SITE_FILE")]
    OpenSiteFile,
    /// While Takt is built: the public key of minisign by which packages of newer versions are signed
    #[value(name = "TAKT_UPDATE_KEY")]
    UpdateKey,
}
