//! `cargo xtask check-windows [lint|tests|installer] [--profile dev|release]`: checks for Windows on a Linux computer.
//!
//! Debian's Rust compiles everything for `x86_64-pc-windows-gnu` into a separate folder, and Wine runs it. Wine has no
//! WebView2, so the window can't be opened. `docs/windows-check.md` lists the checks for a real computer.

mod installer;
mod toolchain;
mod wine;
mod wine_tests;

use std::time::Instant;

use crate::{
    console::{duration_text, print, timed},
    error::XtaskError,
    package_options::Options,
    paths,
    process::capture_output,
};
pub(crate) use installer::build as build_installer;
use toolchain::Toolchain;

/// Disables a lint with false positives in code that a macro of the standard library generates.
const FALSE_POSITIVES: [&str; 2] = ["-A", "clippy::missing-const-for-thread-local"];
const PARTS: [&str; 3] = ["lint", "tests", "installer"];

/// Runs the named parts, or all of them. Runs the remaining parts even if one fails.
pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let (named, rest): (Vec<_>, Vec<_>) = arguments.iter().cloned().partition(|word| PARTS.contains(&word.as_str()));
    let (_, options) = Options::parse(&rest, &[])?;
    let wanted = |part: &&str| named.is_empty() || named.iter().any(|name| name == part);
    let (start, mut failed) = (Instant::now(), 0);
    for part in PARTS.into_iter().filter(wanted) {
        let part_start = Instant::now();
        let outcome = match part {
            "lint" => lint_workspace(),
            "tests" => wine_tests::run(),
            _ => installer::check(&options),
        };
        let time = duration_text(part_start.elapsed());
        if let Err(error) = outcome {
            error.output().lines().for_each(|line| print(&format!("    {line}")));
            print(&format!("✕ Windows: {part} ({time}): {error}"));
            failed += 1;
        } else {
            print(&format!("✓ Windows: {part} ({time})"));
        }
    }
    print(&format!("All of it took {}.", duration_text(start.elapsed())));
    if failed == 0 { Ok(()) } else { Err(XtaskError::Checks(failed)) }
}

/// Runs clippy for Windows on the workspace and its tests, with warnings as errors.
fn lint_workspace() -> Result<(), XtaskError> {
    let toolchain = Toolchain::prepare()?;
    create_ui_folder()?;
    timed("Windows: cargo clippy of everything, warnings are errors", || {
        let words = ["--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
        capture_output(toolchain.clippy(words.iter().chain(&FALSE_POSITIVES))).map(drop)
    })
}

/// Creates the web UI's folder, which the window's crate needs even if it is empty.
fn create_ui_folder() -> Result<(), XtaskError> {
    let folder = paths::root().join("ui/dist");
    std::fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))
}
