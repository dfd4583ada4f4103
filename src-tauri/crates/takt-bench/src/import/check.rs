//! Measures `takt check` as a process against programs that only read the same file, and the window with that file.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    error::{BenchError, unexpected_result},
    import::{
        binary_formats::MAX_LEGACY_ROWS,
        file_formats::{FILE_FORMATS, FileFormat},
        files::{self, Files},
        readers::{self, Peer, hidden_program_on},
        rows::{HEADINGS, expected_errors, invalid_row},
    },
    process::{cargo, folder, program, run_captured, takt},
    report::{Report, format_number},
    timing::{Runner, RunnerTimes, comparison_table, run_in_turns},
};

/// The number of rows in the file for slow readers.
pub(super) const PEER_ROWS: u32 = 100_000;

const CHECK_LABEL: &str = "**`takt check`**: read, mapped, typed, checked";

pub(crate) fn compare_with_calamine(files: &Files, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let what = "xlsx: `takt check` ÷ calamine's streaming reader merely reading";
    let all_times = compare_with_reader(
        files,
        &files.xlsx,
        "calamine `worksheet_cells_reader`, merely reading",
        readers::READ_XLSX,
        rounds,
    )?;
    add_goals(files, what, 1.5, &all_times, report);
    report
        .tables
        .push(comparison_table(&format!("xlsx, {} rows × {} columns", format_rows(files), HEADINGS.len()), &all_times));
    Ok(())
}

pub(crate) fn compare_with_csv_crate(files: &Files, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let what = "csv: `takt check` ÷ the csv crate merely reading";
    let all_times =
        compare_with_reader(files, &files.csv, "csv crate, `StringRecord`, merely reading", readers::READ_CSV, rounds)?;
    add_goals(files, what, 3.5, &all_times, report);
    report
        .tables
        .push(comparison_table(&format!("csv, {} rows × {} columns", format_rows(files), HEADINGS.len()), &all_times));
    Ok(())
}

/// Compares with polars on two threads. The times include the start of each program, which dominates if rows are few.
pub(crate) fn compare_with_polars(files: &Files, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let Some(polars) = readers::ok_or_print("polars", readers::prepare_polars()) else { return Ok(()) };
    let read = || polars.command(&files.csv);
    let check = || check_command(&files.csv);
    let all_times = run_in_turns(
        &[Runner { name: &polars.name, command: &read }, Runner { name: CHECK_LABEL, command: &check }],
        rounds,
    )?;
    let [reader, own] = &all_times[..] else { return Ok(()) };
    let ratio = own.wall_ratio(reader).map(|ratio| ratio.median);
    report.at_most(&format!("csv: `takt check` ÷ polars merely reading, {} rows", format_rows(files)), 1.2, ratio, "");
    report.tables.push(comparison_table(
        &format!("csv, {} rows × {} columns: polars", format_rows(files), HEADINGS.len()),
        &all_times,
    ));
    Ok(())
}

/// Measures the memory of `takt check` if every row has an error.
pub(crate) fn measure_with_findings(
    files: &Files,
    seed: u64,
    rounds: usize,
    report: &mut Report,
) -> Result<(), BenchError> {
    let path = files::prepare_csv("errors", files.rows, seed, invalid_row)?;
    let expected = Files { rows: files.rows, errors: files.rows, xlsx: path.clone(), csv: path.clone() };
    verify(&path, &expected)?;
    let check = || check_command(&path);
    let all_times = run_in_turns(&[Runner { name: CHECK_LABEL, command: &check }], rounds.div_ceil(2))?;
    let peak = all_times.first().and_then(RunnerTimes::peak);
    let what = format!("csv, an error in each of {} rows: peak memory of `takt check`", format_rows(files));
    report.at_most(&what, 200.0, peak, "MB");
    report.tables.push(comparison_table(&format!("csv, an error in each of {} rows", format_rows(files)), &all_times));
    Ok(())
}

/// Measures the same rows in other formats. OpenDocument has fewer rows, because its readers load the whole file. An
/// xls has at most its limit of rows.
pub(crate) fn compare_other_formats(
    files: &Files,
    seed: u64,
    rounds: usize,
    report: &mut Report,
) -> Result<(), BenchError> {
    for format in FILE_FORMATS {
        let (reader, rows) = match format {
            FileFormat::OpenDocument => (readers::READ_ODS, files.rows.min(PEER_ROWS)),
            FileFormat::Binary => (readers::READ_XLSB, files.rows),
            FileFormat::Legacy => (readers::READ_XLS, files.rows.min(MAX_LEGACY_ROWS)),
            FileFormat::InlineTexts | FileFormat::FormulasAndStyles => (readers::READ_XLSX, files.rows),
        };
        let path = format.prepare(rows, seed)?;
        let converted = Files { rows, errors: expected_errors(rows), xlsx: path.clone(), csv: path.clone() };
        let all_times = compare_with_reader(&converted, &path, "calamine, merely reading", reader, rounds)?;
        let what = format!("{}: `takt check` ÷ calamine merely reading", format.name());
        add_goals(&converted, &what, format.max_time_ratio(), &all_times, report);
        report
            .tables
            .push(comparison_table(&format!("{}, {} rows", format.name(), format_number(f64::from(rows))), &all_times));
    }
    Ok(())
}

