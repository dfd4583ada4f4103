//! Makes the values of earlier steps known to later ones before the site knows them.

use std::sync::Arc;

use takt_contract::Contract;

use super::{
    book::Book,
    steps,
    view::{PlanStep, StepState},
};
use crate::reference_checks::PredecessorValues;

/// Gives each step the values of the steps before it. A sheet of parts gets the values of its items. Values that no
/// later step refers to aren't collected.
pub(super) fn share_values(book: &mut Book, contract: &Contract) {
    let steps = steps::workbook_steps(book, contract);
    let mut values = PredecessorValues::default();
    let mut before = Arc::new(PredecessorValues::default());
    let mut rest = steps.as_slice();
    while let Some((step, later)) = rest.split_first() {
        rest = later;
        let Some(sheet) = book.sheet_mut(&step.sheet) else { continue };
        if step.part.is_none() {
            before = Arc::new(values.clone());
        }
        sheet.set_predecessors(Arc::clone(&before));
        if step.part.is_none() && step.state != StepState::Skipped {
            add_step_values(&mut values, book, step, later, contract);
        }
    }
}

fn add_step_values(
    values: &mut PredecessorValues,
    book: &Book,
    step: &PlanStep,
    later: &[PlanStep],
    contract: &Contract,
) {
    let Some(operation) = contract.operation(&step.operation) else { return };
    let mut others = later.iter().filter_map(|other| book.sheet(&other.sheet));
    if !others.any(|other| other.refers_to(&operation.id)) {
        return;
    }
    let Some(sheet) = book.sheet(&step.sheet) else { return };
    let things = sheet.row_keys().filter(|row| !row.is_excluded).map(|row| row.key);
    values.add_things(&operation.id, &operation.key, things);
}
