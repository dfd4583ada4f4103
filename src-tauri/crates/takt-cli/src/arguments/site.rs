//! Arguments of `takt site` and `takt vault`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum SiteCommand {
    /// Adds a site, or replaces the one of that name
    Add(Box<SiteArguments>),
    /// Every site, the practice plant first
    List {
        /// One JSON line per site
        #[arg(long)]
        json: bool,
    },
    /// Removes a site with its secrets; its submissions stay in the history
    Remove { name: String },
    /// Finds out whether a site works
    Test { name: String },
    /// Looks at the whole way to a site, step by step: name, connection, proxy, certificate, sign-in page, sign-in, a read, clock
    /// and limit, and says what to ask whom. The sign-in is renewed by it
    Check {
        /// Without it the practice plant
        name: Option<String>,
        /// A file to write what was said between Takt and the sign-in service to, without secrets
        #[arg(long, value_name = "FILE")]
        transcript: Option<PathBuf>,
        /// One JSON line per step, then one with the whole outcome
        #[arg(long)]
        json: bool,
    },
    /// Saves a site's addresses, interface description, mappings, rules and targets to a file for a colleague, without secrets
    Export {
        name: String,
        /// The file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Says what a site's file would set up, and with --yes sets it up: rules come switched off, targets paused
    Import {
        /// What `takt site export` wrote
        file: PathBuf,
        /// Set it up
        #[arg(long)]
        yes: bool,
        /// One JSON line
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum VaultCommand {
    /// Says where they are kept, and for how long
    Status {
        /// One JSON line
        #[arg(long)]
        json: bool,
    },
    /// Keeps them in a file of Takt's folder that a passphrase opens, for computers without a keychain; where there is one,
    /// changes its passphrase. $TAKT_VAULT_PASSPHRASE_FILE names a file with the passphrase; without it you are asked
    Create,
    /// Removes that file: what it holds goes to the keychain, or stays in memory until the command ends
    Remove {
        /// Without asking
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SiteArguments {
    pub(crate) name: String,
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: String,
    #[arg(long, value_name = "URL")]
    pub(crate) auth_url: String,
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: String,
    /// Reads the client secret from standard input; it goes to the keychain. $TAKT_CLIENT_SECRET_FILE names a file instead
    #[arg(long)]
    pub(crate) client_secret_stdin: bool,
    /// How the client secret goes to the token address: among the form's fields, or by HTTP Basic; without it as the provider
    /// says, else among the fields
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) client_authentication: Option<SecretPlace>,
    /// An address, or a path below --auth-url; without it what the provider says, else connect/authorize
    #[arg(long, value_name = "URL|PATH")]
    pub(crate) authorize_address: Option<String>,
    /// An address, or a path below --auth-url; without it what the provider says, else connect/token
    #[arg(long, value_name = "URL|PATH")]
    pub(crate) token_address: Option<String>,
    /// Where tokens are revoked; without it what the provider says, else nowhere
    #[arg(long, value_name = "URL|PATH")]
    pub(crate) revocation_address: Option<String>,
    /// Where the browser may come back to, in this order; may be repeated. Without it any free port
    #[arg(long = "redirect-uri", value_name = "URL")]
    pub(crate) redirect_uris: Vec<String>,
    /// Space-separated; by default what the interface description requires
    #[arg(long, default_value = "")]
    pub(crate) scope: String,
    /// The zone of date-times without an offset, as an IANA name
    #[arg(long, default_value = "UTC", value_name = "ZONE")]
    pub(crate) time_zone: String,
    /// Rows per request; by default the number of the interface description
    #[arg(long, value_name = "N")]
    pub(crate) batch_size: Option<u32>,
    /// The site's own OpenAPI document (3.0 or 3.1, JSON or YAML)
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<PathBuf>,
    /// A password in it goes to the keychain. $TAKT_PROXY_PASSWORD_FILE names a file instead
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Goes through no proxy, whatever the system's settings say; without this and --proxy they count
    #[arg(long, conflicts_with = "proxy")]
    pub(crate) no_proxy: bool,
    /// A PEM file with certificate authorities beside those of the system's store
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// By which the site knows this computer: a PEM file, or a PKCS#12 file with the passphrase that
    /// $TAKT_CLIENT_CERTIFICATE_PASSPHRASE_FILE names
    #[arg(long, value_name = "FILE")]
    pub(crate) client_certificate: Option<PathBuf>,
    /// A PEM file with the certificate's key, where that stands elsewhere
    #[arg(long, value_name = "FILE", requires = "client_certificate")]
    pub(crate) client_key: Option<PathBuf>,
    /// How long a connection may take to be made; without it 10
    #[arg(long, value_name = "SECONDS")]
    pub(crate) connect_timeout: Option<u32>,
    /// How long an answer, or the next part of one, may take to come; without it 60
    #[arg(long, value_name = "SECONDS")]
    pub(crate) read_timeout: Option<u32>,
    /// Allows addresses elsewhere that begin with http: others can read on the way what is sent, the sign-in too
    #[arg(long)]
    pub(crate) allow_http: bool,
    /// How property keys begin that the platform keeps for itself: rows that write one are stopped
    #[arg(long, value_name = "TEXT")]
    pub(crate) reserved_prefix: Option<String>,
    /// What it is used for; a production site asks for its name before anything is written to it
    #[arg(long, value_enum, default_value_t = Kind::Production)]
    pub(crate) kind: Kind,
}

/// The part of a token request that carries the client secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SecretPlace {
    Post,
    Basic,
}

/// The use of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Test,
    Production,
}
