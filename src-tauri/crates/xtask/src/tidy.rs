//! `cargo xtask tidy`: checks of the repository that the compiler can't do. Each check reads the tree and reports
//! complaints by file and line. Each has a test.

mod circles;
mod complaint;
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

use crate::{
    console::{print, timed},
    error::XtaskError,
};
pub(crate) use complaint::Complaint;
use complaint::fail_on;
pub(crate) use tree::Tree;

/// Checks the tree, and returns complaints.
pub(crate) type Check = fn(&Tree) -> Result<Vec<Complaint>, XtaskError>;

/// The checks that need only the files.
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

/// Runs all checks, and compares the samples with the generator's output.
pub(crate) fn run() -> Result<(), XtaskError> {
    let mut failed = 0;
    for (name, check) in CHECKS {
        failed += usize::from(report_failure(&timed(name, || run_one(check))));
    }
    failed += usize::from(report_failure(&timed("the samples are what the generator makes", samples::check)));
    if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
}

pub(crate) fn run_one(check: Check) -> Result<(), XtaskError> {
    fail_on(&check(&Tree::read(&crate::place::root())?)?)
}

/// Prints the error of a failed check. Returns whether it failed.
fn report_failure(outcome: &Result<(), XtaskError>) -> bool {
    let Err(error) = outcome else { return false };
    for line in error.output().lines() {
        print(&format!("    {line}"));
    }
    print(&format!("  {error}"));
    true
}
