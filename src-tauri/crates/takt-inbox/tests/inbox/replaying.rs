//! Replays of events: unchanged, marked, and in order.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use takt_engine::{
    Canceller, Code,
    inbox::{Destination, EventQuery, Replay, ReplayResult, SignatureState},
};
use takt_test_support::{
    event_sender::post,
    inbox_fixture::{Fixture, SITE},
};

fn address_destination(address: &str) -> Destination {
    Destination::Address { address: address.to_owned(), allow_http: false }
}

async fn run_replay(fixture: &Fixture, replay: &Replay) -> Vec<ReplayResult> {
    let mut all = Vec::new();
    fixture.engine.inbox().replay(replay, &Canceller::new(), |one| all.push(one)).await.unwrap();
    all
}

#[tokio::test]
async fn bytes_arrive_as_they_came_and_are_told_from_the_services_own() {
    let (near, far) = (Fixture::new(), Fixture::new());
    for fixture in [&near, &far] {
        fixture.engine.inbox().set_secrets(SITE, &["shared".to_owned()]).unwrap();
    }
    let (receiver, target) = (near.receive().await, far.receive().await);
    let bodies: [&[u8]; 3] = [b"{ \"Id\":2,  \"odd\": 1.50 }", b"\xFF\x00", b"{}"];
    for (body, delivery) in bodies.iter().zip(["one", "two", "three"]) {
        // Unsigned events can be replayed anyway.
        assert_eq!(post(&receiver.url(), &[("X-Takt-Delivery", delivery)], body).await.0, 401);
    }
    assert_eq!(near.events().await.len(), 3);
    let replay =
        Replay { site: None, events: vec![3, 1, 2], to: address_destination(&target.url()), per_second: 1000.0 };
    let all = run_replay(&near, &replay).await;
    assert!(all.iter().all(ReplayResult::is_accepted), "{all:?}");
    let arrived = far.events().await;
    assert!(arrived.iter().all(|event| event.replay && event.signed == SignatureState::Valid), "{arrived:?}");
    for (event, body) in arrived.iter().zip([bodies[2], bodies[0], bodies[1]]) {
        let detail = far.event(event.id).await;
        assert_eq!(detail.body, String::from_utf8_lossy(body));
        assert!(detail.headers.iter().any(|(name, _)| name == "takt-replay"));
        assert!(detail.headers.iter().any(|(name, _)| name == "x-takt-delivery"));
    }
    run_replay(&near, &replay).await;
    assert_eq!(
        far.events().await.iter().map(|event| event.copies).collect::<Vec<_>>(),
        [1, 1, 1],
        "counted, not doubled"
    );
}

#[tokio::test]
async fn what_is_not_taken_is_told_and_holds_up_no_other() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    for id in ["a", "b"] {
        assert_eq!(post(&receiver.url(), &[("X-Takt-Delivery", id)], b"{}").await.0, 200);
    }
    fixture.events().await;
    let elsewhere = format!("{}x", receiver.url());
    let refused = run_replay(
        &fixture,
        &Replay { site: None, events: vec![1, 2], to: address_destination(&elsewhere), per_second: 1000.0 },
    )
    .await;
    assert_eq!(refused.iter().map(|one| one.status).collect::<Vec<_>>(), [Some(404), Some(404)]);
    let gone = Replay {
        site: None,
        events: vec![1, 2],
        to: address_destination("http://127.0.0.1:1/secret"),
        per_second: 1000.0,
    };
    let nowhere = run_replay(&fixture, &gone).await;
    assert!(nowhere.iter().all(|one| one.status.is_none() && !one.response.contains("secret")), "{nowhere:?}");
    let wrong = |address: &str, events: Vec<i64>| Replay {
        site: None,
        events,
        to: address_destination(address),
        per_second: 1.0,
    };
    for (replay, code) in
        [(wrong("ftp://127.0.0.1/", vec![1]), Code::InvalidInput), (wrong(&receiver.url(), vec![77]), Code::Unknown)]
    {
        let problem = fixture.engine.inbox().replay(&replay, &Canceller::new(), |_| ()).await.unwrap_err();
        assert_eq!(problem.code, code, "{problem:?}");
    }
}

