//! A workbook as an ordered plan of one or several sheets. It defines each sheet's operation, the sheets with parts of
//! another sheet's items, and the order of sending.
//!
//! Owns the sheets' states, their draft, and the effects of one sheet on another. `session` owns each sheet.

mod item_reference;
mod items;
mod open_workbook;
mod part_sheets;
mod parts;
mod step;

use std::sync::Arc;

use takt_contract::{Contract, OperationKind};
use takt_core::Problem;

use self::item_reference::item_references;
pub use self::{
    items::{ItemWait, StepItems},
    step::{PartChoice, PlanStep, StepPart, StepState},
};
pub(crate) use self::{open_workbook::OpenWorkbook, part_sheets::part_targets, step::PlanScope};
use crate::{
    check::ImportCounts,
    draft::WorkbookDraft,
    mapping::MappingFile,
    reference_checks::PredecessorValues,
    session::{Session, SessionContext, unknown_problem},
    view::ImportView,
};

/// Changes the text of an unknown-sheet problem, because a mapping named the sheet.
fn as_mapping_problem(problem: Problem) -> Problem {
    let is_sheet = problem.parameters.get("case").is_some_and(|case| case == "sheet");
    if is_sheet { problem.parameter("case", "mapping-sheet") } else { problem }
}

impl OpenWorkbook {
    /// Makes a sheet current. A sheet that was opened before keeps its state.
    pub(crate) fn choose_sheet(&mut self, name: &str, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        if self.sheet(name).is_none() {
            let session = self.current()?.open_sheet(name, ctx)?;
            self.insert_session(session);
        }
        let before = self.sent_sheets(ctx);
        self.current = self.sheets.iter().position(|sheet| sheet.sheet_name() == name).unwrap_or_default();
        if self.sent_sheets(ctx) != before {
            self.bump_revision();
        }
        Ok(())
    }

    /// Opens every visible sheet, and finds the sheets with parts. The plan then covers the whole workbook.
    ///
    /// # Errors
    /// A sheet can't be read. Its rows would be missing from the plan.
    pub(crate) fn open_all_sheets(&mut self, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        for name in self.current()?.visible_sheets() {
            if self.sheet(&name).is_none() {
                let session = self.current()?.open_sheet(&name, ctx)?;
                self.insert_session(session);
            }
        }
        if self.scope == PlanScope::Sheet {
            self.scope = PlanScope::Workbook;
        }
        self.assign_parts(ctx);
        Ok(())
    }

    /// Puts these steps first, in this order, and the others after them in their current order. Fails with
    /// `order-of-steps` if a step would come before a step that it waits for.
    pub(crate) fn order_steps(&mut self, names: &[String], ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let steps = |book: &Self| -> Vec<String> {
            let of_plan = book.steps(ctx).into_iter().filter(|step| step.part.is_none());
            of_plan.map(|step| step.sheet).collect()
        };
        let now = steps(self);
        if let Some(other) = names.iter().find(|name| !now.contains(name)) {
            return Err(unknown_problem(other));
        }
        let others = now.iter().filter(|name| !names.contains(name));
        let wanted: Vec<String> = names.iter().chain(others).cloned().collect();
        let before = std::mem::replace(&mut self.order, wanted);
        let made: Vec<String> = steps(self).into_iter().filter(|name| names.contains(name)).collect();
        let differs = names.iter().zip(&made).find(|(wanted, made)| wanted != made);
        if let Some((sheet, other)) = differs {
            self.order = before;
            return Err(Problem::obstacle_with("order-of-steps", &[("sheet", sheet), ("other", other)]));
        }
        Ok(())
    }

    pub(crate) fn choose_operation(&mut self, operation: &str, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let current = self.current_mut()?;
        current.choose_operation(operation, ctx)?;
        let name = current.sheet_name().to_owned();
        self.owners.remove(&name);
        self.chosen_sheets.insert(name);
        self.assign_parts(ctx);
        Ok(())
    }

    /// Makes the current sheet's rows parts of another sheet's items.
    pub(crate) fn choose_part(&mut self, part: &StepPart, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let owner = self.sheet(&part.of).filter(|owner| owner.part_list().is_none());
        let operation =
            owner.and_then(Session::operation).map(str::to_owned).ok_or_else(|| unknown_problem(&part.of))?;
        let targets = part_targets(ctx.contract, &operation, &part.list).ok_or_else(|| unknown_problem(&part.list))?;
        let current = self.current_mut()?;
        if current.sheet_name() == part.of {
            return Err(unknown_problem(&part.of));
        }
        current.set_targets(targets, ctx);
        let name = current.sheet_name().to_owned();
        self.chosen_sheets.insert(name.clone());
        self.owners.insert(name, part.of.clone());
        self.assign_parts(ctx);
        Ok(())
    }

