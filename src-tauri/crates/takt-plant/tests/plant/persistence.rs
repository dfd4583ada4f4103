//! Tests of the state across restarts, including order of rows, log, clock, grants and snapshots, and of invalid
//! folders.

use std::{
    collections::BTreeSet,
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
};

use jiff::SignedDuration;
use reqwest::Method;
use rusqlite::Connection;
use serde_json::{Value, json};
use takt_plant::{Move, Plant, PlantConfig, PlantError, Size};
use tempfile::TempDir;

use crate::fixture::{Answer, Fixture, RESOURCES, config, find_row};

pub(crate) fn persistent_config(folder: &Path) -> PlantConfig {
    PlantConfig { data: Some(folder.to_path_buf()), ..config() }
}

impl Fixture {
    pub(crate) async fn control_json(&self, method: Method, path: &str, body: Value) -> Answer {
        Answer::read(self.control_request(method, path).json(&body).send().await.unwrap()).await
    }

    /// Restarts the plant with the same folder.
    async fn restart(self, folder: &Path) -> Self {
        let logged = self.plant.log().len();
        self.plant.stop().await;
        assert_eq!(self.plant.log().len(), logged, "the log can still be read");
        let ahead = self.seconds_ahead();
        drop(self.plant);
        Self::with_clock_ahead(persistent_config(folder), ahead).await
    }

    /// Makes a change of each kind.
    async fn make_changes(&self) {
        self.send_batch("materials.sync", json!([{"code": "0042", "description": "Ölfilter \u{1F}"}])).await;
        self.send_batch("stock.sync", json!([{"materialCode": "MAT-1001", "quantity": 7.25}])).await;
        let order = json!({"code": "WO-1", "operationCode": "010", "materialCode": "0042", "requestedQuantity": 3,
            "beginPlanned": "2026-12-02T06:00:00", "endPlanned": "2026-12-02T07:00:00"});
        self.send_batch("work-orders.sync", json!([order, {"code": "WO-2"}])).await;
        self.send_batch(
            "work-orders.execution",
            json!([{"code": "WO-1", "operationCode": "010", "producedGoodQuantity": 1}]),
        )
        .await;
        let links = self.resource_rows("template-processes").await;
        self.send_batch("template-processes.delete", json!([links[0], links[7]])).await;
        self.plant.plant().make_move(Move::AcknowledgeAlert { id: self.open_alert_id().await }).await.unwrap();
    }

    async fn open_alert_id(&self) -> i64 {
        let alerts = self.resource_rows("alerts").await;
        alerts.iter().find(|alert| alert["status"] == 0).unwrap()["id"].as_i64().unwrap()
    }
}

/// Clients store the ID of the rows with each submission. Another ID means that the plant may not have the sent rows.
#[tokio::test]
async fn the_id_of_the_rows_survives_a_restart_and_no_reset_or_snapshot() {
    let folder = TempDir::new().unwrap();
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    let first = fixture.plant.plant().state_id();
    fixture.make_changes().await;
    let fixture = fixture.restart(folder.path()).await;
    assert_eq!(fixture.plant.plant().state_id(), first);
    fixture.plant.plant().save_snapshot("before").unwrap();
    fixture.plant.plant().reset().unwrap();
    let second = fixture.plant.plant().state_id();
    let fixture = fixture.restart(folder.path()).await;
    assert_eq!(fixture.plant.plant().state_id(), second);
    fixture.plant.plant().restore_snapshot("before").unwrap();
    let third = fixture.plant.plant().state_id();
    let fixture = fixture.restart(folder.path()).await;
    assert_eq!(fixture.plant.plant().state_id(), third);
    let in_memory = Fixture::with_config(PlantConfig::default()).await.plant.plant().state_id();
    assert_eq!([&first, &second, &third, &in_memory].iter().collect::<BTreeSet<_>>().len(), 4);
}

