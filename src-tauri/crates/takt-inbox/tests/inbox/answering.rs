//! Rules answer events that wait for an answer: with the plant's payloads, once, in time, and with a stored reason.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use takt_engine::{
    Canceller, Code,
    answers::{AnswerRule, Rules, Trial},
    inbox::{AnsweredBy, FaultCode, RulePart},
    sites::Site,
};
use takt_plant::{EventKind, PlantConfig, Target};
use takt_test_support::{
    event_sender::post,
    inbox_fixture::{Fixture, SITE, site},
    setup::start_plant,
};

pub(crate) fn rule(name: &str, when: &str, refuse: Option<&str>) -> AnswerRule {
    AnswerRule {
        name: name.to_owned(),
        events: vec![10, 11],
        on: true,
        when: when.to_owned(),
        refuse: refuse.map(ToOwned::to_owned),
    }
}

pub(crate) fn rules(rules: &[AnswerRule]) -> Rules {
    Rules { rules: rules.to_vec(), ..Rules::default() }
}

fn run_trial(fixture: &Fixture, rules: &Rules) -> Trial {
    fixture.engine.answers().run_trial(SITE, rules, false, &Canceller::default(), |_| {}).unwrap()
}

pub(crate) fn put_in_force(fixture: &Fixture, rules: &Rules) {
    run_trial(fixture, rules);
    fixture.engine.answers().save(SITE, rules).unwrap();
}

/// An event that waits for an answer, with an order of this good quantity.
fn question_event(id: i64, good: f64) -> Vec<u8> {
    let order = json!({"Code": "WO-7", "ProducedGoodQuantity": good, "RequestedQuantity": 10});
    serde_json::to_vec(&json!({"Id": id, "WorkStationCode": "WS-01", "EmployeeBadge": "E-101", "WorkOrders": [order]}))
        .unwrap()
}

fn response_errors(answer: &(u16, String)) -> Vec<String> {
    assert_eq!(answer.0, 200);
    let body: Value = serde_json::from_str(&answer.1).unwrap();
    serde_json::from_value(body["errors"].clone()).unwrap()
}

#[tokio::test]
async fn the_first_rule_that_speaks_decides_and_refusals_add_up() {
    let fixture = Fixture::new();
    let mut written = rules(&[
        rule("lead", "event.EmployeeBadge == \"E-100\"", None),
        rule(
            "few",
            "order.ProducedGoodQuantity < 10",
            Some("{order.ProducedGoodQuantity} of {order.RequestedQuantity}"),
        ),
        rule("station", "event.WorkStationCode == \"WS-01\"", Some("not at {event.WorkStationCode}, {{really}}")),
        rule("never", "true", None),
    ]);
    written.rules[2].events = vec![10];
    put_in_force(&fixture, &written);
    let receiver = fixture.receive().await;
    let refused = post(&receiver.url(), &[], &question_event(10, 2.5)).await;
    assert_eq!(response_errors(&refused), ["2.5 of 10", "not at WS-01, {really}"]);
    assert_eq!(
        response_errors(&post(&receiver.url(), &[], &question_event(11, 2.5)).await),
        ["2.5 of 10"],
        "the other is for 10 alone"
    );
    assert_eq!(response_errors(&post(&receiver.url(), &[], &question_event(11, 12.0)).await), [""; 0]);
    let lead = String::from_utf8(question_event(10, 1.0)).unwrap().replace("E-101", "E-100");
    assert_eq!(
        response_errors(&post(&receiver.url(), &[], lead.as_bytes()).await),
        [""; 0],
        "decided before the others"
    );

    let (told, answer) = fixture.wait_for_answer(1).await;
    assert_eq!((answer.allowed, answer.by, answer.version), (false, AnsweredBy::Rule, 1));
    assert_eq!((told.line.allowed, told.line.answered_by), (Some(false), Some(AnsweredBy::Rule)));
    let spoke: Vec<_> = answer.spoke.iter().map(|spoke| (spoke.name.as_str(), spoke.when.as_str())).collect();
    assert_eq!(spoke, [("few", "order.ProducedGoodQuantity < 10"), ("station", "event.WorkStationCode == \"WS-01\"")]);
    let allowed = fixture.answer_to(3).await;
    assert_eq!((allowed.allowed, &*allowed.spoke[0].name), (true, "never"));
    receiver.stop().await;
}

