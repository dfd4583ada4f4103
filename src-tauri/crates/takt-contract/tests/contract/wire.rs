//! Reads and writes JSON from the specification, which was written by hand, with the wire types.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use takt_contract::{
    Contract,
    wire::{
        self, BatchRequest, BatchResponse, ErrorBody, ErrorsBody, Event, EventSummary, FloorEventData,
        InternalErrorBody, ListResponse, MaterialSupply, RateLimitBody, TemplateProcessLink, TemplateProcesses,
        TimeSpan, duration, read_event_id, read_floor_event, summarize,
    },
};

/// Deserializes and serializes a value, and checks that it is unchanged.
fn round_trip<T: Serialize + DeserializeOwned>(value: &Value) -> T {
    let typed: T = serde_json::from_str(&value.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), *value);
    typed
}

/// Returns whether a value is valid for a schema of the document.
fn is_valid_for_schema(component: &str, value: &Value) -> bool {
    let contract = Contract::builtin().unwrap();
    let reference = format!("#/components/schemas/{component}");
    let schema = json!({"$ref": reference, "components": contract.document()["components"]});
    jsonschema::draft202012::new(&schema).unwrap().is_valid(value)
}

fn half_past_one() -> Value {
    json!({"ticks": 54_000_000_000_i64, "days": 0, "hours": 1, "minutes": 30, "seconds": 0, "milliseconds": 0,
        "totalDays": 0.0625, "totalHours": 1.5, "totalMinutes": 90, "totalSeconds": 5400, "totalMilliseconds": 5_400_000})
}

fn work_order() -> Value {
    json!({"Id": 4711, "Type": "", "WorkOrderGrouper": "G-1", "Code": "WO-000123", "MaterialCode": "000045",
        "Customer": "", "PromiseDate": "", "OperationCode": "010",
        "ProducedQuantityHistory": [
            {"Id": 1, "Date": "2026-03-01T06:15:00", "ProducedGoodQuantity": 10, "ProducedBadQuantity": 0.5}],
        "Note": null, "StatusDescription": "planned", "StatusAdditionalDescription": null, "StatusNote": "",
        "RequestedQuantity": 100, "ProducedGoodQuantity": 10, "ProducedBadQuantity": 0.5,
        "BeginReal": "2026-03-01T06:00:00Z", "EndReal": null,
        "BeginPlanned": "2026-03-01T06:00:00", "EndPlanned": "2026-03-01T14:00:00.1234567+01:00",
        "RawMaterials": [{"Code": "RAW-1", "Description": "steel", "Sequence": 10, "Quantity": 2.25, "QuantityConsumed": 0,
            "UoM": "", "ConsumedRawMaterials": [{"Quantity": 1.125, "SerialNumber": "L-0007"}]}],
        "Properties": [{"Key": "color", "Value": "<b>red</b>", "Name": null, "IsLocked": null},
            {"Key": "size", "Value": "", "Name": "Size", "IsLocked": true}],
        "LaborPredictedTime": "01:30:00", "LaborValueAddedTime": "00:00:00.1234567", "LaborNonValueAddedTime": "00:00:00",
        "MachinePredictedTime": "30:00:00", "MachineValueAddedTime": "00:10:00", "MachineNonValueAddedTime": "00:00:00"})
}

fn event(id: i64) -> Value {
    json!({"Id": id, "Description": "Something happened", "WorkStation": "Saw 1", "WorkStationCode": "WS-01",
        "UserTrigger": null, "EmployeeBadge": "0042", "WorkOrders": null, "ProductionAlert": null, "MaterialSupplies": null})
}

#[test]
fn the_processes_of_a_template() {
    let answer = json!({"inspectionsProcesses": [{"code": "IP-01", "description": "Sawing", "predictedLaborTime": half_past_one(),
        "predictedMachineTime": half_past_one(), "isQualityInspection": true}]});
    let processes: TemplateProcesses = round_trip(&answer);
    assert_eq!(processes.inspections_processes[0].predicted_labor_time.ticks(), 54_000_000_000);
    assert!(is_valid_for_schema("TemplateProcess", &answer["inspectionsProcesses"][0]));
    assert!(!is_valid_for_schema("TemplateProcess", &json!({"code": "IP-01"})));
}

