//! `cargo xtask bench import`: measures a large workbook from the file to checked rows, against libraries that only
//! read it.

mod binary_formats;
mod check;
mod file_formats;
mod files;
mod readers;
mod rows;
mod session;
mod sync;

use crate::{
    console::{print, timed},
    error::{BenchError, unexpected_result},
    import::{file_formats::FILE_FORMATS, files::Files},
    process::folder,
    report::Report,
};

const DEFAULT_ROWS: u32 = 1_000_000;
const QUICK_ROWS: u32 = 20_000;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// Use 20,000 rows, and leave out what must be downloaded.
    #[arg(long)]
    quick: bool,
    /// Rows of the workbook [default: 1000000; with --quick: 20000].
    #[arg(long, value_parser = clap::value_parser!(u32).range(100..=1_048_575))]
    rows: Option<u32>,
    /// Rounds [default: 5; with --quick: 2].
    #[arg(long)]
    rounds: Option<usize>,
    /// Seed of the rows.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave out polars, SheetJS and openpyxl.
    #[arg(long)]
    no_peers: bool,
    /// Leave out the window, whose everyday build may take long.
    #[arg(long)]
    no_window: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), BenchError> {
    let mut report = Report::new();
    let (rows, rounds) = if options.quick { (QUICK_ROWS, 2) } else { (DEFAULT_ROWS, 5) };
    let (rows, rounds, seed) = (options.rows.unwrap_or(rows), options.rounds.unwrap_or(rounds), options.seed);
    print(&format!("measuring on {}; rows from seed {seed}", report.machine));
    let files = timed(&format!("a workbook of {rows} rows"), || Files::prepare(rows, seed))?;
    timed("takt check on xlsx", || check::compare_with_calamine(&files, rounds, &mut report))?;
    timed("takt check on csv", || check::compare_with_csv_crate(&files, rounds, &mut report))?;
    timed("takt check on other forms", || check::compare_other_formats(&files, seed, rounds, &mut report))?;
    timed("takt check where each row is wrong", || check::measure_with_findings(&files, seed, rounds, &mut report))?;
    timed("takt sync of the csv", || sync::measure_memory(rows, seed, &mut report))?;
    timed("takt --version, takt check of few rows", || check::measure_startup(seed, rounds, &mut report))?;
    timed("jump, sort and filter", || session::measure(&files, rounds, &mut report))?;
    if !options.no_window {
        timed("the window with the file", || {
            check::measure_window(&files.xlsx, &mut report);
            Ok::<_, BenchError>(())
        })?;
    }
    if !options.quick && !options.no_peers {
        timed("takt check against polars", || check::compare_with_polars(&files, rounds, &mut report))?;
        let files = Files::prepare(check::PEER_ROWS.min(rows), seed)?;
        timed("takt check against SheetJS and openpyxl", || check::compare_with_peers(&files, rounds, &mut report))?;
    }
    report.print_and_save("import")
}

/// The hidden programs. Only the bench reads their output.
pub(crate) const PROGRAMS: [&str; 7] = [
    files::MAKE_ROWS,
    readers::READ_XLSX,
    readers::READ_CSV,
    readers::READ_ODS,
    readers::READ_XLSB,
    readers::READ_XLS,
    session::PROGRAM_NAME,
];

pub(crate) fn run_internal_command(name: &str, options: &[String]) -> Result<(), BenchError> {
    let file = options.first().ok_or_else(|| unexpected_result(name, "it takes a file"))?;
    let output = match name {
        readers::READ_XLSX => readers::count_xlsx_cells(file.as_ref())?.to_string(),
        readers::READ_ODS => readers::count_ods_cells(file.as_ref())?.to_string(),
        readers::READ_XLSB => readers::count_xlsb_cells(file.as_ref())?.to_string(),
        readers::READ_XLS => readers::count_xls_cells(file.as_ref())?.to_string(),
        readers::READ_CSV => readers::count_csv_fields(file.as_ref())?.to_string(),
        files::MAKE_ROWS => {
            let number = |at: usize| options.get(at).and_then(|text| text.parse::<u32>().ok()).unwrap_or_default();
            let format = options.get(3).and_then(|text| FILE_FORMATS.get(text.parse::<usize>().ok()?));
            match format {
                Some(format) => format.prepare_in(file.as_ref(), number(1), number(2).into())?.display().to_string(),
                None => Files::prepare_in(file.as_ref(), number(1), number(2).into())?.rows.to_string(),
            }
        }
        _ => {
            serde_json::to_string(&session::measure_queries(file.as_ref(), &folder().join("home"))?).unwrap_or_default()
        }
    };
    print(&output);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All formats contain the same cells, every error in them is found, and every query has a result.
    #[test]
    fn a_small_workbook_is_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::prepare_in(folder.path(), 13_000, 7).unwrap();
        assert!(files.errors >= 6, "{files:?}");
        let cells = readers::count_xlsx_cells(&files.xlsx).unwrap();
        assert!(cells > 13_000 * 11);
        assert_eq!(readers::count_csv_fields(&files.csv).unwrap(), cells);
        let file_formats = FILE_FORMATS.map(|format| format.prepare_in(folder.path(), 13_000, 7).unwrap());
        assert_eq!(readers::count_xlsx_cells(&file_formats[0]).unwrap(), cells);
        assert_eq!(readers::count_xlsx_cells(&file_formats[1]).unwrap(), cells);
        assert_eq!(readers::count_ods_cells(&file_formats[2]).unwrap(), cells);
        assert_eq!(readers::count_xlsb_cells(&file_formats[3]).unwrap(), cells);
        assert_eq!(readers::count_xls_cells(&file_formats[4]).unwrap(), cells);
        for file in [&files.xlsx, &files.csv].into_iter().chain(&file_formats) {
            let measurement = session::measure_queries(file, &folder.path().join("home")).unwrap();
            assert_eq!((measurement.rows, measurement.errors), (files.rows, files.errors));
            assert_eq!(measurement.answers.len(), 6);
        }
    }
}
