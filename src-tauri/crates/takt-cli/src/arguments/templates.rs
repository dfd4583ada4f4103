//! The arguments of `takt templates`.

use clap::Args;

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
