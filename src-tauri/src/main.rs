//! The window's program.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: this process may be the one in which a file is read apart.
    if takt_engine::system::run_if_reader_process() {
        return ExitCode::SUCCESS;
    }
    match takt_desktop::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            takt_desktop::fatal(&error.to_string());
            ExitCode::FAILURE
        }
    }
}
