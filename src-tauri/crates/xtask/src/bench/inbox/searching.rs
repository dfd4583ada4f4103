//! Many events, found again as the window's list and its search do it.

use std::{path::Path, time::Instant};

use serde::{Deserialize, Serialize};
use takt_engine::{Engine, Problem, inbox::EventQuery};

use super::receiving::engine;
use crate::{bench::subject::wrong, console::print, error::XtaskError};

pub(super) const NAME: &str = "searching";

/// How often each question is asked: the first time nothing is in memory.
const TIMES: usize = 5;
const PAGE: u32 = 100;

/// Milliseconds by question, each at its worst.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SearchMeasurement {
    pub(super) events: u32,
    /// Seconds until the last one was read.
    pub(super) reading: f64,
    pub(super) searches: Vec<(String, u32, f64)>,
    pub(super) pages: f64,
}

/// Asks a home in which many events lie; prints what came of it.
pub(super) fn search(home: &str) -> Result<(), XtaskError> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| wrong(NAME, &error.to_string()))?;
    let found = runtime.block_on(async {
        let engine = engine(Path::new(home))?;
        let began = Instant::now();
        let events = loop {
            let list = engine.inbox().list(&EventQuery::default(), 0, PAGE).await?;
            if list.unread == 0 {
                break list.total;
            }
        };
        let reading = began.elapsed().as_secs_f64();
        Ok::<_, Problem>(SearchMeasurement {
            events,
            reading,
            searches: searches(&engine, events).await?,
            pages: pages(&engine, events).await?,
        })
    });
    let found = found.map_err(|problem| wrong(NAME, &format!("{problem:?}")))?;
    print(&serde_json::to_string(&found).unwrap_or_default());
    Ok(())
}

async fn searches(engine: &Engine, events: u32) -> Result<Vec<(String, u32, f64)>, Problem> {
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
    let mut told = Vec::new();
    for (name, query) in questions {
        let (mut worst, mut found) = (0.0_f64, 0);
        for _ in 0..TIMES {
            let began = Instant::now();
            found = engine.inbox().list(&query, 0, PAGE).await?.total;
            worst = worst.max(began.elapsed().as_secs_f64() * 1000.0);
        }
        told.push((name.to_owned(), found, worst));
    }
    Ok(told)
}

/// Jumps through the whole list; milliseconds of the slowest page.
async fn pages(engine: &Engine, events: u32) -> Result<f64, Problem> {
    let mut worst = 0.0_f64;
    for at in 0..20 {
        let offset = events / 20 * (at * 7 % 20);
        let began = Instant::now();
        engine.inbox().list(&EventQuery::default(), offset, PAGE).await?;
        worst = worst.max(began.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(worst)
}
