//! The steps of a workbook: checking them against a site, and printing their order.

use takt_engine::{
    Canceller, Engine, Problem,
    import::{ImportView, PlanStep, StepState},
};

use crate::{
    console::{Console, is_several},
    exit_codes::Failure,
};

/// Checks the rows of every step against the values of `live_site`, which are read now, or of `stored_site`, which were
/// read before. Returns the view of the first step.
pub(super) async fn check_against_site(
    engine: &Engine,
    view: &ImportView,
    live_site: Option<&str>,
    stored_site: Option<&str>,
) -> Result<ImportView, Failure> {
    let imports = engine.imports();
    for step in view.steps.iter().filter(|step| step.state != StepState::Skipped) {
        imports.choose_sheet(view.id, &step.sheet)?;
        match (live_site, stored_site) {
            (Some(site), _) => {
                engine.import_sites().check_against_site(site, view.id, false, &Canceller::new()).await?
            }
            (None, Some(site)) => engine.import_sites().check_against_stored_data(site, view.id)?,
            (None, None) => break,
        };
    }
    // Checking has selected the last step, so the first one is selected again.
    match view.steps.first() {
        Some(step) => Ok(imports.choose_sheet(view.id, &step.sheet)?),
        None => Ok(imports.view(view.id)?),
    }
}

/// Calls `visit` with each sheet of the plan, in order.
pub(super) fn for_each_sheet(
    engine: &Engine,
    view: &ImportView,
    mut visit: impl FnMut(&PlanStep, &ImportView) -> Result<(), Problem>,
) -> Result<(), Problem> {
    view.steps.iter().try_for_each(|step| visit(step, &engine.imports().choose_sheet(view.id, &step.sheet)?))
}

/// Prints the order of several steps and the reasons for it.
pub(super) fn print_order(steps: &[PlanStep], console: &Console) {
    if !is_several(steps) {
        return;
    }
    let row = |step: &PlanStep| {
        let why = match &step.part {
            _ if step.state == StepState::Skipped => console.texts.text("plan.skipped", &[]),
            Some(part) => console.texts.text("plan.part", &[("sheet", part.of.clone()), ("list", part.list.clone())]),
            None if step.waits_for.is_empty() => String::new(),
            None => console.texts.text("plan.after", &[("sheets", step.waits_for.join(", "))]),
        };
        let order = if step.part.is_some() { String::new() } else { format!("{}.", step.order) };
        vec![order, step.sheet.clone(), step.operation.clone(), step.counts.rows.to_string(), why]
    };
    console.print_table(&steps.iter().map(row).collect::<Vec<_>>());
}
