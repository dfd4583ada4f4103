//! `cargo xtask bench inbox`: measures receiving events against a bare handler that appends to a file, answers to
//! events, and searches.

mod bare;
mod engine;
mod payload;

use std::{fs, path::Path, process::Stdio, time::Duration};

use crate::{
    console::{print, timed},
    error::{BenchError, unexpected_result},
    inbox::{engine::SearchMeasurement, payload::Events},
    load::{LoadResult, Until, run_load},
    machine::median,
    process::{empty_folder, hidden_program},
    report::{Report, Table, format_number, format_optional},
    subject::Subject,
};

const DEFAULT_EVENTS: u32 = 1_000_000;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// Search 20,000 events, in two rounds.
    #[arg(long)]
    quick: bool,
    /// Events to search [default: 1000000; with --quick: 20000].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    events: Option<u32>,
    /// Rounds [default: 5; with --quick: 2].
    #[arg(long)]
    rounds: Option<usize>,
}

pub(crate) fn run(options: &Options) -> Result<(), BenchError> {
    let mut report = Report::new();
    print(&format!("measuring on {}", report.machine));
    let (events, rounds) = if options.quick { (DEFAULT_EVENTS / 50, 2) } else { (DEFAULT_EVENTS, 5) };
    let rounds = options.rounds.unwrap_or(rounds);
    timed("receiving, against a bare handler", || measure_rate(rounds, &mut report))?;
    timed("answering", || measure_answers(rounds, &mut report))?;
    timed("many events", || measure_search(options.events.unwrap_or(events), &mut report))?;
    report.print_and_save("inbox")
}

/// The hidden programs. Only the bench reads their output.
pub(crate) const PROGRAMS: [&str; 4] = [engine::RECEIVING, engine::ANSWERING, engine::SEARCHING, bare::PROGRAM_NAME];

pub(crate) fn run_internal_command(name: &str, argument: &str) -> Result<(), BenchError> {
    match name {
        bare::PROGRAM_NAME => bare::serve(argument),
        engine::SEARCHING => engine::search(argument),
        _ => engine::serve(name, argument),
    }
}

/// The number of concurrent senders.
const CONNECTIONS: u64 = 64;
const ROUND_TIME: Duration = Duration::from_secs(4);

/// Measures events per second. A response of 200 means that the event is stored.
fn measure_rate(rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let work_folder = empty_folder("inbox")?;
    let ours = start_program(engine::RECEIVING, &work_folder.join("home"))?;
    let bare = start_program(bare::PROGRAM_NAME, &work_folder.join("events"))?;
    let mut first = 0;
    let mut run = |(subject, path): &(Subject, String), time| {
        first += 10_000_000;
        run_load(subject.address, Events::sources(path, first, CONNECTIONS), Until::Passed(time))
    };
    let (mut of_ours, mut of_bare) = (Vec::new(), Vec::new());
    for both in [&ours, &bare] {
        run(both, ROUND_TIME / 2);
    }
    for _ in 0..rounds {
        of_ours.push(run(&ours, ROUND_TIME));
        of_bare.push(run(&bare, ROUND_TIME));
    }
    let columns = ["", "events/s", "p50 / p99 ms", "not answered 200"];
    let mut table = Table::new(&format!("Events of 2 kB, {CONNECTIONS} senders at once"), &columns);
    for (name, results) in [
        ("**Takt's receiver**: kept, copies counted, read, indexed", &of_ours),
        ("bare axum handler: appended to a file", &of_bare),
    ] {
        let milliseconds =
            |percent| median(results.iter().map(|one| one.percentile(percent).as_secs_f64() * 1000.0).collect());
        let failures: usize = results.iter().map(|one| one.failures).sum();
        let latency = format!("{} / {}", format_optional(milliseconds(50)), format_optional(milliseconds(99)));
        table.add_row([name.to_owned(), format_optional(per_second(results)), latency, failures.to_string()]);
    }
    report.tables.push(table);
    let ratios = of_ours.iter().zip(&of_bare).map(|(ours, bare)| ours.per_second() / bare.per_second()).collect();
    report.at_least("events per second, Takt's receiver ÷ the bare handler", 0.5, median(ratios), "times");
    drop((ours, bare));
    fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))
}

