//! What can be seen of an event at a glance, however much of it is as it should be.
//!
//! [`Event`](super::Event) reads an event to the letter. This reads the few members that a list shows, wherever they are of
//! the right kind, and passes over the rest: one that is odd is found again all the same.

use crate::byte_order_mark::utf8_text;
use serde::Deserialize;
use serde_json::Value;

use super::floor_event::text;

/// The member that says which event it is.
pub(crate) const EVENT_NUMBER: &str = "Id";

/// The envelope's members that are there and of their kind, and what the event is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventGlance {
    pub id: Option<i64>,
    pub description: Option<String>,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub person: Option<String>,
    pub employee: Option<String>,
    /// Codes of the work orders that it names and, where it says so, of their operations; each pair once.
    pub orders: Vec<(String, Option<String>)>,
}

/// Looks at an event. None where it is no object.
#[must_use]
pub fn glance(event: &Value) -> Option<EventGlance> {
    let event = event.as_object()?;
    let mut glance = EventGlance {
        id: event.get("Id").and_then(Value::as_i64),
        description: text(event, "Description"),
        station: text(event, "WorkStationCode"),
        station_name: text(event, "WorkStation"),
        person: text(event, "UserTrigger"),
        employee: text(event, "EmployeeBadge"),
        orders: Vec::new(),
    };
    for (list, code) in [("WorkOrders", "Code"), ("MaterialSupplies", "WorkOrderCode")] {
        let parts = event.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
        for part in parts {
            let Some(code) = text(part, code) else { continue };
            let order = (code, text(part, "OperationCode"));
            if !glance.orders.contains(&order) {
                glance.orders.push(order);
            }
        }
    }
    Some(glance)
}

/// The event's id alone, where its body is an object that has one: the rest is passed over.
#[must_use]
pub fn id_of(body: &[u8]) -> Option<i64> {
    #[derive(Deserialize)]
    struct Only {
        #[serde(rename = "Id")]
        id: i64,
    }
    let body = utf8_text(body);
    // A list would be taken for its members in their order.
    let object = body.trim_ascii_start().starts_with(b"{");
    object.then(|| serde_json::from_slice::<Only>(&body).ok())?.map(|only| only.id)
}
