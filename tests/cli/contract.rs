//! `takt contract` and site files: documents are checked, live sites are compared with their contract, and sites are
//! exported and imported.

use std::fs;

use serde_json::{Value, json};
use takt_tests::{Person, Plant, SecondPlant, Takt};

use crate::{
    support::signed_in,
    transcript::{Transcript, assert_transcript},
};

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
    // The document needs no sign-in, so no user is signed in.
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_list_that_does_not_fit_is_told_with_the_value_and_what_was_expected() {
    let mut plant = Plant::start(&[]);
    let _relay = plant.start_rewriting_proxy(|path, body| {
        let Some(rows) = body["data"].as_array_mut() else { return };
        match path {
            "/api/v1/WorkOrders" => rows.iter_mut().for_each(|row| row["beginPlanned"] = json!("yesterday")),
            // One invalid row must be found among many valid ones.
            "/api/v1/Inspections" => rows[3]["endPlanned"] = json!("28/11/2026"),
            "/api/v1/ProductionAlerts" => rows.iter_mut().for_each(|row| row["opened"] = json!(20_261_128)),
            "/api/v1/WorkStations" => rows[0]["shifts"][0]["intervals"][0]["begin"] = json!("6 o'clock"),
            "/api/v1/WorkOrderHistory" => rows[0]["kind"] = json!("thought of"),
            _ => {}
        }
    });
    let console = signed_in(&plant, Person::Planner).await;
    let tested = console.takt.run(&["contract", "test", "--site", "works", "--json"]);
    assert_eq!(tested.code, Some(1), "{}{}", tested.out, tested.err);
    let lines = tested.json();
    let shown = console.takt.run(&["contract", "test", "--site", "works"]);
    assert_eq!(shown.code, Some(1), "{}{}", shown.out, shown.err);
    for (operation, member, expected, found) in [
        ("work-orders.list", "beginPlanned", "date-time", r#""yesterday""#),
        ("inspections.list", "endPlanned", "date-time", r#""28/11/2026""#),
        ("alerts.list", "opened", "date-time", "20261128"),
        ("work-stations.list", "shifts.intervals.begin", "text, pattern", r#""6 o'clock""#),
        ("order-history.list", "kind", "text, enum", r#""thought of""#),
    ] {
        let line = lines.iter().find(|line| line["id"] == operation && line["type"] == "operation").unwrap();
        assert_eq!(line["outcome"], "differs", "{line}");
        let misfits = line["misfits"].as_array().unwrap();
        assert_eq!(misfits.len(), 1, "{line}");
        assert_eq!((&misfits[0]["member"], &misfits[0]["found"]), (&json!(member), &json!(found)), "{line}");
        assert!(misfits[0]["expected"].as_str().unwrap().starts_with(expected), "{line}");
        let said = format!("  {member}: expected {expected}");
        let said = shown.out.lines().find(|line| line.starts_with(&said)).unwrap_or_default();
        assert!(said.ends_with(&format!("found {found}")), "{operation}: {said}\n{}", shown.out);
    }
    let fits = |line: &&Value| line["outcome"] == "fits" && line["misfits"] == json!([]);
    assert_eq!(lines.iter().filter(fits).count(), 12 - 5, "{}", tested.out);
}

/// Writes the built-in contract as a document in which these assumptions have other values, and returns its path.
fn write_document_with_assumptions(takt: &Takt, assumptions: &[(&str, Value)]) -> String {
    let mut document: Value = serde_json::from_str(&takt.run(&["contract", "show"]).out).unwrap();
    for (id, value) in assumptions {
        let listed = document["x-takt-assumptions"].as_array_mut().unwrap();
        listed.iter_mut().find(|one| one["id"] == *id).unwrap()["value"] = value.clone();
    }
    takt.write("assuming.json", document.to_string()).to_string_lossy().into_owned()
}

#[test]
fn the_assumptions_that_a_document_changes_are_listed() {
    let (takt, plant) = (Takt::new(), Plant::start(&[]));
    let mut arguments = vec!["site", "add", "works", "--base-url", plant.member("base_url")];
    arguments.extend(["--auth-url", plant.member("auth_url"), "--client-id", "takt"]);
    assert_eq!(takt.run(&arguments).code, Some(0));
    let changed = |ran: &takt_tests::CommandOutput| {
        let lines = ran.json().into_iter().filter(|line| line["type"] == "assumption");
        lines.map(|line| json!([line["id"], line["before"], line["after"]])).collect::<Vec<_>>()
    };
    let lists = json!({ "*": "replaces", "work-orders.sync": "adds" });
    let expected = [json!(["sent-lists", { "*": "replaces" }, lists]), json!(["reserved-prefix", "", "SAP_"])];
    let document =
        write_document_with_assumptions(&takt, &[("sent-lists", lists.clone()), ("reserved-prefix", json!("SAP_"))]);
    let checked = takt.run(&["contract", "check", &document, "--json"]);
    assert_eq!((checked.code, changed(&checked)), (Some(0), expected.to_vec()), "{}", checked.err);
    let text = takt.run(&["contract", "check", &document]).out;
    assert!(
        text.contains("sent-lists")
            && text.contains(r#"  {"*":"replaces"} → {"*":"replaces","work-orders.sync":"adds"}"#),
        "{text}"
    );
    assert!(text.contains("\"SAP_\""), "{text}");
    // The document is compared with the site's contract, then with versions of it.
    let taken = takt.run(&["contract", "take", &document, "--site", "works", "--json"]);
    assert_eq!((taken.code, changed(&taken)), (Some(0), expected.to_vec()), "{}", taken.err);
    let again = takt.run(&["contract", "check", &document, "--site", "works", "--json"]);
    assert_eq!((again.code, changed(&again)), (Some(0), Vec::new()), "{}", again.err);
    let set = takt.run(&["contract", "set", "--site", "works", "--assumption", "reserved-prefix=\"ERP_\"", "--json"]);
    assert_eq!((set.code, changed(&set)), (Some(0), vec![json!(["reserved-prefix", "SAP_", "ERP_"])]), "{}", set.err);
    let versions = takt.run(&["contract", "diff", "1", "2", "--site", "works", "--json"]);
    assert_eq!(changed(&versions), [json!(["reserved-prefix", "SAP_", "ERP_"])], "{}", versions.out);
    let plain = write_document_with_assumptions(&takt, &[]);
    let plain = takt.run(&["contract", "check", &plain, "--json"]);
    assert_eq!((plain.code, changed(&plain)), (Some(0), Vec::new()));
    // A document with an invalid assumption is refused.
    let wrong = write_document_with_assumptions(&takt, &[("sent-lists", json!({ "*": "sometimes" }))]);
    for command in ["check", "take"] {
        let refused = takt.run(&["contract", command, &wrong, "--site", "works"]);
        assert_eq!(refused.code, Some(2), "{}{}", refused.out, refused.err);
        for said in ["x-takt-assumptions", "sent-lists", "sometimes", "replaces", "adds"] {
            assert!(refused.err.contains(said), "{said}: {}", refused.err);
        }
    }
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
