//! `takt check`: reads, maps and checks a workbook. Sends nothing.

use std::{collections::BTreeMap, path::PathBuf, time::Instant};

use serde_json::{Value, json};
use takt_engine::{
    Engine, Problem,
    import::{ImportCounts, ImportView, PlanStep},
};

use crate::{
    arguments::ImportArguments,
    command::{import, steps},
    console::{Console, is_several, sanitize},
    exit_codes::{ExitStatus, Failure},
    findings::{self, WorstFindings},
    session::{self, Session},
};

/// The arguments of `takt check` other than the site.
#[derive(Debug)]
pub(super) struct CheckRequest {
    pub(super) import: ImportArguments,
    pub(super) to: Option<String>,
    pub(super) save_mapping: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    pub(super) offline: bool,
    pub(super) json: bool,
}

pub(super) async fn run(request: &CheckRequest, site: Option<&str>, console: &Console) -> Result<ExitStatus, Failure> {
    let start = Instant::now();
    let CheckRequest { save_mapping, report, json, .. } = request;
    // The session must exist until the rows are checked, since it runs the practice plant.
    let session = if request.offline { None } else { Some(Session::open(site, console).await?) };
    let engine =
        session.as_ref().map_or_else(|| session::open_local_engine(console), |session| Ok(session.engine.clone()))?;
    let checked_site = session.as_ref().map(|session| session.site.as_str());
    // Without a report the file is read only once, so no copy of it is needed.
    if report.is_none() {
        engine.imports().read_settings().enable_reading_in_place();
    }
    let view = import::open(&engine, checked_site.or(site), &request.import, request.to.as_deref(), console)?;
    let view = steps::check_against_site(&engine, &view, checked_site, site).await?;
    let imports = engine.imports();
    if let Some(path) = save_mapping {
        imports.mapping(view.id)?.write(path)?;
        console.print_remark("check.mapping-saved", &[("file", sanitize(&path.display().to_string()))]);
    }
    if let Some(report) = report {
        let saved = imports.save_findings(view.id, console.texts.language, report)?;
        console.print_remark(
            if saved.keeps_original { "check.report" } else { "check.report-new" },
            &[("file", sanitize(&saved.path))],
        );
    }
    if *json {
        print_json(&engine, &view, start, console)?
    } else {
        print_text(&engine, &view, console)?
    }
    Ok(exit_status(&view.totals))
}

/// Prints every finding, then a summary of each step. If there are several steps, prints their totals, too.
fn print_json(engine: &Engine, view: &ImportView, start: Instant, console: &Console) -> Result<(), Problem> {
    engine
        .imports()
        .visit_findings(view.id, |finding| console.print_json(&findings::finding_json(&finding, console)))?;
    let mut lines = Vec::new();
    steps::for_each_sheet(engine, view, |step, sheet| {
        lines.push(summary(step, sheet));
        Ok(())
    })?;
    if is_several(&lines) {
        lines.iter().for_each(|line| console.print_json(line));
        lines.push(total_json(view));
    }
    if let Some(last) = lines.last_mut() {
        add_usage(last, start);
        console.print_json(last);
    }
    Ok(())
}

fn print_text(engine: &Engine, view: &ImportView, console: &Console) -> Result<(), Problem> {
    steps::print_order(&view.steps, console);
    let mut worst: BTreeMap<String, WorstFindings> = BTreeMap::new();
    engine.imports().visit_findings(view.id, |finding| worst.entry(finding.sheet.clone()).or_default().add(finding))?;
    steps::for_each_sheet(engine, view, |step, sheet| {
        if is_several(&view.steps) {
            console.print_line("");
        }
        print_sheet(sheet, &step.operation, console);
        findings::print_reading(&sheet.reading, console);
        findings::print_reference_checks(sheet, console);
        worst.remove(&step.sheet).unwrap_or_default().print(console);
        print_totals(&sheet.counts, console);
        Ok(())
    })?;
    if is_several(&view.steps) {
        console.print_line("");
        print_totals(&view.totals, console);
    }
    Ok(())
}

/// Returns the JSON line with the totals of all steps.
fn total_json(view: &ImportView) -> Value {
    let counts = &view.totals;
    json!({
        "file": view.file,
        "sheet": null,
        "operation": null,
        "steps": view.steps.iter().map(|step| step.sheet.as_str()).collect::<Vec<_>>(),
        "rows": counts.rows,
        "items": counts.items,
        "errors": counts.errors,
        "warnings": counts.warnings,
        "excluded": counts.excluded,
    })
}

/// Returns the JSON line with the summary of one step.
fn summary(step: &PlanStep, view: &ImportView) -> Value {
    let counts = &view.counts;
    let mapping: Vec<Value> = view
        .columns
        .iter()
        .filter_map(|column| {
            let matched = column.matched.as_ref()?;
            Some(json!({
                "column": column.letter,
                "heading": column.heading,
                "field": matched.field,
                "score": matched.score,
                "also": column.also,
                // Version 0.1 had one format per column, and scripts may still read it.
                "format": column.formats.first(),
                "formats": column.formats,
            }))
        })
        .collect();
    json!({
        "file": view.file,
        "sheet": view.sheet,
        "operation": step.operation,
        "order": step.order,
        "part": step.part,
        "state": step.state,
        "waitsFor": step.waits_for,
        "rows": counts.rows,
        "items": counts.items,
        "errors": counts.errors,
        "warnings": counts.warnings,
        "excluded": counts.excluded,
        "replayed": view.replayed,
        "mapping": mapping,
        "missing": view.missing,
        "reading": view.reading,
        "sense": view.reference_checks,
        "changes": view.changes,
    })
}

/// Adds the elapsed time in seconds and the peak memory in bytes.
fn add_usage(line: &mut Value, start: Instant) {
    line["seconds"] = json!(start.elapsed().as_secs_f64());
    line["peakMemoryBytes"] = json!(peak_memory_bytes());
}

fn print_sheet(view: &ImportView, operation: &str, console: &Console) {
    console.print_line(&sanitize(&format!("{} {} → {operation}", view.file, view.sheet)));
    findings::print_mapping(view, console);
    findings::print_fixes(view, console);
}

fn print_totals(counts: &ImportCounts, console: &Console) {
    let parameters = [
        ("rows", counts.rows.to_string()),
        ("ready", counts.ready_rows.to_string()),
        ("errors", counts.errors.to_string()),
        ("warnings", counts.warnings.to_string()),
    ];
    console.print_text("check.total", &parameters);
}

fn exit_status(counts: &ImportCounts) -> ExitStatus {
    if counts.errors > 0 || counts.ready_rows == 0 { ExitStatus::Rejected } else { ExitStatus::Done }
}

/// Returns the peak memory use of the process in bytes, or `None` on systems other than Linux.
fn peak_memory_bytes() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    parse_peak_memory(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn parse_peak_memory(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_read() {
        assert_eq!(parse_peak_memory("Name:\ttakt\nVmHWM:\t   5120 kB\nVmRSS:\t 4 kB\n"), Some(5_242_880));
        assert_eq!(parse_peak_memory("Name:\ttakt\n"), None);
    }
}
