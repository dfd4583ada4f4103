//! Converts a row of a list to the shape in which its item is sent.

use serde_json::{Map, Value};
use takt_contract::wire::duration::format_ticks;
use takt_contract::{Field, FieldKind};

use crate::read_back::definition::ReadBack;
use crate::read_back::result::{ReadBackFault, ServiceItem};
use crate::read_back::scalar::key_text;

/// Separates the parts of a key. No part contains it.
const KEY_SEPARATOR: &str = "\u{1f}";

impl ReadBack {
    /// Returns an item's state in a row. If rows don't repeat the values that narrowed the read, `sent` supplies them.
    pub fn service_item(&self, row: &Value, sent: &Value) -> ServiceItem {
        let Some(entry) = &self.declaration.entry else { return ServiceItem::Present(self.to_item(row, None, sent)) };
        let parts = match row.get(&entry.list) {
            Some(Value::Array(parts)) => parts.as_slice(),
            Some(Value::Null) => &[],
            Some(_) => return ServiceItem::Inconclusive(ReadBackFault::Malformed),
            None => return ServiceItem::Inconclusive(ReadBackFault::NotShown),
        };
        let is_it = |part: &&Value| entry.key.iter().all(|pair| part.get(&pair.theirs) == sent.get(&pair.own));
        match parts.iter().find(is_it) {
            Some(part) => ServiceItem::Present(self.to_item(row, Some(part), sent)),
            None => ServiceItem::Absent,
        }
    }

    /// Returns an item's state in a row that was read earlier.
    pub(crate) fn item_in_row(&self, row: &Value, sent: &Value) -> Option<Value> {
        match self.service_item(row, sent) {
            ServiceItem::Present(item) => Some(item),
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) | ServiceItem::Inconclusive(_) => None,
        }
    }

    /// Returns a row's key, in the form of [`Self::key_of_item`].
    pub(crate) fn key_of_row(&self, row: &Value) -> String {
        let parts = self.declaration.key.iter().map(|pair| row.get(&pair.theirs).map(key_text).unwrap_or_default());
        parts.collect::<Vec<_>>().join(KEY_SEPARATOR)
    }

    /// Returns an item's key, or `None` if the item matches several rows.
    pub(crate) fn key_of_item(&self, sent: &Value) -> Option<String> {
        let part = |name: &str| sent.get(name).map(key_text).unwrap_or_default();
        let matches_every = self.declaration.every.iter().any(|name| part(name).is_empty());
        let parts = self.declaration.key.iter().map(|pair| part(&pair.own));
        (!matches_every).then(|| parts.collect::<Vec<_>>().join(KEY_SEPARATOR))
    }

    /// Converts a row to items: the row itself, or each of its parts.
    pub fn items_of_row(&self, row: &Value) -> Vec<Value> {
        let Some(entry) = &self.declaration.entry else { return vec![self.to_item(row, None, &Value::Null)] };
        let parts = row.get(&entry.list).and_then(Value::as_array).into_iter().flatten();
        parts.map(|part| self.to_item(row, Some(part), &Value::Null)).collect()
    }

    /// Returns an item with only the row's key.
    pub fn key_only_item_of_row(&self, row: &Value) -> Value {
        let key = self.declaration.key.iter();
        Value::Object(key.filter_map(|pair| Some((pair.own.clone(), row.get(&pair.theirs)?.clone()))).collect())
    }

    /// Returns true if an item with the row's key would also match other rows, because a distinguishing part is blank.
    pub fn matches_other_rows(&self, row: &Value) -> bool {
        let blank =
            |pair: &takt_contract::FieldPair| row.get(&pair.theirs).map(key_text).unwrap_or_default().is_empty();
        self.declaration.key.iter().any(|pair| self.declaration.every.contains(&pair.own) && blank(pair))
    }

    fn to_item(&self, row: &Value, part: Option<&Value>, sent: &Value) -> Value {
        let mut item = Map::new();
        for field in &self.sent.fields {
            let pair = self.declaration.key.iter().find(|pair| pair.own == field.name);
            let narrows_read = self.declaration.asks.iter().any(|asks| asks.own == field.name);
            let value = match (pair, part) {
                (Some(pair), _) => row.get(&pair.theirs),
                (None, Some(part)) => part.get(&field.name),
                (None, None) => row.get(&field.name),
            };
            if let Some(value) = value.or_else(|| sent.get(&field.name).filter(|_| narrows_read)) {
                item.insert(field.name.clone(), to_request_value(field, value));
            }
        }
        Value::Object(item)
    }

    /// Returns an item with only its key.
    pub(super) fn key_only_item(&self, sent: &Value) -> Value {
        let entry = self.declaration.entry.iter().flat_map(|entry| &entry.key);
        let key = self.declaration.key.iter().chain(entry).map(|pair| &pair.own);
        Value::Object(key.filter_map(|name| Some((name.clone(), sent.get(name)?.clone()))).collect())
    }
}

/// Converts a value of a response to its form in a request.
fn to_request_value(field: &Field, value: &Value) -> Value {
    match (field.kind, value) {
        (FieldKind::Duration, Value::Object(span)) => {
            let ticks = span.get("ticks").and_then(|ticks| ticks.as_i64().or_else(|| exact_integer(ticks.as_f64()?)));
            ticks.map_or_else(|| value.clone(), |ticks| Value::String(format_ticks(ticks)))
        }
        (FieldKind::List, Value::Array(parts)) => {
            parts.iter().map(|part| select_members(&field.fields, part)).collect()
        }
        (FieldKind::Object, Value::Object(_)) => select_members(&field.fields, value),
        _ => value.clone(),
    }
}

fn select_members(fields: &[Field], part: &Value) -> Value {
    let known = |field: &Field| Some((field.name.clone(), to_request_value(field, part.get(&field.name)?)));
    Value::Object(fields.iter().filter_map(known).collect())
}

fn exact_integer(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within what an f64 counts exactly")]
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}
