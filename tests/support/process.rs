//! Runs a test function of this program in another process.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const HOME: &str = "TAKT_TEST_PROCESS_HOME";

/// The folder for which this process was started, or `None` if it runs all tests.
pub fn home() -> Option<PathBuf> {
    std::env::var_os(HOME).map(Into::into)
}

/// Creates the command of a single test function in another process. `module` is its `module_path!()`.
pub fn command(module: &str, function: &str, home: &Path) -> Command {
    let (_program, module) = module.split_once("::").unwrap();
    let mut other = Command::new(std::env::current_exe().unwrap());
    other.args(["--exact", &format!("{module}::{function}")]).env(HOME, home).stdout(Stdio::null());
    other
}
