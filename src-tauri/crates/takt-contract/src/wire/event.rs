//! Event notifications (webhooks), with one envelope for all four payload types. Member names are PascalCase.

use serde::{Deserialize, Deserializer, Serialize};

use super::number;

/// The envelope. Members that a payload doesn't fill are null. `EmployeeBadge` may also be absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Event {
    /// The event's id (0 to 11) in all examples of the specification.
    pub id: i64,
    pub description: String,
    pub work_station: String,
    pub work_station_code: String,
    pub user_trigger: Option<String>,
    /// `None`: the member is absent (material supply payload). `Some(None)`: it is null.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub employee_badge: Option<Option<String>>,
    /// Filled for work order and validation payloads.
    pub work_orders: Option<Vec<WorkOrderEntry>>,
    /// Filled for event 0.
    pub production_alert: Option<ProductionAlert>,
    /// Filled for event 8.
    pub material_supplies: Option<Vec<MaterialSupply>>,
}

/// A work order inside an event. Durations are `hh:mm:ss[.fffffff]`. Dates are ISO 8601 text as received.
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
    /// Empty if there is none.
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
    /// Specified as never null, but optional here: event 1 also reports orders that never began.
    pub begin_real: Option<String>,
    pub end_real: Option<String>,
    /// Specified as never null, but optional here: event 1 also reports orders that were unscheduled.
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

/// Good and bad quantity recorded at one moment.
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

/// A property of an order. `value` may contain markup and isn't trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Property {
    pub key: String,
    pub value: String,
    /// The display name.
    pub name: Option<String>,
    pub is_locked: Option<bool>,
}

/// An alert. `note` may contain markup and isn't trusted. Each date may end with Z or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ProductionAlert {
    pub id: i64,
    #[serde(rename = "Type")]
    pub kind: String,
    pub note: String,
    pub status: i64,
    pub opened: String,
    /// Specified as text, but optional here: an alert that was just opened isn't acknowledged yet.
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

/// Reads a member that is present. Null becomes `Some(None)`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
