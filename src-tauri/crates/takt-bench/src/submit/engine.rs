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
    error::{BenchError, unexpected_result},
    machine,
    process::folder,
    submit::exchange::{SendRequest, SendResult},
};

/// The hidden program that sends.
pub(crate) const SENDING: &str = "sending";
/// The hidden program that makes a change preview.
pub(crate) const PREVIEWING: &str = "previewing";

pub(crate) const SITE: &str = "practice";
pub(crate) const OPERATION: &str = "work-orders.sync";
const SHEET: &str = "Orders";

pub(crate) fn send(input: &SendRequest) -> Result<SendResult, BenchError> {
    let work_folder = folder().join("submit");
    // Removes the files of an earlier run.
    drop(fs::remove_dir_all(&work_folder));
    let runtime = tokio::runtime::Runtime::new().map_err(|error| unexpected_result(SENDING, &error.to_string()))?;
    fs::create_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    let file = work_folder.join("orders.csv");
    let home = Home::open(work_folder.join("home"));
    let done = home.and_then(|home| runtime.block_on(open_and_send(input, home, &file)));
    let done = done.map_err(|problem| unexpected_result(SENDING, &format!("{problem:?}")));
    fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    done
}

/// Sends a file, as people do. It is opened before the measurement.
async fn open_and_send(input: &SendRequest, home: Home, file: &Path) -> Result<SendResult, Problem> {
    write_orders(input, file, None)?;
    let engine = open_engine(input, home)?;
    let import = engine.imports().open(file)?.id;
    engine.imports().choose_operation(import, OPERATION)?;
    let import = ImportToSend { import, site: SITE.to_owned(), preview: None, close: true };
    let options = SendOptions { batch_size: Some(input.size), ..SendOptions::default() };
    let began = Instant::now();
    let id = engine.submissions().send(import, options).await?.id.first();
    let written = began.elapsed().as_secs_f64();
    let (sending, before) = (Instant::now(), machine::processor_time(std::process::id()));
    if let Some(seconds) = input.seconds {
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        engine.submissions().pause(id)?;
    }
    engine.submissions().wait(id).await?;
    let view = engine.submissions().view(id)?;
    let seconds = sending.elapsed().as_secs_f64();
    Ok(SendResult { processor: machine::processor_seconds_since(before), ..send_result(&view, seconds, written) })
}

/// Returns a request to send the orders without a file.
pub(crate) fn submission_request(input: &SendRequest) -> SubmissionRequest {
    let set = ItemSet {
        operation: OPERATION.to_owned(),
        file: "orders.xlsx".to_owned(),
        sheet: SHEET.to_owned(),
        items: create_items(input).collect(),
        ..ItemSet::default()
    };
    SubmissionRequest {
        site: SITE.to_owned(),
        steps: vec![set.into()],
        options: SendOptions { batch_size: Some(input.size), ..SendOptions::default() },
        ..SubmissionRequest::default()
    }
}

pub(crate) fn open_engine(input: &SendRequest, home: Home) -> Result<Arc<Engine>, Problem> {
    let given = |address: &String| TeamChoice::Given { address: address.clone(), password: None };
    let engine = Engine::open(EngineConfig {
        home,
        clock: Arc::new(Timestamp::now),
        vault: Vault::memory(),
        timeouts: Timeouts::default(),
        failpoints: Failpoints::default(),
        person: String::new(),
        team: input.team.as_ref().map(given).unwrap_or_default(),
    })?;
    engine.set_practice(ServiceAccess {
        base_url: input.member("base_url"),
        auth_url: input.member("auth_url"),
        client_id: input.member("client_id"),
        client_secret: input.member("client_secret"),
        redirect_uris: vec![input.plant["redirect_uris"][0].as_str().unwrap_or_default().to_owned()],
        time_zone: "UTC".to_owned(),
    });
    engine.sites().adopt_tokens(SITE, &input.token, None, None)?;
    Ok(engine)
}

fn create_items(input: &SendRequest) -> impl Iterator<Item = Item> + Send + 'static {
    (2..).zip(input.orders()).map(|(row, body)| Item {
        rows: vec![RowId { sheet: SHEET.to_owned(), row: ExcelRow::new(row) }],
        key: format!("{} · 010", body["code"].as_str().unwrap_or_default()),
        body,
        ..Item::default()
    })
}

fn send_result(view: &SubmissionView, seconds: f64, written: f64) -> SendResult {
    SendResult {
        seconds,
        accepted: view.counts.accepted,
        requests: view.requests,
        settled: view.batches.min(view.requests),
        written,
        peak: machine::peak_memory(std::process::id()),
        processor: None,
    }
}

/// The number of orders per order that the file changes.
const CHANGED_EVERY: u32 = 10;

/// Measures only the preview. The file is opened before.
pub(crate) fn preview(input: &SendRequest) -> Result<SendResult, BenchError> {
    let work_folder = folder().join("preview");
    drop(fs::remove_dir_all(&work_folder));
    fs::create_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    let file = work_folder.join("orders.csv");
    write_orders(input, &file, Some(CHANGED_EVERY))
        .map_err(|problem| unexpected_result(PREVIEWING, &format!("{problem:?}")))?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| unexpected_result(PREVIEWING, &error.to_string()))?;
    let home = Home::open(work_folder.join("home"));
    let done = home.and_then(|home| runtime.block_on(measure_preview(&*open_engine(input, home)?, &file)));
    let done = done.map_err(|problem| unexpected_result(PREVIEWING, &format!("{problem:?}")));
    fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    done
}

async fn measure_preview(engine: &Engine, file: &Path) -> Result<SendResult, Problem> {
    let imports = engine.imports();
    let import = imports.open(file)?.id;
    imports.choose_operation(import, OPERATION)?;
    let began = Instant::now();
    let view = engine.previews().compare(SITE, import, &Canceller::new(), |_| {}).await?;
    let seconds = began.elapsed().as_secs_f64();
    let requests = view.steps.iter().map(|step| step.requests).sum();
    let accepted = view.counts.changed;
    Ok(SendResult {
        processor: None,
        seconds,
        accepted,
        requests,
        settled: view.counts.same,
        written: 0.0,
        peak: machine::peak_memory(std::process::id()),
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
fn write_orders(input: &SendRequest, path: &Path, changed_every: Option<u32>) -> Result<(), Problem> {
    let failed =
        |error: io::Error| Problem::new(Code::WriteFailed).parameter("file", path.display().to_string()).details(error);
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    writeln!(file, "{}", COLUMNS.map(|column| column.heading).join(",")).map_err(failed)?;
    for (number, order) in (0_u32..).zip(input.orders()) {
        let is_changed = changed_every.is_some_and(|every| number.is_multiple_of(every));
        let cell = |column: Column| match &order[column.member] {
            Value::Number(quantity) => (quantity.as_u64().unwrap_or_default() + u64::from(is_changed)).to_string(),
            value => value.as_str().unwrap_or_default().to_owned(),
        };
        writeln!(file, "{}", COLUMNS.map(cell).join(",")).map_err(failed)?;
    }
    file.flush().map_err(failed)
}
