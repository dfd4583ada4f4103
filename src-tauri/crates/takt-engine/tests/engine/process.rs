//! Another process for a test: this program, which runs one of its test functions alone.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const HOME: &str = "TAKT_ENGINE_TEST_HOME";

/// The folder that this process was started for; none if it runs all tests.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::var_os(HOME).map(Into::into)
}

/// A test function alone in another process. `module` is its `module_path!()`.
pub(crate) fn command(module: &str, function: &str, home: &Path) -> Command {
    let (_program, module) = module.split_once("::").unwrap();
    let mut other = Command::new(std::env::current_exe().unwrap());
    other.args(["--exact", &format!("{module}::{function}")]).env(HOME, home).stdout(Stdio::null());
    other
}
