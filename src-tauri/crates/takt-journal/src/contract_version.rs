//! The contract versions of sites, which describe their deviations from the built-in contract. The newest version is in
//! force.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::database::{OptionalExtension, Row, params};
use crate::{Journal, JournalError};

/// A contract version to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewContractVersion {
    pub site: String,
    pub at: Timestamp,
    /// The person who added the version.
    pub person: String,
    /// The name or address of the document, or another source.
    pub source: String,
    pub body: Value,
}

/// A stored contract version, without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractVersionRecord {
    /// Counts from 1 for each site.
    pub number: u32,
    pub at: Timestamp,
    pub person: String,
    pub source: String,
}

/// Reads and changes the contract versions of sites.
#[derive(Debug, Clone, Copy)]
pub struct ContractVersions<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Returns access to the contract versions of sites.
    #[must_use]
    pub fn contract_versions(&self) -> ContractVersions<'_> {
        ContractVersions(self)
    }
}

impl ContractVersions<'_> {
    /// Returns the number of the version in force, or none if the built-in contract is in force. While a team's
    /// database is unavailable, returns the version that this desk last read.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn current(&self, site: &str) -> Result<Option<u32>, JournalError> {
        let found = self.0.read(|connection| {
            let sql = "SELECT MAX(number) FROM contract_version WHERE site = ?1";
            Ok(connection.prepare_cached(sql)?.query_row([site], |row| row.get(0))?)
        });
        match found {
            Err(error) if self.0.is_unavailable(&error) => Ok(self.local_copy(site)?.map(|copy| copy.number)),
            Ok(None) => {
                self.remove_local_copy(site)?;
                Ok(None)
            }
            found => found,
        }
    }

    /// Returns the body of a version, or none if it doesn't exist. While a team's database is unavailable, only the
    /// version that this desk last read is found.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn body(&self, site: &str, number: u32) -> Result<Option<Value>, JournalError> {
        let body: Result<Option<String>, _> = self.0.read(|connection| {
            let sql = "SELECT body FROM contract_version WHERE site = ?1 AND number = ?2";
            Ok(connection.prepare_cached(sql)?.query_row(params![site, number], |row| row.get(0)).optional()?)
        });
        match body {
            Err(error) if self.0.is_unavailable(&error) => {
                Ok(self.local_copy(site)?.filter(|copy| copy.number == number).map(|copy| copy.body))
            }
            body => {
                let body: Option<Value> = body?.map(|body| serde_json::from_str(&body)).transpose()?;
                self.store_local_copy(site, number, body.as_ref())?;
                Ok(body)
            }
        }
    }

    /// Returns the team's version that was last read at this desk.
    fn local_copy(&self, site: &str) -> Result<Option<LocalCopy>, JournalError> {
        let stored = self.0.settings().get(&local_copy_setting(site))?;
        Ok(stored.and_then(|stored| serde_json::from_value(stored).ok()))
    }

    /// Stores a copy of the team's version in the desk's own file. Does nothing without a team.
    fn store_local_copy(&self, site: &str, number: u32, body: Option<&Value>) -> Result<(), JournalError> {
        let Some(body) = body.filter(|_| self.0.team().is_some()) else { return Ok(()) };
        if self.local_copy(site)?.is_some_and(|copy| copy.number == number) {
            return Ok(());
        }
        let copy = serde_json::to_value(LocalCopy { number, body: body.clone() })?;
        self.0.settings().set(&local_copy_setting(site), &copy)
    }

    fn remove_local_copy(&self, site: &str) -> Result<(), JournalError> {
        if self.0.team().is_some() && self.local_copy(site)?.is_some() {
            self.0.settings().remove(&local_copy_setting(site))?;
        }
        Ok(())
    }

    /// Returns every version of a site, newest first.
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
                versions.push(version_from_row(row)?);
            }
            Ok(versions)
        })
    }

    /// Adds a version, which is in force from then on. Returns its number.
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

    /// Removes every version of a site, so that the built-in contract is in force.
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

fn version_from_row(row: Row<'_>) -> Result<ContractVersionRecord, JournalError> {
    Ok(ContractVersionRecord {
        number: row.get(0)?,
        at: row.get::<_, String>(1)?.parse()?,
        person: row.get(2)?,
        source: row.get(3)?,
    })
}

/// A desk's copy of the team's version, for when the database is unavailable.
#[derive(Serialize, Deserialize)]
struct LocalCopy {
    number: u32,
    body: Value,
}

fn local_copy_setting(site: &str) -> String {
    format!("team-contract:{site}")
}
