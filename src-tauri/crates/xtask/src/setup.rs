//! Prepares a machine for building: the system's packages, the web UI's packages, and components of the toolchain.
//! Installs missing parts only. System packages are installed on Debian and related systems, and listed on others.

use std::{fs, path::Path};

use sha2::{Digest, Sha256};

use crate::{
    console::{print, timed},
    dependencies::deny,
    error::XtaskError,
    paths,
    process::{capture_output, exists, npm_in, program, show_output},
};

/// The purpose that the machine is prepared for. Each needs different packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The command line without window and web UI.
    CommandLine,
    Window,
    /// The static checks of `cargo xtask lint`.
    Lint,
    /// The tests that run on every system.
    PortableTests,
    /// The tests that must pass before a pull request.
    Tests,
    AllTests,
}

impl Purpose {
    fn needs_window_tests(self) -> bool {
        matches!(self, Self::Tests | Self::AllTests)
    }
}

/// The oldest version of Node.js that can build the web UI.
const MIN_NODE_VERSION: (u32, u32) = (20, 19);

/// Packages for the command line: a C compiler for SQLite, and D-Bus for the keychain.
const COMMAND_LINE_PACKAGES: [&str; 3] = ["build-essential", "pkg-config", "libdbus-1-dev"];
const WINDOW_PACKAGES: [&str; 1] = ["libwebkit2gtk-4.1-dev"];
/// The programs that tests use. Pages are tested in a browser with its driver, and the window on a virtual display.
/// Other tests need a keychain without a desktop, the accessibility bus, or a team's database.
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
/// Python's virtual environments, into which generators of API clients are installed.
const ALL_TEST_PACKAGES: [&str; 1] = ["python3-venv"];

pub(crate) fn prepare(purpose: Purpose) -> Result<(), XtaskError> {
    prepare_system(purpose)?;
    match purpose {
        Purpose::CommandLine | Purpose::Window => {}
        Purpose::PortableTests | Purpose::Tests => add_to_toolchain("rustfmt", "fmt")?,
        Purpose::Lint | Purpose::AllTests => {
            add_to_toolchain("rustfmt", "fmt")?;
            add_to_toolchain("clippy", "clippy")?;
            deny::prepare()?;
        }
    }
    if purpose != Purpose::CommandLine {
        check_node()?;
        install_packages("ui", "ui-packages.stamp", "web UI: installing its packages (npm ci, about half a minute)")?;
    }
    if purpose == Purpose::AllTests {
        let step = "sign-in tests: installing a provider to sign in to (npm ci)";
        install_packages("tests/long/provider", "provider-packages.stamp", step)?;
        let step = "client tests: installing what makes a TypeScript client (npm ci)";
        install_packages("tests/long/clients", "client-packages.stamp", step)?;
        prepare_generators()?;
    }
    print("✓ everything that is needed is here");
    Ok(())
}

/// Installs Debian packages that one command needs. On other systems, fails with a message that lists them.
pub(crate) fn install(packages: &[&'static str]) -> Result<(), XtaskError> {
    if exists("dpkg-query") && exists("apt-get") {
        return install_debian_packages(packages);
    }
    Err(XtaskError::Missing(format!("this needs, by Debian's names: {}", packages.join(" "))))
}

fn prepare_system(purpose: Purpose) -> Result<(), XtaskError> {
    if cfg!(target_os = "linux") {
        if exists("dpkg-query") && exists("apt-get") {
            return install_debian_packages(&debian_packages(purpose));
        }
        print("! this Linux has no apt: please see to it that these are installed, by your system's names for them:");
        print(&format!("    {}", debian_packages(purpose).join(" ")));
    } else if cfg!(target_os = "macos") {
        print("system: needs Apple's command line tools (`xcode-select --install` where the build misses a compiler)");
    } else if cfg!(windows) {
        print("system: needs the C++ build tools of Visual Studio, and WebView2 (part of Windows 11 and of Edge)");
    }
    Ok(())
}

/// Adds a component, such as the formatter or linter, to the toolchain. Minimal installations lack them.
fn add_to_toolchain(component: &str, probe: &str) -> Result<(), XtaskError> {
    if capture_output(crate::process::cargo([probe, "--version"])).is_ok() {
        return Ok(());
    }
    if !exists("rustup") {
        return Err(XtaskError::Missing(format!("{component} is missing: install it beside cargo")));
    }
    let mut rustup = program("rustup");
    rustup.args(["component", "add", component]);
    timed(&format!("toolchain: adding {component}"), || show_output(rustup))
}

fn check_node() -> Result<(), XtaskError> {
    let mut node = program("node");
    node.arg("--version");
    let wanted = format!("the web UI needs Node.js {}.{} or newer, with npm", MIN_NODE_VERSION.0, MIN_NODE_VERSION.1);
    let Ok(version) = capture_output(node) else { return Err(XtaskError::Missing(wanted)) };
    if is_new_enough(version.trim()) {
        return Ok(());
    }
    Err(XtaskError::Missing(format!("{wanted}; here it is {}", version.trim())))
}

fn is_new_enough(version: &str) -> bool {
    let mut parts = version.trim_start_matches('v').split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    found >= MIN_NODE_VERSION
}

/// Runs `npm ci` only if the lock file has changed, since it takes half a minute.
fn install_packages(folder: &str, stamp: &str, what: &str) -> Result<(), XtaskError> {
    let package_folder = paths::root().join(folder);
    let stamp = paths::target().join(stamp);
    let wanted = fingerprint(&package_folder.join("package-lock.json"))?;
    let installed = package_folder.join("node_modules/.package-lock.json").is_file();
    if installed && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    timed(what, || show_output(npm_in(folder, ["ci", "--no-audit", "--no-fund", "--loglevel=error"])))?;
    fs::create_dir_all(paths::target()).map_err(XtaskError::file(paths::target()))?;
    fs::write(&stamp, wanted).map_err(XtaskError::file(&stamp))
}

/// Installs the generators of Python and Go clients, and Go, into a Python environment. All of them are available as
/// Python packages.
fn prepare_generators() -> Result<(), XtaskError> {
    let folder = paths::target().join("clients/python");
    let stamp = paths::target().join("client-generators.stamp");
    let list = paths::root().join("tests/long/clients/requirements.txt");
    let wanted = fingerprint(&list)?;
    if folder.is_dir() && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let python = if cfg!(windows) { "python" } else { "python3" };
    if !exists(python) {
        return Err(XtaskError::Missing(format!("the client tests need {python} 3.10 or newer, with venv")));
    }
    timed("client tests: installing what makes clients in Python and Go (pip, about half a minute)", || {
        let mut create_environment = program(python);
        create_environment.args(["-m", "venv", "--clear"]).arg(&folder);
        show_output(create_environment)?;
        let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
        let mut install =
            std::process::Command::new(programs.join(if cfg!(windows) { "python.exe" } else { "python" }));
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&list);
        show_output(install)
    })?;
    fs::write(&stamp, wanted).map_err(XtaskError::file(&stamp))
}

