//! Work orders: planning, execution, properties, and the lots that they consume.

use jiff::civil::DateTime;
use serde_json::{Value, json};

use crate::{
    PlantError,
    store::{
        Members, Resource, Store,
        apply::{Missing, Refusals, set_property, text},
    },
};

/// The states of an order, as they are answered.
pub(crate) const PLANNED: &str = "Planned";
pub(crate) const IN_EXECUTION: &str = "In execution";
pub(crate) const PAUSED: &str = "Paused";
pub(crate) const ENDED: &str = "Ended";

impl Store {
    pub(super) fn order(&mut self, item: &Members, now: DateTime, user: &str) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.check(self, Resource::Materials, item, "materialCode", "material");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.template(self, item);
        missing.done()?;
        let known = self.row(Resource::WorkOrders, &[text(item, "code"), text(item, "operationCode")]);
        let moved = known.as_ref().is_none_or(|row| replans(row, item));
        let mut row = match known {
            Some(row) => row,
            None => self.new_order(),
        };
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if moved {
            self.remember(&row, "planning", "WorkOrderPlanned", now, user)?;
        }
        self.keep(Resource::WorkOrders, row)
    }

    pub(super) fn order_dates(&mut self, item: &Members, now: DateTime, user: &str) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.order(self, item, "code");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.done()?;
        let mut row = self.order_row(item)?;
        let moved = replans(&row, item);
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if moved {
            self.remember(&row, "planning", "WorkOrderPlanned", now, user)?;
        }
        self.keep(Resource::WorkOrders, row)
    }

    pub(super) fn order_execution(&mut self, item: &Members, now: DateTime, user: &str) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.order(self, item, "code");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.done()?;
        let mut row = self.order_row(item)?;
        let before = row.clone();
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if row == before {
            return Ok(());
        }
        if item.get("statusDescription").is_none() {
            row.insert("statusDescription".to_owned(), json!(state_of(&row)));
        }
        let event = if produced(&row) != produced(&before) {
            self.track(&mut row, &before, now);
            "WorkOrderProducedQuantityUpdated"
        } else if text(&row, "endReal").is_empty() {
            "WorkOrderExecutionBegin"
        } else {
            "WorkOrderExecutionEnded"
        };
        self.remember(&row, "runtime", event, now, user)?;
        self.keep(Resource::WorkOrders, row)
    }

    pub(super) fn order_property(&mut self, item: &Members) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.order(self, item, "workOrderCode");
        missing.done()?;
        self.set_on_each(Resource::WorkOrders, item)
    }

    /// Sets a property on the rows of a work order: of the operation that the item names, else of all.
    pub(super) fn set_on_each(&mut self, resource: Resource, item: &Members) -> Result<(), Refusals> {
        let operation = text(item, "operationCode");
        let mut rows = Vec::new();
        for row in self.table(resource).of_order(text(item, "workOrderCode")) {
            let Ok(mut row) = serde_json::from_str::<Members>(row) else { continue };
            if operation.is_empty() || text(&row, "operationCode") == operation {
                set_property(&mut row, item)?;
                rows.push(row);
            }
        }
        rows.into_iter().try_for_each(|row| self.keep(resource, row))
    }

    pub(super) fn lot(&mut self, item: &Members, now: DateTime) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.order(self, item, "workOrderCode");
        missing.check(self, Resource::Materials, item, "materialCode", "material");
        missing.done()?;
        let material = self.row(Resource::Materials, &[text(item, "materialCode")]).unwrap_or_default();
        let mut lot = item.clone();
        lot.insert("date".to_owned(), json!(now.to_string()));
        for (member, source) in [("description", "description"), ("uoM", "uoM")] {
            let known = material.get(source).cloned().unwrap_or_default();
            lot.entry(member).or_insert(known);
        }
        self.upsert(Resource::ConsumedLots, &lot)?;
        self.consume(&lot).map_err(|error| vec![error.to_string()])
    }

    /// Brings the order's raw materials up to what its lots say.
    fn consume(&mut self, lot: &Members) -> Result<(), PlantError> {
        let (order, operation) = (text(lot, "workOrderCode"), text(lot, "operationCode"));
        let material = text(lot, "materialCode");
        let lots = self.table(Resource::ConsumedLots).of_order(order).filter_map(|lot| serde_json::from_str(lot).ok());
        let same = |lot: &Members| text(lot, "operationCode") == operation && text(lot, "materialCode") == material;
        let consumed: Vec<Members> = lots.filter(same).collect();
        let rows = self.table(Resource::WorkOrders).of_order(order);
        let mut rows = rows.filter_map(|row| serde_json::from_str::<Members>(row).ok());
        let Some(mut row) = rows.find(|row| operation.is_empty() || text(row, "operationCode") == operation) else {
            return Ok(());
        };
        drop(rows);
        let parts = row.get_mut("rawMaterials").and_then(|parts| parts.as_array_mut());
        let Some(part) = parts.into_iter().flatten().find(|part| part["code"] == material) else { return Ok(()) };
        let sum: f64 = consumed.iter().filter_map(|lot| lot.get("quantity")?.as_f64()).sum();
        let entry = |lot: &Members| json!({ "quantity": lot["quantity"], "serialNumber": lot["serialNumber"] });
        part["quantityConsumed"] = number(sum);
        part["consumedRawMaterials"] = consumed.iter().map(entry).collect();
        self.put(Resource::WorkOrders, row)
    }

    fn new_order(&mut self) -> Members {
        let id = self.next_id();
        Members::from_iter([("id".to_owned(), json!(id)), ("statusDescription".to_owned(), json!(PLANNED))])
    }

    fn order_row(&self, item: &Members) -> Result<Members, Refusals> {
        let (code, operation) = (text(item, "code"), text(item, "operationCode"));
        let row = self.row(Resource::WorkOrders, &[code, operation]);
        row.ok_or_else(|| vec![format!("code: there is no work order {code}.")])
    }

    /// Adds what was produced since to the order's quantity history.
    fn track(&mut self, row: &mut Members, before: &Members, now: DateTime) {
        let ((good, bad), (good_before, bad_before)) = (produced(row), produced(before));
        let entry = json!({
            "id": self.next_id(),
            "date": now.to_string(),
            "producedGoodQuantity": number(good - good_before),
            "producedBadQuantity": number(bad - bad_before),
        });
        if let Some(history) = row.get_mut("producedQuantityHistory").and_then(|history| history.as_array_mut()) {
            history.push(entry);
        }
    }

    /// Writes a line of the order's history.
    fn remember(&mut self, row: &Members, kind: &str, event: &str, now: DateTime, user: &str) -> Result<(), Refusals> {
        let of = |name: &str| row.get(name).cloned().unwrap_or_default();
        let line = json!({
            "workOrderCode": of("code"),
            "operationCode": of("operationCode"),
            "kind": kind,
            "date": now.to_string(),
            "event": event,
            "workStationCode": of("workStationCode"),
            "statusDescription": of("statusDescription"),
            "beginPlanned": of("beginPlanned"),
            "endPlanned": of("endPlanned"),
            "producedGoodQuantity": if kind == "runtime" { of("producedGoodQuantity") } else { Value::Null },
            "producedBadQuantity": if kind == "runtime" { of("producedBadQuantity") } else { Value::Null },
            "userTrigger": user,
        });
        match line {
            Value::Object(line) => self.keep(Resource::OrderHistory, line),
            _ => Ok(()),
        }
    }
}

/// Whether the item moves the order in time or to another station.
fn replans(row: &Members, item: &Members) -> bool {
    let members = ["beginPlanned", "endPlanned", "workStationCode"];
    members.into_iter().any(|name| item.get(name).is_some_and(|value| row.get(name) != Some(value)))
}

fn produced(row: &Members) -> (f64, f64) {
    let quantity = |name: &str| row.get(name).and_then(Value::as_f64).unwrap_or_default();
    (quantity("producedGoodQuantity"), quantity("producedBadQuantity"))
}

/// The state that the real dates tell.
pub(super) fn state_of(row: &Members) -> &'static str {
    match (text(row, "beginReal").is_empty(), text(row, "endReal").is_empty()) {
        (_, false) => ENDED,
        (false, true) => IN_EXECUTION,
        (true, true) => PLANNED,
    }
}

/// A number as people write it: whole where it is whole.
pub(crate) fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within the exact range")]
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 { json!(value as i64) } else { json!(value) }
}
