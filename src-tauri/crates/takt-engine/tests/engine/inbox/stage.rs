//! An engine in a folder of its own, whose clock can be moved.

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
    inbox::{EventAnswer, EventDetail, EventLine, EventQuery, Receiver, Receiving},
    sites::{Site, SiteKind},
};
use tempfile::TempDir;

use crate::setup::{self, engine_config};

/// A site of a person's own: what is kept of the practice plant ends with the program.
pub(crate) const SITE: &str = "Works";

const SOON: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

pub(crate) struct Stage {
    pub(crate) engine: Arc<Engine>,
    pub(crate) home: TempDir,
    vault: Vault,
    ahead: Arc<AtomicI64>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let (home, vault, ahead) = (TempDir::new().unwrap(), Vault::memory(), Arc::new(AtomicI64::new(0)));
        Self { engine: open(&home, &vault, &ahead), home, vault, ahead }
    }

    /// The same home, opened by a Takt that was started anew.
    pub(crate) fn again(self) -> Self {
        let Self { engine, home, vault, ahead } = self;
        drop(engine);
        Self { engine: open(&home, &vault, &ahead), home, vault, ahead }
    }

    /// Another Takt of the same home, at the same time.
    pub(crate) fn other(&self) -> Self {
        let home = TempDir::new().unwrap();
        let engine = open(&self.home, &self.vault, &self.ahead);
        Self { engine, home, vault: self.vault.clone(), ahead: Arc::clone(&self.ahead) }
    }

    /// The clock goes ahead by so many seconds.
    pub(crate) fn later(&self, seconds: i64) {
        self.ahead.fetch_add(seconds, Ordering::Relaxed);
    }

    pub(crate) async fn receive(&self) -> Receiver {
        self.engine.inbox().receive(SITE, Receiving::default()).await.unwrap()
    }

    /// Everything that came, oldest first.
    pub(crate) async fn events(&self) -> Vec<EventLine> {
        let mut rows = self.engine.inbox().list(&EventQuery::default(), 0, 10_000).await.unwrap().rows;
        rows.reverse();
        rows
    }

    pub(crate) async fn event(&self, id: i32) -> EventDetail {
        self.engine.inbox().get(None, i64::from(id)).await.unwrap()
    }

    /// An event with its answer, which is written down after it went out.
    pub(crate) async fn answered(&self, id: i32) -> (EventDetail, EventAnswer) {
        let answered = async {
            loop {
                let event = self.event(id).await;
                match event.answer.clone() {
                    Some(answer) => return (event, answer),
                    None => tokio::time::sleep(POLL_INTERVAL).await,
                }
            }
        };
        tokio::time::timeout(SOON, answered).await.unwrap_or_else(|_| panic!("no answer to event {id} is written down"))
    }

    pub(crate) async fn answer_to(&self, id: i32) -> EventAnswer {
        self.answered(id).await.1
    }
}

fn open(home: &TempDir, vault: &Vault, ahead: &Arc<AtomicI64>) -> Arc<Engine> {
    let ahead = Arc::clone(ahead);
    let config = EngineConfig {
        clock: Arc::new(move || Timestamp::now() + SignedDuration::from_secs(ahead.load(Ordering::Relaxed))),
        vault: vault.clone(),
        ..engine_config(home.path())
    };
    let engine = Engine::open(config).unwrap();
    engine.save_site(site(), None).unwrap();
    engine
}

pub(crate) fn site() -> Site {
    setup::site(SITE, SiteKind::Test)
}
