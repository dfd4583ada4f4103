//! The arguments of `takt update`.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum UpdateCommand {
    /// Asks the update channel whether there is a newer version; installs nothing, and says nothing about you or your site
    Check(UpdateCheckArguments),
}

#[derive(Debug, Args)]
pub(crate) struct UpdateCheckArguments {
    /// The update channel: an https address, or a file; without it the one that is set in the window
    #[arg(long, value_name = "PLACE")]
    pub(crate) channel: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
