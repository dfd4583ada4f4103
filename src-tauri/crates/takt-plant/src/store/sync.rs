//! Applies the items of a sync to the store, by operation.
//!
//! Checks references first, then inserts or updates rows by their key. An item is applied completely or not at all.

use jiff::civil::DateTime;
use serde_json::{Value, json};

use super::{
    members::{
        ENDED, IN_EXECUTION, Members, PAUSED, PLANNED, get_order_state, get_state_by_dates, get_text, to_json_number,
    },
    order_history::{HistoryEntry, get_produced_quantities},
    resource::Resource,
    rows::{Store, Violations},
};
use crate::{PlantError, domain_event::EventKind};

/// The sync operation, which determines the changes of an item.
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
    /// Applies a valid item and moves its values to the store. An item is applied completely or not at all.
    pub(crate) fn apply_item(
        &mut self,
        sync: SyncOperation,
        item: &mut Members,
        now: DateTime,
        user: &str,
    ) -> Result<(), Violations> {
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

    /// Merges an item into the row with its key. Adds the row if it doesn't exist.
    fn upsert(&mut self, resource: Resource, item: &mut Members) -> Result<(), Violations> {
        let key = self.table(resource).key_values(item);
        let key: Vec<&str> = key.iter().map(String::as_str).collect();
        let mut row = self.row(resource, &key).unwrap_or_default();
        preserve_locks(&row, item)?;
        self.layout(resource).merge(&mut row, item);
        self.write_row(resource, row)
    }

    fn upsert_stock(&mut self, item: &mut Members) -> Result<(), Violations> {
        let mut errors = ReferenceErrors::default();
        errors.check_reference(self, Resource::Materials, item, "materialCode", "material");
        errors.into_result()?;
        self.upsert(Resource::Stock, item)
    }

    fn upsert_order(&mut self, item: &mut Members, now: DateTime, user: &str) -> Result<(), Violations> {
        let mut errors = ReferenceErrors::default();
        errors.check_reference(self, Resource::Materials, item, "materialCode", "material");
        errors.check_reference(self, Resource::WorkStations, item, "workStationCode", "work station");
        errors.check_template(self, item);
        errors.into_result()?;
        let known = self.row(Resource::WorkOrders, &[get_text(item, "code"), get_text(item, "operationCode")]);
        let is_replanned = known.as_ref().map_or_else(|| has_planned_dates(item), |row| is_replanned_by(row, item));
        if let Some(row) = &known {
            preserve_locks(row, item)?;
        }
        let mut row = match known {
            Some(row) => row,
            None => self.new_order(),
        };
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if is_replanned {
            self.add_history(&row, &HistoryEntry::from_user(EventKind::WorkOrderPlanned, now, user))?;
        }
        self.write_row(Resource::WorkOrders, row)
    }

    fn update_order_dates(&mut self, item: &mut Members, now: DateTime, user: &str) -> Result<(), Violations> {
        let mut errors = ReferenceErrors::default();
        errors.check_order(self, item, "code");
        errors.check_reference(self, Resource::WorkStations, item, "workStationCode", "work station");
        errors.into_result()?;
        let mut row = self.order_row(item)?;
        let is_replanned = is_replanned_by(&row, item);
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if is_replanned {
            self.add_history(&row, &HistoryEntry::from_user(EventKind::WorkOrderPlanned, now, user))?;
        }
        self.write_row(Resource::WorkOrders, row)
    }

    fn update_order_execution(&mut self, item: &mut Members, now: DateTime, user: &str) -> Result<(), Violations> {
        let mut errors = ReferenceErrors::default();
        errors.check_order(self, item, "code");
        errors.check_reference(self, Resource::WorkStations, item, "workStationCode", "work station");
        errors.into_result()?;
        let mut row = self.order_row(item)?;
        let before = row.clone();
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if row == before {
            return Ok(());
        }
        if item.get("statusDescription").is_none() {
            row.insert("statusDescription".to_owned(), json!(get_state_by_dates(&row)));
        }
        let events = find_order_events(&before, &row);
        if events.contains(&EventKind::WorkOrderProducedQuantityUpdated) {
            self.record_produced_quantities(&mut row, &before, now);
        }
        for kind in events {
            self.add_history(&row, &HistoryEntry::from_user(kind, now, user))?;
        }
        if get_order_state(&row) == ENDED {
            self.end_labor_times(&row, now).map_err(|error| vec![error.to_string()])?;
        }
        self.write_row(Resource::WorkOrders, row)
    }

    fn set_order_property(&mut self, item: &Members) -> Result<(), Violations> {
        let mut errors = ReferenceErrors::default();
        errors.check_order(self, item, "workOrderCode");
        errors.into_result()?;
        self.set_property_on_rows(Resource::WorkOrders, item)
    }

    /// Sets a property on the rows of the item's operation. Without an operation, sets it on all rows of the work
    /// order.
    fn set_property_on_rows(&mut self, resource: Resource, item: &Members) -> Result<(), Violations> {
        let operation = get_text(item, "operationCode");
        let mut rows = Vec::new();
        for row in self.table(resource).order_row_texts(get_text(item, "workOrderCode")) {
            let Ok(mut row) = serde_json::from_str::<Members>(row) else { continue };
            if operation.is_empty() || get_text(&row, "operationCode") == operation {
                set_property(&mut row, item)?;
                rows.push(row);
            }
        }
        rows.into_iter().try_for_each(|row| self.write_row(resource, row))
    }

    fn new_order(&mut self) -> Members {
        // The capacity for most members of an order, so that merging the item doesn't reallocate.
        let mut row = Members::with_capacity(30);
        row.insert("id".to_owned(), json!(self.next_id()));
        row.insert("statusDescription".to_owned(), json!(PLANNED));
        row
    }

    fn order_row(&self, item: &Members) -> Result<Members, Violations> {
        let (code, operation) = (get_text(item, "code"), get_text(item, "operationCode"));
        let row = self.row(Resource::WorkOrders, &[code, operation]);
        row.ok_or_else(|| vec![format!("code: there is no work order {code}.")])
    }

    fn upsert_inspection(&mut self, item: &mut Members) -> Result<(), Violations> {
        let mut errors = ReferenceErrors::default();
        errors.check_order(self, item, "workOrderCode");
        errors.check_reference(self, Resource::InspectionProcesses, item, "processCode", "inspection process");
        errors.check_reference(self, Resource::WorkStations, item, "workStationCode", "work station");
        errors.into_result()?;
        let key = [get_text(item, "code"), get_text(item, "operationCode")];
        if !self.has_row(Resource::Inspections, &key) {
            item.insert("statusDescription".to_owned(), json!(PLANNED));
        }
        self.upsert(Resource::Inspections, item)
    }

    fn update_inspection_execution(&mut self, item: &mut Members) -> Result<(), Violations> {
        let (code, operation) = (get_text(item, "code"), get_text(item, "operationCode"));
        let Some(mut row) = self.row(Resource::Inspections, &[code, operation]) else {
            return Err(vec![format!("code: there is no inspection {code} of operation {operation}.")]);
        };
        let mut errors = ReferenceErrors::default();
        errors.check_reference(self, Resource::WorkStations, item, "workStationCode", "work station");
        errors.into_result()?;
        self.layout(Resource::Inspections).merge(&mut row, item);
        if item.get("statusDescription").is_none() {
            row.insert("statusDescription".to_owned(), json!(get_state_by_dates(&row)));
        }
        self.write_row(Resource::Inspections, row)
    }

    /// Sets a property on the inspections of a work order.
    fn set_inspection_property(&mut self, item: &Members) -> Result<(), Violations> {
        let mut errors = ReferenceErrors::default();
        errors.check_order(self, item, "workOrderCode");
        errors.into_result()?;
        let order = get_text(item, "workOrderCode");
        if !self.table(Resource::Inspections).has_order(order) {
            return Err(vec![format!("workOrderCode: work order {order} has no inspections.")]);
        }
        self.set_property_on_rows(Resource::Inspections, item)
    }

    /// Stores a consumed lot, replacing the lot with the same key.
    pub(crate) fn put_lot(
        &mut self,
        item: &Members,
        now: DateTime,
        user: Option<&str>,
        badge: Option<&str>,
    ) -> Result<(), Violations> {
        let mut errors = ReferenceErrors::default();
        errors.check_order(self, item, "workOrderCode");
        errors.check_reference(self, Resource::Materials, item, "materialCode", "material");
        errors.into_result()?;
        let material = self.row(Resource::Materials, &[get_text(item, "materialCode")]).unwrap_or_default();
        let mut lot = item.clone();
        lot.insert("date".to_owned(), json!(now.to_string()));
        for (member, source) in [("description", "description"), ("uoM", "uoM")] {
            let known = material.get(source).cloned().unwrap_or_default();
            lot.entry(member).or_insert(known);
        }
        self.upsert(Resource::ConsumedLots, &mut lot.clone())?;
        self.update_consumed_quantity(&lot, user, badge).map_err(|error| vec![error.to_string()])
    }

    /// Updates the consumed quantity of an order's raw material from its lots. A lot without an operation belongs to
    /// the first one.
    fn update_consumed_quantity(
        &mut self,
        lot: &Members,
        user: Option<&str>,
        badge: Option<&str>,
    ) -> Result<(), PlantError> {
        let (order, operation) = (get_text(lot, "workOrderCode"), get_text(lot, "operationCode"));
        let material = get_text(lot, "materialCode");
        let rows = self.order_rows(Resource::WorkOrders, order);
        let updated = rows
            .into_iter()
            .enumerate()
            .find(|(_, row)| operation.is_empty() || get_text(row, "operationCode") == operation);
        let Some((index, mut row)) = updated else { return Ok(()) };
        let operation = get_text(&row, "operationCode").to_owned();
        let mut lots = self.order_rows(Resource::ConsumedLots, order);
        lots.retain(|lot| {
            let own = get_text(lot, "operationCode");
            get_text(lot, "materialCode") == material && (own == operation || own.is_empty() && index == 0)
        });
        let parts = row.get_mut("rawMaterials").and_then(|parts| parts.as_array_mut());
        if let Some(part) = parts.into_iter().flatten().find(|part| part["code"] == material) {
            let quantity = |lot: &Members| lot.get("quantity").and_then(serde_json::Value::as_f64).unwrap_or_default();
            let entry = |lot: &Members| json!({ "quantity": lot["quantity"], "serialNumber": lot["serialNumber"] });
            part["quantityConsumed"] = to_json_number(lots.iter().map(quantity).sum());
            part["consumedRawMaterials"] = lots.iter().filter(|lot| quantity(lot) != 0.0).map(entry).collect();
        }
        self.record_order_event(&row, EventKind::WorkOrderConsumedRawMaterialUpdated, user, badge);
        self.put(Resource::WorkOrders, row)
    }
}

