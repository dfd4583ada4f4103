//! The sheet that is made of rows: a column for each field of the operation, in a person's words; an item's lists stand below
//! each other, as a planner would write them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use takt_contract::{FieldKind, Operation};
use takt_sheet::writer::{OutCell, OutColumn, OutSheet};

use super::RowChange;
use takt_browse::{browse::cell, read_back::ReadBack};
use takt_core::{Language, Words};

use crate::import::{
    MappingFile,
    heading::normalised,
    mapping::Fields,
    target::{Target, Targets},
};

/// Characters that Excel takes in a sheet's name.
const MAX_NAME_LENGTH: usize = 31;
/// UTF-16 units that Excel takes in a cell.
const MAX_TEXT_LENGTH: usize = 32_767;
/// A cell's date and time are whole milliseconds.
const MILLISECOND_NANOSECONDS: i32 = 1_000_000;
const MILLISECOND_TICKS: i64 = 10_000;

/// What stands where a file's name would.
pub(super) fn name(list: &Operation, rows: usize, language: Language) -> String {
    let words = Words::load(language);
    let places = [("list", language.named(&list.names).to_owned()), ("rows", rows.to_string())];
    let places: BTreeMap<String, String> = places.map(|(name, text)| (name.to_owned(), text)).into();
    words.text(&["own", if rows == 1 { "from-row" } else { "from-rows" }], &places)
}

/// Rows with their positions as a sheet, and which of its columns is which field. Absent for what takes no items.
pub(super) fn sheet(
    operation: &Operation,
    back: &ReadBack,
    rows: &[(u32, &Value)],
    (changes, language): (&[RowChange], Language),
) -> Option<(OutSheet, MappingFile)> {
    let targets = Targets::of(operation)?;
    let headings = headings(&targets, language);
    let mut by_row: BTreeMap<u32, Vec<&RowChange>> = BTreeMap::new();
    changes.iter().for_each(|change| by_row.entry(change.position).or_default().push(change));
    let mut lines = Vec::new();
    let mut bare = Vec::new();
    for (position, row) in rows {
        let items = back.items_in(row);
        if items.is_empty() {
            bare.push(back.bare_of(row));
        }
        for mut item in items {
            if let Value::Object(members) = &mut item {
                let own = by_row.get(position).into_iter().flatten();
                members.extend(own.map(|change| (change.field.clone(), change.value.clone())));
            }
            add_lines(&mut lines, &targets, &item);
        }
    }
    // Where there is nothing to be changed, something can be added.
    if lines.is_empty() {
        bare.iter().for_each(|item| add_lines(&mut lines, &targets, item));
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
        rows: lines,
    };
    Some((sheet, mapping))
}

/// What people call each field: each another name, with its list's where its own isn't enough.
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

/// An item as so many lines as its longest list has parts; what it has once stands in the first.
fn add_lines(lines: &mut Vec<Vec<OutCell>>, targets: &Targets, item: &Value) {
    let lists = lists(targets, item);
    let most = lists.values().map(|parts| parts.len()).max().unwrap_or_default().max(1);
    for place in 0..most {
        let line = targets.fields.iter().map(|target| match &target.part_of {
            Some((list, member)) => {
                let part = lists.get(list.as_str()).and_then(|parts| parts.get(place));
                part.and_then(|part| shown(part.get(member)?, target.kind)).unwrap_or_default()
            }
            None if place > 0 && !target.key => OutCell::Empty,
            None => item.get(&target.path).and_then(|value| shown(value, target.kind)).unwrap_or_default(),
        });
        lines.push(line.collect());
    }
}

/// An item's lists by name. One that holds a text which is too long for a cell isn't there: without that text it would take
/// the place of the one that is held.
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
                parts.iter().filter_map(|part| part.get(member)).all(|value| shown(value, target.kind).is_some())
            }
            _ => true,
        };
        if targets.fields.iter().all(fits) {
            lists.insert(list.clone(), parts);
        }
    }
    lists
}

/// A cell that is read as the same value again; absent for a text that is too long for one. What is finer than a cell's
/// dates and lengths stands as text.
fn shown(value: &Value, kind: FieldKind) -> Option<OutCell> {
    let plain = || Some(OutCell::Text(value.as_str()?.to_owned()));
    match cell(value, kind) {
        OutCell::Text(text) if text.encode_utf16().count() > MAX_TEXT_LENGTH => None,
        OutCell::DateTime(at) if at.subsec_nanosecond() % MILLISECOND_NANOSECONDS != 0 => plain(),
        OutCell::Duration(ticks) if ticks % MILLISECOND_TICKS != 0 => plain(),
        cell => Some(cell),
    }
}
