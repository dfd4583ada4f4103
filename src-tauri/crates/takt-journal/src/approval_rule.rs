//! The rules by which submissions to a service wait for a second person. The owner of a team's schema writes them, and
//! desks read them.

use crate::JournalError;
use crate::database::{Connection, DatabaseError, OptionalExtension, Row, Transaction, params};

/// The rule by which submissions to a service wait for a second person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRule {
    /// The address of the service.
    pub base_url: String,
    /// Submissions with more rows than this wait. Absent if the number of rows doesn't matter.
    pub rows_above: Option<u32>,
    /// True if every delete waits.
    pub deletes: bool,
}

/// Returns the rules of all services.
pub(crate) fn load_rules(connection: &Connection<'_>) -> Result<Vec<ApprovalRule>, JournalError> {
    let mut statement =
        connection.prepare_cached("SELECT base_url, rows_above, deletes FROM approval_rule ORDER BY base_url")?;
    let rules = statement.query_map([], rule_from_row)?.collect::<Result<_, _>>()?;
    Ok(rules)
}

/// Replaces the rule of a service, or removes it if the new rule has no condition.
pub(crate) fn write_rule(transaction: &Transaction<'_>, rule: &ApprovalRule) -> Result<(), JournalError> {
    transaction.execute("DELETE FROM approval_rule WHERE base_url = ?1", [&rule.base_url])?;
    if rule.deletes || rule.rows_above.is_some() {
        let sql = "INSERT INTO approval_rule (base_url, rows_above, deletes) VALUES (?1, ?2, ?3)";
        transaction.execute(sql, params![rule.base_url, rule.rows_above, rule.deletes])?;
    }
    Ok(())
}

pub(crate) fn load_rule(connection: &Connection<'_>, base_url: &str) -> Result<Option<ApprovalRule>, JournalError> {
    let sql = "SELECT base_url, rows_above, deletes FROM approval_rule WHERE base_url = ?1 AND base_url <> ''";
    Ok(connection.prepare_cached(sql)?.query_row([base_url], rule_from_row).optional()?)
}

fn rule_from_row(row: Row<'_>) -> Result<ApprovalRule, DatabaseError> {
    Ok(ApprovalRule { base_url: row.get(0)?, rows_above: row.get(1)?, deletes: row.get(2)? })
}
