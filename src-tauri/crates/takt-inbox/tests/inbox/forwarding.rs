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

pub(crate) fn quick_timing() -> ForwardTiming {
    ForwardTiming {
        retry_waits: vec![Duration::from_millis(30)],
        max_refusals: 3,
        max_breaks: 5,
        response_timeout: Duration::from_millis(300),
    }
}

pub(crate) fn target_settings(erp: &Erp) -> TargetSettings {
    TargetSettings { name: "ERP".to_owned(), address: erp.url(), ..TargetSettings::default() }
}

pub(crate) async fn send_events(receiver: &Receiver, ids: std::ops::Range<u32>) {
    for id in ids {
        let (delivery, body) = (format!("d{id}"), format!("{{ \"Id\":{},\"n\": 1.50 }}", id % 3));
        assert_eq!(post(&receiver.url(), &[("X-Takt-Delivery", &delivery)], body.as_bytes()).await.0, 200);
    }
}

pub(crate) async fn only_target(fixture: &Fixture) -> ForwardTarget {
    fixture.engine.inbox().targets().list().await.unwrap().remove(0)
}

/// Waits until the target has the wanted state.
pub(crate) async fn wait_for_target(
    fixture: &Fixture,
    what: &str,
    wanted: impl Fn(&ForwardTarget) -> bool,
) -> ForwardTarget {
    for _ in 0..2_000 {
        let view = only_target(fixture).await;
        if wanted(&view) {
            return view;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what}: {:?}", only_target(fixture).await);
}

fn delivery_ids(ids: std::ops::Range<u32>) -> Vec<String> {
    ids.map(|id| format!("d{id}")).collect()
}

#[tokio::test]
async fn events_go_on_as_they_came_in_their_order_and_say_where_they_were() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    fixture.engine.inbox().targets().set_timing(quick_timing());
    let receiver = fixture.receive().await;
    let id = fixture.engine.inbox().targets().add(SITE, &target_settings(&erp), &TargetStart::Now).unwrap();
    send_events(&receiver, 0..20).await;
    let received = erp.wait_for_events(20).await;
    assert_eq!(erp.deliveries(), delivery_ids(0..20));
    assert_eq!(received[1].body, "{ \"Id\":1,\"n\": 1.50 }", "byte by byte");
    assert!(received[0].header("takt-forwarded").is_some_and(|by| by.len() == 16));
    assert!(
        received.iter().all(|one| one.header("authorization").is_none() && one.header("x-takt-signature").is_none())
    );
    let view = wait_for_target(&fixture, "all is there", |view| view.state == TargetState::UpToDate).await;
    assert!(
        view.running && view.took.is_some() && view.waiting == 0 && view.oldest.is_none() && !view.open,
        "{view:?}"
    );
    let at = fixture.engine.inbox().targets().list_forwards(SITE, 3).unwrap();
    assert_eq!((at[0].target, at[0].stop, at[0].status), (i32::try_from(id).unwrap(), ForwardStop::Taken, Some(200)));
    receiver.stop().await;
    assert!(!only_target(&fixture).await.running);
}

#[tokio::test]
async fn what_comes_while_the_target_is_down_waits_over_a_restart_and_arrives_in_order() {
    let (fixture, mut erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    fixture.engine.inbox().targets().set_timing(quick_timing());
    fixture.engine.inbox().targets().add(SITE, &target_settings(&erp), &TargetStart::Now).unwrap();
    erp.stop_listening().await;
    let receiver = fixture.receive().await;
    send_events(&receiver, 0..5).await;
    let view = wait_for_target(&fixture, "it is known to be down", |view| view.state == TargetState::Failing).await;
    let miss = view.miss.unwrap();
    assert_eq!((view.waiting, miss.event, miss.fault), (5, 1, takt_engine::forward::Fault::Unreachable));
    assert!(!miss.response.contains("/events"), "the address may hold a secret: {}", miss.response);
    receiver.stop().await;
    let fixture = fixture.reopen();
    fixture.engine.inbox().targets().set_timing(quick_timing());
    let receiver = fixture.receive().await;
    send_events(&receiver, 5..8).await;
    erp.start_listening().await;
    erp.wait_for_events(8).await;
    assert_eq!(erp.deliveries(), delivery_ids(0..8));
    wait_for_target(&fixture, "all is there", |view| view.state == TargetState::UpToDate && view.miss.is_none()).await;
}

#[tokio::test]
async fn what_is_late_lost_or_broken_comes_again_with_the_same_id_and_before_the_others() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    fixture.engine.inbox().targets().set_timing(quick_timing());
    let failing = std::sync::atomic::AtomicU32::new(0);
    erp.set_rule(move |one| {
        let answers = [Answer::Drop, Answer::Late(Duration::from_secs(2)), status(500), status(503)];
        let at = if one.delivery() == "d1" { failing.fetch_add(1, std::sync::atomic::Ordering::Relaxed) } else { 9 };
        answers.get(at as usize).cloned().unwrap_or_else(|| status(204))
    });
    let receiver = fixture.receive().await;
    fixture.engine.inbox().targets().add(SITE, &target_settings(&erp), &TargetStart::Now).unwrap();
    send_events(&receiver, 0..3).await;
    erp.wait_for_events(7).await;
    assert_eq!(erp.deliveries(), ["d0", "d1", "d1", "d1", "d1", "d1", "d2"]);
    let view = wait_for_target(&fixture, "all is there", |view| view.state == TargetState::UpToDate).await;
    assert_eq!((view.set_aside, fixture.engine.inbox().targets().list_forwards(SITE, 2).unwrap()[0].tries), (0, 5));
}

