//! What a plant is to begin with in place of invented data: the rows that a site's lists showed.
//!
//! Owns the description of a copy, what is said of it once it was taken, and the masks of people. Leaves to `seed` how its rows
//! become the plant's.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

/// Members that name a person or the badge of one, each with what stands in their place.
const PEOPLE: [(&str, &str); 3] = [("employeeName", "Person"), ("userTrigger", "Person"), ("employeeBadge", "B")];

/// The rows of a site's lists, each as JSON in the contract's own names.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PlantCopy {
    pub lists: Vec<CopiedList>,
    pub templates: Vec<CopiedTemplate>,
}

/// The rows that a read operation showed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopiedList {
    /// Its id in the contract.
    pub operation: String,
    pub rows: Vec<Box<RawValue>>,
}

/// A template, with the processes that the site shows of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopiedTemplate {
    pub id: i64,
    pub processes: Vec<Box<RawValue>>,
}

/// What became of a copy's rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CopyReport {
    pub lists: Vec<CopiedCount>,
    pub templates: u32,
    /// Between templates and processes.
    pub links: u32,
    pub remarks: Vec<CopyRemark>,
}

/// How many rows of a list there were, and how many of them the plant holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CopiedCount {
    pub operation: String,
    pub given: u32,
    pub kept: u32,
}

/// Something that isn't in the plant as it is at the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CopyRemark {
    pub kind: CopyRemarkKind,
    pub operation: String,
    /// The member that it is about; empty where it is about whole rows.
    pub member: String,
    /// Rows that it is about.
    pub count: u32,
    /// Their keys, the first ones; of rows without a key their numbers, counted from 1.
    pub keys: Vec<String>,
}

/// What can be said of copied rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum CopyRemarkKind {
    /// The plant has no place for rows of this list; they are left out.
    NoPlace,
    /// They are no objects; they are left out.
    NoRow,
    /// A member of their key is missing; they are left out.
    NoKey,
    /// An earlier row has their key; the later one is kept.
    SameKey,
    /// A member is missing that the contract demands; they are kept without it.
    Lacks,
    /// The plant has no place for a member; they are kept without it.
    UnknownMember,
    /// They name something that isn't in the copy; they are kept.
    NamesNothing,
    /// No read shows the operation of a template's links; it is taken from the orders that use the template, and blank for these.
    NoOperation,
}

impl CopyReport {
    /// Notes one row.
    pub(crate) fn note(&mut self, kind: CopyRemarkKind, operation: &str, member: &str, key: &str) {
        /// A person looks at so many.
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
    /// Adds the rows of a list, each its JSON. What isn't JSON is left out; says how many rows that were.
    pub fn add_list<'a>(&mut self, operation: &str, rows: impl Iterator<Item = &'a str>) -> usize {
        let (rows, left_out) = raw(rows);
        self.lists.push(CopiedList { operation: operation.to_owned(), rows });
        left_out
    }

    /// Adds a template with the rows of its processes; likewise.
    pub fn add_template<'a>(&mut self, id: i64, processes: impl Iterator<Item = &'a str>) -> usize {
        let (processes, left_out) = raw(processes);
        self.templates.push(CopiedTemplate { id, processes });
        left_out
    }

    /// Puts numbers in place of people's names and badges. The same person has the same number wherever one is named; free texts
    /// stay as they are.
    pub fn mask_people(&mut self) {
        let mut people = HashMap::new();
        let rows = self.lists.iter_mut().flat_map(|list| &mut list.rows);
        for row in rows {
            if !PEOPLE.iter().any(|(name, _)| row.get().contains(name)) {
                continue;
            }
            let Ok(mut value) = serde_json::from_str::<Value>(row.get()) else { continue };
            mask(&mut value, &mut people);
            if let Ok(masked) = serde_json::value::to_raw_value(&value) {
                *row = masked;
            }
        }
    }
}

fn raw<'a>(rows: impl Iterator<Item = &'a str>) -> (Vec<Box<RawValue>>, usize) {
    let mut left_out = 0;
    let mut kept = Vec::new();
    for row in rows {
        match RawValue::from_string(row.to_owned()) {
            Ok(row) => kept.push(row),
            Err(_) => left_out += 1,
        }
    }
    (kept, left_out)
}

fn mask(value: &mut Value, people: &mut HashMap<(&'static str, String), usize>) {
    match value {
        Value::Object(members) => mask_members(members, people),
        Value::Array(parts) => parts.iter_mut().for_each(|part| mask(part, people)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn mask_members(members: &mut Map<String, Value>, people: &mut HashMap<(&'static str, String), usize>) {
    for (name, value) in members {
        let Some((_, mark)) = PEOPLE.iter().find(|(known, _)| known == name) else {
            mask(value, people);
            continue;
        };
        let text = match &*value {
            Value::Null => continue,
            Value::String(text) if text.is_empty() => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let next = people.len() + 1;
        let number = *people.entry((mark, text)).or_insert(next);
        *value = Value::from(if mark.len() > 1 { format!("{mark} {number}") } else { format!("{mark}{number:04}") });
    }
}
