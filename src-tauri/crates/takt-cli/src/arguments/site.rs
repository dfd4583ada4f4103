//! The arguments of `takt site` and `takt vault`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum SiteCommand {
    /// Add a site, or replace the site with the same name
    Add(Box<SiteArguments>),
    /// List all sites, the practice plant first
    List {
        /// One JSON line per site
        #[arg(long)]
        json: bool,
    },
    /// Remove a site and its secrets. Its submissions remain in the history
    Remove {
        /// Name of the site
        name: String,
    },
    /// Test whether a site can be reached and accepts the sign-in
    Test {
        /// Name of the site
        name: String,
    },
    /// Test each step of the connection to a site, from its name to its rate limit. For each failure, the person to ask
    /// is named. The sign-in is renewed
    Check {
        /// Name of the site. Without it, the practice plant is tested
        name: Option<String>,
        /// File for the exchange with the sign-in service, without secrets
        #[arg(long, value_name = "FILE")]
        transcript: Option<PathBuf>,
        /// One JSON line per step, then one with the outcome
        #[arg(long)]
        json: bool,
    },
    /// Save a site's addresses, interface description, mappings, rules and targets to a site file, without secrets
    Export {
        /// Name of the site
        name: String,
        /// Output file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Show what a site file would set up. With --yes, the site is set up with rules switched off and targets paused
    Import {
        /// Site file of `takt site export`
        file: PathBuf,
        /// Set up the site
        #[arg(long)]
        yes: bool,
        /// One JSON line
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum VaultCommand {
    /// Show where secrets are stored, and for how long
    Status {
        /// One JSON line
        #[arg(long)]
        json: bool,
    },
    /// Store secrets in an encrypted file, for computers without a keychain. If the file exists, its passphrase is
    /// changed. The passphrase is read from the file that $TAKT_VAULT_PASSPHRASE_FILE names. Without it, you're asked
    /// for the passphrase
    Create,
    /// Remove the encrypted file. Its secrets are moved to the keychain, or remain in memory until the command ends
    Remove {
        /// Remove without asking
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SiteArguments {
    /// Name of the site
    pub(crate) name: String,
    /// Base address of the service
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: String,
    /// Address of the sign-in service
    #[arg(long, value_name = "URL")]
    pub(crate) auth_url: String,
    /// Client ID of Takt at the sign-in service
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: String,
    /// Read the client secret from standard input and store it in the keychain. Alternatively, $TAKT_CLIENT_SECRET_FILE
    /// names a file
    #[arg(long)]
    pub(crate) client_secret_stdin: bool,
    /// Method for sending the client secret: as a form field (post) or with HTTP Basic (basic). Without it, the
    /// provider's method is used, otherwise post
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) client_authentication: Option<ClientSecretMethod>,
    /// Authorization endpoint, as an address or a path below --auth-url. Without it, the provider's endpoint is used,
    /// otherwise connect/authorize
    #[arg(long, value_name = "URL|PATH")]
    pub(crate) authorize_address: Option<String>,
    /// Token endpoint, as an address or a path below --auth-url. Without it, the provider's endpoint is used, otherwise
    /// connect/token
    #[arg(long, value_name = "URL|PATH")]
    pub(crate) token_address: Option<String>,
    /// Revocation endpoint. Without it, the provider's endpoint is used, otherwise tokens aren't revoked
    #[arg(long, value_name = "URL|PATH")]
    pub(crate) revocation_address: Option<String>,
    /// Redirect address for the browser, in order of preference (repeatable). Without it, any free port is used
    #[arg(long = "redirect-uri", value_name = "URL")]
    pub(crate) redirect_uris: Vec<String>,
    /// Scopes, separated by spaces. Without it, the scopes that the interface description requires
    #[arg(long, default_value = "")]
    pub(crate) scope: String,
    /// Time zone of date-times without an offset, as an IANA name
    #[arg(long, default_value = "UTC", value_name = "ZONE")]
    pub(crate) time_zone: String,
    /// Rows per request. Without it, the number in the interface description
    #[arg(long, value_name = "N")]
    pub(crate) batch_size: Option<u32>,
    /// OpenAPI document of the site (3.0 or 3.1, JSON or YAML)
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<PathBuf>,
    /// Proxy address. A password in it is stored in the keychain. Alternatively, $TAKT_PROXY_PASSWORD_FILE names a file
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Use no proxy. Without this option and --proxy, the system's proxy settings are used
    #[arg(long, conflicts_with = "proxy")]
    pub(crate) no_proxy: bool,
    /// PEM file with certificate authorities, in addition to the system's
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Client certificate as a PEM or PKCS#12 file. $TAKT_CLIENT_CERTIFICATE_PASSPHRASE_FILE names a file with the
    /// passphrase of a PKCS#12 file
    #[arg(long, value_name = "FILE")]
    pub(crate) client_certificate: Option<PathBuf>,
    /// PEM file with the key of the client certificate, if it's a separate file
    #[arg(long, value_name = "FILE", requires = "client_certificate")]
    pub(crate) client_key: Option<PathBuf>,
    /// Timeout for connecting, in seconds. Without it, 10 seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) connect_timeout: Option<u32>,
    /// Timeout for a response or its next part, in seconds. Without it, 60 seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) read_timeout: Option<u32>,
    /// Allow unencrypted http addresses that aren't on this computer. Others can read the data and the sign-in in
    /// transit
    #[arg(long)]
    pub(crate) allow_http: bool,
    /// Prefix of property keys that the platform reserves. Rows that write such a key are stopped
    #[arg(long, value_name = "TEXT")]
    pub(crate) reserved_prefix: Option<String>,
    /// Use of the site. For a production site, you confirm its name before anything is written to it
    #[arg(long, value_enum, default_value_t = SiteUse::Production)]
    pub(crate) kind: SiteUse,
}

/// The part of a token request that carries the client secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientSecretMethod {
    Post,
    Basic,
}

/// The use of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SiteUse {
    Test,
    Production,
}
