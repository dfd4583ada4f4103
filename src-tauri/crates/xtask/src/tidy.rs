//! `cargo xtask tidy`: checks of the repository that the compiler can't do. Each check has a test, and returns
//! complaints with a file and usually a line.

mod code_style;
mod command_line_texts;
mod complaint;
mod crate_edges;
mod dependencies;
pub(crate) mod generated_files;
mod glossary;
mod licenses;
mod locales;
mod machine_traces;
mod mentions;
mod module_imports;
mod rust;
mod tree;
mod variables;

use crate::{
    console::{print, timed},
    error::XtaskError,
};
pub(crate) use complaint::Complaint;
use complaint::fail_on;
pub(crate) use tree::Tree;

/// A check of the tree. It returns one complaint per violation.
pub(crate) type Check = fn(&Tree) -> Result<Vec<Complaint>, XtaskError>;

/// The checks that need only the repository's files.
pub(crate) const CHECKS: [(&str, Check); 13] = [
    ("crates use only what ARCHITECTURE.md draws", crate_edges::check),
    ("no modules of a crate use each other in a circle", module_imports::check),
    ("no type has more methods than can be looked through", code_style::check_method_counts),
    ("every language has the same texts", locales::check),
    ("texts keep to the glossary", glossary::check),
    ("no text for people in the command line's code", command_line_texts::check),
    ("Rust files open with what they own", code_style::check_heads),
    ("what the pages mention exists", mentions::check),
    ("the list of licences names what is locked", licenses::check),
    ("each direct dependency has its reason and licence", dependencies::check),
    ("every environment variable is in the reference", variables::check),
    ("icons are drawn from their source", generated_files::check_icons),
    ("no trace of a machine or a registry", machine_traces::check),
];

/// Runs all checks, and compares the samples with the generator's output.
pub(crate) fn run() -> Result<(), XtaskError> {
    let mut failed = 0;
    for (name, check) in CHECKS {
        failed += usize::from(report_failure(&timed(name, || run_one(check))));
    }
    failed +=
        usize::from(report_failure(&timed("the samples are what the generator makes", generated_files::check_samples)));
    if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
}

pub(crate) fn run_one(check: Check) -> Result<(), XtaskError> {
    fail_on(&check(&Tree::read(&crate::paths::root())?)?)
}

/// Prints the error of a failed check, and returns whether it failed.
fn report_failure(outcome: &Result<(), XtaskError>) -> bool {
    let Err(error) = outcome else { return false };
    for line in error.output().lines() {
        print(&format!("    {line}"));
    }
    print(&format!("  {error}"));
    true
}
