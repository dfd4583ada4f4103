//! `cargo xtask bench browse`: compares the window with yardsticks in the same WebKit.
//!
//! Owns the goals. The window's own tests (`tests/window/webview/pace.rs`) drive the real window and measure. The
//! window is built once more with the yardsticks' pages.

use serde::Deserialize;
use serde_json::json;

use crate::{
    console::{print, timed},
    error::{BenchError, unexpected_result},
    machine::median,
    process::{cargo, folder, npm, run_captured, run_visible},
    report::{Report, Table, format_optional},
};

const DEFAULT_ROWS: u32 = 100_000;
const DEFAULT_ORDERS: u32 = 10_000;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// Use a tenth of the rows and a fifth of the orders.
    #[arg(long)]
    quick: bool,
    /// Rows to scroll [default: 100000; with --quick: 10000].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    rows: Option<u32>,
    /// Orders of the Gantt chart [default: 10000; with --quick: 2000].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    orders: Option<u32>,
}

/// The sizes of a run.
#[derive(Debug, Clone, Copy)]
struct RunSize {
    rows: u32,
    orders: u32,
}

/// A measurement, which the window's tests print as one line of JSON.
#[derive(Debug, Deserialize)]
#[serde(tag = "pace", content = "measured", rename_all = "lowercase")]
enum Measurement {
    First { here: PageTimes, network: PageTimes },
    Scroll { seconds: f64, ours: Vec<Frames>, alone: Vec<Frames> },
    Pan { ours: Vec<Frames>, alone: Vec<Frames> },
    Start { ours: Starts, empty: Starts },
}

/// The starts of a window, one value per start.
#[derive(Debug, Deserialize)]
struct Starts {
    /// Milliseconds from the start of the program until its page begins to load.
    page: Vec<f64>,
    /// Milliseconds from the start of the program until it can be used.
    usable: Vec<f64>,
    /// Megabytes of the idle window with WebKit's processes.
    idle: Vec<f64>,
}

/// The times until a page is shown in milliseconds, one value per page.
#[derive(Debug, Deserialize)]
struct PageTimes {
    /// Until a plain HTTP client has read the response.
    plain: Vec<f64>,
    /// Until the window's page has received the rows.
    asked: Vec<f64>,
    /// Until the first row is drawn after a click.
    ours: Vec<f64>,
    /// Like `ours`, but the pointer rests on the button first, so that the window prefetches the next page.
    rested: Vec<f64>,
}

/// The frames that were drawn during a movement.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frames {
    frames: f64,
    missing: f64,
    per_second: f64,
    /// The median time of a frame in milliseconds.
    half: f64,
    /// The 95th percentile of a frame's time in milliseconds.
    most: f64,
    /// The share of visible rows without content.
    blank: Option<f64>,
}

pub(crate) fn run(options: &Options) -> Result<(), BenchError> {
    let (rows, orders) =
        if options.quick { (DEFAULT_ROWS / 10, DEFAULT_ORDERS / 5) } else { (DEFAULT_ROWS, DEFAULT_ORDERS) };
    let size = RunSize { rows: options.rows.unwrap_or(rows), orders: options.orders.unwrap_or(orders) };
    let mut report = Report::new();
    print(&format!("measuring on {}", report.machine));
    timed("building the window with the yardsticks, optimised", build_window)?;
    let printed = timed("driving the window", || run_window_tests(size))?;
    let lines: Vec<Measurement> = printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if lines.is_empty() {
        return Err(unexpected_result("the window's tests", "they printed no figures"));
    }
    for line in lines {
        report_measurement(&line, size, &mut report);
    }
    report.print_and_save("browse")
}

/// Builds into the bench's folder, so that the web UI's own build isn't replaced.
fn build_window() -> Result<(), BenchError> {
    let pages = folder().join("ui");
    let mut vite = npm(["exec", "--", "vite", "build", "--mode", "yardsticks", "--emptyOutDir", "--outDir"]);
    vite.arg(&pages);
    run_captured(vite)?;
    let mut empty = cargo(["build", "--release", "-p", "takt-desktop", "--example", "empty_window"]);
    empty.args(["--features", "takt-desktop/yardsticks"]);
    run_visible(empty)?;
    let mut window = cargo(["build", "--release", "-p", "takt-desktop", "-p", "takt-cli"]);
    window.env("TAURI_CONFIG", json!({ "build": { "frontendDist": pages } }).to_string());
    run_visible(window)
}

fn run_window_tests(size: RunSize) -> Result<String, BenchError> {
    let mut test = cargo(["test", "--release", "-p", "takt-tests", "--test", "window", "pace::", "--"]);
    test.args(["--ignored", "--nocapture", "--test-threads=1"]);
    test.env("TAKT_PACE_ROWS", size.rows.to_string()).env("TAKT_PACE_ORDERS", size.orders.to_string());
    run_captured(test)
}

