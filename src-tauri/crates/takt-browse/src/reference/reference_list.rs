//! What one list held: of each row the few fields that checks need, found again by the fields that name it.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::requirement::ListRequirement;

/// How much of the list was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    Whole,
    /// Only what was asked for by these values.
    Asked(HashSet<Box<str>>),
    /// Nothing: it has so many rows, or more.
    TooLong(u32),
}

#[derive(Debug)]
pub struct ReferenceList {
    pub at: Timestamp,
    pub extent: Extent,
    /// Names of what each row holds, in order.
    fields: Vec<String>,
    rows: Vec<Vec<Value>>,
    by: BTreeMap<String, Index>,
}

/// Positions of rows by a field's value.
#[derive(Debug, Default)]
struct Index {
    rows: Vec<u32>,
    spans: HashMap<Box<str>, (u32, u32)>,
}

impl ReferenceList {
    /// Keeps of each row what is needed.
    pub(crate) fn new(need: &ListRequirement, at: Timestamp, extent: Extent, rows: Vec<Value>) -> Self {
        let fields: Vec<String> = need.fields.iter().cloned().collect();
        let rows = rows.into_iter().map(|mut row| {
            let mut kept = Vec::with_capacity(fields.len());
            for field in &fields {
                let mut value = row.get_mut(field).map(Value::take).unwrap_or_default();
                if let Some(properties) = need.locked.as_ref().filter(|properties| properties.list == *field)
                    && let Value::Array(parts) = &mut value
                {
                    parts.retain(|part| part.get(&properties.lock) == Some(&Value::Bool(true)));
                }
                kept.push(value);
            }
            kept
        });
        Self::indexed(need, at, extent, fields.clone(), rows.collect())
    }

    fn indexed(
        need: &ListRequirement,
        at: Timestamp,
        extent: Extent,
        fields: Vec<String>,
        rows: Vec<Vec<Value>>,
    ) -> Self {
        let by = need.keys.iter().filter_map(|key| {
            let place = fields.iter().position(|field| field == key)?;
            Some((key.clone(), Index::of(&rows, place)))
        });
        let by = by.collect();
        Self { at, extent, fields, rows, by }
    }

    /// Where a field stands in the rows.
    pub fn place(&self, field: &str) -> Option<usize> {
        self.fields.iter().position(|known| known == field)
    }

    /// The rows whose field has this value. Rows are only looked up by fields that name them.
    pub fn find(&self, field: &str, value: &str) -> &[u32] {
        let index = self.by.get(field);
        let span = index.and_then(|index| Some((index, *index.spans.get(value)?)));
        span.and_then(|(index, (from, to))| index.rows.get(from as usize..to as usize)).unwrap_or_default()
    }

    /// The rows that any of the fields which name them has this value of.
    pub(crate) fn find_any(&self, value: &str) -> &[u32] {
        let found = self.by.keys().map(|field| self.find(field, value));
        found.into_iter().find(|rows| !rows.is_empty()).unwrap_or_default()
    }

    pub fn value(&self, row: u32, place: usize) -> Option<&Value> {
        self.rows.get(row as usize)?.get(place)
    }

    /// Every value of a field by which rows are looked up.
    pub fn codes(&self, field: &str) -> impl Iterator<Item = &str> {
        let spans = self.by.get(field).map(|index| index.spans.keys());
        spans.into_iter().flatten().map(AsRef::as_ref)
    }

    pub fn rows(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// True where a value that isn't there is known not to be there.
    pub fn proves_absence(&self, value: &str) -> bool {
        match &self.extent {
            Extent::Whole => true,
            Extent::Asked(asked) => asked.contains(value),
            Extent::TooLong(_) => false,
        }
    }

    /// True where everything that is asked for now was read.
    pub(crate) fn covers(&self, asked: Option<&[String]>) -> bool {
        match (&self.extent, asked) {
            (Extent::Whole | Extent::TooLong(_), _) => true,
            (Extent::Asked(known), Some(asked)) => asked.iter().all(|value| known.contains(value.as_str())),
            (Extent::Asked(_), None) => false,
        }
    }

    /// As it is written down.
    pub fn body(&self) -> Value {
        let (asked, too_long) = match &self.extent {
            Extent::Whole => (None, None),
            Extent::Asked(asked) => (Some(asked.iter().collect::<Vec<_>>()), None),
            Extent::TooLong(rows) => (None, Some(rows)),
        };
        json!({ "fields": self.fields, "rows": self.rows, "asked": asked, "tooLong": too_long })
    }

    /// From what was written down. Absent where that holds less than what is needed today.
    pub(crate) fn read(need: &ListRequirement, at: Timestamp, body: Value) -> Option<Self> {
        let Value::Object(mut body) = body else { return None };
        let mut take = |name: &str| body.remove(name).unwrap_or_default();
        let fields: Vec<String> = serde_json::from_value(take("fields")).ok()?;
        let rows: Vec<Vec<Value>> = serde_json::from_value(take("rows")).ok()?;
        let asked: Option<HashSet<Box<str>>> = serde_json::from_value(take("asked")).ok()?;
        let too_long: Option<u32> = serde_json::from_value(take("tooLong")).ok()?;
        let extent = match (asked, too_long) {
            (_, Some(rows)) => Extent::TooLong(rows),
            (Some(asked), None) => Extent::Asked(asked),
            (None, None) => Extent::Whole,
        };
        let enough = need.fields.iter().all(|field| fields.contains(field));
        enough.then(|| Self::indexed(need, at, extent, fields, rows))
    }
}

impl Index {
    fn of(rows: &[Vec<Value>], place: usize) -> Self {
        let codes = rows.iter().map(|row| row.get(place).map(shown).unwrap_or_default());
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

/// A value as it would be typed; empty where there is none.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
