//! The arguments of `takt watch`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ReadingArguments;

/// Which workbooks are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SendRule {
    /// None: they are only checked
    Never,
    /// Those in which no row has an error
    Complete,
    /// All: rows with errors are left out
    Ready,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArguments {
    /// The folder; those in it aren't looked into
    pub(crate) folder: PathBuf,
    /// Which workbooks are sent. One that was sent to the site before is never sent again, whatever its name
    #[arg(long, value_enum, default_value = "never", value_name = "WHICH")]
    pub(crate) send: SendRule,
    /// The operation that the rows are for, see `takt operations`; without it the best match of each sheet
    #[arg(long, value_name = "OPERATION")]
    pub(crate) to: Option<String>,
    /// Which column is which field, as JSON, of one sheet or of several; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) mapping: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
    /// Rows per request
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch_size: Option<u32>,
    /// Send also the rows in conflict. Without this and --skip-conflicts a workbook with such rows isn't sent
    #[arg(long)]
    pub(crate) send_conflicts: bool,
    /// Leave out the rows in conflict and send the others
    #[arg(long, conflicts_with = "send_conflicts")]
    pub(crate) skip_conflicts: bool,
    /// Looks once at what is there, and ends: for a schedule
    #[arg(long)]
    pub(crate) once: bool,
    /// Seconds from one look to the next
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) every: u32,
    /// JSON lines: as `takt sync` prints them, and one for each workbook
    #[arg(long)]
    pub(crate) json: bool,
}
