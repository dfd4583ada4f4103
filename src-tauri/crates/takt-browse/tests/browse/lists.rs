//! Reads every list, and exports the rows.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use takt_contract::OperationKind;
use takt_engine::{
    Canceller, Code, ExportFormat,
    browse::{
        Arrangement, BrowseQuery, ColumnLayout, ExportRequest, Filter, NamedView, SortBy, SpanForm, TableView,
        TableViews, Test,
    },
};
use takt_sheet::{CellValue, Limits, Workbook};
use takt_test_support::plant_fixture::{Fixture, PRACTICE};

fn query(operation: &str, parameters: &[(&str, &str)]) -> BrowseQuery {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    BrowseQuery { operation: operation.to_owned(), parameters }
}

fn query_with_required_parameters(operation: &str) -> BrowseQuery {
    let parameters: &[_] = if operation == "templates.processes" { &[("templateId", "1")] } else { &[] };
    query(operation, parameters)
}

#[tokio::test]
async fn every_read_operation_has_a_first_page() {
    let fixture = Fixture::signed_in().await;
    let reads = fixture
        .engine
        .sites()
        .builtin_contract()
        .operations()
        .iter()
        .filter(|operation| operation.kind == OperationKind::Read);
    let mut count = 0;
    for operation in reads {
        let page =
            fixture.engine.browse().fetch_page(PRACTICE, &query_with_required_parameters(&operation.id), 1, 20).await;
        let page = page.unwrap_or_else(|problem| panic!("{}: {problem:?}", operation.id));
        assert!(!page.rows.is_empty(), "{}", operation.id);
        assert_eq!(page.unknown, [""; 0], "{}", operation.id);
        assert!(page.total.is_some() && page.pages.is_some() && page.page == 1, "{}", operation.id);
        assert!(!operation.paged || page.rows.len() <= 20, "{}", operation.id);
        count += 1;
    }
    assert_eq!(count, 12);
}

#[tokio::test]
async fn all_pages_are_as_many_rows_as_were_promised() {
    let fixture = Fixture::signed_in().await;
    let mut reports = Vec::new();
    let query = query("materials.list", &[]);
    let set = fixture.engine.browse().row_set(PRACTICE, &query.operation).unwrap();
    fixture.engine.browse().read_all(&query, &set, &Canceller::new(), |progress| reports.push(progress)).await.unwrap();
    let rows = set.rows(0..usize::MAX);
    let last = reports.last().unwrap();
    assert_eq!(last.total.map(|total| total as usize), Some(rows.len()));
    assert_eq!(Some(last.page), last.pages);
    assert!(reports.len() > 1);
    let second = fixture.engine.browse().fetch_page(PRACTICE, &query, 2, 100).await.unwrap();
    assert_eq!(second.page, 2);
    assert_eq!(second.rows[0], rows[100]);
    let past = fixture.engine.browse().fetch_page(PRACTICE, &query, 10_000, 100).await.unwrap();
    assert!(past.rows.is_empty());
}

#[tokio::test]
async fn a_stopped_read_keeps_what_has_come() {
    let fixture = Fixture::signed_in().await;
    let canceller = Canceller::new();
    let stopping = canceller.clone();
    let query = query("materials.list", &[]);
    let set = fixture.engine.browse().row_set(PRACTICE, &query.operation).unwrap();
    fixture.engine.browse().read_all(&query, &set, &canceller, move |_| stopping.cancel()).await.unwrap();
    assert_eq!(set.len(), 100);
}

#[tokio::test]
async fn filters_reach_the_service() {
    let fixture = Fixture::signed_in().await;
    let read = async |parameters: &[(&str, &str)]| {
        fixture.engine.browse().fetch_page(PRACTICE, &query("work-orders.list", parameters), 1, 100).await.unwrap()
    };
    let all = read(&[("from", ""), ("code", " ")]).await;
    let code = all.rows[0]["code"].as_str().unwrap().to_owned();
    let one = read(&[("code", &code)]).await;
    assert!(one.total < all.total && one.rows.iter().all(|row| row["code"] == code));
}

#[tokio::test]
async fn what_cant_be_asked_is_named() {
    let fixture = Fixture::signed_in().await;
    for (query, code, what) in [
        (query("no.such", &[]), Code::Unknown, "no.such"),
        (query("materials.sync", &[]), Code::Unknown, "materials.sync"),
        (query("materials.list", &[("colour", "red")]), Code::Unknown, "colour"),
        (query("templates.processes", &[]), Code::InvalidInput, "templateId"),
        (query("templates.processes", &[("templateId", "../1")]), Code::InvalidInput, "../1"),
    ] {
        let problem = fixture.engine.browse().fetch_page(PRACTICE, &query, 1, 20).await.unwrap_err();
        assert_eq!((problem.code, problem.parameters["what"].as_str()), (code, what));
    }
    let missing = query("templates.processes", &[("templateId", "999999")]);
    let problem = fixture.engine.browse().fetch_page(PRACTICE, &missing, 1, 20).await.unwrap_err();
    assert_eq!(problem.code, Code::Rejected);
    assert!(!problem.reasons.is_empty() && problem.message.contains(PRACTICE));
}

