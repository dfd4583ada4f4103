//! Tests of reading paged lists.

use std::time::Duration;

use takt_client::{
    Canceller, Client, ClientError, ListFault, Page, ReadRequest, RetryPolicy, Secret, SiteAccess, Vault,
    sign_in::NewTokens,
};
use takt_plant::{PlantConfig, RateLimit};

use crate::{
    fixture::{Fixture, MATERIALS, clock, config, materials, unreachable_site},
    responder::{Responder, answer},
};

async fn read_all_pages(client: &Client) -> Result<Vec<Page>, ClientError> {
    let mut pages = client.pages(ReadRequest::get(MATERIALS, &[]), materials());
    let mut walked = Vec::new();
    while let Some(page) = pages.next(&Canceller::new()).await? {
        walked.push(page);
    }
    Ok(walked)
}

fn client_of(responder: &Responder) -> Client {
    let access = SiteAccess { base_url: responder.base_url.clone(), ..unreachable_site() };
    let client = Client::new(access, Vault::memory(), clock()).expect("a client");
    client.store_tokens(NewTokens { access: Secret::new("access"), refresh: None, expires_in: None, scopes: None });
    client
}

/// Returns `count` rows that differ from page to page.
fn rows(request: &str, count: usize) -> String {
    let page = request.split("page=").nth(1).and_then(|rest| rest.split('&').next()).unwrap_or_default();
    let rows: Vec<String> = (0..count).map(|row| format!("{{\"code\":\"{page}-{row}\"}}")).collect();
    format!("{{\"data\":[{}]}}", rows.join(","))
}

#[tokio::test]
async fn every_row_once() {
    let fixture = Fixture::signed_in(config(), "planner").await;
    let walked = read_all_pages(&fixture.client).await.expect("all pages");
    let progress = walked.last().expect("a page").progress;
    let codes: std::collections::HashSet<String> =
        walked.iter().flat_map(|page| page.rows.values()).map(|row| row["code"].to_string()).collect();
    assert_eq!(Some(progress.rows), progress.total);
    assert_eq!(Some(progress.page), progress.pages);
    assert_eq!(codes.len(), progress.rows as usize);
    assert!(walked.len() > 1, "the plant holds more than one page");
}

#[tokio::test]
async fn the_rate_limit_is_waited_for() {
    let rate_limit = RateLimit { requests: 1, window: Duration::from_secs(1) };
    let fixture = Fixture::signed_in(PlantConfig { rate_limit, ..config() }, "planner").await;
    let walked = read_all_pages(&fixture.client).await.expect("all pages");
    assert!(walked.len() > 1);
    let refused = fixture.plant.log().iter().filter(|entry| entry.status == Some(429)).count();
    assert_eq!(refused, 0, "the limit is honoured before it is hit");
}

#[tokio::test]
async fn refusals_for_lack_of_rate_are_survived() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let responder = Responder::start(move |request| {
        if count.fetch_add(1, std::sync::atomic::Ordering::SeqCst).is_multiple_of(2) {
            return answer("429 Too Many Requests", "Retry-After: 0.05\r\n", "");
        }
        answer("200 OK", "X-Pagination-Pages: 3\r\nX-Pagination-Total: 6\r\n", &rows(request, 2))
    })
    .await;
    let walked = read_all_pages(&client_of(&responder)).await.expect("all pages");
    assert_eq!(walked.iter().map(|page| page.rows.len()).sum::<usize>(), 6);
    assert_eq!(responder.count(), 6);
}

