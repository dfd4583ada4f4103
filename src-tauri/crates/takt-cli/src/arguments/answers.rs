//! The arguments of `takt answers`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AnswersArguments {
    /// File with rules to use from now on. They are tested on past events first
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// File for the current rules, which --rules accepts
    #[arg(long, value_name = "FILE", conflicts_with = "rules")]
    pub(crate) export: Option<PathBuf>,
    /// List the variables of rules, and example rules
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
    /// Test rules on past events. Nothing is changed
    Try(TryArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TryArguments {
    /// File with rules to test instead of the current ones
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Include events that don't ask for an answer
    #[arg(long)]
    pub(crate) others: bool,
    /// One JSON line
    #[arg(long)]
    pub(crate) json: bool,
}
