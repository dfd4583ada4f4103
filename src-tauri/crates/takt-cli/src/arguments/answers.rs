//! The arguments of `takt answers`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AnswersArguments {
    /// Puts the rules of this file in force, as soon as they were tried on past events
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Writes the rules that are in force to a file that --rules takes
    #[arg(long, value_name = "FILE", conflicts_with = "rules")]
    pub(crate) export: Option<PathBuf>,
    /// What rules can speak of, and rules to start from
    #[arg(long, conflicts_with_all = ["rules", "export"])]
    pub(crate) words: bool,
    /// One JSON line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<AnswersCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AnswersCommand {
    /// What the rules would have answered to past events; changes nothing
    Try(TryArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TryArguments {
    /// The rules of this file instead of those in force
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Look at events that don't ask, too, as if they did
    #[arg(long)]
    pub(crate) others: bool,
    /// One JSON line
    #[arg(long)]
    pub(crate) json: bool,
}
