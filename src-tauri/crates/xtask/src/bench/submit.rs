//! `cargo xtask bench submit`: a submission with its journal against a bare loop of requests, its rows written
//! down against bare inserts, a change preview against bare reads, a limit, and many rows.

mod bare;
mod bare_writing;
pub(super) mod engine;
pub(super) mod figures;
pub(super) mod orders;
mod preview;

use crate::{
    bench::{option::number, report::Report},
    console::{print, timed},
    error::XtaskError,
};

const ITEMS: u32 = 100_000;
const MANY: u32 = 1_000_000;
const FEW: u32 = 10_000;

/// Programs that this one starts itself as, so that each is measured as a process of its own.
pub(super) const HIDDEN: [&str; 5] = [engine::NAME, bare::NAME, bare_writing::NAME, preview::NAME, preview::BARE];

#[derive(Debug)]
struct Options {
    items: u32,
    many: u32,
    rounds: usize,
    windows: u32,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, XtaskError> {
        let mut options = Self { items: ITEMS, many: MANY, rounds: 5, windows: 30 };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            match option.as_str() {
                "--quick" => options = Self { items: FEW, many: 2 * FEW, rounds: 2, windows: 5 },
                "--items" => options.items = number(option, &mut rest, 1_000..=1_000_000)?,
                "--many" => options.many = number(option, &mut rest, FEW..=5_000_000)?,
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
    timed("a submission against a bare loop", || figures::rate(options.items, options.rounds, &mut report))?;
    timed("a change preview against reading the same pages", || {
        figures::preview(options.items, options.rounds, &mut report)
    })?;
    timed("under a limit", || figures::limit(options.windows, &mut report))?;
    timed("many rows", || figures::memory(FEW, options.many, &mut report))?;
    report.close("submit")
}

/// What the hidden names do. They print for the bench alone.
pub(super) fn act(name: &str, options: &[String]) -> Result<(), XtaskError> {
    let wish = options.first().ok_or_else(|| XtaskError::Bench(name.to_owned()))?;
    let wish = serde_json::from_str(wish).map_err(|_| XtaskError::Bench(name.to_owned()))?;
    let done = match name {
        bare::NAME => bare::send(&wish)?,
        bare_writing::NAME => bare_writing::write(&wish)?,
        preview::NAME => preview::preview(&wish)?,
        preview::BARE => preview::read(&wish)?,
        _ => engine::send(&wish)?,
    };
    print(&serde_json::to_string(&done).unwrap_or_default());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_refused() {
        let read = |words: &[&str]| Options::read(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        let options = read(&["--quick", "--items", "5000", "--rounds", "3"]).unwrap();
        assert_eq!((options.items, options.many, options.rounds), (5_000, 20_000, 3));
        assert!(read(&["--items", "many"]).is_err() && read(&["--faster"]).is_err());
    }
}
