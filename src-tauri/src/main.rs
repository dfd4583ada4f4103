//! The program: the window, and under the name `takt` the command line.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

#[cfg(unix)]
mod command_line;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: this process may be the one in which a file is read apart.
    if takt_engine::system::run_if_reader_process() {
        return ExitCode::SUCCESS;
    }
    #[cfg(unix)]
    if command_line::is_asked_for() {
        return takt_cli::run();
    }
    match takt_desktop::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            takt_desktop::fatal(&error.to_string());
            ExitCode::FAILURE
        }
    }
}
