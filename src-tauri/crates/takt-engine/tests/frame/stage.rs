//! A plant, and an engine in a folder of its own.

use std::{net::SocketAddr, sync::Arc};

use serde_json::Value;
use takt_engine::{
    Engine, EngineConfig, Home,
    client::{Vault, Waypoints},
    sites::{Site, SiteKind},
};
use takt_plant::{Fault, Plant, PlantConfig, RunningPlant};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

pub(crate) const PRACTICE: &str = "practice";

pub(crate) struct Stage {
    pub(crate) engine: Arc<Engine>,
    pub(crate) plant: RunningPlant,
    pub(crate) home: TempDir,
    pub(crate) vault: Vault,
}

pub(crate) fn open(home: &TempDir, vault: &Vault) -> Arc<Engine> {
    let config = EngineConfig {
        home: Home::at(home.path()).unwrap(),
        clock: Arc::new(jiff::Timestamp::now),
        vault: vault.clone(),
        waypoints: Waypoints::default(),
        person: "anna".to_owned(),
        team: takt_engine::team::TeamChoice::default(),
    };
    Engine::open(config).unwrap()
}

pub(crate) async fn plant(config: PlantConfig) -> RunningPlant {
    Plant::start(config, SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap()
}

impl Stage {
    /// Nobody is signed in.
    pub(crate) async fn new() -> Self {
        let (plant, home, vault) = (plant(PlantConfig::default()).await, TempDir::new().unwrap(), Vault::memory());
        let engine = open(&home, &vault);
        set_practice(&engine, &plant);
        Self { engine, plant, home, vault }
    }

    pub(crate) async fn signed_in() -> Self {
        let stage = Self::new().await;
        sign_in(&stage.engine, &stage.plant, PRACTICE, "planner");
        stage
    }

    pub(crate) fn suffer(&self, fault: &str) {
        self.plant.plant().set_faults(vec![Fault::parse(fault).unwrap()], 1);
    }

    /// A site of a person's own, which happens to be the plant.
    pub(crate) fn site(&self, name: &str) -> Site {
        Site {
            name: name.to_owned(),
            kind: SiteKind::Production,
            base_url: self.plant.base_url.clone(),
            auth_url: self.plant.auth_url.clone(),
            client_id: self.plant.client_id.clone(),
            redirect_uris: self.plant.redirect_uris.clone(),
            scope: String::new(),
            time_zone: "Europe/Berlin".to_owned(),
            batch_size: Some(50),
            proxy: None,
            ca_file: None,
            reserved_prefix: None,
            allow_http: false,
            sign_in: takt_engine::sites::SignInSettings::default(),
            network: takt_engine::sites::NetworkSettings::default(),
            rehearsal_of: None,
        }
    }
}

pub(crate) fn set_practice(engine: &Engine, plant: &RunningPlant) {
    engine.set_practice(plant.access());
}

pub(crate) fn sign_in(engine: &Engine, plant: &RunningPlant, site: &str, user: &str) {
    let pair = plant.issue_tokens(user).unwrap();
    engine
        .sites()
        .adopt_tokens(site, &pair.access_token, pair.refresh_token.as_deref(), Some(pair.expires_in))
        .unwrap();
}

/// What the plant's control interface answers.
pub(crate) async fn control(stage: &Stage, path: &str) -> Value {
    control_of(&stage.plant, path).await
}

pub(crate) async fn control_of(plant: &RunningPlant, path: &str) -> Value {
    let host = plant.base_url.trim_start_matches("http://");
    let front = plant.control_url.trim_start_matches(&plant.base_url);
    let mut stream = TcpStream::connect(host).await.unwrap();
    let key = &plant.control_key;
    let request = format!(
        "GET {front}/{path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}
