//! Broken connections and rate limits during a read, and continuing it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use takt_engine::{
    Canceller, Code,
    browse::{BrowseEnd, PageRequest},
};

use super::server::{Fixture, Pieces, complete_response, counts_json, query, response_head, rows_json};

fn page_of_ten(page: u32) -> Pieces {
    complete_response("200 OK", &counts_json(1_000, 10, page), &rows_json(page, 100))
}

/// A response whose body ends early.
fn truncated_page(page: u32) -> Pieces {
    let body = rows_json(page, 100);
    let head = response_head("200 OK", &format!("Content-Length: {}\r\n", body.len()));
    Box::new([head, body.as_bytes()[..body.len() / 2].to_vec()].into_iter())
}

#[tokio::test]
async fn three_refusals_and_short_drops_are_survived() {
    let fixture = Fixture::with(|page, number| match number {
        2..=4 => complete_response("429 Too Many Requests", "Retry-After: 0.05\r\n", ""),
        6 => Box::new(std::iter::empty()),
        8 => truncated_page(page),
        10 => complete_response("503 Service Unavailable", "Retry-After: 0.05\r\n", "{}"),
        _ => page_of_ten(page),
    })
    .await;
    let set = fixture.set();
    let ended = fixture.engine.browse().read_all(&query(), &set, &Canceller::new(), |_| {}).await.unwrap();
    assert_eq!((ended, set.len(), fixture.count()), (BrowseEnd::Whole, 1_000, 16));
    let codes: std::collections::HashSet<String> =
        set.rows(0..1_000).iter().map(|row| row["code"].as_str().unwrap().to_owned()).collect();
    assert_eq!(codes.len(), 1_000, "no row twice");
}

#[tokio::test]
async fn what_stays_broken_is_said_and_goes_on_where_it_stood() {
    let broken = Arc::new(AtomicBool::new(true));
    let seen = Arc::clone(&broken);
    let fixture =
        Fixture::with(
            move |page, _| {
                if page == 4 && seen.load(Ordering::SeqCst) { truncated_page(page) } else { page_of_ten(page) }
            },
        )
        .await;
    let set = fixture.set();
    let problem = fixture.engine.browse().read_all(&query(), &set, &Canceller::new(), |_| {}).await.unwrap_err();
    assert_eq!((problem.code, set.len()), (Code::ReadBroken, 300));
    assert_eq!(fixture.count(), 7, "bounded: once, and three times more");
    broken.store(false, Ordering::SeqCst);
    let mut pages = Vec::new();
    let ended = fixture
        .engine
        .browse()
        .continue_read(&set, &Canceller::new(), |progress| pages.push(progress.page))
        .await
        .unwrap();
    assert_eq!((ended, set.len()), (BrowseEnd::Whole, 1_000));
    assert_eq!(pages, (4..=10).collect::<Vec<_>>());
    let problem = fixture.engine.browse().continue_read(&set, &Canceller::new(), |_| {}).await.unwrap_err();
    assert_eq!(problem.code, Code::Precondition, "nothing is left");
}

#[tokio::test]
async fn what_was_stopped_goes_on_and_can_be_stopped_again() {
    let fixture = Fixture::with(|page, _| page_of_ten(page)).await;
    let set = fixture.set();
    for so_far in [200, 400] {
        let canceller = Canceller::new();
        let stopping = canceller.clone();
        let stop = move |progress: takt_engine::browse::BrowseProgress| {
            if progress.rows == so_far {
                stopping.cancel();
            }
        };
        let ended = match so_far {
            200 => fixture.engine.browse().read_all(&query(), &set, &canceller, stop).await,
            _ => fixture.engine.browse().continue_read(&set, &canceller, stop).await,
        };
        assert_eq!((ended.unwrap(), set.len()), (BrowseEnd::Stopped, so_far as usize));
    }
    let ended = fixture.engine.browse().continue_read(&set, &Canceller::new(), |_| {}).await.unwrap();
    assert_eq!((ended, set.len(), fixture.count()), (BrowseEnd::Whole, 1_000, 10));
}

/// Refuses the second and the fourth request, long enough for a progress report.
async fn rate_limiting_service() -> Fixture {
    Fixture::with(|page, number| match number {
        1 | 3 => complete_response("429 Too Many Requests", "Retry-After: 1\r\n", ""),
        _ => page_of_ten(page),
    })
    .await
}

#[tokio::test]
async fn who_waits_for_the_limit_says_until_when() {
    let fixture = rate_limiting_service().await;
    let (begun, mut told) = (jiff::Timestamp::now(), Vec::new());
    let set = fixture.set();
    let ended =
        fixture.engine.browse().read_all(&query(), &set, &Canceller::new(), |progress| told.push(progress)).await;
    assert_eq!((ended.unwrap(), set.len()), (BrowseEnd::Whole, 1_000));
    let waits: Vec<_> = told.iter().filter(|progress| progress.waiting_until.is_some()).collect();
    let stood: Vec<_> = waits.iter().map(|progress| (progress.rows, progress.page, progress.total)).collect();
    assert_eq!(stood, [(100, 1, Some(1_000)), (200, 2, Some(1_000))], "{told:?}");
    let until = waits[0].waiting_until.unwrap().duration_since(begun).as_secs_f64();
    assert!((0.9..20.0).contains(&until), "{until}");
    assert_eq!(told.last().unwrap().waiting_until, None);
}

#[tokio::test]
async fn a_single_page_says_that_it_waits() {
    let fixture = rate_limiting_service().await;
    let (set, mut told) = (fixture.set(), Vec::new());
    for page in 1..=2 {
        let on_progress =
            |progress: takt_engine::browse::BrowseProgress| told.push((page, progress.waiting_until.is_some()));
        let (query, canceller) = (query(), Canceller::new());
        fixture
            .engine
            .browse()
            .read_page_with_progress(&query, PageRequest { page, limit: 100 }, &set, &canceller, on_progress)
            .await
            .unwrap();
    }
    assert_eq!(told.first(), Some(&(2, true)), "{told:?}");
    assert_eq!(set.len(), 200);
    // A canceled read doesn't wait.
    let canceller = Canceller::new();
    let stopping = canceller.clone();
    let read = fixture
        .engine
        .browse()
        .read_page_with_progress(&query(), PageRequest { page: 3, limit: 100 }, &set, &canceller, move |_| {
            stopping.cancel()
        })
        .await;
    assert!(read.is_err() && set.len() == 200);
}
