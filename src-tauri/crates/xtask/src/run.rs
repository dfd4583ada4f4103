//! `cargo xtask run`: prepares the machine and opens the window. Without a display, it sends a sample to the practice
//! plant with the command line.

use std::{env, path::PathBuf};

use crate::{
    console::{print, timed},
    error::XtaskError,
    paths,
    process::{cargo, npm, program, show_output},
    setup::{self, Purpose},
};

const SAMPLE: &str = "tests/data/samples/work-orders.sync.xlsx";
const OPERATION: &str = "work-orders.sync";

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    if has_display() { open_window(arguments) } else { run_without_display() }
}

/// Returns whether a display exists. Windows and macOS always have one.
fn has_display() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

fn open_window(arguments: &[String]) -> Result<(), XtaskError> {
    setup::prepare(Purpose::Window)?;
    timed("web UI: building", || show_output(npm(["run", "--silent", "bundle"])))?;
    timed("building Takt (several minutes the first time)", || {
        show_output(cargo(["build", "--package", "takt-desktop", "--package", "takt-cli"]))
    })?;
    print("opening the window on the practice plant; this command ends when the window is closed");
    let mut window = program(&paths::built_program("takt-desktop").to_string_lossy());
    window.args(arguments);
    show_output(window)
}

fn run_without_display() -> Result<(), XtaskError> {
    print("There is no display here: Takt does its main job from the command line instead.");
    setup::prepare(Purpose::CommandLine)?;
    timed("building the command line (a few minutes the first time)", || {
        show_output(cargo(["build", "--package", "takt-cli"]))
    })?;
    print("");
    print(&format!("Sending {SAMPLE} to the practice plant. Some of its rows are wrong on purpose."));
    print("");
    let report = paths::target().join("work-orders.result.xlsx");
    let mut sync = program(&paths::built_program("takt").to_string_lossy());
    sync.args(["sync", SAMPLE, "--to", OPERATION, "--yes", "--skip-errors", "--report"]).arg(&report);
    sync.env("TAKT_HOME", home());
    let ended = sync.status().map_err(|source| XtaskError::Start { program: "takt".to_owned(), source })?;
    // Exit code 1 means that rows were rejected, as intended by the sample.
    if !matches!(ended.code(), Some(0 | 1)) {
        return Err(XtaskError::Failed {
            line: "takt sync".to_owned(),
            status: ended.to_string(),
            output: String::new(),
        });
    }
    print("");
    print("To get the window: run `cargo xtask run` where there is a display (a desktop, or `ssh -X`).");
    print(&format!("To go on here: {} --help", paths::built_program("takt").display()));
    Ok(())
}

/// Returns the folder in `TAKT_HOME`, or a home in the build folder, so that trials don't mix with the user's data.
fn home() -> PathBuf {
    env::var_os("TAKT_HOME").map_or_else(|| paths::target().join("takt-home"), PathBuf::from)
}
