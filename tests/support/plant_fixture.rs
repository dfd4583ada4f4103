//! A running plant, and an engine in its own folder that uses the plant as practice site.

use std::sync::Arc;

use serde_json::Value;
use takt_engine::{
    Engine, EngineConfig,
    client::Vault,
    sites::{Site, SiteKind},
};
use takt_plant::{Fault, PlantConfig, RunningPlant};
use tempfile::TempDir;

use crate::setup::{control_answer, engine_config, sign_in, site_of_plant, start_plant};

pub const PRACTICE: &str = "practice";

#[derive(Debug)]
pub struct Fixture {
    pub engine: Arc<Engine>,
    pub plant: RunningPlant,
    pub home: TempDir,
    pub vault: Vault,
}

pub fn open(home: &TempDir, vault: &Vault) -> Arc<Engine> {
    Engine::open(EngineConfig { vault: vault.clone(), ..engine_config(home.path()) }).unwrap()
}

impl Fixture {
    /// Starts a plant and opens an engine. No user is signed in.
    pub async fn new() -> Self {
        let (plant, home, vault) =
            (start_plant(PlantConfig::default()).await, TempDir::new().unwrap(), Vault::memory());
        let engine = open(&home, &vault);
        set_practice(&engine, &plant);
        Self { engine, plant, home, vault }
    }

    pub async fn signed_in() -> Self {
        let fixture = Self::new().await;
        sign_in(&fixture.engine, &fixture.plant, PRACTICE, "planner");
        fixture
    }

    pub fn suffer(&self, fault: &str) {
        self.plant.plant().set_faults(vec![Fault::parse(fault).unwrap()], 1);
    }

    /// Returns a production site at the plant's address, for batches of 50 items.
    pub fn site(&self, name: &str) -> Site {
        let site = site_of_plant(name, SiteKind::Production, &self.plant);
        Site { batch_size: Some(50), ..site }
    }
}

pub fn set_practice(engine: &Engine, plant: &RunningPlant) {
    engine.set_practice(plant.access());
}

/// Returns the response of the plant's control interface to a GET request.
pub async fn control(fixture: &Fixture, path: &str) -> Value {
    control_answer(&fixture.plant, path).await
}
