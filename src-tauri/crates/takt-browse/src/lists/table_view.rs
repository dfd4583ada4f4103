//! Stores table views of an operation at a site: columns, order, filters and time span format, and named views.
//!
//! Views are stored in the journal's settings. In a team, named views belong to the team. The settings then contain a
//! copy for times without the team's database, next to this computer's own views. Views that were saved without the
//! database are shared once it is available again.

use serde::{Deserialize, Serialize};
use takt_core::{Code, Problem};
use takt_journal::{SharedView, SharedViews, ViewChange};

use crate::lists::arrangement::{Filter, SortBy};
use crate::lists::list_reader::Browse;

/// The maximum named views of a table outside a team. Further ones aren't stored.
const MAX_VIEWS: usize = 50;

/// The format of time spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SpanForm {
    /// `1 h 05 min`.
    #[default]
    Words,
    /// `01:05:00`.
    Clock,
    /// Units of 100 ns.
    Ticks,
}

/// The layout of a column. Columns without a layout follow in the contract's order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ColumnLayout {
    pub path: String,
    /// In pixels.
    pub width: u32,
    pub hidden: bool,
    /// True if the column stays at the left when scrolling.
    pub pinned: bool,
}

/// A table as the user arranged it.
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

/// The stored views of one table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TableViews {
    /// The view as the user left it. `None` if it was never changed.
    pub last: Option<TableView>,
    pub named: Vec<NamedView>,
    /// The name of the view that was selected last.
    pub chosen: Option<String>,
}

/// A copy of a team's named views, for times without the team's database.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct TeamCopy {
    named: Vec<NamedView>,
    /// The names of views that were saved or removed without the database.
    unshared: Vec<String>,
}

impl Browse {
    /// Returns the views of a table. In a team, named views are shared. Unreadable views are treated as missing.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn table_views(&self, site: &str, operation: &str) -> Result<TableViews, Problem> {
        let own = self.own_views(site, operation)?;
        let Some(shared) = SharedViews::from_journal(&self.journal) else { return Ok(own) };
        let stored = self.team_copy(site, operation, &own)?;
        let mut current = stored.clone();
        let changes = view_changes(&stored.unshared, &stored.named)?;
        if !changes.is_empty() && shared.apply(site, operation, &changes, (self.clock)())? {
            current.unshared.clear();
        }
        if current.unshared.is_empty()
            && let Some(listed) = shared.list(site, operation)?
        {
            current.named = listed.into_iter().filter_map(parse_view).collect();
        }
        if current != stored
            && let Err(problem) = self.store_setting(&team_setting(site, operation), &current)
        {
            tracing::warn!(?problem, "this desk's copy of the team's views stays as it was");
        }
        Ok(TableViews { named: current.named, ..own })
    }

    /// Stores the views of a table, limited to the allowed number outside a team. `known` are the named views that the
    /// user saw before. In a team, views that differ from them are changed for everyone, and other colleagues' changes
    /// remain.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such operation, or the operation returns no
    ///   rows.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn store_table_views(
        &self,
        site: &str,
        operation: &str,
        mut views: TableViews,
        known: &[NamedView],
    ) -> Result<(), Problem> {
        self.row_shape(site, operation)?;
        if let Some(shared) = SharedViews::from_journal(&self.journal) {
            let own = self.own_views(site, operation)?;
            let mut unshared = self.team_copy(site, operation, &own)?.unshared;
            let named = std::mem::replace(&mut views.named, own.named);
            unshared.extend(changed_names(known, &named).filter(|name| !unshared.contains(name)).collect::<Vec<_>>());
            let changes = view_changes(&unshared, &named)?;
            if changes.is_empty() || shared.apply(site, operation, &changes, (self.clock)())? {
                unshared.clear();
            }
            self.store_setting(&team_setting(site, operation), &TeamCopy { named, unshared })?;
        } else {
            views.named.truncate(MAX_VIEWS);
        }
        self.store_setting(&SharedViews::own_setting(site, operation), &views)
    }

    fn own_views(&self, site: &str, operation: &str) -> Result<TableViews, Problem> {
        let stored = self.journal.settings().get(&SharedViews::own_setting(site, operation))?;
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    /// Returns the copy of the team's views, or this computer's views if the team's were never read.
    fn team_copy(&self, site: &str, operation: &str, own: &TableViews) -> Result<TeamCopy, Problem> {
        let stored = self.journal.settings().get(&team_setting(site, operation))?;
        let stored = stored.and_then(|stored| serde_json::from_value(stored).ok());
        Ok(stored.unwrap_or_else(|| TeamCopy { named: own.named.clone(), unshared: Vec::new() }))
    }

    fn store_setting(&self, setting: &str, value: &impl Serialize) -> Result<(), Problem> {
        let value = serde_json::to_value(value).map_err(|error| Problem::new(Code::Bug).details(error))?;
        Ok(self.journal.settings().set(setting, &value)?)
    }
}

fn team_setting(site: &str, operation: &str) -> String {
    format!("team-table/{operation}/{site}")
}

/// Returns the names of views that were changed, added or removed.
fn changed_names<'a>(before: &'a [NamedView], now: &'a [NamedView]) -> impl Iterator<Item = String> + 'a {
    let changed = now.iter().filter(|view| !before.contains(view));
    let removed = before.iter().filter(|view| find_view(now, &view.name).is_none());
    changed.chain(removed).map(|view| view.name.clone())
}

fn find_view<'a>(named: &'a [NamedView], name: &str) -> Option<&'a TableView> {
    named.iter().find(|view| view.name == name).map(|view| &view.view)
}

fn view_changes(names: &[String], now: &[NamedView]) -> Result<Vec<ViewChange>, Problem> {
    let change = |name: &String| {
        let view = find_view(now, name).map(serde_json::to_value).transpose();
        let view = view.map_err(|error| Problem::new(Code::Bug).details(error))?;
        Ok(ViewChange { name: name.clone(), view })
    };
    names.iter().map(change).collect()
}

/// Parses a shared view. Unreadable views are treated as missing.
fn parse_view(SharedView { name, view }: SharedView) -> Option<NamedView> {
    Some(NamedView { name, view: serde_json::from_value(view).ok()? })
}