#[test]
fn a_time_span_has_all_eleven_members() {
    assert_eq!(serde_json::to_value(TimeSpan::from_ticks(54_000_000_000)).unwrap(), half_past_one());
    let ticks = duration::parse_ticks("1.02:03:04.567").unwrap();
    let parts = TimeSpan::from_ticks(-ticks);
    let shown = (parts.days, parts.hours, parts.minutes, parts.seconds, parts.milliseconds);
    assert_eq!(shown, (-1, -2, -3, -4, -567));
    assert!((parts.total_seconds + 93_784.567).abs() < 1e-9);
    assert!(is_valid_for_schema("TimeSpan", &serde_json::to_value(TimeSpan::from_ticks(i64::MIN)).unwrap()));
    let sparse: TimeSpan = serde_json::from_value(json!({"ticks": 10.0, "unknown": 1})).unwrap();
    assert_eq!(sparse.ticks, 10);
    assert!(serde_json::from_value::<TimeSpan>(json!({"ticks": 0.5})).is_err());
    assert!(serde_json::from_value::<TimeSpan>(json!({"ticks": 1e300})).is_err());
}

#[test]
fn the_batch_delete() {
    let request = json!({"items": [{"templateId": 7, "processCode": "IP-01", "operationCode": "010"}]});
    let links: BatchRequest<TemplateProcessLink> = round_trip(&request);
    assert_eq!(links.items[0].operation_code, "010");
    let answer = json!({"totalItems": 2, "successCount": 1, "errorCount": 1, "results": [
        {"templateId": 7, "processCode": "IP-01", "operationCode": "010", "success": true},
        {"templateId": 7, "processCode": "IP-02", "operationCode": "", "success": false}]});
    let read: BatchResponse = round_trip(&answer);
    assert_eq!((read.results[0].success, read.results[1].success), (true, false));
    assert_eq!(read.results[1].key["processCode"], "IP-02");
    assert!(read.results[1].key.get("success").is_none() && read.results[1].errors.is_empty());
    assert!(is_valid_for_schema("TemplateProcessLinkBatchAnswer", &answer));
    assert!(serde_json::from_value::<BatchResponse>(json!({"totalItems": 0, "results": []})).is_err());
}

#[test]
fn a_sync_answer_gives_reasons() {
    let answer = json!({"totalItems": 1, "successCount": 0, "errorCount": 1, "results": [
        {"code": "WO-1", "operationCode": "010", "success": false, "errors": ["requestedQuantity must be above zero"]}]});
    let read: BatchResponse = round_trip(&answer);
    assert_eq!(read.results[0].errors, ["requestedQuantity must be above zero"]);
    assert!(is_valid_for_schema("WorkOrderBatchAnswer", &answer));
}

#[test]
fn a_work_order_payload_keeps_null_empty_and_every_date() {
    let mut payload = event(2);
    payload["WorkOrders"] = json!([work_order()]);
    let read: Event = round_trip(&payload);
    let order = &read.work_orders.unwrap()[0];
    assert_eq!((order.customer.as_deref(), order.note.as_deref(), order.promise_date.as_str()), (Some(""), None, ""));
    assert_eq!((order.status_note.as_deref(), order.end_real.as_deref()), (Some(""), None));
    assert_eq!(order.begin_real.as_deref(), Some("2026-03-01T06:00:00Z"));
    assert_eq!(order.begin_planned.as_deref(), Some("2026-03-01T06:00:00"));
    assert_eq!(order.raw_materials[0].uom, "");
    assert_eq!((order.properties[0].is_locked, order.properties[1].is_locked), (None, Some(true)));
    assert!(is_valid_for_schema("WorkOrderPayload", &payload) && is_valid_for_schema("ValidationPayload", &payload));
    assert!(!is_valid_for_schema("WorkOrderPayload", &event(2)), "an order payload without orders");
}

#[test]
fn the_badge_is_absent_null_or_there() {
    let supply = json!({"Id": 3, "WorkOrderCode": "WO-000123", "OperationCode": null, "Code": "RAW-1", "Description": "",
        "Quantity": 0.1, "IsCompleted": true});
    let mut payload = event(8);
    payload["MaterialSupplies"] = json!([supply]);
    assert!(!is_valid_for_schema("MaterialSupplyPayload", &payload), "a badge in a material supply payload");
    payload.as_object_mut().unwrap().shift_remove("EmployeeBadge");
    assert!(is_valid_for_schema("MaterialSupplyPayload", &payload));
    let read: Event = round_trip(&payload);
    assert_eq!(read.employee_badge, None);
    round_trip::<MaterialSupply>(&supply);
    let mut null = event(1);
    null["EmployeeBadge"] = Value::Null;
    assert_eq!(round_trip::<Event>(&null).employee_badge, Some(None));
    assert_eq!(round_trip::<Event>(&event(1)).employee_badge, Some(Some("0042".to_owned())));
}

