//! Rows copied from a site's lists, with which a plant can start instead of invented rows.
//!
//! Contains the copy, the report on loading it, and masking of names. The rows are loaded by `seed`.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

/// The members with a person's name or badge, and the prefixes of their masks.
const PERSON_MEMBERS: [(&str, &str); 3] =
    [("employeeName", "Person"), ("userTrigger", "Person"), ("employeeBadge", "B")];

/// The rows of a site's lists, as JSON with the names in the built-in contract.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PlantCopy {
    pub lists: Vec<CopiedList>,
    pub templates: Vec<CopiedTemplate>,
}

/// The rows that a read operation returned.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopiedList {
    /// The ID of the read operation.
    pub operation: String,
    pub rows: Vec<Box<RawValue>>,
}

/// A template with its processes at the site.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopiedTemplate {
    pub id: i64,
    pub processes: Vec<Box<RawValue>>,
}

/// The result of loading a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CopyReport {
    pub lists: Vec<CopiedCount>,
    pub templates: u32,
    /// The number of links between templates and processes.
    pub links: u32,
    pub remarks: Vec<CopyRemark>,
}

/// The number of rows in a list, and how many of them were stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CopiedCount {
    pub operation: String,
    pub given: u32,
    pub kept: u32,
}

/// A difference between the copied rows and the rows of the plant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CopyRemark {
    pub kind: CopyRemarkKind,
    pub operation: String,
    /// Empty if the remark is about whole rows.
    pub member: String,
    /// The number of affected rows.
    pub count: u32,
    /// The keys of the first affected rows, at most 20. A row without a known key is given by its 1-based number in the
    /// list. For [`CopyRemarkKind::NamesNothing`], these are the codes of the missing rows instead.
    pub keys: Vec<String>,
}

/// The kind of a [`CopyRemark`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum CopyRemarkKind {
    /// The plant has no table for the list, so its rows are skipped.
    NoPlace,
    /// The rows aren't JSON objects, so they are skipped.
    NoRow,
    /// The rows have no key, or a process of a template has no code. They are skipped.
    NoKey,
    /// Several rows have the same key. The last one is stored.
    SameKey,
    /// The rows lack a member that the contract requires. They are stored without it.
    Lacks,
    /// The plant's rows don't have this member. The rows are stored without it.
    UnknownMember,
    /// The rows refer to a row that isn't in the copy. They are stored.
    NamesNothing,
    /// No read returns the operations of a template's links. They are derived from orders with the template. For this
    /// template, there is no such order, so the operation is empty.
    NoOperation,
}

impl CopyReport {
    /// Records a remark about a row.
    pub(crate) fn add_remark(&mut self, kind: CopyRemarkKind, operation: &str, member: &str, key: &str) {
        /// The maximum number of keys in a remark.
        const MAX_KEYS: usize = 20;
        let same =
            |known: &&mut CopyRemark| known.kind == kind && known.operation == operation && known.member == member;
        let known = self.remarks.iter_mut().find(same);
        match known {
            Some(known) => {
                known.count = known.count.saturating_add(1);
                if known.keys.len() < MAX_KEYS {
                    known.keys.push(key.to_owned());
                }
            }
            None => self.remarks.push(CopyRemark {
                kind,
                operation: operation.to_owned(),
                member: member.to_owned(),
                count: 1,
                keys: vec![key.to_owned()],
            }),
        }
    }
}

impl PlantCopy {
    /// Adds the rows of a list as JSON texts. Returns how many were skipped because they aren't JSON.
    pub fn add_list<'a>(&mut self, operation: &str, rows: impl Iterator<Item = &'a str>) -> usize {
        let (rows, left_out) = parse_rows(rows);
        self.lists.push(CopiedList { operation: operation.to_owned(), rows });
        left_out
    }

    /// Adds a template with its processes as JSON texts. Returns how many were skipped because they aren't JSON.
    pub fn add_template<'a>(&mut self, id: i64, processes: impl Iterator<Item = &'a str>) -> usize {
        let (processes, left_out) = parse_rows(processes);
        self.templates.push(CopiedTemplate { id, processes });
        left_out
    }

    /// Replaces names and badges of people with numbers. The same person always has the same number. Free texts aren't
    /// changed.
    pub fn mask_people(&mut self) {
        let mut people = HashMap::new();
        let rows = self.lists.iter_mut().flat_map(|list| &mut list.rows);
        for row in rows {
            if !PERSON_MEMBERS.iter().any(|(name, _)| row.get().contains(name)) {
                continue;
            }
            let Ok(mut value) = serde_json::from_str::<Value>(row.get()) else { continue };
            mask_value(&mut value, &mut people);
            if let Ok(masked) = serde_json::value::to_raw_value(&value) {
                *row = masked;
            }
        }
    }
}

fn parse_rows<'a>(rows: impl Iterator<Item = &'a str>) -> (Vec<Box<RawValue>>, usize) {
    let mut left_out = 0;
    let mut parsed = Vec::new();
    for row in rows {
        match RawValue::from_string(row.to_owned()) {
            Ok(row) => parsed.push(row),
            Err(_) => left_out += 1,
        }
    }
    (parsed, left_out)
}

fn mask_value(value: &mut Value, people: &mut HashMap<(&'static str, String), usize>) {
    match value {
        Value::Object(members) => mask_members(members, people),
        Value::Array(parts) => parts.iter_mut().for_each(|part| mask_value(part, people)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn mask_members(members: &mut Map<String, Value>, people: &mut HashMap<(&'static str, String), usize>) {
    for (name, value) in members {
        let Some((_, prefix)) = PERSON_MEMBERS.iter().find(|(known, _)| known == name) else {
            mask_value(value, people);
            continue;
        };
        let text = match &*value {
            Value::Null => continue,
            Value::String(text) if text.is_empty() => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let next = people.len() + 1;
        let number = *people.entry((prefix, text)).or_insert(next);
        *value =
            Value::from(if prefix.len() > 1 { format!("{prefix} {number}") } else { format!("{prefix}{number:04}") });
    }
}