#[tokio::test]
async fn who_asks_to_be_left_alone_is_and_nobody_follows_to_another_address() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    let elsewhere = Erp::start(|_| status(200)).await;
    fixture.engine.inbox().targets().set_timing(quick_timing());
    erp.set_rule(|_| Answer::Status(429, "Retry-After: 1\r\n".to_owned()));
    let receiver = fixture.receive().await;
    fixture.engine.inbox().targets().add(SITE, &target_settings(&erp), &TargetStart::Now).unwrap();
    send_events(&receiver, 0..1).await;
    let received = erp.wait_for_events(2).await;
    let wait = received[1].at - received[0].at;
    assert!(wait >= Duration::from_millis(980) && wait < Duration::from_secs(4), "{wait:?}");
    let address = elsewhere.url();
    erp.set_rule(move |_| Answer::Status(307, format!("Location: {address}\r\n")));
    let moved = |view: &ForwardTarget| view.miss.as_ref().is_some_and(|miss| miss.status == Some(307));
    let view = wait_for_target(&fixture, "the redirect is seen", moved).await;
    assert_eq!(view.miss.unwrap().fault, takt_engine::forward::Fault::Redirected);
    assert!(elsewhere.received().is_empty());
    erp.set_rule(|_| status(200));
    fixture.engine.inbox().targets().retry_now(SITE, 1).unwrap();
    wait_for_target(&fixture, "all is there", |view| view.state == TargetState::UpToDate).await;
}

#[tokio::test]
async fn a_failure_of_before_a_target_was_resumed_does_not_hold_it_up() {
    for from_now in [true, false] {
        let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
        fixture
            .engine
            .inbox()
            .targets()
            .set_timing(ForwardTiming { response_timeout: Duration::from_secs(30), ..quick_timing() });
        let release = Arc::new(Semaphore::new(0));
        let held_release = Arc::clone(&release);
        erp.set_rule(move |_| Answer::Held(Arc::clone(&held_release), 503, "Retry-After: 3600\r\n".to_owned()));
        let receiver = fixture.receive().await;
        let id = fixture.engine.inbox().targets().add(SITE, &target_settings(&erp), &TargetStart::Now).unwrap();
        send_events(&receiver, 0..1).await;
        erp.wait_for_events(1).await;
        erp.set_rule(|_| status(200));
        fixture.engine.inbox().targets().resume(SITE, id, from_now).unwrap();
        release.add_permits(1);
        send_events(&receiver, 1..2).await;
        let view = wait_for_target(&fixture, "all is there", |view| {
            view.state == TargetState::UpToDate && view.took.is_some()
        })
        .await;
        assert_eq!(view.miss, None);
        let arrived: &[&str] = if from_now { &["d0", "d1"] } else { &["d0", "d0", "d1"] };
        assert_eq!(erp.deliveries(), arrived);
    }
}

#[tokio::test]
async fn one_that_nobody_takes_is_set_aside_and_sent_again_by_hand() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(200)).await);
    fixture.engine.inbox().targets().set_timing(quick_timing());
    erp.set_rule(|one| status(if one.delivery() == "d1" { 422 } else { 200 }));
    let receiver = fixture.receive().await;
    let id = fixture.engine.inbox().targets().add(SITE, &target_settings(&erp), &TargetStart::Now).unwrap();
    send_events(&receiver, 0..3).await;
    let view = wait_for_target(&fixture, "one is aside", |view| view.set_aside == 1 && view.waiting == 0).await;
    assert_eq!(erp.deliveries(), ["d0", "d1", "d1", "d1", "d2"]);
    assert_eq!(view.state, TargetState::UpToDate);
    let set_aside = fixture.engine.inbox().targets().list_excluded_events(SITE, id).unwrap();
    assert_eq!(
        (set_aside.len(), set_aside[0].event, set_aside[0].stop, set_aside[0].status),
        (1, 2, ForwardStop::SetAside, Some(422))
    );
    assert_eq!(set_aside[0].response, "answer 422");
    assert_eq!(fixture.engine.inbox().targets().requeue_events(SITE, id, &[2]).unwrap(), 1);
    erp.wait_for_events(6).await;
    let is_aside = |_: &ForwardTarget| {
        fixture.engine.inbox().targets().list_excluded_events(SITE, id).unwrap()[0].stop == ForwardStop::SetAside
    };
    wait_for_target(&fixture, "still refused", is_aside).await;
    erp.set_rule(|_| status(200));
    fixture.engine.inbox().targets().requeue_events(SITE, id, &[]).unwrap();
    wait_for_target(&fixture, "it is taken", |view| view.set_aside == 0).await;
    assert_eq!(fixture.engine.inbox().targets().list_forwards(SITE, 2).unwrap()[0].stop, ForwardStop::Taken);
}