#[tokio::test]
async fn without_a_rule_the_default_is_told_and_where_one_fails_that_is_said() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    assert_eq!(
        response_errors(&post(&receiver.url(), &[], &question_event(10, 1.0)).await),
        [""; 0],
        "allowed as long as there is no rule"
    );
    let mut written = rules(&[rule("fails", "order.Missing == 1", Some("no"))]);
    written.allow_on_failure = vec![10];
    put_in_force(&fixture, &written);
    assert_eq!(
        response_errors(&post(&receiver.url(), &[], &question_event(10, 2.0)).await),
        [""; 0],
        "a person chose so"
    );
    written.allow_on_failure = vec![11];
    written.refuse_on_failure = Some("Ask the shift lead.".to_owned());
    written.rules.push(rule("also", "true", Some("also this")));
    put_in_force(&fixture, &written);
    assert_eq!(
        response_errors(&post(&receiver.url(), &[], &question_event(10, 3.0)).await),
        ["Ask the shift lead.", "also this"]
    );
    written.rules.clear();
    written.refuse_otherwise = Some("Nothing says so.".to_owned());
    put_in_force(&fixture, &written);
    assert_eq!(response_errors(&post(&receiver.url(), &[], &question_event(10, 4.0)).await), ["Nothing says so."]);

    let mut by = Vec::new();
    for id in 1..=4 {
        let answer = fixture.answer_to(id).await;
        by.push((answer.by, answer.failed.first().map(|failure| failure.fault.code), answer.version));
    }
    let missing = Some(FaultCode::UnknownMember);
    assert_eq!(
        by,
        [
            (AnsweredBy::Default, None, 0),
            (AnsweredBy::Failure, missing, 1),
            (AnsweredBy::Rule, missing, 2),
            (AnsweredBy::Default, None, 3)
        ]
    );
    receiver.stop().await;
}

#[tokio::test]
async fn the_same_delivery_gets_the_same_answer_whatever_the_rules_say_by_then() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    put_in_force(&fixture, &rules(&[rule("no", "true", Some("first"))]));
    let headers = [("X-Takt-Delivery", "run-1")];
    assert_eq!(response_errors(&post(&receiver.url(), &headers, &question_event(10, 1.0)).await), ["first"]);
    put_in_force(&fixture, &rules(&[rule("no", "true", Some("second"))]));
    assert_eq!(response_errors(&post(&receiver.url(), &headers, &question_event(10, 1.0)).await), ["first"]);
    let replayed = [("X-Takt-Delivery", "run-1"), ("takt-replay", "1")];
    assert_eq!(
        response_errors(&post(&receiver.url(), &replayed, &question_event(10, 1.0)).await),
        ["second"],
        "a replay is another event"
    );
    assert!(fixture.event(2).await.line.replay);
    // Of two simultaneous events, one is stored, and both get the same response.
    let both = [("X-Takt-Delivery", "run-2")];
    let (body, url) = (question_event(11, 1.0), receiver.url());
    let (one, other) = tokio::join!(post(&url, &both, &body), post(&url, &both, &body));
    assert_eq!(one, other);
    receiver.stop().await;
    let fixture = fixture.reopen();
    let receiver = fixture.receive().await;
    assert_eq!(
        response_errors(&post(&receiver.url(), &headers, &question_event(10, 1.0)).await),
        ["first"],
        "also after a restart"
    );
    assert_eq!(
        response_errors(&post(&receiver.url(), &[], &question_event(10, 9.0)).await),
        ["second"],
        "so do the rules in force"
    );
    receiver.stop().await;
}

