//! Approvals from the command line: a second user in the team approves a submission.

use serde_json::{Value, json};
use takt_tests::{Console, Person, Plant, Takt, postgres};

use crate::{
    support::{ORDERS, orders_csv},
    transcript::{Transcript, assert_transcript},
};

/// Creates a desk with its own database login, since all desks of a test share one account of the computer.
async fn create_desk(plant: &Plant, address: &str, login: &str) -> Console {
    let own = address.replacen("takt@", &format!("{login}@"), 1);
    if login != "takt" {
        assert!(postgres::statement_succeeds(
            address,
            &format!("CREATE ROLE {login} LOGIN; GRANT takt_desk TO {login}")
        ));
    }
    let console = Console::in_home(plant, || Takt::new().with("TAKT_TEAM_URL", &own));
    console.sign_in(Person::Planner).await;
    console
}

fn file(console: &Console, count: u32) -> String {
    console.takt.write("week.csv", orders_csv(900_000, count)).to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_submission_waits_for_a_colleague_and_goes_then() {
    let (plant, address) = (Plant::start(&[]), postgres::create_database());
    assert_eq!(Takt::new().run(&["team", "init", &address]).code, Some(0));
    let anna = create_desk(&plant, &address, "takt").await;
    let transcript = Transcript::new(&anna.takt);
    assert_eq!(transcript.run(&["team", "approval", &address, "--above", "3"]).code, Some(2));
    transcript.run(&["team", "approval", &address, "--site", "works", "--above", "3", "--deletes"]);
    let check = anna.takt.run(&["team", "check", "--json"]);
    assert_eq!(check.json()[0]["approvalRules"][0]["rowsAbove"], json!(3), "{}", check.out);

    let file = file(&anna, 4);
    let sent = transcript.run(&["sync", &file, "--to", ORDERS, "--site", "works", "--yes"]);
    assert_eq!(sent.code, Some(1), "{}{}", sent.out, sent.err);
    assert_eq!(transcript.run(&["resume", "1"]).code, Some(2));
    assert_eq!(transcript.run(&["approve", "1", "--yes"]).code, Some(2), "by the person who sends");
    assert!(plant.applied(ORDERS).await.is_empty());

    let bert = create_desk(&plant, &address, "bert").await;
    let by_bert = |arguments: &[&str]| {
        let ran = bert.takt.run(arguments);
        transcript.add(arguments, &ran);
        ran
    };
    by_bert(&["approve"]);
    assert_eq!(by_bert(&["approve", "1"]).code, Some(2), "there is no terminal to confirm on");
    let approved = bert.takt.run(&["approve", "1", "--yes", "--note", "as planned", "--json"]);
    assert_eq!(approved.code, Some(0), "{}", approved.err);
    let lines: Vec<Value> = approved.json();
    assert_eq!(lines.len(), 5, "{}", approved.out);
    assert!(
        lines[..4]
            .iter()
            .all(|row| row["change"] == "new" && row["fields"].as_array().is_some_and(|all| !all.is_empty()))
    );
    assert_eq!((&lines[4]["decision"], &lines[4]["note"]), (&json!("approved"), &json!("as planned")));
    assert!(plant.applied(ORDERS).await.is_empty(), "nothing is sent by a decision");

    let resumed = anna.takt.run(&["resume", "1"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.out, resumed.err);
    assert_eq!(plant.applied(ORDERS).await.len(), 4);
    transcript.run(&["history", "1"]);
    assert_transcript!(transcript);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_declined_or_withdrawn_is_never_sent() {
    let (plant, address) = (Plant::start(&[]), postgres::create_database());
    assert_eq!(Takt::new().run(&["team", "init", &address]).code, Some(0));
    let (anna, bert) = (create_desk(&plant, &address, "takt").await, create_desk(&plant, &address, "carla").await);
    let file = file(&anna, 2);
    let sent = anna.takt.run(&["sync", &file, "--to", ORDERS, "--site", "works", "--yes"]);
    assert_eq!(sent.code, Some(0), "{}{}", sent.out, sent.err);
    let changed = anna.takt.run(&["team", "approval", &address, "--site", "works", "--above", "0"]);
    assert_eq!(changed.code, Some(0), "{}", changed.err);
    let again = anna.takt.run(&["sync", &file, "--to", ORDERS, "--site", "works", "--yes", "--send-same", "--json"]);
    assert_eq!(again.code, Some(1), "{}{}", again.out, again.err);
    let transcript = Transcript::new(&anna.takt);
    let by_bert = |arguments: &[&str]| {
        let ran = bert.takt.run(arguments);
        transcript.add(arguments, &ran);
        ran
    };
    assert_eq!(by_bert(&["approve", "2", "--decline", "--yes", "--note", "twice"]).code, Some(0));
    assert_eq!(transcript.run(&["resume", "2"]).code, Some(2));
    assert_eq!(plant.applied(ORDERS).await.values().map(|found| found.accepted).sum::<u32>(), 2);
    by_bert(&["approve"]);
    assert_eq!(by_bert(&["approve", "1", "--yes"]).code, Some(2), "it doesn't wait for an approval");

    let third = anna.takt.run(&["sync", &file, "--to", ORDERS, "--site", "works", "--yes", "--send-same"]);
    assert_eq!(third.code, Some(1), "{}", third.err);
    assert_eq!(transcript.run(&["approve", "3", "--decline", "--yes"]).code, Some(0), "withdrawn by the sender");
    assert_transcript!(transcript);
    assert_eq!(plant.applied(ORDERS).await.values().map(|found| found.accepted).sum::<u32>(), 2);
}
