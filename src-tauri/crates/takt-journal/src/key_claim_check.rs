//! Who sends what: in a team the business keys of a running submission are its own, so that no two desks send the same at once.
//!
//! There is no list of them beside the items: what a submission claims are the keys of its items that aren't settled, as long as a desk
//! holds the right to run it. So a claim ends with the submission, and with its desk. Every way into running leads through here, and
//! all changes of a team go one after the other, so two that claim the same key can't both begin. The service is known by its
//! address: desks may name a site as they like. Without an address, as the practice plant has none, nothing is claimed.

use crate::database::{DatabaseError, Row, Transaction, params};
use crate::key_claim::CLAIMED;
use crate::postgres::LockKey;
use crate::result::reasons_text;
use crate::submission_record::move_counts;
use crate::{ClaimChoice, JournalError, KeyClaim, Reason, RowResult, SubmissionId};

/// `?1`, and other submissions to the same service that are run.
fn others() -> String {
    let held = LockKey::held_submissions();
    format!(
        "submission AS own
         JOIN submission AS holder ON holder.base_url = own.base_url AND holder.id <> own.id AND holder.plan <> own.plan
             AND holder.state = 'running' AND NOT holder.preparing AND own.base_url <> ''
             AND holder.id IN (SELECT CAST(objid AS BIGINT) FROM pg_locks WHERE {held})"
    )
}

/// The items of both with the same keys.
fn overlap() -> String {
    format!(
        "{} JOIN item AS ours ON ours.submission = own.id AND ours.result IN ('pending', 'sending', 'unconfirmed')
         JOIN item AS theirs ON theirs.submission = holder.id AND theirs.key = ours.key
             AND theirs.result IN ('pending', 'sending', 'unconfirmed')
         WHERE own.id = ?1",
        others()
    )
}

/// Refuses to run a submission some of whose keys another desk is sending, or leaves those items out. A file knows of no other desks.
pub(crate) fn claim_keys(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    choice: ClaimChoice,
) -> Result<(), JournalError> {
    if transaction.session().is_none() {
        return Ok(());
    }
    // Mostly nobody else sends: that is asked first, and no item is looked at.
    let sql = format!("SELECT holder.id FROM {} WHERE own.id = ?1 LIMIT 1", others());
    if !transaction.prepare_cached(&sql)?.exists([id])? {
        return Ok(());
    }
    let sql = format!(
        "SELECT id, person, file, started, SUM(rows) FROM
             (SELECT DISTINCT holder.id, holder.person, holder.file, holder.started, ours.number, ours.rows FROM {}) AS found
         GROUP BY id, person, file, started ORDER BY id",
        overlap()
    );
    let mut claims = Vec::new();
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        claims.push(claim(row)?);
    }
    match (claims.as_slice(), choice) {
        ([], _) => Ok(()),
        (_, ClaimChoice::Refuse) => Err(JournalError::KeysClaimed(claims)),
        ([first, ..], ClaimChoice::LeaveOut) => leave_out(transaction, id, first),
    }
}

fn claim(row: Row<'_>) -> Result<KeyClaim, JournalError> {
    Ok(KeyClaim {
        submission: row.get(0)?,
        person: row.get(1)?,
        file: row.get(2)?,
        since: row.get::<_, String>(3)?.parse()?,
        rows: row.get(4)?,
    })
}

fn leave_out(transaction: &Transaction<'_>, id: SubmissionId, claim: &KeyClaim) -> Result<(), JournalError> {
    let parameters = [("person", &claim.person), ("file", &claim.file)];
    let parameters = parameters.map(|(name, value)| (name.to_owned(), value.clone())).into();
    let reason = Reason::Because { code: CLAIMED.to_owned(), parameters };
    let sql = format!(
        "UPDATE item SET result = 'skipped', reasons = ?2 WHERE submission = ?1 AND result = 'pending'
         AND number IN (SELECT ours.number FROM {}) RETURNING rows",
        overlap()
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let found = statement.query_map(params![id, reasons_text(&[reason])?], |row| row.get(0))?;
    let rows: Vec<u32> = found.collect::<Result<_, DatabaseError>>()?;
    let moved = (u32::try_from(rows.len()).unwrap_or(u32::MAX), rows.iter().sum());
    transaction.execute("DELETE FROM wait WHERE submission = ?1 AND item IN (SELECT number FROM item WHERE submission = ?1 AND result = 'skipped')", [id])?;
    move_counts(transaction, id, RowResult::Pending, RowResult::Skipped, moved)
}
