//! Runs other programs, with output on the screen or captured.

use std::{
    ffi::OsStr,
    path::Path,
    process::{Command, Stdio},
};

use crate::{error::XtaskError, paths};

/// Returns a command that runs in the repository's root.
pub(crate) fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.current_dir(paths::root());
    command
}

/// Returns a command for the cargo that runs this program, so that the same toolchain is used.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = program(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    // Build scripts would see cargo's variables about this package as a changed environment. Then ring and its
    // dependents would be rebuilt whenever `cargo xtask` follows a plain `cargo build`.
    for (name, _) in std::env::vars_os() {
        let is_about_this_package =
            name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"));
        if is_about_this_package {
            command.env_remove(name);
        }
    }
    command.args(arguments);
    command
}

/// Returns an npm command that runs in `ui/`.
pub(crate) fn npm<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    npm_in("ui", arguments)
}

/// Returns an npm command that runs in a folder of the repository. On Windows npm is a script, which needs a shell.
pub(crate) fn npm_in<S: AsRef<OsStr>>(folder: &str, arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = if cfg!(windows) {
        let mut shell = program("cmd");
        shell.args(["/C", "npm"]);
        shell
    } else {
        program("npm")
    };
    command.args(arguments).current_dir(paths::root().join(folder));
    command
}

/// Runs a command with its output on the screen. Fails if its exit code isn't 0.
pub(crate) fn show_output(mut command: Command) -> Result<(), XtaskError> {
    let status = command.status().map_err(start_error(&command))?;
    if status.success() {
        return Ok(());
    }
    Err(XtaskError::Failed { line: command_line(&command), status: status.to_string(), output: String::new() })
}

/// Runs a command and returns its standard output. The error of a failed command contains both outputs.
pub(crate) fn capture_output(mut command: Command) -> Result<String, XtaskError> {
    let output = command.stdin(Stdio::null()).output().map_err(start_error(&command))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(printed);
    }
    let output_text = format!("{printed}{}", String::from_utf8_lossy(&output.stderr));
    Err(XtaskError::Failed { line: command_line(&command), status: output.status.to_string(), output: output_text })
}

/// Returns whether a program with this name is in `PATH`.
pub(crate) fn exists(name: &str) -> bool {
    let Some(paths) = std::env::var_os("PATH") else { return false };
    std::env::split_paths(&paths).any(|folder| is_program(&folder.join(name)))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file() || path.with_extension("cmd").is_file()
}

fn start_error(command: &Command) -> impl FnOnce(std::io::Error) -> XtaskError {
    let program = command.get_program().to_string_lossy().into_owned();
    |source| XtaskError::Start { program, source }
}

fn command_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_carries_what_was_printed() {
        let mut command = program("sh");
        command.args(["-c", "echo one; echo two >&2; exit 3"]);
        let failure = capture_output(command).unwrap_err();
        assert!(failure.output().contains("one") && failure.output().contains("two"));
        assert!(failure.to_string().contains("exit status: 3"), "{failure}");
    }

    #[test]
    fn programs_are_found_by_name() {
        assert!(exists("sh"));
        assert!(!exists("a-program-that-nobody-has"));
    }
}
