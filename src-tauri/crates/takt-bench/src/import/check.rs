//! Measures `takt check` as a process against programs that only read the same file, and the window with that file.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    error::{BenchError, wrong},
    import::{
        binary_forms::MAX_LEGACY_ROWS,
        files::{self, Files},
        forms::{FORMS, Form},
        readers::{self, Peer, hidden_program_on},
        rows::{HEADINGS, errors, wrong_row},
    },
    process::{cargo, folder, program, run_captured, takt},
    report::{Report, format_number},
    timing::{Course, Runner, in_turns, table},
};

/// The rows of the file for the slow readers.
pub(super) const PEER_ROWS: u32 = 100_000;

const CHECK: &str = "**`takt check`**: read, mapped, typed, checked";

pub(crate) fn against_calamine(files: &Files, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let what = "xlsx: `takt check` ÷ calamine's streaming reader merely reading";
    let courses =
        against(files, &files.xlsx, "calamine `worksheet_cells_reader`, merely reading", readers::XLSX, rounds)?;
    goals(files, what, 1.5, &courses, report);
    report.tables.push(table(&format!("xlsx, {} rows × {} columns", rows(files), HEADINGS.len()), &courses));
    Ok(())
}

pub(crate) fn against_csv(files: &Files, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let what = "csv: `takt check` ÷ the csv crate merely reading";
    let courses = against(files, &files.csv, "csv crate, `StringRecord`, merely reading", readers::CSV, rounds)?;
    goals(files, what, 3.5, &courses, report);
    report.tables.push(table(&format!("csv, {} rows × {} columns", rows(files), HEADINGS.len()), &courses));
    Ok(())
}

/// Measures against polars with two threads. With few rows most of its time is its start, which counts.
pub(crate) fn against_polars(files: &Files, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let Some(polars) = readers::available("polars", readers::polars()) else { return Ok(()) };
    let read = || polars.command(&files.csv);
    let check = || check(&files.csv);
    let courses =
        in_turns(&[Runner { name: &polars.name, command: &read }, Runner { name: CHECK, command: &check }], rounds)?;
    let [reader, own] = &courses[..] else { return Ok(()) };
    let ratio = own.over(reader).map(|ratio| ratio.median);
    report.at_most(&format!("csv: `takt check` ÷ polars merely reading, {} rows", rows(files)), 1.2, ratio, "");
    report.tables.push(table(&format!("csv, {} rows × {} columns: polars", rows(files), HEADINGS.len()), &courses));
    Ok(())
}

/// Measures memory if nearly each row has an error, so that there are more findings than rows.
pub(crate) fn with_findings(files: &Files, seed: u64, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let path = files::prepare_csv("errors", files.rows, seed, wrong_row)?;
    let wrong = Files { rows: files.rows, errors: files.rows, xlsx: path.clone(), csv: path.clone() };
    verify(&path, &wrong)?;
    let check = || check(&path);
    let courses = in_turns(&[Runner { name: CHECK, command: &check }], rounds.div_ceil(2))?;
    let peak = courses.first().and_then(Course::peak);
    let what = format!("csv, an error in each of {} rows: peak memory of `takt check`", rows(files));
    report.at_most(&what, 200.0, peak, "MB");
    report.tables.push(table(&format!("csv, an error in each of {} rows", rows(files)), &courses));
    Ok(())
}

/// Measures the same rows in other formats. OpenDocument has fewer rows, because its readers load the whole file. An
/// xls has at most its limit of rows.
pub(crate) fn against_forms(files: &Files, seed: u64, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    for form in FORMS {
        let (reader, rows) = match form {
            Form::OpenDocument => (readers::ODS, files.rows.min(PEER_ROWS)),
            Form::Binary => (readers::XLSB, files.rows),
            Form::Legacy => (readers::XLS, files.rows.min(MAX_LEGACY_ROWS)),
            Form::InlineTexts | Form::FormulasAndStyles => (readers::XLSX, files.rows),
        };
        let path = form.prepare(rows, seed)?;
        let of_form = Files { rows, errors: errors(rows), xlsx: path.clone(), csv: path.clone() };
        let courses = against(&of_form, &path, "calamine, merely reading", reader, rounds)?;
        let what = format!("{}: `takt check` ÷ calamine merely reading", form.name());
        goals(&of_form, &what, form.goal(), &courses, report);
        report.tables.push(table(&format!("{}, {} rows", form.name(), format_number(f64::from(rows))), &courses));
    }
    Ok(())
}

pub(crate) fn against_peers(files: &Files, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    verify(&files.xlsx, files)?;
    let peers = readers::peers();
    let check = || check(&files.xlsx);
    let commands: Vec<_> = peers.iter().map(|peer| move || Peer::command(peer, &files.xlsx)).collect();
    let mut runners = vec![Runner { name: CHECK, command: &check }];
    runners.extend(peers.iter().zip(&commands).map(|(peer, command)| Runner { name: &peer.name, command }));
    let courses = in_turns(&runners, rounds)?;
    for course in courses.iter().skip(1) {
        let ratio = courses.first().and_then(|own| course.over(own));
        let what = format!("{}, {} rows ÷ `takt check`", course.name, rows(files));
        let least = if course.name.starts_with("SheetJS") { 5.0 } else { 8.0 };
        report.at_least(&what, least, ratio.map(|ratio| ratio.median), "");
    }
    report.tables.push(table(&format!("xlsx, {} rows: the readers of other importers", rows(files)), &courses));
    Ok(())
}

