//! `cargo xtask bench plant`: what is measured, in which order.

use std::{thread, time::Duration};

use crate::{
    bench::{
        batches, endurance, machine, pages, reads_beside_writes,
        report::{Report, Table, perhaps, plain},
        rounds::Effort,
        subject::Plant,
    },
    console::{print, timed},
    error::XtaskError,
};

/// Connections at once.
const CONNECTIONS: usize = 8;

#[derive(Debug)]
struct Options {
    quick: bool,
    peers: bool,
    minutes: f64,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, XtaskError> {
        let mut options = Self { quick: false, peers: true, minutes: 1.0 };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            match option.as_str() {
                "--quick" => (options.quick, options.peers, options.minutes) = (true, false, 0.1),
                "--no-peers" => options.peers = false,
                "--minutes" => {
                    let minutes = rest.next().and_then(|text| text.parse().ok()).filter(|minutes| *minutes > 0.0);
                    options.minutes = minutes.ok_or_else(|| XtaskError::Bench(option.clone()))?;
                }
                _ => return Err(XtaskError::Bench(option.clone())),
            }
        }
        Ok(options)
    }

    fn effort(&self) -> Effort {
        let (rounds, seconds) = if self.quick { (3, 0.5) } else { (5, 2.0) };
        Effort { connections: CONNECTIONS, rounds, time: Duration::from_secs_f64(seconds) }
    }
}

pub(super) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let options = Options::read(arguments)?;
    let effort = options.effort();
    let mut report = Report::new();
    print(&format!("measuring on {}", report.machine));
    starts(&options, &mut report)?;
    let small = Plant::start("small", &[])?;
    timed("pages of orders", || pages::against_all(&small, options.peers, effort, &mut report))?;
    timed("batches of orders", || batches::measure(&small, options.peers, effort, &mut report))?;
    timed("pages beside batches", || {
        reads_beside_writes::measure(&small, effort, &mut report);
        Ok::<_, XtaskError>(())
    })?;
    drop(small);
    if !options.quick {
        let small = Plant::start("small", &[])?;
        let short = Effort { connections: CONNECTIONS, rounds: 5, time: Duration::from_millis(500) };
        let others = timed("starting a factory and a large plant", || sizes(&mut report))?;
        timed("the cost of a page by size", || pages::by_size(&small, &others, short, &mut report))?;
    }
    let fresh = Plant::start("small", &[])?;
    timed(&format!("{} minutes at full load", plain(options.minutes)), || {
        endurance::measure(&fresh, Duration::from_secs_f64(options.minutes * 60.0), &mut report);
        Ok::<_, XtaskError>(())
    })?;
    drop(fresh);
    report.close("plant")
}

/// From start to the first page of orders, sign-in included.
fn starts(options: &Options, report: &mut Report) -> Result<(), XtaskError> {
    let count = if options.quick { 5 } else { 15 };
    let mut times = Vec::new();
    for _ in 0..count {
        let plant = Plant::start("small", &[])?;
        times.push(plant.subject.first_answer.as_secs_f64() * 1000.0);
        drop(plant);
        thread::sleep(Duration::from_millis(50));
    }
    report.at_most("start to first answer of `small`, sign-in included", 200.0, machine::median(times), "ms");
    Ok(())
}

/// Larger plants, with what they cost.
fn sizes(report: &mut Report) -> Result<Vec<Plant>, XtaskError> {
    let mut table = Table::new("Larger plants", &["size", "start to first answer", "resident MB"]);
    let mut plants = Vec::new();
    for size in ["factory", "large"] {
        let plant = Plant::start(size, &["--size", size])?;
        let seconds = format!("{} s", plain(plant.subject.first_answer.as_secs_f64()));
        table.row([size.to_owned(), seconds, perhaps(plant.subject.resident)]);
        plants.push(plant);
    }
    report.tables.push(table);
    Ok(plants)
}
