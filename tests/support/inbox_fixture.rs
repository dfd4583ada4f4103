//! An engine in its own folder, with a clock that tests can advance.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use takt_engine::{
    Engine, EngineConfig,
    client::Vault,
    inbox::{EventAnswer, EventDetail, EventLine, EventQuery, Receiver, ReceiverOptions},
    sites::{Site, SiteKind},
};
use tempfile::TempDir;

use crate::setup::{self, engine_config};

/// The name of a user's site. Unlike this site's data, the practice plant's ends with the process.
pub const SITE: &str = "Works";

const TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub struct Fixture {
    pub engine: Arc<Engine>,
    pub home: TempDir,
    vault: Vault,
    clock_offset: Arc<AtomicI64>,
}

impl Default for Fixture {
    fn default() -> Self {
        Self::new()
    }
}

impl Fixture {
    pub fn new() -> Self {
        let (home, vault, clock_offset) = (TempDir::new().unwrap(), Vault::memory(), Arc::new(AtomicI64::new(0)));
        Self { engine: open(&home, &vault, &clock_offset), home, vault, clock_offset }
    }

    /// Closes the home and opens it again, like a later process.
    pub fn reopen(self) -> Self {
        let Self { engine, home, vault, clock_offset } = self;
        drop(engine);
        Self { engine: open(&home, &vault, &clock_offset), home, vault, clock_offset }
    }

    /// Opens the home a second time, like another process at the same time.
    pub fn second_process(&self) -> Self {
        let home = TempDir::new().unwrap();
        let engine = open(&self.home, &self.vault, &self.clock_offset);
        Self { engine, home, vault: self.vault.clone(), clock_offset: Arc::clone(&self.clock_offset) }
    }

    /// Advances the engine's clock by a number of seconds.
    pub fn advance_clock(&self, seconds: i64) {
        self.clock_offset.fetch_add(seconds, Ordering::Relaxed);
    }

    pub async fn receive(&self) -> Receiver {
        self.engine.inbox().receive(SITE, ReceiverOptions::default()).await.unwrap()
    }

    /// Returns all events, oldest first.
    pub async fn events(&self) -> Vec<EventLine> {
        let mut rows = self.engine.inbox().list(&EventQuery::default(), 0, 10_000).await.unwrap().rows;
        rows.reverse();
        rows
    }

    pub async fn event(&self, id: i32) -> EventDetail {
        self.engine.inbox().get(None, i64::from(id)).await.unwrap()
    }

    /// Waits until an event's answer is stored, and returns both. The answer is stored after the response was sent.
    pub async fn wait_for_answer(&self, id: i32) -> (EventDetail, EventAnswer) {
        let answered = async {
            loop {
                let event = self.event(id).await;
                match event.answer.clone() {
                    Some(answer) => return (event, answer),
                    None => tokio::time::sleep(POLL_INTERVAL).await,
                }
            }
        };
        tokio::time::timeout(TIMEOUT, answered)
            .await
            .unwrap_or_else(|_| panic!("no answer to event {id} is written down"))
    }

    pub async fn answer_to(&self, id: i32) -> EventAnswer {
        self.wait_for_answer(id).await.1
    }
}

fn open(home: &TempDir, vault: &Vault, clock_offset: &Arc<AtomicI64>) -> Arc<Engine> {
    let clock_offset = Arc::clone(clock_offset);
    let config = EngineConfig {
        clock: Arc::new(move || Timestamp::now() + SignedDuration::from_secs(clock_offset.load(Ordering::Relaxed))),
        vault: vault.clone(),
        ..engine_config(home.path())
    };
    let engine = Engine::open(config).unwrap();
    engine.save_site(site(), None).unwrap();
    engine
}

pub fn site() -> Site {
    setup::site(SITE, SiteKind::Test)
}
