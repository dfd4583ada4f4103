//! Tests of a plant with rows from a site, and of a plant with a site's contract.

use std::sync::Arc;

use jiff::tz::TimeZone;
use reqwest::Method;
use serde_json::{Value, json};
use takt_contract::{Contract, overlay::Overlay};
use takt_plant::{CopiedList, CopiedTemplate, CopyRemark, CopyRemarkKind, CopyReport, Fault, PlantConfig, PlantCopy};

use crate::fixture::{Fixture, config};

fn copied_list(operation: &str, rows: Value) -> CopiedList {
    CopiedList { operation: operation.to_owned(), rows: serde_json::from_value(rows).unwrap() }
}

fn site_copy() -> PlantCopy {
    let station = json!({ "code": "S-1", "description": "Saw", "isActive": true });
    let order = |code: &str, station: &str| {
        json!({ "id": 70, "code": code, "operationCode": "010", "materialCode": "M-1", "workStationCode": station,
            "templateId": 5, "requestedQuantity": 3, "beginPlanned": "2026-11-20T08:00:00+01:00",
            "laborPredictedTime": "01:30:00" })
    };
    let hours = json!([
        { "employeeBadge": "B-77", "employeeName": "Ada Miller", "workStationCode": "S-1", "begin": "2026-11-20T06:00:00" },
        { "employeeBadge": "B-78", "employeeName": "Ben Mason", "workStationCode": "S-1", "begin": "2026-11-20T06:00:00" },
        { "employeeBadge": "B-77", "employeeName": "Ada Miller", "workStationCode": "S-1", "begin": "2026-11-20T13:00:00" },
    ]);
    PlantCopy {
        lists: vec![
            copied_list("work-stations.list", json!([station, station, "odd"])),
            copied_list("materials.list", json!([{ "code": "M-1" }, { "description": "nameless" }])),
            copied_list("inspection-processes.list", json!([{ "code": "P-1" }])),
            copied_list("work-orders.details", json!([order("O-1", "S-1"), order("O-2", "S-9")])),
            copied_list("labor-times.list", hours),
            copied_list("alerts.list", json!([{ "id": 4, "colour": "red" }])),
            copied_list("tools.list", json!([{ "tool": 1 }, { "tool": 2 }])),
        ],
        templates: vec![
            CopiedTemplate { id: 5, processes: serde_json::from_value(json!([{ "code": "P-1" }])).unwrap() },
            CopiedTemplate { id: 6, processes: serde_json::from_value(json!([{ "code": "P-2" }])).unwrap() },
        ],
    }
}

async fn start_with_copy(copy: PlantCopy, contract: Option<Contract>) -> Fixture {
    Fixture::with_config(PlantConfig { copy: Some(Arc::new(copy)), contract: contract.map(Arc::new), ..config() }).await
}

fn find_remark<'a>(report: &'a CopyReport, kind: CopyRemarkKind, operation: &str, member: &str) -> &'a CopyRemark {
    let remark_found =
        report.remarks.iter().find(|one| (one.kind, &*one.operation, &*one.member) == (kind, operation, member));
    remark_found.unwrap_or_else(|| panic!("{kind:?} {operation} {member}: {:?}", report.remarks))
}

