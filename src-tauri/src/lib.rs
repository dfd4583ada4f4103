//! The window: native frame, dialogs, commands and events. Owns everything that knows Tauri; leaves the work to takt-engine and the
//! practice service to takt-plant. `main.rs` decides between the window and the command line.
//!
//! All of it is generic over Tauri's runtime: the product runs on the system's web view ([`run`]), and the tests of the pages on
//! Tauri's runtime for tests ([`build`]), with the same commands.

mod app;
mod autostart;
mod closing;
mod command_shell;
mod commands;
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
mod update_check;
mod update_install;
mod view_windows;
mod window;
mod window_start;

pub use app::{AppError, build, on_run_event, run};
pub use dialogs::fatal;
