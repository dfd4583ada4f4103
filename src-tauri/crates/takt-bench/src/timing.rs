//! Measures whole processes with the system's accounting: wall time, processor time and peak memory.

use std::{
    process::{Command, Stdio},
    time::Instant,
};

use wait4::Wait4;

use crate::{
    error::BenchError,
    machine::median,
    report::{Table, format_number, format_optional},
};

const MEGABYTE: f64 = 1024.0 * 1024.0;

/// A command that takes turns with others, with its name.
pub(crate) struct Runner<'a> {
    pub(crate) name: &'a str,
    pub(crate) command: &'a dyn Fn() -> Command,
}

/// The measured values of one runner, one value per round.
#[derive(Debug, Default)]
pub(crate) struct RunnerTimes {
    pub(crate) name: String,
    /// The wall times in seconds.
    wall: Vec<f64>,
    /// The processor times in seconds.
    processor: Vec<f64>,
    /// The peaks of memory in MB. Empty if the system doesn't report it.
    peak: Vec<f64>,
}

/// The median of ratios, with their minimum and maximum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    min: f64,
    max: f64,
}

impl RunnerTimes {
    pub(crate) fn wall(&self) -> Option<f64> {
        median(self.wall.clone())
    }

    /// Returns the largest peak of all rounds in MB.
    pub(crate) fn peak(&self) -> Option<f64> {
        self.peak.iter().copied().reduce(f64::max)
    }

    /// Returns the ratio of wall times, round by round.
    pub(crate) fn wall_ratio(&self, other: &Self) -> Option<Ratio> {
        ratio(&self.wall, &other.wall)
    }

    /// Returns the ratio of processor times, round by round.
    fn processor_ratio(&self, other: &Self) -> Option<Ratio> {
        ratio(&self.processor, &other.processor)
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({}–{})", format_number(self.median), format_number(self.min), format_number(self.max))
    }
}

fn ratio(mine: &[f64], theirs: &[f64]) -> Option<Ratio> {
    let ratios: Vec<f64> = mine.iter().zip(theirs).map(|(mine, theirs)| mine / theirs).collect();
    let min = ratios.iter().copied().reduce(f64::min)?;
    let max = ratios.iter().copied().reduce(f64::max)?;
    Some(Ratio { median: median(ratios)?, min, max })
}

/// Warms all runners up once, then runs them in turns.
pub(crate) fn run_in_turns(runners: &[Runner<'_>], rounds: usize) -> Result<Vec<RunnerTimes>, BenchError> {
    let mut all_times: Vec<RunnerTimes> =
        runners.iter().map(|runner| RunnerTimes { name: runner.name.to_owned(), ..RunnerTimes::default() }).collect();
    for runner in runners {
        run_once(runner, &mut RunnerTimes::default())?;
    }
    for _ in 0..rounds {
        for (runner, times) in runners.iter().zip(&mut all_times) {
            run_once(runner, times)?;
        }
    }
    Ok(all_times)
}

#[expect(clippy::cast_precision_loss, reason = "bytes of memory")]
fn run_once(runner: &Runner<'_>, times: &mut RunnerTimes) -> Result<(), BenchError> {
    let failed = |source| BenchError::Start { program: runner.name.to_owned(), source };
    let mut command = (runner.command)();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let used = command.spawn().map_err(failed)?.wait4().map_err(failed)?;
    times.wall.push(start.elapsed().as_secs_f64());
    // `takt check` ends with 1 if rows have errors, as these have.
    if !matches!(used.status.code(), Some(0 | 1)) {
        let line = runner.name.to_owned();
        return Err(BenchError::Failed { line, status: used.status.to_string(), output: String::new() });
    }
    times.processor.push((used.rusage.utime + used.rusage.stime).as_secs_f64());
    if used.rusage.maxrss > 0 {
        times.peak.push(used.rusage.maxrss as f64 / MEGABYTE);
    }
    Ok(())
}

/// Returns a table that compares the times of all runners with those of the first.
pub(crate) fn comparison_table(title: &str, all_times: &[RunnerTimes]) -> Table {
    let columns = ["", "seconds", "processor seconds", "peak MB", "time ÷ the first's", "processor time ÷ the first's"];
    let mut table = Table::new(title, &columns);
    let Some(first) = all_times.first() else { return table };
    for times in all_times {
        let shown = |ratio: Option<Ratio>| ratio.map_or_else(|| "–".to_owned(), |ratio| ratio.to_string());
        table.add_row([
            times.name.clone(),
            format_optional(times.wall()),
            format_optional(median(times.processor.clone())),
            format_optional(times.peak()),
            shown(times.wall_ratio(first)),
            shown(times.processor_ratio(first)),
        ]);
    }
    table
}
