//! `takt check`: reads, maps and checks a workbook; sends nothing.

use std::{path::Path, time::Instant};

use serde_json::{Value, json};

use crate::{
    arguments::ImportArguments,
    command::import,
    console::{Console, plain},
    ending::{Ending, Failure},
    findings, memory, session,
};

pub(super) fn run(
    arguments: &ImportArguments,
    operation: Option<&str>,
    (save_mapping, report): (Option<&Path>, Option<&Path>),
    json: bool,
    console: &Console,
) -> Result<Ending, Failure> {
    let start = Instant::now();
    let opened = import::open(session::engine(console)?, arguments, operation)?;
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
    if json {
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
            "changes": view.changes,
            "seconds": start.elapsed().as_secs_f64(),
            "peakMemoryBytes": memory::peak_bytes(),
        }));
    } else {
        console.line(&plain(&format!("{} {} → {}", view.file, view.sheet, opened.operation)));
        findings::show_mapping(view, console);
        findings::show_mending(view, console);
        findings::show_reading(&view.reading, console);
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
