//! Event notifications (webhooks). One envelope has the members of all four payload types, in PascalCase.
//!
//! [`Event`] parses an event strictly. [`summarize`] and [`read_floor_event`] ignore members of another type, so that
//! unusual events are listed, too. Dates stay text as received. An event's effect (`x-takt-floor`) and placeholders for
//! missing dates are handled elsewhere.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::number;
use crate::byte_order_mark::utf8_text;

pub(crate) const EVENT_NUMBER: &str = "Id";

/// The envelope of an event. Members that its payload doesn't use are null. `EmployeeBadge` may also be absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Event {
    /// The number of the event, 0 to 11 in the specification.
    pub id: i64,
    pub description: String,
    pub work_station: String,
    pub work_station_code: String,
    pub user_trigger: Option<String>,
    /// `None` if the member is absent, as in a material supply payload. `Some(None)` if it is null.
    #[serde(default, deserialize_with = "present_member", skip_serializing_if = "Option::is_none")]
    pub employee_badge: Option<Option<String>>,
    /// Set in work order and validation payloads.
    pub work_orders: Option<Vec<WorkOrderEntry>>,
    /// Set in event 0.
    pub production_alert: Option<ProductionAlert>,
    /// Set in event 8.
    pub material_supplies: Option<Vec<MaterialSupply>>,
}

/// A work order in an event. Durations are `hh:mm:ss[.fffffff]`. Dates are ISO 8601 text as received.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct WorkOrderEntry {
    pub id: i64,
    #[serde(rename = "Type")]
    pub kind: String,
    pub work_order_grouper: String,
    pub code: String,
    pub material_code: String,
    pub customer: Option<String>,
    /// Empty if the order has none.
    pub promise_date: String,
    pub operation_code: String,
    pub produced_quantity_history: Vec<ProducedQuantity>,
    pub note: Option<String>,
    pub status_description: Option<String>,
    pub status_additional_description: Option<String>,
    pub status_note: Option<String>,
    #[serde(with = "number")]
    pub requested_quantity: f64,
    #[serde(with = "number")]
    pub produced_good_quantity: f64,
    #[serde(with = "number")]
    pub produced_bad_quantity: f64,
    /// Specified as never null, but optional here, since event 1 may report orders that haven't begun.
    pub begin_real: Option<String>,
    pub end_real: Option<String>,
    /// Specified as never null, but optional here, since event 1 may report orders that were unscheduled.
    pub begin_planned: Option<String>,
    pub end_planned: Option<String>,
    pub raw_materials: Vec<RawMaterial>,
    pub properties: Vec<Property>,
    pub labor_predicted_time: String,
    pub labor_value_added_time: String,
    pub labor_non_value_added_time: String,
    pub machine_predicted_time: String,
    pub machine_value_added_time: String,
    pub machine_non_value_added_time: String,
}

/// The good and bad quantity that was recorded at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ProducedQuantity {
    pub id: i64,
    pub date: String,
    #[serde(with = "number")]
    pub produced_good_quantity: f64,
    #[serde(with = "number")]
    pub produced_bad_quantity: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct RawMaterial {
    pub code: String,
    pub description: String,
    pub sequence: i64,
    #[serde(with = "number")]
    pub quantity: f64,
    #[serde(with = "number")]
    pub quantity_consumed: f64,
    /// May be empty.
    #[serde(rename = "UoM")]
    pub uom: String,
    pub consumed_raw_materials: Vec<ConsumedRawMaterial>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ConsumedRawMaterial {
    #[serde(with = "number")]
    pub quantity: f64,
    pub serial_number: String,
}

/// A property of an order. `value` isn't trusted and may contain markup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Property {
    pub key: String,
    pub value: String,
    /// The display name of the property.
    pub name: Option<String>,
    pub is_locked: Option<bool>,
}

