//! Only GraphQL queries reach the plant, responses are classified, and typed queries are stored.

use std::{fs, time::Duration};

use serde_json::{Value, json};
use takt_engine::{
    Canceller, Code, Engine, ExportFormat, Problem,
    graphql::{GraphqlEditorState, GraphqlRequest, GraphqlResult, TypedQuery},
};
use takt_test_support::plant_fixture::{Fixture, PRACTICE, open};

use super::responder::Responder;

const ORDERS: &str = "query Orders($limit: Int!) {
  workOrders(limit: $limit) { total items { code operationCode requestedQuantity workStationCode rawMaterials { code quantity } } }
}
query Nothing { __typename }";

fn request(query: &str, variables: Value, name: Option<&str>) -> GraphqlRequest {
    GraphqlRequest { query: query.to_owned(), variables: Some(variables), operation_name: name.map(str::to_owned) }
}

async fn run(engine: &Engine, site: &str, request: &GraphqlRequest) -> Result<GraphqlResult, Problem> {
    engine.graphql().run(site, request, &Canceller::new()).await
}

fn obstacle_of(result: Result<GraphqlResult, Problem>) -> String {
    result.unwrap_err().parameters["obstacle"].clone()
}

fn typed(query: &str, variables: &str) -> TypedQuery {
    TypedQuery { query: query.to_owned(), variables: variables.to_owned() }
}

#[tokio::test]
async fn a_query_with_variables_is_answered_as_the_lists_are() {
    let fixture = Fixture::signed_in().await;
    let result = run(&fixture.engine, PRACTICE, &request(ORDERS, json!({ "limit": 7 }), Some("Orders"))).await.unwrap();
    let view = result.view();
    assert!(view.errors.is_empty() && !view.cut, "{view:?}");
    let paths: Vec<&str> = view.lists.iter().map(|list| list.path.as_str()).collect();
    assert_eq!(paths, ["workOrders.items", "workOrders.items.rawMaterials"]);
    assert_eq!(view.lists[0].rows, 7);
    let answered: Value = serde_json::from_str(result.text()).unwrap();
    let query = takt_engine::browse::BrowseQuery { operation: "work-orders.list".to_owned(), ..Default::default() };
    let page = fixture.engine.browse().fetch_page(PRACTICE, &query, 1, 7).await.unwrap();
    for (asked, listed) in answered["data"]["workOrders"]["items"].as_array().unwrap().iter().zip(&page.rows) {
        assert_eq!((&asked["code"], &asked["operationCode"]), (&listed["code"], &listed["operationCode"]));
    }
    assert_eq!(answered["data"]["workOrders"]["total"].as_u64(), page.total.map(u64::from));
}

#[tokio::test]
async fn a_table_goes_into_files() {
    let fixture = Fixture::signed_in().await;
    let result = run(&fixture.engine, PRACTICE, &request(ORDERS, json!({ "limit": 5 }), Some("Orders"))).await.unwrap();
    let table = result.table(None).unwrap();
    let rows = table.rows(0, 100);
    let headings: Vec<&str> = rows.columns.iter().map(|column| column.heading.as_str()).collect();
    assert_eq!(headings[..4], ["code", "operationCode", "requestedQuantity", "workStationCode"]);
    assert!(rows.columns[2].numeric && !rows.columns[1].numeric);
    let file = |name: &str| fixture.home.path().join(name);
    for (format, name) in [(ExportFormat::Csv, "a.csv"), (ExportFormat::Json, "a.json"), (ExportFormat::Xlsx, "a.xlsx")]
    {
        table.write(format, &file(name)).unwrap();
    }
    assert_eq!(fs::read_to_string(file("a.csv")).unwrap().lines().count(), 6);
    let back: Vec<Value> = serde_json::from_slice(&fs::read(file("a.json")).unwrap()).unwrap();
    assert_eq!(back.len(), 5);
    let workbook = takt_sheet::Workbook::open(&file("a.xlsx"), &takt_sheet::Limits::default()).unwrap();
    assert_eq!(workbook.sheets()[0].name, "workOrders.items");
    let parts = result.table(Some("workOrders.items.rawMaterials")).unwrap().rows(0, 1);
    assert_eq!(parts.columns[0].heading, "workOrders.items.code");
    assert_eq!(result.table(Some("no.such")).unwrap_err().code, Code::Unknown);
}

