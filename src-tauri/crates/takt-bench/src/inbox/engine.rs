//! Runs the receiver as the window and `takt listen` do, and searches in its events, with an engine in a temporary
//! home.

use std::{path::Path, sync::Arc, time::Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_engine::{
    Canceller, Engine, EngineConfig, Home, Problem,
    answers::{AnswerRule, Rules},
    client::{Failpoints, Timeouts, Vault},
    inbox::{EventQuery, ReceiverOptions},
};

use crate::{
    console::print,
    error::{BenchError, unexpected_result},
};

/// The hidden program that receives events.
pub(crate) const RECEIVING: &str = "receiving";
/// The hidden program that receives events and has active rules.
pub(crate) const ANSWERING: &str = "answering";
/// The hidden program that searches events.
pub(crate) const SEARCHING: &str = "searching";
pub(crate) const SITE: &str = "practice";

/// Prints its URL as the first line and receives until it is killed.
pub(crate) fn serve(name: &str, home: &str) -> Result<(), BenchError> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| unexpected_result(RECEIVING, &error.to_string()))?;
    let served = runtime.block_on(async {
        let engine = open_engine(Path::new(home))?;
        if name == ANSWERING {
            let rules = example_rules(&engine);
            engine.answers().run_trial(SITE, &rules, false, &Canceller::new(), |_| {})?;
            engine.answers().save(SITE, &rules)?;
        }
        let receiver = engine.inbox().receive(SITE, ReceiverOptions::default()).await?;
        print(&receiver.url());
        std::future::pending::<()>().await;
        Ok::<_, Problem>(())
    });
    served.map_err(|problem| unexpected_result(name, &format!("{problem:?}")))
}

/// Returns all example rules. The one that allows comes last, so that the others are evaluated first.
fn example_rules(engine: &Engine) -> Rules {
    let mut examples = engine.answers().rule_words().examples;
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

pub(crate) fn open_engine(home: &Path) -> Result<Arc<Engine>, Problem> {
    let engine = Engine::open(EngineConfig {
        home: Home::open(home)?,
        clock: Arc::new(Timestamp::now),
        vault: Vault::memory(),
        timeouts: Timeouts::default(),
        failpoints: Failpoints::default(),
        person: String::new(),
        team: takt_engine::team::TeamChoice::default(),
    })?;
    // No request is sent: the practice plant only needs an address.
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

/// The number of runs per query. The first run has no cached data.
const RUNS_PER_QUERY: usize = 5;
const EVENTS_PER_PAGE: u32 = 100;

/// The worst time of each query, in milliseconds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SearchMeasurement {
    pub(crate) events: u32,
    /// Seconds until the last event was read.
    pub(crate) reading: f64,
    pub(crate) searches: Vec<(String, u32, f64)>,
    pub(crate) pages: f64,
}

/// Runs queries on a home with many events and prints the result.
pub(crate) fn search(home: &str) -> Result<(), BenchError> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| unexpected_result(SEARCHING, &error.to_string()))?;
    let found = runtime.block_on(async {
        let engine = open_engine(Path::new(home))?;
        let began = Instant::now();
        let events = loop {
            let list = engine.inbox().list(&EventQuery::default(), 0, EVENTS_PER_PAGE).await?;
            if list.unread == 0 {
                break list.total;
            }
        };
        let reading = began.elapsed().as_secs_f64();
        Ok::<_, Problem>(SearchMeasurement {
            events,
            reading,
            searches: measure_searches(&engine, events).await?,
            pages: measure_pages(&engine, events).await?,
        })
    });
    let found = found.map_err(|problem| unexpected_result(SEARCHING, &format!("{problem:?}")))?;
    print(&serde_json::to_string(&found).unwrap_or_default());
    Ok(())
}

async fn measure_searches(engine: &Engine, events: u32) -> Result<Vec<(String, u32, f64)>, Problem> {
    let all = EventQuery::default();
    let mut came = Vec::new();
    for at in [events / 10 * 9, events / 10 * 6] {
        came.push(engine.inbox().list(&all, at, 1).await?.rows.first().map(|row| row.received.clone()));
    }
    let span = EventQuery { since: came.first().cloned().flatten(), until: came.pop().flatten(), ..all };
    let text = |text: &str| EventQuery { text: Some(text.to_owned()), ..EventQuery::default() };
    let questions = [
        ("one event's own word", text("no123456")),
        ("a code", text("WO-0012345")),
        ("a lot, begun", text("LOT-12345")),
        ("two words in every eighth", text("crane express")),
        ("a word in all", text("Nordwind")),
        ("no event", text("nowhere")),
        ("an order", EventQuery { order: Some("WO-0000777".to_owned()), ..EventQuery::default() }),
        (
            "a station's pauses",
            EventQuery { station: Some("WS-07".to_owned()), kinds: vec![3], ..EventQuery::default() },
        ),
        ("an employee", EventQuery { employee: Some("B-0042".to_owned()), ..EventQuery::default() }),
        ("a third of the time", span),
        ("a word at a station", EventQuery { station: Some("WS-11".to_owned()), ..text("rework") }),
    ];
    let mut searches = Vec::new();
    for (name, query) in questions {
        let (mut worst, mut found) = (0.0_f64, 0);
        for _ in 0..RUNS_PER_QUERY {
            let began = Instant::now();
            found = engine.inbox().list(&query, 0, EVENTS_PER_PAGE).await?.total;
            worst = worst.max(began.elapsed().as_secs_f64() * 1000.0);
        }
        searches.push((name.to_owned(), found, worst));
    }
    Ok(searches)
}

/// Reads pages of the whole list in mixed order and returns the slowest time in milliseconds.
async fn measure_pages(engine: &Engine, events: u32) -> Result<f64, Problem> {
    let mut worst = 0.0_f64;
    for at in 0..20 {
        let offset = events / 20 * (at * 7 % 20);
        let began = Instant::now();
        engine.inbox().list(&EventQuery::default(), offset, EVENTS_PER_PAGE).await?;
        worst = worst.max(began.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(worst)
}
