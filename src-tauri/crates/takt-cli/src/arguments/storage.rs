//! The arguments of `takt storage`, `takt purge` and `takt update`.

use std::num::{NonZeroU32, ParseIntError};

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct StorageArguments {
    /// Retention of rows and requests after the end of their submission, in days, or "forever"
    #[arg(long, value_name = "DAYS", value_parser = parse_limit)]
    pub(crate) keep_rows: Option<Limit>,
    /// Retention of received events, in days, or "forever"
    #[arg(long, value_name = "DAYS", value_parser = parse_limit)]
    pub(crate) keep_events: Option<Limit>,
    /// Maximum size of rows and events together, in megabytes, or "unlimited". The oldest are removed first
    #[arg(long, value_name = "MB", value_parser = parse_limit)]
    pub(crate) max_size: Option<Limit>,
    /// Schedule for removing old rows and events
    #[arg(long, value_name = "WHEN")]
    pub(crate) schedule: Option<Schedule>,
    /// Stop reporting damaged files that were replaced
    #[arg(long)]
    pub(crate) seen: bool,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Schedule {
    Daily,
    Off,
}

/// A limit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit(pub(crate) Option<u32>);

#[derive(Debug, Args)]
pub(crate) struct PurgeArguments {
    /// Age of rows and requests since the end of their submission, in days. Without this option, --events-older-than
    /// and --max-size, the retention of `takt storage` applies
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rows_older_than: Option<u32>,
    /// Age of events since their receipt, in days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) events_older_than: Option<u32>,
    /// Maximum size of rows and events together, in megabytes. The oldest are removed first
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_size: Option<u32>,
    /// Remove events without a valid signature of their site, regardless of their age
    #[arg(long, conflicts_with_all = ["rows_older_than", "events_older_than", "max_size"])]
    pub(crate) unverified: bool,
    /// Remove the data. Without it, the data that would be removed is only counted
    #[arg(long)]
    pub(crate) yes: bool,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Parses a number of days or megabytes, `forever` or `unlimited`.
fn parse_limit(text: &str) -> Result<Limit, ParseIntError> {
    match text {
        "forever" | "unlimited" => Ok(Limit(None)),
        number => number.parse::<NonZeroU32>().map(|number| Limit(Some(number.get()))),
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum UpdateCommand {
    /// Ask the update channel for a newer version. Nothing is installed, and nothing about you or your sites is sent
    Check(UpdateCheckArguments),
}

#[derive(Debug, Args)]
pub(crate) struct UpdateCheckArguments {
    /// Update channel, as an https address or a file. Without it, the channel that is set in the window
    #[arg(long, value_name = "PLACE")]
    pub(crate) channel: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
