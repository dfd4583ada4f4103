//! What `takt list` asks for: parameters by their own names, and the short ways to those that lists usually have.

use std::collections::BTreeMap;

use takt_engine::{
    Engine,
    browse::{BrowseQuery, ListFilter},
};

use crate::{arguments::ListArguments, ending::Failure};

/// A short way to a parameter that the operation doesn't have is a mistake of whoever typed it.
pub(super) fn of(engine: &Engine, site: &str, arguments: &ListArguments) -> Result<BrowseQuery, Failure> {
    let mut parameters: BTreeMap<String, String> = arguments.parameters.iter().cloned().collect();
    let short = [
        ("--from", ListFilter::From, &arguments.from),
        ("--to", ListFilter::To, &arguments.to),
        ("--code", ListFilter::Code, &arguments.code),
    ];
    let known = engine.sites().contract(site)?.operation(&arguments.operation).is_some();
    for (name, filter, value) in short {
        let Some(value) = value.as_ref().filter(|_| known) else { continue };
        let Some(parameter) = engine.browse().filter_parameter(site, &arguments.operation, filter)? else {
            let places = vec![("operation", arguments.operation.clone()), ("name", name.to_owned())];
            return Err(Failure::Usage("list.no-filter", places));
        };
        parameters.insert(parameter.to_owned(), value.clone());
    }
    Ok(BrowseQuery { operation: arguments.operation.clone(), parameters })
}
