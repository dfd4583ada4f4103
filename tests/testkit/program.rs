//! A background program in its own process group, with its output in files. A remaining child can neither block a pipe
//! nor outlive the guard.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::output;

const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The time that a program has to end after SIGTERM.
#[cfg(unix)]
const TERMINATE_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Program {
    name: String,
    child: Child,
    out: PathBuf,
    err: PathBuf,
    _folder: tempfile::TempDir,
    command: Command,
}

impl Program {
    /// Starts a program without standard input.
    #[must_use]
    pub fn start(name: &str, mut command: Command) -> Self {
        command.stdin(Stdio::null());
        Self::spawn(name, command)
    }

    /// Starts a program and returns it with its standard input.
    #[must_use]
    pub fn start_with_input(name: &str, mut command: Command) -> (Self, ChildStdin) {
        command.stdin(Stdio::piped());
        let mut program = Self::spawn(name, command);
        let input = program.child.stdin.take().expect("its input is a pipe");
        (program, input)
    }

    fn spawn(name: &str, mut command: Command) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (out, err) = (folder.path().join("out"), folder.path().join("err"));
        let file = |path: &Path| File::create(path).expect("a temporary file can be made");
        command.stdout(file(&out)).stderr(file(&err));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().unwrap_or_else(|error| {
            panic!("{name} can't be started ({error}): `cargo xtask setup` installs what the tests need")
        });
        Self { name: name.to_owned(), child, out, err, _folder: folder, command }
    }

    /// Returns the standard output so far.
    #[must_use]
    pub fn output_text(&self) -> String {
        fs::read_to_string(&self.out).unwrap_or_default()
    }

    /// Returns the error output so far.
    #[must_use]
    pub fn error_text(&self) -> String {
        fs::read_to_string(&self.err).unwrap_or_default()
    }

    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the first complete line of output.
    #[must_use]
    pub fn first_line(&mut self, limit: Duration) -> String {
        let line = self.wait_for("its first line", limit, |program| {
            let printed = program.output_text();
            printed.split_once('\n').map(|(line, _)| line.to_owned())
        });
        output::check(&self.command, &format!("{line}\n"));
        line
    }

    /// Waits until `condition` returns a value. Panics with the error output if the program ends or the time limit is
    /// exceeded.
    pub fn wait_for<T>(&mut self, what: &str, limit: Duration, condition: impl Fn(&Self) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(value) = condition(self) {
                return value;
            }
            let ended = self.child.try_wait().expect("a child can be asked");
            assert!(ended.is_none(), "{} ended before {what}: {ended:?}\n{}", self.name, self.error_text());
            assert!(start.elapsed() < limit, "{}: no {what} after {limit:?}\n{}", self.name, self.error_text());
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Returns whether the program still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child can be asked").is_none()
    }

    /// Waits until the program ends, and checks its JSON output against the schema.
    #[must_use]
    pub fn wait(&mut self, limit: Duration) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be asked") {
                output::check(&self.command, &self.output_text());
                return status;
            }
            assert!(start.elapsed() < limit, "{} hasn't ended after {limit:?}\n{}", self.name, self.error_text());
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Interrupts the program and panics if its exit code isn't 0. On Windows, which can't send Ctrl-C to another
    /// program, kills it.
    pub fn end(&mut self, limit: Duration) {
        if cfg!(windows) {
            return self.kill();
        }
        #[cfg(unix)]
        self.interrupt();
        assert_eq!(self.wait(limit).code(), Some(0), "{}\n{}", self.name, self.error_text());
    }

    /// Sends SIGINT, like Ctrl-C in a terminal.
    #[cfg(unix)]
    pub fn interrupt(&self) {
        signal("INT", &self.child.id().to_string());
    }

    /// Suspends the program like a sleeping computer, until [`Program::wake`].
    #[cfg(unix)]
    pub fn suspend(&self) {
        signal("STOP", &self.child.id().to_string());
    }

    #[cfg(unix)]
    pub fn wake(&self) {
        signal("CONT", &self.child.id().to_string());
    }

    /// Sends SIGTERM and waits until the program has ended.
    #[cfg(unix)]
    pub fn terminate(&mut self) -> ExitStatus {
        signal("TERM", &self.child.id().to_string());
        self.wait(TERMINATE_TIMEOUT)
    }

    /// Kills the program and its whole process group.
    pub fn kill(&mut self) {
        #[cfg(unix)]
        signal("KILL", &format!("-{}", self.child.id()));
        // Errors are ignored, since the program may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sends a signal. The shell's built-in `kill` supports process groups and needs no additional package.
#[cfg(unix)]
fn signal(name: &str, target: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("kill -s {name} -- {target}")]).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = shell.status();
}