pub(crate) fn compare_with_peers(files: &Files, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    verify(&files.xlsx, files)?;
    let peers = readers::prepare_peers();
    let check = || check_command(&files.xlsx);
    let commands: Vec<_> = peers.iter().map(|peer| move || Peer::command(peer, &files.xlsx)).collect();
    let mut runners = vec![Runner { name: CHECK_LABEL, command: &check }];
    runners.extend(peers.iter().zip(&commands).map(|(peer, command)| Runner { name: &peer.name, command }));
    let all_times = run_in_turns(&runners, rounds)?;
    for times in all_times.iter().skip(1) {
        let ratio = all_times.first().and_then(|own| times.wall_ratio(own));
        let what = format!("{}, {} rows ÷ `takt check`", times.name, format_rows(files));
        let least = if times.name.starts_with("SheetJS") { 5.0 } else { 8.0 };
        report.at_least(&what, least, ratio.map(|ratio| ratio.median), "");
    }
    report.tables.push(comparison_table(
        &format!("xlsx, {} rows: the readers of other importers", format_rows(files)),
        &all_times,
    ));
    Ok(())
}

fn format_rows(files: &Files) -> String {
    format_number(f64::from(files.rows))
}

/// Measures the reader first and `takt check` second.
fn compare_with_reader(
    files: &Files,
    file: &Path,
    name: &str,
    reader: &str,
    rounds: usize,
) -> Result<Vec<RunnerTimes>, BenchError> {
    verify(file, files)?;
    hidden_program_on(reader, file)?;
    let read = || hidden_program_on(reader, file).unwrap_or_else(|_| program(reader));
    let check = || check_command(file);
    run_in_turns(&[Runner { name, command: &read }, Runner { name: CHECK_LABEL, command: &check }], rounds)
}

fn add_goals(files: &Files, what: &str, most: f64, all_times: &[RunnerTimes], report: &mut Report) {
    let [reader, check] = all_times else { return };
    let ratio = check.wall_ratio(reader).map(|ratio| ratio.median);
    report.at_most(&format!("{what}, {} rows", format_rows(files)), most, ratio, "");
    let kind = what.split(':').next().unwrap_or_default();
    let most = if kind == "csv" { 140.0 } else { 200.0 };
    report.at_most(&format!("{kind}: peak memory of `takt check`"), most, check.peak(), "MB");
}

fn check_command(file: &Path) -> Command {
    let mut command = takt();
    // The other readers use no network either.
    command.arg("check").arg(file).args(["--offline", "--json"]).env("TAKT_HOME", folder().join("home"));
    command
}

/// Checks that every row was read, every column mapped and every error found. Otherwise the time doesn't count.
fn verify(file: &Path, files: &Files) -> Result<(), BenchError> {
    let start = |source| BenchError::Start { program: "takt".to_owned(), source };
    let output = check_command(file).stdin(Stdio::null()).output().map_err(start)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let last: Value = printed.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let mapped = last["mapping"].as_array().map_or(0, Vec::len);
    let counts = (last["rows"].as_u64(), last["errors"].as_u64(), mapped);
    let expected = (Some(u64::from(files.rows)), Some(u64::from(files.errors)), HEADINGS.len());
    if counts == expected {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(unexpected_result(
        "takt check",
        &format!("rows, errors and columns are {counts:?} and not {expected:?}. {complaint}"),
    ))
}

/// The number of rows in the small workbook.
const SMALL_FILE_ROWS: u32 = 200;
const MILLISECONDS: f64 = 1_000.0;

/// Measures whole processes. They are short, so they run in four times as many rounds.
pub(crate) fn measure_startup(seed: u64, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let files = Files::prepare(SMALL_FILE_ROWS, seed)?;
    let version = || {
        let mut command = takt();
        command.arg("--version");
        command
    };
    let check = || check_command(&files.xlsx);
    let runners = [
        Runner { name: "`takt --version`", command: &version },
        Runner { name: "`takt check` of 200 rows, as xlsx", command: &check },
    ];
    let all_times = run_in_turns(&runners, rounds * 4)?;
    for (times, most) in all_times.iter().zip([10.0, 60.0]) {
        let milliseconds = times.wall().map(|seconds| seconds * MILLISECONDS);
        report.at_most(&format!("{}, the whole process", times.name), most, milliseconds, "ms");
    }
    report.tables.push(comparison_table("The command line's own time", &all_times));
    Ok(())
}

/// The maximum memory of a window with the file beyond that of an empty window, in MB.
const MAX_WINDOW_MEMORY: f64 = 700.0;

/// Measures the window's memory, unless no window can be opened or the system doesn't report memory.
pub(crate) fn measure_window(file: &Path, report: &mut Report) {
    let memory = run_memory_test(file).as_deref().and_then(parse_memory_difference);
    report.at_most("the window with such a file open, above an empty one", MAX_WINDOW_MEMORY, memory, "MB");
}

fn run_memory_test(file: &Path) -> Option<String> {
    run_captured(cargo(["build", "-p", "takt-desktop", "-p", "takt-cli"])).ok()?;
    let mut test = cargo(["test", "-p", "takt-tests", "--test", "window", "memory", "--", "--ignored", "--nocapture"]);
    test.env("TAKT_LARGE_FILE", file);
    run_captured(test).ok()
}

/// Returns the difference of a line such as `1000000 rows: 334 MB empty, 574 MB with the file`.
fn parse_memory_difference(printed: &str) -> Option<f64> {
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
        assert_eq!(
            parse_memory_difference("running 1 test\n1000000 rows: 334 MB empty, 574 MB with the file\nok"),
            Some(240.0)
        );
        assert_eq!(parse_memory_difference("test memory ... ok"), None);
    }
}
