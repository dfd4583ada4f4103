//! What services have it that submissions wait for a second person. The owner of a team's schema writes it, and desks read it.

use crate::JournalError;
use crate::database::{Connection, DatabaseError, OptionalExtension, Row, Transaction, params};

/// What of a service's submissions waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRule {
    /// The service's address.
    pub base_url: String,
    /// More rows than these wait; absent: rows are no reason to.
    pub rows_above: Option<u32>,
    /// Deletes wait, however few.
    pub deletes: bool,
}

/// What services have it that submissions wait.
pub(crate) fn rules(connection: &Connection<'_>) -> Result<Vec<ApprovalRule>, JournalError> {
    let mut statement =
        connection.prepare_cached("SELECT base_url, rows_above, deletes FROM approval_rule ORDER BY base_url")?;
    let rules = statement.query_map([], rule)?.collect::<Result<_, _>>()?;
    Ok(rules)
}

/// Replaces the rule of a service; one that has no reason to wait removes it.
pub(crate) fn write_rule(transaction: &Transaction<'_>, rule: &ApprovalRule) -> Result<(), JournalError> {
    transaction.execute("DELETE FROM approval_rule WHERE base_url = ?1", [&rule.base_url])?;
    if rule.deletes || rule.rows_above.is_some() {
        let sql = "INSERT INTO approval_rule (base_url, rows_above, deletes) VALUES (?1, ?2, ?3)";
        transaction.execute(sql, params![rule.base_url, rule.rows_above, rule.deletes])?;
    }
    Ok(())
}

pub(crate) fn rule_of(connection: &Connection<'_>, base_url: &str) -> Result<Option<ApprovalRule>, JournalError> {
    let sql = "SELECT base_url, rows_above, deletes FROM approval_rule WHERE base_url = ?1 AND base_url <> ''";
    Ok(connection.prepare_cached(sql)?.query_row([base_url], rule).optional()?)
}

fn rule(row: Row<'_>) -> Result<ApprovalRule, DatabaseError> {
    Ok(ApprovalRule { base_url: row.get(0)?, rows_above: row.get(1)?, deletes: row.get(2)? })
}
