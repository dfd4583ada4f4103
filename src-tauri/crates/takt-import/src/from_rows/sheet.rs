//! Builds the sheet from rows, with a column per field of the operation, headed in the user's words. The parts of an
//! item's lists are below each other, as planners write them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use takt_contract::{FieldKind, Operation};
use takt_sheet::writer::{OutCell, OutColumn, OutSheet};

use takt_browse::{lists::cell, read_back::ReadBack};
use takt_core::{Language, Words};

use crate::{
    heading::normalised,
    mapping::{Fields, MappingFile},
    target::{Target, Targets},
};

/// A new value for a field of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowChange {
    /// The row's position in the set.
    pub position: u32,
    /// A field of the operation, for example `beginPlanned`.
    pub field: String,
    /// In the form of the service's responses.
    pub value: Value,
}

/// Maximum characters of a sheet name in Excel.
const MAX_NAME_LENGTH: usize = 31;
/// Maximum UTF-16 units of a cell in Excel.
const MAX_TEXT_LENGTH: usize = 32_767;
/// A cell's date and time are whole milliseconds.
const MILLISECOND_NANOSECONDS: i32 = 1_000_000;
const MILLISECOND_TICKS: i64 = 10_000;

/// Returns the name that is shown instead of a file name.
pub(super) fn name(list: &Operation, rows: usize, language: Language) -> String {
    let words = Words::load(language);
    let parameters = [("list", language.named(&list.names).to_owned()), ("rows", rows.to_string())];
    let parameters: BTreeMap<String, String> = parameters.map(|(name, text)| (name.to_owned(), text)).into();
    words.text(&["own", if rows == 1 { "from-row" } else { "from-rows" }], &parameters)
}

/// Builds a sheet from rows with their positions, and the mapping of its columns. Returns `None` if the operation takes
/// no items.
pub(super) fn sheet(
    operation: &Operation,
    back: &ReadBack,
    rows: &[(u32, &Value)],
    changes: &[RowChange],
    language: Language,
) -> Option<(OutSheet, MappingFile)> {
    let targets = Targets::from_operation(operation)?;
    let headings = headings(&targets, language);
    let mut by_row: BTreeMap<u32, Vec<&RowChange>> = BTreeMap::new();
    changes.iter().for_each(|change| by_row.entry(change.position).or_default().push(change));
    let mut rows_out = Vec::new();
    let mut bare_items = Vec::new();
    for (position, row) in rows {
        let items = back.items_in(row);
        if items.is_empty() {
            bare_items.push(back.bare_of(row));
        }
        for mut item in items {
            if let Value::Object(members) = &mut item {
                let row_changes = by_row.get(position).into_iter().flatten();
                members.extend(row_changes.map(|change| (change.field.clone(), change.value.clone())));
            }
            add_item_rows(&mut rows_out, &targets, &item);
        }
    }
    // If there is nothing to change, the user can add something.
    if rows_out.is_empty() {
        bare_items.iter().for_each(|item| add_item_rows(&mut rows_out, &targets, item));
    }
    let columns = headings.iter().zip(&targets.fields);
    let columns = columns.map(|(heading, field)| (heading.clone(), Fields::from(field.path.as_str()))).collect();
    let mapping =
        MappingFile { operation: operation.id.clone(), header_row: Some(1), columns, ..MappingFile::default() };
    let name = Some(language.named(&operation.names)).filter(|name| name.chars().count() <= MAX_NAME_LENGTH);
    let sheet = OutSheet {
        name: name.unwrap_or(&operation.id).chars().take(MAX_NAME_LENGTH).collect(),
        title: Vec::new(),
        columns: headings.into_iter().map(OutColumn::new).collect(),
        rows: rows_out,
    };
    Some((sheet, mapping))
}

/// Returns a distinct heading for each field, with its list's name if its own isn't unique.
fn headings(targets: &Targets, language: Language) -> Vec<String> {
    let same = |one: &str, other: &Target| normalised(language.named(&other.names)) == normalised(one);
    let mut taken = BTreeSet::new();
    let heading = |target: &Target| {
        let own = language.named(&target.names);
        let alone = targets.fields.iter().filter(|other| same(own, other)).count() == 1;
        let name = if alone { own.to_owned() } else { target.name(language) };
        let name = if name.is_empty() || taken.contains(&normalised(&name)) { target.path.clone() } else { name };
        taken.insert(normalised(&name));
        name
    };
    targets.fields.iter().map(heading).collect()
}

/// Adds an item with one row per part of its longest list. Its other values are only in the first row, except keys.
fn add_item_rows(rows_out: &mut Vec<Vec<OutCell>>, targets: &Targets, item: &Value) {
    let lists = lists(targets, item);
    let row_count = lists.values().map(|parts| parts.len()).max().unwrap_or_default().max(1);
    for index in 0..row_count {
        let row = targets.fields.iter().map(|target| match &target.part_of {
            Some((list, member)) => {
                let part = lists.get(list.as_str()).and_then(|parts| parts.get(index));
                part.and_then(|part| to_cell(part.get(member)?, target.kind)).unwrap_or_default()
            }
            None if index > 0 && !target.key => OutCell::Empty,
            None => item.get(&target.path).and_then(|value| to_cell(value, target.kind)).unwrap_or_default(),
        });
        rows_out.push(row.collect());
    }
}

/// Returns an item's lists by name. A list with a text that is too long for a cell is left out. Sent without that text,
/// it would replace the stored list.
fn lists<'a>(targets: &Targets, item: &'a Value) -> BTreeMap<String, Vec<&'a Map<String, Value>>> {
    let mut lists = BTreeMap::new();
    for (list, _) in targets.fields.iter().filter_map(|target| target.part_of.as_ref()) {
        let parts: Vec<&Map<String, Value>> = match item.get(list) {
            Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_object).collect(),
            Some(Value::Object(part)) => vec![part],
            _ => Vec::new(),
        };
        let fits = |target: &Target| match &target.part_of {
            Some((own, member)) if own == list => {
                parts.iter().filter_map(|part| part.get(member)).all(|value| to_cell(value, target.kind).is_some())
            }
            _ => true,
        };
        if targets.fields.iter().all(fits) {
            lists.insert(list.clone(), parts);
        }
    }
    lists
}

/// Returns a cell that is read as the same value again, or `None` for a text that is too long. Dates and durations
/// finer than a cell's resolution become text.
fn to_cell(value: &Value, kind: FieldKind) -> Option<OutCell> {
    let plain = || Some(OutCell::Text(value.as_str()?.to_owned()));
    match cell(value, kind) {
        OutCell::Text(text) if text.encode_utf16().count() > MAX_TEXT_LENGTH => None,
        OutCell::DateTime(at) if at.subsec_nanosecond() % MILLISECOND_NANOSECONDS != 0 => plain(),
        OutCell::Duration(ticks) if ticks % MILLISECOND_TICKS != 0 => plain(),
        cell => Some(cell),
    }
}
