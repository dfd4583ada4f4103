//! The receiver as the window and `takt listen` run it: an engine with a home of its own.

use std::{path::Path, sync::Arc};

use jiff::Timestamp;
use takt_engine::{
    Canceller, Engine, EngineConfig, Home, Problem,
    answers::{AnswerRule, Rules},
    client::{Vault, Waypoints},
    inbox::Receiving,
};

use crate::{bench::subject::wrong, console::print, error::XtaskError};

pub(super) const NAME: &str = "receiving";
/// The same with rules in force.
pub(super) const ANSWERING: &str = "answering";
pub(super) const SITE: &str = "practice";

/// Receives until it is ended; the first line is its address.
pub(super) fn serve(name: &str, home: &str) -> Result<(), XtaskError> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| wrong(NAME, &error.to_string()))?;
    let served = runtime.block_on(async {
        let engine = engine(Path::new(home))?;
        if name == ANSWERING {
            let rules = examples(&engine);
            engine.answers().try_out(SITE, &rules, false, &Canceller::new(), |_| {})?;
            engine.answers().save(SITE, &rules)?;
        }
        let receiver = engine.inbox().receive(SITE, Receiving::default()).await?;
        print(&receiver.url());
        std::future::pending::<()>().await;
        Ok::<_, Problem>(())
    });
    served.map_err(|problem| wrong(name, &format!("{problem:?}")))
}

/// Everything that planners want, at once. The one that allows comes last, so that all others are asked.
fn examples(engine: &Engine) -> Rules {
    let mut examples = engine.answers().words().examples;
    examples.sort_by_key(|example| example.refuse.is_none());
    let rule = |example: takt_contract::RuleExample| AnswerRule {
        name: example.id,
        events: example.events,
        on: true,
        when: example.when,
        refuse: example.refuse.map(|names| names.en),
    };
    Rules { rules: examples.into_iter().map(rule).collect(), ..Rules::default() }
}

pub(super) fn engine(home: &Path) -> Result<Arc<Engine>, Problem> {
    let engine = Engine::open(EngineConfig {
        home: Home::at(home)?,
        clock: Arc::new(Timestamp::now),
        vault: Vault::memory(),
        waypoints: Waypoints::default(),
        person: String::new(),
        team: takt_engine::team::TeamChoice::default(),
    })?;
    // Nobody is asked anything: the practice plant only has to have an address.
    engine.set_practice(takt_engine::contract::ServiceAccess {
        base_url: "http://127.0.0.1:1".to_owned(),
        auth_url: "http://127.0.0.1:1".to_owned(),
        client_id: "bench".to_owned(),
        client_secret: String::new(),
        redirect_uris: vec!["http://127.0.0.1:0/callback".to_owned()],
        time_zone: "UTC".to_owned(),
    });
    Ok(engine)
}
