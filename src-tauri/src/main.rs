//! The window's program.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    // This must come first, since the process may have been started to read a file in isolation.
    if takt_engine::system::run_if_reader_process() {
        return ExitCode::SUCCESS;
    }
    match takt_desktop::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            takt_desktop::show_fatal_error(&error.to_string());
            ExitCode::FAILURE
        }
    }
}
