//! Findings by cell, and the items that are built from the other rows.

use jiff::civil::date;
use serde_json::json;
use takt_core::{FindingCode, Severity};
use takt_import::RowFilter;
use takt_sheet::{TICKS_PER_SECOND, writer::OutCell};

use super::{Fixture, text, texts};

const ORDER_HEADINGS: [&str; 6] =
    ["code", "operationCode", "materialCode", "requestedQuantity", "beginPlanned", "endPlanned"];

#[test]
fn every_rule_of_an_order_is_found_at_its_cell() {
    let fixture = Fixture::new();
    let day = |day| OutCell::DateTime(date(2026, 11, day).at(8, 0, 0, 0));
    let view = fixture.open(
        "orders.xlsx",
        &ORDER_HEADINGS,
        vec![
            vec![text("WO-1"), text("010"), text("MAT-1"), OutCell::Number(5.0), day(23), day(24)],
            vec![text(""), text("010"), text("MAT-1"), OutCell::Number(5.0), day(23), day(24)],
            vec![text("WO-2"), text("010"), text("MAT-1"), OutCell::Number(0.0), day(23), day(24)],
            vec![text("WO-3"), text("010"), text("MAT-1"), text("five"), day(23), day(24)],
            vec![text("WO-4"), text("010"), text("MAT-1"), OutCell::Number(5.0), day(24), day(23)],
            vec![text("WO-1"), text("010"), text("MAT-1"), OutCell::Number(5.0), day(23), text("soon")],
        ],
    );
    assert_eq!(view.operation.as_deref(), Some("work-orders.sync"));
    assert_eq!(
        fixture.finding_texts(&view),
        [
            "A2 duplicate-key",
            "A3 required",
            "D4 not-above",
            "D5 not-a-number",
            "F6 not-before",
            "A7 duplicate-key",
            "F7 not-a-date",
        ]
    );
    assert_eq!((view.counts.error_rows, view.counts.ready_rows, view.counts.errors), (6, 0, 7));
    let duplicate = &fixture.imports.findings(view.id).unwrap()[0];
    assert_eq!(duplicate.parameters["rows"], "7");
    let facet = view.facets.iter().find(|facet| facet.code == FindingCode::DuplicateKey).unwrap();
    assert_eq!((facet.count, facet.field.as_deref()), (2, Some("code")));
}

#[test]
fn dates_and_durations_are_sent_as_they_stand() {
    let fixture = Fixture::new();
    let headings = ["code", "operationCode", "materialCode", "requestedQuantity", "beginPlanned", "laborPredictedTime"];
    let row = |code: &str, begin: OutCell, time: OutCell| {
        vec![text(code), text("010"), text("MAT-1"), OutCell::Number(13.75), begin, time]
    };
    let hours = |hours: i64| OutCell::Duration(hours * 3600 * TICKS_PER_SECOND);
    let view = fixture.open(
        "orders.xlsx",
        &headings,
        vec![
            row("WO-1", OutCell::DateTime(date(2026, 3, 29).at(2, 30, 0, 0)), hours(36)),
            row("WO-2", text("29.03.2026 02:30"), text("1:30")),
            row("WO-3", text("2026-03-29T02:30:00Z"), OutCell::Number(1.5)),
        ],
    );
    assert_eq!(fixture.finding_texts(&view), ["F4 duration-without-unit"]);
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    let body = |item: usize, field: &str| items[item].body[field].clone();
    // Zones with a clock change skip this time. It must not be changed.
    assert_eq!(body(0, "beginPlanned"), json!("2026-03-29T02:30:00"));
    assert_eq!(body(1, "beginPlanned"), json!("2026-03-29T02:30:00"));
    assert_eq!(body(2, "beginPlanned"), json!("2026-03-29T02:30:00Z"));
    assert_eq!((body(0, "laborPredictedTime"), body(1, "laborPredictedTime")), (json!("36:00:00"), json!("01:30:00")));
    assert_eq!(body(0, "requestedQuantity"), json!(13.75));
}

