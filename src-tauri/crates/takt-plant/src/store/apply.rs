//! Applies items of a sync to the store: checks references first, then inserts or updates by business key.

use jiff::civil::DateTime;
use serde_json::{Value, json};

use super::{
    members::{Members, text},
    resource::Resource,
    rows::Store,
};

/// One sentence per violated rule.
pub(super) type Refusals = Vec<String>;

/// The operation of an item, which decides what it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyncOperation {
    Materials,
    Orders,
    OrderExecution,
    OrderProperties,
    OrderDates,
    Stock,
    Inspections,
    InspectionExecution,
    InspectionProperties,
    InspectionProcesses,
    Lots,
}

impl Store {
    /// Applies a validated item and moves its values into the store. An item is applied completely or not at all.
    pub(crate) fn apply(
        &mut self,
        sync: SyncOperation,
        item: &mut Members,
        now: DateTime,
        user: &str,
    ) -> Result<(), Refusals> {
        match sync {
            SyncOperation::Materials => self.upsert(Resource::Materials, item),
            SyncOperation::InspectionProcesses => self.upsert(Resource::InspectionProcesses, item),
            SyncOperation::Stock => self.upsert_stock(item),
            SyncOperation::Orders => self.upsert_order(item, now, user),
            SyncOperation::OrderExecution => self.update_order_execution(item, now, user),
            SyncOperation::OrderDates => self.update_order_dates(item, now, user),
            SyncOperation::OrderProperties => self.set_order_property(item),
            SyncOperation::Lots => self.put_lot(item, now, Some(user), None),
            SyncOperation::Inspections => self.upsert_inspection(item),
            SyncOperation::InspectionExecution => self.update_inspection_execution(item),
            SyncOperation::InspectionProperties => self.set_inspection_property(item),
        }
    }

    /// Merges the item into the row with its key, or adds that row.
    pub(super) fn upsert(&mut self, resource: Resource, item: &mut Members) -> Result<(), Refusals> {
        let key = self.table(resource).key_values(item);
        let key: Vec<&str> = key.iter().map(String::as_str).collect();
        let mut row = self.row(resource, &key).unwrap_or_default();
        preserve_locks(&row, item)?;
        self.layout(resource).merge(&mut row, item);
        self.write_row(resource, row)
    }

    pub(super) fn write_row(&mut self, resource: Resource, row: Members) -> Result<(), Refusals> {
        self.put(resource, row).map_err(|error| vec![error.to_string()])
    }

    fn upsert_stock(&mut self, item: &mut Members) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.check(self, Resource::Materials, item, "materialCode", "material");
        missing.into_result()?;
        self.upsert(Resource::Stock, item)
    }
}

/// Errors for references to missing rows.
#[derive(Debug, Default)]
pub(super) struct Missing(Refusals);

impl Missing {
    /// Checks a member that refers to a row by its code. An absent or empty one passes.
    pub(super) fn check(&mut self, store: &Store, resource: Resource, item: &Members, member: &str, what: &str) {
        let code = text(item, member);
        if !code.is_empty() && !store.has(resource, &[code]) {
            self.0.push(format!("{member}: there is no {what} {code}."));
        }
    }

    pub(super) fn check_template(&mut self, store: &Store, item: &Members) {
        if let Some(id) = item.get("templateId").filter(|id| !id.is_null())
            && !id.as_i64().is_some_and(|id| store.has_template(id))
        {
            self.0.push(format!("templateId: there is no template {id}."));
        }
    }

    /// Checks that the work order exists, and its operation if one is given.
    pub(super) fn check_order(&mut self, store: &Store, item: &Members, member: &str) {
        let (code, operation) = (text(item, member), text(item, "operationCode"));
        let orders = store.table(Resource::WorkOrders);
        if !orders.has_order(code) {
            self.0.push(format!("{member}: there is no work order {code}."));
        } else if !operation.is_empty() && orders.get(&[code, operation]).is_none() {
            self.0.push(format!("operationCode: work order {code} has no operation {operation}."));
        }
    }

    pub(super) fn into_result(self) -> Result<(), Refusals> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }
}

/// Applies the locks of a row's properties to a list of properties in an item. Locked properties and their locks stay.
/// An item that would change one is refused, as by the properties operation.
pub(super) fn preserve_locks(row: &Members, item: &mut Members) -> Result<(), Refusals> {
    let Some(sent) = item.get_mut("properties").and_then(Value::as_array_mut) else { return Ok(()) };
    let current = row.get("properties").and_then(Value::as_array);
    let mut refusals = Vec::new();
    for locked in current.into_iter().flatten().filter(|property| property["isLocked"] == true) {
        let Some(known) = sent.iter().find(|property| property["key"] == locked["key"]) else {
            sent.push(locked.clone());
            continue;
        };
        let differs = known.get("value").is_some_and(|value| *value != locked["value"]);
        if differs && known.get("isLocked") != Some(&json!(false)) {
            refusals
                .push(format!("properties: the property {} is locked.", locked["key"].as_str().unwrap_or_default()));
        }
    }
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// Adds or changes one property of a row. A locked one only changes if the item also unlocks it.
pub(super) fn set_property(row: &mut Members, item: &Members) -> Result<(), Refusals> {
    let key = text(item, "key");
    let mut properties = row.get("properties").and_then(|list| list.as_array()).cloned().unwrap_or_default();
    let known = properties.iter_mut().find(|property| property["key"] == key).and_then(|known| known.as_object_mut());
    let changes = |name: &str| item.get(name).map(|value| (name.to_owned(), value.clone()));
    let changes = ["key", "value", "name", "isLocked"].into_iter().filter_map(changes);
    match known {
        Some(known) => {
            let locked = known.get("isLocked") == Some(&json!(true));
            let unlocks = item.get("isLocked") == Some(&json!(false));
            let differs = item.get("value").is_some_and(|value| known.get("value") != Some(value));
            if locked && differs && !unlocks {
                return Err(vec![format!("key: the property {key} is locked.")]);
            }
            known.extend(changes);
        }
        None => properties.push(changes.collect::<Members>().into()),
    }
    row.insert("properties".to_owned(), properties.into());
    Ok(())
}