/// The violations for references to missing rows.
#[derive(Debug, Default)]
struct ReferenceErrors(Violations);

impl ReferenceErrors {
    /// Checks that a member refers to an existing row. Absent and empty references are valid.
    fn check_reference(&mut self, store: &Store, resource: Resource, item: &Members, member: &str, what: &str) {
        let code = get_text(item, member);
        if !code.is_empty() && !store.has_row(resource, &[code]) {
            self.0.push(format!("{member}: there is no {what} {code}."));
        }
    }

    fn check_template(&mut self, store: &Store, item: &Members) {
        if let Some(id) = item.get("templateId").filter(|id| !id.is_null())
            && !id.as_i64().is_some_and(|id| store.has_template(id))
        {
            self.0.push(format!("templateId: there is no template {id}."));
        }
    }

    /// Checks that a work order exists. If the item has an operation, checks that it exists, too.
    fn check_order(&mut self, store: &Store, item: &Members, member: &str) {
        let (code, operation) = (get_text(item, member), get_text(item, "operationCode"));
        let orders = store.table(Resource::WorkOrders);
        if !orders.has_order(code) {
            self.0.push(format!("{member}: there is no work order {code}."));
        } else if !operation.is_empty() && orders.get(&[code, operation]).is_none() {
            self.0.push(format!("operationCode: work order {code} has no operation {operation}."));
        }
    }

