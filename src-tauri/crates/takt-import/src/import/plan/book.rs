//! The sheets of one workbook, each with its own state.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{PartChoice, PlanStep, StepItems, StepPart, StepState, choice, items, parts, predecessors, steps};
use serde::{Deserialize, Serialize};
use takt_browse::reference::Reference;
use takt_contract::Contract;
use takt_core::Problem;

use crate::import::{
    ImportCounts, ImportSite, ImportView, MappingFile,
    draft::DraftStatus,
    session::{Session, SessionContext, unknown},
};

/// An opened workbook.
#[derive(Debug)]
pub(in crate::import) struct Book {
    /// The opened sheets, in the workbook's order.
    pub(super) sheets: Vec<Session>,
    current: usize,
    /// Which sheets are part of the plan.
    pub(super) scope: Scope,
    /// The sheets in the order that the user wants, as far as their references allow it.
    pub(super) order: Vec<String>,
    pub(super) skipped: BTreeSet<String>,
    /// By sheet of parts, the sheet with the items.
    pub(super) owners: BTreeMap<String, String>,
    /// Sheets whose purpose the user chose.
    pub(super) decided: BTreeSet<String>,
    /// Counts the changes.
    revision: u32,
    /// `None` before a site was chosen.
    destination: Option<ImportSite>,
    pub(in crate::import) draft: DraftStatus,
}

/// Which sheets are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::import) enum Scope {
    /// The current sheet.
    Sheet,
    /// All sheets with rows. Every visible sheet was opened.
    Workbook,
    /// This sheet, whichever is current.
    Only(String),
}

/// Attributes a problem with the sheet's name to the mapping.
fn as_mapping_problem(problem: Problem) -> Problem {
    let is_sheet = problem.parameters.get("case").is_some_and(|case| case == "sheet");
    if is_sheet { problem.parameter("case", "mapping-sheet") } else { problem }
}

impl Book {
    pub(in crate::import) fn new(first: Session) -> Self {
        Self {
            sheets: vec![first],
            current: 0,
            scope: Scope::Sheet,
            order: Vec::new(),
            skipped: BTreeSet::new(),
            owners: BTreeMap::new(),
            decided: BTreeSet::new(),
            revision: 0,
            destination: None,
            draft: DraftStatus::default(),
        }
    }

    /// Returns the import's site, or `None` before one was chosen.
    pub(in crate::import) fn site(&self) -> Option<String> {
        self.destination.as_ref().map(|destination| destination.site.clone())
    }

    pub(in crate::import) fn destination(&self) -> Option<&ImportSite> {
        self.destination.as_ref()
    }

    /// Sets the site. Reference data of another site is replaced by `unknown` until this site was read.
    pub(in crate::import) fn change_site(&mut self, destination: ImportSite, unknown: &Arc<Reference>) {
        if self.destination.is_some() {
            self.sheets.iter_mut().for_each(|sheet| sheet.set_reference(Arc::clone(unknown), None));
            self.bump_revision();
        }
        self.set_destination(destination);
    }

    /// Applies the contract of another site to every sheet.
    pub(in crate::import) fn change_contract(&mut self, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        self.bump_revision();
        self.sheets.iter_mut().try_for_each(|sheet| sheet.change_contract(ctx))
    }

    /// Sets the site without changing the reference data.
    pub(in crate::import) fn set_destination(&mut self, destination: ImportSite) {
        self.destination = Some(destination);
    }

    /// Returns a number that increases with every change of what would be sent.
    pub(in crate::import) fn revision(&self) -> u32 {
        self.revision
    }

    pub(in crate::import) fn bump_revision(&mut self) {
        self.revision += 1;
    }

    pub(in crate::import) fn current(&self) -> Result<&Session, Problem> {
        self.sheets.get(self.current).ok_or_else(|| unknown(""))
    }

    pub(in crate::import) fn current_mut(&mut self) -> Result<&mut Session, Problem> {
        self.sheets.get_mut(self.current).ok_or_else(|| unknown(""))
    }

    pub(in crate::import) fn sheet(&self, name: &str) -> Option<&Session> {
        self.sheets.iter().find(|sheet| sheet.sheet_name() == name)
    }

    pub(in crate::import) fn sheet_mut(&mut self, name: &str) -> Option<&mut Session> {
        self.sheets.iter_mut().find(|sheet| sheet.sheet_name() == name)
    }

