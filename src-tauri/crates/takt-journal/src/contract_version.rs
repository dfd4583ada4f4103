//! What sites say otherwise than the built-in contract: every version, as the engine describes it. The newest is in force.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, params};
use serde_json::Value;

use crate::{Journal, JournalError};

/// A version that is to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewContractVersion {
    pub site: String,
    pub at: Timestamp,
    /// Who took it.
    pub person: String,
    /// The document's name or address, or what else it came from.
    pub source: String,
    pub body: Value,
}

/// A kept version, without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractVersionRecord {
    /// Counted from 1 for each site.
    pub number: u32,
    pub at: Timestamp,
    pub person: String,
    pub source: String,
}

/// What sites say otherwise than the built-in contract.
#[derive(Debug, Clone, Copy)]
pub struct ContractVersions<'a>(pub(crate) &'a Journal);

impl Journal {
    /// What sites say otherwise than the built-in contract.
    #[must_use]
    pub fn contract_versions(&self) -> ContractVersions<'_> {
        ContractVersions(self)
    }
}

impl ContractVersions<'_> {
    /// The number of the version in force; absent where the built-in contract is.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn current(&self, site: &str) -> Result<Option<u32>, JournalError> {
        self.0.read(|connection| {
            let sql = "SELECT MAX(number) FROM contract_version WHERE site = ?1";
            Ok(connection.prepare_cached(sql)?.query_row([site], |row| row.get(0))?)
        })
    }

    /// The body of a version.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn body(&self, site: &str, number: u32) -> Result<Option<Value>, JournalError> {
        let body: Option<String> = self.0.read(|connection| {
            let sql = "SELECT body FROM contract_version WHERE site = ?1 AND number = ?2";
            Ok(connection.prepare_cached(sql)?.query_row(params![site, number], |row| row.get(0)).optional()?)
        })?;
        Ok(body.map(|body| serde_json::from_str(&body)).transpose()?)
    }

    /// Every version of a site, newest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self, site: &str) -> Result<Vec<ContractVersionRecord>, JournalError> {
        self.0.read(|connection| {
            let sql = "SELECT number, at, person, source FROM contract_version WHERE site = ?1 ORDER BY number DESC";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([site])?;
            let mut versions = Vec::new();
            while let Some(row) = rows.next()? {
                versions.push(record(row)?);
            }
            Ok(versions)
        })
    }

    /// Keeps a version, which is in force from now on; gives its number.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn add(&self, version: &NewContractVersion) -> Result<u32, JournalError> {
        let body = serde_json::to_string(&version.body)?;
        self.0.write(|transaction| {
            Ok(transaction.query_row(
                "INSERT INTO contract_version (site, number, at, person, source, body)
                 VALUES (?1, (SELECT COALESCE(MAX(number), 0) + 1 FROM contract_version WHERE site = ?1), ?2, ?3, ?4, ?5)
                 RETURNING number",
                params![version.site, version.at.to_string(), version.person, version.source, body],
                |row| row.get(0),
            )?)
        })
    }

    /// Forgets every version of a site.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn remove(&self, site: &str) -> Result<(), JournalError> {
        self.0.write(|transaction| {
            transaction.execute("DELETE FROM contract_version WHERE site = ?1", [site])?;
            Ok(())
        })
    }
}

fn record(row: &Row<'_>) -> Result<ContractVersionRecord, JournalError> {
    Ok(ContractVersionRecord {
        number: row.get(0)?,
        at: row.get::<_, String>(1)?.parse()?,
        person: row.get(2)?,
        source: row.get(3)?,
    })
}