    fn into_result(self) -> Result<(), Violations> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }
}

/// Merges the locked properties of a row into the properties of an item, which would otherwise remove them. Rejects an
/// item that changes a locked property without unlocking it.
fn preserve_locks(row: &Members, item: &mut Members) -> Result<(), Violations> {
    let Some(sent) = item.get_mut("properties").and_then(Value::as_array_mut) else { return Ok(()) };
    let current = row.get("properties").and_then(Value::as_array);
    let mut violations = Vec::new();
    for locked in current.into_iter().flatten().filter(|property| property["isLocked"] == true) {
        let Some(known) = sent.iter().find(|property| property["key"] == locked["key"]) else {
            sent.push(locked.clone());
            continue;
        };
        let differs = known.get("value").is_some_and(|value| *value != locked["value"]);
        if differs && known.get("isLocked") != Some(&json!(false)) {
            violations
                .push(format!("properties: the property {} is locked.", locked["key"].as_str().unwrap_or_default()));
        }
    }
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

/// Adds or changes a property of a row. A locked property can be changed only by an item that also unlocks it.
fn set_property(row: &mut Members, item: &Members) -> Result<(), Violations> {
    let key = get_text(item, "key");
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

/// Returns the events for the differences between two versions of an order, in order.
fn find_order_events(before: &Members, after: &Members) -> Vec<EventKind> {
    let (from, to) = (get_order_state(before), get_order_state(after));
    let produces = get_produced_quantities(before) != get_produced_quantities(after);
    // An order that continues after it ended begins again. Only a paused order is resumed.
    let begins = (from == PLANNED && to != PLANNED) || (from == ENDED && to == IN_EXECUTION);
    let kinds = [
        (begins, EventKind::WorkOrderExecutionBegin),
        (from == PAUSED && to == IN_EXECUTION, EventKind::WorkOrderExecutionResumed),
        (produces, EventKind::WorkOrderProducedQuantityUpdated),
        (from != PAUSED && to == PAUSED, EventKind::WorkOrderExecutionPaused),
        (from != ENDED && to == ENDED, EventKind::WorkOrderExecutionEnded),
        (from != PLANNED && to == PLANNED, EventKind::WorkOrderReset),
    ];
    kinds.into_iter().filter_map(|(happened, kind)| happened.then_some(kind)).collect()
}

/// Returns whether an item contains planned dates.
fn has_planned_dates(item: &Members) -> bool {
    !get_text(item, "beginPlanned").is_empty() || !get_text(item, "endPlanned").is_empty()
}

/// Returns whether an item changes the planned dates or the station of an order.
fn is_replanned_by(row: &Members, item: &Members) -> bool {
    let members = ["beginPlanned", "endPlanned", "workStationCode"];
    members.into_iter().any(|name| item.get(name).is_some_and(|value| row.get(name) != Some(value)))
}
