//! Announced page counts, and the pages that a service returns.

use takt_engine::{
    Canceller, Code, Problem,
    browse::{BrowseEnd, BrowseProgress, PageRequest},
};

use super::server::{Fixture, complete_response, counts_json, query, rows_json};

async fn read_all(fixture: &Fixture) -> (Result<BrowseEnd, Problem>, usize, Option<BrowseProgress>) {
    let (set, mut last) = (fixture.set(), None);
    let ended =
        fixture.engine.browse().read_all(&query(), &set, &Canceller::new(), |progress| last = Some(progress)).await;
    (ended, set.len(), last)
}

#[tokio::test]
async fn a_list_without_headers_ends_where_no_more_rows_come() {
    // The service returns at most 50 rows per page, whatever is requested.
    let fixture =
        Fixture::with(|page, _| complete_response("200 OK", "", &rows_json(page, if page <= 3 { 50 } else { 0 })))
            .await;
    let (ended, count, last) = read_all(&fixture).await;
    assert_eq!((ended.unwrap(), count), (BrowseEnd::Whole, 150));
    assert_eq!(last.unwrap().total, None);
    // The service has no pages, and returns everything at once.
    let fixture = Fixture::with(|_, _| complete_response("200 OK", "", &rows_json(1, 30))).await;
    let (ended, count, _) = read_all(&fixture).await;
    assert_eq!((ended.unwrap(), count, fixture.count()), (BrowseEnd::Whole, 30, 2));
    let fixture = Fixture::with(|_, _| complete_response("200 OK", "", &rows_json(1, 5_000))).await;
    let (ended, count, _) = read_all(&fixture).await;
    assert_eq!((ended.unwrap(), count, fixture.count()), (BrowseEnd::Whole, 5_000, 1));
}

#[tokio::test]
async fn counts_that_lie_are_said() {
    // The service announces 700 rows on three pages, and has three pages.
    let fixture = Fixture::with(|page, _| {
        complete_response("200 OK", &counts_json(700, 3, page), &rows_json(page, if page <= 3 { 100 } else { 0 }))
    })
    .await;
    let (ended, count, last) = read_all(&fixture).await;
    assert_eq!((ended.unwrap(), count), (BrowseEnd::Uneven, 300));
    assert_eq!(last.unwrap().total, Some(700));
    // The service announces three pages, and has five.
    let fixture = Fixture::with(|page, _| {
        complete_response("200 OK", &counts_json(500, 3, page), &rows_json(page, if page <= 5 { 100 } else { 0 }))
    })
    .await;
    let (ended, count, _) = read_all(&fixture).await;
    assert_eq!((ended.unwrap(), count), (BrowseEnd::Whole, 500));
    // The service announces a billion pages, and has two.
    let fixture = Fixture::with(|page, _| {
        complete_response(
            "200 OK",
            "X-Pagination-Pages: 1000000000\r\n",
            &rows_json(page, if page <= 2 { 100 } else { 0 }),
        )
    })
    .await;
    let (ended, count, _) = read_all(&fixture).await;
    assert_eq!((ended.unwrap(), count), (BrowseEnd::Uneven, 200));
}

#[tokio::test]
async fn a_total_that_changes_is_said() {
    let fixture = Fixture::with(|page, _| {
        let total = if page == 1 { 300 } else { 301 };
        complete_response("200 OK", &counts_json(total, 4, page), &rows_json(page, if page <= 3 { 100 } else { 1 }))
    })
    .await;
    let (ended, count, _) = read_all(&fixture).await;
    assert_eq!((ended.unwrap(), count), (BrowseEnd::Uneven, 301));
}

#[tokio::test]
async fn the_same_page_again_and_again_is_no_list() {
    let fixture =
        Fixture::with(|_, _| complete_response("200 OK", "X-Pagination-Total: 1000\r\n", &rows_json(1, 100))).await;
    let (ended, count, _) = read_all(&fixture).await;
    assert_eq!((ended.unwrap_err().code, count), (Code::AnswerNotUnderstood, 100));
    assert_eq!(fixture.count(), 2);
    // Without counts, these may be all rows, or as many as the service returns at once.
    let fixture = Fixture::with(|_, _| complete_response("200 OK", "", &rows_json(1, 100))).await;
    let (ended, count, _) = read_all(&fixture).await;
    assert_eq!((ended.unwrap(), count, fixture.count()), (BrowseEnd::Uneven, 100, 2));
    let fixture =
        Fixture::with(|_, _| complete_response("200 OK", &counts_json(1_000, 10, 1), &rows_json(1, 100))).await;
    let set = fixture.set();
    let problem = fixture
        .engine
        .browse()
        .read_page(&query(), PageRequest { page: 3, limit: 100 }, &set, &Canceller::new())
        .await
        .unwrap_err();
    assert_eq!((problem.code, set.len()), (Code::AnswerNotUnderstood, 0));
}

#[tokio::test]
async fn what_is_no_list_of_objects_is_refused() {
    for body in ["", "[]", r#"{"items":[]}"#, r#"{"data":{"0":{}}}"#, r#"{"data":[1,2]}"#, "<html>", r#"{"data":[{}]"#]
    {
        let fixture = Fixture::with(move |_, _| complete_response("200 OK", "", body)).await;
        let (ended, count, _) = read_all(&fixture).await;
        assert_eq!((ended.unwrap_err().code, count), (Code::AnswerNotUnderstood, 0), "{body}");
        let problem = fixture.engine.browse().fetch_page("Plant 4", &query(), 1, 100).await.unwrap_err();
        assert_eq!(problem.code, Code::AnswerNotUnderstood, "{body}");
    }
}
