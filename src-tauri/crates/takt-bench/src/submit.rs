//! `cargo xtask bench submit`: measures submissions. A submission with its journal is compared with a bare loop of
//! requests, and a change preview with bare reads. Rate limits and the memory of many rows are measured, too.

mod bare;
pub(crate) mod engine;
pub(crate) mod exchange;

use std::{thread, time::Duration};

use serde_json::{Value, json};

use crate::{
    console::{print, timed},
    error::{BenchError, unexpected_result},
    machine::median,
    orders::{ORDERS_PER_REQUEST, order},
    process::{hidden_program, run_captured},
    report::{Report, Table, format_number, format_optional},
    subject::Plant,
    submit::exchange::{SendRequest, SendResult},
};

const DEFAULT_ITEMS: u32 = 100_000;
const DEFAULT_MANY: u32 = 1_000_000;
const QUICK_ITEMS: u32 = 10_000;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// Take less than a minute.
    #[arg(long)]
    quick: bool,
    /// Orders sent for the rate [default: 100000; with --quick: 10000].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    items: Option<u32>,
    /// Rows sent for the memory [default: 1000000; with --quick: 20000].
    #[arg(long, value_parser = clap::value_parser!(u32).range(i64::from(QUICK_ITEMS)..=5_000_000))]
    many: Option<u32>,
    /// Rounds [default: 5; with --quick: 2].
    #[arg(long)]
    rounds: Option<usize>,
}

pub(crate) fn run(options: &Options) -> Result<(), BenchError> {
    let mut report = Report::new();
    print(&format!("measuring on {}", report.machine));
    let (items, many, rounds, windows) =
        if options.quick { (QUICK_ITEMS, 2 * QUICK_ITEMS, 2, 5) } else { (DEFAULT_ITEMS, DEFAULT_MANY, 5, 30) };
    let (items, rounds) = (options.items.unwrap_or(items), options.rounds.unwrap_or(rounds));
    timed("a submission against a bare loop", || measure_rate(items, rounds, &mut report))?;
    timed("a change preview against reading the same pages", || measure_preview(items, rounds, &mut report))?;
    timed("under a limit", || measure_rate_limit(windows, &mut report))?;
    timed("many rows", || measure_memory(QUICK_ITEMS, options.many.unwrap_or(many), &mut report))?;
    report.print_and_save("submit")
}

/// The hidden programs. Only the bench reads their output.
pub(crate) const PROGRAMS: [&str; 5] =
    [engine::SENDING, engine::PREVIEWING, bare::SENDING, bare::WRITING, bare::READING];

pub(crate) fn run_internal_command(name: &str, request: &str) -> Result<(), BenchError> {
    let request = serde_json::from_str(request).map_err(|error| unexpected_result(name, &error.to_string()))?;
    let done = match name {
        bare::SENDING => bare::send(&request)?,
        bare::WRITING => bare::write(&request)?,
        bare::READING => bare::read(&request)?,
        engine::PREVIEWING => engine::preview(&request)?,
        _ => engine::send(&request)?,
    };
    print(&serde_json::to_string(&done).unwrap_or_default());
    Ok(())
}

impl SendRequest {
    pub(crate) fn member(&self, name: &str) -> String {
        self.plant[name].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the orders with the members that the file's columns have, so that all programs send the same bodies.
    pub(crate) fn orders(&self) -> impl Iterator<Item = Value> + Send + 'static {
        let around = self.around.max(1);
        let mut order = order();
        if let Some(members) = order.as_object_mut() {
            members.retain(|name, _| engine::COLUMNS.iter().any(|column| column.member == name));
        }
        (0..self.items).map(move |place| {
            let mut order = order.clone();
            order["code"] = json!(format!("WO-{:08}", place % around));
            order
        })
    }
}

/// The larger of the measured rate limits, in requests per second.
const LARGER_RATE_LIMIT: u32 = 100;
/// The number of orders per request under a rate limit.
const SMALL_BATCH: u32 = 10;

