//! The errors that can occur while samples are written.

use std::{io, path::PathBuf};

#[derive(Debug, thiserror::Error)]
pub(crate) enum SamplesError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{file}: {source}")]
    Workbook { file: String, source: rust_xlsxwriter::XlsxError },
    #[error("{file}: {source}")]
    Text { file: String, source: csv::Error },
    #[error("the list of samples: {0}")]
    List(#[from] serde_json::Error),
}
