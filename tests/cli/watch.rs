//! A watched folder: every workbook is processed once and has a result file, even after a kill. Also tests the locks
//! and `--if-changed`, which schedules need.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::Value;
use takt_tests::{Applied, Person, Plant, Takt, workbook};

use crate::support::{ORDERS, check_agreement, orders_csv, read_report, signed_in, wait_for_applied};

const MATERIALS: &str = "materials.sync";
const TIMEOUT: Duration = Duration::from_secs(120);

/// Creates the folder to watch.
fn create_watched_folder(takt: &Takt) -> PathBuf {
    let folder = takt.file("incoming");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn watch_arguments<'a>(folder: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["watch", folder.to_str().unwrap(), "--to", ORDERS, "--json"];
    arguments.extend(more);
    if !more.contains(&"--settle") {
        arguments.extend(["--settle", "1"]);
    }
    arguments
}

/// Returns the JSON lines about workbooks, by the workbook's name.
fn lines_by_workbook(lines: &[Value]) -> BTreeMap<String, Value> {
    let named = lines.iter().filter_map(|line| Some((line.get("workbook")?.as_str()?.to_owned(), line.clone())));
    named.collect()
}

fn file_names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn workbooks_are_only_checked_unless_told_otherwise_and_each_says_how_it_stands() {
    let takt = Takt::new();
    let folder = create_watched_folder(&takt);
    fs::write(folder.join("good.csv"), orders_csv(900_000, 3)).unwrap();
    fs::write(folder.join("bad.csv"), format!("{}WO-1;010;MAT-1001;many\n", orders_csv(900_100, 1))).unwrap();
    fs::write(folder.join("text.xlsx"), "no workbook").unwrap();
    fs::write(folder.join("open.csv"), orders_csv(900_200, 1)).unwrap();
    fs::write(folder.join("~$open.csv"), "").unwrap();
    fs::write(folder.join("notes.txt"), "not for Takt").unwrap();
    let ran = takt.run(&watch_arguments(&folder, &["--once"]));
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    let by_name = lines_by_workbook(&ran.json());
    let state = |name: &str| (by_name[name]["state"].as_str().unwrap(), by_name[name]["status"].as_u64().unwrap());
    assert_eq!((state("good.csv"), state("bad.csv")), (("checked", 0), ("checked", 1)));
    assert_eq!((state("text.xlsx"), by_name.len()), (("failed", 2), 3), "{by_name:?}");
    assert!(ran.err.contains("open.csv is open"), "{}", ran.err);
    let text = fs::read_to_string(folder.join("text.xlsx.result.txt")).unwrap();
    assert!(text.contains("text.xlsx") && text.contains("Save it as"), "{text}");
    let there = file_names(&folder);
    for name in ["good.csv.result.xlsx", "bad.csv.result.xlsx", "text.xlsx.result.txt"] {
        assert!(there.contains(&name.to_owned()), "{there:?}");
    }
    assert_eq!(takt.run(&["history", "--json"]).out, "", "nothing was sent");

    let again = takt.run(&watch_arguments(&folder, &["--once"]));
    assert_eq!((again.code, lines_by_workbook(&again.json()).len()), (Some(0), 0), "nothing is new: {}", again.out);
    assert_eq!(file_names(&folder), there);
}

#[tokio::test]
async fn what_was_sent_is_never_sent_again_whatever_its_name() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let folder = create_watched_folder(takt);
    fs::write(folder.join("a.csv"), orders_csv(900_000, 5)).unwrap();
    fs::write(folder.join("b.csv"), format!("{}WO-1;010;MAT-1001;many\n", orders_csv(900_100, 2))).unwrap();
    let complete = watch_arguments(&folder, &["--site", "works", "--once", "--send", "complete"]);
    let ran = takt.run(&complete);
    let by_name = lines_by_workbook(&ran.json());
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert_eq!((&by_name["a.csv"]["state"], &by_name["b.csv"]["state"]), (&"sent".into(), &"stopped".into()));
    assert!(ran.err.contains("save the file again") && !ran.err.contains("--skip-errors"), "{}", ran.err);
    assert_eq!(plant.applied(ORDERS).await.len(), 5);

    let ready = watch_arguments(&folder, &["--site", "works", "--once", "--send", "ready"]);
    let ran = takt.run(&ready);
    let by_name = lines_by_workbook(&ran.json());
    assert_eq!((&by_name["a.csv"]["state"], &by_name["b.csv"]["state"]), (&"known".into(), &"sent".into()));
    fs::copy(folder.join("a.csv"), folder.join("copy.csv")).unwrap();
    fs::remove_file(folder.join("b.csv.result.xlsx")).unwrap();
    let ran = takt.run(&ready);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(lines_by_workbook(&ran.json()).values().all(|workbook| workbook["state"] == "known"), "{}", ran.out);
    let all = plant.applied(ORDERS).await;
    assert_eq!(all.len(), 7);
    assert!(all.values().all(|found| *found == Applied { accepted: 1, refused: 0 }), "{all:?}");
    let of = |name: &str| read_report(takt, &format!("incoming/{name}.result.xlsx"));
    assert_eq!(of("copy.csv"), of("a.csv"), "each has its result beside it");
    assert_eq!(of("b.csv").values().filter(|(_, result)| result == "accepted").count(), 2);

    let file = folder.join("a.csv");
    let sync = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--if-changed", "--json"];
    let ran = takt.run(&sync);
    assert_eq!((ran.code, &ran.summary()["unchanged"]), (Some(0), &true.into()), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("hasn't changed since submission 1"), "{}", ran.err);
    fs::write(&file, orders_csv(900_000, 6)).unwrap();
    let ran = takt.run(&sync);
    assert_eq!((ran.code, ran.summary().get("unchanged")), (Some(0), None), "{}{}", ran.out, ran.err);
    assert_eq!((&ran.summary()["accepted"], &ran.summary()["skipped"]), (&1.into(), &5.into()));
}

