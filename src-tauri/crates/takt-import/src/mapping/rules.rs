//! The rules of a mapping beyond columns and their fields, checked against the contract and prepared for reading rows.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use takt_contract::FieldKind;
use takt_core::Problem;
use takt_sheet::Cell;

use super::{Blank, FormatChoices, JoinedColumns, MappingFile, mapping_problem};
use crate::{
    cell_value::Format,
    limit::violated_limit,
    target::{TargetField, TargetFields},
};

/// The rules of one mapping, by column names and field paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MappingRules {
    pub(crate) formats: BTreeMap<String, FormatChoices>,
    pub(crate) constants: BTreeMap<String, String>,
    pub(crate) values: BTreeMap<String, BTreeMap<String, String>>,
    pub(crate) blank: BTreeMap<String, Blank>,
    pub(crate) joined: BTreeMap<String, JoinedColumns>,
}

/// The rule for a field whose value isn't simply its column's cell.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldRule {
    /// The value that every row gets, and its format.
    pub(crate) constant: Option<(Cell, Format)>,
    pub(crate) joined: Option<(Vec<u32>, String)>,
    /// Replacements by the file's trimmed text.
    pub(crate) values: HashMap<String, (Cell, Format)>,
    /// The value that is sent for an empty cell. `None` if the member isn't sent.
    pub(crate) empty: Option<Value>,
}

impl MappingRules {
    pub(crate) fn from_mapping(file: &MappingFile) -> Self {
        Self {
            formats: file.formats.clone(),
            constants: file.constants.clone(),
            values: file.values.clone(),
            blank: file.blank.clone(),
            joined: file.joined.clone(),
        }
    }

    /// Drops rules about unfilled fields, and constants and joins of fields that a column fills.
    pub(crate) fn remove_unused(&mut self, filled: &dyn Fn(&str) -> bool) {
        let joined: Vec<String> = self.joined.keys().cloned().collect();
        let has_column = |field: &String| filled(field) || joined.contains(field);
        self.joined.retain(|field, _| !filled(field));
        self.constants.retain(|field, _| !has_column(field));
        self.values.retain(|field, values| has_column(field) && !values.is_empty());
        self.blank.retain(|field, blank| has_column(field) && *blank != Blank::Leave);
    }

    /// Checks the rules. The problem names the member, and its unknown or invalid part.
    pub(crate) fn validate(&self, targets: &TargetFields, names: &[String]) -> Result<(), Problem> {
        let fields = [
            ("constants", self.constants.keys().collect::<Vec<_>>()),
            ("values", self.values.keys().collect()),
            ("blank", self.blank.keys().collect()),
            ("joined", self.joined.keys().collect()),
        ];
        for (member, paths) in fields {
            for path in paths {
                find_target(targets, member, path)?;
            }
        }
        for name in self.formats.keys() {
            check_heading(names, "formats", name)?;
        }
        self.validate_joined(targets, names)?;
        for (path, text) in &self.constants {
            check_readable(find_target(targets, "constants", path)?, "constants", text)?;
        }
        for (path, values) in &self.values {
            let field = find_target(targets, "values", path)?;
            values
                .values()
                .filter(|text| !text.is_empty())
                .try_for_each(|text| check_readable(field, "values", text))?;
        }
        for (path, _) in self.blank.iter().filter(|(_, blank)| **blank == Blank::Clear) {
            value_for_empty(find_target(targets, "blank", path)?)?;
        }
        Ok(())
    }

    fn validate_joined(&self, targets: &TargetFields, names: &[String]) -> Result<(), Problem> {
        for (path, joined) in &self.joined {
            if find_target(targets, "joined", path)?.kind != FieldKind::Text {
                return Err(mapping_problem("join-not-text", &[("member", "joined"), ("field", path)]));
            }
            if joined.headings.len() < 2 {
                return Err(mapping_problem("join-too-few", &[("member", "joined"), ("field", path)]));
            }
            joined.headings.iter().try_for_each(|name| check_heading(names, "joined", name))?;
        }
        Ok(())
    }

    /// Prepares the rules of all fields for reading. They must be valid.
    pub(crate) fn field_rules(&self, targets: &TargetFields, names: &[String]) -> Vec<FieldRule> {
        targets.fields.iter().map(|field| self.field_rule(field, names)).collect()
    }

    fn field_rule(&self, field: &TargetField, names: &[String]) -> FieldRule {
        let values = self.values.get(&field.path).into_iter().flatten();
        FieldRule {
            constant: self.constants.get(&field.path).map(|text| parse_text(field, text)),
            joined: self.joined.get(&field.path).map(|joined| {
                let columns = joined.headings.iter().filter_map(|name| names.iter().position(|other| other == name));
                (columns.filter_map(|column| u32::try_from(column).ok()).collect(), joined.with.clone())
            }),
            values: values.map(|(from, to)| (field.trim(from).to_owned(), parse_text(field, to))).collect(),
            empty: (self.blank.get(&field.path) == Some(&Blank::Clear)).then(|| value_for_empty(field).ok()).flatten(),
        }
    }
}

/// Reads a text of the mapping. The text alone determines its format, since it's in no column.
fn parse_text(field: &TargetField, text: &str) -> (Cell, Format) {
    let cell = Cell::text(text.trim());
    let format = Format::detect(field.kind, None, std::iter::once(&cell));
    (cell, format)
}

fn check_readable(field: &TargetField, member: &str, text: &str) -> Result<(), Problem> {
    let (cell, format) = parse_text(field, text);
    let parameters = [("member", member), ("field", field.path.as_str()), ("value", text)];
    if cell.is_empty() {
        return Err(mapping_problem("text-empty", &parameters));
    }
    let value = field.read(cell.as_ref(), format).ok_or_else(|| mapping_problem("text-empty", &parameters))?;
    let value = value.map_err(|_| mapping_problem("text-unreadable", &parameters))?;
    match violated_limit(field, &value) {
        Some(_) => Err(mapping_problem("text-not-allowed", &parameters)),
        None => Ok(()),
    }
}

/// Returns true if an empty cell can clear the service's value.
pub(crate) fn is_clearable(field: &TargetField) -> bool {
    value_for_empty(field).is_ok()
}

/// Returns the value that is sent for an empty cell.
fn value_for_empty(field: &TargetField) -> Result<Value, Problem> {
    let parameters = [("member", "blank"), ("field", field.path.as_str())];
    if field.required || field.key {
        Err(mapping_problem("clear-required", &parameters))
    } else if field.nullable {
        Ok(Value::Null)
    } else if field.kind == FieldKind::Text && field.limits.values.is_empty() {
        Ok(Value::String(String::new()))
    } else {
        Err(mapping_problem("clear-impossible", &parameters))
    }
}

fn find_target<'t>(targets: &'t TargetFields, member: &str, path: &str) -> Result<&'t TargetField, Problem> {
    targets.get(path).ok_or_else(|| {
        mapping_problem("no-such-field", &[("member", member), ("field", path), ("operation", &targets.operation)])
    })
}

fn check_heading(names: &[String], member: &str, name: &str) -> Result<(), Problem> {
    if names.iter().any(|other| other == name) {
        return Ok(());
    }
    Err(mapping_problem("no-such-heading", &[("member", member), ("heading", name)]))
}
