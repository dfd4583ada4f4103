//! The arguments of `takt watch`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ReadingArguments;

/// The workbooks that are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SendRule {
    /// Only check workbooks
    Never,
    /// Send workbooks without errors
    Complete,
    /// Send all workbooks, and skip rows with errors
    Ready,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArguments {
    /// Folder to watch, without its subfolders
    pub(crate) folder: PathBuf,
    /// Workbooks to send. Content that was sent to the site before isn't sent again
    #[arg(long, value_enum, default_value = "never", value_name = "WHICH")]
    pub(crate) send: SendRule,
    /// Operation for the rows, see `takt operations`. Without it, the best match of each sheet
    #[arg(long, value_name = "OPERATION")]
    pub(crate) to: Option<String>,
    /// JSON file that maps columns to fields, for one or several sheets (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) mapping: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
    /// Rows per request
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch_size: Option<u32>,
    /// Also send rows in conflict. Without this option and --skip-conflicts, a workbook with such rows isn't sent
    #[arg(long)]
    pub(crate) send_conflicts: bool,
    /// Skip rows in conflict and send the others
    #[arg(long, conflicts_with = "send_conflicts")]
    pub(crate) skip_conflicts: bool,
    /// Process the current workbooks once and exit, for schedules
    #[arg(long)]
    pub(crate) once: bool,
    /// Interval for checking the folder, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) every: u32,
    /// Time without changes before a workbook is processed, in seconds. It protects files that are still being written
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=86_400))]
    pub(crate) settle: u32,
    /// JSON lines like those of `takt sync`, and one per workbook
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::arguments::Arguments;

    const TEXTS: [&str; 3] = [
        include_str!("../../../../../docs/schedules.md"),
        include_str!("../../../../../packaging/linux/takt-listen@.service"),
        include_str!("../../../../../packaging/linux/takt-watch@.service"),
    ];
    /// The text in front of the arguments, for each way to start the program.
    const STARTS: [&str; 5] = ["takt.exe\\\" ", "/usr/bin/takt ", "* * * takt ", "\ntakt ", "<arguments>"];

    #[test]
    fn what_the_page_on_schedules_and_the_units_start_is_understood() {
        let mut count = 0;
        for text in TEXTS {
            for start in STARTS {
                for rest in text.split(start).skip(1) {
                    let line = rest.lines().next().unwrap_or_default();
                    let line = line.trim_end_matches("</arguments>").trim_end_matches('"');
                    let line = line.split("  #").next().unwrap_or_default();
                    let line = line.replace("${TAKT_LISTEN}", "127.0.0.1:1").replace("$TAKT_OPTIONS", "--send ready");
                    let words = std::iter::once("takt").chain(line.split_whitespace());
                    Arguments::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
                    count += 1;
                }
            }
        }
        assert_eq!(count, 10);
    }
}