/// Measures events that need an answer, from many senders, with all example rules active.
fn measure_answers(rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let work_folder = empty_folder("inbox")?;
    let (subject, path) = start_program(engine::ANSWERING, &work_folder.join("home"))?;
    let mut results = Vec::new();
    for round in 0..=rounds {
        let first = round as u64 * 10_000_000;
        let result = run_load(
            subject.address,
            Events::sources_with_answers(&path, first, CONNECTIONS),
            Until::Passed(ROUND_TIME),
        );
        // The first one warms up.
        if round > 0 {
            results.push(result);
        }
    }
    let milliseconds =
        |percent| -> Vec<f64> { results.iter().map(|one| one.percentile(percent).as_secs_f64() * 1000.0).collect() };
    let worst = milliseconds(100).into_iter().reduce(f64::max);
    let latency =
        format!("{} / {}", format_optional(median(milliseconds(50))), format_optional(median(milliseconds(99))));
    let failures: usize = results.iter().map(|one| one.failures).sum();
    let columns = ["", "answers/s", "p50 / p99 ms", "at worst, ms", "not answered 200"];
    let mut table = Table::new(
        &format!("Answers by ten rules, {CONNECTIONS} senders at once, each kept with its reason"),
        &columns,
    );
    table.add_row([
        "**Takt's receiver**".to_owned(),
        format_optional(per_second(&results)),
        latency,
        format_optional(worst),
        failures.to_string(),
    ]);
    report.tables.push(table);
    report.at_most("an answer to an event that asks, at worst", 1000.0, worst, "ms");
    drop(subject);
    fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))
}

/// Receives many events and measures queries.
fn measure_search(events: u32, report: &mut Report) -> Result<(), BenchError> {
    let work_folder = empty_folder("inbox")?;
    let home = work_folder.join("home");
    let (subject, path) = start_program(engine::RECEIVING, &home)?;
    let each = usize::try_from(u64::from(events).div_ceil(CONNECTIONS)).unwrap_or(usize::MAX);
    let sent = run_load(subject.address, Events::sources(&path, 0, CONNECTIONS), Until::Answered(each));
    if sent.failures > 0 {
        return Err(unexpected_result(engine::RECEIVING, &format!("{} events weren't taken", sent.failures)));
    }
    print(&format!(
        "{} events received, {} a second",
        format_number(f64::from(events)),
        format_number(sent.per_second())
    ));
    drop(subject);
    let mut command = hidden_program(engine::SEARCHING)?;
    let output = command.arg(&home).stderr(Stdio::inherit()).output();
    let output = output.map_err(|source| BenchError::Start { program: engine::SEARCHING.to_owned(), source })?;
    let measurement: SearchMeasurement = serde_json::from_slice(&output.stdout)
        .map_err(|error| unexpected_result(engine::SEARCHING, &error.to_string()))?;
    print(&format!("the rest of them read within {} s", format_number(measurement.reading)));
    let mut table = Table::new(
        &format!("Found among {} events", format_number(f64::from(measurement.events))),
        &["what", "found", "ms, at worst"],
    );
    for (name, count, worst) in &measurement.searches {
        table.add_row([name.clone(), count.to_string(), format_number(*worst)]);
    }
    report.tables.push(table);
    let worst = measurement.searches.iter().map(|(_, _, worst)| *worst).reduce(f64::max);
    report.at_most("a search's first page, at worst", 200.0, worst, "ms");
    report.at_most("any page of the list, at worst", 200.0, Some(measurement.pages), "ms");
    fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))
}

fn per_second(results: &[LoadResult]) -> Option<f64> {
    median(results.iter().map(LoadResult::per_second).collect())
}

/// Starts a hidden program and returns it with the path of the URL that it prints.
fn start_program(name: &str, argument: &Path) -> Result<(Subject, String), BenchError> {
    let mut command = hidden_program(name)?;
    command.arg(argument);
    let (subject, url) = Subject::start_with_url(name, command)?;
    let path = url.splitn(4, '/').nth(3).unwrap_or_default().to_owned();
    Ok((subject, path))
}
