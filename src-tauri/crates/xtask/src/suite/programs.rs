//! The test programs of the workspace: built by cargo in one go, then started.

use std::{
    fs::File,
    io::{Read, Seek},
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde::Deserialize;

use crate::{error::XtaskError, process::cargo};

/// No test program may take longer; a hung window would otherwise hold everything up.
const LIMIT: Duration = Duration::from_secs(25 * 60);
const PULSE: Duration = Duration::from_millis(50);
/// The tests of this program wait most of their time, for a moment to kill something in.
const WAITING_PROGRAM: &str = "takt-tests · crash";
/// So many of its tests run at once for each core.
const WAITING_TESTS_PER_CORE: usize = 2;

/// One test program.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) executable: PathBuf,
    /// Cargo starts tests in their package's folder, and so do we.
    folder: PathBuf,
}

/// A line of cargo's messages; the others have other members.
#[derive(Debug, Deserialize)]
struct Message {
    reason: String,
    target: Option<Target>,
    manifest_path: Option<PathBuf>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
}

#[derive(Debug, Deserialize)]
struct Profile {
    test: bool,
}

/// Builds everything, with cargo's progress on the screen.
pub(crate) fn build(scope: &[&str]) -> Result<Vec<Program>, XtaskError> {
    build_by(cargo(["build", "--message-format=json-render-diagnostics"]), scope)
}

/// The same by a cargo that builds for another system, say, and tells what it built in JSON.
pub(crate) fn build_by(mut command: Command, scope: &[&str]) -> Result<Vec<Program>, XtaskError> {
    command.args(scope).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|source| XtaskError::Start { program: "cargo".to_owned(), source })?;
    if !output.status.success() {
        let line = format!("cargo build {}", scope.join(" "));
        return Err(XtaskError::Failed { line, status: output.status.to_string(), output: String::new() });
    }
    Ok(read(&String::from_utf8_lossy(&output.stdout)))
}

fn read(messages: &str) -> Vec<Program> {
    let mut programs: Vec<Program> =
        messages.lines().filter_map(|line| program(serde_json::from_str(line).ok()?)).collect();
    // The product from outside comes last: what is wrong inside is better seen first.
    programs.sort_by_key(|program| (program.name.starts_with("takt-tests"), program.name.clone()));
    programs
}

fn program(message: Message) -> Option<Program> {
    let tests = message.reason == "compiler-artifact" && message.profile?.test;
    let folder = message.manifest_path?.parent()?.to_path_buf();
    let package = match folder.file_name()?.to_str()? {
        "src-tauri" => "takt-desktop",
        "tests" => "takt-tests",
        name => name,
    };
    let name = format!("{package} · {}", message.target?.name);
    Some(Program { name, executable: message.executable?, folder }).filter(|_| tests)
}

impl Program {
    /// Runs it quietly and within the limit; what it printed is in the answer, or in the error.
    pub(crate) fn run(&self) -> Result<String, XtaskError> {
        self.run_within(LIMIT)
    }

    fn run_within(&self, limit: Duration) -> Result<String, XtaskError> {
        let mut command = Command::new(&self.executable);
        // The times of tests are told only by test programs that take themselves for unfinished ones.
        command.args(["-Zunstable-options", "--report-time"]).env("RUSTC_BOOTSTRAP", "1");
        if self.name == WAITING_PROGRAM {
            let cores = thread::available_parallelism().map_or(1, usize::from);
            command.arg(format!("--test-threads={}", WAITING_TESTS_PER_CORE * cores));
        }
        self.run_by(command, limit)
    }

    /// The same by a command that starts it, say, under an emulator.
    pub(crate) fn run_by(&self, mut command: Command, limit: Duration) -> Result<String, XtaskError> {
        // A file, not a pipe: a program left behind by a failed test can keep a pipe open for ever.
        let mut log = tempfile::tempfile().map_err(XtaskError::file("a temporary file"))?;
        let copy = || log.try_clone().map_err(XtaskError::file("a temporary file"));
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.stdin(Stdio::null()).stdout(copy()?).stderr(copy()?);
        let mut child = command.spawn().map_err(|source| XtaskError::Start { program: self.name.clone(), source })?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(printed(&mut log)),
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if start.elapsed() > limit => {
                    // It may end by itself in this very moment.
                    let _ = child.kill();
                    let _ = child.wait();
                    break format!("no end after {} s", limit.as_secs());
                }
                Ok(None) => thread::sleep(PULSE),
                Err(source) => return Err(XtaskError::Start { program: self.name.clone(), source }),
            }
        };
        Err(XtaskError::Failed { line: self.name.clone(), status, output: printed(&mut log) })
    }
}

fn printed(log: &mut File) -> String {
    let mut bytes = Vec::new();
    let read = log.rewind().and_then(|()| log.read_to_end(&mut bytes));
    match read {
        Ok(_) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_test_programs_are_taken_from_cargos_messages() {
        let messages = r#"
{"reason":"compiler-artifact","manifest_path":"/r/tests/Cargo.toml","target":{"name":"cli"},"profile":{"test":true},"executable":"/t/cli-1"}
{"reason":"compiler-artifact","manifest_path":"/r/crates/takt-sheet/Cargo.toml","target":{"name":"reading"},"profile":{"test":true},"executable":"/t/reading-1"}
{"reason":"compiler-artifact","manifest_path":"/r/crates/takt-cli/Cargo.toml","target":{"name":"takt"},"profile":{"test":false},"executable":"/t/takt"}
{"reason":"build-finished","success":true}"#;
        let names: Vec<String> = read(messages).into_iter().map(|program| program.name).collect();
        assert_eq!(names, ["takt-sheet · reading", "takt-tests · cli"]);
    }

    #[cfg(unix)]
    #[test]
    fn tests_that_wait_run_beside_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let usual = script(folder.path(), "echo $@");
        assert!(!usual.run().unwrap().contains("--test-threads"));
        let waits = Program { name: WAITING_PROGRAM.to_owned(), ..usual };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        assert!(waits.run().unwrap().contains(&format!("--test-threads={}", 2 * cores)));
    }

    #[cfg(unix)]
    fn script(folder: &std::path::Path, lines: &str) -> Program {
        let path = folder.join("script");
        std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        Program { name: "script".to_owned(), executable: path, folder: folder.to_owned() }
    }

    #[cfg(unix)]
    #[test]
    fn what_a_program_printed_is_told_and_one_that_never_ends_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(script(folder.path(), "echo done").run().unwrap(), "done\n");
        let forever = script(folder.path(), "echo waiting\nexec sleep 60");
        let failure = forever.run_within(Duration::from_millis(300)).unwrap_err();
        assert!(failure.to_string().contains("no end after"), "{failure}");
        assert!(failure.output().contains("waiting"), "{}", failure.output());
    }
}
