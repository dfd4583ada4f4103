//! The arguments of `takt update`.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum UpdateCommand {
    /// Ask the update channel for a newer version. Nothing is installed, and nothing about you or your sites is sent
    Check(UpdateCheckArguments),
}

#[derive(Debug, Args)]
pub(crate) struct UpdateCheckArguments {
    /// Update channel, as an https address or a file. Without it, the channel that is set in the window
    #[arg(long, value_name = "PLACE")]
    pub(crate) channel: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
