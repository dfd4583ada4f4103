//! `cargo xtask lint`: runs clippy, oxlint and the type check, and checks licenses and vulnerabilities of dependencies.

use crate::{
    console::{print, timed},
    dependencies,
    error::XtaskError,
    process::{capture_output, cargo, npm},
    setup::{self, Purpose},
};

/// A check and the name under which it is reported.
type Check = (&'static str, fn() -> Result<(), XtaskError>);

pub(crate) const CHECKS: [Check; 6] = [
    ("cargo clippy", check_rust),
    ("oxlint", || capture_output(npm(["run", "--silent", "lint"])).map(drop)),
    ("types of the web UI", || capture_output(npm(["run", "--silent", "typecheck"])).map(drop)),
    dependencies::CHECKS[0],
    dependencies::CHECKS[1],
    dependencies::CHECKS[2],
];

pub(crate) fn run() -> Result<(), XtaskError> {
    setup::prepare(Purpose::Lint)?;
    let mut failed = 0;
    for (name, check) in CHECKS {
        if let Err(error) = timed(name, check) {
            error.output().lines().for_each(|line| print(&format!("    {line}")));
            failed += 1;
        }
    }
    if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
}

/// Runs clippy with warnings as errors. Its build artifacts can't be shared with the tests.
fn check_rust() -> Result<(), XtaskError> {
    let words =
        ["clippy", "--quiet", "--workspace", "--all-targets", "--features=xtask/samples", "--", "-D", "warnings"];
    capture_output(cargo(words)).map(drop)
}
