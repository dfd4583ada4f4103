//! Takt's window: native frame, dialogs, commands and events. Owns all code that uses Tauri. The work is done by
//! takt-engine, and by takt-plant for the practice service.
//!
//! Everything is generic over Tauri's runtime. The product uses the system's web view ([`run`]), and the pages' tests
//! use Tauri's test runtime ([`build`]) with the same commands.

mod app;
mod autostart;
mod closing;
mod commands;
mod dialog_folder;
mod dialogs;
mod events;
mod grants;
#[cfg(target_os = "linux")]
mod graphics;
mod graphql_answers;
mod ipc;
mod main_window;
mod notices;
mod open_requests;
mod practice;
mod preferences;
mod questions;
mod receiving;
mod sleep_prevention;
mod state;
mod tray;
mod update;
mod view_windows;
mod window;

pub use app::{AppError, build, on_run_event, run};
pub use dialogs::show_fatal_error;
