//! The environment variables. Names are a stable interface. Doc comments are the reference's texts.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Variable {
    /// Folder for all of Takt's data. Without it, the system's folder for application data
    #[value(name = "TAKT_HOME")]
    Home,
    /// Policy file, if the system has none
    #[value(name = "TAKT_POLICY")]
    Policy,
    /// Log level (error, warn, info, debug or trace), also for a part of the program, for example takt_client=debug
    #[value(name = "TAKT_LOG")]
    Log,
    /// File with the passphrase of the vault
    #[value(name = "TAKT_VAULT_PASSPHRASE_FILE")]
    VaultPassphraseFile,
    /// File with the client secret, for `takt site add`
    #[value(name = "TAKT_CLIENT_SECRET_FILE")]
    ClientSecretFile,
    /// File with the password of the site's proxy, for `takt site add`
    #[value(name = "TAKT_PROXY_PASSWORD_FILE")]
    ProxyPasswordFile,
    /// File with the passphrase of a PKCS#12 client certificate, for `takt site add`
    #[value(name = "TAKT_CLIENT_CERTIFICATE_PASSPHRASE_FILE")]
    CertificatePassphraseFile,
    /// Wait before the first retry of a failed request, in milliseconds. Without it, 250. Later waits are multiples of
    /// it. If the service names a time, that time is used
    #[value(name = "TAKT_RETRY_WAIT")]
    RetryWait,
    /// Database of the team, for this process only, `postgres://name@host:5432/database`
    #[value(name = "TAKT_TEAM_URL")]
    TeamUrl,
    /// File with the password of the team's database
    #[value(name = "TAKT_TEAM_PASSWORD_FILE")]
    TeamPasswordFile,
    /// Language (de, es or pt, otherwise English). The first of these variables that is set counts
    #[value(name = "LC_ALL,LC_MESSAGES,LANG")]
    Language,
    /// Proxy, and addresses that are reached without it. A site's own settings take precedence
    #[value(name = "HTTPS_PROXY,HTTP_PROXY,ALL_PROXY,NO_PROXY")]
    Proxy,
    /// Folders whose files a window that is controlled by a program opens without a dialog
    #[value(name = "TAKT_OPEN_FROM")]
    OpenFrom,
    /// Answer to every question of a window that is controlled by a program (accept or refuse)
    #[value(name = "TAKT_DIALOGS")]
    Dialogs,
    /// OpenAPI document of a site, for a window that is controlled by a program
    #[value(name = "TAKT_OPEN_DOCUMENT")]
    OpenDocument,
    /// Site file, for a window that is controlled by a program
    #[value(name = "TAKT_OPEN_SITE_FILE")]
    OpenSiteFile,
    /// Minisign public key that verifies the packages of newer versions. It is read when Takt is built
    #[value(name = "TAKT_UPDATE_KEY")]
    UpdateKey,
}
