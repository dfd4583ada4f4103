//! The arguments of `takt storage` and `takt purge`.

use std::num::{NonZeroU32, ParseIntError};

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct StorageArguments {
    /// Days that a submission's rows and requests are kept after its end, or "forever"
    #[arg(long, value_name = "DAYS", value_parser = limit)]
    pub(crate) keep_rows: Option<Limit>,
    /// Days that received events are kept, or "forever"
    #[arg(long, value_name = "DAYS", value_parser = limit)]
    pub(crate) keep_events: Option<Limit>,
    /// Megabytes that rows and events may take together, or "unlimited"; the oldest go first
    #[arg(long, value_name = "MB", value_parser = limit)]
    pub(crate) max_size: Option<Limit>,
    /// Whether that is done once a day by itself
    #[arg(long, value_name = "WHEN")]
    pub(crate) schedule: Option<Schedule>,
    /// Says no more that a damaged file was replaced
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
    /// Rows and requests of submissions that ended so many days ago; without any of these three: as `takt storage` says
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rows_older_than: Option<u32>,
    /// Events that came so many days ago
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) events_older_than: Option<u32>,
    /// The oldest of both, until they take no more megabytes than that
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_size: Option<u32>,
    /// Events that their site hasn't signed, whenever they came
    #[arg(long, conflicts_with_all = ["rows_older_than", "events_older_than", "max_size"])]
    pub(crate) unverified: bool,
    /// Removes them; without it only tells what would be removed by age
    #[arg(long)]
    pub(crate) yes: bool,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

fn limit(text: &str) -> Result<Limit, ParseIntError> {
    match text {
        "forever" | "unlimited" => Ok(Limit(None)),
        number => number.parse::<NonZeroU32>().map(|number| Limit(Some(number.get()))),
    }
}
