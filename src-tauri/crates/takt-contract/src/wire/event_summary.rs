//! A lenient summary of an event.
//!
//! [`Event`](super::Event) reads an event strictly. This module reads the few members that a list shows, if they have
//! the right type, and ignores the rest. So unusual events are listed, too.

use crate::byte_order_mark::utf8_text;
use serde::Deserialize;
use serde_json::Value;

use super::floor_event::text_member;

/// The member with the event's number.
pub(crate) const EVENT_NUMBER: &str = "Id";

/// The envelope's members with the right type, and the orders of the event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventSummary {
    pub id: Option<i64>,
    pub description: Option<String>,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub person: Option<String>,
    pub employee: Option<String>,
    /// Distinct codes of the work orders, with their operations if the event has them.
    pub orders: Vec<(String, Option<String>)>,
}

/// Summarizes an event. Returns None if it is no object.
#[must_use]
pub fn summarize(event: &Value) -> Option<EventSummary> {
    let event = event.as_object()?;
    let mut glance = EventSummary {
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
            if !glance.orders.contains(&order) {
                glance.orders.push(order);
            }
        }
    }
    Some(glance)
}

/// Returns the event's id if the body is an object with an id. The rest is ignored.
#[must_use]
pub fn id_of(body: &[u8]) -> Option<i64> {
    #[derive(Deserialize)]
    struct Only {
        #[serde(rename = "Id")]
        id: i64,
    }
    let body = utf8_text(body);
    // Serde would also accept a list as a struct.
    let object = body.trim_ascii_start().starts_with(b"{");
    object.then(|| serde_json::from_slice::<Only>(&body).ok())?.map(|only| only.id)
}