#[test]
fn an_alert_keeps_its_dates_with_and_without_z() {
    let mut payload = event(0);
    payload["ProductionAlert"] = json!({"Id": 9, "Type": "Material", "Note": "<script>alert(1)</script>", "Status": 2,
        "Opened": "2026-03-01T06:00:00Z", "Acknowledged": "2026-03-01T06:01:00", "Closed": "2026-03-01T06:02:00.5Z"});
    let alert = round_trip::<Event>(&payload).production_alert.unwrap();
    assert_eq!(alert.opened, "2026-03-01T06:00:00Z");
    assert_eq!(alert.acknowledged.as_deref(), Some("2026-03-01T06:01:00"));
    assert!(is_valid_for_schema("ProductionAlertPayload", &payload));
}

#[test]
fn the_error_bodies() {
    let errors = json!({"errors": ["code is required", "beginPlanned must lie before endPlanned"]});
    assert_eq!(round_trip::<ErrorsBody>(&errors).errors.len(), 2);
    round_trip::<ErrorBody>(&json!({"error": "access denied"}));
    let limit =
        json!({"error": "slow down", "retryAfter": 2.5, "limit": 100, "remaining": 0, "reset": "2026-03-01T06:00:00Z"});
    assert!((round_trip::<RateLimitBody>(&limit).retry_after - 2.5).abs() < f64::EPSILON);
    let development = json!({"logId": "a-1", "message": ["no"], "stackTrace": ["at x", "at y"]});
    assert_eq!(round_trip::<InternalErrorBody>(&development).stack_trace.unwrap().len(), 2);
    let production = json!({"logId": "a-1", "message": []});
    assert_eq!(round_trip::<InternalErrorBody>(&production).stack_trace, None);
    for (component, body) in [("ErrorsBody", &errors), ("RateLimitBody", &limit), ("InternalErrorBody", &production)] {
        assert!(is_valid_for_schema(component, body), "{component}");
    }
}

#[test]
fn unknown_members_are_tolerated() {
    let list: ListResponse<ErrorBody> =
        serde_json::from_value(json!({"data": [{"error": "x", "more": 1}], "page": 1})).unwrap();
    assert_eq!(list.data[0].error, "x");
    let mut payload = event(5);
    payload["Tomorrow"] = json!({"deep": [1]});
    let read: Event = serde_json::from_value(payload).unwrap();
    assert_eq!(read.id, 5);
}

#[test]
fn the_headers_are_spelled_as_in_the_document() {
    let contract = Contract::builtin().unwrap();
    let headers = contract.document()["components"]["headers"].as_object().unwrap();
    let named: Vec<&str> = headers.values().map(|header| header["x-takt-header"].as_str().unwrap()).collect();
    let [limit, remaining, reset] = [wire::X_RATE_LIMIT_LIMIT, wire::X_RATE_LIMIT_REMAINING, wire::X_RATE_LIMIT_RESET];
    let pages = [wire::X_PAGINATION_CURRENT, wire::X_PAGINATION_PAGES, wire::X_PAGINATION_TOTAL];
    for header in pages.into_iter().chain([limit, remaining, reset]) {
        assert!(named.contains(&header), "{header} is none of {named:?}");
    }
}

#[test]
fn durations_are_read() {
    const SECOND: i64 = duration::TICKS_PER_SECOND;
    for (text, ticks) in [
        ("00:00:00", 0),
        ("01:30:00", 5400 * SECOND),
        ("1:2:3", 3723 * SECOND),
        ("30:00:00", 108_000 * SECOND),
        ("1.02:03:04", 93_784 * SECOND),
        ("-00:00:01.5", -15_000_000),
        ("00:00:00.0000001", 1),
        ("00:00:00.123456700", 1_234_567),
        (" 00:00:01 ", SECOND),
    ] {
        assert_eq!(duration::parse_ticks(text), Some(ticks), "{text}");
    }
    for text in [
        "",
        ":",
        "::",
        "1:30",
        "01:60:00",
        "01:00:60",
        "a:00:00",
        "00:00:00.",
        "00:00:00.00000001",
        "1.:00:00",
        ".1:00:00",
        "--1:00:00",
        "+1:00:00",
        "00:00:00.1.2",
        "99999999999999999999:00:00",
        "9999999999.00:00:00",
        "00:000:00",
        "٠١:00:00",
        "00:00:00.é",
        "00:00:00.1234567000000000000000000é",
    ] {
        assert_eq!(duration::parse_ticks(text), None, "{text}");
    }
}

