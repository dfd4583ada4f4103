//! What an event tells of the floor: its orders and its alert, as far as their members are of the right kind.
//!
//! Dates stay text as they came. Leaves to others what an event changes (`x-takt-floor`), and what stands for a date that
//! isn't reached.

use serde_json::{Map, Value};

/// What is told of orders and of an alert.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FloorEventData {
    pub orders: Vec<OrderEventData>,
    pub alert: Option<AlertEventData>,
}

/// An operation of a work order, as an event has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OrderEventData {
    pub code: String,
    /// Empty where the event doesn't say.
    pub operation: String,
    pub material: Option<String>,
    /// The service's words for its state, and what it says beside.
    pub status: Option<String>,
    pub reason: Option<String>,
    pub begun: Option<String>,
    pub ended: Option<String>,
    /// The date of the newest entry of its quantities.
    pub recorded: Option<String>,
    pub requested: Option<f64>,
    pub good: Option<f64>,
    pub bad: Option<f64>,
}

/// An alert, as an event has it. `note` is not trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlertEventData {
    pub id: i64,
    pub kind: Option<String>,
    pub note: Option<String>,
    pub opened: Option<String>,
    pub acknowledged: Option<String>,
    pub closed: Option<String>,
}

/// What an event tells of the floor; nothing where it is no object.
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
        code: text(part, "Code")?,
        operation: text(part, "OperationCode").unwrap_or_default(),
        material: text(part, "MaterialCode"),
        status: text(part, "StatusDescription"),
        reason: text(part, "StatusAdditionalDescription"),
        begun: text(part, "BeginReal"),
        ended: text(part, "EndReal"),
        recorded: records.next_back().and_then(|record| text(record, "Date")),
        requested: number(part, "RequestedQuantity"),
        good: number(part, "ProducedGoodQuantity"),
        bad: number(part, "ProducedBadQuantity"),
    })
}

fn alert(part: &Map<String, Value>) -> Option<AlertEventData> {
    Some(AlertEventData {
        id: part.get("Id").and_then(Value::as_i64)?,
        kind: text(part, "Type"),
        note: text(part, "Note"),
        opened: text(part, "Opened"),
        acknowledged: text(part, "Acknowledged"),
        closed: text(part, "Closed"),
    })
}

fn number(members: &Map<String, Value>, name: &str) -> Option<f64> {
    members.get(name).and_then(Value::as_f64)
}

/// A text that says something.
pub(super) fn text(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
