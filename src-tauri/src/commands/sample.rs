//! The sample workbooks of Takt, one per batch operation.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem, import::ImportView};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    commands::import_source::{self, OpeningView},
    state::AppStateAccess,
};

macro_rules! sample {
    ($operation:literal) => {
        Sample {
            operation: $operation,
            bytes: include_bytes!(concat!("../../../tests/data/samples/", $operation, ".xlsx")),
        }
    };
}

const SAMPLES: [Sample; 12] = [
    sample!("work-orders.sync"),
    sample!("materials.sync"),
    sample!("stock.sync"),
    sample!("inspections.sync"),
    sample!("inspection-processes.sync"),
    sample!("consumed-lots.sync"),
    sample!("work-orders.execution"),
    sample!("work-orders.properties"),
    sample!("work-orders.planning-dates"),
    sample!("inspections.execution"),
    sample!("inspections.properties"),
    sample!("template-processes.delete"),
];

struct Sample {
    operation: &'static str,
    bytes: &'static [u8],
}

/// A sample workbook and its operation.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct SampleView {
    pub(crate) operation: String,
    pub(crate) file: String,
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn samples() -> Result<Vec<SampleView>, Problem> {
    Ok(SAMPLES
        .iter()
        .map(|sample| SampleView { operation: sample.operation.to_owned(), file: sample.file() })
        .collect())
}

/// Writes the sample into Takt's home with current dates, and opens it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_sample<R: Runtime>(
    app: AppHandle<R>,
    operation: String,
    ticket: u32,
    channel: Channel<OpeningView>,
) -> Result<ImportView, Problem> {
    let sample = SAMPLES
        .iter()
        .find(|sample| sample.operation == operation)
        .ok_or_else(|| Problem::new(Code::Unknown).parameter("what", operation.clone()))?;
    let (file, bytes) = (sample.file(), sample.bytes);
    let path = app.with_engine(move |engine| engine.import_sites().write_sample(&file, bytes)).await?;
    import_source::open(&app, path, ticket, channel).await
}

impl Sample {
    fn file(&self) -> String {
        format!("{}.xlsx", self.operation)
    }
}
