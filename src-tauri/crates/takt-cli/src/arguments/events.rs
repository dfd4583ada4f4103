//! The arguments of `takt listen`, `takt events` and `takt replay`.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ListenArguments {
    /// Where to listen; port 0 takes a free one. An address that isn't this computer's own is reached by others, too
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// A file with the secrets that events are signed with, one in a line; without it those that are kept for the site
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
    /// JSON lines: the address, then every event as it comes, with its body
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EventsArguments {
    /// The number of one event: everything that is known about it
    #[arg(conflicts_with_all = ["kinds", "station", "employee", "order", "text", "limit"])]
    pub(crate) event: Option<i64>,
    /// Only events of this number, for example 2; may be repeated
    #[arg(long = "kind", value_name = "NUMBER")]
    pub(crate) kinds: Vec<i32>,
    /// Only those of this work station's code
    #[arg(long, value_name = "CODE")]
    pub(crate) station: Option<String>,
    /// Only those with this employee's badge
    #[arg(long, value_name = "BADGE")]
    pub(crate) employee: Option<String>,
    /// Only those that name this work order
    #[arg(long, value_name = "CODE")]
    pub(crate) order: Option<String>,
    /// Only those in which all these words stand, each perhaps only begun
    #[arg(long, value_name = "WORDS")]
    pub(crate) text: Option<String>,
    /// How many, newest first
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub(crate) limit: u32,
    /// JSON lines: one for each event with its body
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Numbers of events, see `takt events`; they leave in this order
    #[arg(required = true)]
    pub(crate) events: Vec<i64>,
    /// Where to: an http or https address
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
    /// How many leave in a second, at most
    #[arg(long, default_value_t = 10.0, value_name = "N")]
    pub(crate) per_second: f64,
    /// One JSON line per event
    #[arg(long)]
    pub(crate) json: bool,
}
