//! The work orders that benches send.

use serde_json::{Value, json};

/// The path of the list of orders.
pub(crate) const ORDERS_PATH: &str = "/api/v1/WorkOrders";
/// Orders per request.
pub(crate) const ORDERS_PER_REQUEST: u32 = 100;
/// Placeholder of an order's number.
pub(crate) const NUMBER_PLACEHOLDER: &str = "00000000";

/// An order as an ERP sends it.
pub(crate) fn order() -> Value {
    json!({
        "code": format!("WO-{NUMBER_PLACEHOLDER}"), "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 125,
        "type": "Production", "workOrderGrouper": "G-7", "customer": "Nordwind Antriebe GmbH",
        "promiseDate": "2027-03-05T12:00:00", "workStationCode": "WS-03", "templateId": 4,
        "beginPlanned": "2027-03-01T06:00:00", "endPlanned": "2027-03-01T11:30:00",
        "laborPredictedTime": "02:45:00", "machinePredictedTime": "05:30:00", "note": "Deliver with the drawing.",
        "rawMaterials": [{ "code": "RAW-2001", "description": "Round bar", "sequence": 10, "quantity": 250, "uoM": "m" }],
        "properties": [{ "key": "REVISION", "value": "B", "name": "Revision" }],
    })
}
