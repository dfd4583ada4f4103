//! Compares Takt's journal with the plant's log after all processes have ended.

use std::collections::{BTreeMap, BTreeSet};

use takt_tests::{Applied, Plant, StoredRow, StoredSubmission, stored_rows, stored_submissions};

use crate::crash::load::DELETE;

/// Operations whose rows can be read back. Only rows of a delete may remain unconfirmed.
const READABLE: [&str; 3] = ["work-orders.sync", "materials.sync", DELETE];

/// The number of rows per result, and the contradictions.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct JournalCheck {
    pub(crate) accepted: usize,
    pub(crate) rejected: usize,
    pub(crate) unconfirmed: usize,
    pub(crate) waiting: usize,
    /// Descriptions of contradictions between the journal and the log. Empty if there are none.
    pub(crate) wrong: Vec<String>,
}

/// Compares the submissions with an ID of at least `from`. `rows` is the number of rows in the file.
pub(crate) async fn check_journal(plant: &Plant, home: &std::path::Path, from: u32, rows: usize) -> JournalCheck {
    let stored = stored_rows(home, from);
    let submissions = stored_submissions(home, from);
    let mut applied = BTreeMap::new();
    for operation in READABLE {
        applied.insert(operation.to_owned(), plant.applied(operation).await);
    }
    compare(&stored, &submissions, &applied, rows)
}

fn compare(
    stored: &[StoredRow],
    submissions: &[StoredSubmission],
    applied: &BTreeMap<String, BTreeMap<String, Applied>>,
    rows: usize,
) -> JournalCheck {
    let mut check = JournalCheck::default();
    for submission in submissions {
        if submission.total != submission.counted {
            check
                .wrong
                .push(format!("submission {} counts {} of {}", submission.id, submission.counted, submission.total));
        }
        if submission.state == "running" || submission.open > submission.waiting {
            check.wrong.push(format!("submission {} is {}", submission.id, submission.state));
        }
    }
    // If Takt was killed before it stored the submission, nothing may have been sent.
    if stored.len() != rows && !stored.is_empty() {
        check.wrong.push(format!("{} of {rows} rows are in the journal", stored.len()));
    }
    let locations: BTreeSet<_> = stored.iter().map(|row| (row.submission, &row.sheet, row.row)).collect();
    if locations.len() != stored.len() {
        check.wrong.push("a row has two results".to_owned());
    }
    let may_wait = stored.iter().any(|row| row.result == "rejected");
    for row in stored {
        let found = applied.get(&row.operation).and_then(|keys| keys.get(&row.key)).copied().unwrap_or_default();
        let right = match row.result.as_str() {
            "accepted" => {
                check.accepted += 1;
                found.accepted == 1
            }
            "rejected" => {
                check.rejected += 1;
                found.accepted == 0 && found.refused >= 1
            }
            "unconfirmed" => {
                check.unconfirmed += 1;
                row.operation == DELETE && found.accepted <= 1
            }
            // The row may wait for a row that was rejected.
            "pending" => {
                check.waiting += 1;
                found == Applied::default() && may_wait
            }
            _ => false,
        };
        if !right {
            check.wrong.push(format!("{} is {}, and the plant says {found:?}", row.key, row.result));
        }
    }
    check
}

/// Returns the number of a file's rows that the plant has applied, for a file without a submission.
pub(crate) async fn unrecorded_rows(plant: &Plant, number: u32) -> usize {
    let mut unrecorded_rows = 0;
    for operation in READABLE {
        let mine =
            |key: &&String| key.starts_with(&format!("CR-{number}-")) || key.starts_with(&format!("CM-{number}-"));
        unrecorded_rows += plant.applied(operation).await.keys().filter(mine).count();
    }
    unrecorded_rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, result: &str) -> StoredRow {
        let operation = READABLE[0].to_owned();
        StoredRow {
            submission: 1,
            operation,
            sheet: "s".to_owned(),
            row: key.len() as u32,
            key: key.to_owned(),
            result: result.to_owned(),
        }
    }

    fn wrong(stored: &[StoredRow], applied: &[(&str, u32, u32)]) -> usize {
        let keys = applied
            .iter()
            .map(|(key, accepted, refused)| ((*key).to_owned(), Applied { accepted: *accepted, refused: *refused }));
        let applied = BTreeMap::from([(READABLE[0].to_owned(), keys.collect())]);
        let state = "finished".to_owned();
        let complete = StoredSubmission { id: 1, state, total: 1, counted: 1, open: 0, unconfirmed: 0, waiting: 0 };
        compare(stored, &[complete], &applied, stored.len()).wrong.len()
    }

    #[test]
    fn lies_are_seen() {
        assert_eq!(wrong(&[row("a", "accepted"), row("bb", "rejected")], &[("a", 1, 0), ("bb", 0, 1)]), 0);
        assert_eq!(wrong(&[row("a", "accepted")], &[]), 1, "lost");
        assert_eq!(wrong(&[row("a", "accepted")], &[("a", 2, 0)]), 1, "twice");
        assert_eq!(wrong(&[row("a", "rejected")], &[("a", 1, 0)]), 1, "there all the same");
        assert_eq!(wrong(&[row("a", "pending")], &[]), 1, "no result");
        assert_eq!(wrong(&[row("a", "accepted"), row("b", "accepted")], &[("a", 1, 0), ("b", 1, 0)]), 1, "one place");
    }
}
