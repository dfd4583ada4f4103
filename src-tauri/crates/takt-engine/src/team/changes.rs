//! Lists changes of shared settings (everything but submissions), and reverts them.

use serde::Serialize;
use takt_core::{Code, Problem};
use takt_journal::{SharedChange, SharedChanges, SharedKind};

use super::membership::TeamMembership;

/// Whether a shared setting was added, changed or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SharedChangeType {
    Added,
    Changed,
    Removed,
}

/// A change of a shared setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SharedChangeView {
    pub number: u32,
    pub kind: SharedKind,
    pub change: SharedChangeType,
    /// Empty if the setting belongs to no site.
    pub site: String,
    /// Empty if the setting belongs to no operation.
    pub operation: String,
    /// The name for users: of a view, a mapping's headings, a target, or the site of rules.
    pub name: String,
    /// In ISO 8601 with `Z`.
    pub at: String,
    pub person: String,
    /// The name with which the computer signed in to the database.
    pub login: String,
    /// True if the setting wasn't changed again since, so that the change can be reverted.
    pub latest: bool,
}

impl TeamMembership {
    /// Returns changes, newest first, optionally only those before a number. Empty without a team.
    ///
    /// # Errors
    ///
    /// [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached or used.
    pub fn changes(&self, before: Option<u32>, limit: u32) -> Result<Vec<SharedChangeView>, Problem> {
        let Some(changes) = SharedChanges::from_journal(&self.journal) else { return Ok(Vec::new()) };
        Ok(changes.list(before, limit)?.into_iter().map(view).collect())
    }

    /// Returns a change that can be reverted.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such change, or it was purged.
    /// - [`Code::Precondition`] (`shared-changed-since`): the setting was changed again since.
    /// - [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached or used.
    pub fn find_restorable(&self, number: u32) -> Result<SharedChangeView, Problem> {
        let change = self.changes(Some(number.saturating_add(1)), 1)?.pop().filter(|change| change.number == number);
        let change = change.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", number.to_string()))?;
        if change.latest { Ok(change) } else { Err(Problem::obstacle("shared-changed-since")) }
    }

    /// Reverts a change. A setting that the change added is removed.
    ///
    /// # Errors
    ///
    /// As for [`TeamMembership::find_restorable`]. Then nothing is changed.
    pub fn restore(&self, number: u32) -> Result<(), Problem> {
        match SharedChanges::from_journal(&self.journal) {
            Some(changes) => Ok(changes.restore(number, (self.clock)())?),
            None => Err(Problem::new(Code::Unknown).parameter("what", number.to_string())),
        }
    }
}

fn view(change: SharedChange) -> SharedChangeView {
    let SharedChange { number, kind, site, operation, name, at, person, login, added, removed, latest } = change;
    let change = match (added, removed) {
        (true, _) => SharedChangeType::Added,
        (false, true) => SharedChangeType::Removed,
        (false, false) => SharedChangeType::Changed,
    };
    SharedChangeView { number, kind, change, site, operation, name, at: at.to_string(), person, login, latest }
}
