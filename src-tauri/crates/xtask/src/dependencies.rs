//! `cargo xtask check-dependencies`: what Takt is built from has licences that it may use, comes from where it should, stands there
//! once where that can be had, and has no weakness that is known. Crates by cargo-deny and `deny.toml`, npm's packages by their lock files.
//!
//! Licences, sources and duplicates need no network. What is known of weaknesses is data of others: of crates a copy of the RustSec
//! database, of npm's packages an answer of the registry. What can't be asked is said, and isn't green.

mod advisories;
pub(crate) mod deny;
mod npm;

use crate::{
    console::{print, timed},
    error::XtaskError,
};

const OFFLINE: &str = "--offline";
const REFRESH: &str = "--refresh";

/// One check, by its name.
pub(crate) type Check = (&'static str, fn() -> Result<(), XtaskError>);

/// What needs no network; part of `cargo xtask test`.
pub(crate) const CHECKS: [Check; 3] = [
    ("crates: licences, duplicates, sources", deny::check_rules),
    ("npm: licences, sources", npm::check_rules),
    ("crates: known weaknesses", advisories::check_where_at_hand),
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
        timed("crates: fetching the advisory database", advisories::refresh)?;
    }
    let [rules, packages, weaknesses] = CHECKS;
    let checks = match offline {
        true => vec![rules, packages, weaknesses],
        false => {
            vec![rules, packages, (weaknesses.0, advisories::check as fn() -> _), ("npm: known weaknesses", npm::audit)]
        }
    };
    let failed = checks.into_iter().filter(|(name, check)| is_failure(&timed(name, check))).count();
    if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
}

fn is_failure(outcome: &Result<(), XtaskError>) -> bool {
    let Err(error) = outcome else { return false };
    for line in error.output().lines() {
        print(&format!("    {line}"));
    }
    print(&format!("  {error}"));
    true
}
