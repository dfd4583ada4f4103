//! The workspace's test programs: building them with cargo, and running them.

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

/// The time limit of a whole test program, after which it is killed.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(45 * 60);
/// The time limit of a single test, so that a hung window doesn't block the run.
const TEST_TIMEOUT: Duration = Duration::from_secs(10 * 60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The interval for reading which tests are running.
const TEST_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// A built test program.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) executable: PathBuf,
    /// The package's folder. The program is started in it, as cargo does.
    folder: PathBuf,
}

/// The members of cargo's message about a built program. Messages of other kinds lack most of them.
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

/// Builds the test programs in the scope, with cargo's progress on the screen.
pub(crate) fn build(scope: &[&str]) -> Result<Vec<Program>, XtaskError> {
    build_with(cargo(["build", "--message-format=json-render-diagnostics"]), scope)
}

/// Like [`build`], but with a given cargo command, which must print messages as JSON.
pub(crate) fn build_with(mut command: Command, scope: &[&str]) -> Result<Vec<Program>, XtaskError> {
    command.args(scope).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|source| XtaskError::Start { program: "cargo".to_owned(), source })?;
    if !output.status.success() {
        let line = format!("cargo build {}", scope.join(" "));
        return Err(XtaskError::Failed { line, status: output.status.to_string(), output: String::new() });
    }
    Ok(read_programs(&String::from_utf8_lossy(&output.stdout)))
}

fn read_programs(messages: &str) -> Vec<Program> {
    let mut programs: Vec<Program> =
        messages.lines().filter_map(|line| test_program(serde_json::from_str(line).ok()?)).collect();
    programs.sort_by(|one, other| one.name.cmp(&other.name));
    programs
}

fn test_program(message: Message) -> Option<Program> {
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
    /// Runs the program with additional arguments and variables. Captures the output, and applies the time limits.
    ///
    /// # Errors
    /// A test failed or didn't end. The error contains the output.
    pub(crate) fn run(&self, arguments: &[String], variables: &[(&str, &str)]) -> Result<Vec<TestResult>, Failure> {
        let mut command = Command::new(&self.executable);
        // JSON results and times are unstable options, which `RUSTC_BOOTSTRAP` allows.
        command.args(["-Zunstable-options", "--report-time", "--format=json"]).env("RUSTC_BOOTSTRAP", "1");
        command.args(arguments).envs(variables.iter().copied());
        // A different snapshot must fail its test, and must never be written.
        command.env("INSTA_UPDATE", "no").env("INSTA_WORKSPACE_ROOT", crate::paths::root()).env("RUST_BACKTRACE", "0");
        self.run_tests(command, PROGRAM_TIMEOUT, TEST_TIMEOUT)
    }

    fn run_tests(&self, command: Command, limit: Duration, test_limit: Duration) -> Result<Vec<TestResult>, Failure> {
        let mut started: BTreeMap<String, Instant> = BTreeMap::new();
        let mut last_look = Instant::now();
        let find_hung = |log: &mut File| {
            if last_look.elapsed() < TEST_POLL_INTERVAL.min(test_limit) {
                return None;
            }
            last_look = Instant::now();
            let running = ProgramReport::read(&read_log(log)).unfinished;
            started.retain(|name, _| running.contains(name));
            for name in running {
                started.entry(name).or_insert(last_look);
            }
            let (name, _) = started.iter().find(|(_, since)| since.elapsed() > test_limit)?;
            Some(format!("{name} hadn't ended after {} s", test_limit.as_secs()))
        };
        match self.run_watched(command, limit, find_hung) {
            Ok(output) => Ok(ProgramReport::read(&output).results),
            Err(XtaskError::Failed { line, status, output }) => {
                let report = ProgramReport::read(&output);
                let failures = report.failures();
                // A program that exited between two tests prints the reason on lines that aren't libtest's.
                let output = if failures.is_empty() { output } else { failures };
                Err(Failure { results: report.results, error: XtaskError::Failed { line, status, output } })
            }
            Err(error) => Err(Failure { results: Vec::new(), error }),
        }
    }

    /// Runs the program with a command that starts it, such as an emulator. Returns its output.
    pub(crate) fn run_with(&self, command: Command, limit: Duration) -> Result<String, XtaskError> {
        self.run_watched(command, limit, |_| None)
    }

    fn run_watched(
        &self,
        mut command: Command,
        limit: Duration,
        mut find_hung: impl FnMut(&mut File) -> Option<String>,
    ) -> Result<String, XtaskError> {
        // The output is written to a file, since processes left by a failed test could keep a pipe open forever.
        // Appending allows reading from the start at the same time.
        let file = tempfile::NamedTempFile::new().map_err(XtaskError::file("a temporary file"))?;
        let append = || File::options().append(true).open(file.path()).map_err(XtaskError::file(file.path()));
        let mut log = File::open(file.path()).map_err(XtaskError::file(file.path()))?;
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.stdin(Stdio::null()).stdout(append()?).stderr(append()?);
        let mut child = command.spawn().map_err(|source| XtaskError::Start { program: self.name.clone(), source })?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(read_log(&mut log)),
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if start.elapsed() > limit => {
                    break kill(&mut child, format!("no end after {} s", limit.as_secs()));
                }
                Ok(None) => match find_hung(&mut log) {
                    Some(status) => break kill(&mut child, status),
                    None => thread::sleep(POLL_INTERVAL),
                },
                Err(source) => return Err(XtaskError::Start { program: self.name.clone(), source }),
            }
        };
        Err(XtaskError::Failed { line: self.name.clone(), status, output: read_log(&mut log) })
    }
}

/// A failed test program, with the results until the failure.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) results: Vec<TestResult>,
    pub(crate) error: XtaskError,
}

/// Kills a program, which may have exited in the meantime. Returns the reason.
fn kill(child: &mut Child, reason: String) -> String {
    let _ = child.kill();
    let _ = child.wait();
    reason
}

fn read_log(log: &mut File) -> String {
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
        let names: Vec<String> = read_programs(messages).into_iter().map(|program| program.name).collect();
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
        let failure = forever.run_with(Command::new(&forever.executable), Duration::from_millis(300)).unwrap_err();
        assert!(failure.to_string().contains("no end after"), "{failure}");
        assert!(failure.output().contains("waiting"), "{}", failure.output());
    }

    #[cfg(unix)]
    #[test]
    fn a_test_that_never_ends_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let started = r#"echo '{ "type": "test", "event": "started", "name": "hangs" }'"#;
        let forever = script(folder.path(), &format!("{started}\nexec sleep 60"));
        let limit = Duration::from_millis(200);
        let failure = forever.run_tests(Command::new(&forever.executable), PROGRAM_TIMEOUT, limit).unwrap_err();
        assert!(failure.error.to_string().contains("hangs hadn't ended"), "{}", failure.error);
    }
}
