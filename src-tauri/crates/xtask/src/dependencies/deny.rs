//! cargo-deny, which `cargo xtask setup` installs into the build folder: always the same version, and nobody's own is touched.

use std::{env, path::PathBuf, process::Command};

use crate::{
    console::timed,
    error::XtaskError,
    place,
    process::{cargo, catch, program, show},
};

const VERSION: &str = "0.20.2";

/// Where it is installed: cargo's folder for such programs, below the build folder.
fn root() -> PathBuf {
    place::target().join("tools")
}

fn is_installed() -> bool {
    let mut command = program(&file().to_string_lossy());
    command.arg("--version");
    catch(command).is_ok_and(|printed| printed.trim() == format!("cargo-deny {VERSION}"))
}

/// What checks crates, and the crates themselves, those of other systems too: checking them asks nobody afterwards. Built without
/// optimisation, since it looks at some hundred crates once.
pub(crate) fn prepare() -> Result<(), XtaskError> {
    catch(cargo(["fetch", "--quiet", "--locked"]))?;
    if is_installed() {
        return Ok(());
    }
    let mut install = cargo(["install", "--quiet", "--debug", "--locked", "cargo-deny", "--version"]);
    install.arg(VERSION).arg("--root").arg(root()).env("CARGO_PROFILE_DEV_DEBUG", "0");
    timed("toolchain: installing cargo-deny (about two minutes)", || show(install))
}

/// With what decides which crates are looked at.
pub(super) fn command(arguments: &[&str]) -> Command {
    let mut command = program(&file().to_string_lossy());
    command.args(["--color", "never", "--log-level", "error", "--workspace", "--locked"]).args(arguments);
    command
}

/// Asks nobody: everything was fetched by the set-up.
pub(super) fn check_rules() -> Result<(), XtaskError> {
    catch(command(&["--offline", "check", "--deny", "unmatched-skip", "licenses", "bans", "sources"])).map(drop)
}

fn file() -> PathBuf {
    root().join("bin").join(format!("cargo-deny{}", env::consts::EXE_SUFFIX))
}
