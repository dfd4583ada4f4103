//! `takt`: the same work as in the window, from a terminal, a script or a schedule.
//!
//! Owns arguments, tables, JSON lines and exit codes; leaves the work to takt-engine and the practice service to takt-plant.
//! What it prints comes from `locales/` and the engine's language files; the texts of `--help` stand as doc comments in
//! `arguments`, in English. With `--json` everything is in English, so that what a script reads stays the same everywhere.

mod arguments;
mod command;
mod console;
mod ending;
mod findings;
mod memory;
mod passphrase;
mod previews;
mod progress;
mod reading;
mod reference;
mod results;
mod rows;
mod salvaged;
mod secret_file;
mod session;
mod words;

use std::{env, process::ExitCode, time::SystemTime};

use arguments::{Arguments, Command};
use clap::Parser;
use console::Console;
use takt_engine::{client::Redactor, logging::log_on_screen, system::check_system_clock};
use words::Texts;

/// Runs the command line by this process's arguments, from its start to its exit code.
#[must_use]
pub fn run() -> ExitCode {
    // Before anything else: this process may be the one in which a file is read apart.
    if takt_sheet::run_if_reader_process() {
        return ExitCode::SUCCESS;
    }
    work()
}

#[tokio::main]
async fn work() -> ExitCode {
    let arguments = Arguments::parse();
    if matches!(arguments.command, Command::Plant(_)) {
        // It keeps nothing that nobody asked for: no home, no logs.
        log_on_screen(&Redactor::default(), env::var("TAKT_LOG").ok().as_deref());
    }
    let console = Console::new(Texts::of_environment(arguments.command.prints_json()), arguments.confirm.clone());
    if let Err(problem) = check_system_clock(SystemTime::now()) {
        return ExitCode::from(console.failed(&problem.into()).code());
    }
    let ending = command::run(arguments, &console).await.unwrap_or_else(|failure| {
        tracing::warn!(?failure, "a command couldn't go on");
        console.failed(&failure)
    });
    tracing::info!(code = ending.code(), "ended");
    // A sign-in or a large plant may still hold a thread; what matters is written.
    ExitCode::from(ending.code())
}
