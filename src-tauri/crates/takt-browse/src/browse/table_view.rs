//! How a person arranged the table of an operation at a site: columns, order, filters, time spans; and such arrangements by
//! name.
//!
//! They are kept in the journal's settings. What has a name is a team's where there is one: the settings hold a copy of it, for while the
//! team's database is away, beside the desk's own. What is saved then is the team's as soon as the database is there again.

use serde::{Deserialize, Serialize};

use super::{Filter, SortBy};
use takt_core::{Code, Problem};
use takt_journal::{SharedView, SharedViews, ViewChange};

use crate::Browse;

/// Views of one table by name that a desk keeps for itself.
const MAX_VIEWS: usize = 50;

/// How time spans are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SpanForm {
    /// `1 h 05 min`.
    #[default]
    Words,
    /// `01:05:00`.
    Clock,
    /// Of 100 ns.
    Ticks,
}

/// One column; those that aren't named stand behind, as the contract has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ColumnLayout {
    pub path: String,
    /// In the window's pixels.
    pub width: u32,
    pub hidden: bool,
    /// At the left, whatever is scrolled.
    pub pinned: bool,
}

/// A table as a person arranged it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TableView {
    pub columns: Vec<ColumnLayout>,
    pub sort: Vec<SortBy>,
    pub filters: Vec<Filter>,
    pub spans: SpanForm,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct NamedView {
    pub name: String,
    pub view: TableView,
}

/// What is kept of one table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TableViews {
    /// As it was left; absent where it was never touched.
    pub last: Option<TableView>,
    pub named: Vec<NamedView>,
    /// The name of the view that was chosen last.
    pub chosen: Option<String>,
}

/// A team's views by name as this desk last saw them, for while the database is away.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct TeamCopy {
    named: Vec<NamedView>,
    /// Names of those that were saved or removed while the database was away.
    unshared: Vec<String>,
}

impl Browse {
    /// What isn't readable any more counts as never kept. In a team the named views are everybody's.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn table_views(&self, site: &str, operation: &str) -> Result<TableViews, Problem> {
        let own = self.own_views(site, operation)?;
        let Some(shared) = SharedViews::of(&self.journal) else { return Ok(own) };
        let kept = self.team_copy((site, operation), &own)?;
        let mut now = kept.clone();
        let changes = changes_of(&kept.unshared, &kept.named)?;
        if !changes.is_empty() && shared.apply((site, operation), &changes, (self.clock)())? {
            now.unshared.clear();
        }
        if now.unshared.is_empty()
            && let Some(listed) = shared.list(site, operation)?
        {
            now.named = listed.into_iter().filter_map(readable).collect();
        }
        if now != kept
            && let Err(problem) = self.keep(&team_setting(site, operation), &now)
        {
            tracing::warn!(?problem, "this desk's copy of the team's views stays as it was");
        }
        Ok(TableViews { named: now.named, ..own })
    }

    /// Keeps how a list's table looks; of one's own named views no more than are offered. `known` are the named views that the person
    /// saw before: in a team what differs from them is changed for everybody, and what a colleague changed meanwhile stays.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract has no such operation, or it answers no rows.
    /// - A [journal code](takt_core::problem#journal-codes): they can't be written.
    pub fn store_table_views(
        &self,
        (site, operation): (&str, &str),
        mut views: TableViews,
        known: &[NamedView],
    ) -> Result<(), Problem> {
        self.answer_shape(site, operation)?;
        if let Some(shared) = SharedViews::of(&self.journal) {
            let own = self.own_views(site, operation)?;
            let mut names = self.team_copy((site, operation), &own)?.unshared;
            let named = std::mem::replace(&mut views.named, own.named);
            names.extend(differing(known, &named).filter(|name| !names.contains(name)).collect::<Vec<_>>());
            let changes = changes_of(&names, &named)?;
            if changes.is_empty() || shared.apply((site, operation), &changes, (self.clock)())? {
                names.clear();
            }
            self.keep(&team_setting(site, operation), &TeamCopy { named, unshared: names })?;
        } else {
            views.named.truncate(MAX_VIEWS);
        }
        self.keep(&SharedViews::own_setting(site, operation), &views)
    }

    fn own_views(&self, site: &str, operation: &str) -> Result<TableViews, Problem> {
        let kept = self.journal.settings().get(&SharedViews::own_setting(site, operation))?;
        Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
    }

    /// Before the team's were ever seen, the desk's own.
    fn team_copy(&self, (site, operation): (&str, &str), own: &TableViews) -> Result<TeamCopy, Problem> {
        let kept = self.journal.settings().get(&team_setting(site, operation))?;
        let kept = kept.and_then(|kept| serde_json::from_value(kept).ok());
        Ok(kept.unwrap_or_else(|| TeamCopy { named: own.named.clone(), unshared: Vec::new() }))
    }

    fn keep(&self, setting: &str, kept: &impl Serialize) -> Result<(), Problem> {
        let kept = serde_json::to_value(kept).map_err(|error| Problem::new(Code::Bug).details(error))?;
        Ok(self.journal.settings().set(setting, &kept)?)
    }

    /// The list that was looked at last; absent where none was.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn last_list(&self, site: &str) -> Result<Option<String>, Problem> {
        let kept = self.journal.settings().get(&last(site))?;
        Ok(kept.and_then(|kept| kept.as_str().map(str::to_owned)))
    }

    /// Keeps which list was looked at last.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract has no such operation, or it answers no rows.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn store_last_list(&self, site: &str, operation: &str) -> Result<(), Problem> {
        self.answer_shape(site, operation)?;
        Ok(self.journal.settings().set(&last(site), &operation.into())?)
    }
}

fn team_setting(site: &str, operation: &str) -> String {
    format!("team-table/{operation}/{site}")
}

/// The names under which there is another view, or none any more.
fn differing<'a>(before: &'a [NamedView], now: &'a [NamedView]) -> impl Iterator<Item = String> + 'a {
    let changed = now.iter().filter(|view| !before.contains(view));
    let removed = before.iter().filter(|view| view_of(now, &view.name).is_none());
    changed.chain(removed).map(|view| view.name.clone())
}

fn view_of<'a>(named: &'a [NamedView], name: &str) -> Option<&'a TableView> {
    named.iter().find(|view| view.name == name).map(|view| &view.view)
}

fn changes_of(names: &[String], now: &[NamedView]) -> Result<Vec<ViewChange>, Problem> {
    let change = |name: &String| {
        let view = view_of(now, name).map(serde_json::to_value).transpose();
        let view = view.map_err(|error| Problem::new(Code::Bug).details(error))?;
        Ok(ViewChange { name: name.clone(), view })
    };
    names.iter().map(change).collect()
}

/// One that can't be read any more is as good as none.
fn readable(SharedView { name, view }: SharedView) -> Option<NamedView> {
    Some(NamedView { name, view: serde_json::from_value(view).ok()? })
}

pub(super) fn last(site: &str) -> String {
    format!("last list/{site}")
}
