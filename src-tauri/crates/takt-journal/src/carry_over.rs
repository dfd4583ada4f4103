//! Copies a desk's own submissions, mappings, views and other data to the team's database when it joins the team.
//!
//! A submission is copied only once, even if a desk joins again, because the team's database records copied
//! submissions. A plan with open rows isn't copied, because it could then be sent twice. The desk's file isn't changed.
//! Other desks see the steps of a plan all at once or not at all, even if copying is interrupted.

use std::collections::HashMap;
use std::ops::ControlFlow;

use jiff::Timestamp;

use crate::database::{Connection, SqlValue, Transaction, params, params_from_iter};
use crate::item_body::{BODY, BODY_JOIN};
use crate::plan_writer::discard;
use crate::{Journal, JournalError, Run, SharedViews, SubmissionId};

/// The number of items or requests per transaction. It limits how long other desks are blocked.
const ITEMS_PER_TRANSACTION: u32 = 4_000;
/// The setting with the unique name of the journal's file.
const JOURNAL_NAME_SETTING: &str = "journal-name";

/// The result of copying, in numbers of submissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CarryOver {
    /// Copied submissions.
    pub carried: u32,
    /// Submissions that weren't copied, because their plans haven't ended or have pending or unconfirmed rows.
    pub open: u32,
    /// True if copying was stopped early.
    pub is_stopped: bool,
}

/// Receives the number of copied submissions and the total, and may stop copying.
type CarryOverProgress<'a> = dyn FnMut(u32, u32) -> ControlFlow<()> + 'a;

/// A table whose rows belong to a submission, with the column by which it is paged.
struct CopiedTable {
    table: &'static str,
    page_by: &'static str,
    columns: &'static [&'static str],
}

const COPIED_TABLES: [CopiedTable; 4] = [
    CopiedTable {
        table: "item",
        page_by: "number",
        columns: &["number", "key", "body", "rows", "result", "reasons", "batch", "change", "unknown_attempts"],
    },
    CopiedTable { table: "row", page_by: "item", columns: &["item", "sheet", "row"] },
    CopiedTable { table: "before", page_by: "item", columns: &["item", "body", "neighbors"] },
    CopiedTable {
        table: "attempt",
        page_by: "batch",
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

/// The columns that are copied unchanged. The person gets the computer's name, and references get the team's numbers.
const SUBMISSION_COLUMNS: &[&str] = &[
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

/// The copied columns of `template_remembered`. Rows that the team has already are skipped.
const TEMPLATE_COLUMNS: &str = "site, template, at";
/// The copied columns of `contract_version`. Rows that the team has already are skipped.
const VERSION_COLUMNS: &str = "site, number, at, person, source, body";

/// A submission of the desk's own file.
struct OwnSubmission {
    id: SubmissionId,
    plan: SubmissionId,
    person: String,
    follows: Option<SubmissionId>,
    relation: Option<String>,
    is_open: bool,
    /// The values in the order of [`SUBMISSION_COLUMNS`].
    values: Vec<SqlValue>,
}

/// Copies data that the team doesn't have yet from the desk's own file. Adds `computer` to the names of people. `at` is
/// the time of recorded changes.
pub(crate) fn carry_over(
    journal: &Journal,
    computer: &str,
    at: Timestamp,
    progress: &mut CarryOverProgress<'_>,
) -> Result<CarryOver, JournalError> {
    let Some(views) = SharedViews::from_journal(journal) else { return Ok(CarryOver::default()) };
    views.copy_own_to_team(at)?;
    journal.mappings().copy_own_to_team(at)?;
    carry_templates_and_versions(journal)?;
    carry_submissions(journal, computer, progress)
}

/// Like [`carry_over`], but copies only submissions, so that other data that the team has removed isn't restored.
pub(crate) fn carry_submissions(
    journal: &Journal,
    computer: &str,
    progress: &mut CarryOverProgress<'_>,
) -> Result<CarryOver, JournalError> {
    if journal.team().is_none() {
        return Ok(CarryOver::default());
    }
    let name = journal_name(journal)?;
    let team_ids = load_team_ids(journal, &name)?;
    let all = load_own_submissions(journal)?;
    let open_plans: Vec<SubmissionId> = all.iter().filter(|own| own.is_open).map(|own| own.plan).collect();
    let new = |own: &&OwnSubmission| !team_ids.contains_key(&own.id);
    let (open, settled): (Vec<&OwnSubmission>, Vec<&OwnSubmission>) =
        all.iter().filter(new).partition(|own| open_plans.contains(&own.plan));
    let (open, total) = (count_submissions(&open), count_submissions(&settled));
    let mut copier = Copier { journal, name: &name, computer, team_ids, carried: 0, total, progress };
    let mut is_stopped = copier.report_progress();
    for plan in group_by_plan(&settled) {
        is_stopped = is_stopped || !copier.copy_plan(&plan)?;
    }
    let carried = copier.carried;
    if carried > 0 {
        journal.refresh_statistics()?;
    }
    Ok(CarryOver { carried, open, is_stopped })
}

fn count_submissions(submissions: &[&OwnSubmission]) -> u32 {
    u32::try_from(submissions.len()).unwrap_or(u32::MAX)
}

/// Groups the submissions by plan, oldest first.
fn group_by_plan<'a>(submissions: &[&'a OwnSubmission]) -> Vec<Vec<&'a OwnSubmission>> {
    let mut indexes: HashMap<SubmissionId, usize> = HashMap::new();
    let mut plans: Vec<Vec<&OwnSubmission>> = Vec::new();
    for own in submissions {
        let index = *indexes.entry(own.plan).or_insert(plans.len());
        match plans.get_mut(index) {
            Some(plan) => plan.push(own),
            None => plans.push(vec![own]),
        }
    }
    plans
}

