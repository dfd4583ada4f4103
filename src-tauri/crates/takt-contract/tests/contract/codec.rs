//! Tests of the translation between Takt's names and formats and a site's.

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use takt_contract::{Contract, Parameter, RowSchema, SpanEnd, form::ValueForm, overlay::Overlay};

use super::json_of;

/// Returns the row schema of a list and the item schema of a sync, at a site with these fields.
fn shapes(rows: &Value, items: &Value) -> (RowSchema, RowSchema) {
    let overlay: Overlay = serde_json::from_value(json!({ "operations": [
        { "id": "work-stations.list", "provenance": provenance(), "answer": { "fields": rows } },
        { "id": "work-orders.sync", "provenance": provenance(), "request": { "member": "Items", "fields": items } },
    ] }))
    .unwrap();
    let contract = Contract::builtin().unwrap().with_overlay(&overlay, &TimeZone::UTC);
    let operation = |id: &str| contract.operation(id).unwrap();
    (operation("work-stations.list").answer.clone().unwrap(), operation("work-orders.sync").request.clone().unwrap())
}

fn provenance() -> Value {
    json!({ "level": "site", "source": "test" })
}

fn field(name: &str, wire: &str, form: &Value) -> Value {
    json!({ "name": name, "wire": wire, "form": form, "provenance": provenance() })
}

#[test]
fn codes_stand_for_texts_and_for_other_numbers() {
    let days = json!({ "form": "codes", "codes": [{ "name": "7", "wire": 0 }, { "name": "1", "wire": 1 }] });
    let interval = json!({ "name": "intervals", "wire": "Intervals", "provenance": provenance(),
        "fields": [field("weekday", "DayOfWeek", &days)] });
    let shifts = json!({ "name": "shifts", "wire": "Shifts", "provenance": provenance(), "fields": [interval] });
    let types = json!({ "form": "codes", "codes": [{ "name": "Rework", "wire": 2 }] });
    let (rows, items) = shapes(&json!([shifts]), &json!([field("type", "OrderType", &types)]));
    let row = rows.decode_row(r#"{"Shifts":[{"Intervals":[{"DayOfWeek":0},{"DayOfWeek":1},{"DayOfWeek":5}]}]}"#);
    // Values without a code are unchanged.
    let expected = json!([{ "weekday": 7 }, { "weekday": 1 }, { "weekday": 5 }]);
    assert_eq!(json_of(&row)["shifts"][0]["intervals"], expected);
    let back = rows.encode_item(&row, &TimeZone::UTC);
    assert_eq!(json_of(&back)["Shifts"][0]["Intervals"][0], json!({ "DayOfWeek": 0 }));
    let body = items.encode_body([r#"{"type":"rework"}"#, r#"{"type":"Sculpture"}"#].into_iter(), &TimeZone::UTC);
    assert_eq!(json_of(&body), json!({ "Items": [{ "OrderType": 2 }, { "OrderType": "Sculpture" }] }));
}

#[test]
fn times_that_the_clock_skips_or_repeats_never_move() {
    let berlin = TimeZone::get("Europe/Berlin").unwrap();
    let forms = [
        json!({ "form": "offset-date-time" }),
        json!({ "form": "utc-date-time" }),
        json!({ "form": "epoch", "unit": "seconds" }),
    ];
    // A repeated time without an offset is sent as its first occurrence.
    let expected = [
        [json!("2026-10-25T02:10:00+02:00"), json!("2026-10-25T02:10:00+01:00")],
        [json!("2026-10-25T00:10:00Z"), json!("2026-10-25T01:10:00Z")],
        [json!(1_792_887_000), json!(1_792_890_600)],
    ];
    for (form, [first, second]) in forms.iter().zip(expected) {
        let (_, items) = shapes(&json!([]), &json!([field("beginPlanned", "Start", form)]));
        let sent = |text: &str| json_of(&items.encode_item(&json!({ "beginPlanned": text }).to_string(), &berlin));
        assert_eq!(sent("2026-10-25T02:10:00")["Start"], first);
        assert_eq!(sent("2026-10-25T02:10:00+01:00")["Start"], second);
        // A skipped time is sent unchanged.
        assert_eq!(sent("2026-03-29T02:10:00")["Start"], "2026-03-29T02:10:00");
    }
}

#[test]
fn the_ends_of_a_span_contain_the_repeated_hour() {
    let berlin = TimeZone::get("Europe/Berlin").unwrap();
    let contract = Contract::builtin().unwrap();
    let of_span = contract.operations().iter().flat_map(|operation| &operation.parameters);
    let template = of_span.into_iter().find(|parameter| parameter.span.is_some()).unwrap();
    let asked = |text: &str, end| {
        let parameter = Parameter { form: ValueForm::UtcDateTime, span: Some(end), ..template.clone() };
        assert_eq!(parameter.encode_for_body(text, &berlin), parameter.encode_for_address(text, &berlin));
        parameter.encode_for_address(text, &berlin)
    };
    assert_eq!(asked("2026-10-25T02:10:00", SpanEnd::Begin), "2026-10-25T00:10:00Z");
    assert_eq!(asked("2026-10-25T02:10:00", SpanEnd::End), "2026-10-25T01:10:00Z");
    assert_eq!(asked("2026-03-29T02:10:00", SpanEnd::Begin), "2026-03-29T01:00:00Z");
    assert_eq!(asked("2026-03-29T02:10:00", SpanEnd::End), "2026-03-29T01:00:00Z");
    assert_eq!(asked("2026-03-28", SpanEnd::Begin), "2026-03-27T23:00:00Z");
}

#[test]
fn moments_and_durations_travel_in_the_sites_form() {
    let fields = json!([
        field("beginPlanned", "PlannedStart", &json!({ "form": "offset-date-time" })),
        field("laborPredictedTime", "Labor", &json!({ "form": "duration-iso" })),
        field("machinePredictedTime", "Minutes", &json!({ "form": "duration-number", "unit": "minutes" })),
    ]);
    let (_, items) = shapes(&json!([]), &fields);
    let item = json!({ "beginPlanned": "2027-07-01T08:00:00", "laborPredictedTime": "26:00:00", "machinePredictedTime": "1:30:30" });
    let sent = json_of(&items.encode_item(&item.to_string(), &TimeZone::get("Europe/Berlin").unwrap()));
    assert_eq!(sent, json!({ "PlannedStart": "2027-07-01T08:00:00+02:00", "Labor": "PT26H", "Minutes": 90.5 }));
    let read = json_of(&items.decode_row(&sent.to_string()));
    assert_eq!(read["beginPlanned"], "2027-07-01T08:00:00+02:00");
    assert_eq!(
        (&read["laborPredictedTime"], &read["machinePredictedTime"]),
        (&json!("1.02:00:00"), &json!("01:30:30"))
    );
}
