//! Starts other programs in the repository's root, and manages the bench's files in cargo's target folder.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::error::BenchError;

/// Returns the repository's root. This package is three folders below it.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(3).unwrap_or(package).to_path_buf()
}

/// Returns cargo's target folder: `CARGO_TARGET_DIR`, or `target` in the root.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .filter(|value| !value.is_empty())
        .map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// Returns the folder for files of the benches.
pub(crate) fn folder() -> PathBuf {
    target().join("bench")
}

/// Writes a file and creates its folder.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> Result<(), BenchError> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
    }
    fs::write(file, bytes).map_err(BenchError::file(file))
}

/// Replaces a folder by an empty one.
pub(crate) fn empty_folder(name: &str) -> Result<PathBuf, BenchError> {
    let path = folder().join(name);
    drop(fs::remove_dir_all(&path));
    fs::create_dir_all(&path).map_err(BenchError::file(&path))?;
    Ok(path)
}

pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// Returns a command for the release build of `takt`.
pub(crate) fn takt() -> Command {
    program(target().join("release").join(format!("takt{}", env::consts::EXE_SUFFIX)))
}

/// Returns a command that runs this program as one of its hidden subcommands, each measured in a separate process.
pub(crate) fn hidden_program(name: &str) -> Result<Command, BenchError> {
    let mut command = program(env::current_exe().map_err(BenchError::file("the bench"))?);
    command.args(["program", name]);
    Ok(command)
}

/// Returns a command for the cargo that runs this, so that a chosen toolchain is used.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// Returns a command for npm in `ui/`. On Windows npm is a script that only the shell finds.
pub(crate) fn npm<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = if cfg!(windows) { program("cmd") } else { program("npm") };
    if cfg!(windows) {
        command.args(["/C", "npm"]);
    }
    command.args(arguments).current_dir(root().join("ui"));
    command
}

/// Runs a program with its output on the terminal.
pub(crate) fn run_visible(mut command: Command) -> Result<(), BenchError> {
    let status = command.status().map_err(start_error(&command))?;
    if status.success() {
        return Ok(());
    }
    Err(BenchError::Failed { line: command_line(&command), status: status.to_string(), output: String::new() })
}

/// Runs a program and returns its output.
pub(crate) fn run_captured(mut command: Command) -> Result<String, BenchError> {
    let output = command.stdin(Stdio::null()).output().map_err(start_error(&command))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(printed);
    }
    let output_text = format!("{printed}{}", String::from_utf8_lossy(&output.stderr));
    Err(BenchError::Failed { line: command_line(&command), status: output.status.to_string(), output: output_text })
}

/// Returns whether a program of that name is on the path.
pub(crate) fn exists(name: &str) -> bool {
    let endings = if cfg!(windows) { &["exe", "cmd"][..] } else { &[""] };
    let Some(paths) = env::var_os("PATH") else { return false };
    env::split_paths(&paths).any(|folder| endings.iter().any(|end| folder.join(name).with_extension(end).is_file()))
}

fn start_error(command: &Command) -> impl FnOnce(std::io::Error) -> BenchError {
    let program = command.get_program().to_string_lossy().into_owned();
    |source| BenchError::Start { program, source }
}

fn command_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
