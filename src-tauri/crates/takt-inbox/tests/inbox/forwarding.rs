//! Forwarded events arrive at least once and in order, even if the target fails.

use std::{sync::Arc, time::Duration};

use takt_engine::{
    forward::{ForwardStop, ForwardTarget, ForwardTiming, TargetSettings, TargetStart, TargetState},
    inbox::Receiver,
};
use takt_test_support::{
    event_sender::post,
    inbox_fixture::{Fixture, SITE},
};
use tokio::sync::Semaphore;

use super::target::{Answer, Erp, status};

pub(crate) fn quick() -> ForwardTiming {
    ForwardTiming { waits: vec![Duration::from_millis(30)], refusals: 3, breaks: 5, answer: Duration::from_millis(300) }
}

pub(crate) fn wish(erp: &Erp) -> TargetSettings {
    TargetSettings { name: "ERP".to_owned(), address: erp.url(), ..TargetSettings::default() }
}

pub(crate) async fn fires(receiver: &Receiver, ids: std::ops::Range<u32>) {
    for id in ids {
        let (delivery, body) = (format!("d{id}"), format!("{{ \"Id\":{},\"n\": 1.50 }}", id % 3));
        assert_eq!(post(&receiver.url(), &[("X-Takt-Delivery", &delivery)], body.as_bytes()).await.0, 200);
    }
}

pub(crate) async fn target(fixture: &Fixture) -> ForwardTarget {
    fixture.engine.inbox().targets().list().await.unwrap().remove(0)
}

/// Waits until the target has the wanted state.
pub(crate) async fn until(fixture: &Fixture, what: &str, wanted: impl Fn(&ForwardTarget) -> bool) -> ForwardTarget {
    for _ in 0..2_000 {
        let view = target(fixture).await;
        if wanted(&view) {
            return view;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what}: {:?}", target(fixture).await);
}

fn numbered(ids: std::ops::Range<u32>) -> Vec<String> {
    ids.map(|id| format!("d{id}")).collect()
}

#[tokio::test]
async fn events_go_on_as_they_came_in_their_order_and_say_where_they_were() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    fixture.engine.inbox().targets().set_pace(quick());
    let receiver = fixture.receive().await;
    let id = fixture.engine.inbox().targets().add(SITE, &wish(&erp), &TargetStart::Now).unwrap();
    fires(&receiver, 0..20).await;
    let received = erp.waits_for(20).await;
    assert_eq!(erp.deliveries(), numbered(0..20));
    assert_eq!(received[1].body, "{ \"Id\":1,\"n\": 1.50 }", "byte by byte");
    assert!(received[0].header("takt-forwarded").is_some_and(|by| by.len() == 16));
    assert!(
        received.iter().all(|one| one.header("authorization").is_none() && one.header("x-takt-signature").is_none())
    );
    let view = until(&fixture, "all is there", |view| view.state == TargetState::UpToDate).await;
    assert!(
        view.running && view.took.is_some() && view.waiting == 0 && view.oldest.is_none() && !view.open,
        "{view:?}"
    );
    let at = fixture.engine.inbox().targets().list_forwards(SITE, 3).unwrap();
    assert_eq!((at[0].target, at[0].stop, at[0].status), (i32::try_from(id).unwrap(), ForwardStop::Taken, Some(200)));
    receiver.stop().await;
    assert!(!target(&fixture).await.running);
}

#[tokio::test]
async fn what_comes_while_the_target_is_down_waits_over_a_restart_and_arrives_in_order() {
    let (fixture, mut erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    fixture.engine.inbox().targets().set_pace(quick());
    fixture.engine.inbox().targets().add(SITE, &wish(&erp), &TargetStart::Now).unwrap();
    erp.stop_listening().await;
    let receiver = fixture.receive().await;
    fires(&receiver, 0..5).await;
    let view = until(&fixture, "it is known to be down", |view| view.state == TargetState::Failing).await;
    let miss = view.miss.unwrap();
    assert_eq!((view.waiting, miss.event, miss.fault), (5, 1, takt_engine::forward::Fault::Unreachable));
    assert!(!miss.response.contains("/events"), "the address may hold a secret: {}", miss.response);
    receiver.stop().await;
    let fixture = fixture.reopen();
    fixture.engine.inbox().targets().set_pace(quick());
    let receiver = fixture.receive().await;
    fires(&receiver, 5..8).await;
    erp.up().await;
    erp.waits_for(8).await;
    assert_eq!(erp.deliveries(), numbered(0..8));
    until(&fixture, "all is there", |view| view.state == TargetState::UpToDate && view.miss.is_none()).await;
}

#[tokio::test]
async fn what_is_late_lost_or_broken_comes_again_with_the_same_id_and_before_the_others() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    fixture.engine.inbox().targets().set_pace(quick());
    let failing = std::sync::atomic::AtomicU32::new(0);
    erp.rules(move |one| {
        let answers = [Answer::Drop, Answer::Late(Duration::from_secs(2)), status(500), status(503)];
        let at = if one.delivery() == "d1" { failing.fetch_add(1, std::sync::atomic::Ordering::Relaxed) } else { 9 };
        answers.get(at as usize).cloned().unwrap_or_else(|| status(204))
    });
    let receiver = fixture.receive().await;
    fixture.engine.inbox().targets().add(SITE, &wish(&erp), &TargetStart::Now).unwrap();
    fires(&receiver, 0..3).await;
    erp.waits_for(7).await;
    assert_eq!(erp.deliveries(), ["d0", "d1", "d1", "d1", "d1", "d1", "d2"]);
    let view = until(&fixture, "all is there", |view| view.state == TargetState::UpToDate).await;
    assert_eq!((view.set_aside, fixture.engine.inbox().targets().list_forwards(SITE, 2).unwrap()[0].tries), (0, 5));
}

