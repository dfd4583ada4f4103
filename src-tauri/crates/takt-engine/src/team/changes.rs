//! Who changed what when of that which the team shares beside submissions, and the way back.

use serde::Serialize;
use takt_core::{Code, Problem};
use takt_journal::{SharedChange, SharedChanges, SharedKind};

use super::TeamMembership;

/// What somebody did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SharedChangeType {
    Added,
    Changed,
    Removed,
}

/// A change of something that the team shares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SharedChangeView {
    pub number: u32,
    pub kind: SharedKind,
    pub change: SharedChangeType,
    /// Empty where it belongs to none.
    pub site: String,
    /// Empty where it belongs to none.
    pub operation: String,
    /// What a person recognises it by: a view's name, a mapping's headings, a target's name, the site of rules.
    pub name: String,
    /// ISO 8601 with Z.
    pub at: String,
    pub person: String,
    /// The name by which that desk signed in to the database.
    pub login: String,
    /// It was changed no more since, so that what was before can be put back.
    pub latest: bool,
}

impl TeamMembership {
    /// The newest first, of those before a number where one is given; none without a team.
    ///
    /// # Errors
    ///
    /// [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached or used.
    pub fn changes(&self, before: Option<u32>, most: u32) -> Result<Vec<SharedChangeView>, Problem> {
        let Some(changes) = SharedChanges::of(&self.journal) else { return Ok(Vec::new()) };
        Ok(changes.list(before, most)?.into_iter().map(view).collect())
    }

    /// A change that can be taken back.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is none of that number, or no longer.
    /// - [`Code::Precondition`] (`shared-changed-since`): it was changed again since.
    /// - [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached or used.
    pub fn restorable(&self, number: u32) -> Result<SharedChangeView, Problem> {
        let found = self.changes(Some(number.saturating_add(1)), 1)?.pop().filter(|found| found.number == number);
        let found = found.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", number.to_string()))?;
        if found.latest { Ok(found) } else { Err(Problem::in_the_way("shared-changed-since")) }
    }

    /// Puts back what was before a change; what it added is removed.
    ///
    /// # Errors
    ///
    /// As [`TeamMembership::restorable`]; nothing was changed then.
    pub fn restore(&self, number: u32) -> Result<(), Problem> {
        match SharedChanges::of(&self.journal) {
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