#[test]
fn codes_keep_their_zeros_and_rounded_numbers_are_stopped() {
    let fixture = Fixture::new();
    let view = fixture.open(
        "materials.xlsx",
        &["code", "description"],
        vec![
            vec![OutCell::FormattedNumber(123.0, "00000".to_owned()), text("shown with zeros")],
            vec![OutCell::Number(12_345_678_901_234_567.0), text("rounded by Excel")],
            vec![text("007"), text("a text")],
            vec![OutCell::Number(42.0), text("a number")],
        ],
    );
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(fixture.finding_texts(&view), ["A2 shown-text-kept", "A3 too-many-digits"]);
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    let codes: Vec<_> = items.iter().map(|item| item.body["code"].clone()).collect();
    assert_eq!(codes, [json!("00123"), json!(null), json!("007"), json!("42")]);
    assert_eq!(items.iter().map(|item| item.blocked).collect::<Vec<_>>(), [false, true, false, false]);
}

#[test]
fn decimal_commas_are_proven_by_the_column_or_asked_about() {
    let fixture = Fixture::new();
    let view = fixture.open_csv("materialCode;quantity\nM-1;13,75\nM-2;1.375\nM-3;\"2.000,5\"\nM-4;5 kg\n");
    let view = fixture.imports.choose_operation(view.id, "stock.sync").unwrap();
    assert_eq!(fixture.finding_texts(&view), ["B5 not-a-number"]);
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    let quantities: Vec<_> = items.iter().map(|item| item.body["quantity"].clone()).collect();
    assert_eq!(quantities, [json!(13.75), json!(1375), json!(2000.5), json!(null)]);
    let view = fixture.open_csv("materialCode;quantity\nM-1;1,375\nM-2;12\n");
    let view = fixture.imports.choose_operation(view.id, "stock.sync").unwrap();
    assert_eq!(fixture.finding_texts(&view), ["B2 ambiguous-number"]);
}

#[test]
fn day_and_month_are_proven_by_the_column_or_asked_about() {
    let fixture = Fixture::new();
    let orders = |dates: [&str; 2]| {
        let rows = dates.iter().enumerate().map(|(number, date)| format!("WO-{number};010;M-1;5;{date}\n"));
        format!("code;operationCode;materialCode;requestedQuantity;promiseDate\n{}", rows.collect::<String>())
    };
    let view = fixture.open_csv(&orders(["01/02/2027", "31/01/2027"]));
    assert_eq!(fixture.finding_texts(&view), ["E2 date-order"]);
    let finding = &fixture.imports.findings(view.id).unwrap()[0];
    assert_eq!((finding.severity, finding.parameters["order"].as_str()), (Severity::Note, "DD/MM/YYYY"));
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    assert_eq!(items[0].body["promiseDate"], json!("2027-02-01T00:00:00"));
    let view = fixture.open_csv(&orders(["01/02/2027", "03/04/2027"]));
    assert_eq!(fixture.finding_texts(&view), ["E2 ambiguous-date", "E3 ambiguous-date"]);
    assert_eq!(view.counts.ready_rows, 0);
}

#[test]
fn the_grid_shows_filtered_rows_with_what_will_be_sent() {
    let fixture = Fixture::new();
    let rows = (0..50).map(|row| texts(&[&format!("M-{row}"), "5", if row == 30 { "ja" } else { "" }])).collect();
    let view = fixture.open("m.xlsx", &["code", "description", "isActive"], rows);
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    let page = fixture.imports.rows(view.id, &RowFilter::default(), 30, 5).unwrap();
    assert_eq!((page.total, page.rows.len(), page.rows[0].row.get()), (50, 5, 32));
    assert_eq!((page.rows[0].cells[2].shown.as_str(), page.rows[0].cells[2].read.as_deref()), ("ja", Some("true")));
    let filter = RowFilter { text: Some("m-4".to_owned()), ..RowFilter::default() };
    let page = fixture.imports.rows(view.id, &filter, 0, 100).unwrap();
    assert_eq!((page.total, page.rows[0].row.get()), (11, 6));
    fixture.imports.match_column(view.id, 1, Some("isActive")).unwrap();
    let filter =
        RowFilter { severity: Some(Severity::Error), code: Some(FindingCode::NotABoolean), ..RowFilter::default() };
    let page = fixture.imports.rows(view.id, &filter, 0, 100).unwrap();
    assert_eq!(page.total, 50);
    assert_eq!(
        page.rows[0].findings.iter().map(|finding| finding.column.as_deref()).collect::<Vec<_>>(),
        [None, Some("B")]
    );
}
