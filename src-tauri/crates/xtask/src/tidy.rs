//! `cargo xtask tidy`: what keeps the house in order and no compiler sees. Each check reads the tree and complains by file and
//! line; each has a test that proves it complains.

mod circles;
mod dependencies;
mod edges;
mod freshness;
mod glossary;
mod heads;
mod licenses;
mod locales;
mod mentions;
mod methods;
mod rust;
mod rust_text;
pub(crate) mod samples;
mod traces;
mod tree;
mod variables;

use std::fmt;

use crate::{
    console::{print, timed},
    error::XtaskError,
};
pub(crate) use tree::Tree;

/// Something that isn't as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    path: String,
    /// 1-based; absent where it is about the file as a whole.
    line: Option<usize>,
    text: String,
}

impl Complaint {
    fn new(path: &str, line: impl Into<Option<usize>>, text: impl Into<String>) -> Self {
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

/// Reads the tree and complains.
pub(crate) type Check = fn(&Tree) -> Result<Vec<Complaint>, XtaskError>;

/// Every check that needs nothing but the files.
pub(crate) const CHECKS: [(&str, Check); 13] = [
    ("crates use only what ARCHITECTURE.md draws", edges::check),
    ("no modules of a crate use each other in a circle", circles::check),
    ("no type has more methods than can be looked through", methods::check),
    ("every language has the same texts", locales::check),
    ("texts keep to the glossary", glossary::check),
    ("no text for people in the command line's code", rust_text::check),
    ("Rust files open with what they own", heads::check),
    ("what the pages mention exists", mentions::check),
    ("the list of licences names what is locked", licenses::check),
    ("each direct dependency has its reason and licence", dependencies::check),
    ("every environment variable is in the reference", variables::check),
    ("icons are drawn from their source", freshness::check),
    ("no trace of a machine or a registry", traces::check),
];

/// Runs all of them, and the generator of the samples.
pub(crate) fn run() -> Result<(), XtaskError> {
    let mut failed = 0;
    for (name, check) in CHECKS {
        failed += usize::from(reported(&timed(name, || run_one(check))));
    }
    failed += usize::from(reported(&timed("the samples are what the generator makes", samples::check)));
    if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
}

pub(crate) fn run_one(check: Check) -> Result<(), XtaskError> {
    complain(&check(&Tree::read(&crate::place::root())?)?)
}

fn complain(complaints: &[Complaint]) -> Result<(), XtaskError> {
    if complaints.is_empty() {
        return Ok(());
    }
    let output = complaints.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    Err(XtaskError::Failed { line: "tidy".to_owned(), status: format!("{} complaints", complaints.len()), output })
}

fn reported(outcome: &Result<(), XtaskError>) -> bool {
    let Err(error) = outcome else { return false };
    for line in error.output().lines() {
        print(&format!("    {line}"));
    }
    print(&format!("  {error}"));
    true
}
