//! What a desk brings along when it joins a team: its own history, mappings, views and the like, copied to the team's database.
//!
//! Each submission comes once, however often a desk joins: the team keeps which of a file's submissions it has. A plan of which any
//! row is open stays in the file alone: in two places it could be sent twice. The file itself isn't changed. The steps of a plan are
//! there for others all at once, or not at all, however copying ends.

use std::collections::HashMap;
use std::ops::ControlFlow;

use jiff::Timestamp;

use crate::database::{Connection, SqlValue, Transaction, params, params_from_iter};
use crate::item_body::{BODY, BODY_JOIN};
use crate::preparation::discard;
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
    /// It was stopped before all were copied.
    pub is_stopped: bool,
}

/// Hears how many of how many submissions are copied, and may have copying stopped.
pub(crate) type CarryOverProgress<'a> = dyn FnMut(u32, u32) -> ControlFlow<()> + 'a;

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
        columns: &["number", "key", "body", "rows", "result", "reasons", "batch", "change", "unknown_attempts"],
    },
    Part { table: "row", by: "item", columns: &["item", "sheet", "row"] },
    Part { table: "before", by: "item", columns: &["item", "body", "neighbors"] },
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
const VERSIONS: &str = "site, number, at, person, source, body";

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
    progress: &mut CarryOverProgress<'_>,
) -> Result<CarryOver, JournalError> {
    let Some(views) = SharedViews::of(journal) else { return Ok(CarryOver::default()) };
    views.carry_own(at)?;
    journal.mappings().carry_own(at)?;
    carry_others(journal)?;
    carry_submissions(journal, computer, progress)
}

/// As [`carry_over`], of submissions alone: what a team removed of the rest doesn't come back.
pub(crate) fn carry_submissions(
    journal: &Journal,
    computer: &str,
    progress: &mut CarryOverProgress<'_>,
) -> Result<CarryOver, JournalError> {
    if journal.team().is_none() {
        return Ok(CarryOver::default());
    }
    let name = journal_name(journal)?;
    let there = already_there(journal, &name)?;
    let all = own_submissions(journal)?;
    let open_plans: Vec<SubmissionId> = all.iter().filter(|own| own.is_open).map(|own| own.plan).collect();
    let new = |own: &&Own| !there.contains_key(&own.id);
    let (open, settled): (Vec<&Own>, Vec<&Own>) =
        all.iter().filter(new).partition(|own| open_plans.contains(&own.plan));
    let (open, of) = (count(&open), count(&settled));
    let mut copier = Copier { journal, name: &name, computer, there, carried: 0, of, progress };
    let mut is_stopped = copier.is_stopped();
    for plan in plans(&settled) {
        is_stopped = is_stopped || !copier.copy_plan(&plan)?;
    }
    let carried = copier.carried;
    if carried > 0 {
        journal.refresh_statistics()?;
    }
    Ok(CarryOver { carried, open, is_stopped })
}

fn count(submissions: &[&Own]) -> u32 {
    u32::try_from(submissions.len()).unwrap_or(u32::MAX)
}

/// The submissions by their plans, oldest first.
fn plans<'a>(submissions: &[&'a Own]) -> Vec<Vec<&'a Own>> {
    let mut places: HashMap<SubmissionId, usize> = HashMap::new();
    let mut plans: Vec<Vec<&Own>> = Vec::new();
    for own in submissions {
        let place = *places.entry(own.plan).or_insert(plans.len());
        match plans.get_mut(place) {
            Some(plan) => plan.push(own),
            None => plans.push(vec![own]),
        }
    }
    plans
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

/// Rows are left to be sent, or to be found out.
const IS_OPEN: &str = "(pending + sending + unconfirmed > 0 OR state NOT IN ('stopped', 'finished'))";

/// The newest submission of the file, and how many are settled.
pub(crate) fn own_extent(journal: &Journal) -> Result<(u32, u32), JournalError> {
    let sql =
        format!("SELECT COALESCE(MAX(id), 0), COUNT(*) - COALESCE(SUM(preparing OR {IS_OPEN}), 0) FROM submission");
    journal.own_read(|connection| Ok(connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?))
}