fn report_measurement(measured: &Measurement, size: RunSize, report: &mut Report) {
    match measured {
        Measurement::First { here, network } => {
            let columns = ["", "ms, on this machine", "ms, with 100 ms of network"];
            let mut table = Table::new("A page of 100 orders", &columns);
            let of = |times: fn(&PageTimes) -> &Vec<f64>| [here, network].map(|first| median(times(first).clone()));
            let (plain, asked) = (of(|first| &first.plain), of(|first| &first.asked));
            let (ours, rested) = (of(|first| &first.ours), of(|first| &first.rested));
            for (name, figures) in [
                ("plain HTTP client, body read", plain),
                ("asked by the window, rows in its hands", asked),
                ("a click by a script, first row painted", ours),
                ("a click with the pointer resting on the button for half a second, first row painted", rested),
            ] {
                table.add_row([name.to_owned(), format_optional(figures[0]), format_optional(figures[1])]);
            }
            report.tables.push(table);
            for (index, name) in ["on this machine", "with 100 ms of network"].iter().enumerate() {
                let over =
                    |figures: [Option<f64>; 2]| figures[index].zip(plain[index]).map(|(ours, plain)| ours / plain);
                report.at_most(
                    &format!("rows in the window's hands over plain HTTP, {name}"),
                    1.2,
                    over(asked),
                    "times",
                );
                for (click, figures) in [("a click by a script", ours), ("a click of a resting pointer", rested)] {
                    let what = format!("{click}, first row painted over plain HTTP, {name}");
                    report.at_most(&what, 1.2, over(figures), "times");
                }
            }
        }
        Measurement::Scroll { seconds, ours, alone } => {
            print(&format!("{} rows were read and shown within {seconds:.1} s", size.rows));
            let title = format!("Scrolling for 4 s, three rows each frame: {} rows", size.rows);
            let names = ["takt, rows asked of the engine", "AG Grid alone, rows in its hands"];
            add_frames_table(&title, names, [ours, alone], report);
            let (ours, alone) = (median_missing_frames(ours), median_missing_frames(alone));
            let more = ours.zip(alone).map(|(ours, alone)| ours - alone);
            report.at_most("frames missing in 4 s of scrolling, more than AG Grid alone", 0.0, more, "frames");
        }
        Measurement::Pan { ours, alone } => {
            let title = format!("Panning a Gantt for 4 s: {} orders", size.orders);
            add_frames_table(&title, ["takt, planned and real", "ECharts alone, one bar each"], [ours, alone], report);
            let rate = |frames: &[Frames]| median(frames.iter().map(|one| one.per_second).collect());
            let ratio = rate(ours).zip(rate(alone)).map(|(ours, alone)| ours / alone);
            report.at_least("frames per second of the Gantt over a bare one", 1.0, ratio, "times");
        }
        Measurement::Start { ours, empty } => report_starts(ours, empty, report),
    }
}

fn report_starts(ours: &Starts, empty: &Starts, report: &mut Report) {
    let columns = ["", "ms until its page begins", "ms until it can be used", "MB idle"];
    let mut table = Table::new("The start of the window", &columns);
    let of = |figures: &Vec<f64>| median(figures.clone());
    for (name, starts) in [("takt", ours), ("a window with nothing in it", empty)] {
        table.add_row([
            name.to_owned(),
            format_optional(of(&starts.page)),
            format_optional(of(&starts.usable)),
            format_optional(of(&starts.idle)),
        ]);
    }
    report.tables.push(table);
    let over = |ours: &Vec<f64>, empty: &Vec<f64>| of(ours).zip(of(empty)).map(|(ours, empty)| ours / empty);
    report.at_most("start until it can be used over an empty window", 1.3, over(&ours.usable, &empty.usable), "times");
    report.at_most("idle memory over an empty window", 1.3, over(&ours.idle, &empty.idle), "times");
}

fn median_missing_frames(frames: &[Frames]) -> Option<f64> {
    median(frames.iter().map(|one| one.missing).collect())
}

fn add_frames_table(title: &str, names: [&str; 2], both: [&[Frames]; 2], report: &mut Report) {
    let columns = ["", "frames", "missing", "frames/s", "p50 / p95 ms", "rows still blank, %"];
    let mut table = Table::new(title, &columns);
    for (name, all) in names.into_iter().zip(both) {
        let of = |figure: fn(&Frames) -> f64| format_optional(median(all.iter().map(figure).collect()));
        let blank = median(all.iter().filter_map(|one| one.blank).collect()).map(|share| share * 100.0);
        table.add_row([
            name.to_owned(),
            of(|one| one.frames),
            of(|one| one.missing),
            of(|one| one.per_second),
            format!("{} / {}", of(|one| one.half), of(|one| one.most)),
            format_optional(blank),
        ]);
    }
    report.tables.push(table);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_lines_are_understood() {
        let frames = r#"[{"frames":240,"missing":0,"perSecond":60.0,"half":16.7,"most":17.0,"blank":0.5,"at":9}]"#;
        let line = format!(r#"{{"pace":"scroll","measured":{{"rows":9,"seconds":1.5,"ours":{frames},"alone":[]}}}}"#);
        let Ok(Measurement::Scroll { ours, .. }) = serde_json::from_str(&line) else { panic!("{line}") };
        assert_eq!(median_missing_frames(&ours), Some(0.0));
        let mut report = Report::default();
        super::add_frames_table("", ["a", "b"], [&ours, &[]], &mut report);
        assert_eq!(report.tables[0].rows[0][5], "50.0");
    }
}
