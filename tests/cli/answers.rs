//! `takt answers`: rules are tested on received events, activated, and answer a plant's requests.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use takt_tests::{Plant, Program, Takt};

const TIMEOUT: Duration = Duration::from_secs(120);
const POLL_INTERVAL: Duration = Duration::from_millis(100);
const SITE: [&str; 2] = ["--site", "practice"];

fn rules_json(on: bool, when: &str) -> String {
    json!({ "rules": [{ "name": "nobody finishes", "events": [10], "on": on, "when": when, "refuse": "{event.EmployeeBadge} may not." }] })
        .to_string()
}

#[tokio::test]
async fn a_rule_is_tried_put_in_force_and_refuses() {
    let takt = Takt::new();
    let mut command = vec!["listen", "--json"];
    command.extend(SITE);
    let mut program = Program::start("listen", takt.command(&command));
    let first: Value = serde_json::from_str(&program.first_line(TIMEOUT)).unwrap();
    let plant = Plant::start(&["--events", first["url"].as_str().unwrap()]);
    plant.fire_event(json!({ "event": "CanWorkOrderFinalize" })).await;
    let asked = |program: &Program| program.output_text().lines().filter(|line| line.contains("\"kind\":10")).count();
    program.wait_for("the question", TIMEOUT, |program| (asked(program) >= 1).then_some(()));

    let broken = takt.write("broken.json", rules_json(true, "event.EmployeeBadge =="));
    let ran = takt.run(&["answers", "try", "--rules", broken.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("nobody finishes, when, character 23"), "{}", ran.err);
    let file = takt.write("rules.json", rules_json(true, "event.EmployeeBadge != null"));
    let ran = takt.run(&["answers", "try", "--rules", file.to_str().unwrap(), "--json"]);
    let trial = ran.json().remove(0);
    assert!(ran.code == Some(0) && trial["changed"].as_i64() >= Some(1), "{trial}");
    assert_eq!((&trial["failed"], &trial["changes"][0]["answer"]["allowed"]), (&json!(0), &json!(false)));
    assert_eq!(takt.run(&["answers", "--json"]).json()[0]["version"], json!(0), "a trial changes nothing");

    let ran = takt.run(&["answers", "--rules", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("nobody finishes  on") && ran.err.contains("version 1"), "{}{}", ran.out, ran.err);
    // A running receiver uses the new rules.
    let refused = |line: &str| line.contains("\"kind\":10") && line.contains("may not.");
    let start = Instant::now();
    while !program.output_text().lines().any(refused) {
        assert!(start.elapsed() < TIMEOUT, "{}", program.output_text());
        plant.fire_event(json!({ "event": "CanWorkOrderFinalize" })).await;
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    program.end(TIMEOUT);

    let events = takt.run(&["events", "--kind", "10", "--json"]).json();
    let event = events.iter().find(|event| event["allowed"] == json!(false)).unwrap();
    assert_eq!(
        (&event["answeredBy"], &event["answer"]["spoke"][0]["name"]),
        (&json!("rule"), &json!("nobody finishes"))
    );
    let shown = takt.run(&["events", &event["id"].to_string()]);
    assert!(shown.out.contains("refused  by a rule") && shown.out.contains("may not."), "{}", shown.out);
    let exported = takt.home().join("exported.json");
    assert_eq!(takt.run(&["answers", "--export", exported.to_str().unwrap()]).code, Some(0));
    let again: Value = serde_json::from_str(&std::fs::read_to_string(&exported).unwrap()).unwrap();
    assert_eq!(again["rules"][0]["when"], json!("event.EmployeeBadge != null"));
    assert!(takt.run(&["answers", "--words"]).out.contains("order  The first order of the event"));
    let wrong = takt.write("wrong.json", r#"{"rules": 1}"#);
    let ran = takt.run(&["answers", "--rules", wrong.to_str().unwrap()]);
    assert!(ran.code == Some(2) && ran.err.contains("can't be loaded"), "{}", ran.err);
}
