//! Packages of Debian, Ubuntu and related systems: detects which are missing, and installs only those.

use crate::{
    console::{print, timed},
    error::XtaskError,
    process::{capture_output, exists, program, show_output},
    setup::purpose::Purpose,
};

/// A C compiler for SQLite, and D-Bus for the keychain.
const COMMAND_LINE_PACKAGES: [&str; 3] = ["build-essential", "pkg-config", "libdbus-1-dev"];
const WINDOW_PACKAGES: [&str; 1] = ["libwebkit2gtk-4.1-dev"];
/// The programs that tests use. The pages need a browser with its driver, the window a display and a driver. Other
/// tests need a keychain without a desktop, the interface of screen readers, or a team's database.
const TEST_PACKAGES: [&str; 15] = [
    "chromium-headless-shell",
    "chromium-driver",
    "webkit2gtk-driver",
    "xvfb",
    "xauth",
    "at-spi2-core",
    "dbus",
    "gnome-keyring",
    "fonts-dejavu-core",
    "libgl1-mesa-dri",
    "xdg-utils",
    "xdotool",
    "imagemagick",
    "x11-utils",
    "postgresql",
];
/// The environment for client generators.
const ALL_TEST_PACKAGES: [&str; 1] = ["python3-venv"];

pub(crate) fn packages(purpose: Purpose) -> Vec<&'static str> {
    let mut wanted = COMMAND_LINE_PACKAGES.to_vec();
    if purpose != Purpose::CommandLine {
        wanted.extend(WINDOW_PACKAGES);
    }
    if purpose.needs_window_tests() {
        // If a driver exists already, it may belong to a package with another name.
        let has_driver = exists("chromedriver");
        wanted.extend(TEST_PACKAGES.iter().filter(|name| !(has_driver && name.starts_with("chromium"))));
    }
    if purpose == Purpose::AllTests {
        wanted.extend(ALL_TEST_PACKAGES);
    }
    wanted
}

pub(crate) fn install(wanted: &[&'static str]) -> Result<(), XtaskError> {
    let missing = missing(wanted, &installed(wanted));
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    let Some(prefix) = root_prefix() else {
        let line = format!("sudo apt-get install --no-install-recommends {names}");
        return Err(XtaskError::Missing(format!(
            "packages of the system are missing; please run\n\n    {line}\n\nand then this command again"
        )));
    };
    // Without current lists a package may not be found. If fetching fails, the existing lists may suffice.
    if let Err(error) =
        timed("system: fetching the package lists (apt-get update)", || show_output(apt(&prefix, &["update", "-qq"])))
    {
        print(&format!("! {error}; trying with the lists that are here"));
    }
    let mut arguments = vec!["install", "-y", "-qq", "--no-install-recommends"];
    arguments.extend(&missing);
    timed(&format!("system: installing {names} (about a minute)"), || show_output(apt(&prefix, &arguments)))
}

fn installed(wanted: &[&str]) -> String {
    let mut query = program("dpkg-query");
    query.args(["--show", "--showformat=${Package} ${db:Status-Status}\n"]).args(wanted);
    match capture_output(query) {
        Ok(printed) => printed,
        // The query fails if it doesn't know a package, but still prints the others.
        Err(error) => error.output().to_owned(),
    }
}

fn missing<'a>(wanted: &[&'a str], installed: &str) -> Vec<&'a str> {
    let has = |name: &str| installed.lines().any(|line| line.split_once(' ') == Some((name, "installed")));
    wanted.iter().copied().filter(|name| !has(name)).collect()
}

/// Returns the words in front of a command that installs packages, or `None` if a password would be needed.
fn root_prefix() -> Option<Vec<&'static str>> {
    let mut user_id = program("id");
    user_id.arg("-u");
    if capture_output(user_id).is_ok_and(|id| id.trim() == "0") {
        return Some(Vec::new());
    }
    let mut probe = program("sudo");
    probe.args(["-n", "true"]);
    (exists("sudo") && capture_output(probe).is_ok()).then(|| vec!["sudo", "-n"])
}

fn apt(prefix: &[&'static str], arguments: &[&str]) -> std::process::Command {
    let words = prefix.iter().chain(&["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]).chain(arguments);
    let words: Vec<&str> = words.copied().collect();
    let mut command = program(words[0]);
    command.args(&words[1..]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_installed_is_missing() {
        let installed = "xvfb installed\ndbus config-files\npkg-config installed\n";
        assert_eq!(missing(&["xvfb", "dbus", "pkg-config", "xauth"], installed), ["dbus", "xauth"]);
    }

    #[test]
    fn the_command_line_needs_no_window_system() {
        assert!(!packages(Purpose::CommandLine).iter().any(|name| name.contains("webkit")));
        assert!(packages(Purpose::Window).contains(&"libwebkit2gtk-4.1-dev"));
        assert!(packages(Purpose::Tests).contains(&"webkit2gtk-driver"));
    }
}
