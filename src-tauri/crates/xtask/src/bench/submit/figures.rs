//! What is measured, and held against its goals.

use std::{thread, time::Duration};

use serde_json::Value;

use super::{
    bare, bare_writing, engine,
    orders::{Done, SIZE, SendRequest},
    preview as previewing,
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

/// A submission, the bare loop and the bare inserts in turns, all of the same orders.
pub(super) fn rate(items: u32, rounds: usize, report: &mut Report) -> Result<(), XtaskError> {
    let plant = Plant::start("takt plant", &[])?;
    let wish = wish(&plant, items, items);
    let names = [engine::NAME, bare::NAME, bare_writing::NAME];
    let [ours, bare, inserts] = &in_turns(names, &wish, rounds, |_, done| {
        plant.reset()?;
        Ok(done.accepted == items)
    })?;
    let ratio = median(ours.iter().zip(bare).map(|(ours, bare)| bare.seconds / ours.seconds).collect());
    let orders = plain(items.into());
    let what = format!("orders sent per second with a journal against a bare reqwest loop, {orders} orders");
    report.at_least(&what, 0.8, ratio, "times");
    let whole = |done: &Done| done.written + done.seconds;
    let ratio = median(ours.iter().zip(bare).map(|(ours, bare)| bare.seconds / whole(ours)).collect());
    report.at_least(&format!("{what}, writing down before included"), 0.8, ratio, "times");
    let ratio = median(ours.iter().zip(inserts).map(|(ours, inserts)| ours.written / inserts.written).collect());
    report.at_most(&format!("{orders} rows written down ÷ rusqlite's bare inserts"), 1.5, ratio, "");
    let title = format!("{orders} new work orders in requests of {SIZE}, at most 8 on their way");
    let mut table =
        Table::new(&title, &["", "orders/s", "seconds", "its own processor seconds", "writing down before, seconds"]);
    for (name, done) in [
        ("takt's engine, every request written down before and after", ours),
        ("bare reqwest loop", bare),
        ("rusqlite, bare inserts into a plain table", inserts),
    ] {
        let of =
            |figure: &dyn Fn(&Done) -> f64| median(done.iter().map(figure).collect()).filter(|figure| *figure > 0.0);
        let cells = [
            perhaps(of(&|done| if done.seconds > 0.0 { f64::from(done.accepted) / done.seconds } else { 0.0 })),
            perhaps(of(&|done| done.seconds)),
            perhaps(of(&|done| done.processor.unwrap_or_default())),
            perhaps(of(&|done| done.written)),
        ];
        table.row([name.to_owned()].into_iter().chain(cells));
    }
    report.tables.push(table);
    Ok(())
}

/// A preview of a file with every order that the plant holds, and the same pages read by themselves.
pub(super) fn preview(items: u32, rounds: usize, report: &mut Report) -> Result<(), XtaskError> {
    let plant = Plant::start("takt plant", &[])?;
    let wish = wish(&plant, items, items);
    started(bare::NAME, &wish)?;
    let [ours, bare] = &in_turns([previewing::NAME, previewing::BARE], &wish, rounds, |name, done| {
        let seen = if name == previewing::NAME { done.accepted + done.settled } else { done.accepted };
        Ok(seen >= items)
    })?;
    let ratio = median(ours.iter().zip(bare).map(|(ours, bare)| ours.seconds / bare.seconds).collect());
    let orders = plain(items.into());
    report.at_most(&format!("a change preview of {orders} orders ÷ reading their pages by plain HTTP"), 1.2, ratio, "");
    let title = format!("{orders} orders of a file held against those of the plant");
    let mut table = Table::new(&title, &["", "seconds", "requests", "peak MB"]);
    for (name, done) in [("takt's change preview", ours), ("reqwest, the same pages one after the other", bare)] {
        table.row([
            name.to_owned(),
            perhaps(median(done.iter().map(|done| done.seconds).collect())),
            done.first().map_or(0, |done| done.requests).to_string(),
            perhaps(done.iter().filter_map(|done| done.peak).reduce(f64::max)),
        ]);
    }
    report.tables.push(table);
    Ok(())
}

/// Each of the hidden programs in turns; the first round warms up. `is_whole` looks at each, and makes ready for the next.
fn in_turns<const COUNT: usize>(
    names: [&str; COUNT],
    wish: &SendRequest,
    rounds: usize,
    is_whole: impl Fn(&str, &Done) -> Result<bool, XtaskError>,
) -> Result<[Vec<Done>; COUNT], XtaskError> {
    let mut scores = [const { Vec::new() }; COUNT];
    for round in 0..=rounds {
        for (name, done) in names.iter().zip(&mut scores) {
            let one = started(name, wish)?;
            if !is_whole(name, &one)? {
                return Err(wrong(name, &format!("not all of {} orders: {one:?}", wish.items)));
            }
            if round > 0 {
                done.push(one);
            }
        }
    }
    Ok(scores)
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

pub(in crate::bench) fn wish(plant: &Plant, items: u32, around: u32) -> SendRequest {
    let (plant, token): (Value, String) = plant.told();
    SendRequest { plant, token, items, around, size: SIZE, seconds: None, team: None }
}

/// One of the hidden programs, and what it says at its end.
pub(in crate::bench) fn started(name: &str, wish: &SendRequest) -> Result<Done, XtaskError> {
    let here = std::env::current_exe().map_err(XtaskError::file("the bench"))?;
    let mut command = program(&here.to_string_lossy());
    command.args(["bench", name]).arg(serde_json::to_string(wish).unwrap_or_default());
    let printed = catch(command)?;
    serde_json::from_str(printed.trim()).map_err(|error| wrong(name, &error.to_string()))
}
