//! What a mapping says beyond "this column is that field", checked against the contract and made ready for reading rows.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use takt_contract::FieldKind;
use takt_sheet::Cell;

use super::{Blank, FormatChoice, JoinedColumns, MappingFile, refused};
use takt_core::Problem;

use crate::import::{
    pass,
    reading::Format,
    target::{Target, Targets},
};

/// The rules of one mapping, by column names and field paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Rules {
    pub(in super::super) formats: BTreeMap<String, FormatChoice>,
    pub(in super::super) constants: BTreeMap<String, String>,
    pub(in super::super) values: BTreeMap<String, BTreeMap<String, String>>,
    pub(in super::super) blank: BTreeMap<String, Blank>,
    pub(in super::super) joined: BTreeMap<String, JoinedColumns>,
}

/// How one field gets its value where it isn't simply its column's cell.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct FieldRule {
    /// Stands for every row.
    pub(in super::super) constant: Option<(Cell, Format)>,
    pub(in super::super) joined: Option<(Vec<u32>, String)>,
    /// By the file's trimmed text.
    pub(in super::super) values: HashMap<String, (Cell, Format)>,
    /// What is sent for an empty cell; absent where the member is left out.
    pub(in super::super) empty: Option<Value>,
}

impl Rules {
    pub(in super::super) fn of(file: &MappingFile) -> Self {
        Self {
            formats: file.formats.clone(),
            constants: file.constants.clone(),
            values: file.values.clone(),
            blank: file.blank.clone(),
            joined: file.joined.clone(),
        }
    }

    /// Drops what is about fields that nothing fills, and constants of fields that a column fills now.
    pub(in super::super) fn tidy(&mut self, filled: &dyn Fn(&str) -> bool) {
        let joined: Vec<String> = self.joined.keys().cloned().collect();
        let has_column = |field: &String| filled(field) || joined.contains(field);
        self.joined.retain(|field, _| !filled(field));
        self.constants.retain(|field, _| !has_column(field));
        self.values.retain(|field, values| has_column(field) && !values.is_empty());
        self.blank.retain(|field, blank| has_column(field) && *blank != Blank::Leave);
    }

    /// Names the member and what in it is unknown or can't be.
    pub(in super::super) fn validate(&self, targets: &Targets, names: &[String]) -> Result<(), Problem> {
        let fields = [
            ("constants", self.constants.keys().collect::<Vec<_>>()),
            ("values", self.values.keys().collect()),
            ("blank", self.blank.keys().collect()),
            ("joined", self.joined.keys().collect()),
        ];
        for (member, paths) in fields {
            for path in paths {
                target(targets, member, path)?;
            }
        }
        for name in self.formats.keys() {
            heading(names, "formats", name)?;
        }
        self.validate_joined(targets, names)?;
        for (path, text) in &self.constants {
            readable(target(targets, "constants", path)?, "constants", text)?;
        }
        for (path, values) in &self.values {
            let field = target(targets, "values", path)?;
            values.values().filter(|text| !text.is_empty()).try_for_each(|text| readable(field, "values", text))?;
        }
        for (path, _) in self.blank.iter().filter(|(_, blank)| **blank == Blank::Clear) {
            emptied(target(targets, "blank", path)?)?;
        }
        Ok(())
    }

    fn validate_joined(&self, targets: &Targets, names: &[String]) -> Result<(), Problem> {
        for (path, joined) in &self.joined {
            if target(targets, "joined", path)?.kind != FieldKind::Text {
                return Err(refused("join-not-text", &[("member", "joined"), ("field", path)]));
            }
            if joined.headings.len() < 2 {
                return Err(refused("join-too-few", &[("member", "joined"), ("field", path)]));
            }
            joined.headings.iter().try_for_each(|name| heading(names, "joined", name))?;
        }
        Ok(())
    }

    /// Made ready for reading; the rules were validated before.
    pub(in super::super) fn ways(&self, targets: &Targets, names: &[String]) -> Vec<FieldRule> {
        targets.fields.iter().map(|field| self.way(field, names)).collect()
    }

    fn way(&self, field: &Target, names: &[String]) -> FieldRule {
        let values = self.values.get(&field.path).into_iter().flatten();
        FieldRule {
            constant: self.constants.get(&field.path).map(|text| typed(field, text)),
            joined: self.joined.get(&field.path).map(|joined| {
                let columns = joined.headings.iter().filter_map(|name| names.iter().position(|other| other == name));
                (columns.filter_map(|column| u32::try_from(column).ok()).collect(), joined.with.clone())
            }),
            values: values.map(|(from, to)| (field.trimmed(from).to_owned(), typed(field, to))).collect(),
            empty: (self.blank.get(&field.path) == Some(&Blank::Clear)).then(|| emptied(field).ok()).flatten(),
        }
    }
}

/// A text that a person wrote into the mapping. It proves its own format, since it stands in no column.
fn typed(field: &Target, text: &str) -> (Cell, Format) {
    let cell = Cell::text(text.trim());
    let format = Format::of(field.kind, None, std::iter::once(&cell));
    (cell, format)
}

fn readable(field: &Target, member: &str, text: &str) -> Result<(), Problem> {
    let (cell, format) = typed(field, text);
    let places = [("member", member), ("field", field.path.as_str()), ("value", text)];
    if cell.is_empty() {
        return Err(refused("text-empty", &places));
    }
    let value = field.read(cell.as_ref(), format).ok_or_else(|| refused("text-empty", &places))?;
    let value = value.map_err(|_| refused("text-unreadable", &places))?;
    match pass::beyond(field, &value) {
        Some(_) => Err(refused("text-not-allowed", &places)),
        None => Ok(()),
    }
}

/// True where an empty cell can empty the service's value.
pub(in super::super) fn clearable(field: &Target) -> bool {
    emptied(field).is_ok()
}

/// What is sent for an empty cell.
fn emptied(field: &Target) -> Result<Value, Problem> {
    let places = [("member", "blank"), ("field", field.path.as_str())];
    if field.required || field.key {
        Err(refused("clear-required", &places))
    } else if field.nullable {
        Ok(Value::Null)
    } else if field.kind == FieldKind::Text && field.limits.values.is_empty() {
        Ok(Value::String(String::new()))
    } else {
        Err(refused("clear-impossible", &places))
    }
}

fn target<'t>(targets: &'t Targets, member: &str, path: &str) -> Result<&'t Target, Problem> {
    targets.get(path).ok_or_else(|| {
        refused("no-such-field", &[("member", member), ("field", path), ("operation", &targets.operation)])
    })
}

fn heading(names: &[String], member: &str, name: &str) -> Result<(), Problem> {
    if names.iter().any(|other| other == name) {
        return Ok(());
    }
    Err(refused("no-such-heading", &[("member", member), ("heading", name)]))
}