#[tokio::test]
async fn events_go_out_unencrypted_only_by_choice() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    assert_eq!(post(&receiver.url(), &[], b"{}").await.0, 200);
    fixture.events().await;
    let open = "http://erp.invalid/hook".to_owned();
    let to = |allow_http| Destination::Address { address: open.clone(), allow_http };
    let plan = fixture.engine.inbox().plan_replay(None, &[1], &to(false)).await.unwrap();
    assert!(plan.open && plan.count == 1, "looking sends nothing: {plan:?}");
    let replay = |allow_http| Replay { site: None, events: vec![1], to: to(allow_http), per_second: 1.0 };
    let on_result = |one: ReplayResult| panic!("{one:?}");
    let problem = fixture.engine.inbox().replay(&replay(false), &Canceller::new(), on_result).await.unwrap_err();
    assert_eq!((problem.code, problem.parameters["obstacle"].as_str()), (Code::Precondition, "plain-http"));
    let all = run_replay(&fixture, &replay(true)).await;
    assert!(all.len() == 1 && all[0].status.is_none(), "it was tried: {all:?}");
}

#[tokio::test]
async fn it_is_paced_and_stops_when_it_is_told_to() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    for id in ["a", "b", "c"] {
        assert_eq!(post(&receiver.url(), &[("X-Takt-Delivery", id)], b"{}").await.0, 200);
    }
    fixture.events().await;
    let replay =
        Replay { site: None, events: vec![1, 2, 3], to: address_destination(&receiver.url()), per_second: 10.0 };
    let began = Instant::now();
    run_replay(&fixture, &replay).await;
    assert!(began.elapsed() >= Duration::from_millis(200), "{:?}", began.elapsed());
    let canceller = Canceller::new();
    let mut all = Vec::new();
    let on_result = |one: ReplayResult| {
        canceller.cancel();
        all.push(one);
    };
    fixture.engine.inbox().replay(&Replay { per_second: 0.001, ..replay }, &canceller, on_result).await.unwrap();
    assert_eq!(all.len(), 1);
}

#[tokio::test]
async fn what_would_be_sent_is_told_before_anything_is() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    for (id, body) in [("a", "{\"Id\":2}"), ("b", "{\"Id\":0}"), ("c", "{\"Id\":2}"), ("d", "odd")] {
        assert_eq!(post(&receiver.url(), &[("X-Takt-Delivery", id)], body.as_bytes()).await.0, 200);
    }
    let query = EventQuery { kinds: vec![2], ..EventQuery::default() };
    assert_eq!(fixture.engine.inbox().list_replayable_ids(&query).await.unwrap(), [1, 3]);
    let all = fixture.engine.inbox().list_replayable_ids(&EventQuery::default()).await.unwrap();
    let plan = fixture
        .engine
        .inbox()
        .plan_replay(None, &all, &address_destination("http://erp.example/events"))
        .await
        .unwrap();
    assert_eq!((plan.count, plan.open, plan.cut), (4, true, false));
    assert_eq!(plan.kinds, [(None, 1), (Some(0), 1), (Some(2), 2)]);
    let [first, last] = [&plan.first, &plan.last].map(|moment| moment.as_ref().unwrap().parse::<Timestamp>().unwrap());
    assert!(first <= last);
    assert!(!fixture.engine.inbox().plan_replay(None, &all, &address_destination(&receiver.url())).await.unwrap().open);
    assert_eq!(
        fixture.engine.inbox().plan_replay(None, &all, &address_destination("nowhere")).await.unwrap_err().code,
        Code::InvalidInput
    );
    assert_eq!(fixture.events().await.len(), 4, "nothing was sent");
}
