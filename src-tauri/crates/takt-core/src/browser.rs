//! Opens addresses in the person's browser and files in their programs.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

/// Opens an address in the browser that `$BROWSER` names, else in the system's. False where there was nothing to start; the address
/// can always be copied.
#[must_use]
pub fn open_in_browser(address: &str) -> bool {
    // To `opener`, an empty variable is a program without a name.
    let is_chosen = env::var_os("BROWSER").is_some_and(|browser| !browser.is_empty());
    is_opened(if is_chosen { opener::open_browser(address) } else { opener::open(address) })
}

/// Opens a file in the program that the system has for it; false where there was nothing to start.
#[must_use]
pub fn open_file(path: &Path) -> bool {
    is_opened(opener::open(path))
}

fn is_opened(opened: Result<(), opener::OpenError>) -> bool {
    opened.inspect_err(|error| tracing::warn!(%error, "nothing could be opened")).is_ok()
}

/// Shows a file where it lies, chosen where the system can do that; false where there was nothing to start.
#[must_use]
pub fn show_in_folder(path: &Path) -> bool {
    let mut command = if cfg!(windows) {
        Command::new("explorer")
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else {
        Command::new("xdg-open")
    };
    choose_file(&mut command, path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

/// Explorer reads its own command line, in which the path stands between quotes.
#[cfg(windows)]
fn choose_file(command: &mut Command, path: &Path) {
    use std::os::windows::process::CommandExt;

    command.raw_arg(format!("/select,\"{}\"", path.display()));
}

#[cfg(target_os = "macos")]
fn choose_file(command: &mut Command, path: &Path) {
    command.arg("-R").arg(path);
}

/// There is no one way that all desktops have, so the folder is what is opened.
#[cfg(not(any(windows, target_os = "macos")))]
fn choose_file(command: &mut Command, path: &Path) {
    command.arg(path.parent().unwrap_or(path));
}
