//! `cargo xtask check-dependencies`: checks licenses, sources, duplicates and known vulnerabilities of dependencies.
//! Crates are checked by cargo-deny and `deny.toml`, npm's packages by their lock files.
//!
//! Licenses, sources and duplicates need no network. Vulnerability data comes from a copy of the RustSec database and
//! from npm's registry. Without its data, a check is reported as not run, and never as passed.

pub(crate) mod deny;
mod npm;

use crate::{
    console::{print, timed},
    error::XtaskError,
};

const OFFLINE: &str = "--offline";
const REFRESH: &str = "--refresh";

/// A check and the name under which it is reported.
pub(crate) type Check = (&'static str, fn() -> Result<(), XtaskError>);

/// The checks that need no network, which `cargo xtask test` also runs.
pub(crate) const CHECKS: [Check; 3] = [
    ("crates: licences, duplicates, sources", deny::check_rules),
    ("npm: licences, sources", npm::check_rules),
    ("crates: known weaknesses", deny::check_advisories_if_available),
];

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let mut offline = false;
    let mut refresh = false;
    for argument in arguments {
        match argument.as_str() {
            OFFLINE => offline = true,
            REFRESH => refresh = true,
            other => return Err(XtaskError::Command(format!("check-dependencies {other}"))),
        }
    }
    deny::prepare()?;
    if refresh {
        timed("crates: fetching the advisory database", deny::refresh_advisories)?;
    }
    let [rules, packages, weaknesses] = CHECKS;
    let checks = match offline {
        true => vec![rules, packages, weaknesses],
        false => {
            vec![
                rules,
                packages,
                (weaknesses.0, deny::check_advisories as fn() -> _),
                ("npm: known weaknesses", npm::audit),
            ]
        }
    };
    let failed = checks.into_iter().filter(|(name, check)| report_failure(&timed(name, check))).count();
    if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
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
