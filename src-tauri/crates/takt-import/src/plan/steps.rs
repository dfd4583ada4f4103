//! The steps of a workbook in their current state.

use takt_contract::{Contract, OperationKind};

use super::{
    book::Book,
    order::order,
    reference::references,
    view::{PlanStep, StepPart, StepState},
};
use crate::session::Session;

/// Returns the sheets with rows and an operation in order, each followed by its sheets of parts.
pub(super) fn workbook_steps(book: &Book, contract: &Contract) -> Vec<PlanStep> {
    let of_plan = book.sheets.iter().filter(|sheet| book.is_step(sheet) && is_synchronization(contract, sheet));
    let (owned, mut owners): (Vec<&Session>, Vec<&Session>) = of_plan.partition(|sheet| sheet.list().is_some());
    // The user's order first, then the workbook's.
    let wanted = |sheet: &&Session| book.order.iter().position(|name| name == sheet.sheet_name()).unwrap_or(usize::MAX);
    owners.sort_by_key(wanted);
    let parts = |owner: &Session| {
        let of = owner.sheet_name().to_owned();
        owned.iter().filter(move |sheet| book.owners.get(sheet.sheet_name()) == Some(&of)).copied().collect::<Vec<_>>()
    };
    let is_included = |sheet: &Session| !book.is_left_out(sheet.sheet_name());
    let waits_for = |step: usize, other: usize| {
        let (Some(step), Some(other)) = (owners.get(step), owners.get(other)) else { return false };
        is_included(step) && is_included(other) && refers_to(contract, step, &parts(step), other)
    };
    let order = order(owners.len(), &waits_for);
    let mut steps = Vec::new();
    for (index, &position) in order.iter().enumerate() {
        let Some(owner) = owners.get(position) else { continue };
        let waits = (0..owners.len()).filter(|&other| waits_for(position, other));
        let waits: Vec<String> = waits.filter_map(|other| Some(owners.get(other)?.sheet_name().to_owned())).collect();
        let before = index.checked_sub(1).and_then(|before| order.get(before));
        let after = order.get(index + 1);
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        steps.push(PlanStep {
            order: number,
            waits_for: waits,
            may_go_earlier: before.is_some_and(|&before| !waits_for(position, before)),
            may_go_later: after.is_some_and(|&after| !waits_for(after, position)),
            ..single_step(book, owner)
        });
        for sheet in parts(owner) {
            let part =
                StepPart { of: owner.sheet_name().to_owned(), list: sheet.list().unwrap_or_default().to_owned() };
            steps.push(PlanStep { order: number, part: Some(part), ..single_step(book, sheet) });
        }
    }
    steps
}

/// Returns a sheet as the only step.
pub(super) fn single_step(book: &Book, sheet: &Session) -> PlanStep {
    let counts = sheet.counts();
    let state = if book.is_left_out(sheet.sheet_name()) {
        StepState::Skipped
    } else if counts.error_rows > 0 {
        StepState::Errors
    } else if counts.warning_rows > 0 || counts.ready_rows == 0 || !sheet.is_settled() {
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

/// Returns true if the sheet's operation changes items. Deletions are never sent with other steps.
fn is_synchronization(contract: &Contract, sheet: &Session) -> bool {
    let operation = sheet.operation().and_then(|operation| contract.operation(operation));
    operation.is_some_and(|operation| operation.kind == OperationKind::Sync)
}

/// Returns true if items of one sheet, or their parts, refer to items of the other.
fn refers_to(contract: &Contract, sheet: &Session, parts: &[&Session], other: &Session) -> bool {
    let (Some(operation), Some(of)) = (sheet.operation(), other.operation()) else { return false };
    operation != of
        && references(contract, operation).iter().any(|reference| {
            reference.sync == of
                && (sheet.fills(&reference.path) || parts.iter().any(|part| part.fills(&reference.path)))
        })
}
