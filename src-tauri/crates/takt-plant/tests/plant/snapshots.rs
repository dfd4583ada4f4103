//! Tests of snapshots in memory and in a folder.

use std::fs;

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::json;
use tempfile::TempDir;

use crate::{
    fixture::{Fixture, config},
    persistence::persistent_config,
};

async fn check_snapshot_restore(fixture: &Fixture) {
    let plant = fixture.plant.plant();
    let grown = fixture.all_rows().await;
    plant.advance_time(SignedDuration::from_hours(2)).await.unwrap();
    fixture.send_batch("materials.sync", json!([{"code": "SNAP", "description": "Before"}])).await;
    let links = fixture.resource_rows("template-processes").await;
    fixture.send_batch("template-processes.delete", json!([links[3]])).await;
    let (before, time) = (fixture.all_rows().await, plant.overview().now);
    assert_eq!(fixture.control_json(Method::POST, "/snapshots", json!({"name": "before_the-Rush"})).await.status, 200);
    fixture
        .send_batch(
            "materials.sync",
            json!([{"code": "SNAP", "description": "After"}, {"code": "S2", "description": "x"}]),
        )
        .await;
    fixture.send_batch("template-processes.delete", json!([links[4]])).await;
    plant.advance_time(SignedDuration::from_hours(2)).await.unwrap();
    assert_ne!(fixture.all_rows().await, before);
    let logged = fixture.last_log_entry().number;
    assert_eq!(fixture.control_json(Method::POST, "/snapshots/before_the-Rush/restore", json!({})).await.status, 200);
    assert_eq!(fixture.all_rows().await, before);
    assert_eq!(plant.overview().now, time);
    assert_eq!(fixture.last_log_entry().number, logged, "the log goes on");
    assert_eq!(fixture.get("/api/v1/Materials").await.status, 200, "who was signed in still is");
    plant.reset().unwrap();
    assert_eq!(fixture.all_rows().await, grown);
    plant.restore_snapshot("before_the-Rush").unwrap();
    assert_eq!(fixture.all_rows().await, before);
    // The indexes include restored rows.
    fixture.send_batch("materials.sync", json!([{"code": "SNAP", "description": "Again"}])).await;
    assert_eq!(fixture.resource_rows("materials").await.len(), before[0].len());
    plant.restore_snapshot("before_the-Rush").unwrap();
    assert_eq!(fixture.all_rows().await, before);
}

#[tokio::test]
async fn in_memory() {
    check_snapshot_restore(&Fixture::new().await).await;
}

#[tokio::test]
async fn in_a_folder_and_over_a_restart() {
    let folder = TempDir::new().unwrap();
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    check_snapshot_restore(&fixture).await;
    let before = fixture.all_rows().await;
    fixture.plant.plant().reset().unwrap();
    fixture.plant.stop().await;
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    assert_eq!(fixture.plant.plant().overview().snapshots, ["before_the-Rush"]);
    fixture.plant.plant().restore_snapshot("before_the-Rush").unwrap();
    assert_eq!(fixture.all_rows().await, before);
    fixture.plant.stop().await;
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    assert_eq!(fixture.all_rows().await, before, "what was brought back is kept");
}

#[tokio::test]
async fn names_and_numbers_are_bounded() {
    let folder = TempDir::new().unwrap();
    for config in [config(), persistent_config(folder.path())] {
        let fixture = Fixture::with_config(config).await;
        let long = "x".repeat(65);
        for name in ["", "../up", "a b", "ä", "a.b", &long] {
            let answer = fixture.control_json(Method::POST, "/snapshots", json!({"name": name})).await;
            assert_eq!(answer.status, 400, "{name}");
            assert!(answer.body["errors"][0].as_str().unwrap().contains("is no name for a snapshot"));
        }
        assert_eq!(fixture.control_json(Method::POST, "/snapshots", json!({})).await.status, 400);
        assert_eq!(fixture.control_json(Method::POST, "/snapshots/none/restore", json!({})).await.status, 404);
        assert_eq!(fixture.control_json(Method::DELETE, "/snapshots/none", json!({})).await.status, 404);
        assert_eq!(fixture.control_json(Method::POST, "/snapshots", json!({"name": "Con"})).await.status, 200);
        assert_eq!(fixture.control_json(Method::POST, "/snapshots", json!({"name": "con"})).await.status, 400);
        assert_eq!(fixture.control_json(Method::POST, "/snapshots", json!({"name": "Con"})).await.status, 200);
        let listed = fixture.control_json(Method::GET, "/snapshots", json!({})).await;
        assert_eq!(listed.body, json!({"snapshots": ["Con"]}));
        assert_eq!(fixture.control_json(Method::DELETE, "/snapshots/Con", json!({})).await.status, 200);
        assert_eq!(fixture.plant.plant().snapshots(), Vec::<String>::new());
    }
    let fixture = Fixture::new().await;
    for number in 0..20 {
        fixture.plant.plant().save_snapshot(&number.to_string()).unwrap();
    }
    let answer = fixture.control_json(Method::POST, "/snapshots", json!({"name": "20"})).await;
    assert_eq!(
        (answer.status, &answer.body["errors"][0]),
        (400, &json!("there are 20 snapshots already: delete one first"))
    );
    fixture.plant.plant().save_snapshot("7").unwrap();
}

#[tokio::test]
async fn a_spoilt_snapshot_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    fixture.plant.plant().save_snapshot("good").unwrap();
    let path = |name: &str| folder.path().join(format!("snapshots/state-{name}.sqlite"));
    let whole = fs::read(path("good")).unwrap();
    fs::write(path("short"), &whole[..whole.len() / 3]).unwrap();
    fs::write(path("text"), "no snapshot at all").unwrap();
    fs::write(path("empty"), "").unwrap();
    fs::copy(folder.path().join("plant.sqlite"), path("plant")).unwrap();
    fs::write(folder.path().join("snapshots/state-half.new"), &whole[..5000]).unwrap();
    let state = fixture.all_rows().await;
    for name in ["short", "text", "empty", "plant"] {
        let answer = fixture.control_json(Method::POST, &format!("/snapshots/{name}/restore"), json!({})).await;
        assert_eq!(answer.status, 500, "{name}");
        assert_eq!(fixture.all_rows().await, state);
    }
    fixture.plant.plant().save_snapshot("half").unwrap();
    fixture.plant.plant().restore_snapshot("half").unwrap();
    assert_eq!(fixture.all_rows().await, state);
}
