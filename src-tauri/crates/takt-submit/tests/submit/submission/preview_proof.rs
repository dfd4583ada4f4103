//! A preview shows changes only if the service's list proves them. Otherwise rows are "not compared", with the reason.

use serde_json::json;
use takt_engine::{
    Canceller,
    preview::{PreviewCounts, PreviewView},
};

use super::{
    fake_service::{Service, ServiceAnswer},
    support::{EngineFixture, SITE, engine_fixture, plant, run_concurrently},
};

/// Opens a CSV file for an operation, and previews it against a service with these responses.
async fn preview(
    (operation, csv): (&str, &str),
    answer: impl Fn(&str) -> ServiceAnswer + Send + Sync + 'static,
) -> (EngineFixture, PreviewView) {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let service = Service::start(answer).await;
    service.set_as_site(&fixture);
    let path = fixture.home.path().join("file.csv");
    std::fs::write(&path, csv).unwrap();
    let imports = fixture.engine.imports();
    let view = imports.open(&path).unwrap();
    let mut view = imports.choose_operation(view.id, operation).unwrap();
    for (column, heading) in (0..).zip(csv.lines().next().unwrap().split(';')) {
        view = imports.match_column(view.id, column, Some(heading)).unwrap();
    }
    let view = fixture.engine.previews().compare(SITE, view.id, &Canceller::new(), |_| {}).await.unwrap();
    (fixture, view)
}

fn page(headers: &str, body: &str) -> ServiceAnswer {
    ("200 OK", headers.to_owned(), body.as_bytes().to_vec())
}

const MATERIALS: &str = "code;description\nM-1;One\nM-2;Two\nM-3;Three\n";

#[tokio::test]
async fn a_list_that_contradicts_itself_doesnt_make_rows_new() {
    let one = r#"{"data":[{"code":"M-1","description":"One"}]}"#;
    let nothing = r#"{"data":[]}"#;
    // The list's response, and the numbers of rows that are unchanged and not compared.
    let lists: [(&str, &str, u32, u32); 8] = [
        ("X-Pagination-Total: 3\r\n", nothing, 0, 3),
        ("X-Pagination-Total: 3\r\n", one, 1, 2),
        ("X-Pagination-Total: 0\r\n", one, 1, 2),
        ("X-Pagination-Pages: 3\r\n", nothing, 0, 3),
        ("X-Pagination-Total: 1\r\nX-Pagination-Current: 4\r\n", one, 1, 2),
        ("", r#"{"error":"maintenance"}"#, 0, 3),
        ("", r#"{"data":null}"#, 0, 3),
        ("", r#"{"data":[{"description":"One"}]}"#, 0, 3),
    ];
    run_concurrently(lists.map(|(headers, body, same, unknown)| async move {
        let (_console, view) = preview(("materials.sync", MATERIALS), move |request| {
            // The second page is empty, as the service announced.
            if request.contains("page=2") { page(headers, nothing) } else { page(headers, body) }
        })
        .await;
        let expected = PreviewCounts { same, unknown, ..PreviewCounts::default() };
        assert_eq!(view.counts, expected, "{headers} {body}");
        assert!(view.steps[0].problem.is_some(), "{headers} {body}: {view:?}");
    }))
    .await;
    let (_console, view) =
        preview(("materials.sync", MATERIALS), move |_| page("X-Pagination-Total: 1\r\n", one)).await;
    assert_eq!(view.counts, PreviewCounts { same: 1, new: 2, ..PreviewCounts::default() });
    assert_eq!(view.steps[0].problem, None);
}

#[tokio::test]
async fn a_page_that_fails_leaves_the_rows_before_it_compared() {
    let first: Vec<_> = (0..100).map(|row| json!({ "code": format!("M-{row}"), "description": "One" })).collect();
    let first = json!({ "data": first }).to_string();
    let csv = "code;description\nM-1;One\nM-2;Two\nM-777;New\n";
    let (_console, view) = preview(("materials.sync", csv), move |request| {
        if request.contains("page=2") {
            return ("403 Forbidden", String::new(), br#"{"error":"no"}"#.to_vec());
        }
        page("X-Pagination-Total: 150\r\nX-Pagination-Pages: 2\r\n", &first)
    })
    .await;
    assert_eq!(view.counts, PreviewCounts { same: 1, changed: 1, unknown: 1, ..PreviewCounts::default() });
    assert!(view.steps[0].problem.is_some(), "{view:?}");
}

#[tokio::test]
async fn only_the_services_own_404_says_that_a_template_isnt_there() {
    let csv = "templateId;processCode;operationCode\n1;P-1;010\n2;P-1;010\n";
    let own = r#"{"error":"there is no such template"}"#;
    for (body, not_linked, unknown) in [(own, 1, 0), ("<html>nginx</html>", 0, 1), ("", 0, 1)] {
        let (_console, view) = preview(("template-processes.delete", csv), move |request| {
            if request.contains("/2/") {
                return ("404 Not Found", String::new(), body.as_bytes().to_vec());
            }
            page("", r#"{"inspectionsProcesses":[{"code":"P-1"}]}"#)
        })
        .await;
        assert_eq!(
            view.counts,
            PreviewCounts { changed: 1, not_linked, unknown, ..PreviewCounts::default() },
            "{body}"
        );
    }
}
