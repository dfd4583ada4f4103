//! The arguments of `takt list`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// A read operation, see `takt operations`
    pub(crate) operation: String,
    /// A filter, for example from=2026-11-01; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    pub(crate) parameters: Vec<(String, String)>,
    /// From when on: a date, a date-time, or today, this-week, last-7-days, this-shift, next-shift
    #[arg(long, value_name = "WHEN")]
    pub(crate) from: Option<String>,
    /// Until when; a date or a name is meant with all of its time
    #[arg(long, value_name = "WHEN")]
    pub(crate) to: Option<String>,
    /// Only what has this code
    #[arg(long, value_name = "CODE")]
    pub(crate) code: Option<String>,
    /// Every page, not only the first
    #[arg(long)]
    pub(crate) all: bool,
    /// Without it a table, or what the file's ending says
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// The file to write to, or - for standard output; xlsx needs one of them
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
