//! Reads one sheet in a separate process and ends, like `takt` and the desktop app with the hidden argument.

use std::process::ExitCode;

fn main() -> ExitCode {
    if takt_sheet::run_if_reader_process() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
