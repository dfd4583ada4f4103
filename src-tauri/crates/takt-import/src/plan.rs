//! A workbook as an ordered plan of one or several sheets. Knows each sheet's operation, the sheets with parts of
//! another sheet's items, and the order of sending.
//!
//! Owns the sheets' states, and the effects of one sheet on another. `session` owns each sheet.

mod book;
mod choice;
mod draft;
mod items;
mod order;
mod parts;
mod predecessors;
mod reference;
mod scope;
mod steps;
mod view;

use takt_contract::Contract;
use takt_core::Problem;

pub(crate) use self::{book::Book, choice::targets as part_targets, parts::KeyedRow, scope::Scope};
pub use self::{
    items::{ItemWait, StepItems},
    view::{PartChoice, PlanStep, StepPart, StepState},
};
use crate::{
    check::ImportCounts,
    mapping::MappingFile,
    session::{Session, SessionContext, unknown},
    view::ImportView,
};

/// Attributes a problem with the sheet's name to the mapping.
fn as_mapping_problem(problem: Problem) -> Problem {
    let is_sheet = problem.parameters.get("case").is_some_and(|case| case == "sheet");
    if is_sheet { problem.parameter("case", "mapping-sheet") } else { problem }
}

impl Book {
    /// Makes a sheet current. A sheet that was opened before keeps its state.
    pub(crate) fn choose(&mut self, name: &str, ctx: &SessionContext<'_>) -> Result<(), Problem> {
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

    /// Reads every visible sheet, and finds the sheets with parts. Together they're the plan.
    ///
    /// # Errors
    /// If a sheet can't be read. Its rows would be missing from the plan.
    pub(crate) fn plan(&mut self, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        for name in self.current()?.visible_sheets() {
            if self.sheet(&name).is_none() {
                let session = self.current()?.open_sheet(&name, ctx)?;
                self.insert_session(session);
            }
        }
        if self.scope == Scope::Sheet {
            self.scope = Scope::Workbook;
        }
        self.assign(ctx);
        Ok(())
    }

    /// Puts these steps first, in this order, and the others after them in their current order. Refused if a step waits
    /// for a later one.
    pub(crate) fn order_steps(&mut self, names: &[String], ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let steps = |book: &Self| -> Vec<String> {
            let of_plan = book.steps(ctx).into_iter().filter(|step| step.part.is_none());
            of_plan.map(|step| step.sheet).collect()
        };
        let now = steps(self);
        if let Some(other) = names.iter().find(|name| !now.contains(name)) {
            return Err(unknown(other));
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
        self.decided.insert(name);
        self.assign(ctx);
        Ok(())
    }

    /// Makes the current sheet's rows parts of another sheet's items.
    pub(crate) fn choose_part(&mut self, part: &StepPart, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let owner = self.sheet(&part.of).filter(|owner| owner.list().is_none());
        let operation = owner.and_then(Session::operation).map(str::to_owned).ok_or_else(|| unknown(&part.of))?;
        let targets = choice::targets(ctx.contract, &operation, &part.list).ok_or_else(|| unknown(&part.list))?;
        let current = self.current_mut()?;
        if current.sheet_name() == part.of {
            return Err(unknown(&part.of));
        }
        current.set_targets(targets, ctx);
        let name = current.sheet_name().to_owned();
        self.decided.insert(name.clone());
        self.owners.insert(name, part.of.clone());
        self.assign(ctx);
        Ok(())
    }

    /// Applies a mapping. If it's for another sheet, that sheet becomes current. A file with one sheet accepts any
    /// sheet name, since the sheet of a csv is named after the file, which may change daily.
    pub(crate) fn apply(&mut self, mapping: &MappingFile, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let visible = self.current()?.visible_sheets();
        if let Some(sheet) = mapping.sheet.as_ref().filter(|sheet| visible.len() > 1 || visible.contains(sheet)) {
            self.choose(sheet, ctx).map_err(as_mapping_problem)?;
        }
        let current = self.current_mut()?;
        current.apply(mapping, ctx)?;
        let name = current.sheet_name().to_owned();
        self.decided.insert(name.clone());
        self.owners.remove(&name);
        if mapping.list.is_some() {
            let mut owners = self.sheets.iter().filter(|other| other.sheet_name() != name && other.list().is_none());
            let owner = owners.find(|other| other.operation() == Some(&mapping.operation));
            if let Some(owner) = owner.map(|owner| owner.sheet_name().to_owned()) {
                self.owners.insert(name, owner);
            }
        }
        self.assign(ctx);
        Ok(())
    }

    /// Updates the effects of the sheets on each other after one of them changed.
    pub(crate) fn update_dependencies(&mut self, contract: &Contract) {
        if self.scope != Scope::Sheet {
            predecessors::share_values(self, contract);
            parts::mark_part_errors(self);
        }
    }

    pub(crate) fn view(&self, ctx: &SessionContext<'_>) -> Result<ImportView, Problem> {
        let current = self.current()?;
        let mut view = current.view();
        view.destination = self.destination().cloned();
        view.draft.clone_from(&self.draft.view);
        for sheet in &mut view.sheets {
            if let Some(size) = self.sheet(&sheet.name).map(Session::size) {
                (sheet.rows, sheet.columns) = size;
            }
        }
        view.covers_workbook = self.scope != Scope::Sheet;
        if view.covers_workbook {
            view.parts = self.part_choices(current, ctx);
        }
        view.steps = self.steps(ctx);
        let sent = view.steps.iter().filter(|step| step.state != StepState::Skipped);
        view.totals = sent.map(|step| step.counts).fold(ImportCounts::default(), ImportCounts::and);
        Ok(view)
    }

    /// Returns the steps of the plan in order. If no other is sent, the current sheet is the only step, even if its
    /// operation deletes.
    pub(crate) fn steps(&self, ctx: &SessionContext<'_>) -> Vec<PlanStep> {
        let workbook_steps = steps::workbook_steps(self, ctx.contract);
        let current = self.current().ok().filter(|current| current.operation().is_some() && current.list().is_none());
        let alone = |sheet: &Session| vec![steps::single_step(self, sheet)];
        match &self.scope {
            Scope::Only(name) => {
                self.sheet(name).filter(|sheet| sheet.operation().is_some()).map(alone).unwrap_or_default()
            }
            Scope::Sheet => current.map(alone).unwrap_or_default(),
            Scope::Workbook => match current {
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

    pub(crate) fn items(&self, ctx: &SessionContext<'_>) -> Result<Vec<StepItems>, Problem> {
        items::items(self, ctx.contract, &self.steps(ctx))
    }

    fn part_choices(&self, sheet: &Session, ctx: &SessionContext<'_>) -> Vec<PartChoice> {
        let owners: Vec<(&str, &str)> = self
            .sheets
            .iter()
            .filter(|other| other.sheet_name() != sheet.sheet_name() && other.list().is_none() && self.is_step(other))
            .filter_map(|other| Some((other.sheet_name(), other.operation()?)))
            .collect();
        choice::choices(ctx.contract, sheet.sheet_name(), sheet.headings(), &owners)
    }

    /// Finds the sheets of parts again, except for sheets whose purpose the user chose.
    fn assign(&mut self, ctx: &SessionContext<'_>) {
        if self.scope == Scope::Sheet {
            return;
        }
        let names: Vec<String> = self.sheets.iter().map(|sheet| sheet.sheet_name().to_owned()).collect();
        for name in &names {
            let open = !self.decided.contains(name);
            let Some(sheet) = self.sheet(name).filter(|sheet| open && sheet.has_rows() && !sheet.is_known()) else {
                continue;
            };
            let choices = self.part_choices(sheet, ctx);
            let own = sheet.proposals().first().map(|proposal| proposal.score);
            let found =
                choice::clear_part(&choices, own, sheet.fills_key()).filter(|part| !self.owns(name, &part.of)).cloned();
            self.apply_part(name, found, ctx);
        }
        self.owners.retain(|sheet, owner| names.contains(sheet) && names.contains(owner));
    }

    /// Returns true if the other sheet has parts of this one's items.
    fn owns(&self, name: &str, other: &str) -> bool {
        self.owners.get(other).is_some_and(|owner| owner == name)
    }

    /// Makes a sheet's rows the given parts, or no parts. Does nothing if they are already.
    fn apply_part(&mut self, name: &str, part: Option<StepPart>, ctx: &SessionContext<'_>) {
        let of = part.as_ref().and_then(|part| self.sheet(&part.of)?.operation().map(str::to_owned));
        let Some(sheet) = self.sheet_mut(name) else { return };
        match (part, of) {
            (Some(part), Some(operation)) => {
                let same = sheet.list() == Some(&part.list) && sheet.operation() == Some(&operation);
                if !same && let Some(targets) = choice::targets(ctx.contract, &operation, &part.list) {
                    sheet.set_targets(targets, ctx);
                }
                self.owners.insert(name.to_owned(), part.of);
            }
            _ => {
                if sheet.list().is_some() {
                    sheet.propose(ctx);
                }
                self.owners.remove(name);
            }
        }
    }
}