#[tokio::test]
async fn failures_are_told_by_what_can_be_done() {
    let fixture = Fixture::signed_in().await;
    for (fault, code) in [
        ("error-500-dev", Code::ServiceFailed),
        ("limit-429-ms", Code::RateLimited),
        ("drop-before-apply", Code::ReadBroken),
        ("truncate", Code::ReadBroken),
        ("apply-then-502", Code::ServiceFailed),
        ("not-json", Code::AnswerNotUnderstood),
        ("expire-token", Code::SignInNeeded),
    ] {
        fixture.suffer(fault);
        let problem =
            fixture.engine.browse().fetch_page(PRACTICE, &query("materials.list", &[]), 1, 20).await.unwrap_err();
        assert_eq!(problem.code, code, "{fault}: {problem:?}");
        assert_eq!(problem.log_id.is_some(), fault.starts_with("error-500"), "{fault}");
        assert!(problem.details.is_some(), "{fault}");
    }
    fixture.engine.sites().sign_out(PRACTICE).unwrap();
    let problem = fixture.engine.browse().fetch_page(PRACTICE, &query("materials.list", &[]), 1, 20).await.unwrap_err();
    assert_eq!(problem.code, Code::SignInNeeded);
}

#[tokio::test]
async fn rows_become_files() {
    let fixture = Fixture::signed_in().await;
    let operation = "templates.processes";
    let mut rows = fixture
        .engine
        .browse()
        .fetch_page(PRACTICE, &query_with_required_parameters(operation), 1, 100)
        .await
        .unwrap()
        .rows;
    rows[0]["description"] = json!("=1+1");
    rows[0]["colour"] = json!("red");
    let file = |name: &str| fixture.home.path().join(name);
    let export = |format, name: &str| {
        fixture.engine.browse().export_rows(PRACTICE, operation, &rows, format, &file(name)).unwrap()
    };
    export(ExportFormat::Json, "out.json");
    let back: Vec<Value> = serde_json::from_slice(&std::fs::read(file("out.json")).unwrap()).unwrap();
    assert_eq!(back, rows);

    export(ExportFormat::Xlsx, "out.xlsx");
    let workbook = Workbook::open(&file("out.xlsx"), &Limits::default()).unwrap();
    let name = workbook.sheets()[0].name.clone();
    let sheet = workbook.read(&name, &Limits::default(), &|| false).unwrap();
    assert_eq!(sheet.rows.len(), rows.len() + 1);
    let heading: BTreeMap<&str, usize> = ["code", "description", "predictedLaborTime", "isQualityInspection", "colour"]
        .into_iter()
        .map(|name| {
            let column = sheet.rows.get(0).unwrap().cells.iter().position(|cell| cell.value() == CellValue::Text(name));
            (name, column.unwrap_or_else(|| panic!("{name}")))
        })
        .collect();
    let first = sheet.rows.get(1).unwrap().cells;
    let ticks = rows[0]["predictedLaborTime"]["ticks"].as_i64().unwrap();
    assert_eq!(first[heading["predictedLaborTime"]].value(), CellValue::Duration(ticks));
    assert_eq!(first[heading["description"]].value(), CellValue::Text("=1+1"));
    assert_eq!(first[heading["colour"]].value(), CellValue::Text("red"));
    assert!(matches!(first[heading["isQualityInspection"]].value(), CellValue::Boolean(_)));

    export(ExportFormat::Csv, "out.csv");
    let csv = std::fs::read_to_string(file("out.csv")).unwrap();
    assert_eq!(csv.lines().count(), rows.len() + 1);
    assert!(csv.lines().next().unwrap().contains("predictedLaborTime") && csv.contains("red"));
    let problem = fixture
        .engine
        .browse()
        .export_rows(PRACTICE, operation, &rows, ExportFormat::Csv, &file("no/such/out.csv"))
        .unwrap_err();
    assert_eq!(problem.code, Code::WriteFailed);
}

