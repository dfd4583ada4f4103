//! The plant at full load for minutes: pages and batches at once, the log on, and its memory looked at all the while.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::bench::{
    batches::{batch, fresh},
    http::request,
    load::{Cycle, Until, Volley, volley},
    machine::median,
    peers::ORDERS,
    report::{Report, Table, perhaps, plain},
    subject::Plant,
};

/// Half of the connections read, half of them write.
const CONNECTIONS: usize = 4;
/// How often memory is looked at.
const STEP: Duration = Duration::from_millis(500);
/// Batches of each writing connection before the time begins: they fill the log, which is bounded by its bytes.
const BEFORE: usize = 1_500;

pub(super) fn measure(plant: &Plant, time: Duration, report: &mut Report) {
    let pages: Vec<Vec<u8>> =
        (1..=4).map(|page| request("GET", &format!("{ORDERS}?page={page}&limit=100"), &plant.headers(), &[])).collect();
    let writes = batch(plant);
    let until = Until::Passed(time);
    let address = plant.subject.address;
    volley(address, fresh(&writes, CONNECTIONS, 2_000), Until::Answered(BEFORE));
    let (read, written, samples) = thread::scope(|scope| {
        let reading = scope.spawn(|| volley(address, Cycle::sources(pages, CONNECTIONS), until));
        let writing = scope.spawn(|| volley(address, fresh(&writes, CONNECTIONS, 2_000), until));
        let samples = watch(plant, time);
        (reading.join().unwrap_or_default(), writing.join().unwrap_or_default(), samples)
    });
    table(time, &read, &written, &samples, report);
}

/// Memory in MB, step by step.
fn watch(plant: &Plant, time: Duration) -> Vec<f64> {
    let start = Instant::now();
    let mut samples = Vec::new();
    while start.elapsed() < time {
        samples.extend(plant.subject.resident_now());
        thread::sleep(STEP);
    }
    samples
}

fn table(time: Duration, read: &Volley, written: &Volley, samples: &[f64], report: &mut Report) {
    let tenth = samples.len().div_ceil(10);
    let (begin, end) = (samples.get(..tenth), samples.get(samples.len() - tenth..));
    let middle = |part: Option<&[f64]>| part.and_then(|part| median(part.to_vec()));
    let (begin, end) = (middle(begin), middle(end));
    let most = samples.iter().copied().reduce(f64::max);
    let minutes = time.as_secs_f64() / 60.0;
    let title = format!("{} minutes at full load: {CONNECTIONS} connections read, {CONNECTIONS} write", plain(minutes));
    let columns = ["pages/s", "batches/s", "failures", "MB, first tenth", "MB, last tenth", "MB at most"];
    let mut table = Table::new(&title, &columns);
    table.row([
        plain(read.per_second()),
        plain(written.per_second()),
        (read.failures + written.failures).to_string(),
        perhaps(begin),
        perhaps(end),
        perhaps(most),
    ]);
    report.tables.push(table);
    let growth = begin.zip(end).map(|(begin, end)| (end / begin - 1.0) * 100.0);
    report.at_most("growth of memory at full load, log on", 10.0, growth, "%");
}
