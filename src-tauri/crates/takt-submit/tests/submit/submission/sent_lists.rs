//! The effect of a list within an item follows the site's contract: in previews, read-backs and undos.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use takt_contract::{Contract, overlay::Overlay};
use takt_engine::{
    Canceller, Code,
    browse::BrowseQuery,
    contracts::AssumptionEdit,
    item::{Change, Item, ItemComparison},
    preview::PreviewCounts,
    submission::SendOptions,
};
use takt_plant::{PlantConfig, RunningPlant};
use takt_test_support::setup::{NO_RATE_LIMIT, start_plant};

use super::support::{
    EngineFixture, SITE, counts, engine_fixture, item, parse_faults, request, rows, send, wait_for_end, with_options,
};

const SENT_LISTS: &str = "sent-lists";

/// A plant whose lists have these effects.
async fn plant(effects: &Value) -> RunningPlant {
    let provenance = json!({ "level": "site", "source": "test" });
    let assumption = json!({ "id": SENT_LISTS, "value": effects, "provenance": provenance });
    let overlay: Overlay = serde_json::from_value(json!({ "assumptions": [assumption] })).unwrap();
    let contract = Contract::builtin().unwrap().with_overlay(&overlay, &TimeZone::UTC);
    let contract = Some(contract.into());
    start_plant(PlantConfig { rate_limit: NO_RATE_LIMIT, contract, ..PlantConfig::default() }).await
}

fn set_list_effects(fixture: &EngineFixture, effects: Value) {
    let edit = AssumptionEdit { id: SENT_LISTS.to_owned(), value: effects };
    fixture.engine.contracts().replace_assumptions(SITE, &[edit]).unwrap();
}

/// A material with these properties.
fn material(properties: &[(&str, &str)]) -> Item {
    let property = |(key, value): &(&str, &str)| json!({ "key": key, "value": value });
    let properties: Vec<Value> = properties.iter().map(property).collect();
    item(2, "T-1", json!({ "code": "T-1", "description": "Bolt", "properties": properties }))
}

/// Adds the comparison that a preview would have made.
fn with_comparison(before: &Value, item: Item) -> Item {
    let before = Some(before.clone());
    let comparison = ItemComparison { change: Change::Changed, before, neighbors: Vec::new(), skip: false };
    Item { comparison: Some(Box::new(comparison)), ..item }
}

/// Returns the properties on the service, by key.
async fn read_properties(fixture: &EngineFixture) -> BTreeMap<String, String> {
    let query = BrowseQuery { operation: "materials.list".to_owned(), parameters: BTreeMap::new() };
    let set = fixture.engine.browse().row_set(SITE, &query.operation).unwrap();
    fixture.engine.browse().read_all(&query, &set, &Canceller::new(), |_| {}).await.unwrap();
    let rows = set.rows(0..usize::MAX);
    let row = rows.iter().find(|row| row["code"] == "T-1").unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let parts = row["properties"].as_array().unwrap();
    parts.iter().map(|part| (text(&part["key"]), text(&part["value"]))).collect()
}

async fn preview(fixture: &EngineFixture, csv: &str) -> PreviewCounts {
    let path = fixture.home.path().join("file.csv");
    std::fs::write(&path, csv).unwrap();
    let imports = fixture.engine.imports();
    let view = imports.open(&path).unwrap();
    let mut view = imports.choose_operation(view.id, "materials.sync").unwrap();
    for (column, heading) in (0..).zip(csv.lines().next().unwrap().split(';')) {
        view = imports.match_column(view.id, column, Some(heading)).unwrap();
    }
    fixture.engine.previews().compare(SITE, view.id, &Canceller::new(), |_| {}).await.unwrap().counts
}

const BOTH: [(&str, &str); 2] = [("COLOR", "red"), ("SIZE", "4")];