#[tokio::test]
async fn who_asks_to_be_left_alone_is_and_nobody_follows_to_another_address() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    let elsewhere = Erp::start(|_| status(200)).await;
    fixture.engine.inbox().targets().set_pace(quick());
    erp.rules(|_| Answer::Status(429, "Retry-After: 1\r\n".to_owned()));
    let receiver = fixture.receive().await;
    fixture.engine.inbox().targets().add(SITE, &wish(&erp), &TargetStart::Now).unwrap();
    fires(&receiver, 0..1).await;
    let received = erp.waits_for(2).await;
    let wait = received[1].at - received[0].at;
    assert!(wait >= Duration::from_millis(980) && wait < Duration::from_secs(4), "{wait:?}");
    let address = elsewhere.url();
    erp.rules(move |_| Answer::Status(307, format!("Location: {address}\r\n")));
    let moved = |view: &ForwardTarget| view.miss.as_ref().is_some_and(|miss| miss.status == Some(307));
    let view = until(&fixture, "the redirect is seen", moved).await;
    assert_eq!(view.miss.unwrap().fault, takt_engine::forward::Fault::Redirected);
    assert!(elsewhere.received().is_empty());
    erp.rules(|_| status(200));
    fixture.engine.inbox().targets().try_now(SITE, 1).unwrap();
    until(&fixture, "all is there", |view| view.state == TargetState::UpToDate).await;
}

#[tokio::test]
async fn a_failure_of_before_a_target_was_resumed_does_not_hold_it_up() {
    for from_now in [true, false] {
        let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
        fixture.engine.inbox().targets().set_pace(ForwardTiming { answer: Duration::from_secs(30), ..quick() });
        let release = Arc::new(Semaphore::new(0));
        let held_release = Arc::clone(&release);
        erp.rules(move |_| Answer::Held(Arc::clone(&held_release), 503, "Retry-After: 3600\r\n".to_owned()));
        let receiver = fixture.receive().await;
        let id = fixture.engine.inbox().targets().add(SITE, &wish(&erp), &TargetStart::Now).unwrap();
        fires(&receiver, 0..1).await;
        erp.waits_for(1).await;
        erp.rules(|_| status(200));
        fixture.engine.inbox().targets().resume(SITE, id, from_now).unwrap();
        release.add_permits(1);
        fires(&receiver, 1..2).await;
        let view =
            until(&fixture, "all is there", |view| view.state == TargetState::UpToDate && view.took.is_some()).await;
        assert_eq!(view.miss, None);
        let arrived: &[&str] = if from_now { &["d0", "d1"] } else { &["d0", "d0", "d1"] };
        assert_eq!(erp.deliveries(), arrived);
    }
}

