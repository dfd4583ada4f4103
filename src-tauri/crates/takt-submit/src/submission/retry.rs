//! Sends the rejected rows of a submission again in a new one, unchanged or as corrected in a file.
//!
//! Rows that were accepted, there or in a later submission, are never included.

use std::{
    collections::{HashMap, HashSet},
    mem,
};
use takt_core::ExcelRow;

use takt_journal::{ItemDetail, Relation, RowResult, SubmissionId, SubmissionOrigin, SubmissionRecord};

use super::{
    guard,
    request::{SendOptions, SubmissionRequest},
    sent_file::is_renamed_text_sheet,
    submissions_state::Submissions,
};
use crate::preview::StepToSend;
use takt_core::{Code, Item, Problem, RowId};
use takt_import::{ItemSet, MappingFile, StepItems};

const PAGE_SIZE: u32 = 5_000;

impl Submissions {
    /// Returns the rejected rows that no later submission has accepted, in the order of sending.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn rejected_rows(&self, id: SubmissionId) -> Result<Vec<RowId>, Problem> {
        Ok(self.load_rejected(id)?.iter().flat_map(row_ids).collect())
    }

    /// Creates the request that sends the rejected rows again as they were stored. [`Self::send`] sends them as in a
    /// corrected file.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - [`Code::AddressChanged`]: the submission went to another address than the site has now.
    /// - [`Code::Precondition`]: there is no rejected row (`nothing-rejected`).
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn create_retry(&self, id: SubmissionId) -> Result<SubmissionRequest, Problem> {
        let record = self.shared.journal.submission(id)?;
        guard::check_address(&self.shared.sites, &self.shared.journal, &record)?;
        let items = require_some(self.load_rejected(id)?.iter().map(to_item).collect())?;
        let SubmissionRecord { operation, site, file, hash, sheet, mapping, .. } = record;
        let set = ItemSet { operation, file, hash, sheet, items, mapping };
        let follows = Some(SubmissionOrigin { submission: id, relation: Relation::Retry });
        let options = SendOptions { follows, ..SendOptions::default() };
        Ok(SubmissionRequest { site, steps: vec![set.into()], options, ..SubmissionRequest::default() })
    }

    /// Returns the step with the rejected rows of a submission as a corrected file has them. Other rows of the file are
    /// left out. Rows are found by their sheet and number, so a file whose rows have moved is refused.
    pub(super) fn retain_rejected(
        &self,
        id: SubmissionId,
        site: &str,
        steps: Vec<StepToSend>,
    ) -> Result<StepToSend, Problem> {
        let record = self.shared.journal.submission(id)?;
        if site != record.site {
            return Err(Problem::obstacle_with("other-site", &[("site", site), ("other", &record.site)]));
        }
        let rejected = self.load_rejected(id)?;
        let mut set = find_step(steps, &record)?.into_set()?;
        if is_renamed_text_sheet(&record.file, &record.sheet, &set.file, &set.sheet) {
            let sheet_rows = set.items.iter_mut().flat_map(|item| &mut item.rows);
            sheet_rows.filter(|row| row.sheet == set.sheet).for_each(|row| row.sheet.clone_from(&record.sheet));
            set.sheet.clone_from(&record.sheet);
        }
        let owners: HashMap<RowId, &ItemDetail> =
            rejected.iter().flat_map(|item| row_ids(item).map(move |row| (row, item))).collect();
        set.items.retain(|item| item.rows.iter().any(|row| owners.contains_key(row)));
        let items = require_some(set.items)?;
        items.iter().try_for_each(|item| check_same_rows(item, &owners, &set.file))?;
        self.refuse_moved_rows(id, &rejected, &items, &set.file)?;
        Ok(StepItems::from(ItemSet { items, ..set }).into())
    }

    /// Keeps the items whose rows are still rejected, because others may have sent the rest meanwhile.
    pub(super) fn retain_still_rejected(
        &self,
        id: SubmissionId,
        mut steps: Vec<StepItems>,
    ) -> Result<Vec<StepItems>, Problem> {
        let rejected: HashSet<RowId> = self.rejected_rows(id)?.into_iter().collect();
        for step in &mut steps {
            let items = mem::take(&mut step.set.items);
            let still_rejected = items.into_iter().filter(|item| item.rows.iter().all(|row| rejected.contains(row)));
            step.set.items = require_some(still_rejected.collect())?;
        }
        Ok(steps)
    }

    /// Refuses a corrected file whose rows have moved: the row of a rejected item has the key of another item, which
    /// was accepted or rejected.
    fn refuse_moved_rows(
        &self,
        id: SubmissionId,
        rejected: &[ItemDetail],
        items: &[Item],
        file: &str,
    ) -> Result<(), Problem> {
        let moved = |item: &Item| {
            let row = item.rows.first().map(|row| row.row.to_string()).unwrap_or_default();
            Problem::obstacle_with("rows-moved", &[("row", &row), ("file", file), ("key", &item.key)])
        };
        let rejected: HashMap<&str, &ItemDetail> = rejected.iter().map(|item| (item.key.as_str(), item)).collect();
        let mut other: HashMap<&str, &Item> = HashMap::new();
        for item in items {
            match rejected.get(item.key.as_str()) {
                Some(owner) if row_ids(owner).any(|row| item.rows.contains(&row)) => {}
                Some(_) => return Err(moved(item)),
                None => drop(other.insert(&item.key, item)),
            }
        }
        let mut after = 0;
        while !other.is_empty() {
            let accepted = self.shared.journal.rows().item_details(id, RowResult::Accepted, after, PAGE_SIZE)?;
            let Some(last) = accepted.last() else { break };
            if let Some(item) = accepted.iter().find_map(|item| other.get(item.key.as_str())) {
                return Err(moved(item));
            }
            after = last.number;
        }
        Ok(())
    }

    /// Returns the mappings of all of a plan's steps.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - [`Code::Precondition`]: no step has a stored mapping (`no-mapping-kept`).
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn load_mappings(&self, id: SubmissionId) -> Result<Vec<MappingFile>, Problem> {
        let record = self.shared.journal.submission(id)?;
        let mut mappings = Vec::new();
        for id in self.shared.journal.plans().steps(record.plan)? {
            let Some(mapping) = self.shared.journal.submission(id)?.mapping else { continue };
            let read =
                MappingFile::parse_all(mapping).map_err(|error| Problem::new(Code::JournalFailed).details(error))?;
            mappings.extend(read);
        }
        if mappings.is_empty() { Err(Problem::obstacle("no-mapping-kept")) } else { Ok(mappings) }
    }

    fn load_rejected(&self, id: SubmissionId) -> Result<Vec<ItemDetail>, Problem> {
        let journal = &self.shared.journal;
        journal.submission(id)?;
        let settled = journal.rows().keys_accepted_later(id)?;
        // The key of a corrected row may differ from the rejected one.
        let settled_rows = journal.rows().accepted_in_retries(id)?;
        let is_settled =
            |item: &ItemDetail| settled.contains(&item.key) || item.rows.iter().all(|row| settled_rows.contains(row));
        let (mut rejected, mut after) = (Vec::new(), 0);
        loop {
            let items = journal.rows().item_details(id, RowResult::Rejected, after, PAGE_SIZE)?;
            let Some(last) = items.last() else { return Ok(rejected) };
            after = last.number;
            rejected.extend(items.into_iter().filter(|item| !is_settled(item)));
        }
    }
}