#[tokio::test]
async fn a_file_has_the_rows_and_columns_that_a_table_shows() {
    let fixture = Fixture::new().await;
    let set = fixture.engine.browse().row_set(PRACTICE, "work-stations.list").unwrap();
    let station =
        |code: &str, area: &str| json!({ "code": code, "isActive": true, "area": { "code": area }, "shifts": [] });
    set.append(&[station("S-10", "A"), station("S-9", "B"), station("S-1", "A")]);
    let sort = vec![SortBy { path: "code".to_owned(), descending: false }];
    let filters = vec![Filter { path: "area.code".to_owned(), test: Test::Equals { text: "a".to_owned() } }];
    let export_request = |format, positions: &[u32]| ExportRequest {
        format,
        decimal_comma: false,
        columns: vec!["area.code".to_owned(), "code".to_owned()],
        headings: Vec::new(),
        arrangement: Arrangement { sort: sort.clone(), filters: filters.clone(), find: String::new() },
        positions: positions.to_vec(),
    };
    let path = fixture.home.path().join("some");
    let written = |request: &ExportRequest| {
        fixture.engine.browse().export_set(&set, request, &path).unwrap();
        std::fs::read(&path).unwrap()
    };
    let csv = String::from_utf8(written(&export_request(ExportFormat::Csv, &[]))).unwrap();
    assert_eq!(csv.trim_start_matches('\u{feff}'), "area.code,\"code\"\r\nA,S-1\r\nA,S-10\r\n");
    let regional = ExportRequest { decimal_comma: true, ..export_request(ExportFormat::Csv, &[]) };
    let csv = String::from_utf8(written(&regional)).unwrap();
    assert_eq!(csv, "\u{feff}area.code;code\r\nA;S-1\r\nA;S-10\r\n");
    let json: Value = serde_json::from_slice(&written(&export_request(ExportFormat::Json, &[1]))).unwrap();
    assert_eq!(json, json!([{ "area": { "code": "B" }, "code": "S-9" }]));
    let all_columns = ExportRequest { columns: Vec::new(), ..export_request(ExportFormat::Json, &[0]) };
    assert_eq!(serde_json::from_slice::<Value>(&written(&all_columns)).unwrap(), json!([station("S-10", "A")]));
    written(&export_request(ExportFormat::Xlsx, &[]));
    let workbook = Workbook::open(&path, &Limits::default()).unwrap();
    let sheet = workbook.read(&workbook.sheets()[0].name, &Limits::default(), &|| false).unwrap();
    let texts = sheet.rows.iter().map(|row| row.cells.iter().map(|cell| cell.shown().into_owned()).collect::<Vec<_>>());
    assert_eq!(texts.collect::<Vec<_>>(), [["area.code", "code"], ["A", "S-1"], ["A", "S-10"]]);

    let with_headings = |headings: [&str; 2]| {
        let headings = headings.map(str::to_owned).to_vec();
        let csv = String::from_utf8(written(&ExportRequest { headings, ..export_request(ExportFormat::Csv, &[1]) }));
        csv.unwrap().lines().next().unwrap().trim_start_matches('\u{feff}').replace('"', "")
    };
    assert_eq!(with_headings(["Area", "Station"]), "Area,Station");
    assert_eq!(with_headings(["Code", "Code"]), "Code (area.code),Code (code)", "a file has each heading once");
}

#[tokio::test]
async fn a_tables_look_is_kept_by_operation_and_site() {
    let fixture = Fixture::new().await;
    let columns = vec![ColumnLayout { path: "code".to_owned(), width: 120, hidden: false, pinned: true }];
    let view = TableView { columns, spans: SpanForm::Clock, ..TableView::default() };
    let named = vec![NamedView { name: "Mine".to_owned(), view: view.clone() }];
    let views = TableViews { last: Some(view), named, chosen: Some("Mine".to_owned()) };
    fixture.engine.browse().store_table_views(PRACTICE, "materials.list", views.clone(), &[]).unwrap();
    assert_eq!(fixture.engine.browse().table_views(PRACTICE, "materials.list").unwrap(), views);
    for (site, operation) in [("elsewhere", "materials.list"), (PRACTICE, "alerts.list")] {
        assert_eq!(fixture.engine.browse().table_views(site, operation).unwrap(), TableViews::default());
    }
    assert_eq!(fixture.engine.browse().last_list(PRACTICE).unwrap(), None);
    fixture.engine.browse().store_last_list(PRACTICE, "alerts.list").unwrap();
    assert_eq!(fixture.engine.browse().last_list(PRACTICE).unwrap().as_deref(), Some("alerts.list"));
    assert!(fixture.engine.browse().store_last_list(PRACTICE, "no.such").is_err());
}

#[tokio::test]
async fn orders_with_parts_become_a_table() {
    let fixture = Fixture::signed_in().await;
    for operation in ["work-orders.details", "work-stations.list"] {
        let rows = fixture.engine.browse().fetch_page(PRACTICE, &query(operation, &[]), 1, 100).await.unwrap().rows;
        let path = fixture.home.path().join("out.csv");
        fixture.engine.browse().export_rows(PRACTICE, operation, &rows, ExportFormat::Csv, &path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("\"ticks\"") || text.contains("[{"), "{operation}");
        assert!(text.lines().count() > rows.len(), "{operation}");
    }
}