#[tokio::test]
async fn a_preview_shows_as_removed_only_what_a_sent_list_removes() {
    let plant = plant(&json!({ "*": "adds" })).await;
    let fixture = engine_fixture(&plant, "planner");
    send(&fixture.engine, request("materials.sync", vec![material(&BOTH)], 1)).await;
    let csv = "code;description;properties.key;properties.value\nT-1;Bolt;COLOR;red\n";
    let (changed, same) =
        (PreviewCounts { changed: 1, ..Default::default() }, PreviewCounts { same: 1, ..Default::default() });
    assert_eq!(preview(&fixture, csv).await, changed, "assumed: the list replaces the one that is held");
    for effects in [
        json!({ "*": "adds" }),
        json!({ "materials.sync": "adds" }),
        json!({ "*": "replaces", "materials.sync": { "properties": "adds" } }),
    ] {
        set_list_effects(&fixture, effects.clone());
        assert_eq!(preview(&fixture, csv).await, same, "{effects}");
    }
    let other = "code;description;properties.key;properties.value\nT-1;Bolt;COLOR;blue\n";
    assert_eq!(preview(&fixture, other).await, changed);
    set_list_effects(&fixture, json!({ "*": "replaces" }));
    assert_eq!(preview(&fixture, csv).await, changed);
    send(&fixture.engine, request("materials.sync", vec![material(&[("WIDTH", "2"), ("SIZE", "5")])], 1)).await;
    let expected = [("COLOR", "red"), ("SIZE", "5"), ("WIDTH", "2")];
    assert_eq!(read_properties(&fixture).await, expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
}

#[tokio::test]
async fn a_read_back_proves_by_what_a_sent_list_does() {
    // Takt assumes either effect, but the plant adds.
    for (effects, expected) in
        [(json!({ "*": "adds" }), counts(0, 1, 0, 0)), (json!({ "*": "replaces" }), counts(0, 0, 0, 1))]
    {
        let plant = plant(&json!({ "*": "adds" })).await;
        let fixture = engine_fixture(&plant, "planner");
        send(&fixture.engine, request("materials.sync", vec![material(&BOTH)], 1)).await;
        set_list_effects(&fixture, effects.clone());
        plant.plant().set_faults(parse_faults(&["apply-then-drop"]), 1);
        let sent = vec![with_comparison(&json!({ "code": "T-1", "description": "Bolt" }), material(&[("WIDTH", "2")]))];
        let asked = with_options(
            request("materials.sync", sent, 1),
            SendOptions { leave_unconfirmed: true, ..SendOptions::default() },
        );
        let view = send(&fixture.engine, asked).await;
        assert_eq!(view.counts, counts(0, 0, 0, 1), "{effects}");
        plant.plant().set_faults(Vec::new(), 1);
        fixture.engine.submissions().read_back_unconfirmed(view.id, None).await.unwrap();
        let view = wait_for_end(&fixture.engine, view.id).await;
        assert_eq!(view.counts, expected, "{effects}: {:?}", rows(&fixture.engine, view.id, None));
    }
}

#[tokio::test]
async fn an_undo_leaves_what_can_only_grow() {
    let plant = plant(&json!({ "*": "adds" })).await;
    let fixture = engine_fixture(&plant, "planner");
    set_list_effects(&fixture, json!({ "*": "adds" }));
    let materials = |properties: &[(&str, &str)]| vec![material(properties)];
    send(&fixture.engine, request("materials.sync", materials(&BOTH), 1)).await;
    let before = materials(&BOTH)[0].body.clone();

    let sent = vec![with_comparison(&before, material(&[("COLOR", "blue")]))];
    let changed = send(&fixture.engine, request("materials.sync", sent, 1)).await;
    let plan = fixture.engine.submissions().preview_undo(changed.id).await.unwrap();
    assert_eq!((plan.restored, plan.unknown), (1, 0), "a value is put back: {plan:?}");

    send(&fixture.engine, request("materials.sync", materials(&BOTH), 1)).await;
    let sent = vec![with_comparison(&before, material(&[("WIDTH", "2")]))];
    let grown = send(&fixture.engine, request("materials.sync", sent, 1)).await;
    let plan = fixture.engine.submissions().preview_undo(grown.id).await.unwrap();
    assert_eq!((plan.restored, plan.same, plan.unknown), (0, 0, 1), "{plan:?}");
    let reason = &plan.unrestored_rows[0].reasons[0];
    assert!(reason.contains("Properties") && reason.contains("only added"), "{reason}");
}

#[tokio::test]
async fn unsupported_operations_of_a_list_are_refused_with_the_reason() {
    let plant = plant(&json!({ "*": "replaces" })).await;
    let fixture = engine_fixture(&plant, "planner");
    for (wrong, reason) in [
        (json!({ "*": "merges" }), "replaces"),
        (json!({ "materials.sync": { "lots": "adds" } }), "`materials.sync` sends no list `lots`"),
        (json!({ "materials.synk": "adds" }), "no operation `materials.synk`"),
        (json!("adds"), "an object is expected"),
    ] {
        let edit = AssumptionEdit { id: SENT_LISTS.to_owned(), value: wrong.clone() };
        let problem = fixture.engine.contracts().replace_assumptions(SITE, &[edit]).unwrap_err();
        assert_eq!((problem.code, problem.parameters["what"].as_str()), (Code::InvalidInput, SENT_LISTS), "{wrong}");
        assert!(problem.details.as_deref().unwrap_or_default().contains(reason), "{problem:?}");
    }
}
