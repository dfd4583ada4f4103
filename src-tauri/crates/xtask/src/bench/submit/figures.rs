//! What is measured, and held against its goals.

use std::{thread, time::Duration};

use serde_json::Value;

use super::{
    bare, engine,
    orders::{Done, SIZE, SendRequest},
};
use crate::{
    bench::{
        machine::median,
        report::{Report, Table, perhaps, plain},
        subject::{Plant, wrong},
    },
    error::XtaskError,
    process::{catch, program},
};

/// So many requests per second are allowed where there is a limit, and so many orders go in each.
const ALLOWED: u32 = 100;
const SMALL: u32 = 10;
/// Numbers of orders where new ones would only fill the plant's memory.
const AROUND: u32 = 2_000;

/// A submission and the bare loop in turns, both to the same plant.
pub(super) fn rate(items: u32, rounds: usize, report: &mut Report) -> Result<(), XtaskError> {
    let plant = Plant::start("takt plant", &[])?;
    let wish = wish(&plant, items, items);
    let mut scores: [(&str, Vec<Done>); 2] = [(engine::NAME, Vec::new()), (bare::NAME, Vec::new())];
    for round in 0..=rounds {
        for (name, done) in &mut scores {
            plant.reset()?;
            let one = started(name, &wish)?;
            if one.accepted != items {
                return Err(wrong(name, &format!("{} of {items} orders were accepted", one.accepted)));
            }
            // The first round warms up.
            if round > 0 {
                done.push(one);
            }
        }
    }
    let [(_, ours), (_, bare)] = &scores;
    let ratio = median(ours.iter().zip(bare).map(|(ours, bare)| bare.seconds / ours.seconds).collect());
    let what =
        format!("orders sent per second with a journal against a bare reqwest loop, {} orders", plain(items.into()));
    report.at_least(&what, 0.5, ratio, "times");
    let title = format!("{} new work orders in requests of {SIZE}, at most 8 on their way", plain(items.into()));
    let mut table = Table::new(&title, &["", "orders/s", "seconds", "writing down before, seconds"]);
    for (name, done) in
        [("takt's engine, every request written down before and after", ours), ("bare reqwest loop", bare)]
    {
        let of = |figure: &dyn Fn(&Done) -> f64| median(done.iter().map(figure).collect());
        let cells = [
            perhaps(of(&|done| f64::from(done.accepted) / done.seconds)),
            perhaps(of(&|done| done.seconds)),
            perhaps(of(&|done| done.written)),
        ];
        table.row([name.to_owned()].into_iter().chain(cells));
    }
    report.tables.push(table);
    Ok(())
}

/// How much of a limit is used, and how often it is hit.
pub(super) fn limit(windows: u32, report: &mut Report) -> Result<(), XtaskError> {
    let mut table = Table::new(
        "Under a limit of the service, by windows of a second",
        &["allowed per second", "seconds", "requests", "of what was allowed, %", "answers 429"],
    );
    let (mut requests, mut refused, mut least) = (0, 0, f64::INFINITY);
    for allowed in [ALLOWED / 5, ALLOWED] {
        let plant = Plant::start("takt plant", &["--rate-limit", &format!("{allowed}/1")])?;
        // Signing in has begun a window; what is measured begins its own.
        thread::sleep(Duration::from_secs(2));
        let items = allowed * (windows + 5) * SMALL;
        // A little less than so many windows: nothing of the next one is counted.
        let seconds = Some(f64::from(windows) - 0.05);
        let wish = SendRequest { size: SMALL, seconds, ..wish(&plant, items, AROUND) };
        let done = started(engine::NAME, &wish)?;
        let share = f64::from(done.settled) * 100.0 / f64::from(allowed * windows);
        (requests, refused, least) =
            (requests + done.requests, refused + done.requests - done.settled, least.min(share));
        table.row([
            allowed.to_string(),
            plain(done.seconds),
            done.requests.to_string(),
            plain(share),
            (done.requests - done.settled).to_string(),
        ]);
    }
    report.at_least("requests made of those that a limit allows", 95.0, Some(least), "%");
    let per_thousand = f64::from(refused) * 1_000.0 / f64::from(requests.max(1));
    report.at_most("requests that hit the limit", 1.0, Some(per_thousand), "of 1,000");
    report.tables.push(table);
    Ok(())
}

/// Memory of a process that sends few rows, and of one that sends many.
pub(super) fn memory(few: u32, many: u32, report: &mut Report) -> Result<(), XtaskError> {
    let plant = Plant::start("takt plant", &[])?;
    let mut table =
        Table::new("Memory of the process that sends", &["rows", "peak MB", "rows/s", "writing down, seconds"]);
    let mut peaks = Vec::new();
    for items in [few, many] {
        let done = started(engine::NAME, &wish(&plant, items, AROUND))?;
        if done.accepted != items {
            return Err(wrong(engine::NAME, &format!("{} of {items} orders were accepted", done.accepted)));
        }
        let rate = f64::from(items) / done.seconds;
        table.row([plain(items.into()), perhaps(done.peak), plain(rate), plain(done.written)]);
        peaks.push(done.peak);
    }
    let more = match &peaks[..] {
        [Some(few), Some(many)] => Some((many - few).max(0.0)),
        _ => None,
    };
    let what = format!("memory that {} rows take beyond {}", plain(many.into()), plain(few.into()));
    report.at_most(&what, 100.0, more, "MB");
    report.tables.push(table);
    Ok(())
}

fn wish(plant: &Plant, items: u32, around: u32) -> SendRequest {
    let (plant, token): (Value, String) = plant.told();
    SendRequest { plant, token, items, around, size: SIZE, seconds: None }
}

/// One of the hidden programs, and what it says at its end.
fn started(name: &str, wish: &SendRequest) -> Result<Done, XtaskError> {
    let here = std::env::current_exe().map_err(XtaskError::file("the bench"))?;
    let mut command = program(&here.to_string_lossy());
    command.args(["bench", name]).arg(serde_json::to_string(wish).unwrap_or_default());
    let printed = catch(command)?;
    serde_json::from_str(printed.trim()).map_err(|error| wrong(name, &error.to_string()))
}
