//! `cargo xtask bench NAME`: measures speed and memory on this machine and compares them with goals.
//!
//! Compared subjects are measured in one run, in turns, so that a busy machine affects all of them.

mod browse;
mod console;
mod error;
mod http;
mod import;
mod inbox;
mod load;
mod machine;
mod orders;
mod plant;
mod process;
mod report;
mod subject;
mod submit;
mod takt;
mod team;
mod timing;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use error::{BenchError, unexpected_result};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", about = "Measures Takt against yardsticks, for docs/performance.md")]
struct Arguments {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Debug, Subcommand)]
enum Bench {
    /// The practice plant against a bare axum handler, Prism, json-server and WireMock
    Plant(plant::Options),
    /// A large workbook from the file to checked rows, against calamine, the csv crate, polars, SheetJS and openpyxl
    Import(import::Options),
    /// A submission to the practice plant with its journal, against a bare reqwest loop; a rate limit; many rows
    Submit(submit::Options),
    /// The window against an empty one, plain HTTP, AG Grid and ECharts
    Browse(browse::Options),
    /// Events received and stored, against a bare handler that appends to a file; searches
    Inbox(inbox::Options),
    /// A team's PostgreSQL against a local file; many desks at once; takeovers
    Team(team::Options),
    /// A part of a bench that is measured in a separate process
    #[command(hide = true)]
    Program { name: String, arguments: Vec<String> },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().bench {
        Bench::Plant(options) => plant::run(&options),
        Bench::Import(options) => import::run(&options),
        Bench::Submit(options) => submit::run(&options),
        Bench::Browse(options) => browse::run(&options),
        Bench::Inbox(options) => inbox::run(&options),
        Bench::Team(options) => team::run(&options),
        Bench::Program { name, arguments } => run_internal_command(&name, &arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::print(&format!("✕ {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run_internal_command(name: &str, arguments: &[String]) -> Result<(), BenchError> {
    let first = arguments.first().map(String::as_str).unwrap_or_default();
    match name {
        plant::BARE => plant::serve_bare(arguments),
        _ if import::PROGRAMS.contains(&name) => import::run_internal_command(name, arguments),
        _ if inbox::PROGRAMS.contains(&name) => inbox::run_internal_command(name, first),
        _ if submit::PROGRAMS.contains(&name) => submit::run_internal_command(name, first),
        _ => Err(unexpected_result(name, "there is no such program")),
    }
}
