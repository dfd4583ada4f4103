//! Stored submissions: the insert of a new one, and a row of the table with its counters.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr};

use crate::database::{Connection, Row, Transaction, params};
use crate::result::ResultCounts;
use crate::{ClaimChoice, JournalError, PlanId, RowResult, StoredWord, SubmissionId};

/// The way in which a submission follows another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum Relation {
    /// Sends the items that were rejected in the other.
    Retry,
    /// Repeats the other with another file.
    Again,
    /// Reverts the changes of the other.
    Undo,
}

/// The submission that another one follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SubmissionOrigin {
    pub submission: SubmissionId,
    pub relation: Relation,
}

/// The state of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum SubmissionState {
    /// The submission is being stored, and nothing of it was sent.
    Preparing,
    Running,
    /// Paused by a person.
    Paused,
    /// Ended by a person with rows left. It can be continued.
    Stopped,
    /// Takt ended, or a problem stopped it. It can be continued.
    Interrupted,
    Finished,
}

impl SubmissionState {
    fn has_ended(self) -> bool {
        matches!(self, Self::Stopped | Self::Finished)
    }
}

/// The addresses of a site. Empty if they aren't known, and for the practice plant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SiteAddress {
    pub base_url: String,
    /// The address of the identity provider.
    pub auth_url: String,
}

/// A submission before it has a number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewSubmission {
    pub operation: String,
    pub site: String,
    pub address: SiteAddress,
    /// The file's name. Empty if the rows were entered in the window.
    pub file: String,
    pub hash: String,
    pub sheet: String,
    pub batch_size: u32,
    pub at: Timestamp,
    /// The account that sends the submission. In a team, followed by `@` and the computer.
    pub person: String,
    /// The mapping that was used. The engine defines its form.
    pub mapping: Option<Value>,
    pub follows: Option<SubmissionOrigin>,
    /// The number of the last item that may be sent. Absent if all items may be sent.
    pub trial: Option<u32>,
    /// The choice for items whose keys another desk of the team is sending.
    pub claimed: ClaimChoice,
    /// True if the operation deletes data.
    pub deletes: bool,
}

/// A submission with its counters, which always add up.
#[derive(Debug, Clone, PartialEq)]
pub struct SubmissionRecord {
    pub id: SubmissionId,
    pub operation: String,
    pub site: String,
    /// The addresses of the site when the submission was created.
    pub address: SiteAddress,
    pub file: String,
    pub hash: String,
    pub sheet: String,
    pub started: Timestamp,
    pub ended: Option<Timestamp>,
    pub state: SubmissionState,
    /// Items per request, from the next request on.
    pub batch_size: u32,
    /// The requested number of items per request, before the service limited it.
    pub requested_batch_size: u32,
    pub items: u32,
    pub pending_items: u32,
    /// The number of rows of all items.
    pub total: u32,
    pub counts: ResultCounts,
    /// Attempts after which at least one row was accepted, rejected or unconfirmed.
    pub batches: u32,
    /// Attempts that may have reached the service.
    pub requests: u32,
    /// The running time in milliseconds, without pauses.
    pub active_milliseconds: u64,
    /// The reason for an interruption. The engine defines its form.
    pub problem: Option<Value>,
    /// The plan of which the submission is a step.
    pub plan: PlanId,
    /// The person who sent the submission. Empty if unknown.
    pub person: String,
    /// The mapping that was used. The engine defines its form.
    pub mapping: Option<Value>,
    pub follows: Option<SubmissionOrigin>,
    /// The number of the last item that may be sent. Absent if all items may be sent.
    pub trial: Option<u32>,
    /// The time at which the rows and requests were removed. The counters stay.
    pub purged: Option<Timestamp>,
}

pub(crate) const SUBMISSION_RECORD_COLUMNS: &str =
    "id, operation, site, file, hash, sheet, started, ended, state, batch_size, items, pending_items,
    total, pending, sending, accepted, rejected, unconfirmed, skipped, batches, requests, active_ms, problem, plan,
    person, mapping, follows, relation, trial, asked_size, base_url, auth_url, preparing, purged";

pub(crate) fn load(connection: &Connection<'_>, id: SubmissionId) -> Result<SubmissionRecord, JournalError> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {SUBMISSION_RECORD_COLUMNS} FROM submission WHERE id = ?1"))?;
    let mut rows = statement.query([id])?;
    rows.next()?.map_or(Err(JournalError::UnknownSubmission(id)), record_from_row)
}

