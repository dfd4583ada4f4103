//! A plant as a site: adding it, signing in and using it. Results are compared with the plant's log.

#[cfg(target_os = "linux")]
use takt_tests::Keychain;
use takt_tests::{Person, Plant, Takt, complete_sign_in, sample_path};

use crate::{
    support::{ORDERS, check_agreement, console, orders_csv, read_report, signed_in},
    transcript::{Transcript, assert_transcript},
};

#[tokio::test]
async fn every_rows_result_agrees_with_the_plants_own_log() {
    let plant = Plant::start(&["--seed", "1"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let listed = takt.run(&["site", "list", "--json"]).json();
    let works = listed.iter().find(|site| site["name"] == "works").unwrap();
    assert_eq!((works["signedIn"].as_bool(), works["hasSecret"].as_bool()), (Some(true), Some(true)));
    assert_eq!(takt.run(&["site", "test", "works"]).code, Some(0));

    let file = sample_path("work-orders.sync.xlsx");
    let report_file = takt.file("report.xlsx");
    let ran = takt.run(&[
        "sync",
        file.to_str().unwrap(),
        "--to",
        ORDERS,
        "--site",
        "works",
        "--yes",
        "--skip-errors",
        "--without-lookup",
        "--batch-size",
        "50",
        "--report",
        report_file.to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let summary = ran.summary();
    assert_eq!(summary["site"], "works");
    let rows = read_report(takt, "report.xlsx");
    assert_eq!(rows.len() as u64, summary["total"].as_u64().unwrap());
    let accepted = rows.values().filter(|(_, result)| result == "accepted").count() as u64;
    assert_eq!(accepted, summary["accepted"].as_u64().unwrap());
    check_agreement(&rows, &plant.applied(ORDERS).await);
}

#[tokio::test]
async fn the_address_alone_is_printed_for_a_browser_elsewhere() {
    let plant = Plant::start(&[]);
    let console = console(&plant);
    let mut waiting = console.takt.start(&["sign-in", "--site", "works", "--no-browser"]);
    let address = waiting.first_line(std::time::Duration::from_secs(120));
    assert!(address.starts_with(plant.member("auth_url")), "{address}");
    complete_sign_in(&address, Person::Planner).await;
    assert_eq!(waiting.wait(std::time::Duration::from_secs(120)).code(), Some(0), "{}", waiting.error_text());
}

#[tokio::test]
async fn a_wrong_secret_and_a_cancelled_sign_in_end_with_four() {
    let plant = Plant::start(&[]);
    let console = console(&plant);
    let takt = &console.takt;
    let cancelled = takt.sign_in("works", Person::Nobody).await;
    assert_eq!(cancelled.code, Some(4), "{}", cancelled.err);
    assert_eq!(takt.add_site_with_secret("works", &plant, "wrong").code, Some(0));
    let refused = takt.sign_in("works", Person::Planner).await;
    assert_eq!(refused.code, Some(4), "{}", refused.err);
    let transcript = Transcript::new(takt);
    transcript.note("canceled", &cancelled.err);
    transcript.note("with a wrong secret", &refused.err);
    assert_transcript!(transcript);
}

#[tokio::test]
async fn a_sign_out_of_which_the_provider_hears_nothing_says_so() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let transcript = Transcript::new(&console.takt);
    drop(plant);
    for _ in ["signed in", "signed out"] {
        assert_eq!(transcript.run(&["sign-out", "--site", "works"]).code, Some(0));
    }
    assert_transcript!(transcript);
}

#[tokio::test]
async fn who_is_not_signed_in_sends_nothing_and_can_go_on_later() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    assert_eq!(takt.run(&["sign-out", "--site", "works"]).code, Some(0));
    let file = takt.write("orders.csv", orders_csv(900_000, 5));
    let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert_eq!(ran.summary()["pending"], 5);
    assert!(plant.applied(ORDERS).await.is_empty());
    assert_eq!(takt.sign_in("works", Person::Planner).await.code, Some(0));
    let resumed = takt.run(&["resume", "--json"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert_eq!((resumed.summary()["accepted"].as_u64(), plant.applied(ORDERS).await.len()), (Some(5), 5));
}

#[tokio::test]
async fn a_viewer_may_read_and_changes_nothing() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Viewer).await;
    let takt = &console.takt;
    assert_eq!(takt.run(&["list", "materials.list", "--site", "works", "--format", "json"]).code, Some(0));
    let file = takt.write("orders.csv", orders_csv(900_000, 5));
    let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    let transcript = Transcript::new(takt);
    transcript.note("complaints", &ran.err);
    assert_transcript!(transcript);
    assert_eq!(ran.summary()["pending"], 5);
    assert!(plant.applied(ORDERS).await.is_empty());
}

#[tokio::test]
async fn secrets_are_in_no_file_of_the_home() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = console.takt.with("TAKT_LOG", "trace");
    let listed = takt.run(&["list", "materials.list", "--site", "works"]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    let secret = plant.member("client_secret").as_bytes();
    let mut folders = vec![takt.home().to_path_buf()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            files += 1;
            assert!(!bytes.windows(secret.len()).any(|window| window == secret), "{} holds the secret", path.display());
            assert!(!bytes.windows(7).any(|window| window == b"Bearer "), "{} holds a token", path.display());
        }
    }
    assert!(files > 1, "there are files to look into");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_desktops_keychain_keeps_what_is_secret() {
    let plant = Plant::start(&[]);
    let keychain = Keychain::start();
    let takt = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    let added = takt.add_site("works", &plant);
    assert!(added.code == Some(0) && !added.err.contains("no keychain"), "{}", added.err);
    assert_eq!(takt.sign_in("works", Person::Planner).await.code, Some(0));
    let state = || {
        let sites = takt.run(&["site", "list", "--json"]).json();
        let works = sites.into_iter().find(|site| site["name"] == "works").unwrap();
        (works["signedIn"].as_bool().unwrap(), works["hasSecret"].as_bool().unwrap())
    };
    assert_eq!(state(), (true, true));
    drop(keychain);
    assert_eq!(state(), (false, false), "they were nowhere else");
}

/// Adds the plant as a site. Its secret is stored in a test keychain.
#[cfg(target_os = "linux")]
fn with_keychain(plant: &Plant) -> (Keychain, Takt) {
    let keychain = Keychain::start();
    let takt = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    assert_eq!(takt.add_site("works", plant).code, Some(0));
    (keychain, takt)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_keychain_that_does_not_answer_is_not_signed_out() {
    let plant = Plant::start(&[]);
    let (keychain, takt) = with_keychain(&plant);
    assert_eq!(takt.sign_in("works", Person::Planner).await.code, Some(0));
    let list = || takt.run(&["list", "materials.list", "--site", "works", "--format", "json"]);
    keychain.suspend();
    let ran = list();
    assert_eq!(ran.code, Some(5), "{}{}", ran.out, ran.err);
    let transcript = Transcript::new(&takt);
    transcript.note("complaints", &ran.err);
    assert_transcript!(transcript);
    let sites = takt.run(&["site", "list", "--json"]).json();
    let works = sites.into_iter().find(|site| site["name"] == "works").unwrap();
    assert_eq!((&works["signedIn"], &works["keychainFailed"]), (&true.into(), &true.into()));
    assert!(takt.run(&["site", "list"]).out.contains("keychain not responding"));
    keychain.wake();
    // The keychain first answers requests that arrived while it was suspended.
    let since = std::time::Instant::now();
    while list().code != Some(0) {
        assert!(since.elapsed() < std::time::Duration::from_secs(60), "nothing was lost: {}", list().err);
    }
}

/// The client's secret is only in the keychain. Without it, the provider would return `invalid_client`.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_sign_in_without_the_keychains_answer_tells_of_the_keychain() {
    let plant = Plant::start(&[]);
    let (keychain, takt) = with_keychain(&plant);
    keychain.suspend();
    let ran = takt.sign_in("works", Person::Planner).await;
    assert_eq!(ran.code, Some(5), "{}", ran.err);
    let transcript = Transcript::new(&takt);
    transcript.note("complaints", &ran.err);
    assert_transcript!(transcript);
    keychain.wake();
    let ran = takt.sign_in("works", Person::Planner).await;
    assert_eq!(ran.code, Some(0), "the secret is still there: {}", ran.err);
}

#[test]
fn a_site_that_does_not_exist_is_said_so() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    assert_eq!(transcript.run(&["list", "materials.list", "--site", "nowhere"]).code, Some(2));
    assert_transcript!(transcript);
}

#[test]
fn plain_http_elsewhere_is_chosen_and_stays_visible() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let add = |extra: &[&str]| {
        let mut arguments = vec!["site", "add", "works", "--base-url", "http://erp.example", "--auth-url"];
        arguments.extend(["https://auth.example", "--client-id", "takt"]);
        arguments.extend(extra);
        transcript.run(&arguments)
    };
    assert_eq!(add(&[]).code, Some(2));
    assert_eq!(add(&["--allow-http"]).code, Some(0));
    transcript.note("takt site list", &takt.run(&["site", "list"]).out);
    assert_transcript!(transcript);
    let listed = takt.run(&["site", "list", "--json"]).json();
    let works = listed.iter().find(|site| site["name"] == "works").unwrap();
    assert_eq!((works["allowHttp"].as_bool(), works["encrypted"].as_bool()), (Some(true), Some(false)));
}

