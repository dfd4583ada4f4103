//! Opens addresses in the user's browser, and files in their programs.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

/// Opens an address in the browser that `$BROWSER` names, or in the system's. Returns false if no program could be
/// started. The user can then copy the address.
#[must_use]
pub fn open_in_browser(address: &str) -> bool {
    // `opener` takes an empty variable for a program without a name.
    let is_chosen = env::var_os("BROWSER").is_some_and(|browser| !browser.is_empty());
    log_failure(if is_chosen { opener::open_browser(address) } else { opener::open(address) })
}

/// Opens a file in the system's program for it. Returns false if no program could be started.
#[must_use]
pub fn open_file(path: &Path) -> bool {
    log_failure(opener::open(path))
}

/// Logs a failure. Returns true if a program was started.
fn log_failure(opened: Result<(), opener::OpenError>) -> bool {
    opened.inspect_err(|error| tracing::warn!(%error, "nothing could be opened")).is_ok()
}

/// Shows a file in its folder, selected if the system supports that. Returns false if no program could be started.
#[must_use]
pub fn show_in_folder(path: &Path) -> bool {
    let mut command = if cfg!(windows) {
        Command::new("explorer")
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else {
        Command::new("xdg-open")
    };
    select_file(&mut command, path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

/// Adds the argument that selects the file. Explorer parses its command line in its own way, so the path is quoted
/// here.
#[cfg(windows)]
fn select_file(command: &mut Command, path: &Path) {
    use std::os::windows::process::CommandExt;

    command.raw_arg(format!("/select,\"{}\"", path.display()));
}

#[cfg(target_os = "macos")]
fn select_file(command: &mut Command, path: &Path) {
    command.arg("-R").arg(path);
}

/// Adds the folder of the file as an argument, because Linux desktops have no common way to select a file.
#[cfg(not(any(windows, target_os = "macos")))]
fn select_file(command: &mut Command, path: &Path) {
    command.arg(path.parent().unwrap_or(path));
}
