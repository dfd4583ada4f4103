//! `takt graphql`: queries from a file or a pipe, in every format, and the exit codes.

use serde_json::Value;
use takt_tests::Takt;

const ORDERS: &str = "query Orders($limit: Int!) { workOrders(limit: $limit) { total items { code operationCode } } }\n\
    mutation Never { never }";

#[test]
fn an_answer_comes_as_json_table_csv_and_workbook() {
    let takt = Takt::new();
    let query = takt.write("orders.graphql", ORDERS);
    let variables = takt.write("variables.json", r#"{ "limit": 3 }"#);
    let fixed = ["graphql", query.to_str().unwrap(), "--variables", variables.to_str().unwrap(), "--name", "Orders"];
    let run = |more: &[&str]| {
        let ran = takt.run(&fixed.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>());
        assert_eq!(ran.code, Some(0), "{more:?}: {}", ran.err);
        ran
    };
    let answer: Value = serde_json::from_str(&run(&[]).out).unwrap();
    let items = answer["data"]["workOrders"]["items"].as_array().unwrap();
    assert_eq!(items.len(), 3);
    let code = items[2]["code"].as_str().unwrap();
    for format in ["table", "csv"] {
        let out = run(&["--format", format]).out;
        assert!(out.contains(code) && out.lines().count() == 4, "{out}");
    }
    let rows: Value = serde_json::from_str(&run(&["--list", "workOrders.items"]).out).unwrap();
    assert_eq!(&rows, &answer["data"]["workOrders"]["items"]);
    let file = takt.file("orders.xlsx");
    assert_eq!(run(&["--format", "xlsx", "--out", file.to_str().unwrap()]).out, "");
    assert_eq!(takt.run(&["cells", file.to_str().unwrap(), "--json"]).json().len(), 4);
}

#[test]
fn a_query_comes_from_a_pipe_and_the_schema_by_itself() {
    let takt = Takt::new();
    for arguments in [vec!["graphql"], vec!["graphql", "-"]] {
        let ran = takt.run_with(&arguments, "{ __typename }");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(ran.out, "{\n  \"data\": {\n    \"__typename\": \"Query\"\n  }\n}\n");
    }
    let ran = takt.run(&["graphql", "--schema"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let schema: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(schema["data"]["__schema"]["types"].as_array().unwrap().len() > 5);
}

#[test]
fn each_ending_has_its_code() {
    let takt = Takt::new();
    let run = |query: &str| takt.run_with(&["graphql"], query);
    let wrong = run("{\n  nope\n}");
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.err.contains("nope") && wrong.err.contains("(2:"), "{}", wrong.err);
    assert!(wrong.out.contains("\"errors\""), "the answer is shown as it came: {}", wrong.out);
    let refused = run("mutation { a }");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("mutation") && refused.out.is_empty(), "{}", refused.err);
    assert_eq!(run("{ a").code, Some(2));
    assert_eq!(takt.run(&["graphql", "no-such.graphql"]).code, Some(2));
    assert_eq!(takt.run_with(&["graphql", "--format", "table"], "{ __typename }").code, Some(2));
    assert_eq!(takt.run_with(&["graphql", "--format", "xlsx"], "{ __typename }").code, Some(2));
}