    /// Makes a sheet current. A sheet that was opened before keeps its state.
    pub(in crate::import) fn choose(&mut self, name: &str, ctx: &SessionContext<'_>) -> Result<(), Problem> {
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

    /// Limits sending to this sheet.
    pub(in crate::import) fn send_only(&mut self, name: &str) {
        self.skipped.remove(name);
        self.scope = Scope::Only(name.to_owned());
    }

    /// Reads every visible sheet, and finds the sheets with parts. Together they're the plan.
    ///
    /// # Errors
    /// If a sheet can't be read. Its rows would be missing from the plan.
    pub(in crate::import) fn plan(&mut self, ctx: &SessionContext<'_>) -> Result<(), Problem> {
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
    pub(in crate::import) fn order_steps(&mut self, names: &[String], ctx: &SessionContext<'_>) -> Result<(), Problem> {
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
            return Err(Problem::in_the_way_of("order-of-steps", &[("sheet", sheet), ("other", other)]));
        }
        Ok(())
    }

    pub(in crate::import) fn choose_operation(
        &mut self,
        operation: &str,
        ctx: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        let current = self.current_mut()?;
        current.choose_operation(operation, ctx)?;
        let name = current.sheet_name().to_owned();
        self.owners.remove(&name);
        self.decided.insert(name);
        self.assign(ctx);
        Ok(())
    }

    /// Makes the current sheet's rows parts of another sheet's items.
    pub(in crate::import) fn choose_part(&mut self, part: &StepPart, ctx: &SessionContext<'_>) -> Result<(), Problem> {
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
    pub(in crate::import) fn apply(&mut self, mapping: &MappingFile, ctx: &SessionContext<'_>) -> Result<(), Problem> {
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

    /// Leaves a sheet out of the plan, or includes it again.
    pub(in crate::import) fn set_left_out(&mut self, name: &str, left_out: bool) -> Result<(), Problem> {
        self.sheet(name).ok_or_else(|| unknown(name))?;
        if left_out {
            self.skipped.insert(name.to_owned());
        } else {
            self.skipped.remove(name);
        }
        Ok(())
    }

    /// Returns true if the sheet has rows for an operation that is clear or that the user chose.
    pub(super) fn is_step(&self, sheet: &Session) -> bool {
        let clear = || self.decided.contains(sheet.sheet_name()) || sheet.list().is_some() || sheet.is_clear();
        sheet.has_rows() && sheet.operation().is_some() && clear()
    }

    /// Returns true if the sheet, or the one that it belongs to, is left out.
    pub(super) fn is_left_out(&self, name: &str) -> bool {
        self.skipped.contains(name) || self.owners.get(name).is_some_and(|owner| self.skipped.contains(owner))
    }

    /// Updates the effects of the sheets on each other after one of them changed.
    pub(in crate::import) fn update_dependencies(&mut self, contract: &Contract) {
        if self.scope != Scope::Sheet {
            predecessors::share_values(self, contract);
            parts::mark_part_errors(self);
        }
    }

    pub(in crate::import) fn view(&self, ctx: &SessionContext<'_>) -> Result<ImportView, Problem> {
        let current = self.current()?;
        let mut view = current.view();
        view.destination.clone_from(&self.destination);
        view.draft.clone_from(&self.draft.view);
        for sheet in &mut view.sheets {
            if let Some(size) = self.sheet(&sheet.name).map(Session::size) {
                (sheet.rows, sheet.columns) = size;
            }
        }
        view.whole = self.scope != Scope::Sheet;
        if view.whole {
            view.parts = self.part_choices(current, ctx);
        }
        view.steps = self.steps(ctx);
        let sent = view.steps.iter().filter(|step| step.state != StepState::Skipped);
        view.totals = sent.map(|step| step.counts).fold(ImportCounts::default(), ImportCounts::and);
        Ok(view)
    }

    /// Returns the steps of the plan in order. If no other is sent, the current sheet is the only step, even if its
    /// operation deletes.
    pub(in crate::import) fn steps(&self, ctx: &SessionContext<'_>) -> Vec<PlanStep> {
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
    pub(in crate::import) fn sent_sheets(&self, ctx: &SessionContext<'_>) -> Vec<String> {
        let steps = self.steps(ctx).into_iter().filter(|step| step.state != StepState::Skipped);
        let sheets: Vec<String> = steps.map(|step| step.sheet).collect();
        if !sheets.is_empty() {
            return sheets;
        }
        self.current().map(|current| current.sheet_name().to_owned()).into_iter().collect()
    }

    pub(in crate::import) fn items(&self, ctx: &SessionContext<'_>) -> Result<Vec<StepItems>, Problem> {
        items::items(self, ctx.contract, &self.steps(ctx))
    }

    fn insert_session(&mut self, session: Session) {
        let index = session.sheet_index();
        let at = self.sheets.iter().position(|sheet| sheet.sheet_index() > index).unwrap_or(self.sheets.len());
        self.sheets.insert(at, session);
        if at <= self.current {
            self.current += 1;
        }
    }

    fn part_choices(&self, sheet: &Session, ctx: &SessionContext<'_>) -> Vec<PartChoice> {
        let owners: Vec<(&str, &str)> = self
            .sheets
            .iter()
            .filter(|other| other.sheet_name() != sheet.sheet_name() && other.list().is_none() && self.is_step(other))
            .filter_map(|other| Some((other.sheet_name(), other.operation()?)))
            .collect();
        choice::choices(ctx.contract, (sheet.sheet_name(), sheet.headings()), &owners)
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
