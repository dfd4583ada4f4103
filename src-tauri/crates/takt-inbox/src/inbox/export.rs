//! Events as a file: everything that a filter leaves, written event by event, so that memory stays flat however many there are.
//!
//! Owns the columns. A workbook's cell takes no more than Excel does: what was cut says so, and stands whole in csv and JSON.

mod cells;
mod stream;

use std::{io::Write, path::Path};

use serde_json::{Value, json, value::RawValue};
use takt_client::Canceller;
use takt_contract::utf8_text;
use takt_core::blocking::run_blocking;
use takt_journal::{
    Inbox,
    inbox::{EventRow, NamedOrder, RawEvent},
};
use takt_sheet::writer::{OutStream, WholeFile, csv_heading, csv_row, write_workbook_of};

use super::{CATCH_UP_TIMEOUT, EventInbox};
use takt_core::ExportFormat;
use takt_core::{Code, Problem};

use crate::events::{self, EventQuery};
use cells::Cells;
use stream::ExportSource;

impl EventInbox {
    /// Writes the events that fit to a file, newest first: all, or the first `most`. Tells how many are written by now; an
    /// existing file is replaced only by a complete one. How many were written.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the begin or the end is no moment.
    /// - [`Code::Precondition`]: it was cancelled (`reading-stopped`).
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - [`Code::FileTooLarge`]: a workbook can't hold that many rows.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn export(
        &self,
        (query, most): (&EventQuery, Option<u32>),
        (format, path): (ExportFormat, &Path),
        canceller: &Canceller,
        told: impl Fn(u32) + Send + Sync + 'static,
    ) -> Result<u32, Problem> {
        let (inbox, reading) = self.reader.of(query.site.as_deref())?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let filter = self.event_filter(query)?;
        let (own, path, canceller) = (self.clone(), path.to_owned(), canceller.clone());
        run_blocking(move || {
            let going = ExportSource::new(inbox, filter, most, canceller, Box::new(told))?;
            let file = path.display().to_string();
            let failed =
                |cause: std::io::Error| Problem::new(Code::WriteFailed).parameter("file", &*file).details(cause);
            if format == ExportFormat::Xlsx {
                return own.workbook(&going, &path);
            }
            let mut whole = WholeFile::create(&path).map_err(failed)?;
            own.pour(&going, format, &mut whole)?;
            whole.finish().map_err(failed)?;
            Ok(going.written())
        })
        .await
    }

    /// Writes the events that fit as csv or JSON lines to a stream.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the begin or the end is no moment.
    /// - [`Code::WriteFailed`]: `out` takes no more.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn stream(
        &self,
        (query, most): (&EventQuery, Option<u32>),
        format: ExportFormat,
        out: &mut (dyn Write + Send),
    ) -> Result<u32, Problem> {
        let (inbox, reading) = self.reader.of(query.site.as_deref())?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let going = ExportSource::new(inbox, self.event_filter(query)?, most, Canceller::new(), Box::new(|_| ()))?;
        self.pour(&going, format, out)?;
        Ok(going.written())
    }

    fn pour(&self, going: &ExportSource, format: ExportFormat, out: &mut dyn Write) -> Result<(), Problem> {
        let failed = |cause: std::io::Error| Problem::new(Code::WriteFailed).parameter("file", "").details(cause);
        let cells = Cells::new(self);
        if format == ExportFormat::Csv {
            let headings = cells.event_columns(false);
            let heading = csv_heading(headings.iter().map(|column| column.heading.as_str()));
            out.write_all(heading.as_bytes()).map_err(failed)?;
        }
        for (row, raw) in going.events() {
            let line = match format {
                ExportFormat::Csv => csv_row(&cells.event(&row, &raw, false)),
                _ => self.line(row, &raw),
            };
            out.write_all(line.as_bytes()).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        going.problem().map_or(Ok(()), Err)
    }

    /// One sheet of events, and one of the orders that they name.
    fn workbook(&self, going: &ExportSource, path: &Path) -> Result<u32, Problem> {
        let cells = Cells::new(self);
        let (events, orders) = (cells.text("events"), cells.text("orders"));
        let sheets = vec![
            OutStream {
                name: &events,
                columns: cells.event_columns(true),
                rows: Box::new(going.events().map(|(row, raw)| cells.event(&row, &raw, true))),
            },
            OutStream {
                name: &orders,
                columns: cells.order_columns(),
                rows: Box::new(going.orders().map(|(row, order)| cells.order(&row, &order))),
            },
        ];
        let file = path.display().to_string();
        let checked = || going.problem().is_none();
        write_workbook_of(path, &self.home.copies(), sheets, &checked)
            .map_err(|error| going.problem().unwrap_or_else(|| Problem::of_sheet(&file, error)))?;
        going.problem().map_or(Ok(going.written()), Err)
    }

    /// One line of JSON: what is known about it, its headers, and its body as it came where that is JSON.
    fn line(&self, row: EventRow, raw: &RawEvent) -> String {
        let mut known = json!(events::line(&self.contract, row));
        known["headers"] = json!(raw.headers);
        let text = utf8_text(&raw.body);
        let whole = serde_json::from_slice::<&RawValue>(&text);
        let Ok(body) = whole else {
            known["text"] = Value::String(String::from_utf8_lossy(&text).into_owned());
            return format!("{known}\n");
        };
        // Between the parts of a JSON text a line's end means nothing, and within one there is none: it stays on one line,
        // and every number as it was written.
        let body = body.get().replace(['\n', '\r'], " ");
        let mut line = known.to_string();
        line.pop();
        format!("{line},\"body\":{body}}}\n")
    }
}

/// The orders that an event names.
fn named(inbox: &Inbox, row: &EventRow) -> Result<Vec<NamedOrder>, Problem> {
    Ok(inbox.orders_named(row.id)?)
}
