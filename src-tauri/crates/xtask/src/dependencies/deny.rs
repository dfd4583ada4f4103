//! cargo-deny, which `cargo xtask setup` installs into the build folder in a fixed version.

use std::{env, path::PathBuf, process::Command};

use crate::{
    console::timed,
    error::XtaskError,
    place,
    process::{capture_output, cargo, program, show_output},
};

const VERSION: &str = "0.20.2";

/// Returns the folder that cargo-deny is installed into.
fn install_root() -> PathBuf {
    place::target().join("tools")
}

fn is_installed() -> bool {
    let mut command = program(&program_file().to_string_lossy());
    command.arg("--version");
    capture_output(command).is_ok_and(|printed| printed.trim() == format!("cargo-deny {VERSION}"))
}

/// Fetches the crates of all systems and installs cargo-deny, so that checks need no network. It is built without
/// optimization, since it runs only briefly.
pub(crate) fn prepare() -> Result<(), XtaskError> {
    capture_output(cargo(["fetch", "--quiet", "--locked"]))?;
    if is_installed() {
        return Ok(());
    }
    let mut install = cargo(["install", "--quiet", "--debug", "--locked", "cargo-deny", "--version"]);
    install.arg(VERSION).arg("--root").arg(install_root()).env("CARGO_PROFILE_DEV_DEBUG", "0");
    timed("toolchain: installing cargo-deny (about two minutes)", || show_output(install))
}

/// Returns a command of cargo-deny with the options that select the crates.
pub(super) fn command(arguments: &[&str]) -> Command {
    let mut command = program(&program_file().to_string_lossy());
    command.args(["--color", "never", "--log-level", "error", "--workspace", "--locked"]).args(arguments);
    command
}

/// Checks licenses, duplicates and sources. Needs no network after the setup.
pub(super) fn check_rules() -> Result<(), XtaskError> {
    capture_output(command(&["--offline", "check", "--deny", "unmatched-skip", "licenses", "bans", "sources"]))
        .map(drop)
}

fn program_file() -> PathBuf {
    install_root().join("bin").join(format!("cargo-deny{}", env::consts::EXE_SUFFIX))
}
