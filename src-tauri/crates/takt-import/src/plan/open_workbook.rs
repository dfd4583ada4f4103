//! An opened workbook with the state of each sheet.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use takt_browse::reference::ReferenceSnapshot;
use takt_contract::Contract;
use takt_core::Problem;

use super::step::PlanScope;
use crate::{
    draft::DraftStatus,
    import_site::ImportSite,
    session::{Session, SessionContext, unknown_problem},
};

/// An opened workbook with its sheets, plan, site and draft.
#[derive(Debug)]
pub(crate) struct OpenWorkbook {
    /// The opened sheets, in the workbook's order.
    pub(super) sheets: Vec<Session>,
    pub(super) current: usize,
    /// Whether the plan is one sheet or the whole workbook.
    pub(super) scope: PlanScope,
    /// The sheets in the order that the user wants, as far as their references allow it.
    pub(super) order: Vec<String>,
    pub(super) skipped: BTreeSet<String>,
    /// By sheet of parts, the sheet with the items.
    pub(super) owners: BTreeMap<String, String>,
    /// Sheets whose purpose the user chose.
    pub(super) chosen_sheets: BTreeSet<String>,
    /// Increases whenever the items to send may have changed.
    revision: u32,
    /// `None` before a site was chosen.
    destination: Option<ImportSite>,
    /// The contract that the sheets were opened with, or that was applied to all of them since.
    contract: Arc<Contract>,
    pub(crate) draft: DraftStatus,
}

impl OpenWorkbook {
    pub(crate) fn new(first: Session, contract: Arc<Contract>) -> Self {
        Self {
            sheets: vec![first],
            current: 0,
            scope: PlanScope::Sheet,
            order: Vec::new(),
            skipped: BTreeSet::new(),
            owners: BTreeMap::new(),
            chosen_sheets: BTreeSet::new(),
            revision: 0,
            destination: None,
            contract,
            draft: DraftStatus::default(),
        }
    }

    /// Returns the import's site, or `None` before one was chosen.
    pub(crate) fn site(&self) -> Option<String> {
        self.destination.as_ref().map(|destination| destination.site.clone())
    }

    pub(crate) fn destination(&self) -> Option<&ImportSite> {
        self.destination.as_ref()
    }

    /// Sets the site. Reference data of another site is replaced by `empty_reference` until this site is read.
    pub(crate) fn change_site(&mut self, destination: ImportSite, empty_reference: &Arc<ReferenceSnapshot>) {
        if self.destination.is_some() {
            self.sheets.iter_mut().for_each(|sheet| {
                sheet.set_reference(Arc::clone(empty_reference), None);
            });
            self.bump_revision();
        }
        self.set_destination(destination);
    }

    pub(crate) fn contract(&self) -> Arc<Contract> {
        Arc::clone(&self.contract)
    }

    /// Sets the contract of sheets that are about to be restored with it.
    pub(crate) fn set_contract(&mut self, contract: Arc<Contract>) {
        self.contract = contract;
    }

    /// Applies another contract, which `ctx` has, to every sheet.
    pub(crate) fn change_contract(
        &mut self,
        contract: &Arc<Contract>,
        ctx: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        self.bump_revision();
        self.sheets.iter_mut().try_for_each(|sheet| sheet.change_contract(ctx))?;
        // Set only after success, so that the next check tries again after a failure.
        self.contract = Arc::clone(contract);
        Ok(())
    }

    pub(crate) fn set_destination(&mut self, destination: ImportSite) {
        self.sheets.iter_mut().for_each(|sheet| sheet.set_site(&destination.site));
        self.destination = Some(destination);
    }

    /// Returns a number that increases whenever the items to send may have changed.
    pub(crate) fn revision(&self) -> u32 {
        self.revision
    }

    pub(crate) fn bump_revision(&mut self) {
        self.revision += 1;
    }

    pub(crate) fn current(&self) -> Result<&Session, Problem> {
        self.sheets.get(self.current).ok_or_else(|| unknown_problem(""))
    }

    pub(crate) fn current_mut(&mut self) -> Result<&mut Session, Problem> {
        self.sheets.get_mut(self.current).ok_or_else(|| unknown_problem(""))
    }

    pub(crate) fn sheet(&self, name: &str) -> Option<&Session> {
        self.sheets.iter().find(|sheet| sheet.sheet_name() == name)
    }

    pub(crate) fn sheet_mut(&mut self, name: &str) -> Option<&mut Session> {
        self.sheets.iter_mut().find(|sheet| sheet.sheet_name() == name)
    }

    /// Limits the plan to this sheet, even if it was left out before.
    pub(crate) fn limit_to_sheet(&mut self, name: &str) {
        self.skipped.remove(name);
        self.scope = PlanScope::Only(name.to_owned());
    }

    /// Leaves a sheet out of the plan, or includes it again.
    pub(crate) fn set_left_out(&mut self, name: &str, left_out: bool) -> Result<(), Problem> {
        self.sheet(name).ok_or_else(|| unknown_problem(name))?;
        if left_out {
            self.skipped.insert(name.to_owned());
        } else {
            self.skipped.remove(name);
        }
        Ok(())
    }

    /// Returns true if the sheet has rows for an operation that is clear or that the user chose.
    pub(super) fn is_step(&self, sheet: &Session) -> bool {
        let clear = || {
            self.chosen_sheets.contains(sheet.sheet_name())
                || sheet.part_list().is_some()
                || sheet.has_certain_operation()
        };
        sheet.has_rows() && sheet.operation().is_some() && clear()
    }

    /// Returns true if the sheet, or the sheet with its items, is left out.
    pub(super) fn is_left_out(&self, name: &str) -> bool {
        self.skipped.contains(name) || self.owners.get(name).is_some_and(|owner| self.skipped.contains(owner))
    }

    pub(super) fn insert_session(&mut self, session: Session) {
        let index = session.sheet_index();
        let at = self.sheets.iter().position(|sheet| sheet.sheet_index() > index).unwrap_or(self.sheets.len());
        self.sheets.insert(at, session);
        if at <= self.current {
            self.current += 1;
        }
    }
}
