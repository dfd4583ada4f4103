//! Makes the salvaged rows consistent: removes references to lost rows, and recomputes the counters.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, params};

use crate::result::reasons_to_json;
use crate::{JournalError, Reason, SubmissionId};

/// The reason code of rows that come from a backup, so that their current result is unknown.
pub const RESTORED: &str = "restored-from-backup";

/// Returns the reason of unconfirmed rows that come from a backup.
pub(super) fn restored_reason() -> Result<Option<String>, JournalError> {
    reasons_to_json(&[Reason::Because { code: RESTORED.to_owned(), parameters: BTreeMap::new() }])
}

/// Removes items whose body is lost, because they can't be sent, shown or restored.
pub(super) fn remove_items_without_body(transaction: &Transaction<'_>) -> Result<(), JournalError> {
    transaction.execute(
        "DELETE FROM item WHERE body = '' AND NOT EXISTS
             (SELECT 1 FROM item_body WHERE item_body.submission = item.submission AND item_body.item = item.number)",
        [],
    )?;
    Ok(())
}

/// Inserts a placeholder for each submission of which only items are left.
pub(super) fn insert_missing_submissions(transaction: &Transaction<'_>, at: Timestamp) -> Result<(), JournalError> {
    transaction.execute(
        "INSERT INTO submission (id, operation, site, file, hash, sheet, started, state, batch_size)
         SELECT DISTINCT item.submission, '', '', '', '', '',
             COALESCE((SELECT MIN(started) FROM attempt WHERE attempt.submission = item.submission), ?1), 'interrupted', 1
         FROM item WHERE item.submission NOT IN (SELECT id FROM submission)",
        [at.to_string()],
    )?;
    Ok(())
}

struct ForeignKey {
    parent: String,
    /// Pairs of a column and the column of `parent` that it refers to.
    columns: Vec<(String, String)>,
    /// True if all columns may be null.
    is_nullable: bool,
}

/// Removes rows that refer to lost rows. A reference that may be null is set to null instead.
pub(super) fn remove_orphans(transaction: &Transaction<'_>) -> Result<(), JournalError> {
    let triggers = drop_triggers(transaction)?;
    let mut statement = transaction
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid")?;
    let tables: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    // Twice, because the first round may remove rows that other rows refer to.
    for table in tables.iter().chain(&tables) {
        for reference in foreign_keys(transaction, table)? {
            transaction.execute(&orphan_statement(table, &reference), [])?;
        }
    }
    for sql in triggers {
        transaction.execute_batch(&sql)?;
    }
    Ok(())
}

/// Drops the triggers, because they forbid deletes. Returns the statements that create them again.
fn drop_triggers(transaction: &Transaction<'_>) -> Result<Vec<String>, JournalError> {
    let mut statement = transaction.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")?;
    let found: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    for (name, _) in &found {
        transaction.execute_batch(&format!("DROP TRIGGER \"{name}\""))?;
    }
    Ok(found.into_iter().map(|(_, sql)| sql).collect())
}

fn foreign_keys(connection: &Connection, table: &str) -> Result<Vec<ForeignKey>, JournalError> {
    let sql = "SELECT list.id, list.\"table\", list.\"from\", list.\"to\", info.\"notnull\" OR info.pk
               FROM pragma_foreign_key_list(?1) AS list JOIN pragma_table_info(?1) AS info ON info.name = list.\"from\"
               ORDER BY list.id, list.seq";
    let mut statement = connection.prepare(sql)?;
    let found: Vec<(i64, String, String, String, bool)> = statement
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?
        .collect::<Result<_, _>>()?;
    let mut references: BTreeMap<i64, ForeignKey> = BTreeMap::new();
    for (id, parent, from, to, needed) in found {
        let one = references.entry(id).or_insert(ForeignKey { parent, columns: Vec::new(), is_nullable: true });
        one.columns.push((from, to));
        one.is_nullable &= !needed;
    }
    Ok(references.into_values().collect())
}

