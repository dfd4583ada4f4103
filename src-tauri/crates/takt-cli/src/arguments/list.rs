//! The arguments of commands that load data: `takt list`, `takt graphql` and `takt templates`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Read operation, see `takt operations`
    pub(crate) operation: String,
    /// Filter, for example from=2026-11-01 (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_filter)]
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

/// Parses `NAME=VALUE`.
fn parse_filter(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("NAME=VALUE"),
    }
}

#[derive(Debug, Args)]
pub(crate) struct GraphqlArguments {
    /// File with the query, or - for standard input, which is also used without it. Only queries are sent, no mutations
    #[arg(conflicts_with = "schema")]
    pub(crate) file: Option<PathBuf>,
    /// File with the query's variables as a JSON object
    #[arg(long, value_name = "FILE")]
    pub(crate) variables: Option<PathBuf>,
    /// Name of the query to run, if the file contains several
    #[arg(long, value_name = "QUERY")]
    pub(crate) name: Option<String>,
    /// Output format. json prints the whole response, the others print one of its lists
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub(crate) format: Format,
    /// List for the table, for example workOrders.items. Without it, the first list
    #[arg(long, value_name = "PATH")]
    pub(crate) list: Option<String>,
    /// Output file. Required for xlsx
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print the site's schema as JSON instead of running a query
    #[arg(long, conflicts_with_all = ["variables", "name", "list"])]
    pub(crate) schema: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TemplatesArguments {
    /// Template IDs and ranges, for example "12, 14, 20-24"
    #[arg(required = true, value_name = "IDS")]
    pub(crate) ids: Vec<String>,
    /// Also load all orders, to find templates that no order uses
    #[arg(long)]
    pub(crate) orders: bool,
    /// One JSON line with sums, links and findings
    #[arg(long)]
    pub(crate) json: bool,
}