    /// Applies a mapping. If it's for another sheet, that sheet becomes current. If the file has one sheet, any sheet
    /// name is accepted, since a CSV's sheet is named after the file, which may change daily.
    pub(crate) fn apply_mapping(&mut self, mapping: &MappingFile, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let visible = self.current()?.visible_sheets();
        if let Some(sheet) = mapping.sheet.as_ref().filter(|sheet| visible.len() > 1 || visible.contains(sheet)) {
            self.choose_sheet(sheet, ctx).map_err(as_mapping_problem)?;
        }
        let current = self.current_mut()?;
        current.apply_mapping(mapping, ctx)?;
        let name = current.sheet_name().to_owned();
        self.chosen_sheets.insert(name.clone());
        self.owners.remove(&name);
        if mapping.list.is_some() {
            let mut owners =
                self.sheets.iter().filter(|other| other.sheet_name() != name && other.part_list().is_none());
            let owner = owners.find(|other| other.operation() == Some(&mapping.operation));
            if let Some(owner) = owner.map(|owner| owner.sheet_name().to_owned()) {
                self.owners.insert(name, owner);
            }
        }
        self.assign_parts(ctx);
        Ok(())
    }

    /// Updates the values of earlier steps and the findings about parts, after a sheet changed.
    pub(crate) fn update_dependencies(&mut self) {
        if self.scope != PlanScope::Sheet {
            let contract = self.contract();
            if share_values(self, &contract) {
                self.bump_revision();
            }
            parts::mark_part_errors(self);
        }
    }

    pub(crate) fn view(&self, ctx: &SessionContext<'_>) -> Result<ImportView, Problem> {
        let current = self.current()?;
        let mut view = current.view();
        view.destination = self.destination().cloned();
        view.draft.clone_from(&self.draft.view);
        for sheet in &mut view.sheets {
            if let Some(size) = self.sheet(&sheet.name).map(Session::dimensions) {
                (sheet.rows, sheet.columns) = size;
            }
        }
        view.covers_workbook = self.scope != PlanScope::Sheet;
        if view.covers_workbook {
            view.parts = self.part_choices(current, ctx);
        }
        view.steps = self.steps(ctx);
        let sent = view.steps.iter().filter(|step| step.state != StepState::Skipped);
        view.totals = sent.map(|step| step.counts).fold(ImportCounts::default(), ImportCounts::plus);
        Ok(view)
    }

    /// Returns the steps of the plan in order. If no step of the workbook is sent, the current sheet is the only step,
    /// even if its operation deletes.
    pub(crate) fn steps(&self, ctx: &SessionContext<'_>) -> Vec<PlanStep> {
        let workbook_steps = workbook_steps(self, ctx.contract);
        let current =
            self.current().ok().filter(|current| current.operation().is_some() && current.part_list().is_none());
        let alone = |sheet: &Session| vec![single_step(self, sheet)];
        match &self.scope {
            PlanScope::Only(name) => {
                self.sheet(name).filter(|sheet| sheet.operation().is_some()).map(alone).unwrap_or_default()
            }
            PlanScope::Sheet => current.map(alone).unwrap_or_default(),
            PlanScope::Workbook => match current {
                Some(sheet) if workbook_steps.iter().all(|step| step.state == StepState::Skipped) => alone(sheet),
                _ => workbook_steps,
            },
        }
    }

    /// Returns the sheets of the plan in order, without skipped ones. If there are none, returns the current sheet.
    pub(crate) fn sent_sheets(&self, ctx: &SessionContext<'_>) -> Vec<String> {
        let steps = self.steps(ctx).into_iter().filter(|step| step.state != StepState::Skipped);
        let sheets: Vec<String> = steps.map(|step| step.sheet).collect();
        if !sheets.is_empty() {
            return sheets;
        }
        self.current().map(|current| current.sheet_name().to_owned()).into_iter().collect()
    }