#[test]
fn durations_are_written_as_they_are_read() {
    for (ticks, text) in [
        (0, "00:00:00"),
        (54_000_000_000, "01:30:00"),
        (-15_000_000, "-00:00:01.5000000"),
        (1, "00:00:00.0000001"),
        (937_840_000_000, "1.02:03:04"),
    ] {
        assert_eq!(duration::format_ticks(ticks), text);
        assert_eq!(duration::parse_ticks(text), Some(ticks));
    }
    for ticks in [i64::MAX, i64::MIN + 1, 863_999_999_999, -864_000_000_000] {
        assert_eq!(duration::parse_ticks(&duration::format_ticks(ticks)), Some(ticks));
    }
    assert_eq!(duration::format_ticks(i64::MIN), "-10675199.02:48:05.4775808");
}

#[test]
fn durations_of_events_count_days_as_hours() {
    for (ticks, text) in [
        (0, "00:00:00"),
        (-15_000_000, "-00:00:01.5000000"),
        (1, "00:00:00.0000001"),
        (937_840_000_000, "26:03:04"),
        (3_600_000_000_000, "100:00:00"),
        (i64::MIN, "-256204778:48:05.4775808"),
    ] {
        assert_eq!(duration::format_ticks_in_hours(ticks), text);
        assert_eq!(duration::parse_ticks(text).is_some(), ticks != i64::MIN, "{text}");
    }
}

#[test]
fn a_glance_sees_what_is_of_its_kind_and_passes_over_the_rest() {
    let event = json!({
        "Id": 8, "Description": "", "WorkStation": 5, "WorkStationCode": "WS-01", "UserTrigger": null, "New": [1],
        "WorkOrders": [{ "Code": "WO-1", "OperationCode": "010" }, "odd", { "Code": "WO-1", "OperationCode": "010" }, { "Code": 7 }],
        "MaterialSupplies": [{ "WorkOrderCode": "WO-2", "OperationCode": null }],
    });
    let seen = summarize(&event).unwrap();
    assert_eq!(
        (seen.id, seen.station.as_deref(), seen.station_name, seen.description),
        (Some(8), Some("WS-01"), None, None)
    );
    assert_eq!(seen.orders, [("WO-1".to_owned(), Some("010".to_owned())), ("WO-2".to_owned(), None)]);
    assert_eq!(summarize(&json!({ "Id": "8", "WorkOrders": {} })), Some(EventSummary::default()));
    assert_eq!(summarize(&json!([])), None);
    assert_eq!(read_event_id(event.to_string().as_bytes()), Some(8));
    for none in ["", "[8]", "{}", "{\"Id\":\"8\"}", "{\"Id\":8", "8"] {
        assert_eq!(read_event_id(none.as_bytes()), None, "{none}");
    }
}

#[test]
fn what_is_told_of_the_floor_is_what_is_of_its_kind() {
    let event = json!({
        "WorkOrders": [
            { "Code": "WO-1", "OperationCode": "10", "BeginReal": "2026-01-02T08:00:00", "EndReal": null,
              "RequestedQuantity": 5, "ProducedGoodQuantity": "2", "ProducedBadQuantity": 0.5,
              "ProducedQuantityHistory": [{ "Date": "2026-01-02T08:10:00" }, 7, { "Date": "2026-01-02T08:20:00" }] },
            { "OperationCode": "20" },
            7,
        ],
        "ProductionAlert": { "Id": 3, "Type": "Help", "Note": "", "Opened": "2026-01-02T08:00:00Z", "Closed": null },
    });
    let told = read_floor_event(&event);
    let [order] = told.orders.as_slice() else { panic!("{told:?}") };
    assert_eq!((order.code.as_str(), order.ended.as_deref(), order.good, order.bad), ("WO-1", None, None, Some(0.5)));
    assert_eq!((order.requested, order.recorded.as_deref()), (Some(5.0), Some("2026-01-02T08:20:00")));
    let alert = told.alert.unwrap();
    assert_eq!((alert.id, alert.note, alert.closed), (3, None, None));
    assert_eq!(takt_contract::wire::read_floor_event(&json!([])), FloorEventData::default());
}
