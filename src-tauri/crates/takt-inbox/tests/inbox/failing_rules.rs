//! Events whose rule fails are refused, others are answered as before, and the failure is reported.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use takt_engine::{
    Code, Language,
    inbox::{AnsweredBy, FaultCode},
};
use takt_test_support::{
    event_sender::post,
    inbox_fixture::{Fixture, SITE},
};

use super::answering::{put_in_force, rule, rules};

/// Each of its forty parts can match 500 times, so that a search of a long text tries all of them at each letter.
const BACKTRACKING_CONDITION: &str = "event.Description.matches(\"(?:[ab]{0,500}x?){0,40}[0-9]\")";

fn question_event(id: i64, description: &str, at: usize) -> Vec<u8> {
    serde_json::to_vec(&json!({"Id": id, "Description": description, "WorkOrders": [{"Code": format!("WO-{at}")}]}))
        .unwrap()
}

fn response_errors(answer: &(u16, String)) -> Vec<String> {
    assert_eq!(answer.0, 200);
    let body: Value = serde_json::from_str(&answer.1).unwrap();
    serde_json::from_value(body["errors"].clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_with_many_ways_holds_nobody_up() {
    let fixture = Fixture::new();
    put_in_force(
        &fixture,
        &rules(&[
            rule("many ways", BACKTRACKING_CONDITION, Some("never")),
            rule("each", "order.Code.matches('^WO-[0-9]+$')", Some("{order.Code}")),
        ]),
    );
    let receiver = fixture.receive().await;
    let url = receiver.url();
    let long = "ab".repeat(500_000);
    let hostile = (0..16).map(|at| {
        let (url, body) = (url.clone(), question_event(10, &long, at));
        tokio::spawn(async move { post(&url, &[], &body).await })
    });
    for answered in hostile.collect::<Vec<_>>() {
        let refused = response_errors(&answered.await.unwrap());
        assert!(!refused.is_empty(), "what couldn't be checked isn't allowed");
    }
    let began = Instant::now();
    for at in 0..20 {
        assert_eq!(
            response_errors(&post(&url, &[], &question_event(11, "ab", 100 + at)).await),
            [format!("WO-{}", 100 + at)]
        );
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    for event in fixture.events().await {
        let answer = fixture.answer_to(event.id).await;
        if event.kind == Some(11) {
            assert_eq!((answer.by, answer.failed.len()), (AnsweredBy::Rule, 0), "{answer:?}");
        } else {
            let failed = answer.failed.first().map(|failed| failed.fault.code);
            assert!(
                answer.by == AnsweredBy::Slow || matches!(failed, Some(FaultCode::TooMuch | FaultCode::TooSlow)),
                "{answer:?}"
            );
        }
    }
    receiver.stop().await;
}

#[tokio::test]
async fn a_comparison_of_all_there_is_is_ended_too() {
    let fixture = Fixture::new();
    let again = vec!["event == event"; 100].join(" && ");
    put_in_force(&fixture, &rules(&[rule("all", &again, None), rule("no", "true", Some("no"))]));
    let receiver = fixture.receive().await;
    let list: Vec<_> = (0..40_000).map(|at| json!({ "Code": at })).collect();
    let body = serde_json::to_vec(&json!({"Id": 10, "WorkOrders": list})).unwrap();
    let began = Instant::now();
    assert!(!response_errors(&post(&receiver.url(), &[], &body).await).is_empty());
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    receiver.stop().await;
}

#[tokio::test]
async fn without_a_choice_who_asks_is_refused_in_takts_language_and_it_is_said() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let fails = rule("fails", "order.Missing == 1", Some("no"));
    let mut written = rules(&[fails]);
    put_in_force(&fixture, &written);
    assert_eq!(fixture.engine.answers().failing_rules(SITE).unwrap(), None);
    let url = receiver.url();
    assert_eq!(
        response_errors(&post(&url, &[], &question_event(10, "", 1)).await),
        ["This can't be checked right now. Ask the shift lead."]
    );
    fixture.engine.set_language(Language::De);
    assert!(response_errors(&post(&url, &[], &question_event(10, "", 2)).await)[0].contains("Schichtleitung"));
    let failing = fixture.engine.answers().failing_rules(SITE).unwrap().unwrap();
    assert_eq!((failing.events, failing.allowed, failing.rules), (2, 0, vec!["fails".to_owned()]));
    assert_eq!(fixture.engine.floor().view(SITE).await.unwrap().rules_failing.unwrap().events, 2);

    // Only a choice in the rules allows an event after a failure, and only that kind of event.
    written.allow_on_failure = vec![10];
    put_in_force(&fixture, &written);
    assert_eq!(fixture.engine.answers().failing_rules(SITE).unwrap(), None, "other rules by now");
    assert_eq!(response_errors(&post(&url, &[], &question_event(10, "", 3)).await), [""; 0]);
    assert!(!response_errors(&post(&url, &[], &question_event(11, "", 4)).await).is_empty());
    let failing = fixture.engine.answers().failing_rules(SITE).unwrap().unwrap();
    assert_eq!((failing.events, failing.allowed), (2, 1));
    fixture.advance_clock(2 * 3600);
    assert_eq!(fixture.engine.answers().failing_rules(SITE).unwrap(), None, "long ago");
    written.allow_on_failure = vec![2];
    assert_eq!(
        fixture.engine.answers().save(SITE, &written).unwrap_err().code,
        Code::InvalidInput,
        "that one doesn't ask"
    );
    receiver.stop().await;
}

#[tokio::test]
async fn rules_that_nobody_can_read_refuse() {
    let fixture = Fixture::new();
    put_in_force(&fixture, &rules(&[rule("no", "true", None)]));
    let file = rusqlite::Connection::open(fixture.home.path().join("inbox.sqlite")).unwrap();
    let spoilt = "INSERT INTO rules (site, version, at, text) VALUES (?1, 9, 0, '{')";
    file.execute(spoilt, [SITE]).unwrap();
    drop(file);
    let fixture = fixture.reopen();
    let receiver = fixture.receive().await;
    assert!(!response_errors(&post(&receiver.url(), &[], &question_event(10, "", 1)).await).is_empty());
    assert_eq!(fixture.answer_to(1).await.by, AnsweredBy::Failure);
    receiver.stop().await;
}

#[test]
fn what_is_no_pattern_is_told_before_it_is_relied_on() {
    let fixture = Fixture::new();
    let checks = fixture.engine.answers().check(SITE, &rules(&[rule("r", "order.Code.matches('(a')", None)])).unwrap();
    let faults: Vec<_> = checks[0].faults.iter().map(|fault| (fault.code, fault.error)).collect();
    assert_eq!(faults, [(FaultCode::Pattern, true)]);
    let kinds = fixture.engine.answers().check(SITE, &rules(&[rule("r", "matches(event.Id, 'a')", None)])).unwrap();
    let fault = &kinds[0].faults[0];
    assert_eq!(
        (fault.code, &*fault.parameters["operation"], &*fault.parameters["kinds"]),
        (FaultCode::WrongKinds, "matches", "int, string")
    );
}
