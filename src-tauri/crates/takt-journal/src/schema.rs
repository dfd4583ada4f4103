//! The schema's versions, oldest first, and the step from one to the next.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::JournalError;

/// `TAKT` as the file's application id.
const APPLICATION: u32 = 0x5441_4B54;

/// Index 0 leads from an empty file to version 1. Never change one that was released: add the next.
const STEPS: [&str; 4] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
];

/// Brings the file to this Takt's schema; refuses a newer one and files that aren't journals.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), JournalError> {
    // The version is read inside the transaction: two Takts may open a new file at once.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = check(&transaction, path)?;
    let known = known_version();
    for step in &STEPS[found as usize..] {
        transaction.execute_batch(step)?;
    }
    if found < known {
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", known)?;
    }
    transaction.commit()?;
    Ok(())
}

/// The file's schema version, where this Takt may touch it. Changes nothing.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<u32, JournalError> {
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let application: u32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: u32 = connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application != APPLICATION && (found > 0 || tables > 0) {
        return Err(JournalError::NotAJournal { path: path.to_path_buf() });
    }
    let known = known_version();
    if found > known { Err(JournalError::Newer { found, known }) } else { Ok(found) }
}

fn known_version() -> u32 {
    u32::try_from(STEPS.len()).unwrap_or(u32::MAX)
}
