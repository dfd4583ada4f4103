//! Reads one sheet apart and ends: what `takt` and the window do when they are called with the hidden word.

use std::process::ExitCode;

fn main() -> ExitCode {
    if takt_sheet::read_if_called() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
