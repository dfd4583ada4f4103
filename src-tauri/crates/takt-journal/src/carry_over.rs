//! What a desk brings along when it joins a team: its own history, mappings, views and the like, copied to the team's database.
//!
//! Each submission comes once, however often a desk joins: the team keeps which of a file's submissions it has. A plan of which any
//! row is open stays in the file alone: in two places it could be sent twice. The file itself isn't changed.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::database::{Connection, SqlValue, Transaction, params, params_from_iter};
use crate::{Journal, JournalError, Run, SharedViews, SubmissionId};

/// Items that are copied in one transaction.
const AT_ONCE: u32 = 4_000;
/// The setting under which a file's own name is kept.
const NAME: &str = "journal-name";

/// What came along, and what didn't, in submissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CarryOver {
    /// Copied now.
    pub carried: u32,
    /// Rows of theirs, or of a step of the same plan, are pending or unconfirmed: they stay where they are.
    pub open: u32,
}

/// A table whose rows belong to a submission, with the column by which it is walked.
struct Part {
    table: &'static str,
    by: &'static str,
    columns: &'static [&'static str],
}

const PARTS: [Part; 4] = [
    Part {
        table: "item",
        by: "number",
        columns: &["number", "key", "body", "rows", "result", "reasons", "batch", "change"],
    },
    Part { table: "row", by: "item", columns: &["item", "sheet", "row"] },
    Part { table: "before", by: "item", columns: &["item", "body"] },
    Part {
        table: "attempt",
        by: "batch",
        columns: &[
            "batch",
            "started",
            "wire_hash",
            "items",
            "rows",
            "ended",
            "status",
            "class",
            "milliseconds",
            "log_id",
            "pending",
            "accepted",
            "rejected",
            "unconfirmed",
            "numbers",
            "answer",
        ],
    },
];

/// What is copied as it is. Who sent it is told with the computer, and what it belongs to has other numbers there.
const SUBMISSION: &[&str] = &[
    "operation",
    "site",
    "file",
    "hash",
    "sheet",
    "started",
    "ended",
    "state",
    "batch_size",
    "items",
    "pending_items",
    "total",
    "pending",
    "sending",
    "accepted",
    "rejected",
    "unconfirmed",
    "skipped",
    "attempts",
    "batches",
    "requests",
    "active_ms",
    "problem",
    "mapping",
    "trial",
    "asked_size",
    "base_url",
    "auth_url",
    "purged",
];

/// What is copied where the team doesn't have it yet.
const TEMPLATES: &str = "site, template, at";

/// A submission of the file.
struct Own {
    id: SubmissionId,
    plan: SubmissionId,
    person: String,
    follows: Option<SubmissionId>,
    relation: Option<String>,
    is_open: bool,
    /// In the order of `SUBMISSION`.
    values: Vec<SqlValue>,
}

/// Copies what a team doesn't have yet from the desk's own file. `computer` is told beside who sent it; what is recorded of changes is so at `at`.
pub(crate) fn carry_over(
    journal: &Journal,
    (computer, at): (&str, Timestamp),
    mut progress: impl FnMut(u32, u32),
) -> Result<CarryOver, JournalError> {
    let Some(views) = SharedViews::of(journal) else { return Ok(CarryOver::default()) };
    views.carry_own(at)?;
    journal.mappings().carry_own(at)?;
    carry_others(journal)?;
    let name = journal_name(journal)?;
    let mut there = already_there(journal, &name)?;
    let all = own_submissions(journal)?;
    let open_plans: Vec<SubmissionId> = all.iter().filter(|own| own.is_open).map(|own| own.plan).collect();
    let new = |own: &&Own| !there.contains_key(&own.id);
    let (open, settled): (Vec<&Own>, Vec<&Own>) =
        all.iter().filter(new).partition(|own| open_plans.contains(&own.plan));
    let (mut carried, of) = (0, u32::try_from(settled.len()).unwrap_or(u32::MAX));
    for own in settled {
        let id = copy(journal, own, (&name, computer), &there)?;
        there.insert(own.id, id);
        carried += 1;
        progress(carried, of);
    }
    if carried > 0 {
        journal.refresh_statistics()?;
    }
    Ok(CarryOver { carried, open: u32::try_from(open.len()).unwrap_or(u32::MAX) })
}

/// Given once, by the server's chance.
fn journal_name(journal: &Journal) -> Result<String, JournalError> {
    if let Some(name) = journal.settings().get(NAME)?.and_then(|name| name.as_str().map(str::to_owned)) {
        return Ok(name);
    }
    let name: String = journal
        .read(|connection| Ok(connection.query_row("SELECT CAST(gen_random_uuid() AS TEXT)", [], |row| row.get(0))?))?;
    journal.settings().set(NAME, &name.clone().into())?;
    Ok(name)
}

