//! Prepares a machine for building: the system's packages, the web UI's packages, and components of the toolchain. Each
//! is checked first, so that a second run takes about a second.

mod debian;
mod purpose;

use std::{fs, path::Path};

use sha2::{Digest, Sha256};

use crate::{
    console::{print, timed},
    dependencies::deny,
    error::XtaskError,
    place,
    process::{capture_output, exists, npm_in, program, show_output},
};

pub(crate) use purpose::Purpose;

/// The oldest Node.js that can build the web UI.
const MIN_NODE_VERSION: (u32, u32) = (20, 19);

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

/// Installs packages that one command needs, by Debian's names. On other systems it fails and names them.
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

/// Adds a component to the toolchain. Minimal installations lack the formatter and the linter.
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

/// Runs `npm ci` if the lock file has changed, since it takes half a minute.
fn install_packages(folder: &str, stamp: &str, what: &str) -> Result<(), XtaskError> {
    let package_folder = place::root().join(folder);
    let stamp = place::target().join(stamp);
    let wanted = fingerprint(&package_folder.join("package-lock.json"))?;
    let installed = package_folder.join("node_modules/.package-lock.json").is_file();
    if installed && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    timed(what, || show_output(npm_in(folder, ["ci", "--no-audit", "--no-fund", "--loglevel=error"])))?;
    fs::create_dir_all(place::target()).map_err(XtaskError::file(place::target()))?;
    fs::write(&stamp, wanted).map_err(XtaskError::file(&stamp))
}

/// Installs the generators of Python and Go clients, and Go, in a Python environment, since all are available as Python
/// packages.
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
}
