//! The arguments of `takt forward`.

use std::{convert::Infallible, path::PathBuf, str::FromStr};

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum ForwardCommand {
    /// List the targets and their states
    List {
        /// One JSON line per target
        #[arg(long)]
        json: bool,
    },
    /// Add a target. All received events of the site are forwarded to it in order
    ///
    /// Events are forwarded while `takt listen` or the window receives events. Events that the target doesn't accept
    /// are queued, also across restarts. Each event arrives at least once. A repeated event has the same delivery ID.
    Add(AddTargetArguments),
    /// Remove a target and its queued events
    Remove {
        /// Name of the target
        name: String,
    },
    /// Pause a target. Its events are queued
    Pause {
        /// Name of the target
        name: String,
    },
    /// Resume a target with its queued events
    Resume {
        /// Name of the target
        name: String,
        /// Skip the queued events and continue with the next one
        #[arg(long)]
        from_now: bool,
        /// Allow the target's unencrypted http address if it isn't on this computer. Others can read the data in
        /// transit
        #[arg(long)]
        allow_http: bool,
    },
    /// Show a target with its last failure and the events that were set aside
    Status {
        /// Name of the target
        name: String,
        /// One JSON line for the target, then one per event that was set aside
        #[arg(long)]
        json: bool,
    },
    /// Send events again that were set aside, and retry queued events now
    Retry {
        /// Name of the target
        name: String,
        /// Numbers of events that were set aside. Without numbers, all of them
        events: Vec<i64>,
    },
    /// Store a target's headers and secret on this computer
    ///
    /// In a team, each computer that forwards events needs them. Values that you don't pass remain unchanged.
    Secret {
        /// Name of the target
        name: String,
        /// File with headers for each request, one `Name: value` per line
        #[arg(long, value_name = "FILE")]
        header_file: Option<PathBuf>,
        /// File whose first line is the secret for signing events
        #[arg(long, value_name = "FILE")]
        secret_file: Option<PathBuf>,
    },
    /// Send a test event, marked as a test
    Test {
        /// Name of the target
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddTargetArguments {
    /// Name of the target
    pub(crate) name: String,
    /// Address of the target, http or https
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
    /// Allow an unencrypted http address that isn't on this computer. Others can read the data in transit
    #[arg(long)]
    pub(crate) allow_http: bool,
    /// Number of the kind of event, for example 2 (repeatable)
    #[arg(long = "kind", value_name = "NUMBER")]
    pub(crate) kinds: Vec<i32>,
    /// First event to forward: `now` for the next one, `beginning` for the oldest stored one, or a time in ISO 8601.
    /// Without an offset, it is the site's local time
    #[arg(long, default_value = "now", value_name = "WHEN")]
    pub(crate) from: FromArgument,
    /// File with headers for each request, one `Name: value` per line
    #[arg(long, value_name = "FILE")]
    pub(crate) header_file: Option<PathBuf>,
    /// File whose first line is the secret for signing events. Without it, events aren't signed
    ///
    /// A secret that begins with `whsec_` signs delivery ID, time and body as specified by Standard Webhooks. Other
    /// secrets sign time and body.
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
}

/// The first event that a target gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FromArgument {
    Now,
    Beginning,
    Moment(String),
}

impl FromStr for FromArgument {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "now" => Self::Now,
            "beginning" => Self::Beginning,
            moment => Self::Moment(moment.to_owned()),
        })
    }
}
