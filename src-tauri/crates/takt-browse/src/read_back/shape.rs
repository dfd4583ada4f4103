//! A row of a list in the shape in which its item is sent.

use serde_json::{Map, Value};
use takt_contract::{Field, FieldKind, wire::duration::format_ticks};

use super::{ReadBack, ReadBackFault, ServiceItem, text};

/// Between the parts of a key; stands in none of them.
const KEY_JOINT: &str = "\u{1f}";

impl ReadBack {
    /// What a row holds of an item; `sent` gives what the read was asked with and its rows don't repeat.
    pub fn service_item(&self, row: &Value, sent: &Value) -> ServiceItem {
        let Some(entry) = &self.declaration.entry else { return ServiceItem::Holds(self.shaped(row, None, sent)) };
        let parts = match row.get(&entry.list) {
            Some(Value::Array(parts)) => parts.as_slice(),
            Some(Value::Null) => &[],
            Some(_) => return ServiceItem::Inconclusive(ReadBackFault::Malformed),
            None => return ServiceItem::Inconclusive(ReadBackFault::NotShown),
        };
        let is_it = |part: &&Value| entry.key.iter().all(|tie| part.get(&tie.theirs) == sent.get(&tie.own));
        match parts.iter().find(is_it) {
            Some(part) => ServiceItem::Holds(self.shaped(row, Some(part), sent)),
            None => ServiceItem::Absent,
        }
    }

    /// What a row that was read at another time held of an item.
    pub(crate) fn item_in_row(&self, row: &Value, sent: &Value) -> Option<Value> {
        match self.service_item(row, sent) {
            ServiceItem::Holds(held) => Some(held),
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) | ServiceItem::Inconclusive(_) => None,
        }
    }

    /// A row's key, the same as that of an item which is about it.
    pub(crate) fn key_of_row(&self, row: &Value) -> String {
        let parts = self.declaration.key.iter().map(|tie| row.get(&tie.theirs).map(text).unwrap_or_default());
        parts.collect::<Vec<_>>().join(KEY_JOINT)
    }

    /// Absent for an item that means every row.
    pub(crate) fn key_of_item(&self, sent: &Value) -> Option<String> {
        let part = |name: &str| sent.get(name).map(text).unwrap_or_default();
        let every = self.declaration.every.iter().any(|name| part(name).is_empty());
        let parts = self.declaration.key.iter().map(|tie| part(&tie.own));
        (!every).then(|| parts.collect::<Vec<_>>().join(KEY_JOINT))
    }

    /// What a row is as items: itself, or each of its parts.
    pub fn items_in(&self, row: &Value) -> Vec<Value> {
        let Some(entry) = &self.declaration.entry else { return vec![self.shaped(row, None, &Value::Null)] };
        let parts = row.get(&entry.list).and_then(Value::as_array).into_iter().flatten();
        parts.map(|part| self.shaped(row, Some(part), &Value::Null)).collect()
    }

    /// An item about a row that says nothing yet.
    pub fn bare_of(&self, row: &Value) -> Value {
        let key = self.declaration.key.iter();
        Value::Object(key.filter_map(|tie| Some((tie.own.clone(), row.get(&tie.theirs)?.clone()))).collect())
    }

    /// True where an item about the row would be about others, too: what would tell them apart is blank.
    pub fn means_every(&self, row: &Value) -> bool {
        let blank = |tie: &takt_contract::FieldPair| row.get(&tie.theirs).map(text).unwrap_or_default().is_empty();
        self.declaration.key.iter().any(|tie| self.declaration.every.contains(&tie.own) && blank(tie))
    }

    fn shaped(&self, row: &Value, part: Option<&Value>, sent: &Value) -> Value {
        let mut held = Map::new();
        for field in &self.sent.fields {
            let tie = self.declaration.key.iter().find(|tie| tie.own == field.name);
            let asked = self.declaration.asks.iter().any(|asks| asks.own == field.name);
            let value = match (tie, part) {
                (Some(tie), _) => row.get(&tie.theirs),
                (None, Some(part)) => part.get(&field.name),
                (None, None) => row.get(&field.name),
            };
            if let Some(value) = value.or_else(|| sent.get(&field.name).filter(|_| asked)) {
                held.insert(field.name.clone(), sendable(field, value));
            }
        }
        Value::Object(held)
    }

    /// What an item would look like of which only its key is held.
    pub(super) fn bare(&self, sent: &Value) -> Value {
        let entry = self.declaration.entry.iter().flat_map(|entry| &entry.key);
        let key = self.declaration.key.iter().chain(entry).map(|tie| &tie.own);
        Value::Object(key.filter_map(|name| Some((name.clone(), sent.get(name)?.clone()))).collect())
    }
}

/// A value of an answer as a request says it.
fn sendable(field: &Field, value: &Value) -> Value {
    match (field.kind, value) {
        (FieldKind::Duration, Value::Object(span)) => {
            let ticks = span.get("ticks").and_then(|ticks| ticks.as_i64().or_else(|| whole(ticks.as_f64()?)));
            ticks.map_or_else(|| value.clone(), |ticks| Value::String(format_ticks(ticks)))
        }
        (FieldKind::List, Value::Array(parts)) => parts.iter().map(|part| members(&field.fields, part)).collect(),
        (FieldKind::Object, Value::Object(_)) => members(&field.fields, value),
        _ => value.clone(),
    }
}

fn members(fields: &[Field], part: &Value) -> Value {
    let known = |field: &Field| Some((field.name.clone(), sendable(field, part.get(&field.name)?)));
    Value::Object(fields.iter().filter_map(known).collect())
}

fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within what an f64 counts exactly")]
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}