#[tokio::test]
async fn a_submission_is_not_gone_on_with_at_another_address() {
    let (old, new) = (Plant::start(&[]), Plant::start(&[]));
    let console = signed_in(&old, Person::Planner).await;
    let takt = &console.takt;
    assert_eq!(takt.run(&["sign-out", "--site", "works"]).code, Some(0));
    let file = takt.write("orders.csv", orders_csv(900_000, 5));
    let sync = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
    assert_eq!(takt.run(&sync).summary()["pending"], 5);
    assert_eq!(takt.run(&["site", "remove", "works"]).code, Some(0));
    assert_eq!(takt.add_site("works", &new).code, Some(0));
    assert_eq!(takt.sign_in("works", Person::Planner).await.code, Some(0));
    let resumed = takt.run(&["resume"]);
    assert_eq!(resumed.code, Some(2), "{}", resumed.err);
    for plant in [&old, &new] {
        assert!(resumed.err.contains(plant.member("base_url")), "{}", resumed.err);
        assert!(plant.applied(ORDERS).await.is_empty());
    }
    assert_eq!(takt.add_site("works", &old).code, Some(0));
    assert_eq!(takt.sign_in("works", Person::Planner).await.code, Some(0));
    assert_eq!(takt.run(&["resume", "--json"]).summary()["accepted"], 5);
    assert_eq!(old.applied(ORDERS).await.len(), 5);
}

/// The umask of this test gives other users access to new files.
#[cfg(unix)]
#[test]
fn nobody_else_may_read_or_write_what_takt_keeps() {
    use std::{os::unix::fs::PermissionsExt, process::Command};
    let takt = Takt::in_folder("home");
    std::fs::set_permissions(takt.home(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let open = |arguments: &[&str]| {
        let command = takt.command(arguments);
        let mut shell = Command::new("sh");
        shell.args(["-c", "umask 000 && exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
        shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        takt.run_command(shell, "")
    };
    let file = sample_path("work-orders.sync.xlsx");
    let sent = open(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes", "--skip-errors"]);
    assert!(matches!(sent.code, Some(0 | 1)), "{}", sent.err);
    assert_eq!(open(&["events"]).code, Some(0));
    let (mut folders, mut files) = (vec![takt.home().to_path_buf()], 0);
    while let Some(folder) = folders.pop() {
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(mode(&path) & 0o177, 0, "{} {:o}", path.display(), mode(&path));
                files += 1;
            }
        }
    }
    assert!(files > 2, "there are files to look at");
}
