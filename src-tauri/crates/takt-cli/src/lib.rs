//! `takt`: Takt's features on the command line, for terminals, scripts and schedules.
//!
//! Owns arguments, tables, JSON lines and exit codes. takt-engine does the work, and takt-plant simulates the practice
//! service. Texts are in `locales/` and the engine's language files. The texts of `--help` are the English doc comments
//! in `arguments`. With `--json`, all texts are English, so that scripts work in every locale.

mod arguments;
mod command;
mod console;
mod exit_codes;
mod findings;
mod list_table;
mod passphrase;
mod preview_output;
mod progress;
mod results;
mod salvage;
mod secret_file;
mod session;
mod texts;

use std::{env, process::ExitCode, time::SystemTime};

use arguments::{Arguments, Command};
use clap::Parser;
use console::Console;
use takt_engine::{client::Redactor, logging::log_to_stderr, system::check_system_clock};
use texts::Texts;

/// Runs the command line with this process's arguments, and returns the exit code.
#[must_use]
pub fn run() -> ExitCode {
    // This must come first, since the process may have been started as an isolated file reader.
    if takt_sheet::run_if_reader_process() {
        return ExitCode::SUCCESS;
    }
    run_command()
}

#[tokio::main]
async fn run_command() -> ExitCode {
    let arguments = Arguments::parse();
    if matches!(arguments.command, Command::Plant(_)) {
        // The practice plant alone needs no home folder and writes no log files.
        log_to_stderr(&Redactor::default(), env::var("TAKT_LOG").ok().as_deref());
    }
    let console = Console::new(Texts::from_environment(arguments.command.prints_json()), arguments.confirm.clone());
    if let Err(problem) = check_system_clock(SystemTime::now()) {
        return ExitCode::from(console.print_failure(&problem.into()).code());
    }
    let status = command::run(arguments, &console).await.unwrap_or_else(|failure| {
        tracing::warn!(?failure, "a command couldn't go on");
        console.print_failure(&failure)
    });
    tracing::info!(code = status.code(), "ended");
    // A thread of a sign-in or a large plant may still be running. All data has been written, so the process can end.
    ExitCode::from(status.code())
}
