//! Checks key claims. In a team, a running submission claims the business keys of its unsettled items, so that two
//! desks don't send the same keys at once. Without a team, a running plan claims its file, so that the window and a
//! command line don't send the same file at once.
//!
//! Claims aren't stored. They are derived from the locks of running submissions and end with these locks. Items are
//! checked in the transaction that allows sending them. All changes of a team are serialized, so two submissions can't
//! claim the same key. A service is identified by its address. Without an address, as for the practice plant, nothing
//! is claimed.

use std::collections::BTreeMap;

use crate::database::{Connection, DatabaseError, Row, Transaction, params};
use crate::key_claim::{CLAIMED, CLAIMED_UNCONFIRMED};
use crate::postgres::LockKey;
use crate::result::reasons_to_json;
use crate::submission_record::{MovedCounts, move_counts};
use crate::{ClaimChoice, Journal, JournalError, KeyClaim, Reason, RowResult, SubmissionId};

/// Returns the join of submission `?1` with other running submissions to the same service.
pub(crate) fn competing_submissions() -> String {
    let held = LockKey::held_submissions();
    format!(
        "submission AS own
         JOIN submission AS holder ON holder.base_url = own.base_url AND holder.id <> own.id AND holder.plan <> own.plan
             AND holder.state = 'running' AND NOT holder.preparing AND own.base_url <> ''
             AND holder.id IN (SELECT CAST(objid AS BIGINT) FROM pg_locks WHERE {held})"
    )
}

/// The items of the submission that are checked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OwnItems {
    /// The items that are sent once it runs, without those after the end of a trial.
    Next,
    Pending,
    Unconfirmed,
}

impl OwnItems {
    fn condition(self) -> &'static str {
        match self {
            Self::Next => "ours.result = 'pending' AND ours.number <= COALESCE(own.trial, own.items)",
            Self::Pending => "ours.result = 'pending'",
            Self::Unconfirmed => "ours.result = 'unconfirmed'",
        }
    }
}

/// Returns the join of items with the same keys in submission `?1` and in a competing one.
pub(crate) fn overlap(ours: OwnItems) -> String {
    format!(
        "{} JOIN item AS ours ON ours.submission = own.id AND {}
         JOIN item AS theirs ON theirs.submission = holder.id AND theirs.key = ours.key
             AND theirs.result IN ('pending', 'sending', 'unconfirmed')
         WHERE own.id = ?1",
        competing_submissions(),
        ours.condition()
    )
}

/// Refuses to run a submission if another desk is sending some of its keys, or skips those items. Unconfirmed items
/// aren't checked, because running doesn't send them. Without a team, the file is checked instead.
pub(crate) fn claim_keys(
    journal: &Journal,
    transaction: &Transaction<'_>,
    id: SubmissionId,
    choice: ClaimChoice,
) -> Result<(), JournalError> {
    if transaction.is_file() {
        return refuse_file_being_sent(journal, transaction, id);
    }
    let claims = load_claims(transaction, id, OwnItems::Next)?;
    match choice {
        _ if claims.is_empty() => Ok(()),
        ClaimChoice::Refuse => Err(JournalError::KeysClaimed(claims)),
        ClaimChoice::LeaveOut => skip_items(transaction, id, &claims, OwnItems::Next),
    }
}

/// Refuses to run a submission while another plan sends the same content by the same operation to the same address.
/// Steps of that plan that wait for their turn count, too. Sheets aren't compared, because the sheet of a text file has
/// the file's name.
fn refuse_file_being_sent(
    journal: &Journal,
    connection: &Connection<'_>,
    id: SubmissionId,
) -> Result<(), JournalError> {
    let sql = "SELECT running.id, holder.file, holder.site FROM submission AS own
         JOIN submission AS holder ON holder.hash = own.hash AND holder.base_url = own.base_url
             AND holder.operation = own.operation AND holder.plan <> own.plan AND holder.state IN ('running', 'paused')
         JOIN submission AS running ON running.plan = holder.plan AND running.state = 'running' AND NOT running.preparing
         WHERE own.id = ?1 AND own.hash <> '' AND own.base_url <> ''";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        if journal.is_claimed(connection, row.get(0)?)? {
            return Err(JournalError::FileBeingSent { file: row.get(1)?, site: row.get(2)? });
        }
    }
    Ok(())
}

