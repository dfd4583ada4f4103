//! Starts another process of this program, which runs one test function until the test kills it.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const HOME_VARIABLE: &str = "TAKT_JOURNAL_TEST_HOME";
/// The file that the other process creates in the home folder once it waits to be killed.
const READY_FILE: &str = "ready";
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the home folder of this process, or none in the process that runs all tests.
pub(crate) fn home() -> Option<std::path::PathBuf> {
    std::env::var_os(HOME_VARIABLE).map(Into::into)
}

/// Runs a test function in another process, and waits until it calls [`wait_to_be_killed`]. `module` is its
/// `module_path!()`.
pub(crate) fn start(module: &str, function: &str, home: &Path) -> Child {
    let (_program, module) = module.split_once("::").unwrap();
    let mut other = Command::new(std::env::current_exe().unwrap());
    other.args(["--exact", &format!("{module}::{function}")]).env(HOME_VARIABLE, home).stdout(Stdio::null());
    let other = other.spawn().unwrap();
    let start_time = Instant::now();
    while !home.join(READY_FILE).exists() {
        assert!(start_time.elapsed() < START_TIMEOUT, "the other process never began");
        std::thread::sleep(Duration::from_millis(10));
    }
    other
}

/// Reports that the process is ready, and waits until it's killed.
pub(crate) fn wait_to_be_killed(home: &Path) {
    std::fs::write(home.join(READY_FILE), "").unwrap();
    std::thread::sleep(2 * START_TIMEOUT);
}