fn already_there(journal: &Journal, name: &str) -> Result<HashMap<SubmissionId, SubmissionId>, JournalError> {
    journal.read(|connection| {
        let mut statement =
            connection.prepare_cached("SELECT own_id, submission FROM carried_over WHERE journal = ?1")?;
        let pairs = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(pairs.collect::<Result<_, _>>()?)
    })
}

/// Oldest first. What is being written down isn't there yet.
fn own_submissions(journal: &Journal) -> Result<Vec<Own>, JournalError> {
    let sql = format!(
        "SELECT id, plan, person, follows, relation,
             pending + sending + unconfirmed > 0 OR state NOT IN ('stopped', 'finished'), {}
         FROM submission WHERE NOT preparing ORDER BY id",
        SUBMISSION.join(", ")
    );
    journal.own_read(|connection| {
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let values = (6..6 + SUBMISSION.len()).map(|place| row.get(place)).collect::<Result<_, _>>()?;
            all.push(Own {
                id: row.get(0)?,
                plan: row.get(1)?,
                person: row.get(2)?,
                follows: row.get(3)?,
                relation: row.get(4)?,
                is_open: row.get(5)?,
                values,
            });
        }
        Ok(all)
    })
}

/// One submission with all that belongs to it. What doesn't fit into one transaction isn't there for anybody before the last.
fn copy(
    journal: &Journal,
    own: &Own,
    (name, computer): (&str, &str),
    there: &HashMap<SubmissionId, SubmissionId>,
) -> Result<SubmissionId, JournalError> {
    let last = last_number(journal, own.id)?;
    let first = read_parts(journal, own.id, (0, AT_ONCE))?;
    let is_whole = last <= AT_ONCE;
    let (id, run) = journal.write(|transaction| {
        let id = insert(transaction, own, computer, there)?;
        insert_parts(transaction, id, &first)?;
        if is_whole {
            ready(transaction, (own.id, id), name)?;
            return Ok((id, None));
        }
        // Claimed before the commit: nobody takes it for left behind.
        Ok((id, Some(journal.claim(id)?)))
    })?;
    if let Some(run) = run {
        copy_rest(journal, own.id, &run, last)?;
        journal.write_by(&run, |transaction| ready(transaction, (own.id, id), name))?;
    }
    Ok(id)
}

fn copy_rest(journal: &Journal, own: SubmissionId, run: &Run, last: u32) -> Result<(), JournalError> {
    let mut after = AT_ONCE;
    while after < last {
        let parts = read_parts(journal, own, (after, after.saturating_add(AT_ONCE)))?;
        journal.write_by(run, |transaction| insert_parts(transaction, run.submission(), &parts))?;
        after = after.saturating_add(AT_ONCE);
    }
    Ok(())
}

/// The greatest number of an item or a request.
fn last_number(journal: &Journal, id: SubmissionId) -> Result<u32, JournalError> {
    let sql = "SELECT MAX(COALESCE((SELECT MAX(number) FROM item WHERE submission = ?1), 0),
                          COALESCE((SELECT MAX(batch) FROM attempt WHERE submission = ?1), 0))";
    journal.own_read(|connection| Ok(connection.query_row(sql, [id], |row| row.get(0))?))
}

type PartRows = Vec<Vec<SqlValue>>;

/// Of each part what lies behind the first number, up to the second.
fn read_parts(journal: &Journal, id: SubmissionId, span: (u32, u32)) -> Result<Vec<PartRows>, JournalError> {
    journal.own_read(|connection| PARTS.iter().map(|part| part.read(connection, id, span)).collect())
}

fn insert_parts(transaction: &Transaction<'_>, id: SubmissionId, parts: &[PartRows]) -> Result<(), JournalError> {
    PARTS.iter().zip(parts).try_for_each(|(part, rows)| part.insert(transaction, id, rows))
}

