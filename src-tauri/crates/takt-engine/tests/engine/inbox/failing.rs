//! Where a rule doesn't answer, the event is refused, others are answered as before, and it is said.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use takt_engine::{
    Code, Language,
    inbox::{AnsweredBy, FaultCode},
};

use super::{
    answering::{rule, rules},
    sender::post,
    stage::{SITE, Stage},
};

/// Each of its forty parts may stand five hundred times: a search of a long text looks at all of them at each letter.
const MANY_WAYS: &str = "event.Description.matches(\"(?:[ab]{0,500}x?){0,40}[0-9]\")";

fn asking(id: i64, description: &str, at: usize) -> Vec<u8> {
    serde_json::to_vec(&json!({"Id": id, "Description": description, "WorkOrders": [{"Code": format!("WO-{at}")}]}))
        .unwrap()
}

fn errors(answer: &(u16, String)) -> Vec<String> {
    assert_eq!(answer.0, 200);
    let body: Value = serde_json::from_str(&answer.1).unwrap();
    serde_json::from_value(body["errors"].clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_with_many_ways_holds_nobody_up() {
    let stage = Stage::new();
    stage.put_in_force(&rules(&[
        rule("many ways", MANY_WAYS, Some("never")),
        rule("each", "order.Code.matches('^WO-[0-9]+$')", Some("{order.Code}")),
    ]));
    let receiver = stage.receive().await;
    let url = receiver.url();
    let long = "ab".repeat(500_000);
    let hostile = (0..16).map(|at| {
        let (url, body) = (url.clone(), asking(10, &long, at));
        tokio::spawn(async move { post(&url, &[], &body).await })
    });
    for answered in hostile.collect::<Vec<_>>() {
        let refused = errors(&answered.await.unwrap());
        assert!(!refused.is_empty(), "what couldn't be checked isn't allowed");
    }
    let began = Instant::now();
    for at in 0..20 {
        assert_eq!(errors(&post(&url, &[], &asking(11, "ab", 100 + at)).await), [format!("WO-{}", 100 + at)]);
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    for event in stage.events().await {
        let answer = stage.answer_to(event.id).await;
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
    let stage = Stage::new();
    let again = vec!["event == event"; 100].join(" && ");
    stage.put_in_force(&rules(&[rule("all", &again, None), rule("no", "true", Some("no"))]));
    let receiver = stage.receive().await;
    let list: Vec<_> = (0..40_000).map(|at| json!({ "Code": at })).collect();
    let body = serde_json::to_vec(&json!({"Id": 10, "WorkOrders": list})).unwrap();
    let began = Instant::now();
    assert!(!errors(&post(&receiver.url(), &[], &body).await).is_empty());
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    receiver.stop().await;
}

#[tokio::test]
async fn without_a_choice_who_asks_is_refused_in_takts_language_and_it_is_said() {
    let stage = Stage::new();
    let receiver = stage.receive().await;
    let fails = rule("fails", "order.Missing == 1", Some("no"));
    let mut written = rules(&[fails]);
    stage.put_in_force(&written);
    assert_eq!(stage.engine.answers().failing(SITE).unwrap(), None);
    let url = receiver.url();
    assert_eq!(
        errors(&post(&url, &[], &asking(10, "", 1)).await),
        ["This can't be checked right now. Ask the shift lead."]
    );
    stage.engine.speak(Language::De);
    assert!(errors(&post(&url, &[], &asking(10, "", 2)).await)[0].contains("Schichtleitung"));
    let failing = stage.engine.answers().failing(SITE).unwrap().unwrap();
    assert_eq!((failing.events, failing.allowed, failing.rules), (2, 0, vec!["fails".to_owned()]));
    assert_eq!(stage.engine.floor().view(SITE).await.unwrap().rules_failing.unwrap().events, 2);

    // Only a choice that stands in what is kept allows it, and only for its event.
    written.allow_on_failure = vec![10];
    stage.put_in_force(&written);
    assert_eq!(stage.engine.answers().failing(SITE).unwrap(), None, "other rules by now");
    assert_eq!(errors(&post(&url, &[], &asking(10, "", 3)).await), [""; 0]);
    assert!(!errors(&post(&url, &[], &asking(11, "", 4)).await).is_empty());
    let failing = stage.engine.answers().failing(SITE).unwrap().unwrap();
    assert_eq!((failing.events, failing.allowed), (2, 1));
    stage.later(2 * 3600);
    assert_eq!(stage.engine.answers().failing(SITE).unwrap(), None, "long ago");
    written.allow_on_failure = vec![2];
    assert_eq!(
        stage.engine.answers().save(SITE, &written).unwrap_err().code,
        Code::InvalidInput,
        "that one doesn't ask"
    );
    receiver.stop().await;
}

#[tokio::test]
async fn rules_that_nobody_can_read_refuse() {
    let stage = Stage::new();
    stage.put_in_force(&rules(&[rule("no", "true", None)]));
    let file = rusqlite::Connection::open(stage.home.path().join("inbox.sqlite")).unwrap();
    let spoilt = "INSERT INTO rules (site, version, at, text) VALUES (?1, 9, 0, '{')";
    file.execute(spoilt, [SITE]).unwrap();
    drop(file);
    let stage = stage.again();
    let receiver = stage.receive().await;
    assert!(!errors(&post(&receiver.url(), &[], &asking(10, "", 1)).await).is_empty());
    assert_eq!(stage.answer_to(1).await.by, AnsweredBy::Failure);
    receiver.stop().await;
}

#[test]
fn what_is_no_pattern_is_told_before_it_is_relied_on() {
    let stage = Stage::new();
    let checks = stage.engine.answers().check(SITE, &rules(&[rule("r", "order.Code.matches('(a')", None)])).unwrap();
    let faults: Vec<_> = checks[0].faults.iter().map(|fault| (fault.code, fault.error)).collect();
    assert_eq!(faults, [(FaultCode::Pattern, true)]);
    let kinds = stage.engine.answers().check(SITE, &rules(&[rule("r", "matches(event.Id, 'a')", None)])).unwrap();
    let fault = &kinds[0].faults[0];
    assert_eq!(
        (fault.code, &*fault.parameters["operation"], &*fault.parameters["kinds"]),
        (FaultCode::WrongKinds, "matches", "int, string")
    );
}