/// Returns the unique name of the journal's file. The server generates it once.
fn journal_name(journal: &Journal) -> Result<String, JournalError> {
    if let Some(name) = journal.settings().get(JOURNAL_NAME_SETTING)?.and_then(|name| name.as_str().map(str::to_owned))
    {
        return Ok(name);
    }
    let name: String = journal
        .read(|connection| Ok(connection.query_row("SELECT CAST(gen_random_uuid() AS TEXT)", [], |row| row.get(0))?))?;
    journal.settings().set(JOURNAL_NAME_SETTING, &name.clone().into())?;
    Ok(name)
}

/// Loads the file's submissions that were already copied, with their numbers in the team's database.
fn load_team_ids(journal: &Journal, name: &str) -> Result<HashMap<SubmissionId, SubmissionId>, JournalError> {
    journal.read(|connection| {
        let mut statement =
            connection.prepare_cached("SELECT own_id, submission FROM carried_over WHERE journal = ?1")?;
        let pairs = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(pairs.collect::<Result<_, _>>()?)
    })
}

/// The condition that a submission hasn't ended, or has rows to send or to confirm.
const IS_OPEN: &str = "(pending + sending + unconfirmed > 0 OR state NOT IN ('stopped', 'finished'))";

/// Returns the newest submission's number and the number of settled submissions in the desk's own file.
pub(crate) fn own_extent(journal: &Journal) -> Result<(u32, u32), JournalError> {
    let sql =
        format!("SELECT COALESCE(MAX(id), 0), COUNT(*) - COALESCE(SUM(preparing OR {IS_OPEN}), 0) FROM submission");
    journal.read_own(|connection| Ok(connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?))
}

