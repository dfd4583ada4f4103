//! The errors of a bench, each with its file or program.

use std::{io, path::PathBuf};

#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("`{program}` can't be started: {source}")]
    Start { program: String, source: io::Error },
    #[error("`{line}` ended with {status}\n{output}")]
    Failed { line: String, status: String, output: String },
    #[error("{0}")]
    Missing(String),
    #[error("unexpected result of `{program}`: {reason}")]
    Answer { program: String, reason: String },
}

impl BenchError {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::File { path, source }
    }
}

/// Returns the error of a program with an unexpected result.
pub(crate) fn unexpected_result(program: &str, reason: &str) -> BenchError {
    BenchError::Answer { program: program.to_owned(), reason: reason.to_owned() }
}
