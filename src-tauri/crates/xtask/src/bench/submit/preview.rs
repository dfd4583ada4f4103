//! A change preview of orders that the plant holds, and the same pages read by a bare client, one after the other.

use std::{fmt::Write as _, fs, path::Path, time::Instant};

use serde_json::Value;
use takt_engine::{Canceller, Engine, Home, Problem};

use super::{
    engine::{self, OPERATION, SITE},
    orders::{Done, SendRequest},
};
use crate::{
    bench::{
        machine,
        peers::{ORDERS, folder, write},
        subject::wrong,
    },
    error::XtaskError,
};

pub(super) const NAME: &str = "previewing";
pub(super) const BARE: &str = "bare-reading";

/// Every so many orders are changed by the file.
const CHANGED_EVERY: u32 = 10;
/// The most rows that a page may have.
const PAGE: u32 = 100;

/// The pages and nothing else: each is parsed, none is kept.
pub(super) fn read(wish: &SendRequest) -> Result<Done, XtaskError> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| wrong(BARE, &error.to_string()))?;
    let began = Instant::now();
    let (requests, accepted) = runtime.block_on(pages(wish)).map_err(|error| wrong(BARE, &error.to_string()))?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(Done {
        processor: None,
        seconds,
        accepted,
        requests,
        settled: requests,
        peak: machine::peak(std::process::id()),
        ..Done::default()
    })
}

async fn pages(wish: &SendRequest) -> Result<(u32, u32), reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let (mut requests, mut rows) = (0, 0);
    loop {
        requests += 1;
        let url = format!("{}{ORDERS}?page={requests}&limit={PAGE}", wish.member("base_url"));
        let page: Value = client.get(url).bearer_auth(&wish.token).send().await?.error_for_status()?.json().await?;
        let here = page["data"].as_array().map_or(0, Vec::len);
        rows += u32::try_from(here).unwrap_or_default();
        if here < PAGE as usize {
            return Ok((requests, rows));
        }
    }
}

/// Opens the file before the time counts: the preview alone is measured.
pub(super) fn preview(wish: &SendRequest) -> Result<Done, XtaskError> {
    let place = folder().join("preview");
    drop(fs::remove_dir_all(&place));
    let file = place.join("orders.csv");
    write(&file, csv(wish).as_bytes())?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| wrong(NAME, &error.to_string()))?;
    let home = Home::at(place.join("home"));
    let done = home.and_then(|home| runtime.block_on(taken(&*engine::engine(wish, home)?, &file)));
    let done = done.map_err(|problem| wrong(NAME, &format!("{problem:?}")));
    fs::remove_dir_all(&place).map_err(XtaskError::file(&place))?;
    done
}

async fn taken(engine: &Engine, file: &Path) -> Result<Done, Problem> {
    let imports = engine.imports();
    let import = imports.open(file)?.id;
    imports.choose_operation(import, OPERATION)?;
    let began = Instant::now();
    let view = engine.previews().take(SITE, import, &Canceller::new(), |_| {}).await?;
    let seconds = began.elapsed().as_secs_f64();
    let requests = view.steps.iter().map(|step| step.requests).sum();
    let accepted = view.counts.changed;
    Ok(Done {
        processor: None,
        seconds,
        accepted,
        requests,
        settled: view.counts.same,
        written: 0.0,
        peak: machine::peak(std::process::id()),
    })
}

/// What the plant holds, with another quantity in every tenth row.
fn csv(wish: &SendRequest) -> String {
    let mut text = "Work order,Operation,Material number,Quantity,Customer,Note\n".to_owned();
    for (number, order) in (0_u32..).zip(wish.orders()) {
        let quantity = order["requestedQuantity"].as_u64().unwrap_or_default();
        let quantity = quantity + u64::from(number.is_multiple_of(CHANGED_EVERY));
        let text_of = |name: &str| order[name].as_str().unwrap_or_default().to_owned();
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "{},{},{},{quantity},{},{}",
            text_of("code"),
            text_of("operationCode"),
            text_of("materialCode"),
            text_of("customer"),
            text_of("note"),
        );
    }
    text
}
