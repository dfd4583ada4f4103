//! `cargo xtask bench import`: a large workbook from the file to checked rows, against those who merely read it.

mod binary_forms;
mod files;
mod forms;
mod readers;
mod rows;
mod session;
mod startup;
pub(super) mod sync;
mod whole;
mod window;

use crate::{
    bench::{import::files::Files, import::forms::FORMS, option::number, peers::folder, report::Report},
    console::{print, timed},
    error::XtaskError,
};

const ROWS: u32 = 1_000_000;
const QUICK_ROWS: u32 = 20_000;
/// Rows of the file that the slow readers get.
const PEER_ROWS: u32 = 100_000;

/// Programs that this one starts itself as, so that each is measured as a process of its own.
pub(super) const HIDDEN: [&str; 7] =
    [files::MAKE, readers::XLSX, readers::CSV, readers::ODS, readers::XLSB, readers::XLS, session::NAME];

#[derive(Debug)]
struct Options {
    rows: u32,
    rounds: usize,
    seed: u64,
    peers: bool,
    window: bool,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, XtaskError> {
        let mut options = Self { rows: ROWS, rounds: 5, seed: 1, peers: true, window: true };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            match option.as_str() {
                "--quick" => (options.rows, options.rounds, options.peers) = (QUICK_ROWS, 2, false),
                "--no-peers" => options.peers = false,
                // It is driven by its everyday build, which takes long where there is none yet.
                "--no-window" => options.window = false,
                "--rows" => options.rows = number(option, &mut rest, 100..=1_048_575)?,
                "--rounds" => options.rounds = number(option, &mut rest, 1..=100)?,
                "--seed" => options.seed = number(option, &mut rest, 0..=u64::MAX)?,
                _ => return Err(XtaskError::Bench(option.clone())),
            }
        }
        Ok(options)
    }
}

pub(super) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let options = Options::read(arguments)?;
    let mut report = Report::new();
    print(&format!("measuring on {}; rows from seed {}", report.machine, options.seed));
    let made = (options.seed, options.rounds);
    let files = timed(&format!("a workbook of {} rows", options.rows), || Files::made(options.rows, options.seed))?;
    timed("takt check on xlsx", || whole::against_calamine(&files, options.rounds, &mut report))?;
    timed("takt check on csv", || whole::against_csv(&files, options.rounds, &mut report))?;
    timed("takt check on other forms", || whole::against_forms(&files, made, &mut report))?;
    timed("takt check where each row is wrong", || whole::with_findings(&files, made, &mut report))?;
    timed("takt sync of the csv", || sync::memory((options.rows, options.seed), &mut report))?;
    timed("takt --version, takt check of few rows", || startup::measure(options.seed, options.rounds, &mut report))?;
    timed("jump, sort and filter", || session::measure(&files, options.rounds, &mut report))?;
    if options.window {
        timed("the window with the file", || {
            window::measure(&files.xlsx, &mut report);
            Ok(())
        })?;
    }
    if options.peers {
        timed("takt check against polars", || whole::against_polars(&files, options.rounds, &mut report))?;
        let files = Files::made(PEER_ROWS.min(options.rows), options.seed)?;
        timed("takt check against SheetJS and openpyxl", || whole::against_peers(&files, options.rounds, &mut report))?;
    }
    report.close("import")
}

/// What the hidden names do. They print for the bench alone.
pub(super) fn act(name: &str, options: &[String]) -> Result<(), XtaskError> {
    let file = options.first().ok_or_else(|| XtaskError::Bench(name.to_owned()))?;
    let found = match name {
        readers::XLSX => readers::read_xlsx(file.as_ref())?.to_string(),
        readers::ODS => readers::read_ods(file.as_ref())?.to_string(),
        readers::XLSB => readers::read_xlsb(file.as_ref())?.to_string(),
        readers::XLS => readers::read_xls(file.as_ref())?.to_string(),
        readers::CSV => readers::read_csv(file.as_ref())?.to_string(),
        files::MAKE => {
            let number = |at: usize| options.get(at).and_then(|text| text.parse::<u32>().ok()).unwrap_or_default();
            let form = options.get(3).and_then(|text| FORMS.get(text.parse::<usize>().ok()?));
            match form {
                Some(form) => form.made_in(file.as_ref(), number(1), number(2).into())?.display().to_string(),
                None => Files::made_in(file.as_ref(), number(1), number(2).into())?.rows.to_string(),
            }
        }
        _ => serde_json::to_string(&session::take(file.as_ref(), &folder().join("home"))?).unwrap_or_default(),
    };
    print(&found);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is measured is there: all forms hold the same cells, every error in them is found, and every question is answered.
    #[test]
    fn a_small_workbook_is_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::made_in(folder.path(), 13_000, 7).unwrap();
        assert!(files.errors >= 6, "{files:?}");
        let cells = readers::read_xlsx(&files.xlsx).unwrap();
        assert!(cells > 13_000 * 11);
        assert_eq!(readers::read_csv(&files.csv).unwrap(), cells);
        let forms = FORMS.map(|form| form.made_in(folder.path(), 13_000, 7).unwrap());
        assert_eq!(readers::read_xlsx(&forms[0]).unwrap(), cells);
        assert_eq!(readers::read_xlsx(&forms[1]).unwrap(), cells);
        assert_eq!(readers::read_ods(&forms[2]).unwrap(), cells);
        assert_eq!(readers::read_xlsb(&forms[3]).unwrap(), cells);
        assert_eq!(readers::read_xls(&forms[4]).unwrap(), cells);
        for file in [&files.xlsx, &files.csv].into_iter().chain(&forms) {
            let taken = session::take(file, &folder.path().join("home")).unwrap();
            assert_eq!((taken.rows, taken.errors), (files.rows, files.errors));
            assert_eq!(taken.answers.len(), 6);
        }
    }

    #[test]
    fn options_are_read_or_refused() {
        let read = |words: &[&str]| Options::read(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(read(&[]).unwrap().window && !read(&["--no-window"]).unwrap().window);
        let options = read(&["--quick", "--rows", "500", "--seed", "9", "--rounds", "3"]).unwrap();
        assert_eq!((options.rows, options.seed, options.rounds, options.peers), (500, 9, 3, false));
        assert!(read(&["--rows", "many"]).is_err() && read(&["--faster"]).is_err());
    }
}
