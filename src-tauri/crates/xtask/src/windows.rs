//! `cargo xtask check-windows [lint|tests|installer] [--profile dev|release]`: what can be known of Takt on Windows without Windows.
//!
//! Everything is compiled for `x86_64-pc-windows-gnu` by Debian's own Rust, into a folder of its own; programs run under Wine. No
//! window can be opened there, since Wine has no WebView2: `docs/windows-check.md` says what is left to a real computer.

mod installer;
mod no_web_view;
mod tests;
mod toolchain;
mod wine;

use std::{path::PathBuf, time::Instant};

use crate::{
    console::{print, timed, took},
    error::XtaskError,
    package_options::Options,
    place,
    process::catch,
};
pub(crate) use installer::build as build_installer;
use toolchain::Toolchain;

/// What the linter takes for a fault on this target alone: constants, after the standard library has unfolded its macro.
const WRONG_THERE: [&str; 2] = ["-A", "clippy::missing-const-for-thread-local"];
const PARTS: [&str; 3] = ["lint", "tests", "installer"];

/// Runs the parts that are named, else all of them; a part that fails doesn't keep the next from running.
pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let (named, rest): (Vec<_>, Vec<_>) = arguments.iter().cloned().partition(|word| PARTS.contains(&word.as_str()));
    let (_, options) = Options::parse(&rest, &[])?;
    let wanted = |part: &&str| named.is_empty() || named.iter().any(|name| name == part);
    let (start, mut failed) = (Instant::now(), 0);
    for part in PARTS.into_iter().filter(wanted) {
        let begun = Instant::now();
        let outcome = match part {
            "lint" => lint(),
            "tests" => tests::run(),
            _ => installer::check(&options),
        };
        let time = took(begun.elapsed());
        if let Err(error) = outcome {
            error.output().lines().for_each(|line| print(&format!("    {line}")));
            print(&format!("✕ Windows: {part} ({time}): {error}"));
            failed += 1;
        } else {
            print(&format!("✓ Windows: {part} ({time})"));
        }
    }
    print(&format!("All of it took {}.", took(start.elapsed())));
    if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
}

/// The whole workspace with its tests, as the linter sees it for Windows.
pub(crate) fn lint() -> Result<(), XtaskError> {
    let toolchain = Toolchain::prepare()?;
    stand_in_for_ui()?;
    timed("Windows: cargo clippy of everything, warnings are errors", || {
        let words = ["--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
        catch(toolchain.clippy(words.iter().chain(&WRONG_THERE))).map(drop)
    })
}

/// The window's crate looks for the web UI's folder, built or not.
fn stand_in_for_ui() -> Result<(), XtaskError> {
    let folder = place::root().join("ui/dist");
    std::fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))
}

/// Where everything for Windows is built, the system that runs it included.
fn folder() -> PathBuf {
    place::target().join("windows")
}