/// An alert. `note` isn't trusted and may contain markup. Dates may lack the suffix `Z`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ProductionAlert {
    pub id: i64,
    #[serde(rename = "Type")]
    pub kind: String,
    pub note: String,
    pub status: i64,
    pub opened: String,
    /// Specified as text, but optional here, since a new alert isn't acknowledged yet.
    pub acknowledged: Option<String>,
    pub closed: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct MaterialSupply {
    pub id: i64,
    pub work_order_code: String,
    pub operation_code: Option<String>,
    pub code: String,
    pub description: String,
    #[serde(with = "number")]
    pub quantity: f64,
    pub is_completed: bool,
}

/// Deserializes a member that is present. Null becomes `Some(None)`, so that it differs from an absent member.
fn present_member<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The members for a list of events. Members of another type are treated as missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventSummary {
    pub id: Option<i64>,
    pub description: Option<String>,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub person: Option<String>,
    pub employee: Option<String>,
    /// The distinct codes of the work orders, each with its operation if the event states it.
    pub orders: Vec<(String, Option<String>)>,
}

/// Summarizes an event. Returns None if it isn't an object.
#[must_use]
pub fn summarize(event: &Value) -> Option<EventSummary> {
    let event = event.as_object()?;
    let mut summary = EventSummary {
        id: event.get("Id").and_then(Value::as_i64),
        description: text_member(event, "Description"),
        station: text_member(event, "WorkStationCode"),
        station_name: text_member(event, "WorkStation"),
        person: text_member(event, "UserTrigger"),
        employee: text_member(event, "EmployeeBadge"),
        orders: Vec::new(),
    };
    for (list, code) in [("WorkOrders", "Code"), ("MaterialSupplies", "WorkOrderCode")] {
        let parts = event.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
        for part in parts {
            let Some(code) = text_member(part, code) else { continue };
            let order = (code, text_member(part, "OperationCode"));
            if !summary.orders.contains(&order) {
                summary.orders.push(order);
            }
        }
    }
    Some(summary)
}

/// Returns an event's number without parsing other members. None if the body isn't an object with a number.
#[must_use]
pub fn read_event_id(body: &[u8]) -> Option<i64> {
    #[derive(Deserialize)]
    struct EventId {
        #[serde(rename = "Id")]
        id: i64,
    }
    let body = utf8_text(body);
    // Serde would also deserialize the struct from a list.
    let object = body.trim_ascii_start().starts_with(b"{");
    object.then(|| serde_json::from_slice::<EventId>(&body).ok())?.map(|event| event.id)
}

/// The orders and the alert in an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FloorEventData {
    pub orders: Vec<OrderEventData>,
    pub alert: Option<AlertEventData>,
}

/// An operation of a work order in an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OrderEventData {
    pub code: String,
    /// Empty if the event doesn't state it.
    pub operation: String,
    pub material: Option<String>,
    /// The service's text for the order's state. `reason` is additional text.
    pub status: Option<String>,
    pub reason: Option<String>,
    pub begun: Option<String>,
    pub ended: Option<String>,
    /// The date of the last entry in the order's quantity history.
    pub recorded: Option<String>,
    pub requested: Option<f64>,
    pub good: Option<f64>,
    pub bad: Option<f64>,
}

/// An alert in an event. `note` isn't trusted and may contain markup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlertEventData {
    pub id: i64,
    pub kind: Option<String>,
    pub note: Option<String>,
    pub opened: Option<String>,
    pub acknowledged: Option<String>,
    pub closed: Option<String>,
}

/// Reads the orders and the alert of an event. Members of another type are ignored.
#[must_use]
pub fn read_floor_event(event: &Value) -> FloorEventData {
    let parts = event.get("WorkOrders").and_then(Value::as_array).into_iter().flatten();
    FloorEventData {
        orders: parts.filter_map(Value::as_object).filter_map(read_order).collect(),
        alert: event.get("ProductionAlert").and_then(Value::as_object).and_then(read_alert),
    }
}

fn read_order(part: &Map<String, Value>) -> Option<OrderEventData> {
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

fn read_alert(part: &Map<String, Value>) -> Option<AlertEventData> {
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

/// Returns a text member. None if it is empty or isn't text.
fn text_member(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
