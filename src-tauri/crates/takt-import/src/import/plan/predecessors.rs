//! What earlier steps make is known to the later ones before the site knows it.

use std::sync::Arc;

use takt_contract::Contract;

use super::{Book, PlanStep, StepState, steps};
use crate::import::PredecessorValues;

/// Tells each step what the ones before it make; a sheet of parts knows what its items know. Unused lists cost nothing.
pub(super) fn settle(book: &mut Book, contract: &Contract) {
    let steps = steps::of_workbook(book, contract);
    let mut made = PredecessorValues::default();
    let mut before = Arc::new(PredecessorValues::default());
    let mut rest = steps.as_slice();
    while let Some((step, later)) = rest.split_first() {
        rest = later;
        let Some(sheet) = book.sheet_mut(&step.sheet) else { continue };
        if step.part.is_none() {
            before = Arc::new(made.clone());
        }
        sheet.take_made(Arc::clone(&before));
        if step.part.is_none() && step.state != StepState::Skipped {
            add(&mut made, book, step, later, contract);
        }
    }
}

fn add(made: &mut PredecessorValues, book: &Book, step: &PlanStep, later: &[PlanStep], contract: &Contract) {
    let Some(operation) = contract.operation(&step.operation) else { return };
    let mut others = later.iter().filter_map(|other| book.sheet(&other.sheet));
    if !others.any(|other| other.refers_to(&operation.id)) {
        return;
    }
    let Some(sheet) = book.sheet(&step.sheet) else { return };
    let things = sheet.row_keys().filter(|row| !row.out).map(|row| row.key);
    made.add_things(&operation.id, &operation.key, things);
}
