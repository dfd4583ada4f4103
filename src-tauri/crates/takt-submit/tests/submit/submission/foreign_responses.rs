//! Responses of foreign services: unspecified members are ignored, and rows with an unclear response are never sent
//! again automatically.

use serde_json::{Value, json};
use takt_engine::item::ExcelRow;
use takt_engine::{
    item::{Item, RowResult},
    submission::{ResultCounts, SubmissionState, SubmissionView},
};

use super::{
    fake_service::{Service, ServiceAnswer},
    support::{EngineFixture, counts, engine_fixture, item, plant, request, rows, run_concurrently, send},
};

fn ok_response(body: impl Into<Vec<u8>>) -> ServiceAnswer {
    ("200 OK", String::new(), body.into())
}

fn link_item(row: u32) -> Item {
    let process = format!("P-{row}");
    let key = format!("1 · {process} · 010");
    item(row, &key, json!({ "templateId": 1, "processCode": process, "operationCode": "010" }))
}

/// Returns the response to a delete of these links. `odd` is added to each result.
fn delete_response(count: u32, success: &Value, odd: &Value) -> Value {
    let results = (1..=count).map(|row| {
        let mut result = link_item(row).body;
        result["success"] = success.clone();
        odd.as_object().unwrap().iter().for_each(|(name, value)| result[name.as_str()] = value.clone());
        result
    });
    let done = if success == &json!(true) { count } else { 0 };
    json!({ "totalItems": count, "successCount": done, "errorCount": count - done, "results": results.collect::<Vec<_>>() })
}

/// Returns the template's processes, with `existing_links` links.
fn processes_response(existing_links: u32) -> Value {
    let process = |row| json!({ "code": format!("P-{row}"), "description": "Drill", "isQualityInspection": false });
    json!({ "inspectionsProcesses": (1..=existing_links).map(process).collect::<Vec<_>>() })
}

/// Deletes links at a service with this response, which always lists `existing_links` links.
async fn delete_links(count: u32, existing_links: u32, answer: Value) -> (EngineFixture, Service, SubmissionView) {
    delete_links_with_response(count, existing_links, answer.to_string().into_bytes()).await
}

async fn delete_links_with_response(
    count: u32,
    existing_links: u32,
    answer: Vec<u8>,
) -> (EngineFixture, Service, SubmissionView) {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let service = Service::start(move |request| {
        if request.starts_with("DELETE") {
            ok_response(answer.clone())
        } else {
            ok_response(processes_response(existing_links).to_string())
        }
    })
    .await;
    service.set_as_site(&fixture);
    let items = (1..=count).map(link_item).collect();
    let view = send(&fixture.engine, request("template-processes.delete", items, 10)).await;
    (fixture, service, view)
}

#[tokio::test]
async fn a_reason_of_any_shape_is_a_reason() {
    let shapes = [
        (json!({ "errors": null }), "without giving a reason"),
        (json!({ "errors": "It is in use." }), "It is in use."),
        (json!({ "errors": ["It is in use."] }), "It is in use."),
        (json!({ "errors": [{ "code": "E7", "message": "It is in use." }] }), "It is in use."),
        (json!({ "errors": { "processCode": ["It is in use."] } }), "It is in use."),
        (json!({ "error": "It is in use.", "warnings": [[]], "traceId": null }), "It is in use."),
        (json!({ "message": ["It is in use."], "errors": [] }), "It is in use."),
    ];
    run_concurrently(shapes.map(|(odd, words)| async move {
        let (fixture, service, view) = delete_links(2, 2, delete_response(2, &json!(false), &odd)).await;
        assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 0, 2, 0)), "{odd}");
        assert_eq!(service.count("DELETE"), 1, "{odd}");
        let rejected = rows(&fixture.engine, view.id, Some(RowResult::Rejected));
        assert!(rejected.iter().all(|row| row.reasons[0].contains(words)), "{odd}: {rejected:?}");
    }))
    .await;
}

#[tokio::test]
async fn a_reason_in_another_encoding_is_a_reason() {
    let answer = delete_response(1, &json!(false), &json!({ "errors": ["zu groX"] })).to_string().into_bytes();
    let answer = answer.into_iter().map(|byte| if byte == b'X' { 0xdf } else { byte }).collect();
    let (fixture, service, view) = delete_links_with_response(1, 1, answer).await;
    assert_eq!((view.counts, service.count("DELETE")), (counts(0, 0, 1, 0), 1));
    assert!(rows(&fixture.engine, view.id, Some(RowResult::Rejected))[0].reasons[0].starts_with("zu gro"));
}

#[tokio::test]
async fn unknown_members_and_numbers_like_1_0_change_nothing() {
    let mut answer = delete_response(2, &json!(true), &json!({ "errors": null, "id": { "deep": [1, 2] } }));
    answer["totalItems"] = json!(2.0);
    answer["links"] = json!([{ "href": "/" }]);
    answer["results"][0]["templateId"] = json!(1.0);
    let (_console, service, view) = delete_links(2, 2, answer).await;
    assert_eq!((view.state, view.counts, service.count("DELETE")), (SubmissionState::Finished, counts(0, 2, 0, 0), 1));
}