#[tokio::test]
async fn state_and_log_survive_a_restart() {
    let folder = TempDir::new().unwrap();
    let inside = folder.path().join("not/yet/there");
    let fixture = Fixture::with_config(persistent_config(&inside)).await;
    let grown = fixture.all_rows().await;
    fixture.make_changes().await;
    let (state, log) = (fixture.all_rows().await, fixture.plant.log());
    assert_ne!(state, grown);
    assert_eq!(log.len(), 5);
    let fixture = fixture.restart(&inside).await;
    for (resource, (before, after)) in RESOURCES.iter().zip(state.iter().zip(fixture.all_rows().await)) {
        assert_eq!(*before, after, "{resource}");
    }
    assert_eq!(fixture.plant.log(), log);
    assert!(fixture.plant.plant().overview().durable);
    // The indexes by key, order and time include the changed rows.
    let listed = fixture.read("work-orders.details", "?code=WO-1").await;
    assert_eq!(listed.rows()[0]["producedGoodQuantity"], 1);
    let listed = fixture.read("work-orders.list", "?from=2026-12-02T06:30:00&to=2026-12-02T06:31:00").await;
    assert!(find_row(listed.rows(), &[("code", "WO-1")]).is_some());
    fixture.send_batch("materials.sync", json!([{"code": "0042", "description": "Other"}])).await;
    let fixture = fixture.restart(&inside).await;
    let materials = fixture.resource_rows("materials").await;
    assert_eq!(materials.len(), state[0].len());
    assert_eq!(materials.last().unwrap()["description"], "Other");
    let log = fixture.plant.log();
    let numbers: Vec<u64> = log.iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, (1..=log.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn who_is_signed_in_stays_so() {
    let folder = TempDir::new().unwrap();
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    let (pair, other) = (fixture.plant.issue_tokens("viewer").unwrap(), fixture.plant.issue_tokens("planner").unwrap());
    let (secret, key) = (fixture.plant.client_secret.clone(), fixture.plant.control_key.clone());
    let refresh = |fixture: &Fixture, token: &str| {
        let form = [
            ("grant_type", "refresh_token"),
            ("client_id", &fixture.plant.client_id),
            ("client_secret", &secret),
            ("refresh_token", token),
        ];
        fixture.client.post(format!("{}/connect/token", fixture.plant.auth_url)).form(&form).send()
    };
    let used = other.refresh_token.clone().unwrap();
    let next = refresh(&fixture, &used).await.unwrap().json::<Value>().await.unwrap();
    let fixture = fixture.restart(folder.path()).await;
    assert_eq!((&fixture.plant.client_secret, &fixture.plant.control_key), (&secret, &key));
    let reads = async |token: &str| {
        fixture.client.get(fixture.url("/api/v1/Materials")).bearer_auth(token).send().await.unwrap().status().as_u16()
    };
    assert_eq!(reads(&pair.access_token).await, 200);
    assert_eq!(fixture.last_log_entry().user.as_deref(), Some("viewer"));
    assert_eq!(reads("never-issued").await, 401);
    assert_eq!(refresh(&fixture, pair.refresh_token.as_deref().unwrap()).await.unwrap().status(), 200);
    // A refresh token that was used before the restart still ends its family.
    assert_eq!(reads(next["access_token"].as_str().unwrap()).await, 200);
    assert_eq!(refresh(&fixture, &used).await.unwrap().status(), 400);
    assert_eq!(reads(next["access_token"].as_str().unwrap()).await, 401);
    fixture.advance_clock(3600);
    assert_eq!(reads(&pair.access_token).await, 401);
    fixture.plant.stop().await;
    let tokens = [pair.access_token.as_str(), pair.refresh_token.as_deref().unwrap(), &used, &fixture.planner];
    for file in fs::read_dir(folder.path()).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        for token in tokens {
            assert!(!bytes.windows(token.len()).any(|window| window == token.as_bytes()), "a token lies on disk");
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_reads_what_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    fixture.plant.plant().save_snapshot("one").unwrap();
    let files = ["plant.sqlite", "plant.sqlite-wal", "snapshots/state-one.sqlite"];
    for file in files {
        let mode = fs::metadata(folder.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[tokio::test]
async fn the_clock_goes_on() {
    let folder = TempDir::new().unwrap();
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    let now = |fixture: &Fixture| fixture.plant.plant().overview().now;
    fixture.plant.plant().advance_time(SignedDuration::from_hours(1)).await.unwrap();
    fixture.advance_clock(60);
    assert_eq!(now(&fixture), "2026-11-20T11:01:00");
    let fixture = fixture.restart(folder.path()).await;
    fixture.advance_clock(60);
    assert_eq!(now(&fixture), "2026-11-20T11:02:00", "the way ahead of the time outside stays");
    fixture.plant.plant().stop_clock();
    let fixture = fixture.restart(folder.path()).await;
    fixture.advance_clock(600);
    assert_eq!(now(&fixture), "2026-11-20T11:02:00", "a clock that was stopped stands");
    fixture.plant.plant().run_clock(2.0);
    fixture.advance_clock(30);
    let fixture = fixture.restart(folder.path()).await;
    assert_eq!(now(&fixture), "2026-11-20T11:03:00");
    fixture.advance_clock(30);
    assert_eq!(now(&fixture), "2026-11-20T11:04:00", "a running clock runs again");
}

#[tokio::test]
async fn a_reset_replaces_what_is_kept() {
    let folder = TempDir::new().unwrap();
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    let grown = fixture.all_rows().await;
    fixture.make_changes().await;
    let logged = fixture.last_log_entry().number;
    fixture.control_json(Method::POST, "/reset", json!({})).await;
    assert_eq!(fixture.all_rows().await, grown);
    assert_eq!(fixture.plant.log(), []);
    let fixture = fixture.restart(folder.path()).await;
    assert_eq!(fixture.all_rows().await, grown);
    assert_eq!(fixture.plant.log(), []);
    fixture.get("/api/v1/Materials").await;
    assert_eq!(fixture.last_log_entry().number, logged + 1, "numbers go on");
}

/// Returns the error of a plant that must not start and must not change the file.
async fn start_error(config: PlantConfig) -> PlantError {
    let file = config.data.as_ref().unwrap().join("plant.sqlite");
    let before = fs::read(&file).unwrap();
    let refused = Plant::start(config, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await;
    assert_eq!(fs::read(&file).unwrap(), before, "the file was touched");
    refused.unwrap_err()
}

#[tokio::test]
async fn another_plants_folder_is_refused() {
    let folder = TempDir::new().unwrap();
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    fixture.make_changes().await;
    let error = start_error(persistent_config(folder.path())).await;
    assert!(matches!(&error, PlantError::DataInUse(path) if path == folder.path()), "{error}");
    fixture.plant.stop().await;
    let mine = || persistent_config(folder.path());
    for (config, text) in [
        (PlantConfig { seed: 2, ..mine() }, "a plant with the seed 1, not 2: ask for 1"),
        (PlantConfig { size: Size::Factory, ..mine() }, "a plant with the size small, not factory"),
        (PlantConfig { time_zone: "UTC".to_owned(), ..mine() }, "a plant with the time zone Europe/Berlin, not UTC"),
    ] {
        let error = start_error(config).await.to_string();
        assert!(error.contains(text) && error.contains("plant.sqlite"), "{error}");
    }
}

#[tokio::test]
async fn files_that_are_no_plants_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("plant.sqlite");
    fs::write(&file, "Shopping list: bread, milk. ".repeat(100)).unwrap();
    let error = start_error(persistent_config(folder.path())).await;
    assert!(matches!(error, PlantError::DataForeign(_)), "{error}");
    fs::remove_file(&file).unwrap();
    let theirs = Connection::open(&file).unwrap();
    theirs.execute_batch("CREATE TABLE list (item TEXT); PRAGMA user_version = 1;").unwrap();
    drop(theirs);
    let error = start_error(persistent_config(folder.path())).await;
    assert!(matches!(error, PlantError::DataForeign(_)), "{error}");
    let taken = folder.path().join("taken");
    fs::write(&taken, "a file").unwrap();
    let error = Plant::new(persistent_config(&taken)).unwrap_err();
    assert!(matches!(error, PlantError::DataFolder { .. }), "{error}");
}

#[tokio::test]
async fn damaged_and_newer_files_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("plant.sqlite");
    Fixture::with_config(persistent_config(folder.path())).await.plant.stop().await;
    let whole = fs::read(&file).unwrap();
    let change = |sql: &str| {
        fs::write(&file, &whole).unwrap();
        let connection = Connection::open(&file).unwrap();
        connection.execute_batch(sql).unwrap();
    };
    change("PRAGMA user_version = 2;");
    let error = start_error(persistent_config(folder.path())).await;
    assert!(matches!(error, PlantError::DataNewer { found: 2, known: 1, .. }), "{error}");
    for sql in [
        "DELETE FROM rows WHERE place = (SELECT MIN(place) + 3 FROM rows);",
        "UPDATE rows SET row = substr(row, 1, 20) WHERE place = (SELECT MIN(place) FROM rows);",
        "UPDATE meta SET value = '{' WHERE name = 'lastId';",
        "DELETE FROM meta WHERE name = 'clientSecret';",
        "DELETE FROM meta WHERE name = 'seed';",
        "DROP TABLE rows;",
    ] {
        change(sql);
        let error = start_error(persistent_config(folder.path())).await;
        assert!(matches!(error, PlantError::DataDamaged { .. } | PlantError::DataFile { .. }), "{sql}: {error}");
        assert!(error.to_string().contains("plant.sqlite"), "{error}");
    }
    for (what, bytes) in [
        ("cut off", whole[..whole.len() / 2].to_vec()),
        ("overwritten", [&whole[..20_000], &[0xA5; 60_000], &whole[80_000..]].concat()),
    ] {
        fs::write(&file, bytes).unwrap();
        let error = start_error(persistent_config(folder.path())).await;
        assert!(matches!(error, PlantError::DataDamaged { .. }), "{what}: {error}");
    }
    fs::write(&file, &whole).unwrap();
    Fixture::with_config(persistent_config(folder.path())).await;
}

#[tokio::test]
async fn what_cannot_be_kept_is_not_applied() {
    let folder = TempDir::new().unwrap();
    let fixture = Fixture::with_config(persistent_config(folder.path())).await;
    fixture.make_changes().await;
    let (state, logged) = (fixture.all_rows().await, fixture.plant.log().len());
    let links = fixture.resource_rows("template-processes").await;
    let holder = Connection::open(folder.path().join("plant.sqlite")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let batches = [
        ("materials.sync", json!([{"code": "NEW", "description": "New"}, {"code": "0042", "description": "Changed"}])),
        ("work-orders.execution", json!([{"code": "WO-1", "operationCode": "010", "producedGoodQuantity": 2}])),
        ("template-processes.delete", json!([links[0]])),
    ];
    for (operation, items) in &batches {
        let answer = fixture.send_batch(operation, items.clone()).await;
        assert_eq!(answer.status, 500);
        assert!(answer.body["logId"].is_string() && answer.body["message"].is_array(), "{}", answer.body);
        let entry = fixture.last_log_entry();
        assert_eq!((entry.status, entry.applied.len(), entry.operation.as_deref()), (Some(500), 0, Some(*operation)));
    }
    fixture.plant.plant().make_move(Move::CloseAlert { id: fixture.open_alert_id().await }).await.unwrap_err();
    assert_eq!(fixture.get("/api/v1/Materials").await.status, 200, "the plant goes on");
    assert_eq!(fixture.all_rows().await, state);
    assert_eq!(fixture.read("work-orders.details", "?code=WO-1").await.rows()[0]["producedGoodQuantity"], 1);
    holder.execute_batch("ROLLBACK").unwrap();
    for (operation, items) in batches {
        assert_eq!(fixture.send_batch(operation, items).await.status, 200);
    }
    let (state, log) = (fixture.all_rows().await, fixture.plant.log());
    let statuses: Vec<_> = log[logged..].iter().map(|entry| entry.status.unwrap()).collect();
    assert_eq!(statuses, [500, 500, 500, 200, 200, 200, 200, 200]);
    let fixture = fixture.restart(folder.path()).await;
    assert_eq!(fixture.all_rows().await, state);
    assert_eq!(fixture.plant.log(), log);
}
