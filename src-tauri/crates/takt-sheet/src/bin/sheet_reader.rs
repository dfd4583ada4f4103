//! Reads one sheet in a reader process, as `takt` and the desktop app do with the hidden argument. Tests start this
//! program.

use std::process::ExitCode;

fn main() -> ExitCode {
    if takt_sheet::run_if_reader_process() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
