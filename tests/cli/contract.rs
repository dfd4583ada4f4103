//! `takt contract` and sites as files: documents are looked at, live sites held against their contract, sites carried over.

use std::fs;

use serde_json::Value;
use takt_tests::{Plant, SecondPlant, Takt};

use crate::transcript::{Transcript, assert_transcript};

#[test]
fn a_document_is_found_whole_or_refused_in_a_sentence() {
    let takt = Takt::new();
    let document = SecondPlant::document();
    let checked = takt.run(&["contract", "check", &document.to_string_lossy(), "--json"]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let matches = checked.json().into_iter().filter(|line| line["type"] == "match").count();
    assert_eq!(matches, 25, "{}", checked.out);
    let transcript = Transcript::new(&takt);
    for text in ["swagger: \"2.0\"\n", "openapi: 3.0.1\npaths:\n  /a:\n    get: 7\n"] {
        let file = takt.write("refused.yaml", text);
        let refused = transcript.run(&["contract", "check", &file.to_string_lossy()]);
        assert_eq!(refused.code, Some(2), "{}", refused.out);
    }
    assert_transcript!(transcript);
}

#[test]
fn a_persons_word_counts() {
    let takt = Takt::new();
    let document = SecondPlant::document();
    let choice = "alerts.list=";
    let checked = takt.run(&["contract", "check", &document.to_string_lossy(), "--match", choice, "--json"]);
    assert_eq!(checked.code, Some(1), "{}", checked.err);
    let alerts = checked.json().into_iter().find(|line| line["type"] == "match" && line["operation"] == "alerts.list");
    assert_eq!(alerts.unwrap()["decision"], "missing");
}

#[tokio::test]
async fn a_document_is_fetched_from_the_site_itself() {
    let (takt, plant) = (Takt::new(), SecondPlant::start(&[]));
    let mut arguments = vec!["site", "add", "works", "--base-url", plant.member("base_url")];
    arguments.extend(["--auth-url", plant.member("auth_url"), "--client-id", "takt"]);
    let added = takt.run(&arguments);
    assert_eq!(added.code, Some(0), "{}", added.err);
    // Nobody is signed in: it is there for everybody.
    let taken = takt.run(&["contract", "take", "--site", "works"]);
    assert_eq!(taken.code, Some(0), "{}", taken.err);
    let transcript = Transcript::new(&takt);
    transcript.note("complaints of takt contract take", &taken.err);
    let operations = takt.run(&["operations", "--site", "works", "--json"]).json();
    assert!(operations.iter().any(|operation| operation["path"] == "/mes/v2/production-orders"));
    let named = takt.run(&["contract", "check", "--address", "/swagger/v1/swagger.yaml", "--site", "works", "--json"]);
    assert_eq!(named.code, Some(0), "{}", named.err);
    assert!(named.json().iter().all(|line| line["type"] != "difference"), "it says the same: {}", named.out);
    for address in ["/nothing/openapi.json", "https://elsewhere.example/openapi.json"] {
        let refused = transcript.run(&["contract", "check", "--address", address, "--site", "works"]);
        assert_eq!(refused.code, Some(2), "{}", refused.err);
    }
    assert_transcript!(transcript);
}

#[test]
fn versions_are_compared() {
    let (takt, plant, document) = (Takt::new(), Plant::start(&[]), SecondPlant::document());
    let document = document.to_string_lossy().into_owned();
    let mut arguments = vec!["site", "add", "works", "--base-url", plant.member("base_url")];
    arguments.extend(["--auth-url", plant.member("auth_url"), "--client-id", "takt", "--contract", &document]);
    let added = takt.run(&arguments);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let restored = takt.run(&["contract", "restore", "0", "--site", "works"]);
    assert_eq!(restored.code, Some(0), "{}", restored.err);
    let differences = |first: &str, second: &str| {
        let ran = takt.run(&["contract", "diff", first, second, "--site", "works", "--json"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.json().len()
    };
    assert_eq!([differences("0", "1"), differences("1", "2"), differences("0", "2")], [27, 27, 0]);
    let unknown = takt.run(&["contract", "diff", "1", "9", "--site", "works"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
}

#[test]
fn saved_mappings_that_a_document_touches_are_said() {
    let takt = Takt::new();
    let file = takt.write("materials.csv", "code;description;unit\nMAT-9001;Bolt;pcs\n");
    let sent = takt.run(&["sync", &file.to_string_lossy(), "--to", "materials.sync", "--yes"]);
    assert_eq!(sent.code, Some(0), "{}", sent.err);
    let shown = takt.run(&["contract", "show"]);
    let mut document: Value = serde_json::from_str(&shown.out).unwrap();
    let effects = |document: &Value| -> Vec<Value> {
        let file = takt.write("site.json", document.to_string());
        let checked = takt.run(&["contract", "check", &file.to_string_lossy(), "--json"]);
        assert_eq!(checked.code, Some(0), "{}", checked.err);
        checked.json().into_iter().filter(|line| line["type"] == "effect").collect()
    };
    assert_eq!(effects(&document), Vec::<Value>::new());
    let body = document["paths"]["/api/v1/Materials/batch"]["post"]["requestBody"]["content"].as_object_mut().unwrap();
    let item = &mut body["application/json"]["schema"]["properties"]["items"]["items"];
    assert!(item["properties"].as_object_mut().unwrap().remove("description").is_some());
    let touched = effects(&document);
    assert!(touched.len() == 1 && touched[0]["operation"] == "materials.sync", "{touched:?}");
    assert_eq!(touched[0]["mappings"], 1, "{touched:?}");
}

#[test]
fn the_practice_plant_fits_its_contract() {
    let takt = Takt::new();
    let report = takt.file("report.xml");
    let transcript = Transcript::new(&takt);
    let tested = takt.run(&["contract", "test", "--site", "practice", "--junit", &report.to_string_lossy(), "--json"]);
    assert_eq!(tested.code, Some(0), "{}\n{}", tested.out, tested.err);
    let asked = tested.json().into_iter().filter(|line| line["outcome"] == "fits").count();
    assert_eq!(asked, 12, "{}", tested.out);
    let pages = tested.json().into_iter().filter(|line| line["type"] == "pages").count();
    assert_eq!(pages, 11, "{}", tested.out);
    let limit = tested.json().into_iter().find(|line| line["type"] == "limit").unwrap();
    assert!(limit["limit"]["limit"].as_u64() > limit["limit"]["remaining"].as_u64(), "{limit}");
    transcript.note("report.xml", &fs::read_to_string(report).unwrap());
    assert_transcript!(transcript);
}

#[test]
fn a_site_travels_as_a_file_without_its_secrets() {
    let (takt, plant, document) = (Takt::new(), Plant::start(&[]), SecondPlant::document());
    let mut arguments = vec!["site", "add", "works", "--base-url", plant.member("base_url")];
    arguments.extend(["--auth-url", plant.member("auth_url"), "--client-id", "takt", "--client-secret-stdin"]);
    let document = document.to_string_lossy().into_owned();
    arguments.extend(["--contract", &document]);
    let added = takt.run_with(&arguments, "not-to-be-seen\n");
    assert_eq!(added.code, Some(0), "{}", added.err);
    let file = takt.file("works.takt-site.json");
    let file = file.to_string_lossy().into_owned();
    let exported = takt.run(&["site", "export", "works", "--out", &file]);
    assert_eq!(exported.code, Some(0), "{}", exported.err);
    assert!(!fs::read_to_string(&file).unwrap().contains("not-to-be-seen"));

    let colleague = Takt::new();
    let looked_at = colleague.run(&["site", "import", &file, "--json"]);
    assert_eq!(looked_at.code, Some(0), "{}", looked_at.err);
    assert_eq!(looked_at.json()[0]["operations"], 27, "{}", looked_at.out);
    let sites = || colleague.run(&["site", "list", "--json"]).json();
    assert!(sites().iter().all(|site| site["name"] != "works"), "nothing is set up before --yes");
    let set_up = colleague.run(&["site", "import", &file, "--yes"]);
    assert_eq!(set_up.code, Some(0), "{}", set_up.err);
    assert!(sites().iter().any(|site| site["name"] == "works" && site["hasSecret"] == false));
    let operations = colleague.run(&["operations", "--site", "works", "--json"]).json();
    assert!(operations.iter().any(|operation| operation["path"] == "/mes/v2/production-orders"));

    let restored = colleague.run(&["contract", "restore", "0", "--site", "works"]);
    assert_eq!(restored.code, Some(0), "{}", restored.err);
    let operations = colleague.run(&["operations", "--site", "works", "--json"]).json();
    assert!(operations.iter().all(|operation| operation["path"] != "/mes/v2/production-orders"));
}
