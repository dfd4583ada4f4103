//! The arguments of `takt graphql`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

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