#[tokio::test]
async fn a_plant_begins_with_the_rows_that_it_is_given_and_says_what_it_cannot_hold() {
    let fixture = start_with_copy(site_copy(), None).await;
    let report = fixture.plant.plant().copy_report().unwrap();
    let counts: Vec<_> = report.lists.iter().map(|list| (&*list.operation, list.given, list.kept)).collect();
    let expected = [
        ("work-stations.list", 3, 2),
        ("materials.list", 2, 1),
        ("inspection-processes.list", 1, 1),
        ("work-orders.details", 2, 2),
        ("labor-times.list", 3, 3),
        ("alerts.list", 1, 1),
        ("tools.list", 2, 0),
    ];
    assert_eq!(counts, expected);
    assert_eq!((report.templates, report.links), (2, 2));
    let remarks = |kind, operation, member| {
        let remark = find_remark(report, kind, operation, member);
        (remark.count, remark.keys.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(remarks(CopyRemarkKind::NoPlace, "tools.list", ""), (2, vec!["1", "2"]));
    assert_eq!(remarks(CopyRemarkKind::NoRow, "work-stations.list", ""), (1, vec!["3"]));
    assert_eq!(remarks(CopyRemarkKind::SameKey, "work-stations.list", ""), (1, vec!["S-1"]));
    assert_eq!(remarks(CopyRemarkKind::NoKey, "materials.list", "code"), (1, vec!["2"]));
    assert_eq!(remarks(CopyRemarkKind::Lacks, "materials.list", "description"), (1, vec!["M-1"]));
    assert_eq!(remarks(CopyRemarkKind::UnknownMember, "alerts.list", "colour").0, 1);
    assert_eq!(remarks(CopyRemarkKind::NamesNothing, "work-orders.details", "workStationCode"), (1, vec!["S-9"]));
    assert_eq!(remarks(CopyRemarkKind::NamesNothing, "templates.processes", "code"), (1, vec!["P-2"]));
    assert_eq!(remarks(CopyRemarkKind::NoOperation, "templates.processes", ""), (1, vec!["6"]));

    let orders = fixture.get("/api/v1/WorkOrders?code=O-1").await;
    let order = &orders.rows()[0];
    assert_eq!((&order["requestedQuantity"], &order["beginPlanned"]), (&json!(3), &json!("2026-11-20T08:00:00+01:00")));
    assert_eq!(order["laborPredictedTime"]["ticks"], 54_000_000_000_i64);
    let item = |code: &str, material: &str| json!({ "code": code, "operationCode": "010", "materialCode": material, "requestedQuantity": 1 });
    let sent = fixture.send_batch("work-orders.sync", json!([item("O-3", "M-1"), item("O-4", "MAT-1001")])).await;
    assert_eq!((&sent.body["successCount"], &sent.body["errorCount"]), (&json!(1), &json!(1)), "{}", sent.body);
    let made = fixture.get("/api/v1/WorkOrders?code=O-3").await;
    assert_eq!(made.rows()[0]["id"], 71);
    fixture.plant.plant().reset().unwrap();
    assert_eq!(fixture.get("/api/v1/WorkOrders").await.rows().len(), 2);
}

#[tokio::test]
async fn people_are_numbers_where_they_are_masked() {
    let mut copy = site_copy();
    copy.mask_people();
    let fixture = start_with_copy(copy, None).await;
    let hours = fixture.get("/api/v1/EmployeeHours").await;
    let of = |row: usize, name: &str| hours.rows()[row][name].as_str().unwrap().to_owned();
    let names = [0, 1, 2].map(|row| (of(row, "employeeName"), of(row, "employeeBadge")));
    assert!(names[0] == names[2] && names[0].0 != names[1].0 && names[0].1 != names[1].1, "{names:?}");
    let text = hours.body.to_string();
    assert!(["Ada", "Miller", "Ben", "Mason", "B-77"].iter().all(|name| !text.contains(name)), "{text}");
    assert_eq!(of(0, "workStationCode"), "S-1");
}

/// Returns a site's contract, which differs from the built-in one in every part.
fn site_contract() -> Contract {
    let provenance = json!({ "level": "site", "source": "test" });
    let field = |name: &str, wire: &str, form: Value| json!({ "name": name, "wire": wire, "form": form, "provenance": provenance });
    let plain = |name: &str, wire: &str| field(name, wire, json!({ "form": "as-is" }));
    let order = json!([plain("code", "OrderNumber"), plain("operationCode", "OperationNo"), plain("materialCode", "Article"),
        plain("requestedQuantity", "Target"), plain("workStationCode", "WorkCenter"),
        field("beginPlanned", "Start", json!({ "form": "offset-date-time" })),
        field("laborPredictedTime", "Labor", json!({ "form": "duration-iso" })),
        { "name": "Colour", "kind": "text", "provenance": provenance }]);
    let mut needed = order.clone();
    for at in [4, 7] {
        needed[at]["required"] = json!(true);
    }
    let overlay: Overlay = serde_json::from_value(json!({
        "errors": { "reasons": ["detail"], "logId": ["trace"] },
        "operations": [
            { "id": "work-orders.list", "provenance": provenance, "path": "/mes/orders",
                "paging": { "paging": { "page": "Skip", "limit": "Take", "first": 0, "rows": 2, "countsRows": true,
                    "total": { "member": "Data.Total" } } },
                "parameters": [{ "name": "code", "wire": "Number", "provenance": provenance }],
                "answer": { "member": "Data.Items", "complete": true, "fields": order } },
            { "id": "work-orders.sync", "provenance": provenance, "method": "PUT", "path": "/mes/orders",
                "request": { "member": "", "fields": needed },
                "batch": { "results": "Failures", "onlyFailures": true, "index": { "name": "Row", "first": 1 },
                    "reasons": ["Messages"], "total": "Total", "accepted": "Done", "rejected": "Failed" } },
            { "id": "materials.list", "provenance": provenance, "method": "POST", "path": "/mes/articles/search",
                "paging": { "paging": { "page": "Paging.Skip", "limit": "Paging.Take", "first": 0, "rows": 2,
                    "countsRows": true, "inBody": true } },
                "parameters": [{ "name": "code", "wire": "Filter.Code", "place": "body", "provenance": provenance }] },
            { "id": "work-stations.list", "provenance": provenance, "path": "/mes/centers", "paging": { "paging": null },
                "answer": { "member": "", "fields": [plain("code", "Center")] } },
        ],
    }))
    .unwrap();
    Contract::builtin().unwrap().with_overlay(&overlay, &TimeZone::get("Europe/Berlin").unwrap())
}

async fn send_request(fixture: &Fixture, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
    let mut request = fixture.client.request(method, fixture.url(path)).bearer_auth(&fixture.planner);
    if let Some(body) = body {
        request = request.json(&body);
    }
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test]
async fn a_plant_speaks_the_contract_of_a_site() {
    let mut copy = site_copy();
    let rows = &mut copy.lists[3].rows;
    rows[0] = serde_json::from_str(&rows[0].get().replacen('{', "{\"Colour\":\"red\",", 1)).unwrap();
    let fixture = start_with_copy(copy, Some(site_contract())).await;
    assert_eq!(send_request(&fixture, Method::GET, "/api/v1/WorkOrders", None).await.0, 404, "the built-in address");
    let (status, body) = send_request(&fixture, Method::GET, "/mes/orders?Skip=1&Take=1", None).await;
    assert_eq!((status, &body["Data"]["Total"]), (200, &json!(2)), "{body}");
    let expected = json!([{ "OrderNumber": "O-2", "OperationNo": "010", "Article": "M-1", "Target": 3,
        "WorkCenter": "S-9", "Start": "2026-11-20T08:00:00+01:00", "Labor": "PT1H30M", "Colour": null }]);
    assert_eq!(body["Data"]["Items"], expected);
    let (_, body) = send_request(&fixture, Method::GET, "/mes/orders?Number=O-1", None).await;
    assert_eq!((&body["Data"]["Items"][0]["Colour"], &body["Data"]["Total"]), (&json!("red"), &json!(1)), "{body}");
    let page =
        |skip: u32| Some(json!({ "Paging": { "Skip": skip, "Take": 1 }, "Filter": { "Code": "M-1", "Text": null } }));
    let (status, body) = send_request(&fixture, Method::POST, "/mes/articles/search", page(0)).await;
    assert_eq!((status, &body["data"][0]["code"]), (200, &json!("M-1")), "{body}");
    let (_, body) = send_request(&fixture, Method::POST, "/mes/articles/search", page(1)).await;
    assert_eq!(body["data"], json!([]), "the second page of one row");
    let (_, body) = send_request(&fixture, Method::GET, "/mes/centers", None).await;
    assert_eq!(body.as_array().map(Vec::len), Some(1), "{body}");
    assert_eq!(body[0]["Center"], "S-1");

    let order = |number: &str, article: &str| {
        json!({ "OrderNumber": number, "OperationNo": "010", "Article": article, "Target": 8, "Colour": "blue",
            "Start": "2026-11-21T08:00:00+01:00", "Labor": "PT45M", "WorkCenter": "S-1" })
    };
    let mut bare = order("N-3", "M-1");
    ["Colour", "WorkCenter"].iter().for_each(|name| drop(bare.as_object_mut().unwrap().remove(*name)));
    let (_, refused) = send_request(&fixture, Method::PUT, "/mes/orders", Some(json!([bare]))).await;
    let words = json!(["WorkCenter is required.", "Colour is required."]);
    assert_eq!((&refused["Failed"], &refused["Failures"][0]["Messages"]), (&json!(1), &words), "{refused}");
    let sent = json!([order("N-1", "M-1"), order("N-2", "M-9")]);
    fixture.plant.plant().set_faults(vec!["results-reordered:1".parse::<Fault>().unwrap()], 1);
    let (status, body) = send_request(&fixture, Method::PUT, "/mes/orders", Some(sent)).await;
    fixture.plant.plant().set_faults(Vec::new(), 1);
    let failure = &body["Failures"][0];
    assert_eq!(
        (status, body["Failures"].as_array().map(Vec::len), &failure["Row"]),
        (200, Some(1), &json!(2)),
        "{body}"
    );
    assert_eq!((&body["Total"], &body["Done"], &body["Failed"]), (&json!(2), &json!(1), &json!(1)));
    assert_eq!(
        (&failure["OrderNumber"], &failure["Messages"][0]),
        (&json!("N-2"), &json!("Article: there is no material M-9."))
    );
    let (_, body) = send_request(&fixture, Method::GET, "/mes/orders?Number=N-1", None).await;
    let made = &body["Data"]["Items"][0];
    assert_eq!((&made["Labor"], &made["Colour"]), (&json!("PT45M"), &json!("blue")), "{made}");

    for (path, body) in [("/mes/orders?Take=x", None), ("/mes/orders", Some(json!({ "items": [] })))] {
        let method = if body.is_some() { Method::PUT } else { Method::GET };
        let (status, answer) = send_request(&fixture, method, path, body).await;
        assert!(status == 400 && answer["detail"].is_string() && answer["errors"].is_null(), "{path}: {answer}");
    }
    fixture.plant.plant().set_faults(vec!["error-500:1".parse::<Fault>().unwrap()], 1);
    let (status, answer) = send_request(&fixture, Method::GET, "/mes/orders", None).await;
    assert!(status == 500 && answer["trace"].is_string() && answer["logId"].is_null(), "{answer}");
    let log = fixture.plant.log();
    let last = log.last().unwrap();
    assert_eq!((last.operation.as_deref(), &*last.path), (Some("work-orders.list"), "/mes/orders"));
}