#[tokio::test]
async fn unspecified_responses_are_unconfirmed_and_never_resent() {
    let good = delete_response(2, &json!(false), &json!({}));
    let with = |name: &str, value: Value| {
        let mut answer = good.clone();
        answer[name] = value;
        answer
    };
    let answers = [
        delete_response(2, &json!("true"), &json!({})),
        delete_response(2, &json!(1), &json!({})),
        delete_response(2, &json!(null), &json!({})),
        with("totalItems", json!("2")),
        with("successCount", json!(null)),
        with("errorCount", json!(2.5)),
        with("results", json!({})),
        with("results", json!([7, "x"])),
        json!({ "data": good }),
        json!([good]),
        json!(true),
    ];
    run_concurrently(answers.map(|answer| async move {
        let (fixture, service, view) = delete_links(2, 2, answer.clone()).await;
        assert_eq!(view.counts, counts(0, 0, 0, 2), "{answer}");
        assert_eq!(service.count("DELETE"), 1, "{answer}");
        let unconfirmed = rows(&fixture.engine, view.id, Some(RowResult::Unconfirmed));
        assert!(
            unconfirmed.iter().all(|row| row.reasons.iter().any(|why| why.contains("still shows an entry like it"))),
            "{unconfirmed:?}"
        );
        // Continuing reads the state, and sends nothing.
        fixture.engine.submissions().resume(view.id, None).await.unwrap();
        let view = super::support::wait_for_end(&fixture.engine, view.id).await;
        assert_eq!((view.counts, service.count("DELETE")), (counts(0, 0, 0, 2), 1), "{answer}");
    }))
    .await;
}

#[tokio::test]
async fn an_odd_result_leaves_the_others_as_they_are() {
    let mut answer = delete_response(3, &json!(true), &json!({}));
    answer["results"][1]["success"] = json!("true");
    answer["successCount"] = json!(3);
    let (_console, service, view) = delete_links(3, 3, answer).await;
    assert_eq!(
        (view.counts, service.count("DELETE")),
        (ResultCounts { accepted: 2, unconfirmed: 1, ..counts(0, 0, 0, 0) }, 1)
    );
}

#[tokio::test]
async fn only_a_link_that_was_seen_there_is_gone() {
    // The counts contradict each other, and the template has none of the links, before and after.
    let mut answer = delete_response(2, &json!(true), &json!({}));
    answer["successCount"] = json!(7);
    let (fixture, service, view) = delete_links(2, 0, answer.clone()).await;
    assert_eq!((view.counts, service.count("DELETE")), (counts(0, 0, 2, 0), 1));
    let absent = rows(&fixture.engine, view.id, Some(RowResult::Rejected));
    assert!(absent[0].reasons.last().unwrap().contains("neither before nor"), "{absent:?}");

    // The first link existed before.
    let plant = plant(&[]).await;
    let fixture = super::support::engine_fixture(&plant, "planner");
    let gone = std::sync::atomic::AtomicBool::new(false);
    let body = answer.to_string();
    let service = Service::start(move |request| {
        if request.starts_with("DELETE") {
            gone.store(true, std::sync::atomic::Ordering::SeqCst);
            return ok_response(body.clone());
        }
        ok_response(processes_response(u32::from(!gone.load(std::sync::atomic::Ordering::SeqCst))).to_string())
    })
    .await;
    service.set_as_site(&fixture);
    let view = send(&fixture.engine, request("template-processes.delete", (1..=2).map(link_item).collect(), 10)).await;
    assert_eq!((view.counts, service.count("DELETE")), (counts(0, 1, 1, 0), 1));
    let accepted = rows(&fixture.engine, view.id, Some(RowResult::Accepted));
    assert!(
        accepted[0].row == ExcelRow::new(1)
            && accepted[0].reasons.last().unwrap().contains("it was deleted as requested"),
        "{accepted:?}"
    );
}

#[tokio::test]
async fn a_delete_that_couldnt_be_looked_at_isnt_sent() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let reads = std::sync::atomic::AtomicUsize::new(0);
    let service = Service::start(move |request| {
        if request.starts_with("DELETE") {
            return ok_response(
                json!({ "totalItems": 1, "successCount": 9, "errorCount": 0, "results": [] }).to_string(),
            );
        }
        // The read before the delete fails, and the read after it succeeds.
        if reads.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 {
            return ("403 Forbidden", String::new(), br#"{"error":"not yet"}"#.to_vec());
        }
        ok_response(processes_response(0).to_string())
    })
    .await;
    service.set_as_site(&fixture);
    let view = send(&fixture.engine, request("template-processes.delete", vec![link_item(1)], 10)).await;
    assert_eq!((view.counts.pending, service.count("DELETE")), (1, 0), "{view:?}");
}

#[tokio::test]
async fn a_limit_that_cant_be_doesnt_hold_a_submission() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let reset = jiff::Timestamp::now() + std::time::Duration::from_secs(1_800);
    let headers = format!(
        "X-RateLimit-Limit: 0\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: {reset}\r\nRetry-After: NaN\r\n"
    );
    let service = Service::start(move |request| {
        let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap_or_default();
        let items = body["items"].as_array().cloned().unwrap_or_default();
        let results: Vec<Value> = items.iter().map(|item| json!({ "code": item["code"], "success": true })).collect();
        let count = results.len();
        let answer = json!({ "totalItems": count, "successCount": count, "errorCount": 0, "results": results });
        ("200 OK", headers.clone(), answer.to_string().into_bytes())
    })
    .await;
    service.set_as_site(&fixture);
    let view =
        send(&fixture.engine, request("materials.sync", (1..=9).map(super::support::good_material).collect(), 2)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 9, 0, 0)));
    let odd = fixture.engine.sites().ignored_headers(super::support::SITE).unwrap();
    assert_eq!((odd[0].name.as_str(), odd[0].value.as_str()), ("X-RateLimit-Limit", "0"));
}
