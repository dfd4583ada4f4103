//! Sends the rejected rows of a submission again in a new one, unchanged or as corrected in a file.
//!
//! Rows that were accepted, there or in a later submission, are never included.

use std::{collections::HashSet, path::Path};
use takt_core::ExcelRow;

use takt_journal::{ItemDetail, Relation, RowResult, SubmissionId, SubmissionOrigin, SubmissionRecord};

use super::{
    guard,
    send::{SendOptions, SubmissionRequest},
    shared::Submissions,
};
use takt_core::{Code, Item, Problem, RowId};
use takt_import::{ItemSet, MappingFile, SiteItems, StepItems};

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

    /// Creates the request that sends the rejected rows again: as stored, or as in a corrected file. Other rows of the
    /// file are ignored.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - [`Code::AddressChanged`]: the submission went to another address than the site has now.
    /// - [`Code::Precondition`]: no rejected row would be sent (`nothing-rejected`), or `corrected` is for another site
    ///   or operation (`other-site`, `other-operation`).
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn retry(&self, id: SubmissionId, corrected: Option<SiteItems>) -> Result<SubmissionRequest, Problem> {
        let record = self.shared.journal.submission(id)?;
        guard::check_address(&self.shared.journal, &record)?;
        let corrected = corrected.map(|corrected| require_site(corrected, &record.site)).transpose()?;
        let rejected = self.load_rejected(id)?;
        let follows = Some(SubmissionOrigin { submission: id, relation: Relation::Retry });
        let set = match corrected {
            None => {
                let items = rejected.iter().map(to_item).collect();
                let (operation, file, hash, sheet) = (record.operation, record.file, record.hash, record.sheet);
                ItemSet { operation, file, hash, sheet, items, mapping: record.mapping }
            }
            Some(steps) => {
                let mut set = find_step(steps, &record)?;
                if is_renamed_text_sheet(&record.file, &record.sheet, &set.file, &set.sheet) {
                    let sheet_rows = set.items.iter_mut().flat_map(|item| &mut item.rows);
                    sheet_rows.filter(|row| row.sheet == set.sheet).for_each(|row| row.sheet.clone_from(&record.sheet));
                    set.sheet.clone_from(&record.sheet);
                }
                let file_rows: HashSet<&RowId> = set.items.iter().flat_map(|item| &item.rows).collect();
                // An item's rows may be on several sheets. If the file has only some of them, the item would differ, so
                // it isn't sent.
                let complete = rejected.iter().filter(|item| row_ids(item).all(|row| file_rows.contains(&row)));
                let wanted: HashSet<RowId> = complete.flat_map(row_ids).collect();
                set.items.retain(|item| item.rows.iter().all(|row| wanted.contains(row)));
                set
            }
        };
        if set.items.is_empty() {
            return Err(Problem::obstacle("nothing-rejected"));
        }
        let options = SendOptions { follows, ..SendOptions::default() };
        Ok(SubmissionRequest { site: record.site, steps: vec![set.into()], options, ..SubmissionRequest::default() })
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
        let settled = journal.rows().accepted_later(id)?;
        let (mut rejected, mut after) = (Vec::new(), 0);
        loop {
            let items = journal.rows().item_details(id, RowResult::Rejected, after, PAGE_SIZE)?;
            let Some(last) = items.last() else { return Ok(rejected) };
            after = last.number;
            rejected.extend(items.into_iter().filter(|item| !settled.contains(&item.key)));
        }
    }
}

/// Returns whether both are the only sheet of a text file, named after the file.
pub(crate) fn is_renamed_text_sheet(file: &str, sheet: &str, other_file: &str, other_sheet: &str) -> bool {
    let stem = |file: &str| Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    sheet != other_sheet && stem(file).as_deref() == Some(sheet) && stem(other_file).as_deref() == Some(other_sheet)
}

/// Checks that the items are for this site.
fn require_site(items: SiteItems, site: &str) -> Result<Vec<StepItems>, Problem> {
    if items.site == site {
        return Ok(items.steps);
    }
    Err(Problem::obstacle_with("other-site", &[("site", &items.site), ("other", site)]))
}

/// Returns the step with the submission's sheet and operation, or else the first step with its operation.
fn find_step(mut steps: Vec<StepItems>, record: &SubmissionRecord) -> Result<ItemSet, Problem> {
    let first = steps.first().map(|step| step.set.operation.clone()).unwrap_or_default();
    steps.retain(|step| step.set.operation == record.operation);
    let at = steps.iter().position(|step| step.set.sheet == record.sheet).unwrap_or_default();
    let item_set = steps.into_iter().nth(at).map(|step| step.set);
    item_set.ok_or_else(|| {
        Problem::obstacle_with("other-operation", &[("operation", &record.operation), ("other", &first)])
    })
}

fn row_ids(item: &ItemDetail) -> impl Iterator<Item = RowId> + '_ {
    item.rows.iter().map(|(sheet, row)| RowId { sheet: sheet.clone(), row: ExcelRow::new(*row) })
}

fn to_item(item: &ItemDetail) -> Item {
    Item { rows: row_ids(item).collect(), key: item.key.clone(), body: item.body.clone(), ..Item::default() }
}
