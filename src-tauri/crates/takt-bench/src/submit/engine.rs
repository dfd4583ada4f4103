//! Runs a submission and a change preview as the window and the command line do, with an engine in a temporary home.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use serde_json::Value;
use takt_engine::{
    Canceller, Code, Engine, EngineConfig, Home, Problem,
    client::{Failpoints, Timeouts, Vault},
    contract::ServiceAccess,
    import::ItemSet,
    item::{ExcelRow, Item, RowId},
    submission::{ImportToSend, SendOptions, SubmissionRequest, SubmissionView},
    team::TeamChoice,
};

use crate::{
    error::{BenchError, wrong},
    machine,
    process::folder,
    submit::exchange::{Done, SendRequest},
};

/// The hidden program that sends.
pub(crate) const SENDING: &str = "sending";
/// The hidden program that makes a change preview.
pub(crate) const PREVIEWING: &str = "previewing";

pub(crate) const SITE: &str = "practice";
pub(crate) const OPERATION: &str = "work-orders.sync";
const SHEET: &str = "Orders";

pub(crate) fn send(wish: &SendRequest) -> Result<Done, BenchError> {
    let work_folder = folder().join("submit");
    // Removes the files of an earlier run.
    drop(fs::remove_dir_all(&work_folder));
    let runtime = tokio::runtime::Runtime::new().map_err(|error| wrong(SENDING, &error.to_string()))?;
    fs::create_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    let file = work_folder.join("orders.csv");
    let home = Home::at(work_folder.join("home"));
    let done = home.and_then(|home| runtime.block_on(all(wish, home, &file)));
    let done = done.map_err(|problem| wrong(SENDING, &format!("{problem:?}")));
    fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    done
}

/// Sends a file, as people do. It is opened before the measurement.
async fn all(wish: &SendRequest, home: Home, file: &Path) -> Result<Done, Problem> {
    write_orders(wish, file, None)?;
    let engine = engine(wish, home)?;
    let import = engine.imports().open(file)?.id;
    engine.imports().choose_operation(import, OPERATION)?;
    let import = ImportToSend { import, site: SITE.to_owned(), preview: None, close: true };
    let options = SendOptions { batch_size: Some(wish.size), ..SendOptions::default() };
    let began = Instant::now();
    let id = engine.submissions().send(import, options).await?.id.first();
    let written = began.elapsed().as_secs_f64();
    let (sending, before) = (Instant::now(), machine::processor_time(std::process::id()));
    if let Some(seconds) = wish.seconds {
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        engine.submissions().pause(id)?;
    }
    engine.submissions().wait(id).await?;
    let view = engine.submissions().view(id)?;
    let seconds = sending.elapsed().as_secs_f64();
    Ok(Done { processor: machine::processor_seconds_since(before), ..done(&view, seconds, written) })
}

/// Returns a submission of a few orders that no file has.
pub(crate) fn request(wish: &SendRequest) -> SubmissionRequest {
    let set = ItemSet {
        operation: OPERATION.to_owned(),
        file: "orders.xlsx".to_owned(),
        sheet: SHEET.to_owned(),
        items: items(wish).collect(),
        ..ItemSet::default()
    };
    SubmissionRequest {
        site: SITE.to_owned(),
        steps: vec![set.into()],
        options: SendOptions { batch_size: Some(wish.size), ..SendOptions::default() },
        ..SubmissionRequest::default()
    }
}

pub(crate) fn engine(wish: &SendRequest, home: Home) -> Result<Arc<Engine>, Problem> {
    let given = |address: &String| TeamChoice::Given { address: address.clone(), password: None };
    let engine = Engine::open(EngineConfig {
        home,
        clock: Arc::new(Timestamp::now),
        vault: Vault::memory(),
        timeouts: Timeouts::default(),
        failpoints: Failpoints::default(),
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

fn items(wish: &SendRequest) -> impl Iterator<Item = Item> + Send + 'static {
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

/// The file changes one order of this many.
const CHANGED_EVERY: u32 = 10;

/// Measures only the preview. The file is opened before.
pub(crate) fn preview(wish: &SendRequest) -> Result<Done, BenchError> {
    let work_folder = folder().join("preview");
    drop(fs::remove_dir_all(&work_folder));
    fs::create_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    let file = work_folder.join("orders.csv");
    write_orders(wish, &file, Some(CHANGED_EVERY)).map_err(|problem| wrong(PREVIEWING, &format!("{problem:?}")))?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| wrong(PREVIEWING, &error.to_string()))?;
    let home = Home::at(work_folder.join("home"));
    let done = home.and_then(|home| runtime.block_on(measure_preview(&*engine(wish, home)?, &file)));
    let done = done.map_err(|problem| wrong(PREVIEWING, &format!("{problem:?}")));
    fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    done
}

async fn measure_preview(engine: &Engine, file: &Path) -> Result<Done, Problem> {
    let imports = engine.imports();
    let import = imports.open(file)?.id;
    imports.choose_operation(import, OPERATION)?;
    let began = Instant::now();
    let view = engine.previews().compare(SITE, import, &Canceller::new(), |_| {}).await?;
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

/// A column of the file with orders.
pub(crate) struct Column {
    heading: &'static str,
    pub(crate) member: &'static str,
}

const fn column(heading: &'static str, member: &'static str) -> Column {
    Column { heading, member }
}

pub(crate) const COLUMNS: [Column; 6] = [
    column("Work order", "code"),
    column("Operation", "operationCode"),
    column("Material number", "materialCode"),
    column("Quantity", "requestedQuantity"),
    column("Customer", "customer"),
    column("Note", "note"),
];

/// Writes the orders as csv, in every `changed_every`th row with another quantity.
fn write_orders(wish: &SendRequest, path: &Path, changed_every: Option<u32>) -> Result<(), Problem> {
    let failed =
        |error: io::Error| Problem::new(Code::WriteFailed).parameter("file", path.display().to_string()).details(error);
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    writeln!(file, "{}", COLUMNS.map(|column| column.heading).join(",")).map_err(failed)?;
    for (number, order) in (0_u32..).zip(wish.orders()) {
        let is_changed = changed_every.is_some_and(|every| number.is_multiple_of(every));
        let cell = |column: Column| match &order[column.member] {
            Value::Number(quantity) => (quantity.as_u64().unwrap_or_default() + u64::from(is_changed)).to_string(),
            value => value.as_str().unwrap_or_default().to_owned(),
        };
        writeln!(file, "{}", COLUMNS.map(cell).join(",")).map_err(failed)?;
    }
    file.flush().map_err(failed)
}
