//! `cargo xtask lint`: what looks at the code without running it: clippy, oxlint, types, licenses and known weaknesses of what is used.

use crate::{
    console::{print, timed},
    dependencies,
    error::XtaskError,
    process::{cargo, catch, npm},
    setup::{self, Purpose},
};

/// One check, by its name.
type Check = (&'static str, fn() -> Result<(), XtaskError>);

pub(crate) const CHECKS: [Check; 6] = [
    ("cargo clippy", check_rust),
    ("oxlint", || catch(npm(["run", "--silent", "lint"])).map(drop)),
    ("types of the web UI", || catch(npm(["run", "--silent", "typecheck"])).map(drop)),
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

/// What clippy needs is checked, not built: its results don't serve the tests, nor theirs it.
fn check_rust() -> Result<(), XtaskError> {
    let words =
        ["clippy", "--quiet", "--workspace", "--all-targets", "--features=xtask/samples", "--", "-D", "warnings"];
    catch(cargo(words)).map(drop)
}
