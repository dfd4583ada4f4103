//! Finds the rows that this journal's submissions have deleted.
//!
//! If a row next to a deleted item is missing from a list and isn't one of these, the list lost rows and proves
//! nothing.

use std::collections::HashSet;

use takt_browse::read_back::ReadBack;
use takt_journal::{Journal, JournalError, RowResult, SubmissionId};

/// The most submissions that are searched, and the items read at a time.
const MAX_SUBMISSIONS: u32 = 50;
const MAX_ITEMS_AT_ONCE: u32 = 5_000;

/// The identity of a row: the values that its list was filtered by, and its key.
pub(crate) type RowKey = (Vec<String>, String);

/// Returns the rows that this and similar submissions to the same site have deleted, or may have deleted.
pub(crate) fn deleted_rows(
    journal: &Journal,
    read_back: &ReadBack,
    id: SubmissionId,
) -> Result<HashSet<RowKey>, JournalError> {
    let record = journal.submission(id)?;
    let is_similar = |other: &takt_journal::SubmissionRecord| {
        other.id != id && other.site == record.site && other.operation == record.operation && other.purged.is_none()
    };
    let similar = journal.submissions(0, MAX_SUBMISSIONS)?.into_iter().filter(is_similar).map(|other| other.id);
    let mut deleted = HashSet::new();
    for submission in similar.chain([id]) {
        for result in [RowResult::Accepted, RowResult::Unconfirmed, RowResult::Sending] {
            let mut after = 0;
            loop {
                let items = journal.rows().item_details(submission, result, after, MAX_ITEMS_AT_ONCE)?;
                let Some(last) = items.last() else { break };
                after = last.number;
                deleted.extend(items.iter().filter_map(|item| {
                    let (list, key) = read_back.place_of(&item.body);
                    Some((list, key?))
                }));
            }
        }
    }
    Ok(deleted)
}
