//! Packages of Debian, Ubuntu and their relatives: which are missing, and installing exactly those.

use crate::{
    console::{print, timed},
    error::XtaskError,
    process::{catch, exists, program, show},
    setup::Purpose,
};

/// A C compiler for SQLite, and D-Bus for the keychain.
const COMMAND_LINE: [&str; 3] = ["build-essential", "pkg-config", "libdbus-1-dev"];
const WINDOW: [&str; 1] = ["libwebkit2gtk-4.1-dev"];
/// A browser with its driver for the pages; a display without a screen and a driver for the window; a keychain that needs no desktop,
/// what screen readers ask, a team's database.
const TESTS: [&str; 15] = [
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
/// Generators of clients.
const ALL_TESTS: [&str; 1] = ["python3-venv"];

pub(crate) fn packages(purpose: Purpose) -> Vec<&'static str> {
    let mut wanted = COMMAND_LINE.to_vec();
    if purpose != Purpose::CommandLine {
        wanted.extend(WINDOW);
    }
    if purpose.needs_window_tests() {
        // Where a browser has its driver already, it isn't a package of that name.
        let has_driver = exists("chromedriver");
        wanted.extend(TESTS.iter().filter(|name| !(has_driver && name.starts_with("chromium"))));
    }
    if purpose == Purpose::AllTests {
        wanted.extend(ALL_TESTS);
    }
    wanted
}

pub(crate) fn install(wanted: &[&'static str]) -> Result<(), XtaskError> {
    let missing = missing(wanted, &installed(wanted));
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    let Some(prefix) = administrator() else {
        let line = format!("sudo apt-get install --no-install-recommends {names}");
        return Err(XtaskError::Missing(format!(
            "packages of the system are missing; please run\n\n    {line}\n\nand then this command again"
        )));
    };
    // Without fresh lists a package may not be found; where they can't be fetched, what is there may still do.
    if let Err(error) =
        timed("system: fetching the package lists (apt-get update)", || show(apt(&prefix, &["update", "-qq"])))
    {
        print(&format!("! {error}; trying with the lists that are here"));
    }
    let mut arguments = vec!["install", "-y", "-qq", "--no-install-recommends"];
    arguments.extend(&missing);
    timed(&format!("system: installing {names} (about a minute)"), || show(apt(&prefix, &arguments)))
}

fn installed(wanted: &[&str]) -> String {
    let mut query = program("dpkg-query");
    query.args(["--show", "--showformat=${Package} ${db:Status-Status}\n"]).args(wanted);
    match catch(query) {
        Ok(printed) => printed,
        // It ends with an error when it doesn't know one of them, and still prints the others.
        Err(error) => error.output().to_owned(),
    }
}

fn missing<'a>(wanted: &[&'a str], installed: &str) -> Vec<&'a str> {
    let has = |name: &str| installed.lines().any(|line| line.split_once(' ') == Some((name, "installed")));
    wanted.iter().copied().filter(|name| !has(name)).collect()
}

/// The words to put before a command so that it may install; absent where nobody may without a password.
fn administrator() -> Option<Vec<&'static str>> {
    let mut who = program("id");
    who.arg("-u");
    if catch(who).is_ok_and(|id| id.trim() == "0") {
        return Some(Vec::new());
    }
    let mut probe = program("sudo");
    probe.args(["-n", "true"]);
    (exists("sudo") && catch(probe).is_ok()).then(|| vec!["sudo", "-n"])
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
