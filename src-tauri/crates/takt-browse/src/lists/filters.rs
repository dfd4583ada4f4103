//! Stores the filters last used to read an operation, per site.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use takt_contract::{FieldKind, Operation, ParameterPlace, SpanEnd};

use super::{list_reader::Browse, read::MAX_PAGE_SIZE};
use takt_core::Problem;

/// The name of the time span that a list opens with.
const TODAY: &str = "today";

/// The filters of a list as the user left them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReadFilters {
    /// The parameters' values by name, as typed: `today` is stored as `today`.
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
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn read_filters(&self, site: &str, operation: &str) -> Result<ReadFilters, Problem> {
        let stored = self.journal.settings().get(&setting_name(site, operation))?;
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
    /// A [journal code](takt_core::problem#journal-codes): they can't be written.
    pub fn store_read_filters(&self, site: &str, operation: &str, filters: &ReadFilters) -> Result<(), Problem> {
        Ok(self.journal.settings().set(&setting_name(site, operation), &json!(filters))?)
    }
}

/// The prefix of the settings' names.
pub(super) const READ_FILTERS: &str = "read-filters/";

fn setting_name(site: &str, operation: &str) -> String {
    format!("{READ_FILTERS}{operation}/{site}")
}
