//! Failures between Takt and a service. No row may be lost or sent twice.

use std::time::{Duration, Instant};

use takt_tests::{Person, Plant};

use crate::support::{ORDERS, check_agreement, orders_csv, read_report, signed_in, wait_for_applied};

/// Returns the arguments of a sync to the site.
fn sync_arguments<'a>(file: &'a str, batch: &'a str, report: &'a str) -> Vec<&'a str> {
    vec!["sync", file, "--to", ORDERS, "--site", "works", "--yes", "--batch-size", batch, "--report", report, "--json"]
}

#[tokio::test]
async fn a_service_that_is_down_ends_with_five_and_nothing_is_lost() {
    let mut plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    plant.kill();
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 7));
    let ran = takt.run(&sync_arguments(file.to_str().unwrap(), "5", takt.file("r.xlsx").to_str().unwrap()));
    assert_eq!(ran.code, Some(5), "{}{}", ran.out, ran.err);
    let summary = ran.summary();
    assert_eq!((summary["pending"].as_u64(), summary["unconfirmed"].as_u64()), (Some(7), Some(0)));
    assert!(ran.err.contains("can't be reached") && ran.err.contains("takt resume"), "{}", ran.err);
    assert_eq!(takt.run(&["list", "materials.list", "--site", "works"]).code, Some(5));
    assert_eq!(takt.run(&["site", "test", "works"]).code, Some(5));
}

#[tokio::test]
async fn failures_of_the_service_leave_rows_unconfirmed_with_the_log_identifier() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    plant.set_faults(&["error-500:1"]).await;
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 4));
    let ran = takt.run(&sync_arguments(file.to_str().unwrap(), "100", takt.file("r.xlsx").to_str().unwrap()));
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert_eq!(ran.summary()["unconfirmed"], 4);
    let lines = ran.json();
    assert_eq!(lines[0]["result"], "unconfirmed");
    assert!(lines[0]["reasons"][0].as_str().unwrap().contains("log ID"), "{}", lines[0]);
    check_agreement(&read_report(takt, "r.xlsx"), &plant.applied(ORDERS).await);
}

#[tokio::test]
async fn the_rate_limit_is_waited_for() {
    let plant = Plant::start(&["--rate-limit", "3/2"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 8));
    let start = Instant::now();
    let ran = takt.run(&sync_arguments(file.to_str().unwrap(), "1", takt.file("r.xlsx").to_str().unwrap()));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(start.elapsed() > Duration::from_secs(3), "eight requests at three in two seconds: {:?}", start.elapsed());
    assert_eq!(ran.summary()["accepted"], 8);
    check_agreement(&read_report(takt, "r.xlsx"), &plant.applied(ORDERS).await);
    let refused = plant.log().await.iter().filter(|entry| entry["status"] == 429).count();
    assert_eq!(refused, 0, "the limit is honoured before it is hit");
}

#[tokio::test]
async fn answers_of_429_without_a_number_are_waited_out() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    plant.set_faults(&["limit-429-ms:0.4"]).await;
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 6));
    let ran = takt.run(&sync_arguments(file.to_str().unwrap(), "2", takt.file("r.xlsx").to_str().unwrap()));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(ran.summary()["accepted"], 6);
    check_agreement(&read_report(takt, "r.xlsx"), &plant.applied(ORDERS).await);
}

#[tokio::test]
async fn a_plant_that_dies_between_two_requests_loses_and_doubles_nothing() {
    let mut plant = Plant::start(&["--fault", "latency=150"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 40));
    let arguments = sync_arguments(file.to_str().unwrap(), "2", "r.xlsx");
    let mut sending = takt.start(&arguments);
    // A few requests have been answered, and most rows are pending.
    let applied = wait_for_applied(&plant, 8).await;
    plant.kill();
    let ended = sending.wait(Duration::from_secs(120)).code();
    assert!(matches!(ended, Some(3 | 5)), "{ended:?}: {}", sending.error_text());
    let first = read_report(takt, "r.xlsx");
    let accepted = first.values().filter(|(_, result)| result == "accepted").count();
    let unconfirmed = first.values().filter(|(_, result)| result == "unconfirmed").count();
    assert!(
        accepted >= applied.len() - 2 && accepted + unconfirmed < 40,
        "{accepted} accepted, {unconfirmed} unconfirmed"
    );

    // The new plant has the same address, but its own secrets and rows.
    let next = Plant::start(&["--listen", &plant.address()]);
    assert_eq!(takt.add_site("works", &next).code, Some(0));
    let signed_in = takt.sign_in("works", Person::Planner).await;
    assert_eq!(signed_in.code, Some(0), "{}", signed_in.err);
    let resumed = takt.run(&["resume", "--json"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    let summary = resumed.summary();
    assert_eq!((summary["pending"].as_u64(), summary["accepted"].as_u64()), (Some(0), Some(40)));
    // The unconfirmed rows were read back from the new plant, which didn't have them.
    let later = next.applied(ORDERS).await;
    assert_eq!(later.len(), 40 - accepted, "exactly the rows that were pending, and those unconfirmed");
    for (key, result) in first.values() {
        assert_eq!(later.contains_key(key), result != "accepted", "{key} was {result}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn an_interruption_ends_after_the_request_and_the_rest_can_go_on() {
    let plant = Plant::start(&["--fault", "latency=150"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 40));
    let mut sending = takt.start(&sync_arguments(file.to_str().unwrap(), "2", "r.xlsx"));
    wait_for_applied(&plant, 6).await;
    sending.interrupt();
    assert_eq!(sending.wait(Duration::from_secs(120)).code(), Some(130), "{}", sending.error_text());
    let rows = read_report(takt, "r.xlsx");
    check_agreement(&rows, &plant.applied(ORDERS).await);
    assert!(rows.values().any(|(_, result)| result == "pending"));
    assert!(rows.values().all(|(_, result)| result != "unconfirmed"), "the request under way was waited for");
    let resumed = takt.run(&["resume", "--json"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    let applied = plant.applied(ORDERS).await;
    assert!(applied.len() == 40 && applied.values().all(|item| item.accepted == 1), "{applied:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_plant_ends_when_it_is_asked_to() {
    let mut plant = Plant::start(&["--size", "small"]);
    assert_eq!(plant.stop(), Some(0));
}
