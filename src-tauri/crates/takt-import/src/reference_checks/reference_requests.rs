//! The reference data that a sheet needs from a site, by its filled fields.

use std::collections::{BTreeMap, BTreeSet};
use takt_core::ExcelRow;

use takt_contract::{Contract, FieldPair, ListRow, ReferenceCheck};
use takt_sheet::RowSpan;

use crate::row_mapper::RowMapper;
use takt_browse::reference::{MAX_REQUESTS, ReferenceRequest, narrowing_parameter};

/// By list, the targets whose values narrow it. `None` if the whole list is needed.
type RequestedLists = BTreeMap<String, Option<BTreeSet<usize>>>;

/// Returns requests for the lists that the filled fields need.
pub(crate) fn reference_requests(
    contract: &Contract,
    mapper: &RowMapper<'_>,
    rows: RowSpan<'_>,
) -> Vec<ReferenceRequest> {
    let (targets, layout) = (mapper.targets, mapper.layout);
    let mut lists = RequestedLists::new();
    let mut singles: BTreeMap<(String, String), BTreeSet<usize>> = BTreeMap::new();
    let filled = |path: &str| targets.index(path).filter(|&target| layout.fills(target));
    for (target, field) in targets.fields.iter().enumerate().filter(|(target, _)| layout.fills(*target)) {
        let Some(refers_to) = &field.refers_to else { continue };
        if let Some(list) = &refers_to.list {
            let own = FieldPair { theirs: refers_to.field.clone(), own: field.path.clone() };
            let pairs: Vec<&FieldPair> = refers_to.within.iter().chain([&own]).collect();
            add_list(contract, &mut lists, list, &pairs, &filled);
        } else if let Some(single) = &refers_to.single {
            singles.entry((single.clone(), refers_to.field.clone())).or_default().insert(target);
        }
    }
    for (path, check) in &targets.reference_checks {
        let row = match check {
            ReferenceCheck::NotBelow { row, .. } if filled(path).is_some() => row,
            ReferenceCheck::NotLocked { row, key, value, .. }
                if !super::site_row::property_keys(targets, layout, key, Some(value)).is_empty() =>
            {
                row
            }
            _ => continue,
        };
        let ListRow { list, key } = row;
        add_list(contract, &mut lists, list, &key.iter().collect::<Vec<_>>(), &filled);
    }
    let listed = lists.into_iter().map(|(list, narrowed)| {
        let parameter_values = narrowed
            .and_then(|own| Some((narrowing_parameter_name(contract, &list)?, distinct_values(mapper, rows, &own))));
        ReferenceRequest { list, parameter_values, single: false }
    });
    let single = singles.into_iter().map(|((list, parameter), own)| ReferenceRequest {
        list,
        parameter_values: Some((parameter, distinct_values(mapper, rows, &own))),
        single: true,
    });
    listed.chain(single).collect()
}

/// Adds a list, and the target that narrows it. A use that can't be narrowed needs the whole list.
fn add_list(
    contract: &Contract,
    lists: &mut RequestedLists,
    list: &str,
    pairs: &[&FieldPair],
    filled: &dyn Fn(&str) -> Option<usize>,
) {
    let operation = contract.operation(list);
    let narrowed = operation.and_then(|operation| {
        let pair = pairs.iter().find(|pair| narrowing_parameter(operation, &pair.theirs).is_some())?;
        filled(&pair.own)
    });
    let narrowing_targets = lists.entry(list.to_owned()).or_insert_with(|| Some(BTreeSet::new()));
    match (narrowing_targets.as_mut(), narrowed) {
        (Some(own), Some(target)) => drop(own.insert(target)),
        _ => *narrowing_targets = None,
    }
}

fn narrowing_parameter_name(contract: &Contract, list: &str) -> Option<String> {
    let parameters = &contract.operation(list)?.parameters;
    parameters.iter().find(|parameter| parameter.narrows.is_some()).map(|parameter| parameter.name.clone())
}

/// Returns distinct values of these targets. Stops when there are more than can be requested.
fn distinct_values(mapper: &RowMapper<'_>, rows: RowSpan<'_>, targets: &BTreeSet<usize>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for row in rows
        .iter_for_columns(source_columns(mapper, targets))
        .filter(|row| !mapper.overlay.excludes(ExcelRow::new(row.number)))
    {
        for &target in targets {
            if let Some(Ok(value)) = mapper.read(&row, target) {
                found.insert(value.display_text());
            }
        }
        if found.len() > MAX_REQUESTS {
            break;
        }
    }
    found.into_iter().collect()
}

/// Returns the columns that fill these targets.
fn source_columns(mapper: &RowMapper<'_>, targets: &BTreeSet<usize>) -> Vec<u32> {
    let columns: BTreeSet<u32> = targets.iter().flat_map(|&target| mapper.source_columns(target)).collect();
    columns.into_iter().collect()
}
