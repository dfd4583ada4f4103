//! Rows beside an item that is deleted: a list that loses them, too, doesn't prove that the item is gone.
//!
//! They lie with what was seen of the item before, so that they are there after a crash and at another desk. Never says what is
//! concluded from them: that is `evidence`.

use std::collections::HashSet;

use serde_json::{Value, json};
use takt_browse::read_back::ReadBack;
use takt_journal::{ItemDetail, Journal, JournalError, RowResult, SubmissionId};

/// The member of an item's earlier state with the keys of rows beside it. No field of a contract has such a name.
const OTHERS: &str = "\u{1f}others";
/// Submissions that are looked through for what was deleted, and items that are read of one at a time.
const MAX_SUBMISSIONS: u32 = 50;
const MAX_ITEMS_AT_ONCE: u32 = 5_000;

/// What tells a row from others: what its list was narrowed by, and its key in it.
pub(crate) type Place = (Vec<String>, String);

/// The earlier state of an item that is deleted: what is sent names it, and these rows are beside it.
pub(crate) fn before_delete(body: &Value, others: &[String]) -> Value {
    let mut before = body.clone();
    if let Some(members) = before.as_object_mut().filter(|_| !others.is_empty()) {
        members.insert(OTHERS.to_owned(), json!(others));
    }
    before
}

/// The same without the rows beside it.
pub(crate) fn without_neighbors(before: &Value) -> Value {
    let mut before = before.clone();
    if let Some(members) = before.as_object_mut() {
        members.remove(OTHERS);
    }
    before
}

/// The rows that were beside an item.
pub(crate) fn of_item(item: &ItemDetail) -> Vec<String> {
    let others = item.before.as_ref().and_then(|before| before.get(OTHERS));
    others.and_then(|others| serde_json::from_value(others.clone()).ok()).unwrap_or_default()
}

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
