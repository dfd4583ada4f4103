//! Sending to a site with its own interface: results, unconfirmed rows, undo and cleanup.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};
use takt_tests::{Program, sample_path};

use super::{PRACTICE_PLANT_SITE, add_practice_plant, plant_with_document, result_counts};
use crate::support::{ORDERS, check_agreement, orders_csv, read_report, read_samples};

const MATERIALS: &str = "materials.sync";
const DELETE: &str = "template-processes.delete";
const TIMEOUT: Duration = Duration::from_secs(120);

#[tokio::test]
#[ignore = "long: a plant and a sign-in for each sample"]
async fn every_sample_is_sent_and_every_row_has_the_result_that_was_meant_for_it() {
    for expected in read_samples() {
        let (plant, console) = plant_with_document().await;
        let takt = &console.takt;
        let file = sample_path(&expected.file);
        let out = takt.file("report.xlsx");
        let mut arguments =
            vec!["sync", file.to_str().unwrap(), "--to", &expected.operation, "--site", "works", "--yes"];
        arguments.extend(["--skip-errors", "--without-lookup", "--no-preview", "--json"]);
        arguments.extend(["--report", out.to_str().unwrap()]);
        let ran = takt.run(&arguments);
        let name = &expected.file;
        let wrong: BTreeSet<u64> = expected.wrong_in_file.union(&expected.wrong_for_service).copied().collect();
        let mut lines = ran.json();
        let summary = lines.pop().unwrap();
        assert_eq!(result_counts(&summary)[2..], [0, 0], "{name}: {}", ran.err);
        assert!(lines.iter().all(|line| !line["reasons"].as_array().unwrap().is_empty()), "{name}: {}", ran.out);
        // The document has fewer constraints than the service, so the service must find the remaining errors.
        let rows = read_report(takt, "report.xlsx");
        let refused = rows.iter().filter(|(_, (_, result))| result != "accepted").map(|(row, _)| *row);
        assert_eq!(refused.collect::<BTreeSet<_>>(), wrong, "{name}");
        let rejected: BTreeSet<u64> = lines.iter().map(|line| line["row"].as_u64().unwrap()).collect();
        assert!(rejected.is_superset(&expected.wrong_for_service), "{name}: {rejected:?}");
        check_agreement(&rows, &plant.applied(&expected.operation).await);
    }
}

#[tokio::test]
async fn some_are_accepted_and_the_others_rejected_for_the_sites_reasons() {
    let (plant, console) = plant_with_document().await;
    let takt = &console.takt;
    let csv =
        orders_csv(900_000, 6) + "WO-900006;010;MAT-NONE;4\n" + orders_csv(900_007, 3).split_once('\n').unwrap().1;
    let file = takt.write("orders.csv", csv);
    let out = takt.file("r.xlsx");
    let mut arguments = vec!["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
    arguments.extend(["--without-lookup", "--batch-size", "4", "--report", out.to_str().unwrap()]);
    let ran = takt.run(&arguments);
    assert_eq!((ran.code, result_counts(&ran.summary())), (Some(1), [9, 1, 0, 0]), "{}{}", ran.out, ran.err);
    let line = &ran.json()[0];
    assert_eq!((&line["row"], &line["key"]), (&json!(8), &json!("WO-900006 · 010")));
    let reason = line["reasons"][0].as_str().unwrap();
    assert!(reason.starts_with("ArticleNumber: ") && reason.contains("MAT-NONE"), "{reason}");
    check_agreement(&read_report(takt, "r.xlsx"), &plant.applied(ORDERS).await);
    let id = ran.summary()["submission"].to_string();
    let corrected = takt.write("corrected.csv", orders_csv(900_000, 10));
    let again = takt.run(&["retry", &id, "--file", corrected.to_str().unwrap(), "--yes", "--json"]);
    assert_eq!((again.code, result_counts(&again.summary())), (Some(0), [1, 0, 0, 0]), "{}{}", again.out, again.err);
}

#[tokio::test]
async fn a_request_that_is_refused_as_a_whole_says_why() {
    let (plant, console) = plant_with_document().await;
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 3));
    let sync = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
    let sync = [&sync[..], &["--without-lookup", "--no-preview"]].concat();
    plant.set_faults(&["error-500:1"]).await;
    let ran = takt.run(&sync);
    assert_eq!((ran.code, result_counts(&ran.summary())), (Some(3), [0, 0, 3, 0]), "{}{}", ran.out, ran.err);
    let entry = plant.log().await.into_iter().find(|entry| entry["status"] == 500).unwrap();
    assert_eq!(entry["operation"], ORDERS);
    let reasons = ran.json()[0]["reasons"].to_string();
    assert!(reasons.contains("log ID"), "{reasons}");
    plant.set_faults(&["limit-429-header:0.5"]).await;
    let found = takt.run(&["resume", "--json"]);
    assert_eq!((found.code, result_counts(&found.summary())), (Some(0), [3, 0, 0, 0]), "{}{}", found.out, found.err);
}

