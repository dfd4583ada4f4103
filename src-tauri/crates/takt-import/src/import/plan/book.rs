//! The sheets of one workbook side by side, each with a state of its own.

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
    /// The sheets that were looked at, in the workbook's order.
    pub(super) sheets: Vec<Session>,
    current: usize,
    /// Which of them are the plan.
    pub(super) scope: Scope,
    /// The sheets in the order that a person wants, as far as what they refer to allows it.
    pub(super) order: Vec<String>,
    pub(super) skipped: BTreeSet<String>,
    /// By sheet of parts: the sheet with the items.
    pub(super) owners: BTreeMap<String, String>,
    /// Sheets of which a person said what they are for.
    pub(super) decided: BTreeSet<String>,
    /// Counts the changes.
    revision: u32,
    /// Absent before a site was chosen.
    destination: Option<ImportSite>,
    pub(in crate::import) draft: DraftStatus,
}

/// Which sheets are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::import) enum Scope {
    /// The one that is looked at.
    Sheet,
    /// All that hold rows; every visible one was looked at.
    Workbook,
    /// This one, whichever is looked at.
    Only(String),
}

/// The sheet's name comes from the mapping.
fn of_mapping(problem: Problem) -> Problem {
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

    /// The site that it is for; absent before one was chosen.
    pub(in crate::import) fn site(&self) -> Option<String> {
        self.destination.as_ref().map(|destination| destination.site.clone())
    }

    pub(in crate::import) fn destination(&self) -> Option<&ImportSite> {
        self.destination.as_ref()
    }

    /// What another site holds is nothing to this one: `unknown` takes its place until this one was read.
    pub(in crate::import) fn go_to(&mut self, destination: ImportSite, unknown: &Arc<Reference>) {
        if self.destination.is_some() {
            self.sheets.iter_mut().for_each(|sheet| sheet.set_reference(Arc::clone(unknown), None));
            self.changed();
        }
        self.set_destination(destination);
    }

    /// Every sheet as the contract of another site has it.
    pub(in crate::import) fn change_contract(&mut self, around: &SessionContext<'_>) -> Result<(), Problem> {
        self.changed();
        self.sheets.iter_mut().try_for_each(|sheet| sheet.change_contract(around))
    }

    /// The same site; only what is known of it changes.
    pub(in crate::import) fn set_destination(&mut self, destination: ImportSite) {
        self.destination = Some(destination);
    }

    /// Another one after every change of what would be sent.
    pub(in crate::import) fn revision(&self) -> u32 {
        self.revision
    }

    pub(in crate::import) fn changed(&mut self) {
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

    /// Goes to a sheet. One that was looked at before is as it was left.
    pub(in crate::import) fn choose(&mut self, name: &str, around: &SessionContext<'_>) -> Result<(), Problem> {
        if self.sheet(name).is_none() {
            let session = self.current()?.beside(name, around)?;
            self.add(session);
        }
        let before = self.sent_sheets(around);
        self.current = self.sheets.iter().position(|sheet| sheet.sheet_name() == name).unwrap_or_default();
        if self.sent_sheets(around) != before {
            self.changed();
        }
        Ok(())
    }

    /// From here on nothing but this sheet is sent.
    pub(in crate::import) fn send_only(&mut self, name: &str) {
        self.skipped.remove(name);
        self.scope = Scope::Only(name.to_owned());
    }

    /// Reads every visible sheet, and finds out which are parts of which: together they are the plan.
    ///
    /// # Errors
    /// If a sheet can't be read. Its rows would be missing from the plan.
    pub(in crate::import) fn plan(&mut self, around: &SessionContext<'_>) -> Result<(), Problem> {
        for name in self.current()?.visible_sheets() {
            if self.sheet(&name).is_none() {
                let session = self.current()?.beside(&name, around)?;
                self.add(session);
            }
        }
        if self.scope == Scope::Sheet {
            self.scope = Scope::Workbook;
        }
        self.assign(around);
        Ok(())
    }

    /// Puts these steps first, in this order, and the others behind them as they stand. Refused where one of them waits for a
    /// later one.
    pub(in crate::import) fn order_steps(
        &mut self,
        names: &[String],
        around: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        let steps = |book: &Self| -> Vec<String> {
            let of_plan = book.steps(around).into_iter().filter(|step| step.part.is_none());
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
        around: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        let current = self.current_mut()?;
        current.choose_operation(operation, around)?;
        let name = current.sheet_name().to_owned();
        self.owners.remove(&name);
        self.decided.insert(name);
        self.assign(around);
        Ok(())
    }

    /// From here on the current sheet's rows are parts of another's items.
    pub(in crate::import) fn choose_part(
        &mut self,
        part: &StepPart,
        around: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        let owner = self.sheet(&part.of).filter(|owner| owner.list().is_none());
        let operation = owner.and_then(Session::operation).map(str::to_owned).ok_or_else(|| unknown(&part.of))?;
        let targets = choice::targets(around.contract, &operation, &part.list).ok_or_else(|| unknown(&part.list))?;
        let current = self.current_mut()?;
        if current.sheet_name() == part.of {
            return Err(unknown(&part.of));
        }
        current.take_targets(targets, around);
        let name = current.sheet_name().to_owned();
        self.decided.insert(name.clone());
        self.owners.insert(name, part.of.clone());
        self.assign(around);
        Ok(())
    }

    /// A mapping may be for another sheet: then that one is gone to first. A file of one sheet is read by a mapping of any
    /// name: that of a csv is the file's own, and another one every day.
    pub(in crate::import) fn apply(
        &mut self,
        mapping: &MappingFile,
        around: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        let visible = self.current()?.visible_sheets();
        if let Some(sheet) = mapping.sheet.as_ref().filter(|sheet| visible.len() > 1 || visible.contains(sheet)) {
            self.choose(sheet, around).map_err(of_mapping)?;
        }
        let current = self.current_mut()?;
        current.apply(mapping, around)?;
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
        self.assign(around);
        Ok(())
    }

    /// Leaves a sheet out of the plan, or takes it in again.
    pub(in crate::import) fn skip_rows(&mut self, name: &str, out: bool) -> Result<(), Problem> {
        self.sheet(name).ok_or_else(|| unknown(name))?;
        if out {
            self.skipped.insert(name.to_owned());
        } else {
            self.skipped.remove(name);
        }
        Ok(())
    }

    /// True where the sheet holds rows for an operation that a person said, or that is clear.
    pub(super) fn is_step(&self, sheet: &Session) -> bool {
        let clear = || self.decided.contains(sheet.sheet_name()) || sheet.list().is_some() || sheet.is_clear();
        sheet.has_rows() && sheet.operation().is_some() && clear()
    }

    /// True where the sheet, or the one that it belongs to, is left out.
    pub(super) fn is_out(&self, name: &str) -> bool {
        self.skipped.contains(name) || self.owners.get(name).is_some_and(|owner| self.skipped.contains(owner))
    }

    /// What follows from the sheets for each other, after one of them changed.
    pub(in crate::import) fn settle(&mut self, contract: &Contract) {
        if self.scope != Scope::Sheet {
            predecessors::settle(self, contract);
            parts::settle(self);
        }
    }

    pub(in crate::import) fn view(&self, around: &SessionContext<'_>) -> Result<ImportView, Problem> {
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
            view.parts = self.part_choices(current, around);
        }
        view.steps = self.steps(around);
        let sent = view.steps.iter().filter(|step| step.state != StepState::Skipped);
        view.totals = sent.map(|step| step.counts).fold(ImportCounts::default(), ImportCounts::and);
        Ok(view)
    }

    /// The plan: what is sent, in its order. As long as nothing else is, the sheet that is looked at goes by itself, also one
    /// whose rows are deleted.
    pub(in crate::import) fn steps(&self, around: &SessionContext<'_>) -> Vec<PlanStep> {
        let of_workbook = steps::of_workbook(self, around.contract);
        let current = self.current().ok().filter(|current| current.operation().is_some() && current.list().is_none());
        let alone = |sheet: &Session| vec![steps::alone(self, sheet)];
        match &self.scope {
            Scope::Only(name) => {
                self.sheet(name).filter(|sheet| sheet.operation().is_some()).map(alone).unwrap_or_default()
            }
            Scope::Sheet => current.map(alone).unwrap_or_default(),
            Scope::Workbook => match current {
                Some(sheet) if of_workbook.iter().all(|step| step.state == StepState::Skipped) => alone(sheet),
                _ => of_workbook,
            },
        }
    }

    /// The sheets of the plan in its order, without those that are left out; the one that is looked at where there are none.
    pub(in crate::import) fn sent_sheets(&self, around: &SessionContext<'_>) -> Vec<String> {
        let steps = self.steps(around).into_iter().filter(|step| step.state != StepState::Skipped);
        let sheets: Vec<String> = steps.map(|step| step.sheet).collect();
        if !sheets.is_empty() {
            return sheets;
        }
        self.current().map(|current| current.sheet_name().to_owned()).into_iter().collect()
    }

    pub(in crate::import) fn items(&self, around: &SessionContext<'_>) -> Result<Vec<StepItems>, Problem> {
        items::items(self, around.contract, &self.steps(around))
    }

    fn add(&mut self, session: Session) {
        let place = session.place();
        let at = self.sheets.iter().position(|sheet| sheet.place() > place).unwrap_or(self.sheets.len());
        self.sheets.insert(at, session);
        if at <= self.current {
            self.current += 1;
        }
    }

    fn part_choices(&self, sheet: &Session, around: &SessionContext<'_>) -> Vec<PartChoice> {
        let owners: Vec<(&str, &str)> = self
            .sheets
            .iter()
            .filter(|other| other.sheet_name() != sheet.sheet_name() && other.list().is_none() && self.is_step(other))
            .filter_map(|other| Some((other.sheet_name(), other.operation()?)))
            .collect();
        choice::choices(around.contract, (sheet.sheet_name(), sheet.headings()), &owners)
    }

    /// Finds the sheets of parts anew, but for those of which a person said what they are.
    fn assign(&mut self, around: &SessionContext<'_>) {
        if self.scope == Scope::Sheet {
            return;
        }
        let names: Vec<String> = self.sheets.iter().map(|sheet| sheet.sheet_name().to_owned()).collect();
        for name in &names {
            let open = !self.decided.contains(name);
            let Some(sheet) = self.sheet(name).filter(|sheet| open && sheet.has_rows() && !sheet.is_known()) else {
                continue;
            };
            let choices = self.part_choices(sheet, around);
            let own = sheet.proposals().first().map(|proposal| proposal.score);
            let found =
                choice::clear(&choices, own, sheet.fills_key()).filter(|part| !self.owns(name, &part.of)).cloned();
            self.put(name, found, around);
        }
        self.owners.retain(|sheet, owner| names.contains(sheet) && names.contains(owner));
    }

    /// True where the other sheet holds parts of this one's items.
    fn owns(&self, name: &str, other: &str) -> bool {
        self.owners.get(other).is_some_and(|owner| owner == name)
    }

    /// Makes a sheet what was found; nothing happens where it is that already.
    fn put(&mut self, name: &str, part: Option<StepPart>, around: &SessionContext<'_>) {
        let of = part.as_ref().and_then(|part| self.sheet(&part.of)?.operation().map(str::to_owned));
        let Some(sheet) = self.sheet_mut(name) else { return };
        match (part, of) {
            (Some(part), Some(operation)) => {
                let same = sheet.list() == Some(&part.list) && sheet.operation() == Some(&operation);
                if !same && let Some(targets) = choice::targets(around.contract, &operation, &part.list) {
                    sheet.take_targets(targets, around);
                }
                self.owners.insert(name.to_owned(), part.of);
            }
            _ => {
                if sheet.list().is_some() {
                    sheet.propose(around);
                }
                self.owners.remove(name);
            }
        }
    }
}
