//! What earlier steps make is known to the later ones before the site knows it.

use std::sync::Arc;

use takt_contract::Contract;

use super::{Book, StepState, steps};
use crate::import::{PredecessorValues, session::Session};

/// Tells each step what the ones before it make; a sheet of parts knows what its items know.
pub(super) fn settle(book: &mut Book, contract: &Contract) {
    let steps = steps::of_workbook(book, contract);
    let mut made = PredecessorValues::default();
    let mut before = Arc::new(PredecessorValues::default());
    for step in &steps {
        let Some(sheet) = book.sheet_mut(&step.sheet) else { continue };
        if step.part.is_none() {
            before = Arc::new(made.clone());
        }
        sheet.take_made(Arc::clone(&before));
        if step.part.is_none() && step.state != StepState::Skipped {
            add(&mut made, sheet, contract);
        }
    }
}

fn add(made: &mut PredecessorValues, sheet: &Session, contract: &Contract) {
    let Some(operation) = sheet.operation().and_then(|operation| contract.operation(operation)) else { return };
    for row in sheet.row_keys().into_iter().filter(|row| !row.out) {
        let named = operation.key.iter().zip(row.key).filter_map(|(name, value)| Some((name.clone(), value?)));
        made.add_thing(&operation.id, &named.collect::<Vec<_>>());
    }
}
