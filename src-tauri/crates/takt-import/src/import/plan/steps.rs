//! The steps of a workbook as they stand.

use takt_contract::{Contract, OperationKind};

use super::{Book, PlanStep, StepPart, StepState, order::order, reference::references};
use crate::import::session::Session;

/// Sheets with rows and an operation, in the order in which they go; sheets of parts behind the one with their items.
pub(super) fn of_workbook(book: &Book, contract: &Contract) -> Vec<PlanStep> {
    let of_plan = book.sheets.iter().filter(|sheet| book.is_step(sheet) && changes(contract, sheet));
    let (owned, mut owners): (Vec<&Session>, Vec<&Session>) = of_plan.partition(|sheet| sheet.list().is_some());
    // What a person put first, and else the workbook's order.
    let wanted = |sheet: &&Session| book.order.iter().position(|name| name == sheet.sheet_name()).unwrap_or(usize::MAX);
    owners.sort_by_key(wanted);
    let parts = |owner: &Session| {
        let of = owner.sheet_name().to_owned();
        owned.iter().filter(move |sheet| book.owners.get(sheet.sheet_name()) == Some(&of)).copied().collect::<Vec<_>>()
    };
    let is_in = |sheet: &Session| !book.is_out(sheet.sheet_name());
    let waits_for = |step: usize, other: usize| {
        let (Some(step), Some(other)) = (owners.get(step), owners.get(other)) else { return false };
        is_in(step) && is_in(other) && refers(contract, step, &parts(step), other)
    };
    let order = order(owners.len(), &waits_for);
    let mut steps = Vec::new();
    for (place, &position) in order.iter().enumerate() {
        let Some(owner) = owners.get(position) else { continue };
        let waits = (0..owners.len()).filter(|&other| waits_for(position, other));
        let waits: Vec<String> = waits.filter_map(|other| Some(owners.get(other)?.sheet_name().to_owned())).collect();
        let before = place.checked_sub(1).and_then(|before| order.get(before));
        let behind = order.get(place + 1);
        let number = u32::try_from(place + 1).unwrap_or(u32::MAX);
        steps.push(PlanStep {
            order: number,
            waits_for: waits,
            may_go_earlier: before.is_some_and(|&before| !waits_for(position, before)),
            may_go_later: behind.is_some_and(|&behind| !waits_for(behind, position)),
            ..alone(book, owner)
        });
        for sheet in parts(owner) {
            let part =
                StepPart { of: owner.sheet_name().to_owned(), list: sheet.list().unwrap_or_default().to_owned() };
            steps.push(PlanStep { order: number, part: Some(part), ..alone(book, sheet) });
        }
    }
    steps
}

/// A sheet as the only step.
pub(super) fn alone(book: &Book, sheet: &Session) -> PlanStep {
    let counts = sheet.counts();
    let state = if book.is_out(sheet.sheet_name()) {
        StepState::Skipped
    } else if counts.error_rows > 0 {
        StepState::Errors
    } else if counts.warning_rows > 0 || counts.ready_rows == 0 || !sheet.settled() {
        StepState::Look
    } else {
        StepState::Ready
    };
    let operation = sheet.operation().unwrap_or_default().to_owned();
    PlanStep {
        sheet: sheet.sheet_name().to_owned(),
        operation,
        part: None,
        state,
        order: 1,
        waits_for: Vec::new(),
        may_go_earlier: false,
        may_go_later: false,
        counts,
    }
}

/// What deletes is never sent along with others: a person asks for it by itself.
fn changes(contract: &Contract, sheet: &Session) -> bool {
    let operation = sheet.operation().and_then(|operation| contract.operation(operation));
    operation.is_some_and(|operation| operation.kind == OperationKind::Sync)
}

/// True where items of the one sheet, or their parts, name items of the other.
fn refers(contract: &Contract, sheet: &Session, parts: &[&Session], other: &Session) -> bool {
    let (Some(operation), Some(of)) = (sheet.operation(), other.operation()) else { return false };
    operation != of
        && references(contract, operation).iter().any(|reference| {
            reference.sync == of
                && (sheet.fills(&reference.path) || parts.iter().any(|part| part.fills(&reference.path)))
        })
}