#[tokio::test]
async fn a_killed_watch_goes_on_with_exactly_the_remaining_rows() {
    let plant = Plant::start(&["--rate-limit", "20/1"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let folder = create_watched_folder(takt);
    fs::write(folder.join("orders.csv"), orders_csv(900_000, 60)).unwrap();
    let options = ["--site", "works", "--send", "ready", "--batch-size", "1"];
    let mut first = takt.start(&watch_arguments(&folder, &options));
    wait_for_applied(&plant, 5).await;
    first.kill();
    assert!(plant.applied(ORDERS).await.len() < 60, "it was killed too late");

    let mut once = watch_arguments(&folder, &options);
    once.push("--once");
    let ran = takt.run(&once);
    let by_name = lines_by_workbook(&ran.json());
    assert_eq!(by_name["orders.csv"]["state"], "resumed", "{}{}", ran.out, ran.err);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let rows = read_report(takt, "incoming/orders.csv.result.xlsx");
    assert_eq!(rows.len(), 60);
    check_agreement(&rows, &plant.applied(ORDERS).await);
}

/// Windows can't send Ctrl-C to another program.
#[cfg(unix)]
#[tokio::test]
async fn an_interrupted_watch_ends_after_the_request_and_takes_no_further_workbook() {
    let plant = Plant::start(&["--rate-limit", "20/1"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let folder = create_watched_folder(takt);
    fs::write(folder.join("a.csv"), orders_csv(900_000, 60)).unwrap();
    fs::write(folder.join("b.csv"), orders_csv(910_000, 2)).unwrap();
    let options = ["--site", "works", "--send", "ready", "--batch-size", "1"];
    let mut running = takt.start(&watch_arguments(&folder, &options));
    wait_for_applied(&plant, 3).await;
    running.interrupt();
    assert_eq!(running.wait(TIMEOUT).code(), Some(0), "{}", running.error_text());
    let before = plant.applied(ORDERS).await;
    assert!(before.len() < 60 && before.keys().all(|key| key.starts_with("WO-900")), "{before:?}");

    let mut once = watch_arguments(&folder, &options);
    once.push("--once");
    let ran = takt.run(&once);
    let by_name = lines_by_workbook(&ran.json());
    assert_eq!(
        (&by_name["a.csv"]["state"], &by_name["b.csv"]["state"]),
        (&"resumed".into(), &"sent".into()),
        "{}",
        ran.err
    );
    let all = plant.applied(ORDERS).await;
    assert_eq!(all.len(), 62);
    assert!(all.values().all(|found| *found == Applied { accepted: 1, refused: 0 }), "{all:?}");
}

/// The last step has no open rows, so the first one must not be forgotten.
#[cfg(unix)]
#[tokio::test]
async fn an_interrupted_step_before_one_that_changes_nothing_goes_on() {
    let plant = Plant::start(&["--rate-limit", "20/1"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let headings = ["Work order", "Operation", "Material", "Requested quantity"];
    let order = ["WO-910001", "010", "MAT-1001", "5"];
    let held = takt.write("held.xls", workbook(&[("Orders", &[&headings, &order])]));
    let sent = takt.run(&["sync", held.to_str().unwrap(), "--site", "works", "--yes", "--json"]);
    assert_eq!(sent.summary()["accepted"], 1, "{}{}", sent.out, sent.err);

    let folder = create_watched_folder(takt);
    let codes: Vec<String> = (1..=40).map(|number| format!("MAT-9{number:04}")).collect();
    let mut materials: Vec<&[&str]> = vec![&["Material code", "Description"]];
    let rows: Vec<[&str; 2]> = codes.iter().map(|code| [code.as_str(), "Bolt"]).collect();
    materials.extend(rows.iter().map(|row| row.as_slice()));
    let plan = workbook(&[("Materials", &materials), ("Orders", &[&headings, &order])]);
    fs::write(folder.join("plan.xls"), plan).unwrap();
    let watch = ["watch", folder.to_str().unwrap(), "--json", "--settle", "1", "--site", "works", "--send", "ready"];
    let watch = [&watch[..], &["--batch-size", "1"]].concat();
    let mut running = takt.start(&watch);
    while plant.applied(MATERIALS).await.len() < 3 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    running.interrupt();
    assert_eq!(running.wait(TIMEOUT).code(), Some(0), "{}", running.error_text());
    assert!(plant.applied(MATERIALS).await.len() < 40, "it was interrupted too late");
    assert!(folder.join("plan.xls.result.xlsx").exists());

    let ran = takt.run(&[&watch[..], &["--once"]].concat());
    assert_eq!(lines_by_workbook(&ran.json())["plan.xls"]["state"], "resumed", "{}{}", ran.out, ran.err);
    assert_eq!(plant.applied(MATERIALS).await.len(), 40);
    let again = takt.run(&[&watch[..], &["--once"]].concat());
    assert_eq!(lines_by_workbook(&again.json())["plan.xls"]["state"], "known", "{}{}", again.out, again.err);
}

#[tokio::test]
async fn a_workbook_is_taken_once_it_is_whole_and_nobody_else_takes_it_meanwhile() {
    let plant = Plant::start(&["--rate-limit", "20/1"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let folder = create_watched_folder(takt);
    let options = ["--site", "works", "--send", "complete", "--batch-size", "1", "--every", "1"];
    let mut running = takt.start(&watch_arguments(&folder, &options));
    let greeting: Value = serde_json::from_str(&running.first_line(TIMEOUT)).unwrap();
    assert_eq!(greeting["site"], "works");
    let second = takt.run(&watch_arguments(&folder, &options));
    assert_eq!(second.code, Some(2), "{}", second.out);
    assert!(second.err.contains("watches that folder"), "{}", second.err);

    // Written like by a slow program: under a temporary name, which is then renamed.
    let file = folder.join("orders.csv");
    fs::write(folder.join(".orders.csv.part"), orders_csv(900_000, 30)).unwrap();
    fs::rename(folder.join(".orders.csv.part"), &file).unwrap();
    wait_for_applied(&plant, 3).await;
    let sync = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes"];
    let beside = takt.run(&sync);
    assert_eq!(beside.code, Some(2), "{}{}", beside.out, beside.err);
    assert!(beside.err.contains("is being sent"), "{}", beside.err);
    let result = folder.join("orders.csv.result.xlsx");
    running.wait_for("result", TIMEOUT, |_| result.exists().then_some(()));
    running.end(TIMEOUT);
    check_agreement(&read_report(takt, "incoming/orders.csv.result.xlsx"), &plant.applied(ORDERS).await);
    assert_eq!(plant.applied(ORDERS).await.len(), 30);
}

#[tokio::test]
async fn nothing_is_taken_of_a_file_that_is_still_being_written() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let folder = create_watched_folder(takt);
    let options = ["--site", "works", "--send", "ready", "--every", "1", "--settle", "5"];
    let mut running = takt.start(&watch_arguments(&folder, &options));
    let _greeting = running.first_line(TIMEOUT);
    // The pauses are shorter than the settling time. Some of them are in the middle of a number.
    let file = folder.join("orders.csv");
    let content = orders_csv(900_000, 20);
    let mut writing = fs::File::create(&file).unwrap();
    for part in content.as_bytes().chunks(11) {
        writing.write_all(part).unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    drop(writing);
    let result = folder.join("orders.csv.result.xlsx");
    running.wait_for("the result", TIMEOUT, |_| result.exists().then_some(()));
    running.end(TIMEOUT);
    let all = plant.applied(ORDERS).await;
    assert_eq!(all.len(), 20);
    assert!(all.values().all(|found| *found == Applied { accepted: 1, refused: 0 }), "{all:?}");
    let submissions = takt.run(&["history", "--site", "works", "--json"]).json();
    assert_eq!(submissions.len(), 1, "{submissions:?}");
}

#[tokio::test]
async fn a_cut_file_isnt_sent_and_one_that_grew_after_it_was_sent_is_a_question() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let folder = create_watched_folder(takt);
    let once = watch_arguments(&folder, &["--site", "works", "--once", "--send", "ready"]);
    let file = folder.join("orders.csv");
    let content = orders_csv(900_000, 6);
    let cut = content.rfind(';').unwrap();
    fs::write(&file, &content[..cut]).unwrap();
    let ran = takt.run(&once);
    assert_eq!(
        (ran.code, &lines_by_workbook(&ran.json())["orders.csv"]["state"]),
        (Some(2), &"failed".into()),
        "{}",
        ran.err
    );
    let text = fs::read_to_string(folder.join("orders.csv.result.txt")).unwrap();
    assert!(text.contains("isn't complete"), "{text}");
    assert!(plant.applied(ORDERS).await.is_empty());

    fs::write(&file, &content).unwrap();
    let ran = takt.run(&once);
    assert_eq!(
        (ran.code, &lines_by_workbook(&ran.json())["orders.csv"]["state"]),
        (Some(0), &"sent".into()),
        "{}",
        ran.err
    );
    assert!(!folder.join("orders.csv.result.txt").exists());

    fs::write(&file, orders_csv(900_000, 9)).unwrap();
    for _ in 0..2 {
        let ran = takt.run(&once);
        let outcome = &lines_by_workbook(&ran.json())["orders.csv"];
        let outcome =
            (outcome["state"].as_str().unwrap(), outcome["submission"].as_u64(), outcome["result"].as_str().unwrap());
        assert_eq!((ran.code, outcome.0, outcome.1), (Some(1), "grown", Some(1)), "{}", ran.err);
        assert!(outcome.2.ends_with("orders.csv.result.txt"), "{}", outcome.2);
        let text = fs::read_to_string(outcome.2).unwrap();
        assert!(text.contains("was sent as submission 1 and has grown since"), "{text}");
    }
    assert_eq!(plant.applied(ORDERS).await.len(), 6, "the new rows wait for a person");
    fs::write(folder.join("new.csv"), orders_csv(900_006, 3)).unwrap();
    takt.run(&once);
    let all = plant.applied(ORDERS).await;
    assert_eq!(all.len(), 9);
    assert!(all.values().all(|found| *found == Applied { accepted: 1, refused: 0 }), "{all:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn no_link_in_the_folder_is_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let folder = create_watched_folder(takt);
    let private = takt.write("private.csv", orders_csv(910_000, 1));
    fs::write(folder.join("good.csv"), orders_csv(900_000, 2)).unwrap();
    fs::set_permissions(folder.join("good.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(folder.join("bad.xlsx"), "no workbook").unwrap();
    symlink(&private, folder.join("source.csv")).unwrap();
    symlink(&private, folder.join("good.csv.result.xlsx")).unwrap();
    symlink(&private, folder.join("bad.xlsx.result.txt")).unwrap();
    let ran = takt.run(&watch_arguments(&folder, &["--site", "works", "--once", "--send", "ready"]));
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert_eq!(ran.err.matches("source.csv is a link").count(), 1, "{}", ran.err);
    assert_eq!(fs::read_to_string(&private).unwrap(), orders_csv(910_000, 1), "what the links lead to stays as it is");
    assert_eq!(plant.applied(ORDERS).await.len(), 2, "nothing of it is sent");
    let result = fs::symlink_metadata(folder.join("good.csv.result.xlsx")).unwrap();
    assert!(result.is_file() && result.permissions().mode() & 0o777 == 0o640, "{result:?}");
    assert!(fs::read_to_string(folder.join("bad.xlsx.result.txt")).unwrap().contains("bad.xlsx"));
}

#[tokio::test]
async fn one_content_under_several_names_is_sent_once_though_all_come_at_once() {
    let plant = Plant::start(&["--rate-limit", "20/1"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let files = ["a.csv", "b.csv", "c.csv"].map(|name| takt.write(name, orders_csv(900_000, 20)));
    let arguments = files.each_ref().map(|file| {
        let file = file.to_str().unwrap();
        let options = ["--site", "works", "--yes", "--if-changed", "--batch-size", "1"];
        ["sync", file, "--to", ORDERS].into_iter().chain(options).collect::<Vec<_>>()
    });
    let mut running = arguments.each_ref().map(|arguments| takt.start(arguments));
    let codes = running.each_mut().map(|sync| sync.wait(TIMEOUT).code().unwrap());
    assert!(codes.iter().all(|code| [0, 2].contains(code)) && codes.contains(&0), "{codes:?}");
    let all = plant.applied(ORDERS).await;
    assert_eq!(all.len(), 20);
    assert!(all.values().all(|found| *found == Applied { accepted: 1, refused: 0 }), "{all:?}");
}