#[tokio::test]
async fn nothing_that_changes_something_leaves() {
    let fixture = Fixture::signed_in().await;
    let before = fixture.plant.plant().log().len();
    for (query, why) in [
        ("mutation { deleteEverything }", "query-is-mutation"),
        ("query A { __typename } mutation B { b }", "query-which"),
        ("subscription { a }", "query-is-subscription"),
        ("{ a", "query-unreadable"),
    ] {
        assert_eq!(obstacle_of(run(&fixture.engine, PRACTICE, &request(query, Value::Null, None)).await), why);
    }
    let listed = request("{ __typename }", json!([1]), None);
    assert_eq!(obstacle_of(run(&fixture.engine, PRACTICE, &listed).await), "variables-no-object");
    assert_eq!(fixture.plant.plant().log().len(), before, "nothing was asked");
    let both = request("query A { __typename }\nmutation B { b }", Value::Null, Some("A"));
    let answered = run(&fixture.engine, PRACTICE, &both).await.unwrap();
    assert!(answered.errors().is_empty(), "{answered:?}");
}

#[tokio::test]
async fn each_kind_of_error_is_told_as_what_it_is() {
    let fixture = Fixture::signed_in().await;
    let wrong = request("{\n  workOrders { nope }\n}", Value::Null, None);
    let view = run(&fixture.engine, PRACTICE, &wrong).await.unwrap().view();
    assert!(view.errors[0].message.contains("nope") && view.errors[0].line == Some(2), "{:?}", view.errors);
    assert!(view.lists.is_empty());
    let fine = request("{ __typename }", Value::Null, None);
    for (fault, code) in [
        ("error-500", Code::ServiceFailed),
        ("not-json", Code::AnswerNotUnderstood),
        ("truncate", Code::ConnectionLost),
        ("expire-token", Code::SignInNeeded),
    ] {
        fixture.suffer(fault);
        let problem = run(&fixture.engine, PRACTICE, &fine).await.unwrap_err();
        assert_eq!(problem.code, code, "{fault}: {problem:?}");
    }
    fixture.suffer("limit-429-s:0.5");
    run(&fixture.engine, PRACTICE, &fine).await.unwrap();
    fixture.engine.sites().sign_out(PRACTICE).unwrap();
    assert_eq!(run(&fixture.engine, PRACTICE, &fine).await.unwrap_err().code, Code::SignInNeeded);
}

#[tokio::test]
async fn a_query_is_stopped() {
    let fixture = Fixture::signed_in().await;
    fixture.suffer("stall");
    let canceller = Canceller::new();
    let stopping = canceller.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        stopping.cancel();
    });
    let fine = request("{ __typename }", Value::Null, None);
    let ended =
        tokio::time::timeout(Duration::from_secs(10), fixture.engine.graphql().run(PRACTICE, &fine, &canceller));
    assert_eq!(obstacle_of(ended.await.unwrap()), "query-stopped");
}

#[tokio::test]
async fn a_schema_is_kept_and_read_again_on_demand() {
    let fixture = Fixture::signed_in().await;
    let first = fixture.engine.graphql().schema(PRACTICE, false, &Canceller::new()).await.unwrap();
    let types = first.introspection.as_ref().unwrap()["__schema"]["types"].as_array().unwrap();
    assert!(types.iter().any(|one| one["name"] == "WorkOrder") && first.reasons.is_empty());
    fixture.suffer("error-500");
    // Another process on the same home folder sends no request.
    let engine = open(&fixture.home, &fixture.vault);
    takt_test_support::plant_fixture::set_practice(&engine, &fixture.plant);
    let stored = engine.graphql().schema(PRACTICE, false, &Canceller::new()).await.unwrap();
    assert_eq!(stored, first);
    let problem = fixture.engine.graphql().schema(PRACTICE, true, &Canceller::new()).await.unwrap_err();
    assert_eq!(problem.code, Code::ServiceFailed);
    fixture.plant.plant().set_faults(Vec::new(), 1);
    let again = fixture.engine.graphql().schema(PRACTICE, true, &Canceller::new()).await.unwrap();
    assert!(again.at > first.at && again.introspection == first.introspection);
}

