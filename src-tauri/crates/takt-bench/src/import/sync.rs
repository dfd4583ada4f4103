//! Measures `takt sync` of the large csv as a whole process, with its change preview, to a plant in another process.

use std::{fs, process::Stdio, time::Instant};

use wait4::Wait4;

use crate::{
    error::BenchError,
    import::{files::prepare_csv, rows::known_row},
    process::folder,
    report::{Report, Table, format_number},
    subject::Plant,
    takt::{SITE, prepare_home, takt_in_home},
};

const MEGABYTE: f64 = 1024.0 * 1024.0;

#[expect(clippy::cast_precision_loss, reason = "bytes of memory")]
pub(crate) fn measure_memory(rows: u32, seed: u64, report: &mut Report) -> Result<(), BenchError> {
    let file = prepare_csv("known", rows, seed, known_row)?;
    let plant = Plant::start("takt plant", &[])?;
    let home = folder().join("sync");
    drop(fs::remove_dir_all(&home));
    prepare_home(&home, &plant)?;
    let mut sync = takt_in_home(&home);
    sync.arg("sync").arg(&file).args(["--to", "work-orders.sync", "--site", SITE, "--yes"]);
    let start = Instant::now();
    let failed = |source| BenchError::Start { program: "takt sync".to_owned(), source };
    let errors = home.join("errors");
    let printed = fs::File::create(&errors).map_err(BenchError::file(&errors))?;
    let child = sync.stdin(Stdio::null()).stdout(Stdio::null()).stderr(printed).spawn();
    let used = child.map_err(failed)?.wait4().map_err(failed)?;
    let seconds = start.elapsed().as_secs_f64();
    if used.status.code() != Some(0) {
        let output = fs::read_to_string(&errors).unwrap_or_default();
        return Err(BenchError::Failed { line: "takt sync".to_owned(), status: used.status.to_string(), output });
    }
    let peak = (used.rusage.maxrss > 0).then(|| used.rusage.maxrss as f64 / MEGABYTE);
    let shown = format_number(f64::from(rows));
    report.at_most(&format!("csv: peak memory of `takt sync`, {shown} rows"), 250.0, peak, "MB");
    let mut table = Table::new(&format!("`takt sync` of a csv, {shown} rows"), &["seconds", "rows/s", "peak MB"]);
    let rate = f64::from(rows) / seconds;
    table.add_row([format_number(seconds), format_number(rate), peak.map_or_else(|| "–".to_owned(), format_number)]);
    report.tables.push(table);
    fs::remove_dir_all(&home).map_err(BenchError::file(&home))
}
