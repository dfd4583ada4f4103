//! Who sends what: in a team the business keys of a running submission are its own, so that no two desks send the same at once.
//!
//! There is no list of them beside the items: what a submission claims are the keys of its items that aren't settled, as long as a desk
//! holds the right to run it. So a claim ends with the submission, and with its desk. Each item that may be sent from a moment on is
//! held against them in the transaction that makes it so: the pending ones where a submission begins to run, and one that was
//! unconfirmed where it becomes pending. All changes of a team go one after the other, so two that claim the same key can't both
//! begin. The service is known by its address: desks may name a site as they like. Without an address, as the practice plant has
//! none, nothing is claimed.

use std::collections::BTreeMap;

use crate::database::{Connection, DatabaseError, Row, Transaction, params};
use crate::key_claim::{CLAIMED, CLAIMED_UNCONFIRMED};
use crate::postgres::LockKey;
use crate::result::reasons_text;
use crate::submission_record::move_counts;
use crate::{ClaimChoice, JournalError, KeyClaim, Reason, RowResult, SubmissionId};

/// `?1`, and other submissions to the same service that are run.
pub(crate) fn others() -> String {
    let held = LockKey::held_submissions();
    format!(
        "submission AS own
         JOIN submission AS holder ON holder.base_url = own.base_url AND holder.id <> own.id AND holder.plan <> own.plan
             AND holder.state = 'running' AND NOT holder.preparing AND own.base_url <> ''
             AND holder.id IN (SELECT CAST(objid AS BIGINT) FROM pg_locks WHERE {held})"
    )
}

/// Which of its own items are looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ours {
    /// What it sends once it runs: what lies behind the end of a trial isn't sent then.
    Next,
    Pending,
    Unconfirmed,
}

impl Ours {
    fn condition(self) -> &'static str {
        match self {
            Self::Next => "ours.result = 'pending' AND ours.number <= COALESCE(own.trial, own.items)",
            Self::Pending => "ours.result = 'pending'",
            Self::Unconfirmed => "ours.result = 'unconfirmed'",
        }
    }
}

/// The items of both with the same keys.
pub(crate) fn overlap(ours: Ours) -> String {
    format!(
        "{} JOIN item AS ours ON ours.submission = own.id AND {}
         JOIN item AS theirs ON theirs.submission = holder.id AND theirs.key = ours.key
             AND theirs.result IN ('pending', 'sending', 'unconfirmed')
         WHERE own.id = ?1",
        others(),
        ours.condition()
    )
}

/// Refuses to run a submission some of whose keys another desk is sending, or leaves those items out. What is unconfirmed isn't sent by
/// that alone. A file knows of no other desks.
pub(crate) fn claim_keys(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    choice: ClaimChoice,
) -> Result<(), JournalError> {
    let claims = claims(transaction, id, Ours::Next)?;
    match choice {
        _ if claims.is_empty() => Ok(()),
        ClaimChoice::Refuse => Err(JournalError::KeysClaimed(claims)),
        ClaimChoice::LeaveOut => leave_out(transaction, id, (&claims, Ours::Next)),
    }
}

/// Leaves all pending items out whose keys another desk is sending, also those that a trial has left for later.
pub(crate) fn skip_claimed(transaction: &Transaction<'_>, id: SubmissionId) -> Result<(), JournalError> {
    let claims = claims(transaction, id, Ours::Pending)?;
    if claims.is_empty() { Ok(()) } else { leave_out(transaction, id, (&claims, Ours::Pending)) }
}

/// The unconfirmed items whose keys another desk is sending at this moment, each with what is told of it: they can't be sent again now.
pub(crate) fn claimed_unconfirmed(
    connection: &Connection<'_>,
    id: SubmissionId,
) -> Result<BTreeMap<u32, Reason>, JournalError> {
    let claims = claims(connection, id, Ours::Unconfirmed)?;
    let sql = format!("SELECT DISTINCT ours.number FROM {} AND holder.id = ?2", overlap(Ours::Unconfirmed));
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

/// What other desks are sending of it at this moment, by their submissions; nothing in a file.
fn claims(connection: &Connection<'_>, id: SubmissionId, ours: Ours) -> Result<Vec<KeyClaim>, JournalError> {
    if matches!(connection, Connection::Sqlite(_)) {
        return Ok(Vec::new());
    }
    // Usually no other desk sends. That is checked first, without a look at the items.
    let sql = format!("SELECT holder.id FROM {} WHERE own.id = ?1 LIMIT 1", others());
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
        claims.push(claim(row)?);
    }
    Ok(claims)
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

/// Each item is told which of them sends it; what several send is told of the first.
fn leave_out(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    (claims, ours): (&[KeyClaim], Ours),
) -> Result<(), JournalError> {
    let sql = format!(
        "UPDATE item SET result = 'skipped', reasons = ?2 WHERE submission = ?1 AND result = 'pending'
         AND number IN (SELECT ours.number FROM {} AND holder.id = ?3) RETURNING rows",
        overlap(ours)
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut moved = (0, 0);
    for claim in claims {
        let given = params![id, reasons_text(&[reason(CLAIMED, claim)])?, claim.submission];
        let found = statement.query_map(given, |row| row.get(0))?;
        let rows: Vec<u32> = found.collect::<Result<_, DatabaseError>>()?;
        moved = (moved.0 + u32::try_from(rows.len()).unwrap_or(u32::MAX), moved.1 + rows.iter().sum::<u32>());
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
