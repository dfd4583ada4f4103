//! The window, and under the name `takt` the command line: native frame, dialogs, commands and events. Owns everything that
//! knows Tauri; leaves the work to takt-engine, the practice service to takt-plant and the command line to takt-cli.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod app;
mod closing;
#[cfg(unix)]
mod command_line;
mod command_shell;
mod commands;
mod dialogs;
mod events;
mod grants;
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

fn main() -> std::process::ExitCode {
    // Before anything else: this process may be the one in which a file is read apart.
    if takt_engine::system::run_if_reader_process() {
        return std::process::ExitCode::SUCCESS;
    }
    #[cfg(unix)]
    if command_line::is_asked_for() {
        return takt_cli::run();
    }
    match app::run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            dialogs::fatal(&error.to_string());
            std::process::ExitCode::FAILURE
        }
    }
}
