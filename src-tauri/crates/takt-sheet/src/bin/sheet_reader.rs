//! Reads one sheet in a process of its own and ends: what `takt` and the window do when they are called with the hidden word.

use std::process::ExitCode;

fn main() -> ExitCode {
    if takt_sheet::run_if_reader_process() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