#[tokio::test]
async fn a_site_that_tells_no_schema_says_so() {
    let fixture = Fixture::new().await;
    let answers = [
        r#"{"data":null,"errors":[{"message":"Introspection is off"}]}"#.to_owned(),
        r#"{"data":{"a":1}}"#.to_owned(),
        r#"[1]"#.to_owned(),
    ];
    let responder = Responder::start(answers.to_vec()).await;
    let site = takt_engine::sites::Site { base_url: responder.base_url.clone(), ..fixture.site("works") };
    fixture.engine.save_site(site, None).unwrap();
    fixture.engine.sites().adopt_tokens("works", "token", None, Some(3_600)).unwrap();
    let schema = fixture.engine.graphql().schema("works", false, &Canceller::new()).await.unwrap();
    assert_eq!((schema.introspection, schema.reasons), (None, vec!["Introspection is off".to_owned()]));
    let fine = request("{ a }", Value::Null, None);
    assert_eq!(run(&fixture.engine, "works", &fine).await.unwrap().text(), "{\n  \"data\": {\n    \"a\": 1\n  }\n}");
    let problem = run(&fixture.engine, "works", &fine).await.unwrap_err();
    assert_eq!(problem.code, Code::AnswerNotUnderstood);
}

#[tokio::test]
async fn a_long_answer_is_cut_where_it_is_shown_and_whole_elsewhere() {
    let fixture = Fixture::new().await;
    let rows: Vec<Value> =
        (0..30_000).map(|number| json!({ "code": format!("{number:08}"), "text": "x".repeat(40) })).collect();
    let responder = Responder::start(vec![json!({ "data": { "rows": rows } }).to_string()]).await;
    let site = takt_engine::sites::Site { base_url: responder.base_url.clone(), ..fixture.site("works") };
    fixture.engine.save_site(site, None).unwrap();
    fixture.engine.sites().adopt_tokens("works", "token", None, Some(3_600)).unwrap();
    let result = run(&fixture.engine, "works", &request("{ rows }", Value::Null, None)).await.unwrap();
    let view = result.view();
    assert!(view.cut && view.text.len() <= 1_000_000 && view.bytes > 1_500_000);
    let table = result.table(Some("rows")).unwrap();
    let last = table.rows(29_999, 1_000);
    assert_eq!((last.total, &last.rows[0][0]), (30_000, &json!("00029999")));
}

#[tokio::test]
async fn what_was_typed_is_kept_without_secrets() {
    let fixture = Fixture::new().await;
    let engine = &fixture.engine;
    for number in 0..130 {
        engine.graphql().add_to_history(PRACTICE, &typed(&format!("{{ a{number} }}"), "")).unwrap();
    }
    engine.graphql().add_to_history(PRACTICE, &typed("{ a100 }", "")).unwrap();
    engine.graphql().add_to_history(PRACTICE, &typed(" ", "")).unwrap();
    engine.graphql().add_to_history(PRACTICE, &typed(&"x".repeat(100_000), "")).unwrap();
    let past = engine.graphql().history(PRACTICE).unwrap();
    assert_eq!((past.len(), past[0].typed.query.as_str(), past[1].typed.query.as_str()), (100, "{ a100 }", "{ a129 }"));
    let secret = typed("{ login(password: \"hunter2\") }", r#"{"token": "hunter2", "code": "A-7"}"#);
    engine.graphql().add_to_history(PRACTICE, &secret).unwrap();
    engine.graphql().save_query(PRACTICE, " Mine ", &secret).unwrap();
    engine.graphql().save_query(PRACTICE, "Mine", &secret).unwrap();
    engine.graphql().store_editor_state(PRACTICE, &GraphqlEditorState { tabs: vec![secret; 40], active: 3 }).unwrap();
    let engine = open(&fixture.home, &fixture.vault);
    let (saved, editor) =
        (engine.graphql().saved_queries(PRACTICE).unwrap(), engine.graphql().editor_state(PRACTICE).unwrap());
    assert_eq!((saved.len(), saved[0].name.as_str(), editor.tabs.len(), editor.active), (1, "Mine", 20, 3));
    let stored = format!("{saved:?} {editor:?} {:?}", engine.graphql().history(PRACTICE).unwrap());
    assert!(!stored.contains("hunter2") && stored.contains("A-7"));
    assert_eq!(engine.graphql().save_query(PRACTICE, "", &editor.tabs[0]).unwrap_err().code, Code::InvalidInput);
    assert_eq!(engine.graphql().remove_saved_query(PRACTICE, "Mine").unwrap(), []);
    engine.graphql().forget_history(PRACTICE).unwrap();
    assert_eq!(engine.graphql().history(PRACTICE).unwrap(), []);
    assert_eq!(engine.graphql().history("elsewhere").unwrap(), []);
}
