//! Views of a site's lists that the desks of a team share. A view is an arrangement of a table, saved under a name.
//!
//! Without a team, a desk stores its views in its settings. They are copied to the team when the desk joins.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::database::{OptionalExtension, Transaction, params};
use crate::shared_change::{self, Bodies, SharedKind, SharedObject};
use crate::{Journal, JournalError};

/// The maximum number of views that are returned for a list.
const MAX_LISTED: u32 = 200;
/// The prefix of the settings in which a desk stores the arrangement of its tables.
const TABLE_SETTING_PREFIX: &str = "table/";

/// A named view. The engine defines the form of `view`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedView {
    pub name: String,
    pub view: Value,
}

/// A view that a person saved or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewChange {
    pub name: String,
    /// Absent if the view was removed.
    pub view: Option<Value>,
}

/// Reads and changes the views of a team.
#[derive(Debug, Clone, Copy)]
pub struct SharedViews<'a>(&'a Journal);

impl<'a> SharedViews<'a> {
    /// Returns access to the team's views, or none without a team.
    #[must_use]
    pub fn from_journal(journal: &'a Journal) -> Option<Self> {
        journal.team().map(|_| Self(journal))
    }

    /// Returns the name of the setting in which a desk stores the arrangement of a list's table. The setting is JSON
    /// whose member `named` has the desk's own views, each a [`SharedView`].
    #[must_use]
    pub fn own_setting(site: &str, operation: &str) -> String {
        format!("{TABLE_SETTING_PREFIX}{operation}/{site}")
    }

    /// Returns the views of a list by name, or none while the database is unavailable.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self, site: &str, operation: &str) -> Result<Option<Vec<SharedView>>, JournalError> {
        let rows: Result<Vec<(String, String)>, _> = self.0.read(|connection| {
            let sql = "SELECT name, body FROM shared_view WHERE site = ?1 AND operation = ?2 ORDER BY name LIMIT ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let rows =
                statement.query_map(params![site, operation, MAX_LISTED], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        });
        match rows {
            Err(error) if self.0.is_unavailable(&error) => Ok(None),
            rows => {
                let read = |(name, body): (String, String)| Ok(SharedView { name, view: serde_json::from_str(&body)? });
                rows?.into_iter().map(read).collect::<Result<_, _>>().map(Some)
            }
        }
    }

    /// Saves and removes views of a list in one transaction. Returns false while the database is unavailable.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn apply(
        &self,
        site: &str,
        operation: &str,
        changes: &[ViewChange],
        at: Timestamp,
    ) -> Result<bool, JournalError> {
        let person = self.0.person();
        let applied = self.0.write(|transaction| {
            for change in changes {
                let body = change.view.as_ref().map(serde_json::to_string).transpose()?;
                let object = view_object(site, operation, &change.name);
                let before = load_body(transaction, &object)?;
                replace(transaction, &object, body.as_deref())?;
                let bodies = Bodies { before: before.as_deref(), after: body.as_deref() };
                shared_change::record(transaction, &object, &change.name, person, at, bodies)?;
            }
            Ok(())
        });
        match applied {
            Err(error) if self.0.is_unavailable(&error) => Ok(false),
            applied => applied.map(|()| true),
        }
    }

    /// Copies the desk's own views to the team, except those whose names the team already has.
    pub(crate) fn copy_own_to_team(&self, at: Timestamp) -> Result<(), JournalError> {
        for (setting, value) in own_settings(self.0)? {
            let Some((operation, site)) =
                setting.strip_prefix(TABLE_SETTING_PREFIX).and_then(|rest| rest.split_once('/'))
            else {
                continue;
            };
            let own = serde_json::from_str::<OwnViews>(&value).map(|own| own.named).unwrap_or_default();
            let known = self.list(site, operation)?.unwrap_or_default();
            let is_new = |view: &SharedView| !known.iter().any(|known| known.name == view.name);
            let new = own.into_iter().filter(is_new).map(|own| ViewChange { name: own.name, view: Some(own.view) });
            self.apply(site, operation, &new.collect::<Vec<_>>(), at)?;
        }
        Ok(())
    }
}

/// The views in a setting of a desk.
#[derive(Deserialize)]
struct OwnViews {
    named: Vec<SharedView>,
}

fn own_settings(journal: &Journal) -> Result<Vec<(String, String)>, JournalError> {
    journal.read_own(|connection| {
        let sql = format!("SELECT name, value FROM setting WHERE name LIKE '{TABLE_SETTING_PREFIX}%' ORDER BY name");
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
}

fn view_object(site: &str, operation: &str, name: &str) -> SharedObject {
    let (site, operation, key) = (site.to_owned(), operation.to_owned(), name.to_owned());
    SharedObject { kind: SharedKind::View, site, operation, key }
}

pub(crate) fn load_body(transaction: &Transaction<'_>, view: &SharedObject) -> Result<Option<String>, JournalError> {
    let sql = "SELECT body FROM shared_view WHERE site = ?1 AND operation = ?2 AND name = ?3";
    let values = params![view.site, view.operation, view.key];
    Ok(transaction.query_row(sql, values, |row| row.get(0)).optional()?)
}

/// Stores a view, or removes it if `body` is absent.
pub(crate) fn replace(
    transaction: &Transaction<'_>,
    view: &SharedObject,
    body: Option<&str>,
) -> Result<(), JournalError> {
    let SharedObject { site, operation, key, .. } = view;
    match body {
        Some(body) => transaction.execute(
            "INSERT INTO shared_view (site, operation, name, body) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (site, operation, name) DO UPDATE SET body = excluded.body",
            params![site, operation, key, body],
        )?,
        None => transaction.execute(
            "DELETE FROM shared_view WHERE site = ?1 AND operation = ?2 AND name = ?3",
            params![site, operation, key],
        )?,
    };
    Ok(())
}
