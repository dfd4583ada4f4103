//! `cargo xtask bench team`: a team's PostgreSQL against a file of one's own, many desks that send at once, deliveries to targets, and how soon a desk sees
//! what another one sends and goes on with what it left.

mod cluster;
mod deliveries;
mod desks;
mod following;
mod rate;
mod takeover;

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use self::cluster::Cluster;
use crate::{
    bench::{option::number, peers::folder, report::Report},
    console::{print, timed},
    error::XtaskError,
};

const ITEMS: u32 = 100_000;
const FEW: u32 = 10_000;

#[derive(Debug)]
struct Options {
    items: u32,
    rounds: usize,
    desks: u32,
    /// Of each desk.
    requests: u32,
    /// Submissions that another desk looks out for.
    seen: u32,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, XtaskError> {
        let mut options = Self { items: ITEMS, rounds: 5, desks: 50, requests: 20, seen: 20 };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            match option.as_str() {
                "--quick" => options = Self { items: FEW, rounds: 2, desks: 50, requests: 5, seen: 10 },
                "--items" => options.items = number(option, &mut rest, 1_000..=1_000_000)?,
                "--rounds" => options.rounds = number(option, &mut rest, 1..=100)?,
                "--desks" => options.desks = number(option, &mut rest, 2..=cluster::MOST_DESKS)?,
                "--requests" => options.requests = number(option, &mut rest, 1..=1_000)?,
                _ => return Err(XtaskError::Bench(option.clone())),
            }
        }
        Ok(options)
    }
}

pub(super) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let options = Options::read(arguments)?;
    let mut report = Report::new();
    print(&format!("measuring on {}", report.machine));
    let cluster = timed("a PostgreSQL of its own", Cluster::start)?;
    timed("a team's database against a file of one's own", || {
        rate::measure(&cluster, options.items, options.rounds, &mut report)
    })?;
    timed("desks at once", || desks::measure(&cluster, (options.desks, options.requests), &mut report))?;
    timed("deliveries written down", || deliveries::measure(&cluster, &mut report))?;
    timed("what another desk sends, seen", || following::measure(&cluster, options.seen, &mut report))?;
    timed("what a killed desk left, taken over", || takeover::measure(&cluster, options.rounds, &mut report))?;
    report.close("team")
}

/// A folder in which nothing of an earlier run lies.
fn fresh(name: &str) -> Result<PathBuf, XtaskError> {
    let place = folder().join("team").join(name);
    drop(fs::remove_dir_all(&place));
    fs::create_dir_all(&place).map_err(XtaskError::file(&place))?;
    Ok(place)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Looks until something is there, but no longer than `patience`.
fn wait_for<T>(
    patience: Duration,
    pulse: Duration,
    mut look: impl FnMut() -> Result<Option<T>, XtaskError>,
) -> Result<Option<T>, XtaskError> {
    let began = Instant::now();
    while began.elapsed() < patience {
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        std::thread::sleep(pulse);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_refused() {
        let read = |words: &[&str]| Options::read(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        let options = read(&["--quick", "--items", "2000", "--desks", "4"]).unwrap();
        assert_eq!((options.items, options.rounds, options.desks, options.requests), (2_000, 2, 4, 5));
        assert!(
            read(&["--desks", "1"]).is_err() && read(&["--desks", "1000"]).is_err() && read(&["--faster"]).is_err()
        );
    }

    #[test]
    fn what_never_comes_isnt_waited_for_forever() {
        let moment = Duration::from_millis(1);
        assert_eq!(wait_for(Duration::from_secs(60), moment, || Ok(Some(1))).unwrap(), Some(1));
        assert_eq!(wait_for(moment * 20, moment, || Ok(None::<u32>)).unwrap(), None);
    }
}