fn rows(files: &Files) -> String {
    format_number(f64::from(files.rows))
}

/// Measures the reader first and `takt check` second.
fn against(files: &Files, file: &Path, name: &str, reader: &str, rounds: usize) -> Result<Vec<Course>, BenchError> {
    verify(file, files)?;
    hidden_program_on(reader, file)?;
    let read = || hidden_program_on(reader, file).unwrap_or_else(|_| program(reader));
    let check = || check(file);
    in_turns(&[Runner { name, command: &read }, Runner { name: CHECK, command: &check }], rounds)
}

fn goals(files: &Files, what: &str, most: f64, courses: &[Course], report: &mut Report) {
    let [reader, check] = courses else { return };
    let ratio = check.over(reader).map(|ratio| ratio.median);
    report.at_most(&format!("{what}, {} rows", rows(files)), most, ratio, "");
    let kind = what.split(':').next().unwrap_or_default();
    let most = if kind == "csv" { 140.0 } else { 200.0 };
    report.at_most(&format!("{kind}: peak memory of `takt check`"), most, check.peak(), "MB");
}

fn check(file: &Path) -> Command {
    let mut command = takt();
    // The other readers use no network either.
    command.arg("check").arg(file).args(["--offline", "--json"]).env("TAKT_HOME", folder().join("home"));
    command
}

/// Checks that every row was read, every column mapped and every error found. Otherwise the time doesn't count.
fn verify(file: &Path, files: &Files) -> Result<(), BenchError> {
    let start = |source| BenchError::Start { program: "takt".to_owned(), source };
    let output = check(file).stdin(Stdio::null()).output().map_err(start)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let last: Value = printed.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let mapped = last["mapping"].as_array().map_or(0, Vec::len);
    let counts = (last["rows"].as_u64(), last["errors"].as_u64(), mapped);
    let expected = (Some(u64::from(files.rows)), Some(u64::from(files.errors)), HEADINGS.len());
    if counts == expected {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(wrong("takt check", &format!("rows, errors and columns are {counts:?} and not {expected:?}. {complaint}")))
}

/// The rows of the small workbook.
const FEW: u32 = 200;
const MILLISECONDS: f64 = 1_000.0;

/// Measures whole processes. They are short, so they run in four times as many rounds.
pub(crate) fn startup(seed: u64, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let files = Files::prepare(FEW, seed)?;
    let version = || {
        let mut command = takt();
        command.arg("--version");
        command
    };
    let check = || check(&files.xlsx);
    let runners = [
        Runner { name: "`takt --version`", command: &version },
        Runner { name: "`takt check` of 200 rows, as xlsx", command: &check },
    ];
    let courses = in_turns(&runners, rounds * 4)?;
    for (course, most) in courses.iter().zip([10.0, 60.0]) {
        let milliseconds = course.wall().map(|seconds| seconds * MILLISECONDS);
        report.at_most(&format!("{}, the whole process", course.name), most, milliseconds, "ms");
    }
    report.tables.push(table("The command line's own time", &courses));
    Ok(())
}

/// In MB beyond an empty window.
const MAX_WINDOW_MEMORY: f64 = 700.0;

/// Measures the window's memory, unless no window can be opened or the system doesn't report memory.
pub(crate) fn window(file: &Path, report: &mut Report) {
    let more = printed(file).as_deref().and_then(more);
    report.at_most("the window with such a file open, above an empty one", MAX_WINDOW_MEMORY, more, "MB");
}

fn printed(file: &Path) -> Option<String> {
    run_captured(cargo(["build", "-p", "takt-desktop", "-p", "takt-cli"])).ok()?;
    let mut test = cargo(["test", "-p", "takt-tests", "--test", "window", "memory", "--", "--ignored", "--nocapture"]);
    test.env("TAKT_LARGE_FILE", file);
    run_captured(test).ok()
}

/// Returns the difference of a line such as `1000000 rows: 334 MB empty, 574 MB with the file`.
fn more(printed: &str) -> Option<f64> {
    let line = printed.lines().find(|line| line.ends_with(" MB with the file"))?;
    let (_, sizes) = line.split_once(": ")?;
    let (empty, with) = sizes.split_once(" MB empty, ")?;
    let with: f64 = with.split_once(' ')?.0.parse().ok()?;
    Some(with - empty.parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_line_is_understood() {
        assert_eq!(more("running 1 test\n1000000 rows: 334 MB empty, 574 MB with the file\nok"), Some(240.0));
        assert_eq!(more("test memory ... ok"), None);
    }
}
