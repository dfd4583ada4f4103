//! The violations that checks report, and the error for them.

use std::fmt;

use crate::error::XtaskError;

/// A violation, with the place and an English text for developers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(super) path: String,
    /// The 1-based line. Absent for complaints about a whole file.
    pub(super) line: Option<usize>,
    pub(super) text: String,
}

impl Complaint {
    pub(super) fn new(path: &str, line: impl Into<Option<usize>>, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: line.into(), text: text.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}: {}", self.path, self.text),
            None => write!(formatter, "{}: {}", self.path, self.text),
        }
    }
}

/// Returns an error with all complaints, if there are any.
pub(super) fn fail_on(complaints: &[Complaint]) -> Result<(), XtaskError> {
    if complaints.is_empty() {
        return Ok(());
    }
    let output = complaints.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    Err(XtaskError::Failed { line: "tidy".to_owned(), status: format!("{} complaints", complaints.len()), output })
}
