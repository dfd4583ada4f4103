//! A site in NSwag's form with other terms: jobs, machines, confirmations. It has lists under `value`, offsets instead
//! of pages, a list of outcomes as the response of a batch, and no GraphQL.

use takt_openapi::{Document, matching::match_operations};

use super::{contract, format_decisions, proposal::proposed_contract};

const NSWAG_SITE: &[u8] = include_bytes!("../../documents/nswag-site.json");

const EXPECTED_MATCHES: [(&str, &str); 24] = [
    ("templates.processes", "GET /rest/routings/{routingId}/steps"),
    ("template-processes.delete", "POST /rest/routings/steps/remove"),
    ("materials.list", "GET /rest/skus"),
    ("materials.sync", "PUT /rest/skus"),
    ("work-orders.list", "GET /rest/jobs"),
    ("work-orders.details", "GET /rest/jobs/extended"),
    ("work-orders.sync", "PUT /rest/jobs"),
    ("work-orders.execution", "POST /rest/jobs/confirmations"),
    ("work-orders.properties", "PUT /rest/jobs/custom-fields"),
    ("work-orders.planning-dates", "PUT /rest/jobs/schedule"),
    ("stock.sync", "PUT /rest/stock-levels"),
    ("alerts.list", "GET /rest/andon-calls"),
    ("labor-times.list", "GET /rest/attendance"),
    ("inspections.list", "GET /rest/quality-orders"),
    ("inspections.sync", "PUT /rest/quality-orders"),
    ("inspections.execution", "POST /rest/quality-orders/confirmations"),
    ("inspections.properties", "PUT /rest/quality-orders/custom-fields"),
    ("inspection-processes.list", "GET /rest/work-steps"),
    ("inspection-processes.sync", "PUT /rest/work-steps"),
    ("quality-checks.list", "GET /rest/checklists"),
    ("consumed-lots.list", "GET /rest/goods-issues"),
    ("consumed-lots.sync", "POST /rest/goods-issues"),
    ("order-history.list", "GET /rest/jobs/log"),
    ("work-stations.list", "GET /rest/machines"),
];

#[test]
fn none_is_matched_wrong_and_most_without_a_hand() {
    let matches = match_operations(&Document::read(NSWAG_SITE).unwrap(), &contract());
    println!("{}", format_decisions(&matches));
    let mut right = 0;
    for one in &matches {
        let Some(best) = one.matched() else { continue };
        let expected =
            EXPECTED_MATCHES.iter().find(|(id, _)| *id == one.operation).map(|(_, address)| (*address).to_owned());
        assert_eq!(
            Some(format!("{} {}", best.method, best.path)),
            expected,
            "{}\n{}",
            one.operation,
            format_decisions(&matches)
        );
        right += 1;
    }
    assert!(right >= 20, "{right}\n{}", format_decisions(&matches));
}

#[test]
fn rows_are_passed_over_and_outcomes_are_numbered() {
    let contract = proposed_contract(NSWAG_SITE);
    let materials = contract.operation("materials.list").unwrap();
    assert_eq!(materials.path, "/hub/rest/skus");
    let paging = &materials.paging;
    assert_eq!((paging.page.as_str(), paging.counts_rows, paging.first, paging.rows), ("skip", true, 0, 200));
    let batch = &contract.operation("materials.sync").unwrap().batch;
    assert_eq!((batch.results.as_str(), batch.lacks_key, batch.only_failures), ("", true, false));
    assert_eq!(batch.success.as_ref().unwrap().name, "ok");
    assert_eq!(batch.index.as_ref().unwrap().name, "row");
    assert_eq!(contract.error_form().log_id, ["correlationId"]);
}