/// Refuses an item that lacks rows which it had when it was rejected, since it would be sent incomplete. An item may
/// have more rows than before if its key is the same.
fn check_same_rows(item: &Item, owners: &HashMap<RowId, &ItemDetail>, file: &str) -> Result<(), Problem> {
    let refused = |obstacle: &str, row: &RowId, key: &str| {
        let row = format!("{} {}", row.sheet, row.row);
        Err(Problem::obstacle_with(obstacle, &[("row", &row), ("file", file), ("key", key)]))
    };
    let before: Vec<&ItemDetail> = item.rows.iter().filter_map(|row| owners.get(row).copied()).collect();
    for owner in &before {
        if let Some(lost) = row_ids(owner).find(|row| !item.rows.contains(row)) {
            return refused("row-lost", &lost, &owner.key);
        }
    }
    match item.rows.iter().find(|row| !owners.contains_key(row)) {
        Some(added) if before.iter().all(|owner| owner.key != item.key) => refused("row-added", added, &item.key),
        Some(_) | None => Ok(()),
    }
}

/// Returns the step with the submission's sheet and operation, or else the first step with its operation.
fn find_step(mut steps: Vec<StepToSend>, record: &SubmissionRecord) -> Result<StepToSend, Problem> {
    let first = steps.first().map(|step| step.set.operation.clone()).unwrap_or_default();
    steps.retain(|step| step.set.operation == record.operation);
    let at = steps.iter().position(|step| step.set.sheet == record.sheet).unwrap_or_default();
    steps.into_iter().nth(at).ok_or_else(|| {
        Problem::obstacle_with("other-operation", &[("operation", &record.operation), ("other", &first)])
    })
}

fn require_some(items: Vec<Item>) -> Result<Vec<Item>, Problem> {
    if items.is_empty() { Err(Problem::obstacle("nothing-rejected")) } else { Ok(items) }
}

fn row_ids(item: &ItemDetail) -> impl Iterator<Item = RowId> + '_ {
    item.rows.iter().map(|(sheet, row)| RowId { sheet: sheet.clone(), row: ExcelRow::new(*row) })
}

fn to_item(item: &ItemDetail) -> Item {
    Item { rows: row_ids(item).collect(), key: item.key.clone(), body: item.body.clone(), ..Item::default() }
}