#[tokio::test]
async fn a_walk_leaves_something_to_people() {
    // The limit is eight, and one request is left. A background read waits, an interactive one doesn't.
    let reset = jiff::Timestamp::now() + Duration::from_secs(30);
    let headers = format!("X-RateLimit-Limit: 8\r\nX-RateLimit-Remaining: 1\r\nX-RateLimit-Reset: {reset}\r\n");
    let responder = Responder::start(move |request| answer("200 OK", &headers, &rows(request, 100))).await;
    let client = client_of(&responder);
    client.get(MATERIALS, &[]).await.expect("an answer");
    let canceller = Canceller::new();
    let mut pages =
        client.pages(ReadRequest::get(MATERIALS, &[]), materials()).with_retry_policy(RetryPolicy::BACKGROUND_READ);
    let walking = tokio::time::timeout(Duration::from_millis(400), pages.next(&canceller)).await;
    assert!(walking.is_err(), "the walk waits");
    let request = ReadRequest::get(MATERIALS, &[]);
    let read = client.read(&request, RetryPolicy::SINGLE_READ, &canceller);
    assert!(tokio::time::timeout(Duration::from_secs(5), read).await.is_ok_and(|read| read.is_ok()));
}

#[tokio::test]
async fn a_walk_can_be_stopped() {
    let responder = Responder::start(|_| answer("429 Too Many Requests", "Retry-After: 60\r\n", "")).await;
    let canceller = Canceller::new();
    let mut pages = client_of(&responder).pages(ReadRequest::get(MATERIALS, &[]), materials());
    let stopping = canceller.clone();
    let stopper = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        stopping.cancel();
    });
    assert!(matches!(pages.next(&canceller).await, Err(ClientError::Cancelled)));
    stopper.await.expect("it ends");
}

/// Starts a service with three full pages of two rows.
async fn three_pages() -> Responder {
    Responder::start(|request| {
        answer("200 OK", "X-Pagination-Pages: 3\r\nX-Pagination-Total: 6\r\n", &rows(request, 2))
    })
    .await
}

async fn wait_for_requests(responder: &Responder, count: usize) {
    while responder.count() < count {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn the_next_page_comes_while_nobody_waits_for_it() {
    let responder = three_pages().await;
    let canceller = Canceller::new();
    let mut pages = client_of(&responder).pages(ReadRequest::get(MATERIALS, &[]), materials());
    let mut walked = Vec::new();
    while let Some(page) = pages.next(&canceller).await.expect("a page") {
        walked.push(page.rows.texts().map(str::to_owned).collect::<Vec<_>>());
        // A second call has no effect, and no request follows the last page.
        pages.prefetch_next(&canceller);
        pages.prefetch_next(&canceller);
        wait_for_requests(&responder, 3.min(walked.len() + 1)).await;
    }
    let expected = read_all_pages(&client_of(&responder)).await.expect("all pages");
    let expected: Vec<Vec<String>> =
        expected.iter().map(|page| page.rows.texts().map(str::to_owned).collect()).collect();
    assert_eq!(walked, expected);
    assert_eq!(responder.count(), 6, "no page is asked for twice");
}

#[tokio::test]
async fn a_page_that_failed_ahead_is_asked_for_again() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let responder = Responder::start(move |request| match count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        1 => answer("403 Forbidden", "", "{}"),
        _ => answer("200 OK", "X-Pagination-Pages: 2\r\n", &rows(request, 2)),
    })
    .await;
    let canceller = Canceller::new();
    let mut pages = client_of(&responder).pages(ReadRequest::get(MATERIALS, &[]), materials());
    pages.next(&canceller).await.expect("a page");
    pages.prefetch_next(&canceller);
    assert_eq!(pages.next(&canceller).await.err().and_then(|error| error.status()), Some(403));
    let page = pages.next(&canceller).await.expect("a page").expect("the second");
    assert_eq!((page.progress.page, page.progress.rows, responder.count()), (2, 4, 3));
}

#[tokio::test]
async fn what_comes_ahead_can_be_stopped() {
    let responder = Responder::start(|request| match request.contains("page=2&") {
        true => answer("429 Too Many Requests", "Retry-After: 60\r\n", ""),
        false => answer("200 OK", "X-Pagination-Pages: 3\r\n", &rows(request, 2)),
    })
    .await;
    let canceller = Canceller::new();
    let mut pages = client_of(&responder).pages(ReadRequest::get(MATERIALS, &[]), materials());
    pages.next(&canceller).await.expect("a page");
    pages.prefetch_next(&canceller);
    wait_for_requests(&responder, 2).await;
    let stopping = canceller.clone();
    let stopper = tokio::spawn(async move { stopping.cancel() });
    assert!(matches!(pages.next(&canceller).await, Err(ClientError::Cancelled)));
    stopper.await.expect("it ends");
    assert_eq!(responder.count(), 2);
}

