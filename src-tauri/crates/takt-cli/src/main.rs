//! The program `takt`, which only calls this crate's library.

fn main() -> std::process::ExitCode {
    takt_cli::run()
}