/// Skips all pending items whose keys another desk is sending, including those after the end of a trial.
pub(crate) fn skip_claimed(transaction: &Transaction<'_>, id: SubmissionId) -> Result<(), JournalError> {
    let claims = load_claims(transaction, id, OwnItems::Pending)?;
    if claims.is_empty() { Ok(()) } else { skip_items(transaction, id, &claims, OwnItems::Pending) }
}

/// Returns the unconfirmed items whose keys another desk is sending at this moment, with the reason why they can't be
/// sent now.
pub(crate) fn claimed_unconfirmed(
    connection: &Connection<'_>,
    id: SubmissionId,
) -> Result<BTreeMap<u32, Reason>, JournalError> {
    let claims = load_claims(connection, id, OwnItems::Unconfirmed)?;
    let sql = format!("SELECT DISTINCT ours.number FROM {} AND holder.id = ?2", overlap(OwnItems::Unconfirmed));
    let mut claimed = BTreeMap::new();
    for claim in &claims {
        let mut statement = connection.prepare_cached(&sql)?;
        let found = statement.query_map(params![id, claim.submission], |row| row.get(0))?;
        let numbers: Vec<u32> = found.collect::<Result<_, DatabaseError>>()?;
        for number in numbers {
            claimed.entry(number).or_insert_with(|| reason(CLAIMED_UNCONFIRMED, claim));
        }
    }
    Ok(claimed)
}

/// Returns the claims of other desks on the submission's keys, by submission. Empty in a file.
fn load_claims(connection: &Connection<'_>, id: SubmissionId, ours: OwnItems) -> Result<Vec<KeyClaim>, JournalError> {
    if matches!(connection, Connection::Sqlite(_)) {
        return Ok(Vec::new());
    }
    // Usually no other desk is sending, so that is checked first, without reading items.
    let sql = format!("SELECT holder.id FROM {} WHERE own.id = ?1 LIMIT 1", competing_submissions());
    if !connection.prepare_cached(&sql)?.exists([id])? {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT id, person, file, started, SUM(rows) FROM
             (SELECT DISTINCT holder.id, holder.person, holder.file, holder.started, ours.number, ours.rows FROM {}) AS found
         GROUP BY id, person, file, started ORDER BY id",
        overlap(ours)
    );
    let mut claims = Vec::new();
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        claims.push(claim_from_row(row)?);
    }
    Ok(claims)
}

fn claim_from_row(row: Row<'_>) -> Result<KeyClaim, JournalError> {
    Ok(KeyClaim {
        submission: row.get(0)?,
        person: row.get(1)?,
        file: row.get(2)?,
        since: row.get::<_, String>(3)?.parse()?,
        rows: row.get(4)?,
    })
}

/// Skips the items that the claims cover. The reason of an item names the first submission that claims it.
fn skip_items(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    claims: &[KeyClaim],
    ours: OwnItems,
) -> Result<(), JournalError> {
    let sql = format!(
        "UPDATE item SET result = 'skipped', reasons = ?2 WHERE submission = ?1 AND result = 'pending'
         AND number IN (SELECT ours.number FROM {} AND holder.id = ?3) RETURNING rows",
        overlap(ours)
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut moved = MovedCounts::default();
    for claim in claims {
        let values = params![id, reasons_to_json(&[reason(CLAIMED, claim)])?, claim.submission];
        let found = statement.query_map(values, |row| row.get(0))?;
        let rows: Vec<u32> = found.collect::<Result<_, DatabaseError>>()?;
        moved.items += u32::try_from(rows.len()).unwrap_or(u32::MAX);
        moved.rows += rows.iter().sum::<u32>();
    }
    transaction.execute("DELETE FROM wait WHERE submission = ?1 AND item IN (SELECT number FROM item WHERE submission = ?1 AND result = 'skipped')", [id])?;
    move_counts(transaction, id, RowResult::Pending, RowResult::Skipped, moved)
}

fn reason(code: &str, claim: &KeyClaim) -> Reason {
    let since = claim.since.strftime("%Y-%m-%d %H:%M:%S UTC").to_string();
    let parameters = [("person", claim.person.clone()), ("file", claim.file.clone()), ("since", since)];
    let parameters = parameters.map(|(name, value)| (name.to_owned(), value)).into();
    Reason::Because { code: code.to_owned(), parameters }
}
