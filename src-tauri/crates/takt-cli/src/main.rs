//! `takt` as a program of its own: where there is no window, as on servers, and on Windows, where a program has a console or none.

fn main() -> std::process::ExitCode {
    takt_cli::run()
}