/// Oldest first. What is being written down isn't there yet.
fn own_submissions(journal: &Journal) -> Result<Vec<Own>, JournalError> {
    let sql = format!(
        "SELECT id, plan, person, follows, relation,
             {IS_OPEN}, {}
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

/// Copies plans one after the other.
struct Copier<'a, 'b> {
    journal: &'a Journal,
    /// The file's own.
    name: &'a str,
    computer: &'a str,
    /// What the team has of the file.
    there: HashMap<SubmissionId, SubmissionId>,
    carried: u32,
    of: u32,
    progress: &'a mut CarryOverProgress<'b>,
}

impl Copier<'_, '_> {
    /// Tells how far it is, and asks whether to go on.
    fn is_stopped(&mut self) -> bool {
        (self.progress)(self.carried, self.of).is_break()
    }

    /// A plan with all that belongs to it. What doesn't fit into one transaction isn't there for anybody before the last. False where it
    /// was stopped; then nothing of the plan is there.
    fn copy_plan(&mut self, steps: &[&Own]) -> Result<bool, JournalError> {
        let [own] = steps else { return self.copy_steps(steps) };
        if last_number(self.journal, own.id)? > AT_ONCE {
            return self.copy_steps(steps);
        }
        let parts = read_parts(self.journal, own.id, (0, AT_ONCE))?;
        let id = self.journal.write(|transaction| {
            let id = insert(transaction, own, self.computer, &self.there)?;
            insert_parts(transaction, id, &parts)?;
            ready(transaction, (own.id, id), self.name)?;
            Ok(id)
        })?;
        self.there.insert(own.id, id);
        self.carried += 1;
        Ok(!self.is_stopped())
    }

    fn copy_steps(&mut self, steps: &[&Own]) -> Result<bool, JournalError> {
        let mut runs = Vec::with_capacity(steps.len());
        for own in steps {
            if !self.copy_step(own, &mut runs)? {
                // The last one first: nothing may refer to what is discarded.
                return runs.iter().rev().try_for_each(|run| discard(self.journal, run)).map(|()| false);
            }
        }
        self.journal.write(|transaction| {
            for (own, run) in steps.iter().zip(&runs) {
                run.ensure_held(transaction.session())?;
                ready(transaction, (own.id, run.submission()), self.name)?;
            }
            Ok(())
        })?;
        self.carried += count(steps);
        Ok(!self.is_stopped())
    }

    /// It is being prepared afterwards. False where it was stopped.
    fn copy_step(&mut self, own: &Own, runs: &mut Vec<Run>) -> Result<bool, JournalError> {
        let run = self.journal.write(|transaction| {
            let id = insert(transaction, own, self.computer, &self.there)?;
            // Claimed before the commit, so that no desk takes it for abandoned.
            self.journal.claim(id)
        })?;
        self.there.insert(own.id, run.submission());
        let last = last_number(self.journal, own.id)?;
        let mut after = 0;
        let mut is_stopped = false;
        while after < last && !is_stopped {
            let parts = read_parts(self.journal, own.id, (after, after.saturating_add(AT_ONCE)))?;
            self.journal.write_by(&run, |transaction| insert_parts(transaction, run.submission(), &parts))?;
            after = after.saturating_add(AT_ONCE);
            is_stopped = self.is_stopped();
        }
        runs.push(run);
        Ok(!is_stopped)
    }
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
        let of_item = *table == "item";
        let expression = |column: &&'static str| if of_item && *column == "body" { BODY } else { column };
        let columns = columns.iter().map(expression).collect::<Vec<_>>().join(", ");
        let join = if of_item { BODY_JOIN } else { "" };
        let sql = format!(
            "SELECT {columns} FROM {table}{join} WHERE {table}.submission = ?1 AND {by} > ?2 AND {by} <= ?3 ORDER BY {by}"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params![id, after, last], |row| {
            (0..self.columns.len()).map(|place| row.get(place)).collect::<Result<Vec<SqlValue>, _>>()
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn insert_sql(&self) -> String {
        let places: Vec<String> = (2..self.columns.len() + 2).map(|place| format!("?{place}")).collect();
        let (columns, places) = (self.columns.join(", "), places.join(", "));
        format!("INSERT INTO {} (submission, {columns}) VALUES (?1, {places})", self.table)
    }

    fn insert(&self, transaction: &Transaction<'_>, id: SubmissionId, rows: &PartRows) -> Result<(), JournalError> {
        let sql = self.insert_sql();
        let sets = rows.iter().map(|row| {
            params_from_iter(std::iter::once(SqlValue::Integer(id.get().into())).chain(row.iter().cloned()))
        });
        Ok(transaction.prepare_cached(&sql)?.execute_each(sets)?)
    }
}

/// Inserts a submission: its columns, and what belongs to the team.
fn insert_sql() -> String {
    let places: Vec<String> = (1..=SUBMISSION.len() + 4).map(|place| format!("?{place}")).collect();
    let (columns, places) = (SUBMISSION.join(", "), places.join(", "));
    format!(
        "INSERT INTO submission ({columns}, person, follows, relation, plan, preparing) VALUES ({places}, TRUE) RETURNING id"
    )
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
    let id = transaction.query_row(&insert_sql(), params_from_iter(values), |row| row.get(0))?;
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
    let versions = own_rows(journal, &format!("SELECT {VERSIONS} FROM contract_version ORDER BY site, number"))?;
    let known: Vec<String> = journal.read(|connection| {
        let mut statement = connection.prepare_cached("SELECT DISTINCT site FROM contract_version")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    })?;
    // A site of which the team has a version keeps those alone: the numbers say which is in force.
    let is_new = |row: &Vec<SqlValue>| !matches!(row.first(), Some(SqlValue::Text(site)) if known.contains(site));
    let versions = versions.into_iter().filter(is_new).collect();
    insert_missing(journal, &format!("contract_version ({VERSIONS})"), versions)
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

/// `table` is one with its columns.
fn insert_missing_sql(table: &str, columns: usize) -> String {
    let places: Vec<String> = (1..=columns).map(|place| format!("?{place}")).collect();
    format!("INSERT INTO {table} VALUES ({}) ON CONFLICT DO NOTHING", places.join(", "))
}

fn insert_missing(journal: &Journal, table: &str, rows: PartRows) -> Result<(), JournalError> {
    let Some(first) = rows.first() else { return Ok(()) };
    let sql = insert_missing_sql(table, first.len());
    journal.write(|transaction| {
        Ok(transaction.prepare_cached(&sql)?.execute_each(rows.into_iter().map(params_from_iter))?)
    })
}

/// The statements that a team's database gets to store what comes along.
#[cfg(test)]
pub(crate) fn made_statements() -> Vec<String> {
    let columns = |columns: &str| columns.split(',').count();
    let missing = [("template_remembered", TEMPLATES), ("contract_version", VERSIONS)]
        .map(|(table, names)| insert_missing_sql(&format!("{table} ({names})"), columns(names)));
    PARTS.iter().map(Part::insert_sql).chain([insert_sql()]).chain(missing).collect()
}
