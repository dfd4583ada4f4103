//! The arguments of `takt list`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Read operation, see `takt operations`
    pub(crate) operation: String,
    /// Filter, for example from=2026-11-01 (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    pub(crate) parameters: Vec<(String, String)>,
    /// Start of the period: a date, a date-time, or today, this-week, last-7-days, this-shift or next-shift
    #[arg(long, value_name = "WHEN")]
    pub(crate) from: Option<String>,
    /// End of the period, in the form of --from. The whole day, week or shift is included
    #[arg(long, value_name = "WHEN")]
    pub(crate) to: Option<String>,
    /// Code of the rows to load
    #[arg(long, value_name = "CODE")]
    pub(crate) code: Option<String>,
    /// Load all pages instead of the first one
    #[arg(long)]
    pub(crate) all: bool,
    /// Output format. Without it, a table, or the format of the file's extension
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Output file, or - for standard output. Required for xlsx
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

impl ListArguments {
    /// Returns the format: the given one, or the one that the file's extension names, CSV by default.
    pub(crate) fn output_format(&self) -> Format {
        let ending = self.out.as_ref().filter(|file| file.as_os_str() != "-").map(|file| file.extension());
        self.format.unwrap_or_else(|| match ending {
            None => Format::Table,
            Some(Some(ending)) if ending.eq_ignore_ascii_case("xlsx") => Format::Xlsx,
            Some(Some(ending)) if ending.eq_ignore_ascii_case("json") => Format::Json,
            Some(_) => Format::Csv,
        })
    }
}

/// The format of listed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Csv,
    Xlsx,
}

fn parameter(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("NAME=VALUE"),
    }
}
