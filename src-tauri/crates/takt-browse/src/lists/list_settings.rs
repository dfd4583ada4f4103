//! Stores the user's state of a site's lists: the filters of the last read, moved bars that weren't sent yet, and the
//! list that was shown last.
//!
//! They are deleted with their site, because another site may use its name later. Table views remain, because teams
//! share them by site name.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::{Deserialize, Serialize};
use serde_json::json;
use takt_contract::{FieldKind, Operation, ParameterPlace, SpanEnd};
use takt_core::{Code, Problem};
use takt_journal::JournalError;

use crate::lists::list_reader::{Browse, MAX_PAGE_SIZE};

/// The name of the time span that a list opens with.
const TODAY: &str = "today";
const FILTERS_PREFIX: &str = "read-filters/";
/// The maximum moved bars of a list. Far more than a user can move by hand.
const MAX_MOVED_BARS: usize = 10_000;
const MAX_NAME_LENGTH: usize = 1_000;
const MOVED_BARS_PREFIX: &str = "moved-bars/";

/// The filters of a list as the user left them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReadFilters {
    /// The parameters' values by name, as typed: `today` isn't resolved to a date.
    pub parameters: BTreeMap<String, String>,
    /// Rows per page.
    pub limit: u32,
    /// True if the rows were shown as a chart.
    #[serde(default)]
    pub chart: bool,
}

impl Default for ReadFilters {
    fn default() -> Self {
        Self { parameters: BTreeMap::new(), limit: MAX_PAGE_SIZE, chart: false }
    }
}

impl ReadFilters {
    /// Selects today's rows, if the operation has parameters for both ends of a time span.
    fn today(operation: &Operation) -> Self {
        let parameter_of = |end| operation.parameters.iter().find(|parameter| parameter.span == Some(end));
        let span = parameter_of(SpanEnd::Begin).zip(parameter_of(SpanEnd::End));
        let ends = span.into_iter().flat_map(|(begin, end)| [begin, end]);
        let parameters = ends.map(|parameter| (parameter.name.clone(), TODAY.to_owned())).collect();
        Self { parameters, ..Self::default() }
    }
}

/// A filter of a list, independent of the parameter's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFilter {
    From,
    To,
    Code,
}

impl Browse {
    /// Returns the name of the operation's parameter for a filter, if it has one.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the site's contract can't be read.
    pub fn filter_parameter(&self, site: &str, operation: &str, filter: ListFilter) -> Result<Option<String>, Problem> {
        let contract = self.sites.contract(site)?;
        let mut parameters = contract.operation(operation).into_iter().flat_map(|operation| &operation.parameters);
        let matching = parameters.find(|parameter| match filter {
            ListFilter::From => parameter.span == Some(SpanEnd::Begin),
            ListFilter::To => parameter.span == Some(SpanEnd::End),
            ListFilter::Code => parameter.kind == FieldKind::Text && parameter.place != ParameterPlace::Path,
        });
        Ok(matching.map(|parameter| parameter.name.clone()))
    }

    /// Returns the stored filters, without parameters that the operation no longer has. A list with a time span that
    /// was never read opens with today.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn read_filters(&self, site: &str, operation: &str) -> Result<ReadFilters, Problem> {
        let stored = self.journal.settings().get(&filters_setting(site, operation))?;
        let contract = self.sites.contract(site)?;
        let definition = contract.operation(operation);
        let stored: Option<ReadFilters> = stored.and_then(|stored| serde_json::from_value(stored).ok());
        let mut filters = stored.unwrap_or_else(|| definition.map_or_else(ReadFilters::default, ReadFilters::today));
        let has_parameter =
            |name: &str| definition.is_some_and(|definition| definition.parameters.iter().any(|one| one.name == name));
        filters.parameters.retain(|name, _| has_parameter(name));
        filters.limit = filters.limit.clamp(1, MAX_PAGE_SIZE);
        Ok(filters)
    }

    /// Stores the filters that a list was read with.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn store_read_filters(&self, site: &str, operation: &str, filters: &ReadFilters) -> Result<(), Problem> {
        Ok(self.journal.settings().set(&filters_setting(site, operation), &json!(filters))?)
    }

    /// Returns the list that was shown last, if any.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn last_list(&self, site: &str) -> Result<Option<String>, Problem> {
        let stored = self.journal.settings().get(&last_list_setting(site))?;
        Ok(stored.and_then(|stored| stored.as_str().map(str::to_owned)))
    }

    /// Stores which list was shown last.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such operation, or the operation returns no
    ///   rows.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn store_last_list(&self, site: &str, operation: &str) -> Result<(), Problem> {
        self.row_shape(site, operation)?;
        Ok(self.journal.settings().set(&last_list_setting(site), &operation.into())?)
    }
}