impl Part {
    fn read(
        &self,
        connection: &Connection<'_>,
        id: SubmissionId,
        (after, last): (u32, u32),
    ) -> Result<PartRows, JournalError> {
        let Self { table, by, columns } = self;
        let columns = columns.join(", ");
        let sql =
            format!("SELECT {columns} FROM {table} WHERE submission = ?1 AND {by} > ?2 AND {by} <= ?3 ORDER BY {by}");
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params![id, after, last], |row| {
            (0..self.columns.len()).map(|place| row.get(place)).collect::<Result<Vec<SqlValue>, _>>()
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn insert(&self, transaction: &Transaction<'_>, id: SubmissionId, rows: &PartRows) -> Result<(), JournalError> {
        let places: Vec<String> = (2..self.columns.len() + 2).map(|place| format!("?{place}")).collect();
        let sql = format!(
            "INSERT INTO {} (submission, {}) VALUES (?1, {})",
            self.table,
            self.columns.join(", "),
            places.join(", ")
        );
        let sets = rows.iter().map(|row| {
            params_from_iter(std::iter::once(SqlValue::Integer(id.get().into())).chain(row.iter().cloned()))
        });
        Ok(transaction.prepare_cached(&sql)?.execute_each(sets)?)
    }
}

/// It is being prepared until all of it is there.
fn insert(
    transaction: &Transaction<'_>,
    own: &Own,
    computer: &str,
    there: &HashMap<SubmissionId, SubmissionId>,
) -> Result<SubmissionId, JournalError> {
    let number = |id: Option<&SubmissionId>| id.map_or(SqlValue::Null, |id| SqlValue::Integer(id.get().into()));
    let follows = own.follows.and_then(|follows| there.get(&follows));
    let relation = own.relation.clone().filter(|_| follows.is_some()).map_or(SqlValue::Null, SqlValue::Text);
    let person = SqlValue::Text(at_computer(&own.person, computer));
    let plan = number(there.get(&own.plan));
    let values = own.values.iter().cloned().chain([person, number(follows), relation, plan]);
    let places: Vec<String> = (1..=SUBMISSION.len() + 4).map(|place| format!("?{place}")).collect();
    let sql = format!(
        "INSERT INTO submission ({}, person, follows, relation, plan, preparing) VALUES ({}, TRUE) RETURNING id",
        SUBMISSION.join(", "),
        places.join(", ")
    );
    let id = transaction.query_row(&sql, params_from_iter(values), |row| row.get(0))?;
    // The first of its plan.
    transaction.execute("UPDATE submission SET plan = id WHERE id = ?1 AND plan IS NULL", [id])?;
    Ok(id)
}

fn ready(
    transaction: &Transaction<'_>,
    (own, id): (SubmissionId, SubmissionId),
    name: &str,
) -> Result<(), JournalError> {
    transaction.execute("UPDATE submission SET preparing = FALSE WHERE id = ?1", [id])?;
    let sql = "INSERT INTO carried_over (journal, own_id, submission) VALUES (?1, ?2, ?3)";
    transaction.execute(sql, params![name, own, id])?;
    Ok(())
}

/// As the team's history names people.
fn at_computer(person: &str, computer: &str) -> String {
    if person.is_empty() || person.contains('@') || computer.is_empty() {
        return person.to_owned();
    }
    format!("{person}@{computer}")
}

/// Templates, and what sites say of themselves: the team's own stand.
fn carry_others(journal: &Journal) -> Result<(), JournalError> {
    let rows = own_rows(journal, &format!("SELECT {TEMPLATES} FROM template_remembered"))?;
    insert_missing(journal, &format!("template_remembered ({TEMPLATES})"), rows)?;
    let columns = "site, number, at, person, source, body";
    let versions = own_rows(journal, &format!("SELECT {columns} FROM contract_version ORDER BY site, number"))?;
    let known: Vec<String> = journal.read(|connection| {
        let mut statement = connection.prepare_cached("SELECT DISTINCT site FROM contract_version")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    })?;
    // A site of which the team has a version keeps those alone: the numbers say which is in force.
    let is_new = |row: &Vec<SqlValue>| !matches!(row.first(), Some(SqlValue::Text(site)) if known.contains(site));
    let versions = versions.into_iter().filter(is_new).collect();
    insert_missing(journal, &format!("contract_version ({columns})"), versions)
}

fn own_rows(journal: &Journal, sql: &str) -> Result<PartRows, JournalError> {
    journal.own_read(|connection| {
        let mut statement = connection.prepare_cached(sql)?;
        let count = sql.split(" FROM ").next().map_or(0, |columns| columns.split(',').count());
        let rows = statement
            .query_map([], |row| (0..count).map(|place| row.get(place)).collect::<Result<Vec<SqlValue>, _>>())?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
}

fn insert_missing(journal: &Journal, table: &str, rows: PartRows) -> Result<(), JournalError> {
    let Some(first) = rows.first() else { return Ok(()) };
    let places: Vec<String> = (1..=first.len()).map(|place| format!("?{place}")).collect();
    let sql = format!("INSERT INTO {table} VALUES ({}) ON CONFLICT DO NOTHING", places.join(", "));
    journal.write(|transaction| {
        Ok(transaction.prepare_cached(&sql)?.execute_each(rows.into_iter().map(params_from_iter))?)
    })
}
