//! The receiver as the window and `takt listen` run it: an engine with a home of its own.

use std::{path::Path, sync::Arc};

use jiff::Timestamp;
use takt_engine::{Engine, EngineConfig, Home, Problem, Receiving, Vault, Waypoints};

use crate::{bench::subject::wrong, console::say, error::XtaskError};

pub(super) const NAME: &str = "receiving";
pub(super) const SITE: &str = "practice";

/// Receives until it is ended; the first line is its address.
pub(super) fn serve(home: &str) -> Result<(), XtaskError> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| wrong(NAME, &error.to_string()))?;
    let served = runtime.block_on(async {
        let engine = engine(Path::new(home))?;
        let receiver = engine.receive(SITE, Receiving::default()).await?;
        say(&receiver.url());
        std::future::pending::<()>().await;
        Ok::<_, Problem>(())
    });
    served.map_err(|problem| wrong(NAME, &format!("{problem:?}")))
}

pub(super) fn engine(home: &Path) -> Result<Arc<Engine>, Problem> {
    let engine = Engine::open(EngineConfig {
        home: Home::at(home)?,
        clock: Arc::new(Timestamp::now),
        vault: Vault::memory(),
        waypoints: Waypoints::default(),
        person: String::new(),
    })?;
    // Nobody is asked anything: the practice plant only has to have an address.
    engine.set_practice(takt_engine::PracticeAccess {
        base_url: "http://127.0.0.1:1".to_owned(),
        auth_url: "http://127.0.0.1:1".to_owned(),
        client_id: "bench".to_owned(),
        client_secret: String::new(),
        redirect_uris: vec!["http://127.0.0.1:0/callback".to_owned()],
        time_zone: "UTC".to_owned(),
    });
    Ok(engine)
}
