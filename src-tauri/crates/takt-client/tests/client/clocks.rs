//! Tests with a local clock that is hours off or jumps. It may cause one refusal at most, and never signs a user out.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use takt_client::{Canceller, Client, Clock, ReadRequest, RetryPolicy, Timeouts, post::PostClient};
use takt_plant::{PlantConfig, RateLimit};

use crate::{
    fixture::{Fixture, MATERIALS, access, config},
    responder::{Responder, answer},
};

const CLOCK_ERRORS_IN_HOURS: [i64; 3] = [-6, 6, 24 * 400];

/// Returns a clock that is ahead by the current value of `ahead`, in seconds.
fn shifted_clock(ahead: &Arc<AtomicI64>) -> Clock {
    let ahead = Arc::clone(ahead);
    Arc::new(move || Timestamp::now() + SignedDuration::from_secs(ahead.load(Ordering::SeqCst)))
}

/// Returns a client with a wrong clock, as after a restart.
fn restarted_client(fixture: &Fixture, ahead: &Arc<AtomicI64>) -> Client {
    Client::new(access(&fixture.plant), fixture.vault.clone(), shifted_clock(ahead)).expect("a client")
}

fn refusal_count(fixture: &Fixture) -> usize {
    // Requests for the provider's metadata need no token.
    let of_operation = |entry: &&takt_plant::LogEntry| entry.operation.is_some() && entry.status == Some(401);
    fixture.plant.log().iter().filter(of_operation).count()
}

#[tokio::test]
async fn hours_off_from_one_start_to_the_next() {
    for hours in CLOCK_ERRORS_IN_HOURS {
        let fixture = Fixture::signed_in(config(), "planner").await;
        let client = restarted_client(&fixture, &Arc::new(AtomicI64::new(hours * 3600)));
        for _ in 0..3 {
            client.get(MATERIALS, &[]).await.expect("an answer");
        }
        assert_eq!(refusal_count(&fixture), 0, "{hours} h");
        assert!(fixture.request_count("connect/token") <= 1, "{hours} h");
        let skew = client.clock_skew().expect("the plant tells its time");
        assert!((skew.as_secs() + hours * 3600).abs() <= 2, "{hours} h: {skew}");
    }
}

#[tokio::test]
async fn hours_behind_where_the_token_has_ended_meanwhile() {
    let fixture =
        Fixture::signed_in(PlantConfig { token_lifetime: Duration::from_secs(1), ..config() }, "planner").await;
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let client = restarted_client(&fixture, &Arc::new(AtomicI64::new(-6 * 3600)));
    client.get(MATERIALS, &[]).await.expect("an answer");
    assert_eq!((refusal_count(&fixture), fixture.request_count("connect/token")), (1, 1), "one refusal, one renewal");
}

#[tokio::test]
async fn a_jump_between_two_requests() {
    let fixture = Fixture::signed_in(config(), "planner").await;
    let ahead = Arc::new(AtomicI64::new(0));
    let client = restarted_client(&fixture, &ahead);
    for hours in CLOCK_ERRORS_IN_HOURS.into_iter().chain([0]) {
        ahead.store(hours * 3600, Ordering::SeqCst);
        client.get(MATERIALS, &[]).await.expect("an answer");
    }
    assert_eq!(
        (refusal_count(&fixture), fixture.request_count("connect/token")),
        (0, 0),
        "the token's age is measured by no calendar"
    );
}

#[tokio::test]
async fn a_limits_reset_is_said_by_the_services_clock() {
    for hours in [-6, 6] {
        let limit = RateLimit { requests: 2, window: Duration::from_secs(2) };
        let fixture = Fixture::signed_in(PlantConfig { rate_limit: limit, ..config() }, "planner").await;
        let client = restarted_client(&fixture, &Arc::new(AtomicI64::new(hours * 3600)));
        let start = Instant::now();
        for _ in 0..5 {
            client
                .read(&ReadRequest::get(MATERIALS, &[]), RetryPolicy::COMPLETE_READ, &Canceller::new())
                .await
                .expect("an answer");
        }
        let took = start.elapsed();
        assert!((Duration::from_secs(2)..Duration::from_secs(15)).contains(&took), "{hours} h: {took:?}");
        let refused = fixture.plant.log().iter().filter(|entry| entry.status == Some(429)).count();
        assert_eq!(refused, 0, "{hours} h: the limit is honoured before it is hit");
    }
}

#[tokio::test]
async fn a_targets_date_for_the_next_try_is_compared_with_the_given_clock() {
    let header = "Retry-After: Tue, 01 Jan 2030 00:01:00 GMT\r\n";
    let target = Responder::start(move |_| answer("503 Service Unavailable", header, "")).await;
    let clock: Clock = Arc::new(|| "2030-01-01T00:00:00Z".parse().expect("a time"));
    let poster = PostClient::new(&target.base_url, Timeouts::default()).expect("a poster");
    let posted = poster.post(&[], Vec::new(), &clock).await.expect("an answer");
    assert_eq!(posted.retry_after, Some(Duration::from_secs(60)));
}
