//! Starts Takt at login, with tauri-plugin-autostart.

use std::env;

use takt_engine::{Code, Problem};
use tauri::{AppHandle, Runtime, plugin::TauriPlugin};
use tauri_plugin_autostart::{Builder, Error, ManagerExt};

use crate::tray;

/// The name of the system's autostart entry, which must stay the same so that an existing entry is found.
const ENTRY: &str = "Takt";
/// The argument with which the autostart entry starts Takt.
const IN_TRAY: &str = "--in-tray";

pub(crate) fn plugin<R: Runtime>() -> TauriPlugin<R> {
    Builder::new().app_name(ENTRY).arg(IN_TRAY).build()
}

/// Returns whether the system has an autostart entry for Takt.
/// # Errors
/// The system's entries can't be read.
pub(crate) fn is_enabled<R: Runtime>(app: &AppHandle<R>) -> Result<bool, Problem> {
    app.autolaunch().is_enabled().map_err(autostart_failed)
}

/// Adds or removes the autostart entry.
/// # Errors
/// The system's entries can't be changed.
pub(crate) fn set_enabled<R: Runtime>(app: &AppHandle<R>, enabled: bool) -> Result<(), Problem> {
    let entry = app.autolaunch();
    if enabled { entry.enable() } else { entry.disable() }.map_err(autostart_failed)
}

/// Returns whether Takt was started at login and stays in the tray without a window.
pub(crate) fn starts_in_tray<R: Runtime>(app: &AppHandle<R>) -> bool {
    env::args_os().any(|argument| argument == IN_TRAY) && tray::is_active(app)
}

fn autostart_failed(error: Error) -> Problem {
    Problem::new(Code::WriteFailed).parameter("file", ENTRY).details(error)
}
