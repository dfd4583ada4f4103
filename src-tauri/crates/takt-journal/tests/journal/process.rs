//! Another process for a test to kill: this program, running one of its functions.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const HOME: &str = "TAKT_JOURNAL_TEST_HOME";
/// Written to the home folder once the other process has reached the point at which it waits.
const READY: &str = "ready";
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the home folder of this process. None in the process that runs all tests.
pub(crate) fn home() -> Option<std::path::PathBuf> {
    std::env::var_os(HOME).map(Into::into)
}

/// Runs a test function in another process, and waits until it calls [`stand_still`]. `module` is its `module_path!()`.
pub(crate) fn start(module: &str, function: &str, home: &Path) -> Child {
    let (_program, module) = module.split_once("::").unwrap();
    let mut other = Command::new(std::env::current_exe().unwrap());
    other.args(["--exact", &format!("{module}::{function}")]).env(HOME, home).stdout(Stdio::null());
    let other = other.spawn().unwrap();
    let start_time = Instant::now();
    while !home.join(READY).exists() {
        assert!(start_time.elapsed() < START_TIMEOUT, "the other process never began");
        std::thread::sleep(Duration::from_millis(10));
    }
    other
}

/// Waits to be killed.
pub(crate) fn stand_still(home: &Path) {
    std::fs::write(home.join(READY), "").unwrap();
    std::thread::sleep(2 * START_TIMEOUT);
}
