//! What `takt generate` takes.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum GenerateCommand {
    /// A manual page for each command
    ManPages { folder: PathBuf },
    /// What bash, zsh, fish and PowerShell complete
    Completions { folder: PathBuf },
}
