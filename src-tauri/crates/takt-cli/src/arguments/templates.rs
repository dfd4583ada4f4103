//! The arguments of `takt templates`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct TemplatesArguments {
    /// Template ids: one, several or ranges, as in "12, 14, 20-24"
    #[arg(required = true, value_name = "IDS")]
    pub(crate) ids: Vec<String>,
    /// Reads every order, too, to tell which templates none of them uses
    #[arg(long)]
    pub(crate) orders: bool,
    /// One JSON line: sums, links and what was found
    #[arg(long)]
    pub(crate) json: bool,
}