#[tokio::test]
async fn who_says_that_it_is_gone_gets_nothing_more_until_a_person_wants_it() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(410)).await);
    fixture.engine.inbox().targets().set_timing(quick_timing());
    let receiver = fixture.receive().await;
    let id = fixture.engine.inbox().targets().add(SITE, &target_settings(&erp), &TargetStart::Now).unwrap();
    send_events(&receiver, 0..2).await;
    let stopped = |view: &ForwardTarget| view.state == TargetState::Stopped && view.waiting == 2;
    let view = wait_for_target(&fixture, "it is stopped", stopped).await;
    let miss = view.miss.unwrap();
    assert_eq!((miss.fault, miss.status, view.idle), (takt_engine::forward::Fault::Gone, Some(410), None));
    receiver.stop().await;
    // Nothing is sent after a restart either.
    let fixture = fixture.reopen();
    fixture.engine.inbox().targets().set_timing(quick_timing());
    let receiver = fixture.receive().await;
    send_events(&receiver, 2..3).await;
    wait_for_target(&fixture, "it is known to be stopped", |view| {
        view.state == TargetState::Stopped && view.waiting == 3
    })
    .await;
    assert_eq!(erp.deliveries(), ["d0"]);
    fixture.engine.inbox().targets().resume(SITE, id, false).unwrap();
    erp.wait_for_events(2).await;
    wait_for_target(&fixture, "it is stopped again", |view| view.state == TargetState::Stopped).await;
    erp.set_rule(|one| status(if one.delivery() == "d1" { 422 } else { 200 }));
    fixture.engine.inbox().targets().retry_now(SITE, id).unwrap();
    wait_for_target(&fixture, "all is there", |view| view.state == TargetState::UpToDate && view.set_aside == 1).await;
    assert_eq!(erp.deliveries(), ["d0", "d0", "d0", "d1", "d1", "d1", "d2"]);
    // Excluded events are sent again manually, and the same response has the same effect.
    erp.set_rule(|_| status(410));
    fixture.engine.inbox().targets().requeue_events(SITE, id, &[]).unwrap();
    let view = wait_for_target(&fixture, "it is stopped", |view| view.state == TargetState::Stopped).await;
    assert!(view.miss.is_some_and(|miss| miss.status == Some(410)));
    erp.set_rule(|_| status(200));
    fixture
        .engine
        .inbox()
        .targets()
        .change(SITE, id, &TargetSettings { name: "other".to_owned(), ..target_settings(&erp) })
        .unwrap();
    send_events(&receiver, 3..4).await;
    wait_for_target(&fixture, "it goes on", |view| view.state == TargetState::UpToDate && view.waiting == 0).await;
    receiver.stop().await;
}

#[tokio::test]
async fn who_refuses_everything_loses_nothing_and_holds_all() {
    let (fixture, erp) = (Fixture::new(), Erp::start(|_| status(400)).await);
    fixture.engine.inbox().targets().set_timing(quick_timing());
    let receiver = fixture.receive().await;
    let id = fixture.engine.inbox().targets().add(SITE, &target_settings(&erp), &TargetStart::Now).unwrap();
    send_events(&receiver, 0..9).await;
    let view = wait_for_target(&fixture, "it refuses everything", |view| view.state == TargetState::Refusing).await;
    assert_eq!((view.set_aside, view.waiting), (3, 6));
    erp.set_rule(|_| status(200));
    wait_for_target(&fixture, "the others get through", |view| {
        view.waiting == 0 && view.state == TargetState::UpToDate
    })
    .await;
    fixture.engine.inbox().targets().requeue_events(SITE, id, &[]).unwrap();
    wait_for_target(&fixture, "those too", |view| view.set_aside == 0).await;
    let mut taken: Vec<_> = erp.deliveries();
    taken.sort();
    taken.dedup();
    assert_eq!(taken, delivery_ids(0..9));
}