fn filters_setting(site: &str, operation: &str) -> String {
    format!("{FILTERS_PREFIX}{operation}/{site}")
}

fn last_list_setting(site: &str) -> String {
    format!("last list/{site}")
}

/// The time range and the lane of a bar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BarPlace {
    /// In milliseconds of the site's local time, as if it were UTC.
    pub begin: f64,
    pub end: f64,
    /// The lane's name on the service.
    pub lane: String,
}

/// A bar that the user moved, with its earlier position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MovedBar {
    /// The bar's label, because row positions differ between reads.
    pub label: String,
    pub to: BarPlace,
    /// The bar's position on the service when it was moved.
    pub from: BarPlace,
}

impl Browse {
    /// Returns the stored moves, in order.
    ///
    /// # Errors
    ///
    /// - [`Code::JournalDamaged`] (`moved-bars`): the stored moves can't be read. They stay stored until they are
    ///   discarded.
    /// - Another [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn moved_bars(&self, site: &str, operation: &str) -> Result<Vec<MovedBar>, Problem> {
        let stored = match self.journal.settings().get(&moved_bars_setting(site, operation)) {
            Err(JournalError::Json(error)) => return Err(unreadable_bars(error)),
            stored => stored?,
        };
        stored.map_or_else(|| Ok(Vec::new()), |stored| serde_json::from_value(stored).map_err(unreadable_bars))
    }

    /// Replaces the stored moves. An empty list discards them, even if they can't be read.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::InvalidInput`]: there are too many moves, or a name is too long.
    /// - [`Code::JournalDamaged`] (`moved-bars`): the stored moves can't be read, and stay stored.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn store_moved_bars(&self, site: &str, operation: &str, bars: &[MovedBar]) -> Result<(), Problem> {
        self.sites.find(site)?;
        let is_short = |text: &str| text.len() <= MAX_NAME_LENGTH;
        let are_short =
            bars.iter().all(|bar| is_short(&bar.label) && is_short(&bar.to.lane) && is_short(&bar.from.lane));
        if bars.len() > MAX_MOVED_BARS || !are_short || !is_short(operation) {
            return Err(Problem::new(Code::InvalidInput).parameter("what", operation));
        }
        let setting = moved_bars_setting(site, operation);
        if bars.is_empty() {
            self.journal.settings().remove(&setting)?;
            return Ok(());
        }
        self.moved_bars(site, operation)?;
        Ok(self.journal.settings().set(&setting, &json!(bars))?)
    }
}

fn moved_bars_setting(site: &str, operation: &str) -> String {
    format!("{MOVED_BARS_PREFIX}{operation}/{site}")
}

fn unreadable_bars(error: impl Display) -> Problem {
    Problem::new(Code::JournalDamaged).parameter("case", "moved-bars").details(error)
}

impl Browse {
    /// Deletes a removed site's moved bars, filters and last list.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): a setting can't be removed.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        let other_sites: Vec<String> = self.journal.sites().list()?.into_iter().map(|other| other.name).collect();
        for prefix in [MOVED_BARS_PREFIX, FILTERS_PREFIX] {
            for name in self.journal.settings().names(prefix)? {
                if belongs_to(&name, site, &other_sites) {
                    self.journal.settings().remove(&name)?;
                }
            }
        }
        self.journal.settings().remove(&last_list_setting(site))?;
        Ok(())
    }
}

/// Returns true if the setting belongs to this site. A setting's name ends with the site's name, which can contain a
/// slash.
fn belongs_to(setting: &str, site: &str, other_sites: &[String]) -> bool {
    let ends_with = |site: &str| setting.strip_suffix(site).is_some_and(|before| before.ends_with('/'));
    ends_with(site) && !other_sites.iter().any(|other| other.len() > site.len() && ends_with(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_whose_name_ends_as_anothers_does_keeps_its_settings() {
        let other_sites = ["north/works".to_owned(), "practice".to_owned()];
        assert!(belongs_to("moved-bars/work-orders.list/works", "works", &other_sites));
        assert!(!belongs_to("moved-bars/work-orders.list/north/works", "works", &other_sites));
        assert!(!belongs_to("moved-bars/work-orders.list/steelworks", "works", &other_sites));
        assert!(belongs_to("moved-bars/work-orders.list/north/works", "north/works", &["works".to_owned()]));
    }
}
