//! The errors of developers' commands. Their messages contain the file or the program.

use std::{io, path::PathBuf};

use crate::command_names::COMMANDS;

#[derive(Debug, thiserror::Error)]
pub(crate) enum XtaskError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("`{program}` can't be started: {source}")]
    Start { program: String, source: io::Error },
    #[error("`{line}` ended with {status}")]
    Failed { line: String, status: String, output: String },
    #[error("{0}")]
    Missing(String),
    #[error("`{program}` answered something else than expected: {reason}")]
    Answer { program: String, reason: String },
    #[error("unknown command `{0}`; known are: {known}", known = COMMANDS.join(", "))]
    Command(String),
    #[error("unknown part `{part}`; known are: {known}")]
    Part { part: String, known: String },
    #[error("{0} of the checks failed")]
    Checks(usize),
}

impl XtaskError {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::File { path, source }
    }

    /// Returns the output of a failed program. Empty for other errors, and if the output was shown on the screen.
    pub(crate) fn output(&self) -> &str {
        match self {
            Self::Failed { output, .. } => output,
            Self::File { .. }
            | Self::Start { .. }
            | Self::Missing(_)
            | Self::Answer { .. }
            | Self::Command(_)
            | Self::Part { .. }
            | Self::Checks(_) => "",
        }
    }
}