/// Measures a submission, the bare loop and the bare inserts in turns, with the same orders.
fn measure_rate(items: u32, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let plant = Plant::start("takt plant", &[])?;
    let input = new_input(&plant, items, items);
    let names = [engine::SENDING, bare::SENDING, bare::WRITING];
    let [ours, bare, inserts] = &in_turns(names, &input, rounds, |_, done| {
        plant.reset()?;
        Ok(done.accepted == items)
    })?;
    let ratio = median(ours.iter().zip(bare).map(|(ours, bare)| bare.seconds / ours.seconds).collect());
    let orders = format_number(items.into());
    let what = format!("orders sent per second with a journal against a bare reqwest loop, {orders} orders");
    report.at_least(&what, 0.8, ratio, "times");
    let whole = |done: &SendResult| done.written + done.seconds;
    let ratio = median(ours.iter().zip(bare).map(|(ours, bare)| bare.seconds / whole(ours)).collect());
    report.at_least(&format!("{what}, writing down before included"), 0.8, ratio, "times");
    let ratio = median(ours.iter().zip(inserts).map(|(ours, inserts)| ours.written / inserts.written).collect());
    report.at_most(&format!("{orders} rows written down ÷ rusqlite's bare inserts"), 1.5, ratio, "");
    let title = format!("{orders} new work orders in requests of {ORDERS_PER_REQUEST}, at most 8 on their way");
    let mut table =
        Table::new(&title, &["", "orders/s", "seconds", "its own processor seconds", "writing down before, seconds"]);
    for (name, done) in [
        ("takt's engine, every request written down before and after", ours),
        ("bare reqwest loop", bare),
        ("rusqlite, bare inserts into a plain table", inserts),
    ] {
        let of = |figure: &dyn Fn(&SendResult) -> f64| {
            median(done.iter().map(figure).collect()).filter(|figure| *figure > 0.0)
        };
        let cells = [
            format_optional(of(&|done| if done.seconds > 0.0 { f64::from(done.accepted) / done.seconds } else { 0.0 })),
            format_optional(of(&|done| done.seconds)),
            format_optional(of(&|done| done.processor.unwrap_or_default())),
            format_optional(of(&|done| done.written)),
        ];
        table.add_row([name.to_owned()].into_iter().chain(cells));
    }
    report.tables.push(table);
    Ok(())
}

/// Measures a preview of a file with every order of the plant, and bare reads of the same pages.
fn measure_preview(items: u32, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let plant = Plant::start("takt plant", &[])?;
    let input = new_input(&plant, items, items);
    run_program(bare::SENDING, &input)?;
    let [ours, bare] = &in_turns([engine::PREVIEWING, bare::READING], &input, rounds, |name, done| {
        let seen = if name == engine::PREVIEWING { done.accepted + done.settled } else { done.accepted };
        Ok(seen >= items)
    })?;
    let ratio = median(ours.iter().zip(bare).map(|(ours, bare)| ours.seconds / bare.seconds).collect());
    let orders = format_number(items.into());
    report.at_most(&format!("a change preview of {orders} orders ÷ reading their pages by plain HTTP"), 1.2, ratio, "");
    let title = format!("{orders} orders of a file held against those of the plant");
    let mut table = Table::new(&title, &["", "seconds", "requests", "peak MB"]);
    for (name, done) in [("takt's change preview", ours), ("reqwest, the same pages one after the other", bare)] {
        table.add_row([
            name.to_owned(),
            format_optional(median(done.iter().map(|done| done.seconds).collect())),
            done.first().map_or(0, |done| done.requests).to_string(),
            format_optional(done.iter().filter_map(|done| done.peak).reduce(f64::max)),
        ]);
    }
    report.tables.push(table);
    Ok(())
}

/// Runs the hidden programs in turns. The first round warms up. `is_complete` checks each result and prepares the next
/// run.
fn in_turns<const COUNT: usize>(
    names: [&str; COUNT],
    input: &SendRequest,
    rounds: usize,
    is_complete: impl Fn(&str, &SendResult) -> Result<bool, BenchError>,
) -> Result<[Vec<SendResult>; COUNT], BenchError> {
    let mut scores = [const { Vec::new() }; COUNT];
    for round in 0..=rounds {
        for (name, done) in names.iter().zip(&mut scores) {
            let one = run_program(name, input)?;
            if !is_complete(name, &one)? {
                return Err(unexpected_result(name, &format!("not all of {} orders: {one:?}", input.items)));
            }
            if round > 0 {
                done.push(one);
            }
        }
    }
    Ok(scores)
}

