//! `cargo xtask run`, `test`, `lint`, `window-journey`, `crash`, `fuzz`, `bench`, `setup`, `tidy`, `samples`, `pictures`, `docs`, `licenses`, `reference`,
//! `check-dependencies`, `icons`, `package`, `check-packages`, `release`, `check-windows`: the developer's commands, set-up included.
//! Owns building and checking the product; leaves the product itself to the other crates.

mod bench;
mod check_packages;
mod console;
mod crash;
mod dependencies;
mod error;
mod fuzz;
mod icons;
mod licenses;
mod lint;
mod package;
mod package_options;
mod pictures;
mod place;
mod process;
mod release;
mod run;
#[cfg(feature = "samples")]
mod samples;
mod setup;
mod suite;
mod tidy;
mod windows;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use error::XtaskError;

/// What can be asked for.
const COMMANDS: [&str; 20] = [
    "run",
    "test",
    "lint",
    "window-journey",
    "crash",
    "fuzz",
    "bench",
    "setup",
    "tidy",
    "samples",
    "pictures",
    "docs",
    "reference",
    "licenses",
    "check-dependencies",
    "icons",
    "package",
    "check-packages",
    "release",
    "check-windows",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    #[cfg(windows)]
    if let Some(code) = step_aside(&arguments) {
        return code;
    }
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::print(&format!("✕ {error}"));
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<(), XtaskError> {
    let (command, rest) = arguments.split_first().map_or(("", arguments), |(first, rest)| (first.as_str(), rest));
    match command {
        "run" => run::run(rest),
        "test" => suite::run(rest),
        "lint" => lint::run(),
        "window-journey" => suite::run_window_journey(),
        "crash" => crash::run(rest),
        "fuzz" => fuzz::run(rest),
        "bench" => bench::run(rest),
        "setup" => setup::prepare(setup::Purpose::AllTests),
        "tidy" => tidy::run(),
        "package" => package::run(rest),
        "check-packages" => check_packages::run(rest),
        "release" => release::run(rest),
        "check-windows" => windows::run(rest),
        "samples" => {
            make_samples(&rest.first().map_or_else(|| place::root().join("tests/data/samples"), PathBuf::from))
        }
        "pictures" => pictures::run(rest),
        "docs" => write_docs(rest),
        "reference" => write_reference(),
        "licenses" => licenses::generate(),
        "check-dependencies" => dependencies::run(rest),
        "icons" => icons::generate(),
        other => Err(XtaskError::Command(other.to_owned())),
    }
}

#[cfg(feature = "samples")]
fn make_samples(folder: &Path) -> Result<(), XtaskError> {
    samples::generate(folder)
        .map(drop)
        .map_err(|error| XtaskError::Answer { program: "the generator".to_owned(), reason: error.to_string() })
}

/// The generator needs crates of the product, which this first program of a bare machine isn't built with.
#[cfg(not(feature = "samples"))]
fn make_samples(folder: &Path) -> Result<(), XtaskError> {
    let mut command =
        process::cargo(["run", "--quiet", "--package", "xtask", "--features", "samples", "--", "samples"]);
    command.arg(folder);
    process::show(command)
}

/// The help as web pages, by the program that it belongs to.
fn write_docs(arguments: &[String]) -> Result<(), XtaskError> {
    setup::prepare(setup::Purpose::CommandLine)?;
    let folder = arguments.first().map_or_else(|| place::target().join("docs"), PathBuf::from);
    let mut command = process::cargo(["run", "--quiet", "--package", "takt-cli", "--", "guide", "--save"]);
    command.arg(folder);
    process::show(command)
}

/// The reference of the command line, its man pages and completions, by the program itself; the reference is kept in `docs`.
fn write_reference() -> Result<(), XtaskError> {
    setup::prepare(setup::Purpose::CommandLine)?;
    let folder = place::target().join("reference");
    let mut command = process::cargo(["run", "--quiet", "--package", "takt-cli", "--", "generate"]);
    command.arg(&folder);
    process::show(command)?;
    let (made, kept) = (folder.join("command-line.md"), place::root().join("docs/command-line.md"));
    std::fs::copy(&made, &kept).map(drop).map_err(XtaskError::file(kept))
}

/// Windows can't replace a program that runs, and building the workspace builds this one too: a copy does the work.
#[cfg(windows)]
fn step_aside(arguments: &[String]) -> Option<ExitCode> {
    let here = env::current_exe().ok()?;
    let copy = place::target().join("xtask-at-work.exe");
    if here == copy || std::fs::copy(&here, &copy).is_err() {
        return None;
    }
    let status = std::process::Command::new(copy).args(arguments).status().ok()?;
    Some(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
