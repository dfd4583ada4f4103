//! The JSON output of each command, which `docs/json` describes. The test kit checks every line of every test against
//! its schema. Commands that need no service are run here, and the others are listed with their tests.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};
use takt_tests::{SecondPlant, Takt, repository};

use crate::support::{ORDERS, orders_csv};

/// Schemas of commands that need a service, with the file that tests them.
const TESTED_ELSEWHERE: [(&str, &str); 11] = [
    ("approve", "approval.rs"),
    // `contract test` prints the same kinds of lines.
    ("contract-learn-answer", "learning.rs"),
    ("contract-test", "learning.rs"),
    ("decide", "decisions.rs"),
    ("listen", "listen.rs"),
    ("plant", "integrator.rs"),
    ("replay", "listen.rs"),
    ("retry", "decisions.rs"),
    ("team-changes", "team.rs"),
    ("team-check", "team.rs"),
    ("watch", "watch.rs"),
];

/// A schema's name in `docs/json`, the command's words, and its exit code.
type CommandCase<'a> = (&'a str, &'a [&'a str], i32);

#[test]
fn each_command_prints_what_its_schema_says() {
    let takt = Takt::new();
    let path = |file: std::path::PathBuf| file.to_str().unwrap().to_owned();
    let good = path(takt.write("orders.csv", orders_csv(870_001, 3)));
    let wrong = path(takt.write("wrong.csv", orders_csv(870_010, 1) + "WO-870011;010;MAT-1001;many\n"));
    let release = json!({ "version": "99.1.0", "date": "2026-12-01", "notes": { "en": "Faster" } });
    let channel = path(takt.write("takt.json", release.to_string()));
    let document = takt.run(&["contract", "show"]);
    let document = path(takt.write("contract.json", &document.out));
    let other = fs::read_to_string(&document).unwrap().replacen("/api/v1/WorkOrders", "/api/v1/Orders", 1);
    let other = path(takt.write("other.json", other));
    let listed = takt.run(&["list", "order-history.list", "--format", "json"]);
    let known = serde_json::from_str::<Value>(&listed.out).unwrap()[0]["workOrderCode"].as_str().unwrap().to_owned();
    // No server listens at this address.
    let nowhere = "http://127.0.0.1:9/";
    let site = ["site", "add", "works", "--base-url", nowhere, "--auth-url", nowhere, "--client-id", "takt"];
    let target = ["forward", "add", "erp", "--to", nowhere];
    let export = path(takt.file("works.json"));
    for words in [&site[..], &target, &["site", "export", "works", "--out", &export]] {
        let ran = takt.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
    }
    let theirs = SecondPlant::document().to_str().unwrap().to_owned();
    let lines: [CommandCase<'_>; 42] = [
        ("operations", &["operations"], 0),
        ("operations", &["operations", "--assumptions"], 0),
        ("guide", &["guide"], 0),
        ("guide", &["guide", "check"], 0),
        ("guide", &["guide", "--find", "unconfirmed rows"], 0),
        ("vault-status", &["vault", "status"], 0),
        ("site-list", &["site", "list"], 0),
        ("site-check", &["site", "check"], 0),
        ("cells", &["cells", &good], 0),
        ("check", &["check", &good], 0),
        ("check", &["check", &wrong, "--to", ORDERS], 1),
        ("preview", &["preview", &good, "--to", ORDERS], 0),
        ("sync", &["sync", &wrong, "--to", ORDERS, "--yes"], 1),
        ("sync", &["sync", &good, "--to", ORDERS, "--yes", "--trial", "1"], 0),
        ("resume", &["resume"], 0),
        ("preview", &["preview", &good, "--to", ORDERS], 0),
        ("history", &["history"], 0),
        ("history", &["history", "1", "--rows", "--requests"], 0),
        ("history", &["history", "--unconfirmed"], 0),
        ("undo", &["undo", "1", "--yes"], 2),
        ("order", &["order", &known], 0),
        ("templates", &["templates", "1-3", "900"], 0),
        ("storage", &["storage", "--keep-rows", "30"], 0),
        ("purge", &["purge", "--rows-older-than", "1"], 0),
        ("floor", &["floor"], 0),
        ("events", &["events"], 0),
        ("answers", &["answers"], 0),
        ("answers", &["answers", "--words"], 0),
        ("update-check", &["update", "check", "--channel", &channel], 0),
        ("contract-diff", &["contract", "diff", &document, &other], 0),
        ("history", &["history", "--find", "WO-870002"], 0),
        ("check", &["check", &good, "--offline"], 0),
        ("answers-try", &["answers", "try"], 0),
        ("forward-list", &["forward", "list"], 0),
        ("forward-status", &["forward", "status", "erp"], 0),
        ("site-import", &["site", "import", &export], 0),
        ("contract-check", &["contract", "check", &theirs, "--site", "works"], 0),
        ("contract-take", &["contract", "take", &theirs, "--site", "works"], 0),
        ("contract-set", &["contract", "set", "materials.list", "--path", "/goods", "--site", "works"], 0),
        ("contract-versions", &["contract", "versions", "--site", "works"], 0),
        ("contract-diff", &["contract", "diff", "0", "1", "--site", "works"], 0),
        ("site-list", &["site", "list"], 0),
    ];
    let mut seen: BTreeSet<String> = TESTED_ELSEWHERE.iter().map(|(name, _)| (*name).to_owned()).collect();
    for (name, words, code) in lines {
        let ran = takt.run(&[words, &["--json"]].concat());
        assert_eq!(ran.code, Some(code), "{words:?}: {}{}", ran.out, ran.err);
        seen.insert(name.to_owned());
    }
    let schemas = fs::read_dir(repository().join("docs/json")).unwrap();
    let schemas: BTreeSet<String> =
        schemas.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(seen, schemas);
}
