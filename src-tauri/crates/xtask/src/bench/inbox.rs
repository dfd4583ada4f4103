//! `cargo xtask bench inbox`: events received and kept, against a bare handler that appends to a file; answering
//! those that ask; and finding them again.

mod appending;
mod figures;
mod payload;
mod receiving;
mod searching;

use crate::{
    bench::{option::number, report::Report},
    console::{print, timed},
    error::XtaskError,
};

const EVENTS: u32 = 1_000_000;

/// Programs that this one starts itself as, so that each is measured as a process of its own.
pub(super) const HIDDEN: [&str; 4] = [receiving::NAME, receiving::ANSWERING, appending::NAME, searching::NAME];

#[derive(Debug)]
struct Options {
    events: u32,
    rounds: usize,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, XtaskError> {
        let mut options = Self { events: EVENTS, rounds: 5 };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            match option.as_str() {
                "--quick" => options = Self { events: EVENTS / 50, rounds: 2 },
                "--events" => options.events = number(option, &mut rest, 1_000..=10_000_000)?,
                "--rounds" => options.rounds = number(option, &mut rest, 1..=100)?,
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
    timed("receiving, against a bare handler", || figures::rate(options.rounds, &mut report))?;
    timed("answering", || figures::answers(options.rounds, &mut report))?;
    timed("many events", || figures::search(options.events, &mut report))?;
    report.close("inbox")
}

/// What the hidden names do. They print for the bench alone.
pub(super) fn act(name: &str, options: &[String]) -> Result<(), XtaskError> {
    let wish = options.first().ok_or_else(|| XtaskError::Bench(name.to_owned()))?;
    match name {
        appending::NAME => appending::serve(wish),
        receiving::NAME | receiving::ANSWERING => receiving::serve(name, wish),
        _ => searching::search(wish),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_refused() {
        let read = |words: &[&str]| Options::read(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        let options = read(&["--quick", "--events", "5000"]).unwrap();
        assert_eq!((options.events, options.rounds), (5_000, 2));
        assert!(read(&["--events", "many"]).is_err() && read(&["--faster"]).is_err());
    }
}
