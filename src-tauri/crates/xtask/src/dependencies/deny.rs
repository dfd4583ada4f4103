//! cargo-deny, which `cargo xtask setup` installs into the build folder: always the same version, and nobody's own is touched.

use std::{env, path::PathBuf, process::Command};

use crate::{
    error::XtaskError,
    place,
    process::{catch, program},
};

pub(crate) const VERSION: &str = "0.20.2";

/// Where it is installed: cargo's folder for such programs, below the build folder.
pub(crate) fn root() -> PathBuf {
    place::target().join("tools")
}

pub(crate) fn is_installed() -> bool {
    let mut command = program(&file().to_string_lossy());
    command.arg("--version");
    catch(command).is_ok_and(|printed| printed.trim() == format!("cargo-deny {VERSION}"))
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
