//! The query of `takt list`: parameters by name, and shortcuts for the common ones.

use std::collections::BTreeMap;

use takt_engine::{
    Engine,
    browse::{BrowseQuery, ListFilter},
};

use crate::{arguments::ListArguments, ending::Failure};

/// Builds the query. A shortcut for a parameter that the operation doesn't have is an error.
pub(super) fn build(engine: &Engine, site: &str, arguments: &ListArguments) -> Result<BrowseQuery, Failure> {
    let mut parameters: BTreeMap<String, String> = arguments.parameters.iter().cloned().collect();
    let shortcuts = [
        ("--from", ListFilter::From, &arguments.from),
        ("--to", ListFilter::To, &arguments.to),
        ("--code", ListFilter::Code, &arguments.code),
    ];
    let is_known_operation = engine.sites().contract(site)?.operation(&arguments.operation).is_some();
    for (name, filter, value) in shortcuts {
        let Some(value) = value.as_ref().filter(|_| is_known_operation) else { continue };
        let Some(parameter) = engine.browse().filter_parameter(site, &arguments.operation, filter)? else {
            let placeholders = vec![("operation", arguments.operation.clone()), ("name", name.to_owned())];
            return Err(Failure::Usage("list.no-filter", placeholders));
        };
        parameters.insert(parameter.to_owned(), value.clone());
    }
    Ok(BrowseQuery { operation: arguments.operation.clone(), parameters })
}
