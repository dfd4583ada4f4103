//! Tests that results exported as a workbook can be read again.

use serde_json::{Value, json};
use takt_engine::{item::RowResult, submission::SendOptions};
use takt_plant::RunningPlant;
use takt_sheet::{CellValue, Limits, Sheet, Workbook};
use takt_test_support::setup::control_answer;

use super::support::{SHEET, counts, engine_fixture, item, material, plant, request, rows, send, with_options};

fn read_sheet(path: &std::path::Path, sheet: &str) -> Sheet {
    let limits = Limits::default();
    Workbook::open(path, &limits).unwrap().read(sheet, &limits, &|| false).unwrap()
}

fn shown_rows(sheet: &Sheet) -> Vec<Vec<String>> {
    let cell = |cell: &takt_sheet::Cell| match cell.value() {
        CellValue::Text(text) => text.to_owned(),
        CellValue::Number(number) => number.to_string(),
        CellValue::DateTime(at) => at.to_string(),
        other => format!("{other:?}"),
    };
    sheet.rows.iter().map(|row| row.cells.iter().map(cell).collect()).collect()
}

#[tokio::test]
async fn every_row_with_its_result_and_reasons() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let mut items: Vec<_> = (1..=12).map(material).collect();
    items.push(takt_engine::item::Item { blocked: true, ..item(13, "=cmd()", json!({ "code": "=cmd()" })) });
    let wanted =
        with_options(request("materials.sync", items, 5), SendOptions { skip_blocked: true, ..SendOptions::default() });
    let view = send(&fixture.engine, wanted).await;
    let path = fixture.home.path().join("results.xlsx");
    fixture.engine.submissions().export_results(view.id, None, &path).unwrap();

    let rows = shown_rows(&read_sheet(&path, "Results"));
    assert_eq!(rows.len(), 14);
    assert_eq!(rows[0], ["Sheet", "Row", "Key", "Result", "Reasons", "Request"]);
    assert_eq!(
        (rows[1][..3].to_vec(), rows[1][3].as_str()),
        (vec![SHEET.to_owned(), "1".to_owned(), "T-00001".to_owned()], "accepted")
    );
    assert_eq!(rows[10][3], "rejected");
    assert!(rows[10][4].contains("description"), "{:?}", rows[10]);
    assert_eq!((rows[13][2].as_str(), rows[13][3].as_str()), ("=cmd()", "skipped"));
    assert_eq!(rows[12][5], "3");

    fixture.engine.set_language(takt_engine::Language::De);
    fixture.engine.submissions().export_results(view.id, None, &path).unwrap();
    assert_eq!(shown_rows(&read_sheet(&path, "Ergebnisse"))[1][3], "angenommen");
    let nowhere = fixture.home.path().join("no such folder").join("results.xlsx");
    assert_eq!(
        fixture.engine.submissions().export_results(view.id, None, &nowhere).unwrap_err().code,
        takt_engine::Code::WriteFailed
    );
}

/// Returns links of the plant from its control interface.
pub(crate) async fn links(plant: &RunningPlant, count: usize) -> Vec<Value> {
    let body = control_answer(plant, "state/template-processes").await;
    body["data"].as_array().unwrap().iter().take(count).cloned().collect()
}

#[tokio::test]
async fn deleted_rows_are_saved() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let mut links = links(&plant, 3).await;
    links.push(json!({ "templateId": 1, "processCode": "NOWHERE", "operationCode": "010" }));
    let items = links.iter().zip(1..).map(|(link, row)| item(row, &row.to_string(), link.clone())).collect();
    let view = send(&fixture.engine, request("template-processes.delete", items, 10)).await;
    assert_eq!(view.counts, counts(0, 3, 1, 0));
    assert_eq!(rows(&fixture.engine, view.id, Some(RowResult::Rejected)).len(), 1);

    let path = fixture.home.path().join("deleted.xlsx");
    fixture.engine.submissions().export_results(view.id, None, &path).unwrap();
    let rows = shown_rows(&read_sheet(&path, "Deleted links"));
    assert_eq!(rows[0], ["templateId", "processCode", "operationCode", "Deleted at (UTC)", "Result"]);
    for (row, link) in rows[1..4].iter().zip(&links) {
        assert_eq!(row[0], link["templateId"].to_string());
        assert_eq!(row[1], link["processCode"].as_str().unwrap());
        assert_eq!(row[2], link["operationCode"].as_str().unwrap());
        assert!(row[3].starts_with("20") && row[4] == "accepted", "{row:?}");
    }
    assert_eq!((rows[4][3].as_str(), rows[4][4].as_str()), ("Empty", "rejected"));
}
