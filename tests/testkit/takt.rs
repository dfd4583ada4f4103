//! The command line in a temporary home, run as by a user or a script.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{Seek, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{ANY_PORT, Browser, Person, Plant, Program, complete_sign_in, output, paths};

/// The time limit of a command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(300);
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// A bus address without a server, so that the search for a keychain starts no session bus.
const NO_BUS: &str = "unix:path=/nonexistent";

/// A home, and the environment of all programs that run in it.
#[derive(Debug)]
pub struct Takt {
    folder: tempfile::TempDir,
    home: PathBuf,
    environment: Vec<(String, String)>,
}

/// The exit code and output of a command.
#[derive(Debug)]
pub struct CommandOutput {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl CommandOutput {
    /// Parses every line of output as JSON.
    #[must_use]
    pub fn json(&self) -> Vec<Value> {
        let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
        self.out.lines().map(read).collect()
    }

    /// Parses the last line of output as JSON, which is a command's summary.
    #[must_use]
    pub fn summary(&self) -> Value {
        self.json().pop().unwrap_or_else(|| panic!("nothing was printed: {self:?}"))
    }
}

impl Default for Takt {
    fn default() -> Self {
        Self::new()
    }
}

impl Takt {
    #[must_use]
    pub fn new() -> Self {
        Self::in_folder("")
    }

    /// Creates a home in a folder of this name, inside a temporary folder. Without a name, it is the temporary folder.
    #[must_use]
    pub fn in_folder(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let home = if name.is_empty() { folder.path().to_path_buf() } else { folder.path().join(name) };
        fs::create_dir_all(&home).expect("a temporary folder can be made");
        let environment =
            vec![("DBUS_SESSION_BUS_ADDRESS".to_owned(), NO_BUS.to_owned()), ("LC_ALL".to_owned(), "C".to_owned())];
        Self { folder, home, environment }
    }

    /// Sets an environment variable for all programs in this home.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Marks the home as used, so that the window shows no welcome and the practice plant requires a sign-in. A home
    /// that was used isn't changed.
    pub(crate) fn mark_as_used(&self) {
        let file = self.file("preferences.json");
        if !file.exists() {
            let preferences =
                json!({ "language": null, "look": "system", "density": "compact", "practiceSignIn": true });
            #[cfg_attr(not(unix), expect(unused_variables, reason = "elsewhere the folder says who may read it"))]
            let written = self.write("preferences.json", json!({ "preferences": preferences }).to_string());
            #[cfg(unix)]
            fs::set_permissions(written, std::os::unix::fs::PermissionsExt::from_mode(0o600))
                .expect("the home is ours");
        }
    }

    /// Returns the folder that contains the home. Takt must not change it.
    #[must_use]
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of a file in the home.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }

    /// Writes a file into the home, and returns its path.
    #[must_use]
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name);
        fs::write(&path, content).expect("the home can be written");
        path
    }

    /// Returns a command for a built program, with this home and its environment.
    #[must_use]
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(paths::built_program(name));
        command.env("TAKT_HOME", self.home()).current_dir(self.home());
        command.env("TAKT_RETRY_WAIT", "20");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    #[must_use]
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = self.program("takt");
        command.args(arguments);
        command
    }

    /// Runs `takt` without input until it ends.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> CommandOutput {
        self.run_with(arguments, "")
    }

    /// Runs `takt` with this standard input until it ends.
    pub fn run_with<S: AsRef<OsStr>>(&self, arguments: &[S], input: &str) -> CommandOutput {
        self.run_command(self.command(arguments), input)
    }

    /// Runs a command, created by [`Self::command`], until it ends.
    pub fn run_command(&self, mut command: Command, input: &str) -> CommandOutput {
        let (out, err) = (self.outside().join("stdout"), self.outside().join("stderr"));
        let file = |path: &Path| File::create(path).expect("a temporary file can be made");
        let mut given = tempfile::tempfile().expect("a temporary file can be made");
        given.write_all(input.as_bytes()).and_then(|()| given.rewind()).expect("a temporary file can be written");
        command.stdin(Stdio::from(given)).stdout(file(&out)).stderr(file(&err));
        let mut child = command.spawn().expect("takt can be started");
        let start = Instant::now();
        let code = loop {
            if let Some(status) = child.try_wait().expect("a child can be asked") {
                break status.code();
            }
            if start.elapsed() > COMMAND_TIMEOUT {
                let _ = child.kill();
                panic!(
                    "no end after {COMMAND_TIMEOUT:?}: {command:?}\n{}",
                    fs::read_to_string(&err).unwrap_or_default()
                );
            }
            thread::sleep(POLL_INTERVAL);
        };
        let read = |path: &Path| fs::read_to_string(path).expect("output is text");
        let ran = CommandOutput { code, out: read(&out), err: read(&err) };
        output::check(&command, &ran.out);
        ran
    }

    /// Starts `takt` in the background.
    #[must_use]
    pub fn start<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Program {
        Program::start("takt", self.command(arguments))
    }

    /// Adds a plant as a site, with its client secret.
    pub fn add_site(&self, name: &str, plant: &Plant) -> CommandOutput {
        self.add_site_with_secret(name, plant, plant.member("client_secret"))
    }

    pub fn add_site_with_secret(&self, name: &str, plant: &Plant, secret: &str) -> CommandOutput {
        let mut arguments = vec!["site", "add", name, "--base-url", plant.member("base_url")];
        arguments.extend(["--auth-url", plant.member("auth_url"), "--client-id", plant.member("client_id")]);
        arguments.extend(["--time-zone", plant.member("time_zone"), "--kind", "test", "--client-secret-stdin"]);
        arguments.extend(["--redirect-uri", ANY_PORT]);
        let contract = plant.contract().map(|file| file.to_str().expect("the path is text"));
        arguments.extend(contract.iter().flat_map(|file| ["--contract", file]));
        self.run_with(&arguments, &format!("{secret}\n"))
    }

    /// Signs in through the system's browser. The test takes the browser's role.
    pub async fn sign_in(&self, site: &str, person: Person) -> CommandOutput {
        let browser = Browser::new();
        let mut command = self.command(&["sign-in", "--site", site]);
        command.env("BROWSER", browser.command());
        let mut program = Program::start("takt sign-in", command);
        let address = browser.wait_for_address(&mut program);
        complete_sign_in(&address, person).await;
        let status = program.wait(COMMAND_TIMEOUT);
        CommandOutput { code: status.code(), out: program.output_text(), err: program.error_text() }
    }
}
