//! The command line's program.

fn main() -> std::process::ExitCode {
    takt_cli::run()
}
