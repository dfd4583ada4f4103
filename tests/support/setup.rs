//! Plants, engines and sites for most tests.

use std::{
    net::SocketAddr,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use takt_engine::{
    Engine, EngineConfig, Home,
    client::{Failpoints, Timeouts, Vault},
    sites::{NetworkSettings, SignInSettings, Site, SiteKind},
    team::TeamChoice,
};
use takt_plant::{DeliveryState, Plant, PlantConfig, RateLimit, RunningPlant};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const EVENT_TIMEOUT: Duration = Duration::from_secs(60);

/// A rate limit that no test reaches.
pub const NO_RATE_LIMIT: RateLimit = RateLimit { requests: 1_000_000, window: Duration::from_secs(60) };

/// Returns the configuration of an engine with the system's clock, an in-memory vault, and the user Anna.
pub fn engine_config(home: &Path) -> EngineConfig {
    EngineConfig {
        home: Home::open(home).unwrap(),
        clock: Arc::new(jiff::Timestamp::now),
        vault: Vault::memory(),
        // Tests shouldn't wait long before retries.
        timeouts: Timeouts { retry_wait: Duration::from_millis(10), ..Timeouts::default() },
        failpoints: Failpoints::default(),
        person: "anna".to_owned(),
        team: TeamChoice::default(),
    }
}

/// Returns a user's site at an address where no server listens.
pub fn site(name: &str, kind: SiteKind) -> Site {
    Site {
        name: name.to_owned(),
        kind,
        base_url: "http://127.0.0.1:1".to_owned(),
        auth_url: "http://127.0.0.1:1".to_owned(),
        client_id: "takt".to_owned(),
        redirect_uris: vec!["http://127.0.0.1:0/callback".to_owned()],
        scope: String::new(),
        time_zone: "Europe/Berlin".to_owned(),
        batch_size: None,
        proxy: None,
        ca_file: None,
        reserved_prefix: None,
        allow_http: false,
        sign_in: SignInSettings::default(),
        network: NetworkSettings::default(),
        rehearsal_of: None,
    }
}

/// Returns a user's site at the plant's address.
pub fn site_of_plant(name: &str, kind: SiteKind, plant: &RunningPlant) -> Site {
    Site {
        base_url: plant.base_url.clone(),
        auth_url: plant.auth_url.clone(),
        client_id: plant.client_id.clone(),
        redirect_uris: plant.redirect_uris.clone(),
        ..site(name, kind)
    }
}

pub async fn start_plant(config: PlantConfig) -> RunningPlant {
    Plant::start(config, SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap()
}

pub fn sign_in(engine: &Engine, plant: &RunningPlant, site: &str, user: &str) {
    let tokens = plant.issue_tokens(user).unwrap();
    let refresh = tokens.refresh_token.as_deref();
    engine.sites().adopt_tokens(site, &tokens.access_token, refresh, Some(tokens.expires_in)).unwrap();
}

/// Returns the response of the plant's control interface to a GET request.
pub async fn control_answer(plant: &RunningPlant, path: &str) -> Value {
    let host = plant.base_url.strip_prefix("http://").unwrap();
    let front = plant.control_url.strip_prefix(&plant.base_url).unwrap();
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

/// Waits until the plant has sent all its events. Panics after a time limit.
pub async fn wait_for_events(plant: &RunningPlant) {
    let begun = Instant::now();
    while !plant.plant().deliveries(Some(DeliveryState::Waiting), 1).is_empty() {
        assert!(begun.elapsed() < EVENT_TIMEOUT);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