#[tokio::test]
async fn who_isnt_believed_is_not_answered() {
    let fixture = Fixture::new();
    fixture.engine.inbox().set_secrets(SITE, &["secret".to_owned()]).unwrap();
    put_in_force(&fixture, &rules(&[rule("no", "true", Some("no"))]));
    let receiver = fixture.receive().await;
    assert_eq!(post(&receiver.url(), &[], &question_event(10, 1.0)).await, (401, String::new()));
    let stored = fixture.event(1).await;
    assert_eq!((stored.answer, stored.line.allowed), (None, None), "it is kept all the same");
    receiver.stop().await;
}

#[tokio::test]
async fn a_rule_is_relied_on_only_after_it_was_tried_as_it_stands() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    for good in [1.0, 20.0] {
        assert_eq!(response_errors(&post(&receiver.url(), &[], &question_event(10, good)).await), [""; 0]);
    }
    assert_eq!(post(&receiver.url(), &[], br#"{"Id":2,"WorkOrders":[{"ProducedGoodQuantity":1}]}"#).await.0, 200);
    fixture.events().await;
    let mut written =
        rules(&[rule("few", "order.ProducedGoodQuantity < 10", Some("few")), rule("odd", "order.Odd", None)]);
    written.allow_on_failure = vec![10, 11];
    let untried = fixture.engine.answers().save(SITE, &written).unwrap_err();
    assert_eq!((untried.code, untried.parameters["rule"].as_str()), (Code::RuleNotTried, "few"));
    let trial = run_trial(&fixture, &written);
    assert_eq!((trial.tried, trial.of, trial.allowed, trial.refused, trial.failed), (2, 2, 1, 1, 1));
    assert_eq!((trial.changed, trial.changes.len(), trial.changes[0].line.id), (1, 1, 1), "the one was allowed then");
    assert_eq!(trial.changes[0].answer.errors, ["few"]);
    let counts: Vec<_> = trial.rules.iter().map(|rule| (rule.name.as_str(), rule.spoke, rule.failed)).collect();
    assert_eq!(counts, [("few", 1, 0), ("odd", 0, 1)]);
    assert_eq!(trial.rules[1].fault.as_ref().map(|fault| fault.code), Some(FaultCode::UnknownMember));
    let others = fixture.engine.answers().run_trial(SITE, &written, true, &Canceller::default(), |_| {}).unwrap();
    assert_eq!(
        (others.tried, others.refused, others.changed),
        (3, 2, 1),
        "one that doesn't ask is looked at, and changes nothing"
    );
    fixture.engine.answers().save(SITE, &written).unwrap();
    written.rules[0].when.push_str(" && true");
    assert_eq!(fixture.engine.answers().save(SITE, &written).unwrap_err().code, Code::RuleNotTried, "another text");
    written.rules[0].on = false;
    assert_eq!(fixture.engine.answers().save(SITE, &written).unwrap().version, 2, "one that is off may be anything");
    let stopped = Canceller::default();
    stopped.cancel();
    written.rules[0].on = true;
    assert!(fixture.engine.answers().run_trial(SITE, &written, false, &stopped, |_| {}).unwrap().stopped);
    assert_eq!(
        fixture.engine.answers().save(SITE, &written).unwrap_err().code,
        Code::RuleNotTried,
        "a trial that was stopped is none"
    );
    receiver.stop().await;
}

#[tokio::test]
async fn what_runs_on_is_ended_and_others_are_answered() {
    let fixture = Fixture::new();
    let ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
    let mut endless = "1".to_owned();
    for at in 0..9 {
        endless = format!("{ten}.map(x{at}, {endless})");
    }
    let mut written = rules(&[rule("endless", &format!("size({endless}) > 0"), Some("no"))]);
    written.refuse_on_failure = Some("too much".to_owned());
    put_in_force(&fixture, &written);
    let receiver = fixture.receive().await;
    assert_eq!(response_errors(&post(&receiver.url(), &[], &question_event(10, 1.0)).await), ["too much"]);
    let answer = fixture.answer_to(1).await;
    assert!(
        matches!(answer.failed[..], [ref failed] if matches!(failed.fault.code, FaultCode::TooMuch | FaultCode::TooSlow))
            || answer.by == AnsweredBy::Slow,
        "{answer:?}"
    );
    receiver.stop().await;
}

#[tokio::test]
async fn a_rule_of_another_takt_of_this_home_is_taken_up() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let other = fixture.second_process();
    put_in_force(&other, &rules(&[rule("no", "true", Some("from elsewhere"))]));
    let patience = Instant::now() + Duration::from_secs(30);
    let mut good = 0.0;
    loop {
        good += 1.0;
        if response_errors(&post(&receiver.url(), &[], &question_event(10, good)).await) == ["from elsewhere"] {
            break;
        }
        assert!(Instant::now() < patience);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    receiver.stop().await;
}

#[tokio::test]
async fn a_rule_goes_by_the_clock_that_the_site_has_now() {
    let fixture = Fixture::new();
    put_in_force(&fixture, &rules(&[rule("hour", "true", Some("{local.hour}"))]));
    let receiver = fixture.receive().await;
    let (url, mut good) = (receiver.url(), 0.0);
    // On a busy computer, a rule may time out. The response then contains the failure instead of the hour.
    let mut hour = async || {
        let answered = async {
            loop {
                good += 1.0;
                if let Ok(hour) = response_errors(&post(&url, &[], &question_event(10, good)).await)[0].parse::<i32>() {
                    return hour;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), answered)
            .await
            .unwrap_or_else(|_| panic!("no rule spoke in time"))
    };
    let there = hour().await;
    let site = Site { time_zone: "Asia/Tokyo".to_owned(), ..site() };
    fixture.engine.save_site(site, None).unwrap();
    // Seven hours, eight in winter, and the hour may have changed in between.
    let began = Instant::now();
    while !(7..=9).contains(&(hour().await - there).rem_euclid(24)) {
        assert!(began.elapsed() < Duration::from_secs(30), "the site's clock changed");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    receiver.stop().await;
}

#[tokio::test]
async fn rules_go_with_their_site() {
    let fixture = Fixture::new();
    put_in_force(&fixture, &rules(&[rule("never", "true", Some("no"))]));
    fixture.engine.remove_site(SITE).unwrap();
    fixture.engine.save_site(site(), None).unwrap();
    let receiver = fixture.receive().await;
    assert_eq!(response_errors(&post(&receiver.url(), &[], &question_event(10, 1.0)).await), [""; 0]);
    let stored = fixture.engine.answers().rules(SITE).unwrap();
    assert_eq!((stored.version, stored.rules), (2, Rules::default()));
    receiver.stop().await;
}

#[tokio::test]
async fn a_refusing_rule_stops_the_plant_and_an_allowing_one_lets_it() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let plant = start_plant(PlantConfig::default()).await;
    plant.plant().add_target(Target { url: receiver.url(), secret: None, events: Vec::new() }).unwrap();
    // Rules can use everything that the plant sends.
    for _ in 0..2 {
        for kind in [EventKind::CanWorkOrderFinalize, EventKind::CanWorkOrderTrackQuantity] {
            plant.plant().send_event(kind, None).unwrap();
        }
    }
    let patience = Instant::now() + Duration::from_secs(30);
    while fixture.events().await.len() < 4 {
        assert!(Instant::now() < patience);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let words = fixture.engine.answers().rule_words();
    assert!(words.examples.len() >= 6);
    for example in &words.examples {
        let mut own = rule(&example.id, &example.when, example.refuse.as_ref().map(|names| names.en.as_str()));
        own.events.clone_from(&example.events);
        let checks = fixture.engine.answers().check(SITE, &rules(&[own.clone()])).unwrap();
        assert_eq!(checks[0].faults, [], "{}", example.id);
        let trial = run_trial(&fixture, &rules(&[own]));
        assert_eq!((trial.tried, trial.failed), (4, 0), "{}: {:?}", example.id, trial.rules);
        for refuse in example.refuse.iter().flat_map(|names| [&names.en, &names.de, &names.es, &names.pt]) {
            let checks = fixture.engine.answers().check(SITE, &rules(&[rule("text", "true", Some(refuse))])).unwrap();
            assert_eq!(checks[0].faults, [], "{refuse}");
            let trial = run_trial(&fixture, &rules(&[rule("text", "true", Some(refuse))]));
            assert_eq!((trial.refused, trial.failed), (4, 0), "{refuse}: {:?}", trial.rules);
        }
    }
    plant.stop().await;
    receiver.stop().await;
}

#[test]
fn what_is_wrong_with_a_rule_is_told_with_its_place() {
    let fixture = Fixture::new();
    let fault = |when: &str, refuse: Option<&str>| {
        let checks = fixture.engine.answers().check(SITE, &rules(&[rule("r", when, refuse)])).unwrap();
        checks[0].faults.iter().map(|fault| (fault.part, fault.code, fault.at, fault.error)).collect::<Vec<_>>()
    };
    let when = RulePart::When;
    assert_eq!(fault("order.ProducedGoodQuantity > 5", Some("no {order.Code}")), []);
    assert_eq!(fault("order.Code ==", None), [(when, FaultCode::Unfinished, 13, true)]);
    assert_eq!(fault("'ö' ==== 2", None), [(when, FaultCode::NotUnderstood, 6, true)]);
    assert_eq!(fault("'ö' == oder.Code", None), [(when, FaultCode::UnknownName, 7, true)]);
    assert_eq!(fault("summe(1) > 2", None)[0].1, FaultCode::UnknownFunction);
    assert_eq!(fault("order.ProducedQuantity > 5", None)[0].1, FaultCode::UnknownMember);
    assert!(!fault("order.ProducedQuantity > 5", None)[0].3, "a doubt: it may come all the same");
    assert_eq!(fault("order.RawMaterials.exists(m, m.Cod == '')", None)[0].1, FaultCode::UnknownMember);
    assert_eq!(fault("has(order.Anything)", None), []);
    assert_eq!(fault("1 + 1", None), [(when, FaultCode::NotTruth, 0, true)]);
    assert_eq!(fault("order.RequestedQuantity * 2 > 3", None), [(when, FaultCode::WrongKinds, 0, false)]);
    assert_eq!(fault("true", Some("a {order.} b"))[0].0, RulePart::Refuse);
    assert_eq!(fault("true", Some("a {b"))[0], (RulePart::Refuse, FaultCode::Brace, 2, true));
    assert_eq!(fault(&format!("{}1{}", "(".repeat(60), ")".repeat(60)), None)[0].1, FaultCode::TooDeep);
    assert_eq!(fault(&"1 + ".repeat(2000), None)[0].1, FaultCode::TooLong);
    let twice = rules(&[rule("r", "true", None), AnswerRule { events: vec![2], ..rule("r", "true", None) }]);
    let checks = fixture.engine.answers().check(SITE, &twice).unwrap();
    assert_eq!(checks[0].faults, []);
    let codes: Vec<_> = checks[1].faults.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, [FaultCode::NotAsking, FaultCode::NameTaken]);
    assert_eq!(fixture.engine.answers().save(SITE, &twice).unwrap_err().code, Code::RuleFaulty);
}

#[test]
fn rules_go_to_a_file_and_come_back() {
    let mut written = rules(&[rule("a", "true", Some("no")), AnswerRule { on: false, ..rule("b", "1 == 1", None) }]);
    written.refuse_otherwise = Some("text".to_owned());
    assert_eq!(Rules::from_json(&written.to_json()).unwrap(), written);
    let least = Rules::from_json(r#"{"rules":[{"name":"a","events":[10],"when":"true"}]}"#).unwrap();
    assert_eq!((least.rules[0].on, &least.rules[0].refuse), (false, &None));
    for broken in ["", "{", "[]", r#"{"rules":[{"name":"a"}]}"#, r#"{"rules":[],"refuse":1}"#, r#"{"rules":[]} x"#] {
        let problem = Rules::from_json(broken).unwrap_err();
        assert_eq!(problem.code, Code::RulesRefused, "{broken}");
        assert!(problem.details.is_some());
    }
}
