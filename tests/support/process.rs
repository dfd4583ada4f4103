//! Runs a test function of the current test program in another process.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const HOME: &str = "TAKT_TEST_PROCESS_HOME";

/// Returns the home for which this process was started, or `None` if it is the original test process.
pub fn home() -> Option<PathBuf> {
    std::env::var_os(HOME).map(Into::into)
}

/// Returns a command that runs a single test function. `module` is the function's `module_path!()`.
pub fn command(module: &str, function: &str, home: &Path) -> Command {
    let (_program, module) = module.split_once("::").unwrap();
    let mut other = Command::new(std::env::current_exe().unwrap());
    other.args(["--exact", &format!("{module}::{function}")]).env(HOME, home).stdout(Stdio::null());
    other
}
