//! How a person arranged the table of an operation at a site: columns, order, filters, time spans; and such arrangements by
//! name. Kept in the journal's settings.

use serde::{Deserialize, Serialize};

use super::{Filter, SortBy};
use takt_core::Problem;

use crate::Browse;

/// Views of one table by name.
const MOST_VIEWS: usize = 50;

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

impl Browse {
    /// What isn't readable any more counts as never kept.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn table_views(&self, site: &str, operation: &str) -> Result<TableViews, Problem> {
        let kept = self.journal.settings().get(&setting(site, operation))?;
        Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
    }

    /// Keeps how a list's table looks; of named views no more than are offered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract has no such operation, or it answers no rows.
    /// - A [journal code](takt_core::problem#journal-codes): they can't be written.
    pub fn store_table_views(&self, site: &str, operation: &str, mut views: TableViews) -> Result<(), Problem> {
        self.answer_shape(site, operation)?;
        views.named.truncate(MOST_VIEWS);
        let kept = serde_json::to_value(&views).map_err(|error| Problem::new(takt_core::Code::Bug).details(error))?;
        Ok(self.journal.settings().set(&setting(site, operation), &kept)?)
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

fn setting(site: &str, operation: &str) -> String {
    format!("table/{operation}/{site}")
}

fn last(site: &str) -> String {
    format!("last list/{site}")
}
