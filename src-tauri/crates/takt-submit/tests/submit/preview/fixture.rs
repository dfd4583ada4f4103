//! A plant, an engine in its own folder, and files with the plant's data.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;
use takt_contract::wire::duration::format_ticks;
use takt_engine::{
    Canceller, Engine, EngineConfig, Home,
    browse::BrowseQuery,
    client::Failpoints,
    import::ImportId,
    item::RowResult,
    preview::{PreviewChoice, PreviewFilter, PreviewKind, PreviewRow, PreviewView},
    submission::{ImportToSend, SendOptions, SubmissionId, SubmissionRequest},
};
use takt_journal::{ItemDetail, Journal};
use takt_plant::{PlantConfig, RunningPlant, Size};
use takt_test_support::setup::{NO_RATE_LIMIT, engine_config, sign_in, start_plant};
use tempfile::TempDir;

pub(crate) const SITE: &str = "practice";

pub(crate) struct Fixture {
    pub(crate) engine: Arc<Engine>,
    pub(crate) plant: RunningPlant,
    pub(crate) home: TempDir,
}

impl Fixture {
    pub(crate) async fn new(size: Size) -> Self {
        Self::with_failpoints(size, Failpoints::default()).await
    }

    pub(crate) async fn with_failpoints(size: Size, failpoints: Failpoints) -> Self {
        let plant = start_plant(PlantConfig { size, rate_limit: NO_RATE_LIMIT, ..PlantConfig::default() }).await;
        let home = TempDir::new().unwrap();
        let engine = Engine::open(EngineConfig { failpoints, ..engine_config(home.path()) }).unwrap();
        engine.set_practice(plant.access());
        sign_in(&engine, &plant, SITE, "planner");
        Self { engine, plant, home }
    }

    /// Returns all rows of a list.
    pub(crate) async fn list(&self, operation: &str) -> Vec<Value> {
        let query = BrowseQuery { operation: operation.to_owned(), parameters: BTreeMap::new() };
        let set = self.engine.browse().row_set(SITE, &query.operation).unwrap();
        self.engine.browse().read_all(&query, &set, &Canceller::new(), |_| {}).await.unwrap();
        set.rows(0..usize::MAX)
    }

    /// Returns the codes of a template's processes.
    pub(crate) async fn template(&self, id: i64) -> Vec<String> {
        let set = self.engine.templates().create_set(SITE, &[id]);
        self.engine.templates().read(&set, &Canceller::new(), |_| {}).await.unwrap();
        let view = self.engine.templates().view(&set).unwrap();
        view.links.process.iter().map(|place| view.processes[*place as usize].code.clone()).collect()
    }

    /// Opens a table as a CSV file for an operation. Every heading must be one of its fields.
    pub(crate) fn open(&self, operation: &str, headings: &[&str], rows: &[Vec<String>]) -> ImportId {
        let quoted = |cells: &[String]| {
            cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect::<Vec<_>>().join(";")
        };
        let mut text = headings.join(";");
        for row in rows {
            text.push('\n');
            text.push_str(&quoted(row));
        }
        let path = self.home.path().join("file.csv");
        std::fs::write(&path, text).unwrap();
        let imports = self.engine.imports();
        let view = imports.open(&path).unwrap();
        let mut view = imports.choose_operation(view.id, operation).unwrap();
        for (column, heading) in (0..).zip(headings) {
            view = imports.match_column(view.id, column, Some(heading)).unwrap();
        }
        view.id
    }

    pub(crate) async fn preview(&self, import: ImportId) -> PreviewView {
        self.engine.previews().compare(SITE, import, &Canceller::new(), |_| {}).await.unwrap()
    }

    pub(crate) fn rows(&self, import: ImportId, kind: Option<PreviewKind>) -> Vec<PreviewRow> {
        self.filtered_rows(import, kind, "")
    }

    /// Returns the rows of a kind that contain a text.
    pub(crate) fn filtered_rows(&self, import: ImportId, kind: Option<PreviewKind>, text: &str) -> Vec<PreviewRow> {
        let filter = PreviewFilter { kind, text: text.to_owned(), ..PreviewFilter::default() };
        self.engine.previews().rows(import, 0, &filter, 0, 100_000).unwrap().rows
    }

    /// Sends a table without changes.
    pub(crate) async fn send(&self, operation: &str, headings: &[&str], rows: &[Vec<String>]) {
        let steps = self.engine.imports().prepare_items(self.open(operation, headings, rows)).unwrap();
        let request = SubmissionRequest { site: SITE.to_owned(), steps, ..SubmissionRequest::default() };
        let id = self.engine.submissions().submit(request).await.unwrap().id.first();
        let view = self.engine.submissions().wait(id).await.unwrap().submissions.remove(0);
        assert_eq!(view.counts.accepted as usize, rows.len(), "{view:?}");
    }

    /// Sends an import, and waits for its end. Rows with errors are skipped.
    pub(crate) async fn send_import(&self, import: ImportId, choice: Option<PreviewChoice>) -> SubmissionId {
        let import = ImportToSend { import, site: SITE.to_owned(), preview: choice, close: false };
        let options = SendOptions { skip_blocked: true, ..SendOptions::default() };
        let id = self.engine.submissions().send(import, options).await.unwrap().id.first();
        self.engine.submissions().wait(id).await.unwrap();
        id
    }

    /// Returns the items of a submission as the journal has them.
    pub(crate) fn stored_items(&self, submission: SubmissionId) -> Vec<ItemDetail> {
        let journal = Journal::open(&Home::open(self.home.path()).unwrap().journal()).unwrap();
        let page = |result| journal.rows().item_details(submission, result, 0, 100_000).unwrap();
        let mut items: Vec<ItemDetail> = RowResult::ALL.iter().flat_map(|result| page(*result)).collect();
        items.sort_by_key(|item| item.number);
        items
    }

    /// Returns the number of requests of an operation that reached the plant.
    pub(crate) fn requests(&self, operation: &str) -> usize {
        self.plant.log().iter().filter(|entry| entry.operation.as_deref() == Some(operation)).count()
    }
}

/// Formats a value of a response as a planner would type it.
pub(crate) fn format_as_typed(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(span) => format_ticks(span["ticks"].as_i64().unwrap()),
        other => other.to_string(),
    }
}

pub(crate) fn cells(row: &Value, fields: &[&str]) -> Vec<String> {
    fields.iter().map(|field| format_as_typed(&row[*field])).collect()
}