fn orphan_statement(table: &str, reference: &ForeignKey) -> String {
    let join = |make: &dyn Fn(&(String, String)) -> String, by: &str| {
        reference.columns.iter().map(make).collect::<Vec<_>>().join(by)
    };
    let same = join(&|(from, to)| format!("parent.\"{to}\" = \"{table}\".\"{from}\""), " AND ");
    let refers = join(&|(from, _)| format!("\"{table}\".\"{from}\" IS NOT NULL"), " AND ");
    let parent = &reference.parent;
    let lost = format!("{refers} AND NOT EXISTS (SELECT 1 FROM \"{parent}\" AS parent WHERE {same})");
    if reference.is_nullable {
        let nothing = join(&|(from, _)| format!("\"{from}\" = NULL"), ", ");
        format!("UPDATE \"{table}\" SET {nothing} WHERE {lost}")
    } else {
        format!("DELETE FROM \"{table}\" WHERE {lost}")
    }
}

/// Recomputes the counters of every submission. Returns the submissions with missing rows. Pending items of a backup
/// become unconfirmed, because they may have been sent since.
pub(super) fn recount_submissions(
    transaction: &Transaction<'_>,
    from_backup: bool,
) -> Result<Vec<(SubmissionId, u32)>, JournalError> {
    if from_backup {
        transaction.execute(
            "UPDATE item SET result = 'unconfirmed', reasons = ?1 WHERE result IN ('pending', 'sending')",
            params![restored_reason()?],
        )?;
        transaction.execute("DELETE FROM wait", [])?;
    }
    recount_item_rows(transaction)?;
    // A step that lost the first step of its plan becomes a plan.
    transaction.execute("UPDATE submission SET plan = id WHERE plan IS NULL", [])?;
    let mut statement = transaction.prepare(
        "SELECT submission.id, submission.total - COALESCE(SUM(item.rows), 0) AS missing FROM submission
         LEFT JOIN item ON item.submission = submission.id WHERE NOT preparing AND purged IS NULL
         GROUP BY submission.id HAVING missing > 0 ORDER BY submission.id",
    )?;
    let missing = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let rows = |result: &str| {
        format!("(SELECT COALESCE(SUM(rows), 0) FROM item WHERE submission = id AND result = '{result}')")
    };
    let results = ["pending", "sending", "accepted", "rejected", "unconfirmed", "skipped"];
    let counted: Vec<String> = results.iter().map(|result| format!("{result} = {}", rows(result))).collect();
    // The state isn't changed by `set_state`, because that needs a transaction of an open journal, and this file
    // becomes a journal only once it is repaired.
    transaction.execute_batch(&format!(
        "UPDATE submission SET {},
             total = (SELECT COALESCE(SUM(rows), 0) FROM item WHERE submission = id),
             pending_items = (SELECT COUNT(*) FROM item WHERE submission = id AND result = 'pending'),
             items = MAX(items, (SELECT COALESCE(MAX(number), 0) FROM item WHERE submission = id)),
             state = CASE WHEN state = 'running' THEN 'interrupted' ELSE state END
         WHERE purged IS NULL",
        counted.join(", ")
    ))?;
    Ok(missing)
}

/// Sets the number of rows of each item to the number of recovered rows. An item without rows gets a placeholder row,
/// because its result is known.
fn recount_item_rows(transaction: &Transaction<'_>) -> Result<(), JournalError> {
    transaction.execute_batch(
        "INSERT INTO row (submission, item, sheet, row) SELECT submission, number, '', number FROM item
             WHERE NOT EXISTS (SELECT 1 FROM row WHERE row.submission = item.submission AND row.item = item.number);
         UPDATE item SET rows = (SELECT COUNT(*) FROM row WHERE row.submission = item.submission AND row.item = item.number)
             WHERE rows <> (SELECT COUNT(*) FROM row WHERE row.submission = item.submission AND row.item = item.number);",
    )?;
    Ok(())
}
