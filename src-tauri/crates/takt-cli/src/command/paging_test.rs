//! The output of `takt contract test` about a live site's pages and limits.

use serde_json::json;
use takt_engine::contracts::{PagingFinding, PagingTest};

use crate::console::{Console, plain};

pub(super) fn print_paging(test: &PagingTest, as_json: bool, console: &Console) {
    if as_json {
        for list in &test.lists {
            let mut line = json!(list);
            line["type"] = json!("pages");
            console.json(&line);
        }
        console.json(&json!({
            "type": "limit", "limit": test.limit, "ignoredHeaders": test.ignored_headers, "requests": test.requests
        }));
        return;
    }
    let good = test.lists.iter().filter(|list| list.finding.is_good()).count();
    let parameters =
        [("lists", good.to_string()), ("all", test.lists.len().to_string()), ("requests", test.requests.to_string())];
    console.remark("contract.pages-add-up", &parameters);
    for list in test.lists.iter().filter(|list| !list.finding.is_good()) {
        let parameters = [("operation", plain(&list.operation))];
        console.status(&format!("contract.pages.{}", finding_name(list.finding)), &parameters);
        list.problem.iter().for_each(|problem| console.problem(problem));
    }
    match test.limit {
        Some(limit) => {
            let parameters = [("limit", limit.limit.to_string()), ("remaining", limit.remaining.to_string())];
            console.remark("contract.limit", &parameters);
        }
        None => console.remark("contract.no-limit", &[]),
    }
    for header in &test.ignored_headers {
        console.status("contract.odd-header", &[("name", plain(&header.name)), ("value", plain(&header.value))]);
    }
}

fn finding_name(finding: PagingFinding) -> String {
    json!(finding).as_str().unwrap_or_default().to_owned()
}
