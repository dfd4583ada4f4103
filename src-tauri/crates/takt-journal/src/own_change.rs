//! Shared data that each desk has a copy of, such as mappings. While the team's database is unavailable, the desk reads
//! and changes its copy.
//!
//! The desk's own file records each unshared change in the transaction that makes it. The desk shares the change later,
//! unless a colleague has made a later change.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::database::{Connection, OptionalExtension, Transaction, params};
use crate::{Journal, JournalError};

/// The setting with the changes that aren't shared yet.
const UNSHARED_SETTING: &str = "unshared";

/// A change of shared data that each desk has a copy of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum OwnChange {
    /// A mapping was stored or removed.
    Mapping { operation: String, headings: String, at: Timestamp },
    /// Templates were stored or removed.
    Templates { site: String, templates: Vec<i64> },
    /// A reference list was read from a site.
    Reference { site: String, list: String },
    /// All reference lists of a site were removed.
    References { site: String },
}

/// Returns the unshared changes, in the order in which they were made.
fn load_unshared(connection: &Connection<'_>) -> Result<Vec<OwnChange>, JournalError> {
    let sql = "SELECT value FROM setting WHERE name = ?1";
    let stored: Option<String> =
        connection.prepare_cached(sql)?.query_row([UNSHARED_SETTING], |row| row.get(0)).optional()?;
    Ok(stored.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default())
}

fn add_unshared(transaction: &Transaction<'_>, change: &OwnChange) -> Result<(), JournalError> {
    let mut all = load_unshared(transaction)?;
    // A repeated change moves to the end.
    all.retain(|known| known != change);
    all.push(change.clone());
    store_unshared(transaction, &all)
}

fn remove_unshared(transaction: &Transaction<'_>, change: &OwnChange) -> Result<(), JournalError> {
    let mut all = load_unshared(transaction)?;
    all.retain(|known| known != change);
    store_unshared(transaction, &all)
}

fn store_unshared(transaction: &Transaction<'_>, all: &[OwnChange]) -> Result<(), JournalError> {
    if all.is_empty() {
        transaction.execute("DELETE FROM setting WHERE name = ?1", [UNSHARED_SETTING])?;
        return Ok(());
    }
    let sql =
        "INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    transaction.execute(sql, params![UNSHARED_SETTING, serde_json::to_string(all)?])?;
    Ok(())
}

impl Journal {
    /// Runs a query on the team's database, or on this desk's copy while the database is unavailable.
    pub(crate) fn read_shared_or_copy<T>(
        &self,
        query: impl Fn(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        // If sharing fails, a later call tries again.
        drop(self.share_own_changes());
        match self.read(&query) {
            Err(error) if self.is_unavailable(&error) => self.read_own(query),
            answered => answered,
        }
    }

    /// Makes a change at this desk and in the team's database. While the database is unavailable, the change is
    /// recorded under `own_change` and shared later.
    pub(crate) fn write_shared_and_copy<T>(
        &self,
        own_change: &OwnChange,
        change: impl Fn(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        if self.team().is_none() {
            return self.write_own(change);
        }
        let own = self.write_own(|transaction| {
            add_unshared(transaction, own_change)?;
            change(transaction)
        })?;
        // Earlier changes are shared first.
        let shared = self.share_own_changes_except(Some(own_change)).and_then(|()| self.write(change));
        match shared {
            Err(error) if self.is_unavailable(&error) => Ok(own),
            changed => {
                self.write_own(|transaction| remove_unshared(transaction, own_change))?;
                changed
            }
        }
    }

    fn share_own_changes(&self) -> Result<(), JournalError> {
        self.share_own_changes_except(None)
    }

    /// Shares the unshared changes except `latest`.
    fn share_own_changes_except(&self, latest: Option<&OwnChange>) -> Result<(), JournalError> {
        if self.team().is_none() {
            return Ok(());
        }
        for change in self.read_own(load_unshared)?.iter().filter(|change| Some(*change) != latest) {
            match change {
                OwnChange::Mapping { operation, headings, at } => {
                    self.mappings().share_own_change(operation, headings, *at)?;
                }
                OwnChange::Templates { site, templates } => self.templates().share_own_change(site, templates)?,
                OwnChange::Reference { site, list } => self.references().share_own_change(site, list)?,
                OwnChange::References { site } => self.references().forget_shared(site)?,
            }
            self.write_own(|transaction| remove_unshared(transaction, change))?;
        }
        Ok(())
    }
}
