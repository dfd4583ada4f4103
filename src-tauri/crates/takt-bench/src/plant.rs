//! `cargo xtask bench plant`: measures the practice plant's pages, batches, memory and start against other servers.

mod bare;
mod batches;
mod pages;
mod peers;
mod rounds;

pub(crate) use bare::{PROGRAM_NAME as BARE, serve as serve_bare};

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::{
    console::{print, timed},
    error::BenchError,
    http::request_bytes,
    load::{Cycle, LoadResult, Until, run_load},
    machine::{self, median},
    orders::ORDERS_PATH,
    plant::{
        batches::{batch_request, fresh_orders},
        rounds::RoundSettings,
    },
    report::{Report, Table, format_number, format_optional},
    subject::Plant,
};

/// The number of concurrent connections.
const CONNECTIONS: usize = 8;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// Take less than a minute: no other servers, no larger plants.
    #[arg(long)]
    quick: bool,
    /// Minutes at full load [default: 1; with --quick: 0.1].
    #[arg(long)]
    minutes: Option<f64>,
    /// Leave out Prism, json-server and WireMock.
    #[arg(long)]
    no_peers: bool,
}

impl Options {
    fn needs_peers(&self) -> bool {
        !self.quick && !self.no_peers
    }

    fn load_time(&self) -> Duration {
        let minutes = self.minutes.unwrap_or(if self.quick { 0.1 } else { 1.0 });
        Duration::from_secs_f64(minutes.max(0.0) * 60.0)
    }

    fn settings(&self) -> RoundSettings {
        let (rounds, seconds) = if self.quick { (3, 0.5) } else { (5, 2.0) };
        RoundSettings { connections: CONNECTIONS, rounds, time: Duration::from_secs_f64(seconds) }
    }
}

pub(crate) fn run(options: &Options) -> Result<(), BenchError> {
    let settings = options.settings();
    let mut report = Report::new();
    print(&format!("measuring on {}", report.machine));
    measure_starts(options, &mut report)?;
    let small = Plant::start("small", &[])?;
    timed("pages of orders", || pages::compare_with_peers(&small, options.needs_peers(), settings, &mut report))?;
    timed("batches of orders", || batches::measure(&small, options.needs_peers(), settings, &mut report))?;
    timed("pages beside batches", || {
        measure_reads_during_writes(&small, settings, &mut report);
        Ok::<_, BenchError>(())
    })?;
    drop(small);
    if !options.quick {
        let small = Plant::start("small", &[])?;
        let short = RoundSettings { connections: CONNECTIONS, rounds: 5, time: Duration::from_millis(500) };
        let others = timed("starting a factory and a large plant", || start_larger_plants(&mut report))?;
        timed("the cost of a page by size", || pages::compare_sizes(&small, &others, short, &mut report))?;
    }
    let loaded = Plant::start("small", &[])?;
    timed(&format!("{} minutes at full load", format_number(options.load_time().as_secs_f64() / 60.0)), || {
        measure_full_load(&loaded, options.load_time(), &mut report);
        Ok::<_, BenchError>(())
    })?;
    drop(loaded);
    report.print_and_save("plant")
}

/// Measures from the start to the first page of orders, including the sign-in.
fn measure_starts(options: &Options, report: &mut Report) -> Result<(), BenchError> {
    let count = if options.quick { 5 } else { 15 };
    let mut times = Vec::new();
    for _ in 0..count {
        let plant = Plant::start("small", &[])?;
        times.push(plant.subject.first_response.as_secs_f64() * 1000.0);
        drop(plant);
        thread::sleep(Duration::from_millis(50));
    }
    report.at_most("start to first answer of `small`, sign-in included", 200.0, machine::median(times), "ms");
    Ok(())
}

/// Starts larger plants and reports their start time and memory.
fn start_larger_plants(report: &mut Report) -> Result<Vec<Plant>, BenchError> {
    let mut table = Table::new("Larger plants", &["size", "start to first answer", "resident MB"]);
    let mut plants = Vec::new();
    for size in ["factory", "large"] {
        let plant = Plant::start(size, &["--size", size])?;
        let seconds = format!("{} s", format_number(plant.subject.first_response.as_secs_f64()));
        table.add_row([size.to_owned(), seconds, format_optional(plant.subject.resident)]);
        plants.push(plant);
    }
    report.tables.push(table);
    Ok(plants)
}

// Full load: pages and batches for minutes with the log on, and the memory during that time.

/// The number of connections that read, which equals the number of connections that write.
const LOAD_CONNECTIONS: usize = 4;
/// The interval of memory samples.
const MEMORY_INTERVAL: Duration = Duration::from_millis(500);
/// The batches that each connection sends before the measurement. They fill the log, whose size is limited.
const WARM_UP_BATCHES: usize = 1_500;