    pub(crate) fn build_items(&self, ctx: &SessionContext<'_>) -> Result<Vec<StepItems>, Problem> {
        items::build_step_items(self, ctx.contract, &self.steps(ctx))
    }

    fn part_choices(&self, sheet: &Session, ctx: &SessionContext<'_>) -> Vec<PartChoice> {
        let owners: Vec<(&str, &str)> = self
            .sheets
            .iter()
            .filter(|other| {
                other.sheet_name() != sheet.sheet_name() && other.part_list().is_none() && self.is_step(other)
            })
            .filter_map(|other| Some((other.sheet_name(), other.operation()?)))
            .collect();
        part_sheets::rate_part_choices(ctx.contract, sheet.sheet_name(), sheet.headings(), &owners)
    }

    /// Finds the sheets of parts again, except for sheets whose purpose the user chose.
    fn assign_parts(&mut self, ctx: &SessionContext<'_>) {
        if self.scope == PlanScope::Sheet {
            return;
        }
        let names: Vec<String> = self.sheets.iter().map(|sheet| sheet.sheet_name().to_owned()).collect();
        for name in &names {
            let open = !self.chosen_sheets.contains(name);
            let Some(sheet) =
                self.sheet(name).filter(|sheet| open && sheet.has_rows() && !sheet.is_operation_remembered())
            else {
                continue;
            };
            let choices = self.part_choices(sheet, ctx);
            let own = sheet.proposals().first().map(|proposal| proposal.score);
            let found = part_sheets::find_clear_part(&choices, own, sheet.fills_key())
                .filter(|part| !self.is_part_owner(name, &part.of))
                .cloned();
            self.set_part(name, found, ctx);
        }
        self.owners.retain(|sheet, owner| names.contains(sheet) && names.contains(owner));
    }

    /// Returns true if the sheet `other` has parts of this sheet's items.
    fn is_part_owner(&self, name: &str, other: &str) -> bool {
        self.owners.get(other).is_some_and(|owner| owner == name)
    }

    /// Makes a sheet's rows parts of another sheet's items. With `None`, they become items again.
    fn set_part(&mut self, name: &str, part: Option<StepPart>, ctx: &SessionContext<'_>) {
        let of = part.as_ref().and_then(|part| self.sheet(&part.of)?.operation().map(str::to_owned));
        let Some(sheet) = self.sheet_mut(name) else { return };
        match (part, of) {
            (Some(part), Some(operation)) => {
                let same = sheet.part_list() == Some(&part.list) && sheet.operation() == Some(&operation);
                if !same && let Some(targets) = part_targets(ctx.contract, &operation, &part.list) {
                    sheet.set_targets(targets, ctx);
                }
                self.owners.insert(name.to_owned(), part.of);
            }
            _ => {
                if sheet.part_list().is_some() {
                    sheet.propose_operation(ctx);
                }
                self.owners.remove(name);
            }
        }
    }

    pub(crate) fn create_draft(&self) -> WorkbookDraft {
        WorkbookDraft {
            text: self.sheets.first().and_then(Session::text_reading),
            sheets: self.sheets.iter().map(Session::create_draft).collect(),
            sheet: self.current().map(|current| current.sheet_name().to_owned()).unwrap_or_default(),
            scope: self.scope.clone(),
            order: self.order.clone(),
            skipped: self.skipped.clone(),
            owners: self.owners.clone(),
            chosen_sheets: self.chosen_sheets.clone(),
            destination: self.destination().cloned(),
            position: self.draft.position.clone(),
        }
    }

    /// Returns the number of cells that differ from the file, and of excluded rows, on all sheets.
    pub(crate) fn fix_counts(&self) -> (u32, u32) {
        let views = self.sheets.iter().map(Session::fix_counts);
        views.fold((0, 0), |(edited, excluded), (more, out)| (edited + more, excluded + out))
    }

    /// Restores the user's choices and fixes from a draft of the same content.
    pub(crate) fn restore_draft(&mut self, draft: &WorkbookDraft, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let current = self.current_mut()?;
        if let Some(text) = draft.text.as_ref().filter(|text| current.text_reading().as_ref() != Some(*text)) {
            current.choose_text(text, ctx)?;
        }
        for sheet in &draft.sheets {
            self.choose_sheet(&sheet.sheet, ctx)?;
            self.current_mut()?.restore_draft(sheet, ctx)?;
        }
        self.choose_sheet(&draft.sheet, ctx)?;
        self.scope = draft.scope.clone();
        self.order.clone_from(&draft.order);
        self.skipped.clone_from(&draft.skipped);
        self.owners.clone_from(&draft.owners);
        self.chosen_sheets.clone_from(&draft.chosen_sheets);
        self.bump_revision();
        Ok(())
    }

