//! The developers' commands (`cargo xtask run`, `test`, `lint`, …), which install missing tools themselves. Owns
//! building and checking the product. The product's own code is in the other crates.

mod bench;
mod check_packages;
mod command_names;
mod console;
mod dependencies;
mod error;
mod fuzz;
mod icons;
mod licenses;
mod lint;
mod package;
mod package_options;
mod paths;
mod pictures;
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

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    #[cfg(windows)]
    if let Some(code) = run_as_copy(&arguments) {
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
        "crash" => suite::run_crash_test(rest),
        "fuzz" => fuzz::run(rest),
        "bench" => bench::run(rest),
        "setup" => setup::prepare(setup::Purpose::AllTests),
        "tidy" => tidy::run(),
        "package" => package::run(rest),
        "check-packages" => check_packages::run(rest),
        "release" => release::run(rest),
        "check-windows" => windows::run(rest),
        "samples" => {
            make_samples(&rest.first().map_or_else(|| paths::root().join("tests/data/samples"), PathBuf::from))
        }
        "pictures" => pictures::run(rest),
        "docs" => write_help_pages(rest),
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

/// Runs the generator in a build with the feature `samples`. The default build lacks it, since it needs crates of the
/// product.
#[cfg(not(feature = "samples"))]
fn make_samples(folder: &Path) -> Result<(), XtaskError> {
    let mut command =
        process::cargo(["run", "--quiet", "--package", "xtask", "--features", "samples", "--", "samples"]);
    command.arg(folder);
    process::show_output(command)
}

/// Writes the help pages as web pages, by running `takt guide`.
fn write_help_pages(arguments: &[String]) -> Result<(), XtaskError> {
    setup::prepare(setup::Purpose::CommandLine)?;
    let folder = arguments.first().map_or_else(|| paths::target().join("docs"), PathBuf::from);
    let mut command = process::cargo(["run", "--quiet", "--package", "takt-cli", "--", "guide", "--save"]);
    command.arg(folder);
    process::show_output(command)
}

/// Writes the command line's reference, man pages and completions, by running `takt generate`. The reference is
/// committed in `docs`.
fn write_reference() -> Result<(), XtaskError> {
    setup::prepare(setup::Purpose::CommandLine)?;
    let folder = paths::target().join("reference");
    let mut command = process::cargo(["run", "--quiet", "--package", "takt-cli", "--", "generate"]);
    command.arg(&folder);
    process::show_output(command)?;
    let (generated, committed) = (folder.join("command-line.md"), paths::root().join("docs/command-line.md"));
    std::fs::copy(&generated, &committed).map(drop).map_err(XtaskError::file(committed))
}

/// Runs the command in a copy of this program. Windows can't replace a running program, and building the workspace
/// builds this one.
#[cfg(windows)]
fn run_as_copy(arguments: &[String]) -> Option<ExitCode> {
    let this_program = env::current_exe().ok()?;
    let copy = paths::target().join("xtask-at-work.exe");
    if this_program == copy || std::fs::copy(&this_program, &copy).is_err() {
        return None;
    }
    let status = std::process::Command::new(copy).args(arguments).status().ok()?;
    Some(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