#[tokio::test]
async fn counts_that_lie_end_the_walk() {
    // The service states a billion pages but has two.
    let generous = Responder::start(|request| {
        let count = if request.contains("page=3&") { 0 } else { 5 };
        answer("200 OK", "X-Pagination-Pages: 1000000000\r\n", &rows(request, count))
    })
    .await;
    assert_eq!(read_all_pages(&client_of(&generous)).await.map(|pages| pages.len()).ok(), Some(3));
    // The service states no counts, so the first page that isn't full is the last.
    let silent = Responder::start(|request| {
        answer("200 OK", "", &rows(request, if request.contains("page=2&") { 40 } else { 100 }))
    })
    .await;
    assert_eq!(read_all_pages(&client_of(&silent)).await.map(|pages| pages.len()).ok(), Some(2));
    // The service ignores the page number, or repeats the last page.
    for (last, count, fault) in [
        (1, 100, Some(ListFault::OnePageOnly { rows: 100 })),
        (1, 70, None),
        (1, 130, None),
        (3, 100, None),
        (3, 40, None),
    ] {
        let deaf = Responder::start(move |request| {
            let asked = (1..last).find(|page| request.contains(&format!("page={page}&")));
            let (page, count) = asked.map_or((last, count), |page| (page, 100));
            answer("200 OK", "", &rows(&format!("page={page}&"), count))
        })
        .await;
        let client = client_of(&deaf);
        let mut pages = client.pages(ReadRequest::get(MATERIALS, &[]), materials());
        let mut read = 0;
        while let Some(page) = pages.next(&Canceller::new()).await.expect("a page") {
            read += page.rows.len();
        }
        assert_eq!((read, pages.fault()), ((last - 1) * 100 + count, fault), "{last} {count}");
    }
    // The pages repeat in a cycle.
    let circle = Responder::start(|request| {
        let page = if request.contains("page=2&") { 2 } else { 1 };
        answer("200 OK", "", &rows(&format!("page={page}&"), 100))
    })
    .await;
    assert!(matches!(read_all_pages(&client_of(&circle)).await, Err(ClientError::NotUnderstood { .. })));
    // The service repeats the first page but states the requested page number.
    let stuck = Responder::start(|request| {
        let page = request.split("page=").nth(1).and_then(|rest| rest.split('&').next()).unwrap_or_default();
        answer("200 OK", &format!("X-Pagination-Current: {page}\r\n"), &rows("page=1&", 100))
    })
    .await;
    assert!(matches!(read_all_pages(&client_of(&stuck)).await, Err(ClientError::NotUnderstood { .. })));
    // The rows are in another member.
    let other = Responder::start(|_| answer("200 OK", "", r#"{"items":[]}"#)).await;
    assert!(matches!(read_all_pages(&client_of(&other)).await, Err(ClientError::NotUnderstood { .. })));
}

#[tokio::test]
async fn headers_that_cant_be_hide_no_row() {
    let odd = [
        "X-Pagination-Current: 0\r\n",
        "X-Pagination-Current: 1\r\n",
        "X-Pagination-Current: -1\r\nX-Pagination-Pages: NaN\r\nX-Pagination-Total: many\r\n",
        "X-Pagination-Current: 0\r\nX-Pagination-Pages: 0\r\nX-Pagination-Total: 0\r\n",
        "X-Pagination-Total: 3\r\n",
        "X-Pagination-Pages: 99999999999999999999\r\nX-Pagination-Current: 1.5\r\n",
    ];
    for headers in odd {
        let responder = Responder::start(move |request| {
            let count = if request.contains("page=3&") { 40 } else { 100 };
            answer("200 OK", headers, &rows(request, count))
        })
        .await;
        let client = client_of(&responder);
        let walked = read_all_pages(&client).await.unwrap_or_else(|error| panic!("{headers}: {error}"));
        assert_eq!(walked.iter().map(|page| page.rows.len()).sum::<usize>(), 240, "{headers}");
        let named = client.ignored_headers();
        assert!(named.len() <= 3 && named.iter().all(|header| headers.contains(&header.name)), "{named:?}");
    }
}

#[tokio::test]
async fn a_limit_that_cant_be_holds_nobody() {
    let reset = jiff::Timestamp::now() + Duration::from_secs(1_800);
    let soon = jiff::Timestamp::now() + Duration::from_secs(20);
    let odd = [
        format!("X-RateLimit-Limit: 0\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: {reset}\r\n"),
        format!("X-RateLimit-Limit: 0\r\nX-RateLimit-Remaining: 5\r\nX-RateLimit-Reset: {soon}\r\n"),
        format!("X-RateLimit-Limit: -5\r\nX-RateLimit-Remaining: -5\r\nX-RateLimit-Reset: {reset}\r\n"),
        format!("X-RateLimit-Limit: NaN\r\nX-RateLimit-Remaining: NaN\r\nX-RateLimit-Reset: {reset}\r\n"),
        "X-RateLimit-Limit: 9\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 0\r\n".to_owned(),
        "X-RateLimit-Limit: 9\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 9999-12-31T23:59:59Z\r\n".to_owned(),
        "X-RateLimit-Limit: 9\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 60\r\n".to_owned(),
    ];
    for headers in odd {
        let stated = headers.clone();
        let responder = Responder::start(move |_| answer("200 OK", &stated, r#"{"data":[]}"#)).await;
        let client = client_of(&responder);
        for _ in 0..3 {
            let canceller = Canceller::new();
            let request = ReadRequest::get(MATERIALS, &[]);
            let read = client.read(&request, RetryPolicy::BACKGROUND_READ, &canceller);
            let read = tokio::time::timeout(Duration::from_secs(5), read).await;
            read.unwrap_or_else(|_| panic!("it waits: {headers}")).expect("an answer");
        }
        assert!(!client.ignored_headers().is_empty(), "{headers}");
    }
}

#[tokio::test]
async fn a_refusal_that_names_an_impossible_time_is_tried_again_soon() {
    for headers in [
        "Retry-After: NaN\r\n",
        "Retry-After: -7\r\n",
        "Retry-After: 0\r\n",
        "X-RateLimit-Limit: 9\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 9999-12-31T23:59:59Z\r\n",
    ] {
        let count = std::sync::atomic::AtomicUsize::new(0);
        let responder = Responder::start(move |_| {
            if count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 {
                return answer("429 Too Many Requests", headers, r#"{"error":"slow down"}"#);
            }
            answer("200 OK", "", r#"{"data":[]}"#)
        })
        .await;
        let client = client_of(&responder);
        let canceller = Canceller::new();
        let request = ReadRequest::get(MATERIALS, &[]);
        let read = client.read(&request, RetryPolicy::SINGLE_READ, &canceller);
        let read = tokio::time::timeout(Duration::from_secs(8), read).await;
        read.unwrap_or_else(|_| panic!("it waits: {headers}")).expect("an answer");
        assert_eq!(responder.count(), 2, "{headers}");
    }
}

#[tokio::test]
async fn a_list_that_is_read_by_post_has_its_pages_in_the_body_and_is_asked_again() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let responder = Responder::start(move |request| match count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        0 => answer("503 Service Unavailable", "", "{}"),
        _ if request.contains("\"number\":1") => answer("200 OK", "", &rows("page=2&", 1)),
        _ => answer("200 OK", "", &rows("page=1&", 2)),
    })
    .await;
    let mut form = materials();
    form.paging = takt_contract::form::Paging {
        page: "paging.number".to_owned(),
        limit: Some("paging.size".to_owned()),
        rows: 2,
        in_body: true,
        ..Default::default()
    };
    let mut request = ReadRequest::new("POST", "/materials/search");
    request.set_in_body("filter.code", "M-1".into());
    let mut pages = client_of(&responder).pages(request, form);
    let canceller = Canceller::new();
    let mut rows = 0;
    while let Some(page) = pages.next(&canceller).await.expect("a page") {
        rows += page.rows.len();
    }
    assert_eq!(rows, 3);
    let requests = responder.requests.lock().expect("the requests").clone();
    let asked: Vec<&String> =
        requests.iter().filter(|request| request.starts_with("POST /materials/search ")).collect();
    assert_eq!(asked.len(), 3, "{requests:?}");
    assert!(asked[0].ends_with(r#"{"filter":{"code":"M-1"},"paging":{"number":0,"size":2}}"#), "{}", asked[0]);
    assert_eq!(asked[0], asked[1]);
    assert!(asked[2].contains(r#""number":1"#), "{}", asked[2]);
}

#[tokio::test]
async fn a_list_that_contradicts_itself_says_how() {
    // Each page has the headers with counts and the number of rows. The second part is the expected fault.
    type Pages = &'static [(&'static str, usize)];
    let lists: [(Pages, Option<ListFault>); 12] = [
        (&[("", 3), ("", 0)], None),
        (&[("X-Pagination-Total: 3\r\n", 3)], None),
        (&[("X-Pagination-Total: 0\r\n", 0)], None),
        (&[("X-Pagination-Total: 5\r\nX-Pagination-Pages: 2\r\n", 3), ("X-Pagination-Total: 5\r\n", 2)], None),
        (&[("X-Pagination-Total: 3\r\n", 0)], Some(ListFault::WrongTotal { total: 3, rows: 0 })),
        (&[("X-Pagination-Total: 2\r\n", 3)], Some(ListFault::WrongTotal { total: 2, rows: 3 })),
        (
            &[("X-Pagination-Total: 5\r\n", 3), ("X-Pagination-Total: 4\r\n", 1)],
            Some(ListFault::TotalChanged { first: 5, now: 4 }),
        ),
        (
            &[("X-Pagination-Pages: 3\r\n", 3), ("X-Pagination-Pages: 2\r\n", 3)],
            Some(ListFault::PagesChanged { first: 3, now: 2 }),
        ),
        (
            &[("X-Pagination-Pages: 3\r\n", 3), ("X-Pagination-Pages: 3\r\n", 1), ("X-Pagination-Pages: 3\r\n", 3)],
            Some(ListFault::ShortPage { page: 2 }),
        ),
        (
            &[("X-Pagination-Pages: 3\r\n", 3), ("X-Pagination-Pages: 3\r\n", 0)],
            Some(ListFault::PagesMissing { pages: 3, page: 2 }),
        ),
        (
            &[("X-Pagination-Total: 3\r\nX-Pagination-Current: 2\r\n", 3)],
            Some(ListFault::OtherPage { asked: 1, current: 2 }),
        ),
        // If every page states a total and the rows reach it, short pages don't hide rows.
        (&[("X-Pagination-Total: 6\r\n", 3), ("X-Pagination-Total: 6\r\n", 1), ("X-Pagination-Total: 6\r\n", 2)], None),
    ];
    for (pages, expected) in lists {
        let responder = Responder::start(move |request| {
            let page: usize =
                request.split("page=").nth(1).and_then(|rest| rest.split('&').next()?.parse().ok()).unwrap_or(1);
            let (headers, count) = pages.get(page - 1).copied().unwrap_or_default();
            answer("200 OK", headers, &rows(request, count))
        })
        .await;
        let mut walk = client_of(&responder).pages(ReadRequest::get(MATERIALS, &[]), materials());
        while walk.next(&Canceller::new()).await.expect("a page").is_some() {}
        assert_eq!(walk.fault(), expected, "{pages:?}");
    }
}
