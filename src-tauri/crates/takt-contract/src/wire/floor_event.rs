//! The orders and the alert of an event, as far as their members have the right type.
//!
//! Dates stay text as received. The event's effect (`x-takt-floor`) and placeholders for missing dates are handled
//! elsewhere.

use serde_json::{Map, Value};

/// The orders and the alert of an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FloorEventData {
    pub orders: Vec<OrderEventData>,
    pub alert: Option<AlertEventData>,
}

/// An operation of a work order in an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OrderEventData {
    pub code: String,
    /// Empty if the event doesn't have it.
    pub operation: String,
    pub material: Option<String>,
    /// The service's text for the state. `reason` is the additional text.
    pub status: Option<String>,
    pub reason: Option<String>,
    pub begun: Option<String>,
    pub ended: Option<String>,
    /// The date of the last entry in its quantity history.
    pub recorded: Option<String>,
    pub requested: Option<f64>,
    pub good: Option<f64>,
    pub bad: Option<f64>,
}

/// An alert in an event. `note` isn't trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlertEventData {
    pub id: i64,
    pub kind: Option<String>,
    pub note: Option<String>,
    pub opened: Option<String>,
    pub acknowledged: Option<String>,
    pub closed: Option<String>,
}

/// Reads the orders and the alert of an event. Empty if it is no object.
#[must_use]
pub fn read_floor_event(event: &Value) -> FloorEventData {
    let parts = event.get("WorkOrders").and_then(Value::as_array).into_iter().flatten();
    FloorEventData {
        orders: parts.filter_map(Value::as_object).filter_map(order).collect(),
        alert: event.get("ProductionAlert").and_then(Value::as_object).and_then(alert),
    }
}

fn order(part: &Map<String, Value>) -> Option<OrderEventData> {
    let history = part.get("ProducedQuantityHistory").and_then(Value::as_array);
    let mut records = history.into_iter().flatten().filter_map(Value::as_object);
    Some(OrderEventData {
        code: text_member(part, "Code")?,
        operation: text_member(part, "OperationCode").unwrap_or_default(),
        material: text_member(part, "MaterialCode"),
        status: text_member(part, "StatusDescription"),
        reason: text_member(part, "StatusAdditionalDescription"),
        begun: text_member(part, "BeginReal"),
        ended: text_member(part, "EndReal"),
        recorded: records.next_back().and_then(|record| text_member(record, "Date")),
        requested: number_member(part, "RequestedQuantity"),
        good: number_member(part, "ProducedGoodQuantity"),
        bad: number_member(part, "ProducedBadQuantity"),
    })
}

fn alert(part: &Map<String, Value>) -> Option<AlertEventData> {
    Some(AlertEventData {
        id: part.get("Id").and_then(Value::as_i64)?,
        kind: text_member(part, "Type"),
        note: text_member(part, "Note"),
        opened: text_member(part, "Opened"),
        acknowledged: text_member(part, "Acknowledged"),
        closed: text_member(part, "Closed"),
    })
}

fn number_member(members: &Map<String, Value>, name: &str) -> Option<f64> {
    members.get(name).and_then(Value::as_f64)
}

/// Returns a text that isn't empty.
pub(super) fn text_member(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
