//! What sites say otherwise than the built-in contract: every version, as the engine describes it. The newest is in force.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::database::{OptionalExtension, Row, params};
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
    /// The number of the version in force; absent where the built-in contract is. While a team's database is away, as it was last
    /// read here.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn current(&self, site: &str) -> Result<Option<u32>, JournalError> {
        let found = self.0.read(|connection| {
            let sql = "SELECT MAX(number) FROM contract_version WHERE site = ?1";
            Ok(connection.prepare_cached(sql)?.query_row([site], |row| row.get(0))?)
        });
        match found {
            Err(error) if self.0.is_away(&error) => Ok(self.last_read(site)?.map(|read| read.number)),
            Ok(None) => {
                self.forget_read(site)?;
                Ok(None)
            }
            found => found,
        }
    }

    /// The body of a version.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn body(&self, site: &str, number: u32) -> Result<Option<Value>, JournalError> {
        let body: Result<Option<String>, _> = self.0.read(|connection| {
            let sql = "SELECT body FROM contract_version WHERE site = ?1 AND number = ?2";
            Ok(connection.prepare_cached(sql)?.query_row(params![site, number], |row| row.get(0)).optional()?)
        });
        match body {
            Err(error) if self.0.is_away(&error) => {
                Ok(self.last_read(site)?.filter(|read| read.number == number).map(|read| read.body))
            }
            body => {
                let body: Option<Value> = body?.map(|body| serde_json::from_str(&body)).transpose()?;
                self.keep_read(site, number, body.as_ref())?;
                Ok(body)
            }
        }
    }

    /// The team's version that was last in force here.
    fn last_read(&self, site: &str) -> Result<Option<ReadVersion>, JournalError> {
        let kept = self.0.settings().get(&last_read_name(site))?;
        Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()))
    }

    /// Nothing is kept twice without a team.
    fn keep_read(&self, site: &str, number: u32, body: Option<&Value>) -> Result<(), JournalError> {
        let Some(body) = body.filter(|_| self.0.team().is_some()) else { return Ok(()) };
        if self.last_read(site)?.is_some_and(|read| read.number == number) {
            return Ok(());
        }
        let read = serde_json::to_value(ReadVersion { number, body: body.clone() })?;
        self.0.settings().set(&last_read_name(site), &read)
    }

    fn forget_read(&self, site: &str) -> Result<(), JournalError> {
        if self.0.team().is_some() && self.last_read(site)?.is_some() {
            self.0.settings().remove(&last_read_name(site))?;
        }
        Ok(())
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

fn record(row: Row<'_>) -> Result<ContractVersionRecord, JournalError> {
    Ok(ContractVersionRecord {
        number: row.get(0)?,
        at: row.get::<_, String>(1)?.parse()?,
        person: row.get(2)?,
        source: row.get(3)?,
    })
}

/// A team's version, as this desk keeps it for when the database is away.
#[derive(Serialize, Deserialize)]
struct ReadVersion {
    number: u32,
    body: Value,
}

fn last_read_name(site: &str) -> String {
    format!("team-contract:{site}")
}
