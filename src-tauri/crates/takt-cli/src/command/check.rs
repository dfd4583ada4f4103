//! `takt check`: reads, maps and checks a workbook; sends nothing.

use std::{path::PathBuf, time::Instant};

use serde_json::{Value, json};
use takt_engine::{ImportCounts, ImportView};

use crate::{
    arguments::ImportArguments,
    command::{
        check_plan,
        import::{self, Asked},
    },
    console::{Console, plain},
    ending::{Ending, Failure},
    findings::{self, Worst},
    memory,
    session::{self, Session},
};

/// What the command was asked for.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) import: ImportArguments,
    pub(super) to: Option<String>,
    pub(super) save_mapping: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    pub(super) offline: bool,
    pub(super) json: bool,
}

pub(super) async fn run(wanted: &Wanted, site: Option<&str>, console: &Console) -> Result<Ending, Failure> {
    let start = Instant::now();
    let Wanted { save_mapping, report, json, .. } = wanted;
    // The practice plant runs as long as the rows are held against it.
    let session = if wanted.offline { None } else { Some(Session::open(site, console).await?) };
    let engine = session.as_ref().map_or_else(|| session::engine(console), |session| Ok(session.engine.clone()))?;
    let looked = session.as_ref().map(|session| session.site.as_str());
    let mut opened = match import::open_all(engine, &wanted.import, wanted.to.as_deref(), console)? {
        Asked::Sheet(opened) => opened,
        Asked::Plan(engine, view) => {
            let view = check_plan::look_at((&engine, &view), (looked, site)).await?;
            return check_plan::run((&engine, &view), wanted, start, console);
        }
    };
    match (looked, site) {
        (Some(site), _) => opened.look_at(site).await?,
        (None, Some(site)) => opened.view = opened.engine.import_sites().check_against_kept(site, opened.view.id)?,
        (None, None) => {}
    }
    let view = &opened.view;
    if let Some(path) = save_mapping {
        opened.engine.imports().mapping(view.id)?.write(path)?;
        console.remark("check.mapping-saved", &[("file", plain(&path.display().to_string()))]);
    }
    if let Some(report) = report {
        let saved = opened.engine.imports().save_findings(view.id, console.texts.language, report)?;
        console.remark(if saved.whole { "check.report" } else { "check.report-new" }, &[("file", plain(&saved.path))]);
    }
    if *json {
        opened.engine.imports().each_finding(view.id, |finding| console.json(&findings::json(&finding, console)))?;
        let mut line = summary(view, &opened.operation);
        close(&mut line, start);
        console.json(&line);
    } else {
        show(view, &opened.operation, console);
        findings::show_reading(&view.reading, console);
        findings::show_sense(view, console);
        let mut worst = Worst::default();
        opened.engine.imports().each_finding(view.id, |finding| worst.see(finding))?;
        worst.show(console);
        total(&view.counts, console);
    }
    Ok(ending(&view.counts))
}

/// What a script is told of one sheet.
pub(super) fn summary(view: &ImportView, operation: &str) -> Value {
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
                "format": column.format,
            }))
        })
        .collect();
    json!({
        "file": view.file,
        "sheet": view.sheet,
        "operation": operation,
        "rows": counts.rows,
        "items": counts.items,
        "errors": counts.errors,
        "warnings": counts.warnings,
        "excluded": counts.excluded,
        "replayed": view.replayed,
        "mapping": mapping,
        "missing": view.missing,
        "reading": view.reading,
        "sense": view.sense,
        "changes": view.changes,
    })
}

/// What the whole took.
pub(super) fn close(line: &mut Value, start: Instant) {
    line["seconds"] = json!(start.elapsed().as_secs_f64());
    line["peakMemoryBytes"] = json!(memory::peak_bytes());
}

pub(super) fn show(view: &ImportView, operation: &str, console: &Console) {
    console.line(&plain(&format!("{} {} → {operation}", view.file, view.sheet)));
    findings::show_mapping(view, console);
    findings::show_mending(view, console);
}

pub(super) fn total(counts: &ImportCounts, console: &Console) {
    let places = [
        ("rows", counts.rows.to_string()),
        ("ready", counts.ready_rows.to_string()),
        ("errors", counts.errors.to_string()),
        ("warnings", counts.warnings.to_string()),
    ];
    console.say("check.total", &places);
}

pub(super) fn ending(counts: &ImportCounts) -> Ending {
    if counts.errors > 0 || counts.ready_rows == 0 { Ending::Rejected } else { Ending::Done }
}
