//! A workbook's steps on the command line: held against a site, and told in their order.

use takt_engine::{
    Canceller, Engine, Problem,
    import::{ImportView, PlanStep, StepState},
};

use crate::{
    console::{Console, is_several},
    ending::Failure,
};

/// Holds every step's rows against a site: as it is now, or as it was read before.
pub(super) async fn look_at(
    (engine, view): (&Engine, &ImportView),
    (now, before): (Option<&str>, Option<&str>),
) -> Result<ImportView, Failure> {
    let imports = engine.imports();
    for step in view.steps.iter().filter(|step| step.state != StepState::Skipped) {
        imports.choose_sheet(view.id, &step.sheet)?;
        match (now, before) {
            (Some(site), _) => engine.import_sites().check_against(site, view.id, false, &Canceller::new()).await?,
            (None, Some(site)) => engine.import_sites().check_against_kept(site, view.id)?,
            (None, None) => break,
        };
    }
    // The first one is looked at again.
    match view.steps.first() {
        Some(step) => Ok(imports.choose_sheet(view.id, &step.sheet)?),
        None => Ok(imports.view(view.id)?),
    }
}

/// The steps that are sent by themselves; parts go with their items.
pub(super) fn sent(view: &ImportView) -> impl Iterator<Item = &PlanStep> {
    view.steps.iter().filter(|step| step.state != StepState::Skipped && step.part.is_none())
}

/// Each sheet of the plan as it stands, in its order.
pub(super) fn each_sheet(
    engine: &Engine,
    view: &ImportView,
    mut see: impl FnMut(&PlanStep, &ImportView) -> Result<(), Problem>,
) -> Result<(), Problem> {
    view.steps.iter().try_for_each(|step| see(step, &engine.imports().choose_sheet(view.id, &step.sheet)?))
}

/// What goes when, and why.
pub(super) fn show_order(steps: &[PlanStep], console: &Console) {
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
        let place = if step.part.is_some() { String::new() } else { format!("{}.", step.order) };
        vec![place, step.sheet.clone(), step.operation.clone(), step.counts.rows.to_string(), why]
    };
    console.table(&steps.iter().map(row).collect::<Vec<_>>());
}