fn measure_full_load(plant: &Plant, time: Duration, report: &mut Report) {
    let pages: Vec<Vec<u8>> = (1..=4)
        .map(|page| request_bytes("GET", &format!("{ORDERS_PATH}?page={page}&limit=100"), &plant.headers(), &[]))
        .collect();
    let writes = batch_request(plant);
    let until = Until::Passed(time);
    let address = plant.subject.address;
    run_load(address, fresh_orders(&writes, LOAD_CONNECTIONS, 2_000), Until::Answered(WARM_UP_BATCHES));
    let (read, written, samples) = thread::scope(|scope| {
        let reading = scope.spawn(|| run_load(address, Cycle::sources(pages, LOAD_CONNECTIONS), until));
        let writing = scope.spawn(|| run_load(address, fresh_orders(&writes, LOAD_CONNECTIONS, 2_000), until));
        let samples = sample_memory(plant, time);
        (reading.join().unwrap_or_default(), writing.join().unwrap_or_default(), samples)
    });
    add_load_table(time, &read, &written, &samples, report);
}

/// Samples the memory in MB.
fn sample_memory(plant: &Plant, time: Duration) -> Vec<f64> {
    let start = Instant::now();
    let mut samples = Vec::new();
    while start.elapsed() < time {
        samples.extend(plant.subject.resident_now());
        thread::sleep(MEMORY_INTERVAL);
    }
    samples
}

fn add_load_table(time: Duration, read: &LoadResult, written: &LoadResult, samples: &[f64], report: &mut Report) {
    let tenth = samples.len().div_ceil(10);
    let (begin, end) = (samples.get(..tenth), samples.get(samples.len() - tenth..));
    let middle = |part: Option<&[f64]>| part.and_then(|part| median(part.to_vec()));
    let (begin, end) = (middle(begin), middle(end));
    let most = samples.iter().copied().reduce(f64::max);
    let minutes = time.as_secs_f64() / 60.0;
    let title = format!(
        "{} minutes at full load: {LOAD_CONNECTIONS} connections read, {LOAD_CONNECTIONS} write",
        format_number(minutes)
    );
    let columns = ["pages/s", "batches/s", "failures", "MB, first tenth", "MB, last tenth", "MB at most"];
    let mut table = Table::new(&title, &columns);
    table.add_row([
        format_number(read.per_second()),
        format_number(written.per_second()),
        (read.failures + written.failures).to_string(),
        format_optional(begin),
        format_optional(end),
        format_optional(most),
    ]);
    report.tables.push(table);
    let growth = begin.zip(end).map(|(begin, end)| (end / begin - 1.0) * 100.0);
    report.at_most("growth of memory at full load, log on", 10.0, growth, "%");
}

// Reads during writes, compared with reads alone. A write must not block a read.

/// The number of connections that read, and that write. With more, the result would depend on the number of cores.
const ONE_CONNECTION: usize = 1;
/// Batches that the writer sends before it checks whether to end.
const BATCHES_PER_CHECK: usize = 5;
/// The number of orders that are written repeatedly.
const ORDERS_WRITTEN: usize = 2_000;

fn measure_reads_during_writes(plant: &Plant, settings: RoundSettings, report: &mut Report) {
    let pages: Vec<Vec<u8>> = (1..=4)
        .map(|page| request_bytes("GET", &format!("{ORDERS_PATH}?page={page}&limit=100"), &plant.headers(), &[]))
        .collect();
    let writes = batch_request(plant);
    let address = plant.subject.address;
    let read = || {
        let result = run_load(address, Cycle::sources(pages.clone(), ONE_CONNECTION), Until::Passed(settings.time));
        milliseconds(result.percentile(99))
    };
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..settings.rounds {
        alone.push(read());
        let ended = AtomicBool::new(false);
        beside.push(thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    run_load(
                        address,
                        fresh_orders(&writes, ONE_CONNECTION, ORDERS_WRITTEN),
                        Until::Answered(BATCHES_PER_CHECK),
                    );
                }
            });
            let latency = read();
            ended.store(true, Ordering::Relaxed);
            latency
        }));
    }
    let (alone, beside) = (median(alone), median(beside));
    let mut table =
        Table::new("A page of 100 orders: 99 of 100 come within", &["alone, ms", "while batches are written, ms"]);
    table.add_row([format_optional(alone), format_optional(beside)]);
    report.tables.push(table);
    let more = alone.zip(beside).map(|(alone, beside)| (beside - alone).max(0.0));
    report.at_most("what writes add to a read's time, 99 of 100", 5.0, more, "ms");
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
