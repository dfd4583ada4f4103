//! Exports the events that match a filter to a file or stream, one at a time.
//!
//! Memory doesn't grow with the number of events. A workbook's cells are cut at Excel's limit and marked. csv and JSON
//! contain the complete text.

mod cells;
mod stream;

use std::{io::Write, path::Path};

use serde_json::{Value, json, value::RawValue};
use takt_client::Canceller;
use takt_contract::utf8_text;
use takt_core::blocking::run_blocking;
use takt_journal::inbox::{EventRow, RawEvent};
use takt_sheet::writer::{OutStream, WholeFile, csv_heading, csv_row, write_workbook_of};

use takt_core::ExportFormat;
use takt_core::{Code, Problem};

use crate::{
    event_inbox::EventInbox,
    events::{self, EventQuery},
};
use cells::Cells;
use stream::ExportSource;

impl EventInbox {
    /// Writes the matching events to a file, the newest first, and returns how many. `most` limits their number.
    ///
    /// `on_progress` gets the number of written events. An existing file is only replaced once the new one is complete.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the begin or the end isn't a time.
    /// - [`Code::Precondition`]: it was cancelled (`reading-stopped`).
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - [`Code::FileTooLarge`]: a workbook can't hold that many rows.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn export(
        &self,
        query: &EventQuery,
        most: Option<u32>,
        format: ExportFormat,
        path: &Path,
        canceller: &Canceller,
        on_progress: impl Fn(u32) + Send + Sync + 'static,
    ) -> Result<u32, Problem> {
        let inbox = self.catch_up(query.site.as_deref()).await?;
        let filter = self.event_filter(query)?;
        let (exporter, path, canceller) = (self.clone(), path.to_owned(), canceller.clone());
        run_blocking(move || {
            let source = ExportSource::new(inbox, filter, most, canceller, Box::new(on_progress))?;
            let file = path.display().to_string();
            let failed =
                |cause: std::io::Error| Problem::new(Code::WriteFailed).parameter("file", &*file).details(cause);
            if format == ExportFormat::Xlsx {
                return exporter.workbook(&source, &path);
            }
            let mut output = WholeFile::create(&path).map_err(failed)?;
            exporter.write_stream(&source, format, &mut output)?;
            output.finish().map_err(failed)?;
            Ok(source.written())
        })
        .await
    }

    /// Writes the events that fit as csv or JSON lines to a stream.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the begin or the end isn't a time.
    /// - [`Code::WriteFailed`]: `out` can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn stream(
        &self,
        query: &EventQuery,
        most: Option<u32>,
        format: ExportFormat,
        out: &mut (dyn Write + Send),
    ) -> Result<u32, Problem> {
        let inbox = self.catch_up(query.site.as_deref()).await?;
        let source = ExportSource::new(inbox, self.event_filter(query)?, most, Canceller::new(), Box::new(|_| ()))?;
        self.write_stream(&source, format, out)?;
        Ok(source.written())
    }

    fn write_stream(&self, source: &ExportSource, format: ExportFormat, out: &mut dyn Write) -> Result<(), Problem> {
        let failed = |cause: std::io::Error| Problem::new(Code::WriteFailed).parameter("file", "").details(cause);
        let cells = Cells::new(self);
        if format == ExportFormat::Csv {
            let headings = cells.event_columns(false);
            let heading = csv_heading(headings.iter().map(|column| column.heading.as_str()));
            out.write_all(heading.as_bytes()).map_err(failed)?;
        }
        for (row, raw) in source.events() {
            let line = match format {
                ExportFormat::Csv => csv_row(&cells.event(&row, &raw, false)),
                _ => self.json_line(row, &raw),
            };
            out.write_all(line.as_bytes()).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        source.problem().map_or(Ok(()), Err)
    }

    /// Writes a sheet of events and a sheet of the orders they name.
    fn workbook(&self, source: &ExportSource, path: &Path) -> Result<u32, Problem> {
        let cells = Cells::new(self);
        let (events, orders) = (cells.text("events"), cells.text("orders"));
        let sheets = vec![
            OutStream {
                name: &events,
                columns: cells.event_columns(true),
                rows: Box::new(source.events().map(|(row, raw)| cells.event(&row, &raw, true))),
            },
            OutStream {
                name: &orders,
                columns: cells.order_columns(),
                rows: Box::new(source.orders().map(|(row, order)| cells.order(&row, &order))),
            },
        ];
        let file = path.display().to_string();
        let checked = || source.problem().is_none();
        write_workbook_of(path, &self.home.copies(), sheets, &checked)
            .map_err(|error| source.problem().unwrap_or_else(|| Problem::of_sheet(&file, error)))?;
        source.problem().map_or(Ok(source.written()), Err)
    }

    /// Returns a line of JSON with the event's data, its headers, and its body, unchanged if it is JSON.
    fn json_line(&self, row: EventRow, raw: &RawEvent) -> String {
        let mut known = json!(events::line(&self.contract, row));
        known["headers"] = json!(raw.headers);
        let text = utf8_text(&raw.body);
        let parsed = serde_json::from_slice::<&RawValue>(&text);
        let Ok(body) = parsed else {
            known["text"] = Value::String(String::from_utf8_lossy(&text).into_owned());
            return format!("{known}\n");
        };
        // Outside of strings a line break means nothing in JSON, and inside of strings there is none. So the body fits
        // on one line, and its numbers stay as written.
        let body = body.get().replace(['\n', '\r'], " ");
        let mut line = known.to_string();
        line.pop();
        format!("{line},\"body\":{body}}}\n")
    }
}
