//! Views of a site's lists that the desks of a team share: how a person arranged a table, saved by name.
//!
//! A desk alone keeps its views in its settings, from where they come along when it joins.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::database::{OptionalExtension, Transaction, params};
use crate::shared_change::{self, Bodies, SharedKind, SharedThing};
use crate::{Journal, JournalError};

/// Views of one list that are offered.
const MAX_LISTED: u32 = 200;
/// What the names of the settings begin with in which a desk keeps how its tables look.
const TABLE: &str = "table/";

/// A view by its name, as the engine wrote it down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedView {
    pub name: String,
    pub view: Value,
}

/// What a person did with a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewChange {
    pub name: String,
    /// Absent: it is removed.
    pub view: Option<Value>,
}

/// The views of a team.
#[derive(Debug, Clone, Copy)]
pub struct SharedViews<'a>(&'a Journal);

impl<'a> SharedViews<'a> {
    /// Absent without a team.
    #[must_use]
    pub fn of(journal: &'a Journal) -> Option<Self> {
        journal.team().map(|_| Self(journal))
    }

    /// The name of the setting in which a desk keeps how a list's table looks: JSON whose member `named` holds its own views, each a
    /// [`SharedView`].
    #[must_use]
    pub fn own_setting(site: &str, operation: &str) -> String {
        format!("{TABLE}{operation}/{site}")
    }

    /// A list's views, by name; absent while the database is away.
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
            Err(error) if self.0.is_away(&error) => Ok(None),
            rows => {
                let read = |(name, body): (String, String)| Ok(SharedView { name, view: serde_json::from_str(&body)? });
                rows?.into_iter().map(read).collect::<Result<_, _>>().map(Some)
            }
        }
    }

    /// Saves and removes views of a list, all at once or none. False while the database is away.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn apply(
        &self,
        (site, operation): (&str, &str),
        changes: &[ViewChange],
        at: Timestamp,
    ) -> Result<bool, JournalError> {
        let person = self.0.person();
        let applied = self.0.write(|transaction| {
            for change in changes {
                let body = change.view.as_ref().map(serde_json::to_string).transpose()?;
                let thing = thing(site, operation, &change.name);
                let before = body_of(transaction, &thing)?;
                put(transaction, &thing, body.as_deref())?;
                let bodies = Bodies { before: before.as_deref(), after: body.as_deref() };
                shared_change::record(transaction, &thing, (&change.name, person, at), bodies)?;
            }
            Ok(())
        });
        match applied {
            Err(error) if self.0.is_away(&error) => Ok(false),
            applied => applied.map(|()| true),
        }
    }

    /// Brings along the desk's own views: those of whose name the team has one stay as the team has them.
    pub(crate) fn carry_own(&self, at: Timestamp) -> Result<(), JournalError> {
        for (setting, value) in own_settings(self.0)? {
            let Some((operation, site)) = setting.strip_prefix(TABLE).and_then(|rest| rest.split_once('/')) else {
                continue;
            };
            let own = serde_json::from_str::<OwnViews>(&value).map(|own| own.named).unwrap_or_default();
            let known = self.list(site, operation)?.unwrap_or_default();
            let is_new = |view: &SharedView| !known.iter().any(|known| known.name == view.name);
            let new = own.into_iter().filter(is_new).map(|own| ViewChange { name: own.name, view: Some(own.view) });
            self.apply((site, operation), &new.collect::<Vec<_>>(), at)?;
        }
        Ok(())
    }
}

/// What a setting of a desk holds of its views.
#[derive(Deserialize)]
struct OwnViews {
    named: Vec<SharedView>,
}

fn own_settings(journal: &Journal) -> Result<Vec<(String, String)>, JournalError> {
    journal.own_read(|connection| {
        let sql = format!("SELECT name, value FROM setting WHERE name LIKE '{TABLE}%' ORDER BY name");
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
}

fn thing(site: &str, operation: &str, name: &str) -> SharedThing {
    let (site, operation, key) = (site.to_owned(), operation.to_owned(), name.to_owned());
    SharedThing { kind: SharedKind::View, site, operation, key }
}

pub(crate) fn body_of(transaction: &Transaction<'_>, view: &SharedThing) -> Result<Option<String>, JournalError> {
    let sql = "SELECT body FROM shared_view WHERE site = ?1 AND operation = ?2 AND name = ?3";
    let places = params![view.site, view.operation, view.key];
    Ok(transaction.query_row(sql, places, |row| row.get(0)).optional()?)
}

/// Without a body it is removed.
pub(crate) fn put(transaction: &Transaction<'_>, view: &SharedThing, body: Option<&str>) -> Result<(), JournalError> {
    let SharedThing { site, operation, key, .. } = view;
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