    /// Applies the columns of a draft of an earlier content, for sheets that still exist.
    pub(crate) fn apply_draft_columns(
        &mut self,
        draft: &WorkbookDraft,
        ctx: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        let now = self.current()?.sheet_name().to_owned();
        for (sheet, mapping) in draft.sheets.iter().filter_map(|one| Some((&one.sheet, one.mapping.as_ref()?))) {
            if self.choose_sheet(sheet, ctx).is_ok() {
                self.current_mut()?.apply_mapping_columns(mapping, ctx);
            }
        }
        self.choose_sheet(&now, ctx)
    }
}

/// Returns the sheets with rows and an operation in order, each followed by its sheets of parts.
fn workbook_steps(book: &OpenWorkbook, contract: &Contract) -> Vec<PlanStep> {
    let of_plan = book.sheets.iter().filter(|sheet| book.is_step(sheet) && is_synchronization(contract, sheet));
    let (owned, mut owners): (Vec<&Session>, Vec<&Session>) = of_plan.partition(|sheet| sheet.part_list().is_some());
    // Sheets that the user ordered come first. The others follow in the workbook's order.
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
    let order = sort_steps(owners.len(), &waits_for);
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
                StepPart { of: owner.sheet_name().to_owned(), list: sheet.part_list().unwrap_or_default().to_owned() };
            steps.push(PlanStep { order: number, part: Some(part), ..single_step(book, sheet) });
        }
    }
    steps
}

/// Returns the step for a sheet, without its order or references to other steps.
fn single_step(book: &OpenWorkbook, sheet: &Session) -> PlanStep {
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
        && item_references(contract, operation).iter().any(|reference| {
            reference.sync == of
                && (sheet.fills(&reference.path) || parts.iter().any(|part| part.fills(&reference.path)))
        })
}

/// Returns the positions of `count` steps in sending order. Each step comes after the steps that it waits for. In a
/// cycle, the first remaining step is next.
fn sort_steps(count: usize, waits_for: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut remaining: Vec<usize> = (0..count).collect();
    let mut order = Vec::with_capacity(count);
    while !remaining.is_empty() {
        let free = |&step: &usize| !remaining.iter().any(|&other| other != step && waits_for(step, other));
        let next = remaining.iter().position(free).unwrap_or(0);
        order.push(remaining.remove(next));
    }
    order
}

/// Sets the values of earlier steps at each step. A sheet of parts gets the same values as the sheet with its items.
/// Values that no later step refers to aren't collected. Returns true if the items to send changed.
fn share_values(book: &mut OpenWorkbook, contract: &Contract) -> bool {
    let mut is_changed = false;
    let steps = workbook_steps(book, contract);
    let mut values = PredecessorValues::default();
    let mut before = Arc::new(PredecessorValues::default());
    let mut rest = steps.as_slice();
    while let Some((step, later)) = rest.split_first() {
        rest = later;
        let Some(sheet) = book.sheet_mut(&step.sheet) else { continue };
        if step.part.is_none() {
            before = Arc::new(values.clone());
        }
        is_changed |= sheet.set_predecessors(Arc::clone(&before));
        if step.part.is_none() && step.state != StepState::Skipped {
            add_step_values(&mut values, book, step, later, contract);
        }
    }
    is_changed
}

fn add_step_values(
    values: &mut PredecessorValues,
    book: &OpenWorkbook,
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
    let keys = sheet.keyed_rows().filter(|row| !row.is_excluded).map(|row| row.key);
    values.add_item_values(&operation.id, &operation.key, keys);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_referred_to_goes_first_and_else_the_workbook_decides() {
        let waits = |pairs: &'static [(usize, usize)]| move |step, other| pairs.contains(&(step, other));
        assert_eq!(sort_steps(3, &waits(&[])), [0, 1, 2]);
        assert_eq!(sort_steps(3, &waits(&[(0, 2), (2, 1)])), [1, 2, 0]);
        assert_eq!(sort_steps(4, &waits(&[(1, 3), (3, 1), (0, 1)])), [2, 0, 1, 3], "a circle has no order of its own");
    }
}