/// Measures how much of a rate limit is used, and how often it is exceeded.
fn measure_rate_limit(windows: u32, report: &mut Report) -> Result<(), BenchError> {
    let mut table = Table::new(
        "Under a limit of the service, by windows of a second",
        &["allowed per second", "seconds", "requests", "of what was allowed, %", "answers 429"],
    );
    let (mut requests, mut refused, mut least) = (0, 0, f64::INFINITY);
    for allowed in [LARGER_RATE_LIMIT / 5, LARGER_RATE_LIMIT] {
        let plant = Plant::start("takt plant", &["--rate-limit", &format!("{allowed}/1")])?;
        // The sign-in has begun a window. The measurement must begin its own.
        thread::sleep(Duration::from_secs(2));
        let items = allowed * (windows + 5) * SMALL_BATCH;
        // Slightly shorter than the windows, so that no request counts for the next one.
        let seconds = Some(f64::from(windows) - 0.05);
        let input = SendRequest { size: SMALL_BATCH, seconds, ..new_input(&plant, items, items) };
        let done = run_program(engine::SENDING, &input)?;
        let share = f64::from(done.settled) * 100.0 / f64::from(allowed * windows);
        (requests, refused, least) =
            (requests + done.requests, refused + done.requests - done.settled, least.min(share));
        table.add_row([
            allowed.to_string(),
            format_number(done.seconds),
            done.requests.to_string(),
            format_number(share),
            (done.requests - done.settled).to_string(),
        ]);
    }
    report.at_least("requests made of those that a limit allows", 95.0, Some(least), "%");
    let per_thousand = f64::from(refused) * 1_000.0 / f64::from(requests.max(1));
    report.at_most("requests that hit the limit", 1.0, Some(per_thousand), "of 1,000");
    report.tables.push(table);
    Ok(())
}

/// Measures the memory of a process that sends few rows, and of one that sends many.
fn measure_memory(few: u32, many: u32, report: &mut Report) -> Result<(), BenchError> {
    let plant = Plant::start("takt plant", &[])?;
    let mut table =
        Table::new("Memory of the process that sends", &["rows", "peak MB", "rows/s", "writing down, seconds"]);
    let mut peaks = Vec::new();
    for items in [few, many] {
        let done = run_program(engine::SENDING, &new_input(&plant, items, items))?;
        if done.accepted != items {
            return Err(unexpected_result(
                engine::SENDING,
                &format!("{} of {items} orders were accepted", done.accepted),
            ));
        }
        let rate = f64::from(items) / done.seconds;
        table.add_row([
            format_number(items.into()),
            format_optional(done.peak),
            format_number(rate),
            format_number(done.written),
        ]);
        peaks.push(done.peak);
    }
    let more = match &peaks[..] {
        [Some(few), Some(many)] => Some((many - few).max(0.0)),
        _ => None,
    };
    let what = format!("memory that {} rows take beyond {}", format_number(many.into()), format_number(few.into()));
    report.at_most(&what, 100.0, more, "MB");
    report.tables.push(table);
    Ok(())
}

pub(crate) fn new_input(plant: &Plant, items: u32, around: u32) -> SendRequest {
    let (plant, token): (Value, String) = plant.start_line_and_token();
    SendRequest { plant, token, items, around, size: ORDERS_PER_REQUEST, seconds: None, team: None }
}

/// Runs a hidden program and returns its result.
pub(crate) fn run_program(name: &str, input: &SendRequest) -> Result<SendResult, BenchError> {
    let mut command = hidden_program(name)?;
    command.arg(serde_json::to_string(input).unwrap_or_default());
    let printed = run_captured(command)?;
    serde_json::from_str(printed.trim()).map_err(|error| unexpected_result(name, &error.to_string()))
}
