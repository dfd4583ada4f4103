//! A keychain for tests: a separate bus with an unlocked GNOME keyring in a temporary folder. Linux only.

use std::{
    io::Write,
    process::{Command, Stdio},
    time::Duration,
};

use crate::Program;

const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A keychain. It ends with its secrets when it is dropped.
#[derive(Debug)]
pub struct Keychain {
    #[cfg_attr(not(unix), expect(dead_code, reason = "it ends with its guard"))]
    keyring: Program,
    _bus: Program,
    address: String,
    _folder: tempfile::TempDir,
}

impl Keychain {
    #[must_use]
    pub fn start() -> Self {
        let folder = memory_folder();
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--session", "--nofork", "--print-address=1"]);
        bus.arg(format!("--address=unix:dir={}", folder.path().display()));
        let mut bus = Program::start("dbus-daemon", bus);
        let address = bus.first_line(START_TIMEOUT).trim().to_owned();
        let keyring = start_keyring(&address, &folder);
        Self { keyring, _bus: bus, address, _folder: folder }
    }

    /// Suspends the keyring, so that it doesn't respond. A keyring that waits for its password behaves in the same way.
    #[cfg(unix)]
    pub fn suspend(&self) {
        self.keyring.suspend();
    }

    /// Resumes the suspended keyring.
    #[cfg(unix)]
    pub fn wake(&self) {
        self.keyring.wake();
    }

    /// Returns the value for `$DBUS_SESSION_BUS_ADDRESS`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }
}

/// Creates the keyring's folder in memory if the system has such a folder. The daemon syncs each change to the disk. On
/// a busy disk, this takes longer than Takt waits for a keychain.
fn memory_folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a temporary folder can be made")
}

/// Starts an unlocked keyring. The daemon reads its password from standard input, so a shell redirects it from a file.
fn start_keyring(address: &str, folder: &tempfile::TempDir) -> Program {
    let password = folder.path().join("password");
    let written = std::fs::File::create(&password).and_then(|mut file| file.write_all(b"practice"));
    written.expect("a temporary file can be written");
    let mut shell = Command::new("sh");
    let script =
        "exec gnome-keyring-daemon --foreground --unlock --components=secrets --control-directory=\"$1\" < \"$2\"";
    shell.args(["-c", script, "sh"]).arg(folder.path()).arg(&password).stdin(Stdio::null());
    shell.env("DBUS_SESSION_BUS_ADDRESS", address);
    for name in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"] {
        shell.env(name, folder.path());
    }
    let mut keyring = Program::start("gnome-keyring-daemon", shell);
    keyring.wait_for("name on the bus", START_TIMEOUT, |_| is_secret_service_running(address).then_some(()));
    keyring
}

fn is_secret_service_running(address: &str) -> bool {
    let mut ask = Command::new("dbus-send");
    ask.args(["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]);
    ask.args(["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]);
    let answer = ask.env("DBUS_SESSION_BUS_ADDRESS", address).stdin(Stdio::null()).output();
    answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).contains("true"))
}