#[tokio::test]
async fn one_that_nobody_takes_is_set_aside_and_sent_again_by_hand() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    fixture.engine.inbox().targets().set_pace(quick());
    erp.rules(|one| status(if one.delivery() == "d1" { 422 } else { 200 }));
    let receiver = fixture.receive().await;
    let id = fixture.engine.inbox().targets().add(SITE, &wish(&erp), &TargetStart::Now).unwrap();
    fires(&receiver, 0..3).await;
    let view = until(&fixture, "one is aside", |view| view.set_aside == 1 && view.waiting == 0).await;
    assert_eq!(erp.deliveries(), ["d0", "d1", "d1", "d1", "d2"]);
    assert_eq!(view.state, TargetState::UpToDate);
    let set_aside = fixture.engine.inbox().targets().list_excluded_events(SITE, id).unwrap();
    assert_eq!(
        (set_aside.len(), set_aside[0].event, set_aside[0].stop, set_aside[0].status),
        (1, 2, ForwardStop::SetAside, Some(422))
    );
    assert_eq!(set_aside[0].response, "answer 422");
    assert_eq!(fixture.engine.inbox().targets().send_again(SITE, id, &[2]).unwrap(), 1);
    erp.waits_for(6).await;
    let is_aside = |_: &ForwardTarget| {
        fixture.engine.inbox().targets().list_excluded_events(SITE, id).unwrap()[0].stop == ForwardStop::SetAside
    };
    until(&fixture, "still refused", is_aside).await;
    erp.rules(|_| status(200));
    fixture.engine.inbox().targets().send_again(SITE, id, &[]).unwrap();
    until(&fixture, "it is taken", |view| view.set_aside == 0).await;
    assert_eq!(fixture.engine.inbox().targets().list_forwards(SITE, 2).unwrap()[0].stop, ForwardStop::Taken);
}

#[tokio::test]
async fn who_says_that_it_is_gone_gets_nothing_more_until_a_person_wants_it() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(410)).await);
    fixture.engine.inbox().targets().set_pace(quick());
    let receiver = fixture.receive().await;
    let id = fixture.engine.inbox().targets().add(SITE, &wish(&erp), &TargetStart::Now).unwrap();
    fires(&receiver, 0..2).await;
    let stopped = |view: &ForwardTarget| view.state == TargetState::Stopped && view.waiting == 2;
    let view = until(&fixture, "it is stopped", stopped).await;
    let miss = view.miss.unwrap();
    assert_eq!((miss.fault, miss.status, view.idle), (takt_engine::forward::Fault::Gone, Some(410), None));
    receiver.stop().await;
    // Nothing is sent after a restart either.
    let fixture = fixture.reopen();
    fixture.engine.inbox().targets().set_pace(quick());
    let receiver = fixture.receive().await;
    fires(&receiver, 2..3).await;
    until(&fixture, "it is known to be stopped", |view| view.state == TargetState::Stopped && view.waiting == 3).await;
    assert_eq!(erp.deliveries(), ["d0"]);
    fixture.engine.inbox().targets().resume(SITE, id, false).unwrap();
    erp.waits_for(2).await;
    until(&fixture, "it is stopped again", |view| view.state == TargetState::Stopped).await;
    erp.rules(|one| status(if one.delivery() == "d1" { 422 } else { 200 }));
    fixture.engine.inbox().targets().try_now(SITE, id).unwrap();
    until(&fixture, "all is there", |view| view.state == TargetState::UpToDate && view.set_aside == 1).await;
    assert_eq!(erp.deliveries(), ["d0", "d0", "d0", "d1", "d1", "d1", "d2"]);
    // Excluded events are sent again manually, and the same response has the same effect.
    erp.rules(|_| status(410));
    fixture.engine.inbox().targets().send_again(SITE, id, &[]).unwrap();
    let view = until(&fixture, "it is stopped", |view| view.state == TargetState::Stopped).await;
    assert!(view.miss.is_some_and(|miss| miss.status == Some(410)));
    erp.rules(|_| status(200));
    fixture
        .engine
        .inbox()
        .targets()
        .change(SITE, id, &TargetSettings { name: "other".to_owned(), ..wish(&erp) })
        .unwrap();
    fires(&receiver, 3..4).await;
    until(&fixture, "it goes on", |view| view.state == TargetState::UpToDate && view.waiting == 0).await;
    receiver.stop().await;
}

#[tokio::test]
async fn who_refuses_everything_loses_nothing_and_holds_all() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(400)).await);
    fixture.engine.inbox().targets().set_pace(quick());
    let receiver = fixture.receive().await;
    let id = fixture.engine.inbox().targets().add(SITE, &wish(&erp), &TargetStart::Now).unwrap();
    fires(&receiver, 0..9).await;
    let view = until(&fixture, "it refuses everything", |view| view.state == TargetState::Refusing).await;
    assert_eq!((view.set_aside, view.waiting), (3, 6));
    erp.rules(|_| status(200));
    until(&fixture, "the others get through", |view| view.waiting == 0 && view.state == TargetState::UpToDate).await;
    fixture.engine.inbox().targets().send_again(SITE, id, &[]).unwrap();
    until(&fixture, "those too", |view| view.set_aside == 0).await;
    let mut taken: Vec<_> = erp.deliveries();
    taken.sort();
    taken.dedup();
    assert_eq!(taken, numbered(0..9));
}
