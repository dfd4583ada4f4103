//! What a submission left behind is sent by another one: its rejected rows as they were, or as they were corrected.
//!
//! What was accepted, there or in a later submission, is never part of it.

use std::{collections::HashSet, path::Path};
use takt_core::ExcelRow;

use takt_journal::{ItemDetail, Relation, RowResult, SubmissionId, SubmissionOrigin, SubmissionRecord};

use super::{SubmissionRequest, Submissions, guard};
use takt_core::{Code, Item, Problem, RowId};
use takt_import::{
    ItemSet, StepItems,
    import::{MappingFile, SiteItems},
};

const AT_ONCE: u32 = 5_000;

impl Submissions {
    /// The rejected rows that no later submission had accepted, in the order of sending.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn rejected_rows(&self, id: SubmissionId) -> Result<Vec<RowId>, Problem> {
        Ok(self.rejected(id)?.iter().flat_map(rows).collect())
    }

    /// The request that sends the rejected rows again: as they are kept, or as a corrected file has them. Of that file only
    /// the rows count that were rejected.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - [`Code::AddressChanged`]: it went to another address than the site has now.
    /// - [`Code::Precondition`]: no rejected row is among what is to be sent (`nothing-rejected`), or `corrected` is for
    ///   another site or operation (`other-site`, `other-operation`).
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn retry(&self, id: SubmissionId, corrected: Option<SiteItems>) -> Result<SubmissionRequest, Problem> {
        let record = self.shared.journal.submission(id)?;
        guard::check_place(&self.shared.journal, &record)?;
        let corrected = corrected.map(|corrected| of_site(corrected, &record.site)).transpose()?;
        let rejected = self.rejected(id)?;
        let follows = Some(SubmissionOrigin { submission: id, relation: Relation::Retry });
        let set = match corrected {
            None => {
                let items = rejected.iter().map(as_kept).collect();
                let (operation, file, hash, sheet) = (record.operation, record.file, record.hash, record.sheet);
                ItemSet { operation, file, hash, sheet, items, mapping: record.mapping }
            }
            Some(steps) => {
                let mut set = step_of(steps, &record)?;
                if is_its_file((&record.file, &record.sheet), (&set.file, &set.sheet)) {
                    let of_sheet = set.items.iter_mut().flat_map(|item| &mut item.rows);
                    of_sheet.filter(|row| row.sheet == set.sheet).for_each(|row| row.sheet.clone_from(&record.sheet));
                    set.sheet.clone_from(&record.sheet);
                }
                let there: HashSet<&RowId> = set.items.iter().flat_map(|item| &item.rows).collect();
                // Of an item whose rows stand on several sheets, part of them would be another item.
                let whole = rejected.iter().filter(|item| rows(item).all(|row| there.contains(&row)));
                let wanted: HashSet<RowId> = whole.flat_map(rows).collect();
                set.items.retain(|item| item.rows.iter().all(|row| wanted.contains(row)));
                set
            }
        };
        if set.items.is_empty() {
            return Err(Problem::in_the_way_of("nothing-rejected", &[]));
        }
        Ok(SubmissionRequest { site: record.site, steps: vec![set.into()], follows, ..SubmissionRequest::default() })
    }

    /// The mappings that were used, of all of a plan's steps.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - [`Code::Precondition`]: it kept no mapping (`no-mapping-kept`).
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn mappings_of(&self, id: SubmissionId) -> Result<Vec<MappingFile>, Problem> {
        let record = self.shared.journal.submission(id)?;
        let mut mappings = Vec::new();
        for id in self.shared.journal.plans().steps(record.plan)? {
            let Some(kept) = self.shared.journal.submission(id)?.mapping else { continue };
            let read = MappingFile::of_value(kept).map_err(|error| Problem::new(Code::JournalFailed).details(error))?;
            mappings.extend(read);
        }
        if mappings.is_empty() { Err(Problem::in_the_way_of("no-mapping-kept", &[])) } else { Ok(mappings) }
    }

    fn rejected(&self, id: SubmissionId) -> Result<Vec<ItemDetail>, Problem> {
        let journal = &self.shared.journal;
        journal.submission(id)?;
        let settled = journal.rows().accepted_later(id)?;
        let (mut found, mut after) = (Vec::new(), 0);
        loop {
            let items = journal.rows().item_details(id, RowResult::Rejected, after, AT_ONCE)?;
            let Some(last) = items.last() else { return Ok(found) };
            after = last.number;
            found.extend(items.into_iter().filter(|item| !settled.contains(&item.key)));
        }
    }
}

/// True where both are the one sheet of a text, which is called after its file.
pub(crate) fn is_its_file((file, sheet): (&str, &str), (other_file, other_sheet): (&str, &str)) -> bool {
    let stem = |file: &str| Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    sheet != other_sheet && stem(file).as_deref() == Some(sheet) && stem(other_file).as_deref() == Some(other_sheet)
}

/// What was made for another site is nothing to this one.
fn of_site(items: SiteItems, site: &str) -> Result<Vec<StepItems>, Problem> {
    if items.site == site {
        return Ok(items.steps);
    }
    Err(Problem::in_the_way_of("other-site", &[("site", &items.site), ("other", site)]))
}

/// The step that does what the submission did: of its sheet, else the first one with its operation.
fn step_of(mut steps: Vec<StepItems>, record: &SubmissionRecord) -> Result<ItemSet, Problem> {
    let first = steps.first().map(|step| step.set.operation.clone()).unwrap_or_default();
    steps.retain(|step| step.set.operation == record.operation);
    let at = steps.iter().position(|step| step.set.sheet == record.sheet).unwrap_or_default();
    let item_set = steps.into_iter().nth(at).map(|step| step.set);
    item_set.ok_or_else(|| {
        Problem::in_the_way_of("other-operation", &[("operation", &record.operation), ("other", &first)])
    })
}

fn rows(item: &ItemDetail) -> impl Iterator<Item = RowId> + '_ {
    item.rows.iter().map(|(sheet, row)| RowId { sheet: sheet.clone(), row: ExcelRow::new(*row) })
}

fn as_kept(item: &ItemDetail) -> Item {
    Item { rows: rows(item).collect(), key: item.key.clone(), body: item.body.clone(), ..Item::default() }
}
