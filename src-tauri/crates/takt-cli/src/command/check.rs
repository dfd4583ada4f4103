//! `takt check`: reads, maps and checks a workbook; sends nothing.

use std::{path::PathBuf, time::Instant};

use serde_json::{Value, json};

use crate::{
    arguments::ImportArguments,
    command::import,
    console::{Console, plain},
    ending::{Ending, Failure},
    findings, memory,
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
    let mut opened = import::open(engine, &wanted.import, wanted.to.as_deref())?;
    match (&session, site) {
        (Some(session), _) => opened.look_at(&session.site).await?,
        (None, Some(site)) => opened.view = opened.engine.check_against_kept(site, opened.view.id)?,
        (None, None) => {}
    }
    let view = &opened.view;
    if let Some(path) = save_mapping {
        opened.engine.imports().mapping(view.id)?.write(path)?;
        console.remark("check.mapping-saved", &[("file", plain(&path.display().to_string()))]);
    }
    let found = opened.engine.imports().findings(view.id)?;
    let counts = &view.counts;
    if let Some(report) = report {
        let saved = opened.engine.imports().save_findings(view.id, console.texts.language, report)?;
        console.remark(if saved.whole { "check.report" } else { "check.report-new" }, &[("file", plain(&saved.path))]);
    }
    if *json {
        for finding in &found {
            console.json(&findings::json(finding, console));
        }
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
        console.json(&json!({
            "file": view.file,
            "sheet": view.sheet,
            "operation": opened.operation,
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
            "seconds": start.elapsed().as_secs_f64(),
            "peakMemoryBytes": memory::peak_bytes(),
        }));
    } else {
        console.line(&plain(&format!("{} {} → {}", view.file, view.sheet, opened.operation)));
        findings::show_mapping(view, console);
        findings::show_mending(view, console);
        findings::show_reading(&view.reading, console);
        findings::show_sense(view, console);
        findings::show(&found, console);
        let places = [
            ("rows", counts.rows.to_string()),
            ("ready", counts.ready_rows.to_string()),
            ("errors", counts.errors.to_string()),
            ("warnings", counts.warnings.to_string()),
        ];
        console.say("check.total", &places);
    }
    Ok(if counts.errors > 0 || counts.ready_rows == 0 { Ending::Rejected } else { Ending::Done })
}
