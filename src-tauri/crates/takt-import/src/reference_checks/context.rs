//! The data that a sheet is checked against. It's the site's reference data, and the values of earlier sheets of the
//! same workbook, which the site doesn't have yet.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use jiff::tz::TimeZone;
use takt_browse::reference::{ReferenceSnapshot, typed_text};
use takt_contract::RefersTo;
use takt_core::{Item, Problem};

use crate::target::TargetFields;

/// Reference data of the site, and values of earlier sheets.
#[derive(Debug, Clone)]
pub(crate) struct ReferenceContext {
    pub(crate) reference: Arc<ReferenceSnapshot>,
    /// The values of earlier sheets of the same workbook.
    pub(crate) predecessors: Arc<PredecessorValues>,
    /// The reason why the site couldn't be read again.
    pub(crate) problem: Option<Problem>,
}

impl ReferenceContext {
    /// Returns the zone of local times: the site's zone, or the contract's if no site is known.
    pub(crate) fn zone<'c>(&'c self, targets: &'c TargetFields) -> &'c TimeZone {
        if self.reference.site().is_some() { self.reference.zone() } else { &targets.time_zone }
    }
}

/// The values of items that will be created, by their synchronization.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PredecessorValues {
    operations: BTreeMap<String, OperationValues>,
}

/// The values of an operation's items by field, and their pairs of values by pair of fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OperationValues {
    values: BTreeMap<String, HashSet<Box<str>>>,
    pairs: BTreeMap<(String, String), HashSet<ValuePair>>,
}

type ValuePair = (Box<str>, Box<str>);

impl PredecessorValues {
    /// Adds the values of items. `key` are the fields that identify an item of the operation.
    pub fn add(&mut self, operation: &str, key: &[String], items: &[Item]) {
        let value = |item: &Item, name: &String| item.body.get(name).map(typed_text).filter(|value| !value.is_empty());
        let items = items.iter().filter(|item| !item.skipped);
        self.add_item_values(operation, key, items.map(|item| key.iter().map(|name| value(item, name)).collect()));
    }

    /// Adds items as lists of their values, one for each of `fields`. A missing value is `None`.
    pub fn add_item_values(
        &mut self,
        operation: &str,
        fields: &[String],
        items: impl Iterator<Item = Vec<Option<String>>>,
    ) {
        let mut values: Vec<HashSet<Box<str>>> = vec![HashSet::new(); fields.len()];
        let mut pairs: Vec<HashSet<ValuePair>> = vec![HashSet::new(); fields.len() * fields.len()];
        for item in items {
            let named = || (0_usize..).zip(&item).filter_map(|(at, value)| Some((at, value.as_deref()?)));
            for (at, value) in named() {
                for (other, there) in named().filter(|(other, _)| *other != at) {
                    pairs.get_mut(at * fields.len() + other).map(|pairs| pairs.insert((value.into(), there.into())));
                }
                if let Some(values) = values.get_mut(at).filter(|values| !values.contains(value)) {
                    values.insert(value.into());
                }
            }
        }
        let known = self.operations.entry(operation.to_owned()).or_default();
        for (name, values) in fields.iter().zip(values) {
            known.values.entry(name.clone()).or_default().extend(values);
        }
        let both = fields.iter().flat_map(|name| fields.iter().map(move |other| (name, other)));
        for ((name, other), pairs) in both.zip(pairs).filter(|((name, other), _)| name != other) {
            known.pairs.entry((name.clone(), other.clone())).or_default().extend(pairs);
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Returns true if an item with this value in the field will be created.
    pub(super) fn has_value(&self, refers_to: &RefersTo, field: &str, value: &str) -> bool {
        let items = refers_to.sync.as_ref().and_then(|sync| self.operations.get(sync));
        items.and_then(|items| items.values.get(field)).is_some_and(|values| values.contains(value))
    }

    /// Returns true if an item with both values will be created.
    pub(super) fn has_pair(&self, refers_to: &RefersTo, first: (&str, &str), second: (&str, &str)) -> bool {
        let items = refers_to.sync.as_ref().and_then(|sync| self.operations.get(sync));
        let pairs = items.and_then(|items| items.pairs.get(&(first.0.to_owned(), second.0.to_owned())));
        pairs.is_some_and(|pairs| pairs.contains(&(first.1.into(), second.1.into())))
    }

    /// Returns the values of this field in the items that will be created.
    pub(super) fn values(&self, refers_to: &RefersTo) -> impl Iterator<Item = &str> {
        let items = refers_to.sync.as_ref().and_then(|sync| self.operations.get(sync));
        let values = items.and_then(|items| items.values.get(&refers_to.field));
        values.into_iter().flatten().map(AsRef::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use takt_core::RowId;

    #[test]
    fn things_are_known_by_one_field_and_by_two_together() {
        let provenance = json!({"level": "assumed", "source": "test"});
        let refers_to: RefersTo = serde_json::from_value(json!({"list": "orders.list", "sync": "orders.sync",
            "field": "operationCode", "unknown": "refused", "provenance": provenance}))
        .unwrap();
        let item = |code: &str, skipped| Item {
            rows: vec![RowId { sheet: "S".to_owned(), row: takt_core::ExcelRow::new(2) }],
            key: String::new(),
            body: json!({"code": code, "operationCode": 10}),
            skipped,
            ..Item::default()
        };
        let mut made = PredecessorValues::default();
        let key = ["code".to_owned(), "operationCode".to_owned()];
        made.add("orders.sync", &key, &[item("A", false), item("B", true)]);
        assert!(made.has_value(&refers_to, "code", "A") && !made.has_value(&refers_to, "code", "B"));
        assert!(made.has_pair(&refers_to, ("code", "A"), ("operationCode", "10")));
        assert!(!made.has_pair(&refers_to, ("code", "A"), ("operationCode", "20")));
        assert_eq!(made.values(&refers_to).collect::<Vec<_>>(), ["10"]);
        let other = RefersTo { sync: Some("lots.sync".to_owned()), ..refers_to };
        assert!(!made.has_value(&other, "code", "A"));
    }
}
