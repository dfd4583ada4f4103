//! How long pages take while others write, against pages alone: a write must not make a reader wait.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use crate::bench::{
    batches::{batch, fresh},
    http::request,
    load::{Cycle, Until, volley},
    machine::median,
    peers::ORDERS,
    report::{Report, Table, perhaps},
    rounds::Effort,
    subject::Plant,
};

/// One connection reads and one writes: more would measure how the cores are shared out.
const CONNECTIONS: usize = 1;
/// Batches that a writer sends before it looks whether it is to go on.
const BATCHES: usize = 5;
/// Orders that are written again and again.
const ORDERS_WRITTEN: usize = 2_000;

pub(super) fn measure(plant: &Plant, effort: Effort, report: &mut Report) {
    let pages: Vec<Vec<u8>> =
        (1..=4).map(|page| request("GET", &format!("{ORDERS}?page={page}&limit=100"), &plant.headers(), &[])).collect();
    let writes = batch(plant);
    let address = plant.subject.address;
    let read = || {
        let volley = volley(address, Cycle::sources(pages.clone(), CONNECTIONS), Until::Passed(effort.time));
        milliseconds(volley.percentile(99))
    };
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        alone.push(read());
        let ended = AtomicBool::new(false);
        beside.push(thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    volley(address, fresh(&writes, CONNECTIONS, ORDERS_WRITTEN), Until::Answered(BATCHES));
                }
            });
            let found = read();
            ended.store(true, Ordering::Relaxed);
            found
        }));
    }
    let (alone, beside) = (median(alone), median(beside));
    let mut table =
        Table::new("A page of 100 orders: 99 of 100 come within", &["alone, ms", "while batches are written, ms"]);
    table.row([perhaps(alone), perhaps(beside)]);
    report.tables.push(table);
    let more = alone.zip(beside).map(|(alone, beside)| (beside - alone).max(0.0));
    report.at_most("what writes add to a read's time, 99 of 100", 5.0, more, "ms");
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
