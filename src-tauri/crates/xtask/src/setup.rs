//! What a machine needs before anything can be built: packages of the system, the web UI's packages, parts of the toolchain.
//! Everything is looked for first, so that a second run costs a second.

mod debian;

use std::{fs, path::Path};

use sha2::{Digest, Sha256};

use crate::{
    console::{print, timed},
    dependencies::deny,
    error::XtaskError,
    place,
    process::{catch, exists, npm_in, program, show},
};

/// The oldest Node.js that the web UI's build runs on.
const NODE: (u32, u32) = (20, 19);

/// What is about to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The command line alone: no window, no web UI.
    CommandLine,
    Window,
    /// What `cargo xtask lint` needs.
    Lint,
    /// The tests that run on every system.
    PortableTests,
    /// The tests that anybody runs before a pull request.
    Tests,
    AllTests,
}

impl Purpose {
    fn needs_window_tests(self) -> bool {
        matches!(self, Self::Tests | Self::AllTests)
    }
}

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
        let what = "sign-in tests: installing a provider to sign in to (npm ci)";
        install_packages("tests/long/provider", "provider-packages.stamp", what)?;
        let what = "client tests: installing what makes a TypeScript client (npm ci)";
        install_packages("tests/long/clients", "client-packages.stamp", what)?;
        prepare_generators()?;
    }
    print("✓ everything that is needed is here");
    Ok(())
}

/// What one command alone needs, by Debian's names. Elsewhere it is an error that names them.
pub(crate) fn install(packages: &[&'static str]) -> Result<(), XtaskError> {
    if exists("dpkg-query") && exists("apt-get") {
        return debian::install(packages);
    }
    Err(XtaskError::Missing(format!("this needs, by Debian's names: {}", packages.join(" "))))
}

fn prepare_system(purpose: Purpose) -> Result<(), XtaskError> {
    if cfg!(target_os = "linux") {
        if exists("dpkg-query") && exists("apt-get") {
            return debian::install(&debian::packages(purpose));
        }
        print("! this Linux has no apt: please see to it that these are installed, by your system's names for them:");
        print(&format!("    {}", debian::packages(purpose).join(" ")));
    } else if cfg!(target_os = "macos") {
        print("system: needs Apple's command line tools (`xcode-select --install` where the build misses a compiler)");
    } else if cfg!(windows) {
        print("system: needs the C++ build tools of Visual Studio, and WebView2 (part of Windows 11 and of Edge)");
    }
    Ok(())
}

/// Formatter and linter are parts of the toolchain that a minimal installation leaves out.
fn add_to_toolchain(part: &str, probe: &str) -> Result<(), XtaskError> {
    if catch(crate::process::cargo([probe, "--version"])).is_ok() {
        return Ok(());
    }
    if !exists("rustup") {
        return Err(XtaskError::Missing(format!("{part} is missing: install it beside cargo")));
    }
    let mut rustup = program("rustup");
    rustup.args(["component", "add", part]);
    timed(&format!("toolchain: adding {part}"), || show(rustup))
}

fn check_node() -> Result<(), XtaskError> {
    let mut node = program("node");
    node.arg("--version");
    let wanted = format!("the web UI needs Node.js {}.{} or newer, with npm", NODE.0, NODE.1);
    let Ok(version) = catch(node) else { return Err(XtaskError::Missing(wanted)) };
    if new_enough(version.trim()) {
        return Ok(());
    }
    Err(XtaskError::Missing(format!("{wanted}; here it is {}", version.trim())))
}

fn new_enough(version: &str) -> bool {
    let mut parts = version.trim_start_matches('v').split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    found >= NODE
}

/// `npm ci` costs half a minute, so it runs only when the lock file isn't the one it ran for.
fn install_packages(folder: &str, stamp: &str, what: &str) -> Result<(), XtaskError> {
    let place = place::root().join(folder);
    let stamp = place::target().join(stamp);
    let wanted = fingerprint(&place.join("package-lock.json"))?;
    let installed = place.join("node_modules/.package-lock.json").is_file();
    if installed && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    timed(what, || show(npm_in(folder, ["ci", "--no-audit", "--no-fund", "--loglevel=error"])))?;
    fs::create_dir_all(place::target()).map_err(XtaskError::file(place::target()))?;
    fs::write(&stamp, wanted).map_err(XtaskError::file(&stamp))
}

/// What makes clients in Python and Go, and Go itself: an environment of Python's, because all of it is there as a package.
fn prepare_generators() -> Result<(), XtaskError> {
    let folder = place::target().join("clients/python");
    let stamp = place::target().join("client-generators.stamp");
    let list = place::root().join("tests/long/clients/requirements.txt");
    let wanted = fingerprint(&list)?;
    if folder.is_dir() && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let python = if cfg!(windows) { "python" } else { "python3" };
    if !exists(python) {
        return Err(XtaskError::Missing(format!("the client tests need {python} 3.10 or newer, with venv")));
    }
    timed("client tests: installing what makes clients in Python and Go (pip, about half a minute)", || {
        let mut made = program(python);
        made.args(["-m", "venv", "--clear"]).arg(&folder);
        show(made)?;
        let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
        let mut install =
            std::process::Command::new(programs.join(if cfg!(windows) { "python.exe" } else { "python" }));
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&list);
        show(install)
    })?;
    fs::write(&stamp, wanted).map_err(XtaskError::file(&stamp))
}

fn fingerprint(file: &Path) -> Result<String, XtaskError> {
    let bytes = fs::read(file).map_err(XtaskError::file(file))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_node_is_told_from_new() {
        for (version, enough) in
            [("v20.19.0", true), ("v22.1.0", true), ("v20.18.3", false), ("v18.20.1", false), ("", false)]
        {
            assert_eq!(new_enough(version), enough, "{version}");
        }
    }
}