#[tokio::test]
async fn what_was_lost_is_read_back() {
    for fault in ["apply-then-502:1", "apply-then-drop:1", "drop-before-apply:1"] {
        let (plant, console) = plant_with_document().await;
        plant.set_faults(&[fault]).await;
        let takt = &console.takt;
        let file = takt.write("orders.csv", orders_csv(900_000, 9));
        let mut arguments = vec!["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
        arguments.extend(["--batch-size", "3", "--leave-unconfirmed", "--no-preview"]);
        let doubtful = takt.run(&arguments);
        assert_eq!(doubtful.code, Some(3), "{fault}: {}{}", doubtful.out, doubtful.err);
        plant.set_faults(&[]).await;
        let found = takt.run(&["resume", "--json"]);
        assert_eq!(
            (found.code, result_counts(&found.summary())),
            (Some(0), [9, 0, 0, 0]),
            "{fault}: {}{}",
            found.out,
            found.err
        );
        let applied = plant.applied(ORDERS).await;
        assert!(applied.len() == 9 && applied.values().all(|item| item.accepted == 1), "{fault}: {applied:?}");
    }
}

#[tokio::test]
async fn a_kill_loses_and_doubles_nothing() {
    let (plant, console) = plant_with_document().await;
    plant.set_faults(&["latency=150"]).await;
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 40));
    let mut arguments = vec!["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
    arguments.extend(["--batch-size", "2", "--no-preview"]);
    let mut sending = takt.start(&arguments);
    while plant.applied(ORDERS).await.len() < 8 {
        assert!(sending.is_running(), "{}{}", sending.output_text(), sending.error_text());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    sending.kill();
    let resumed = takt.run(&["resume", "--json"]);
    assert_eq!(
        (resumed.code, result_counts(&resumed.summary())),
        (Some(0), [40, 0, 0, 0]),
        "{}{}",
        resumed.out,
        resumed.err
    );
    let applied = plant.applied(ORDERS).await;
    assert!(applied.len() == 40 && applied.values().all(|item| item.accepted == 1), "{applied:?}");
}

#[tokio::test]
async fn changes_are_taken_back() {
    let (plant, console) = plant_with_document().await;
    let takt = &console.takt;
    let send = |name: &str, csv: &str| {
        let file = takt.write(name, csv);
        let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", MATERIALS, "--site", "works", "--yes", "--json"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        ran.summary()["submission"].to_string()
    };
    send("was.csv", "code;description;uoM\nT-1;Bolt;pcs\nT-2;Bolt;pcs\n");
    let ours = send("ours.csv", "code;description;uoM\nT-1;Nut;kg\nT-2;Nut;kg\nT-3;Nut;kg\n");
    send("theirs.csv", "code;description\nT-2;Washer\n");
    let undone = takt.run(&["undo", &ours, "--yes", "--json"]);
    assert_eq!(
        (undone.code, result_counts(&undone.summary())),
        (Some(0), [1, 0, 0, 0]),
        "{}{}",
        undone.out,
        undone.err
    );
    let plan = &undone.json()[0]["undo"];
    assert_eq!((&plan["restored"], &plan["changedSince"], &plan["created"]), (&json!(1), &json!(1), &json!(1)));
    let held = plant.state("materials").await;
    let of = |code: &str| {
        let row = held.iter().find(|row| row["code"] == code).unwrap();
        format!("{} {}", row["description"].as_str().unwrap(), row["uoM"].as_str().unwrap())
    };
    assert_eq!([of("T-1"), of("T-2"), of("T-3")], ["Bolt pcs", "Washer kg", "Nut kg"]);
}

#[tokio::test]
async fn templates_are_summed_up_and_cleaned() {
    let (plant, console) = plant_with_document().await;
    let takt = &console.takt;
    add_practice_plant(takt, &plant).await;
    let summed = |site: &str| {
        let ran = takt.run(&["templates", "1-3", "900", "--orders", "--site", site, "--json"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.summary()
    };
    let ours = summed("works");
    assert_eq!(ours["templates"], summed(PRACTICE_PLANT_SITE)["templates"]);
    assert_eq!((&ours["absent"]["text"], &ours["absent"]["count"]), (&json!("900"), &json!(1)), "{ours}");
    let held = plant.state("template-processes").await;
    let link = held.iter().find(|link| link["templateId"] == 1).unwrap();
    let text = |name: &str| link[name].as_str().unwrap();
    let csv = format!(
        "templateId;processCode;operationCode\n1;{};{}\n1;IP-NONE;010\n",
        text("processCode"),
        text("operationCode")
    );
    let file = takt.write("links.csv", csv);
    let mut arguments = vec!["sync", file.to_str().unwrap(), "--to", DELETE, "--site", "works", "--yes", "--json"];
    arguments.extend(["--without-lookup", "--no-preview"]);
    let ran = takt.run(&arguments);
    assert_eq!((ran.code, result_counts(&ran.summary())), (Some(1), [1, 1, 0, 0]), "{}{}", ran.out, ran.err);
    assert_eq!(ran.json()[0]["row"], 3);
    assert!(!plant.state("template-processes").await.contains(link));
}

#[tokio::test]
async fn events_stand_beside_what_was_sent_and_what_lists_show() {
    let (plant, console) = plant_with_document().await;
    let takt = &console.takt;
    let mut listening = Program::start("listen", takt.command(&["listen", "--json", "--site", "works"]));
    let first: Value = serde_json::from_str(&listening.first_line(TIMEOUT)).unwrap();
    plant.post("targets", json!({ "url": first["url"] })).await;
    let file = takt.write("orders.csv", orders_csv(880_001, 2));
    let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    plant.post("work-orders/WO-880001/begin", json!({})).await;
    listening.wait_for("the begin", TIMEOUT, |program| program.output_text().contains("\"kind\":2,").then_some(()));

    let rows = takt.run(&["history", "1", "--rows", "--json"]).json();
    let begun = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap()["events"]["begun"].clone();
    assert_eq!([begun("WO-880001 · 010"), begun("WO-880002 · 010")], [json!(true), json!(false)]);
    let ran = takt.run(&["order", "WO-880001", "--site", "works", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines = ran.json();
    let of = |list: &str| lines.iter().find(|line| line["list"] == list).unwrap_or_else(|| panic!("{list} is told"));
    let order = &of("work-orders.details")["rows"][0];
    assert_eq!((&order["code"], &order["operationCode"]), (&json!("WO-880001"), &json!("010")), "{}", ran.out);
    assert!(order["beginReal"].is_string() && order["statusDescription"].is_string(), "{order}");
    assert_eq!(lines.last().unwrap()["submissions"].as_array().unwrap().len(), 1, "{}", ran.out);
}
