//! The arguments of `takt graphql`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct GraphqlArguments {
    /// The query; - or nothing reads it from standard input. Only queries are sent: nothing that changes something
    #[arg(conflicts_with = "schema")]
    pub(crate) file: Option<PathBuf>,
    /// The query's variables, as a JSON object
    #[arg(long, value_name = "FILE")]
    pub(crate) variables: Option<PathBuf>,
    /// Which query to run, where the file holds several
    #[arg(long, value_name = "QUERY")]
    pub(crate) name: Option<String>,
    /// How the answer is shown: json is all of it, anything else one of its lists
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub(crate) format: Format,
    /// The list that becomes a table, for example workOrders.items; without it the first one
    #[arg(long, value_name = "PATH")]
    pub(crate) list: Option<String>,
    /// The file to write to; xlsx needs one
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Reads the site's schema by introspection, as JSON, and asks nothing else
    #[arg(long, conflicts_with_all = ["variables", "name", "list"])]
    pub(crate) schema: bool,
}
