//! A submission as the window and the command line make it: an engine with a home of its own.

use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};
use takt_engine::item::ExcelRow;

use jiff::Timestamp;
use takt_engine::{
    Engine, EngineConfig, Home, Problem,
    client::{Vault, Waypoints},
    contract::ServiceAccess,
    import::ItemSet,
    item::{Item, RowId},
    submission::{SubmissionRequest, SubmissionView},
    team::TeamChoice,
};

use super::orders::{Done, SendRequest};
use crate::{
    bench::{machine, peers::folder, subject::wrong},
    error::XtaskError,
};

pub(in crate::bench) const NAME: &str = "sending";

pub(super) const SITE: &str = "practice";
pub(in crate::bench) const OPERATION: &str = "work-orders.sync";
const SHEET: &str = "Orders";

pub(super) fn send(wish: &SendRequest) -> Result<Done, XtaskError> {
    let place = folder().join("submit");
    // What an earlier run left behind isn't part of this one.
    drop(fs::remove_dir_all(&place));
    let runtime = tokio::runtime::Runtime::new().map_err(|error| wrong(NAME, &error.to_string()))?;
    let done = Home::at(&place).and_then(|home| runtime.block_on(all(wish, home)));
    let done = done.map_err(|problem| wrong(NAME, &format!("{problem:?}")));
    fs::remove_dir_all(&place).map_err(XtaskError::file(&place))?;
    done
}

async fn all(wish: &SendRequest, home: Home) -> Result<Done, Problem> {
    let engine = engine(wish, home)?;
    let began = Instant::now();
    let id = engine.submissions().submit_from(request(wish), items(wish)).await?.id.first();
    let written = began.elapsed().as_secs_f64();
    let (sending, before) = (Instant::now(), machine::spent(std::process::id()));
    if let Some(seconds) = wish.seconds {
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        engine.submissions().pause(id)?;
    }
    engine.submissions().wait(id).await?;
    let view = engine.submissions().view(id)?;
    let seconds = sending.elapsed().as_secs_f64();
    Ok(Done { processor: machine::spent_since(before), ..done(&view, seconds, written) })
}

pub(in crate::bench) fn request(wish: &SendRequest) -> SubmissionRequest {
    let set = ItemSet {
        operation: OPERATION.to_owned(),
        file: "orders.xlsx".to_owned(),
        sheet: SHEET.to_owned(),
        ..ItemSet::default()
    };
    SubmissionRequest {
        site: SITE.to_owned(),
        steps: vec![set.into()],
        batch_size: Some(wish.size),
        ..SubmissionRequest::default()
    }
}

pub(in crate::bench) fn engine(wish: &SendRequest, home: Home) -> Result<Arc<Engine>, Problem> {
    let given = |address: &String| TeamChoice::Given { address: address.clone(), password: None };
    let engine = Engine::open(EngineConfig {
        home,
        clock: Arc::new(Timestamp::now),
        vault: Vault::memory(),
        waypoints: Waypoints::default(),
        person: String::new(),
        team: wish.team.as_ref().map(given).unwrap_or_default(),
    })?;
    engine.set_practice(ServiceAccess {
        base_url: wish.member("base_url"),
        auth_url: wish.member("auth_url"),
        client_id: wish.member("client_id"),
        client_secret: wish.member("client_secret"),
        redirect_uris: vec![wish.plant["redirect_uris"][0].as_str().unwrap_or_default().to_owned()],
        time_zone: "UTC".to_owned(),
    });
    engine.sites().adopt_tokens(SITE, &wish.token, None, None)?;
    Ok(engine)
}

pub(in crate::bench) fn items(wish: &SendRequest) -> impl Iterator<Item = Item> + Send + 'static {
    (2..).zip(wish.orders()).map(|(row, body)| Item {
        rows: vec![RowId { sheet: SHEET.to_owned(), row: ExcelRow::new(row) }],
        key: format!("{} · 010", body["code"].as_str().unwrap_or_default()),
        body,
        ..Item::default()
    })
}

fn done(view: &SubmissionView, seconds: f64, written: f64) -> Done {
    Done {
        seconds,
        accepted: view.counts.accepted,
        requests: view.requests,
        settled: view.batches.min(view.requests),
        written,
        peak: machine::peak(std::process::id()),
        processor: None,
    }
}