fn fingerprint(file: &Path) -> Result<String, XtaskError> {
    let bytes = fs::read(file).map_err(XtaskError::file(file))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the packages for a purpose, by their names on Debian, Ubuntu and related systems.
fn debian_packages(purpose: Purpose) -> Vec<&'static str> {
    let mut wanted = COMMAND_LINE_PACKAGES.to_vec();
    if purpose != Purpose::CommandLine {
        wanted.extend(WINDOW_PACKAGES);
    }
    if purpose.needs_window_tests() {
        // An existing driver may belong to a package with another name.
        let has_driver = exists("chromedriver");
        wanted.extend(TEST_PACKAGES.iter().filter(|name| !(has_driver && name.starts_with("chromium"))));
    }
    if purpose == Purpose::AllTests {
        wanted.extend(ALL_TEST_PACKAGES);
    }
    wanted
}

/// Installs the packages that are missing.
fn install_debian_packages(wanted: &[&'static str]) -> Result<(), XtaskError> {
    let missing = missing_packages(wanted, &query_installed(wanted));
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
    // Without current lists, a package may not be found. If updating the lists fails, the existing lists may suffice.
    if let Err(error) =
        timed("system: fetching the package lists (apt-get update)", || show_output(apt(&prefix, &["update", "-qq"])))
    {
        print(&format!("! {error}; trying with the lists that are here"));
    }
    let mut arguments = vec!["install", "-y", "-qq", "--no-install-recommends"];
    arguments.extend(&missing);
    timed(&format!("system: installing {names} (about a minute)"), || show_output(apt(&prefix, &arguments)))
}

fn query_installed(wanted: &[&str]) -> String {
    let mut query = program("dpkg-query");
    query.args(["--show", "--showformat=${Package} ${db:Status-Status}\n"]).args(wanted);
    match capture_output(query) {
        Ok(printed) => printed,
        // The query fails if any package is unknown, but prints the others.
        Err(error) => error.output().to_owned(),
    }
}

fn missing_packages<'a>(wanted: &[&'a str], installed: &str) -> Vec<&'a str> {
    let has = |name: &str| installed.lines().any(|line| line.split_once(' ') == Some((name, "installed")));
    wanted.iter().copied().filter(|name| !has(name)).collect()
}

/// Returns the prefix of a command with root privileges, empty for root. Returns `None` if a password would be needed.
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
    fn old_node_is_told_from_new() {
        for (version, enough) in
            [("v20.19.0", true), ("v22.1.0", true), ("v20.18.3", false), ("v18.20.1", false), ("", false)]
        {
            assert_eq!(is_new_enough(version), enough, "{version}");
        }
    }

    #[test]
    fn only_what_is_not_installed_is_missing() {
        let installed = "xvfb installed\ndbus config-files\npkg-config installed\n";
        assert_eq!(missing_packages(&["xvfb", "dbus", "pkg-config", "xauth"], installed), ["dbus", "xauth"]);
    }

    #[test]
    fn the_command_line_needs_no_window_system() {
        assert!(!debian_packages(Purpose::CommandLine).iter().any(|name| name.contains("webkit")));
        assert!(debian_packages(Purpose::Window).contains(&"libwebkit2gtk-4.1-dev"));
        assert!(debian_packages(Purpose::Tests).contains(&"webkit2gtk-driver"));
    }
}
