//! Stores one list with the few fields that checks need, indexed by its key fields, and judges its age.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::reference::requirement::ListRequirement;

/// A list stays current for this time after it was read.
const MAX_CURRENT_AGE: SignedDuration = SignedDuration::from_mins(15);
/// An older list isn't used.
const MAX_USABLE_AGE: SignedDuration = SignedDuration::from_hours(12);

/// The reliability of reference data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// A code that isn't listed doesn't exist.
    Fresh,
    /// A code that isn't listed may have been added since.
    Aged,
    /// Too old to be used.
    Stale,
}

/// Returns the freshness at `now` of a list that was read at `at`.
pub(super) fn freshness(at: Timestamp, now: Timestamp) -> Freshness {
    let passed = now.duration_since(at);
    match passed {
        passed if passed < MAX_CURRENT_AGE => Freshness::Fresh,
        passed if passed < MAX_USABLE_AGE => Freshness::Aged,
        _ => Freshness::Stale,
    }
}

/// The part of a list that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    Whole,
    /// Only the rows for these values.
    Asked(HashSet<Box<str>>),
    /// No rows, because the list has at least this many.
    TooLong(u32),
}

#[derive(Debug)]
pub struct ReferenceList {
    pub at: Timestamp,
    pub extent: Extent,
    /// The names of each row's values, in order.
    fields: Vec<String>,
    rows: Vec<Vec<Value>>,
    by_field: BTreeMap<String, Index>,
}

/// The indexes of rows by a field's value.
#[derive(Debug, Default)]
struct Index {
    rows: Vec<u32>,
    spans: HashMap<Box<str>, (u32, u32)>,
}

impl ReferenceList {
    /// Creates the list from rows, with the required fields only.
    pub(crate) fn new(requirement: &ListRequirement, at: Timestamp, extent: Extent, rows: Vec<Value>) -> Self {
        let fields: Vec<String> = requirement.fields.iter().cloned().collect();
        let rows = rows.into_iter().map(|mut row| {
            let mut values = Vec::with_capacity(fields.len());
            for field in &fields {
                let mut value = row.get_mut(field).map(Value::take).unwrap_or_default();
                if let Some(properties) = requirement.locked.as_ref().filter(|properties| properties.list == *field)
                    && let Value::Array(parts) = &mut value
                {
                    parts.retain(|part| part.get(&properties.lock) == Some(&Value::Bool(true)));
                }
                values.push(value);
            }
            values
        });
        Self::indexed(requirement, at, extent, fields.clone(), rows.collect())
    }

    fn indexed(
        requirement: &ListRequirement,
        at: Timestamp,
        extent: Extent,
        fields: Vec<String>,
        rows: Vec<Vec<Value>>,
    ) -> Self {
        let by_field = requirement.keys.iter().filter_map(|key| {
            let index = fields.iter().position(|field| field == key)?;
            Some((key.clone(), Index::from_rows(&rows, index)))
        });
        let by_field = by_field.collect();
        Self { at, extent, fields, rows, by_field }
    }

    /// Returns the index of a field in the rows.
    pub fn column_index(&self, field: &str) -> Option<usize> {
        self.fields.iter().position(|known| known == field)
    }

    /// Returns the rows whose field has this value. The field must be a key field.
    pub fn find(&self, field: &str, value: &str) -> &[u32] {
        let index = self.by_field.get(field);
        let span = index.and_then(|index| Some((index, *index.spans.get(value)?)));
        span.and_then(|(index, (from, to))| index.rows.get(from as usize..to as usize)).unwrap_or_default()
    }

    /// Returns the rows with this value in any key field.
    pub(crate) fn find_in_any_key(&self, value: &str) -> &[u32] {
        let found = self.by_field.keys().map(|field| self.find(field, value));
        found.into_iter().find(|rows| !rows.is_empty()).unwrap_or_default()
    }

    pub fn value(&self, row: u32, field: usize) -> Option<&Value> {
        self.rows.get(row as usize)?.get(field)
    }

    /// Returns all values of a key field.
    pub fn codes(&self, field: &str) -> impl Iterator<Item = &str> {
        let spans = self.by_field.get(field).map(|index| index.spans.keys());
        spans.into_iter().flatten().map(AsRef::as_ref)
    }

    pub fn rows(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// Returns true if a value that isn't listed is known not to exist.
    pub fn proves_absence(&self, value: &str) -> bool {
        match &self.extent {
            Extent::Whole => true,
            Extent::Asked(asked) => asked.contains(value),
            Extent::TooLong(_) => false,
        }
    }

    /// Returns true if all these values were read, or the whole list if there are none.
    pub(crate) fn covers(&self, asked: Option<&[String]>) -> bool {
        match (&self.extent, asked) {
            (Extent::Whole | Extent::TooLong(_), _) => true,
            (Extent::Asked(known), Some(asked)) => asked.iter().all(|value| known.contains(value.as_str())),
            (Extent::Asked(_), None) => false,
        }
    }

    /// Converts the list to JSON for the journal.
    pub fn body(&self) -> Value {
        let (asked, too_long) = match &self.extent {
            Extent::Whole => (None, None),
            Extent::Asked(asked) => (Some(asked.iter().collect::<Vec<_>>()), None),
            Extent::TooLong(rows) => (None, Some(rows)),
        };
        json!({ "fields": self.fields, "rows": self.rows, "asked": asked, "tooLong": too_long })
    }

    /// Reads a list from the journal. Returns `None` if it lacks a field that is required today.
    pub(crate) fn read(requirement: &ListRequirement, at: Timestamp, body: Value) -> Option<Self> {
        let Value::Object(mut body) = body else { return None };
        let mut remove = |name: &str| body.remove(name).unwrap_or_default();
        let fields: Vec<String> = serde_json::from_value(remove("fields")).ok()?;
        let rows: Vec<Vec<Value>> = serde_json::from_value(remove("rows")).ok()?;
        let asked: Option<HashSet<Box<str>>> = serde_json::from_value(remove("asked")).ok()?;
        let too_long: Option<u32> = serde_json::from_value(remove("tooLong")).ok()?;
        let extent = match (asked, too_long) {
            (_, Some(rows)) => Extent::TooLong(rows),
            (Some(asked), None) => Extent::Asked(asked),
            (None, None) => Extent::Whole,
        };
        let is_sufficient = requirement.fields.iter().all(|field| fields.contains(field));
        is_sufficient.then(|| Self::indexed(requirement, at, extent, fields, rows))
    }
}

impl Index {
    fn from_rows(rows: &[Vec<Value>], field: usize) -> Self {
        let codes = rows.iter().map(|row| row.get(field).map(typed_text).unwrap_or_default());
        let mut sorted: Vec<(String, u32)> = codes.zip(0..).filter(|(code, _)| !code.is_empty()).collect();
        sorted.sort_unstable();
        let mut index = Self { rows: sorted.iter().map(|(_, row)| *row).collect(), spans: HashMap::new() };
        let mut from = 0;
        for same in sorted.chunk_by(|(a, _), (b, _)| a == b) {
            let to = from + u32::try_from(same.len()).unwrap_or(u32::MAX);
            if let Some((code, _)) = same.first() {
                index.spans.insert(code.as_str().into(), (from, to));
            }
            from = to;
        }
        index
    }
}

/// Converts a value to text as typed by the user. Null becomes an empty text.
pub fn typed_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
