//! With which filters an operation was read last, per site.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use takt_contract::{FieldKind, Operation, ParameterPlace, SpanEnd};

use super::read::MAX_PAGE_SIZE;
use takt_core::Problem;

use crate::Browse;

/// The span of time that a list opens on, by its name.
const TODAY: &str = "today";

/// A reading as a person left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReadFilters {
    /// Parameter name to value, as it was typed: `today` stays `today`.
    pub parameters: BTreeMap<String, String>,
    /// Rows per page.
    pub limit: u32,
    /// Whether its rows were looked at as a chart.
    #[serde(default)]
    pub chart: bool,
}

impl Default for ReadFilters {
    fn default() -> Self {
        Self { parameters: BTreeMap::new(), limit: MAX_PAGE_SIZE, chart: false }
    }
}

impl ReadFilters {
    /// Today's rows, where both ends of a span of time can be given.
    fn today(operation: &Operation) -> Self {
        let of = |end| operation.parameters.iter().find(|parameter| parameter.span == Some(end));
        let span = of(SpanEnd::Begin).zip(of(SpanEnd::End));
        let ends = span.into_iter().flat_map(|(begin, end)| [begin, end]);
        let parameters = ends.map(|parameter| (parameter.name.clone(), TODAY.to_owned())).collect();
        Self { parameters, ..Self::default() }
    }
}

/// What a list can be narrowed by, whatever its parameters are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFilter {
    From,
    To,
    Code,
}

impl Browse {
    /// The name of the parameter that takes such a filter, where the operation has one.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the site's contract can't be read.
    pub fn filter_parameter(&self, site: &str, operation: &str, filter: ListFilter) -> Result<Option<String>, Problem> {
        let contract = self.sites.contract(site)?;
        let mut parameters = contract.operation(operation).into_iter().flat_map(|operation| &operation.parameters);
        let found = parameters.find(|parameter| match filter {
            ListFilter::From => parameter.span == Some(SpanEnd::Begin),
            ListFilter::To => parameter.span == Some(SpanEnd::End),
            ListFilter::Code => parameter.kind == FieldKind::Text && parameter.place != ParameterPlace::Path,
        });
        Ok(found.map(|parameter| parameter.name.clone()))
    }

    /// What was kept, without parameters that the operation no longer has. A list of a span of time that was never read opens
    /// on today.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn read_filters(&self, site: &str, operation: &str) -> Result<ReadFilters, Problem> {
        let kept = self.journal.settings().get(&name(site, operation))?;
        let contract = self.sites.contract(site)?;
        let known = contract.operation(operation);
        let kept: Option<ReadFilters> = kept.and_then(|kept| serde_json::from_value(kept).ok());
        let mut filters = kept.unwrap_or_else(|| known.map_or_else(ReadFilters::default, ReadFilters::today));
        let has = |name: &str| known.is_some_and(|known| known.parameters.iter().any(|one| one.name == name));
        filters.parameters.retain(|name, _| has(name));
        filters.limit = filters.limit.clamp(1, MAX_PAGE_SIZE);
        Ok(filters)
    }

    /// Keeps what a read of a site was asked with.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be written.
    pub fn store_read_filters(&self, site: &str, operation: &str, filters: &ReadFilters) -> Result<(), Problem> {
        Ok(self.journal.settings().set(&name(site, operation), &json!(filters))?)
    }
}

/// What the names of the settings begin with.
pub(super) const READ_FILTERS: &str = "read-filters/";

fn name(site: &str, operation: &str) -> String {
    format!("{READ_FILTERS}{operation}/{site}")
}
