//! The test programs of the workspace: built by cargo in one go, then started.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Seek},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde::Deserialize;

use super::report::{ProgramReport, TestResult};
use crate::{error::XtaskError, process::cargo};

/// No test program may take longer.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(45 * 60);
/// No test may take longer; a hung window would otherwise hold everything up.
const TEST_TIMEOUT: Duration = Duration::from_secs(10 * 60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How often it is looked at which tests run.
const TEST_POLL_INTERVAL: Duration = Duration::from_secs(2);

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

/// Builds, with cargo's progress on the screen.
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
    programs.sort_by(|one, other| one.name.cmp(&other.name));
    programs
}

fn program(message: Message) -> Option<Program> {
    let tests = message.reason == "compiler-artifact" && message.profile?.test;
    let folder = message.manifest_path?.parent()?.to_path_buf();
    let package = match folder.file_name()?.to_str()? {
        "src-tauri" => "takt-desktop",
        "tests" => "takt-tests",
        "long" => "takt-long-tests",
        name => name,
    };
    let name = format!("{package} · {}", message.target?.name);
    Some(Program { name, executable: message.executable?, folder }).filter(|_| tests)
}

impl Program {
    /// Runs it quietly and within the limits of time, with further arguments and variables.
    ///
    /// # Errors
    /// A test failed or didn't end; what it printed is in the error.
    pub(crate) fn run(&self, arguments: &[String], variables: &[(&str, &str)]) -> Result<Vec<TestResult>, Failure> {
        let mut command = Command::new(&self.executable);
        // Only test programs that take themselves for unfinished ones tell their results as JSON, and the times.
        command.args(["-Zunstable-options", "--report-time", "--format=json"]).env("RUSTC_BOOTSTRAP", "1");
        command.args(arguments).envs(variables.iter().copied());
        // A snapshot that differs fails its test, and is never written.
        command.env("INSTA_UPDATE", "no").env("INSTA_WORKSPACE_ROOT", crate::place::root()).env("RUST_BACKTRACE", "0");
        self.run_tests(command, PROGRAM_TIMEOUT, TEST_TIMEOUT)
    }

    fn run_tests(&self, command: Command, limit: Duration, of_test: Duration) -> Result<Vec<TestResult>, Failure> {
        let mut begun: BTreeMap<String, Instant> = BTreeMap::new();
        let mut looked = Instant::now();
        let hung = |log: &mut File| {
            if looked.elapsed() < TEST_POLL_INTERVAL.min(of_test) {
                return None;
            }
            looked = Instant::now();
            let running = ProgramReport::read(&printed(log)).unfinished;
            begun.retain(|name, _| running.contains(name));
            for name in running {
                begun.entry(name).or_insert(looked);
            }
            let (name, _) = begun.iter().find(|(_, since)| since.elapsed() > of_test)?;
            Some(format!("{name} hadn't ended after {} s", of_test.as_secs()))
        };
        match self.run_watched(command, limit, hung) {
            Ok(output) => Ok(ProgramReport::read(&output).results),
            Err(XtaskError::Failed { line, status, output }) => {
                let report = ProgramReport::read(&output);
                let failures = report.failures();
                // A program that ended by itself between its tests says why past libtest.
                let output = if failures.is_empty() { output } else { failures };
                Err(Failure { results: report.results, error: XtaskError::Failed { line, status, output } })
            }
            Err(error) => Err(Failure { results: Vec::new(), error }),
        }
    }

    /// Runs it by a command that starts it, say, under an emulator; gives what it printed.
    pub(crate) fn run_by(&self, command: Command, limit: Duration) -> Result<String, XtaskError> {
        self.run_watched(command, limit, |_| None)
    }

    fn run_watched(
        &self,
        mut command: Command,
        limit: Duration,
        mut hung: impl FnMut(&mut File) -> Option<String>,
    ) -> Result<String, XtaskError> {
        // A file, not a pipe: a program left behind by a failed test can keep a pipe open for ever. What it appends is
        // not disturbed by who reads from the beginning.
        let file = tempfile::NamedTempFile::new().map_err(XtaskError::file("a temporary file"))?;
        let append = || File::options().append(true).open(file.path()).map_err(XtaskError::file(file.path()));
        let mut log = File::open(file.path()).map_err(XtaskError::file(file.path()))?;
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.stdin(Stdio::null()).stdout(append()?).stderr(append()?);
        let mut child = command.spawn().map_err(|source| XtaskError::Start { program: self.name.clone(), source })?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(printed(&mut log)),
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if start.elapsed() > limit => {
                    break end(&mut child, format!("no end after {} s", limit.as_secs()));
                }
                Ok(None) => match hung(&mut log) {
                    Some(status) => break end(&mut child, status),
                    None => thread::sleep(POLL_INTERVAL),
                },
                Err(source) => return Err(XtaskError::Start { program: self.name.clone(), source }),
            }
        };
        Err(XtaskError::Failed { line: self.name.clone(), status, output: printed(&mut log) })
    }
}

/// What became of the tests of a program that failed, as far as it told.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) results: Vec<TestResult>,
    pub(crate) error: XtaskError,
}

/// Ends a program; it may end by itself in this very moment.
fn end(child: &mut Child, why: String) -> String {
    let _ = child.kill();
    let _ = child.wait();
    why
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
    fn script(folder: &std::path::Path, lines: &str) -> Program {
        let path = folder.join("script");
        std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        Program { name: "script".to_owned(), executable: path, folder: folder.to_owned() }
    }

    #[cfg(unix)]
    #[test]
    fn what_tests_told_is_read_and_arguments_are_passed_on() {
        let folder = tempfile::tempdir().unwrap();
        let tells = script(
            folder.path(),
            r#"echo "{ \"type\": \"test\", \"name\": \"$4\", \"event\": \"ok\", \"exec_time\": 2 }""#,
        );
        let results = tells.run(&["wanted".to_owned()], &[]).unwrap();
        assert_eq!((results[0].name.as_str(), results[0].time), ("wanted", Duration::from_secs(2)));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_never_ends_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let forever = script(folder.path(), "echo waiting\nexec sleep 60");
        let failure = forever.run_by(Command::new(&forever.executable), Duration::from_millis(300)).unwrap_err();
        assert!(failure.to_string().contains("no end after"), "{failure}");
        assert!(failure.output().contains("waiting"), "{}", failure.output());
    }

    #[cfg(unix)]
    #[test]
    fn a_test_that_never_ends_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let begun = r#"echo '{ "type": "test", "event": "started", "name": "hangs" }'"#;
        let forever = script(folder.path(), &format!("{begun}\nexec sleep 60"));
        let limit = Duration::from_millis(200);
        let failure = forever.run_tests(Command::new(&forever.executable), PROGRAM_TIMEOUT, limit).unwrap_err();
        assert!(failure.error.to_string().contains("hangs hadn't ended"), "{}", failure.error);
    }
}
