//! `takt check` of a workbook with several steps: each of them in the plan's order, then all of them together.

use std::time::Instant;

use serde_json::json;
use takt_engine::{Canceller, Engine, ImportCounts, ImportView, PlanStep, StepState};

use crate::{
    command::check::{self, Wanted},
    console::{Console, plain},
    ending::{Ending, Failure},
    findings::{self, Worst},
};

/// Holds every step's rows against a site: as it is now, or as it was read before.
pub(super) async fn look_at(
    (engine, view): (&Engine, &ImportView),
    (now, before): (Option<&str>, Option<&str>),
) -> Result<ImportView, Failure> {
    let imports = engine.imports();
    for step in view.steps.iter().filter(|step| step.state != StepState::LeftOut) {
        imports.choose_sheet(view.id, &step.sheet)?;
        match (now, before) {
            (Some(site), _) => engine.import_sites().check_against(site, view.id, false, &Canceller::new()).await?,
            (None, Some(site)) => engine.import_sites().check_against_kept(site, view.id)?,
            (None, None) => break,
        };
    }
    Ok(imports.view(view.id)?)
}

pub(super) fn run(
    (engine, view): (&Engine, &ImportView),
    wanted: &Wanted,
    start: Instant,
    console: &Console,
) -> Result<Ending, Failure> {
    let Wanted { save_mapping, report, json, .. } = wanted;
    let json = *json;
    let imports = engine.imports();
    if let Some(path) = save_mapping {
        imports.plan_mapping(view.id)?.write(path)?;
        console.remark("check.mapping-saved", &[("file", plain(&path.display().to_string()))]);
    }
    if let Some(report) = report {
        let saved = imports.save_plan_findings(view.id, console.texts.language, report)?;
        console.remark(if saved.whole { "check.report" } else { "check.report-new" }, &[("file", plain(&saved.path))]);
    }
    if json {
        for finding in imports.plan_findings(view.id)? {
            console.json(&findings::json(&finding, console));
        }
    } else {
        show_order(&view.steps, console);
    }
    let total = total(view);
    for step in &view.steps {
        let of_sheet = imports.choose_sheet(view.id, &step.sheet)?;
        if json {
            let mut line = check::summary(&of_sheet, &step.operation);
            line["order"] = json!(step.order);
            line["part"] = json!(step.part);
            line["state"] = json!(step.state);
            line["waitsFor"] = json!(step.waits_for);
            console.json(&line);
        } else {
            console.line("");
            check::show(&of_sheet, &step.operation, console);
            findings::show_reading(&of_sheet.reading, console);
            findings::show_sense(&of_sheet, console);
            let mut worst = Worst::default();
            imports.each_finding(view.id, |finding| worst.see(finding))?;
            worst.show(console);
            check::total(&of_sheet.counts, console);
        }
    }
    if json {
        let steps: Vec<&str> = view.steps.iter().map(|step| step.sheet.as_str()).collect();
        let mut line = json!({
            "file": view.file,
            "sheet": null,
            "operation": null,
            "steps": steps,
            "rows": total.rows,
            "items": total.items,
            "errors": total.errors,
            "warnings": total.warnings,
            "excluded": total.excluded,
        });
        check::close(&mut line, start);
        console.json(&line);
    } else {
        console.line("");
        check::total(&total, console);
    }
    Ok(check::ending(&total))
}

/// What goes when, and why.
pub(super) fn show_order(steps: &[PlanStep], console: &Console) {
    let row = |step: &PlanStep| {
        let why = match &step.part {
            _ if step.state == StepState::LeftOut => console.texts.text("plan.left-out", &[]),
            Some(part) => console.texts.text("plan.part", &[("sheet", part.of.clone()), ("list", part.list.clone())]),
            None if step.waits_for.is_empty() => String::new(),
            None => console.texts.text("plan.after", &[("sheets", step.waits_for.join(", "))]),
        };
        let place = if step.part.is_some() { String::new() } else { format!("{}.", step.order) };
        vec![place, step.sheet.clone(), step.operation.clone(), step.counts.rows.to_string(), why]
    };
    console.table(&steps.iter().map(row).collect::<Vec<_>>());
}

/// All steps together; sheets that are left out don't count.
pub(super) fn total(view: &ImportView) -> ImportCounts {
    let mut total = ImportCounts::default();
    for step in view.steps.iter().filter(|step| step.state != StepState::LeftOut) {
        let counts = &step.counts;
        total.rows += counts.rows;
        total.items += counts.items;
        total.error_rows += counts.error_rows;
        total.warning_rows += counts.warning_rows;
        total.ready_rows += counts.ready_rows;
        total.errors += counts.errors;
        total.warnings += counts.warnings;
        total.excluded += counts.excluded;
    }
    total
}