/// Inserts a submission in preparation, without items. It becomes a step of `plan`, or without one the first step of a
/// new plan.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    new: &NewSubmission,
    state: SubmissionState,
    plan: Option<PlanId>,
) -> Result<SubmissionId, JournalError> {
    let id: SubmissionId = transaction.query_row(
        "INSERT INTO submission (operation, site, file, hash, sheet, started, state, batch_size,
             person, mapping, follows, relation, trial, asked_size, base_url, auth_url, preparing)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?8, ?14, ?15, TRUE) RETURNING id",
        params![
            new.operation,
            new.site,
            new.file,
            new.hash,
            new.sheet,
            new.at.to_string(),
            state.word(),
            new.batch_size.max(1),
            new.person,
            new.mapping.as_ref().map(serde_json::to_string).transpose()?,
            new.follows.map(|follows| follows.submission),
            new.follows.map(|follows| follows.relation.word()),
            new.trial,
            new.address.base_url,
            new.address.auth_url
        ],
        |row| row.get(0),
    )?;
    transaction
        .prepare_cached("UPDATE submission SET plan = ?2 WHERE id = ?1")?
        .execute(params![id, plan.unwrap_or(PlanId::from_first(id))])?;
    Ok(id)
}

/// Changes the state if it is still `from`. A state in which the submission has ended also sets the end.
pub(crate) fn set_state(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    from: SubmissionState,
    to: SubmissionState,
    at: Timestamp,
    problem: Option<&Value>,
) -> Result<(), JournalError> {
    let ended = to.has_ended().then(|| at.to_string());
    let problem = problem.map(serde_json::to_string).transpose()?;
    transaction.notify_desks();
    let changed = transaction
        .prepare_cached("UPDATE submission SET state = ?3, ended = ?4, problem = ?5 WHERE id = ?1 AND state = ?2")?
        .execute(params![id, from.word(), to.word(), ended, problem])?;
    if changed == 1 { Ok(()) } else { Err(JournalError::LostRace { submission: id, what: "the state" }) }
}

/// The number of items whose result changed, and the number of their rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MovedCounts {
    pub(crate) items: u32,
    pub(crate) rows: u32,
}

/// Moves items and their rows from one result to another in the counters. The caller must change the items in the same
/// transaction.
pub(crate) fn move_counts(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    from: RowResult,
    to: RowResult,
    moved: MovedCounts,
) -> Result<(), JournalError> {
    let MovedCounts { items, rows } = moved;
    if items == 0 || from == to {
        return Ok(());
    }
    let pending_items = match (from, to) {
        (RowResult::Pending, _) => -i64::from(items),
        (_, RowResult::Pending) => i64::from(items),
        _ => 0,
    };
    transaction.prepare_cached(&move_counts_sql(from, to))?.execute(params![id, rows, pending_items])?;
    Ok(())
}

/// Returns the statement for two different results. Each result is counted in a column of its name.
pub(crate) fn move_counts_sql(from: RowResult, to: RowResult) -> String {
    let (from, to) = (from.word(), to.word());
    format!(
        "UPDATE submission SET {from} = {from} - ?2, {to} = {to} + ?2, pending_items = pending_items + ?3 WHERE id = ?1"
    )
}

pub(crate) fn record_from_row(row: Row<'_>) -> Result<SubmissionRecord, JournalError> {
    let time = |text: String| text.parse::<Timestamp>();
    let problem: Option<String> = row.get("problem")?;
    let mapping: Option<String> = row.get("mapping")?;
    let follows: Option<SubmissionId> = row.get("follows")?;
    let relation: Option<String> = row.get("relation")?;
    let relation = relation.as_deref().map(Relation::from_word).transpose()?;
    Ok(SubmissionRecord {
        id: row.get("id")?,
        operation: row.get("operation")?,
        site: row.get("site")?,
        address: SiteAddress { base_url: row.get("base_url")?, auth_url: row.get("auth_url")? },
        file: row.get("file")?,
        hash: row.get("hash")?,
        sheet: row.get("sheet")?,
        started: time(row.get("started")?)?,
        ended: row.get::<_, Option<String>>("ended")?.map(time).transpose()?,
        state: match row.get("preparing")? {
            true => SubmissionState::Preparing,
            false => SubmissionState::from_word(&row.get::<_, String>("state")?)?,
        },
        batch_size: row.get("batch_size")?,
        requested_batch_size: row.get::<_, Option<u32>>("asked_size")?.map_or_else(|| row.get("batch_size"), Ok)?,
        items: row.get("items")?,
        pending_items: row.get("pending_items")?,
        total: row.get("total")?,
        counts: ResultCounts {
            pending: row.get("pending")?,
            sending: row.get("sending")?,
            accepted: row.get("accepted")?,
            rejected: row.get("rejected")?,
            unconfirmed: row.get("unconfirmed")?,
            skipped: row.get("skipped")?,
        },
        batches: row.get("batches")?,
        requests: row.get("requests")?,
        active_milliseconds: row.get::<_, i64>("active_ms")?.unsigned_abs(),
        problem: problem.as_deref().map(serde_json::from_str).transpose()?,
        plan: row.get("plan")?,
        person: row.get("person")?,
        mapping: mapping.as_deref().map(serde_json::from_str).transpose()?,
        follows: follows.zip(relation).map(|(submission, relation)| SubmissionOrigin { submission, relation }),
        trial: row.get("trial")?,
        purged: row.get::<_, Option<String>>("purged")?.map(time).transpose()?,
    })
}
