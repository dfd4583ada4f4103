//! What was salvaged becomes a journal again: nothing refers to what is lost, and the counters are those of the rows.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, params};

use crate::result::reasons_text;
use crate::{JournalError, Reason, SubmissionId};

/// The reason code of rows that a backup told of: what became of them since isn't known.
pub const RESTORED: &str = "restored-from-backup";

/// Why rows of a backup are unconfirmed.
pub(super) fn restored() -> Result<Option<String>, JournalError> {
    reasons_text(&[Reason::Because { code: RESTORED.to_owned(), parameters: BTreeMap::new() }])
}

/// Nothing can be sent, shown or put back of an item whose body is lost: it is lost as a whole.
pub(super) fn bodies(transaction: &Transaction<'_>) -> Result<(), JournalError> {
    transaction.execute(
        "DELETE FROM item WHERE body = '' AND NOT EXISTS
             (SELECT 1 FROM item_body WHERE item_body.submission = item.submission AND item_body.item = item.number)",
        [],
    )?;
    Ok(())
}

/// A submission of which only rows are left is told of all the same: what it was for isn't known any more.
pub(super) fn nameless(transaction: &Transaction<'_>, at: Timestamp) -> Result<(), JournalError> {
    transaction.execute(
        "INSERT INTO submission (id, operation, site, file, hash, sheet, started, state, batch_size)
         SELECT DISTINCT item.submission, '', '', '', '', '',
             COALESCE((SELECT MIN(started) FROM attempt WHERE attempt.submission = item.submission), ?1), 'interrupted', 1
         FROM item WHERE item.submission NOT IN (SELECT id FROM submission)",
        [at.to_string()],
    )?;
    Ok(())
}

/// One reference of a table to another.
struct Reference {
    parent: String,
    /// Own column and the other's.
    columns: Vec<(String, String)>,
    /// What refers may refer to nothing.
    may_be_empty: bool,
}

/// Removes what refers to something that is lost, or lets it refer to nothing where it may.
pub(super) fn orphans(transaction: &Transaction<'_>) -> Result<(), JournalError> {
    let triggers = without_triggers(transaction)?;
    let mut statement = transaction
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid")?;
    let tables: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    // Twice: what goes in the first round may have been referred to.
    for table in tables.iter().chain(&tables) {
        for reference in references(transaction, table)? {
            transaction.execute(&settled(table, &reference), [])?;
        }
    }
    for sql in triggers {
        transaction.execute_batch(&sql)?;
    }
    Ok(())
}

/// Rules against deleting don't hold for what is lost. Gives what makes them again.
fn without_triggers(transaction: &Transaction<'_>) -> Result<Vec<String>, JournalError> {
    let mut statement = transaction.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")?;
    let found: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    for (name, _) in &found {
        transaction.execute_batch(&format!("DROP TRIGGER \"{name}\""))?;
    }
    Ok(found.into_iter().map(|(_, sql)| sql).collect())
}

fn references(connection: &Connection, table: &str) -> Result<Vec<Reference>, JournalError> {
    let sql = "SELECT list.id, list.\"table\", list.\"from\", list.\"to\", info.\"notnull\" OR info.pk
               FROM pragma_foreign_key_list(?1) AS list JOIN pragma_table_info(?1) AS info ON info.name = list.\"from\"
               ORDER BY list.id, list.seq";
    let mut statement = connection.prepare(sql)?;
    let found: Vec<(i64, String, String, String, bool)> = statement
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?
        .collect::<Result<_, _>>()?;
    let mut references: BTreeMap<i64, Reference> = BTreeMap::new();
    for (id, parent, from, to, needed) in found {
        let one = references.entry(id).or_insert(Reference { parent, columns: Vec::new(), may_be_empty: true });
        one.columns.push((from, to));
        one.may_be_empty &= !needed;
    }
    Ok(references.into_values().collect())
}

fn settled(table: &str, reference: &Reference) -> String {
    let join = |make: &dyn Fn(&(String, String)) -> String, by: &str| {
        reference.columns.iter().map(make).collect::<Vec<_>>().join(by)
    };
    let same = join(&|(from, to)| format!("parent.\"{to}\" = \"{table}\".\"{from}\""), " AND ");
    let refers = join(&|(from, _)| format!("\"{table}\".\"{from}\" IS NOT NULL"), " AND ");
    let parent = &reference.parent;
    let lost = format!("{refers} AND NOT EXISTS (SELECT 1 FROM \"{parent}\" AS parent WHERE {same})");
    if reference.may_be_empty {
        let nothing = join(&|(from, _)| format!("\"{from}\" = NULL"), ", ");
        format!("UPDATE \"{table}\" SET {nothing} WHERE {lost}")
    } else {
        format!("DELETE FROM \"{table}\" WHERE {lost}")
    }
}

/// Counts every submission's rows anew. Gives those of which rows are missing. What a backup calls pending may have been sent
/// since: it is unconfirmed.
pub(super) fn counters(
    transaction: &Transaction<'_>,
    from_backup: bool,
) -> Result<Vec<(SubmissionId, u32)>, JournalError> {
    if from_backup {
        transaction.execute(
            "UPDATE item SET result = 'unconfirmed', reasons = ?1 WHERE result IN ('pending', 'sending')",
            params![restored()?],
        )?;
        transaction.execute("DELETE FROM wait", [])?;
    }
    places(transaction)?;
    // What lost its plan's first step goes on as one of its own.
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

/// An item has as many rows as are known of it. One that lost all of them is told of without its place: what became of it is known.
fn places(transaction: &Transaction<'_>) -> Result<(), JournalError> {
    transaction.execute_batch(
        "INSERT INTO row (submission, item, sheet, row) SELECT submission, number, '', number FROM item
             WHERE NOT EXISTS (SELECT 1 FROM row WHERE row.submission = item.submission AND row.item = item.number);
         UPDATE item SET rows = (SELECT COUNT(*) FROM row WHERE row.submission = item.submission AND row.item = item.number)
             WHERE rows <> (SELECT COUNT(*) FROM row WHERE row.submission = item.submission AND row.item = item.number);",
    )?;
    Ok(())
}
