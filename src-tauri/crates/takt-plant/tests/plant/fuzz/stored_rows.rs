//! Checks the state after fuzzing. Rows must agree with the responses, and lists must conform to the contract.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{ItemResults, graphql_queries::all_members_query};
use crate::{fixture::Fixture, graphql::INTROSPECTION_QUERY};

/// The resources that contain the rows of each sync.
const SYNC_RESOURCES: [(&str, &str); 5] = [
    ("materials.sync", "materials"),
    ("stock.sync", "stock"),
    ("inspection-processes.sync", "inspection-processes"),
    ("work-orders.sync", "work-orders"),
    ("inspections.sync", "inspections"),
];

/// Checks that accepted items are stored as last sent, and that items that were always rejected aren't stored.
pub(super) async fn check_rows(fixture: &Fixture, untouched: &Fixture, item_results: &ItemResults) {
    for (id, table) in SYNC_RESOURCES {
        let names = &fixture.operation(id).key;
        let key = |row: &Value| -> Vec<String> {
            names.iter().map(|name| row[name].as_str().unwrap_or_default().to_owned()).collect()
        };
        let by_key = |rows: Vec<Value>| -> BTreeMap<Vec<String>, Value> {
            rows.into_iter().map(|row| (key(&row), row)).collect()
        };
        let (rows, seeded) = (fixture.resource_rows(table).await, untouched.resource_rows(table).await);
        assert!(rows.len() >= seeded.len());
        let (count, rows, seeded) = (rows.len(), by_key(rows), by_key(seeded));
        assert_eq!(rows.len(), count, "{table}: no two rows have one key");
        let mut last: BTreeMap<Vec<String>, &Value> = BTreeMap::new();
        for (_, _, _, item) in item_results.iter().filter(|(operation, _, success, _)| operation == id && *success) {
            last.insert(key(item), item);
        }
        for (key, item) in &last {
            let row = rows.get(key).unwrap_or_else(|| panic!("{id}: {key:?} was accepted and isn't there"));
            let plain = ["materialCode", "description", "warehouse", "processCode", "customer", "family"];
            for name in plain.into_iter().filter(|name| item[*name].is_string()) {
                assert_eq!(row[name], item[name], "{id}: {name} of {key:?}");
            }
        }
        let strangers = rows.keys().filter(|key| !last.contains_key(*key) && !seeded.contains_key(*key));
        assert_eq!(strangers.collect::<Vec<_>>(), Vec::<&Vec<String>>::new(), "{id} refused these and keeps them");
    }
}

/// Checks all pages of all lists against the contract, and their totals.
pub(super) async fn check_pages(fixture: &Fixture) {
    for operation in fixture.contract.operations().iter().filter(|operation| operation.paged) {
        let (mut page, mut rows) = (1, 0);
        loop {
            let answer = fixture.get(&format!("{}?page={page}&limit=100", operation.path)).await;
            rows += answer.rows().len();
            if answer.rows().is_empty() || answer.header("x-pagination-pages") == page.to_string() {
                assert_eq!(answer.header("x-pagination-total"), rows.to_string(), "{}", operation.id);
                break;
            }
            page += 1;
        }
    }
}

/// Checks that GraphQL returns all members of all orders.
pub(super) async fn check_orders(fixture: &Fixture) {
    let types =
        fixture.post_query(json!({ "query": INTROSPECTION_QUERY })).await.body["data"]["__schema"]["types"].take();
    let (mut page, mut pages) = (1, 1);
    while page <= pages {
        let answer = fixture.post_query(all_members_query(types.as_array().unwrap(), page)).await.body;
        assert_eq!(answer.get("errors"), None, "page {page}");
        pages = answer["data"]["workOrders"]["pages"].as_u64().unwrap();
        page += 1;
    }
}