/// Returns the submissions of the desk's own file, oldest first, without those in preparation.
fn load_own_submissions(journal: &Journal) -> Result<Vec<OwnSubmission>, JournalError> {
    let sql = format!(
        "SELECT id, plan, person, follows, relation,
             {IS_OPEN}, {}
         FROM submission WHERE NOT preparing ORDER BY id",
        SUBMISSION_COLUMNS.join(", ")
    );
    journal.read_own(|connection| {
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let values = (6..6 + SUBMISSION_COLUMNS.len()).map(|index| row.get(index)).collect::<Result<_, _>>()?;
            all.push(OwnSubmission {
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

/// Copies one plan after the other.
struct Copier<'a, 'b> {
    journal: &'a Journal,
    /// The unique name of the desk's file.
    name: &'a str,
    computer: &'a str,
    /// Maps the file's submissions to their numbers in the team's database.
    team_ids: HashMap<SubmissionId, SubmissionId>,
    carried: u32,
    total: u32,
    progress: &'a mut CarryOverProgress<'b>,
}

impl Copier<'_, '_> {
    /// Reports the progress and returns whether to stop.
    fn report_progress(&mut self) -> bool {
        (self.progress)(self.carried, self.total).is_break()
    }

    /// Copies a plan with its items, rows and requests. If that needs several transactions, the last one makes the plan
    /// visible. Returns false if copying was stopped. A partially copied plan is then discarded.
    fn copy_plan(&mut self, steps: &[&OwnSubmission]) -> Result<bool, JournalError> {
        let [own] = steps else { return self.copy_steps(steps) };
        if last_number(self.journal, own.id)? > ITEMS_PER_TRANSACTION {
            return self.copy_steps(steps);
        }
        let parts = read_parts(self.journal, own.id, 0, ITEMS_PER_TRANSACTION)?;
        let id = self.journal.write(|transaction| {
            let id = insert_submission(transaction, own, self.computer, &self.team_ids)?;
            insert_parts(transaction, id, &parts)?;
            mark_complete(transaction, own.id, id, self.name)?;
            Ok(id)
        })?;
        self.team_ids.insert(own.id, id);
        self.carried += 1;
        Ok(!self.report_progress())
    }

    fn copy_steps(&mut self, steps: &[&OwnSubmission]) -> Result<bool, JournalError> {
        let mut runs = Vec::with_capacity(steps.len());
        for own in steps {
            if !self.copy_step(own, &mut runs)? {
                // Last step first, because no submission may refer to a discarded one.
                return runs.iter().rev().try_for_each(|run| discard(self.journal, run)).map(|()| false);
            }
        }
        self.journal.write(|transaction| {
            for (own, run) in steps.iter().zip(&runs) {
                run.ensure_held(transaction.session())?;
                mark_complete(transaction, own.id, run.submission(), self.name)?;
            }
            Ok(())
        })?;
        self.carried += count_submissions(steps);
        Ok(!self.report_progress())
    }

    /// Copies a step, which stays in preparation. Returns false if copying was stopped.
    fn copy_step(&mut self, own: &OwnSubmission, runs: &mut Vec<Run>) -> Result<bool, JournalError> {
        let run = self.journal.write(|transaction| {
            let id = insert_submission(transaction, own, self.computer, &self.team_ids)?;
            // Claimed before the commit, so that other desks don't treat it as abandoned.
            self.journal.claim(id)
        })?;
        self.team_ids.insert(own.id, run.submission());
        let last = last_number(self.journal, own.id)?;
        let mut after = 0;
        let mut is_stopped = false;
        while after < last && !is_stopped {
            let parts = read_parts(self.journal, own.id, after, after.saturating_add(ITEMS_PER_TRANSACTION))?;
            self.journal.write_with_run(&run, |transaction| insert_parts(transaction, run.submission(), &parts))?;
            after = after.saturating_add(ITEMS_PER_TRANSACTION);
            is_stopped = self.report_progress();
        }
        runs.push(run);
        Ok(!is_stopped)
    }
}

/// Returns the greatest number of an item or a request.
fn last_number(journal: &Journal, id: SubmissionId) -> Result<u32, JournalError> {
    let sql = "SELECT MAX(COALESCE((SELECT MAX(number) FROM item WHERE submission = ?1), 0),
                          COALESCE((SELECT MAX(batch) FROM attempt WHERE submission = ?1), 0))";
    journal.read_own(|connection| Ok(connection.query_row(sql, [id], |row| row.get(0))?))
}

/// The values of rows, in the order of the columns.
type PartRows = Vec<Vec<SqlValue>>;

/// Returns the rows of each copied table, with numbers greater than `after` and at most `last`.
fn read_parts(journal: &Journal, id: SubmissionId, after: u32, last: u32) -> Result<Vec<PartRows>, JournalError> {
    journal.read_own(|connection| COPIED_TABLES.iter().map(|part| part.read(connection, id, after, last)).collect())
}

fn insert_parts(transaction: &Transaction<'_>, id: SubmissionId, parts: &[PartRows]) -> Result<(), JournalError> {
    COPIED_TABLES.iter().zip(parts).try_for_each(|(part, rows)| part.insert(transaction, id, rows))
}

impl CopiedTable {
    fn read(
        &self,
        connection: &Connection<'_>,
        id: SubmissionId,
        after: u32,
        last: u32,
    ) -> Result<PartRows, JournalError> {
        let Self { table, page_by, columns } = self;
        let is_item = *table == "item";
        let expression = |column: &&'static str| if is_item && *column == "body" { BODY } else { column };
        let columns = columns.iter().map(expression).collect::<Vec<_>>().join(", ");
        let join = if is_item { BODY_JOIN } else { "" };
        let sql = format!(
            "SELECT {columns} FROM {table}{join} WHERE {table}.submission = ?1 AND {page_by} > ?2 AND {page_by} <= ?3 ORDER BY {page_by}"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params![id, after, last], |row| {
            (0..self.columns.len()).map(|index| row.get(index)).collect::<Result<Vec<SqlValue>, _>>()
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn insert_sql(&self) -> String {
        let placeholders: Vec<String> = (2..self.columns.len() + 2).map(|number| format!("?{number}")).collect();
        let (columns, placeholders) = (self.columns.join(", "), placeholders.join(", "));
        format!("INSERT INTO {} (submission, {columns}) VALUES (?1, {placeholders})", self.table)
    }

    fn insert(&self, transaction: &Transaction<'_>, id: SubmissionId, rows: &PartRows) -> Result<(), JournalError> {
        let sql = self.insert_sql();
        let sets = rows.iter().map(|row| {
            params_from_iter(std::iter::once(SqlValue::Integer(id.get().into())).chain(row.iter().cloned()))
        });
        Ok(transaction.prepare_cached(&sql)?.execute_each(sets)?)
    }
}

/// Returns the statement that inserts a submission in preparation.
fn submission_insert_sql() -> String {
    let placeholders: Vec<String> = (1..=SUBMISSION_COLUMNS.len() + 4).map(|number| format!("?{number}")).collect();
    let (columns, placeholders) = (SUBMISSION_COLUMNS.join(", "), placeholders.join(", "));
    format!(
        "INSERT INTO submission ({columns}, person, follows, relation, plan, preparing) VALUES ({placeholders}, TRUE) RETURNING id"
    )
}

/// Inserts a submission in preparation. Its references get the team's numbers.
fn insert_submission(
    transaction: &Transaction<'_>,
    own: &OwnSubmission,
    computer: &str,
    team_ids: &HashMap<SubmissionId, SubmissionId>,
) -> Result<SubmissionId, JournalError> {
    let number = |id: Option<&SubmissionId>| id.map_or(SqlValue::Null, |id| SqlValue::Integer(id.get().into()));
    let follows = own.follows.and_then(|follows| team_ids.get(&follows));
    let relation = own.relation.clone().filter(|_| follows.is_some()).map_or(SqlValue::Null, SqlValue::Text);
    let person = SqlValue::Text(with_computer(&own.person, computer));
    let plan = number(team_ids.get(&own.plan));
    let values = own.values.iter().cloned().chain([person, number(follows), relation, plan]);
    let id = transaction.query_row(&submission_insert_sql(), params_from_iter(values), |row| row.get(0))?;
    // The first step of a plan refers to itself.
    transaction.execute("UPDATE submission SET plan = id WHERE id = ?1 AND plan IS NULL", [id])?;
    Ok(id)
}

/// Makes a copied submission visible, and records that it was copied.
fn mark_complete(
    transaction: &Transaction<'_>,
    own: SubmissionId,
    id: SubmissionId,
    name: &str,
) -> Result<(), JournalError> {
    transaction.execute("UPDATE submission SET preparing = FALSE WHERE id = ?1", [id])?;
    let sql = "INSERT INTO carried_over (journal, own_id, submission) VALUES (?1, ?2, ?3)";
    transaction.execute(sql, params![name, own, id])?;
    Ok(())
}

/// Adds the computer to a person's name, as the team's history shows it, unless the name already has one.
fn with_computer(person: &str, computer: &str) -> String {
    if person.is_empty() || person.contains('@') || computer.is_empty() {
        return person.to_owned();
    }
    format!("{person}@{computer}")
}

/// Copies templates and contract versions that the team doesn't have.
fn carry_templates_and_versions(journal: &Journal) -> Result<(), JournalError> {
    let rows = load_own_rows(journal, &format!("SELECT {TEMPLATE_COLUMNS} FROM template_remembered"))?;
    insert_missing(journal, &format!("template_remembered ({TEMPLATE_COLUMNS})"), rows)?;
    let versions =
        load_own_rows(journal, &format!("SELECT {VERSION_COLUMNS} FROM contract_version ORDER BY site, number"))?;
    let known: Vec<String> = journal.read(|connection| {
        let mut statement = connection.prepare_cached("SELECT DISTINCT site FROM contract_version")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    })?;
    // A site's versions are copied only if the team has none for it, because the newest number is in force.
    let is_new = |row: &Vec<SqlValue>| !matches!(row.first(), Some(SqlValue::Text(site)) if known.contains(site));
    let versions = versions.into_iter().filter(is_new).collect();
    insert_missing(journal, &format!("contract_version ({VERSION_COLUMNS})"), versions)
}

fn load_own_rows(journal: &Journal, sql: &str) -> Result<PartRows, JournalError> {
    journal.read_own(|connection| {
        let mut statement = connection.prepare_cached(sql)?;
        let count = sql.split(" FROM ").next().map_or(0, |columns| columns.split(',').count());
        let rows = statement
            .query_map([], |row| (0..count).map(|index| row.get(index)).collect::<Result<Vec<SqlValue>, _>>())?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
}

/// Returns the statement that inserts a row unless it exists. `table` includes the column names.
fn insert_missing_sql(table: &str, columns: usize) -> String {
    let placeholders: Vec<String> = (1..=columns).map(|number| format!("?{number}")).collect();
    format!("INSERT INTO {table} VALUES ({}) ON CONFLICT DO NOTHING", placeholders.join(", "))
}

fn insert_missing(journal: &Journal, table: &str, rows: PartRows) -> Result<(), JournalError> {
    let Some(first) = rows.first() else { return Ok(()) };
    let sql = insert_missing_sql(table, first.len());
    journal.write(|transaction| {
        Ok(transaction.prepare_cached(&sql)?.execute_each(rows.into_iter().map(params_from_iter))?)
    })
}

/// Returns the statements with which copied data is stored in a team's database.
#[cfg(test)]
pub(crate) fn built_statements() -> Vec<String> {
    let columns = |columns: &str| columns.split(',').count();
    let missing = [("template_remembered", TEMPLATE_COLUMNS), ("contract_version", VERSION_COLUMNS)]
        .map(|(table, names)| insert_missing_sql(&format!("{table} ({names})"), columns(names)));
    COPIED_TABLES.iter().map(CopiedTable::insert_sql).chain([submission_insert_sql()]).chain(missing).collect()
}
