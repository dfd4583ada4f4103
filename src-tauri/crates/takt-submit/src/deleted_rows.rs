//! Rows that were deleted from here. A row beside a deleted item may be missing afterwards only if it is one of these: otherwise
//! the list lost rows, and doesn't prove that the item is gone.

use std::collections::HashSet;

use takt_browse::read_back::ReadBack;
use takt_journal::{Journal, JournalError, RowResult, SubmissionId};

/// Submissions that are looked through for what was deleted, and items that are read of one at a time.
const MAX_SUBMISSIONS: u32 = 50;
const MAX_ITEMS_AT_ONCE: u32 = 5_000;

/// What tells a row from others: what its list was narrowed by, and its key in it.
pub(crate) type Place = (Vec<String>, String);

/// What this and other submissions of the same operation to the same site deleted, or may have deleted.
pub(crate) fn deleted_here(
    journal: &Journal,
    read_back: &ReadBack,
    id: SubmissionId,
) -> Result<HashSet<Place>, JournalError> {
    let own = journal.submission(id)?;
    let is_alike = |other: &takt_journal::SubmissionRecord| {
        other.id != id && other.site == own.site && other.operation == own.operation && other.purged.is_none()
    };
    let others = journal.submissions(0, MAX_SUBMISSIONS)?.into_iter().filter(is_alike).map(|other| other.id);
    let mut deleted = HashSet::new();
    for submission in others.chain([id]) {
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
