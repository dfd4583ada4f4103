//! Exports the events that match a filter to a file or stream, one at a time.
//!
//! Memory doesn't grow with the number of events. A workbook's cells are cut at Excel's limit and marked. csv and JSON
//! contain the complete text.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use takt_client::Canceller;
use takt_contract::utf8_text;
use takt_core::{Code, ExportFormat, Problem, Words};
use takt_journal::inbox::{EventFilter, EventRow, NamedOrder, RawEvent};
use takt_journal::{Inbox, StoredWord};
use takt_sheet::writer::{AtomicFile, OutCell, OutColumn, OutStream, csv_heading, csv_row, write_streamed_sheets};

use crate::event_inbox::EventInbox;
use crate::events::{self, EventQuery};

impl EventInbox {
    /// Writes the matching events to a file, the newest first, and returns their number. `most` limits it.
    ///
    /// `on_progress` gets the number of written events. An existing file is only replaced once the new one is complete.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the begin or the end isn't a time.
    /// - [`Code::Precondition`]: the export was canceled (`reading-stopped`).
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
        let (query, path, canceller) = (query.clone(), path.to_owned(), canceller.clone());
        self.run_blocking(move |exporter| {
            let source =
                ExportSource::new(inbox, exporter.event_filter(&query)?, most, canceller, Box::new(on_progress))?;
            let file = path.display().to_string();
            let failed =
                |cause: std::io::Error| Problem::new(Code::WriteFailed).parameter("file", &*file).details(cause);
            if format == ExportFormat::Xlsx {
                return exporter.write_workbook(&source, &path);
            }
            let mut output = AtomicFile::create(&path).map_err(failed)?;
            exporter.write_stream(&source, format, &mut output)?;
            output.finish().map_err(failed)?;
            Ok(source.written_count())
        })
        .await
    }

    /// Writes the matching events as csv or JSON lines to a stream, the newest first, and returns their number.
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
        Ok(source.written_count())
    }

    fn write_stream(&self, source: &ExportSource, format: ExportFormat, out: &mut dyn Write) -> Result<(), Problem> {
        let failed = |cause: std::io::Error| Problem::new(Code::WriteFailed).parameter("file", "").details(cause);
        let cells = CellBuilder::new(self)?;
        if format == ExportFormat::Csv {
            let headings = cells.event_columns(false);
            let heading = csv_heading(headings.iter().map(|column| column.heading.as_str()));
            out.write_all(heading.as_bytes()).map_err(failed)?;
        }
        for (row, raw) in source.read_events() {
            let line = match format {
                ExportFormat::Csv => csv_row(&cells.event_cells(&row, &raw, false)),
                _ => self.json_line(row, &raw),
            };
            out.write_all(line.as_bytes()).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        source.problem().map_or(Ok(()), Err)
    }

    /// Writes a sheet of events and a sheet of the orders they name.
    fn write_workbook(&self, source: &ExportSource, path: &Path) -> Result<u32, Problem> {
        let cells = CellBuilder::new(self)?;
        let (events, orders) = (cells.label("events"), cells.label("orders"));
        let sheets = vec![
            OutStream {
                name: &events,
                columns: cells.event_columns(true),
                rows: Box::new(source.read_events().map(|(row, raw)| cells.event_cells(&row, &raw, true))),
            },
            OutStream {
                name: &orders,
                columns: cells.order_columns(),
                rows: Box::new(source.read_orders().map(|(row, order)| cells.order_cells(&row, &order))),
            },
        ];
        let file = path.display().to_string();
        let checked = || source.problem().is_none();
        write_streamed_sheets(path, &self.home.copies(), sheets, &checked)
            .map_err(|error| source.problem().unwrap_or_else(|| Problem::from_sheet_error(&file, error)))?;
        source.problem().map_or(Ok(source.written_count()), Err)
    }

    /// Returns a line of JSON with the event's data, its headers, and its body, unchanged if it is JSON.
    fn json_line(&self, row: EventRow, raw: &RawEvent) -> String {
        let mut known = json!(events::event_line(&self.contract, row));
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

/// The maximum length of a cell's text in Excel, in UTF-16 units.
const MAX_CELL_LENGTH: usize = 32_767;

const EVENT_COLUMNS: [(&str, f64); 16] = [
    ("number", 9.0),
    ("received", 20.0),
    ("site", 14.0),
    ("kind", 8.0),
    ("name", 28.0),
    ("state", 12.0),
    ("signed", 12.0),
    ("station", 14.0),
    ("stationName", 20.0),
    ("employee", 12.0),
    ("person", 16.0),
    ("description", 30.0),
    ("order", 18.0),
    ("orders", 8.0),
    ("copies", 8.0),
    ("replay", 8.0),
];
const BODY_COLUMN: (&str, f64) = ("body", 60.0);
const CUT_COLUMN: (&str, f64) = ("cut", 24.0);
const ORDER_COLUMNS: [(&str, f64); 6] =
    [("number", 9.0), ("received", 20.0), ("name", 28.0), ("station", 14.0), ("order", 18.0), ("operation", 14.0)];

/// Creates the cells of events.
struct CellBuilder<'a> {
    inbox: &'a EventInbox,
    words: Arc<Words>,
    zones: HashMap<String, TimeZone>,
}

impl<'a> CellBuilder<'a> {
    fn new(inbox: &'a EventInbox) -> Result<Self, Problem> {
        Ok(Self { inbox, words: inbox.current_words.words(), zones: inbox.sites.time_zones()? })
    }

    /// Returns a text in the user's language.
    fn label(&self, key: &str) -> String {
        self.words.text(&["events", key], &BTreeMap::new())
    }

    /// Returns the columns of events. `bounded` limits cells to [`MAX_CELL_LENGTH`], for workbooks.
    fn event_columns(&self, bounded: bool) -> Vec<OutColumn> {
        let last = [Some(BODY_COLUMN), bounded.then_some(CUT_COLUMN)].into_iter().flatten();
        EVENT_COLUMNS.into_iter().chain(last).map(|(key, width)| self.column(key, width)).collect()
    }

    fn order_columns(&self) -> Vec<OutColumn> {
        ORDER_COLUMNS.into_iter().map(|(key, width)| self.column(key, width)).collect()
    }

    fn event_cells(&self, row: &EventRow, raw: &RawEvent, bounded: bool) -> Vec<OutCell> {
        let text = |text: &Option<String>| text.as_deref().map_or(OutCell::Empty, OutCell::from);
        let mut cells = vec![
            number_cell(row.id),
            self.time_cell(&row.site, row.received),
            row.site.as_str().into(),
            row.kind.map_or(OutCell::Empty, number_cell),
            self.event_name(row).into(),
            self.label(&format!("state-{}", row.state.word())).into(),
            self.label(&format!("signed-{}", row.signed.word())).into(),
            text(&row.station),
            text(&row.station_name),
            text(&row.employee),
            text(&row.person),
            text(&row.description),
            text(&row.order),
            number_cell(row.orders.into()),
            number_cell(row.copies.into()),
            OutCell::Boolean(row.replay),
        ];
        let body = String::from_utf8_lossy(&utf8_text(&raw.body)).into_owned();
        if bounded {
            let (body, cut) = shorten(body);
            cells.push(OutCell::Text(body));
            cells.push(if cut { self.label("cut-here").into() } else { OutCell::Empty });
        } else {
            cells.push(OutCell::Text(body));
        }
        cells
    }

    fn order_cells(&self, row: &EventRow, order: &NamedOrder) -> Vec<OutCell> {
        vec![
            number_cell(row.id),
            self.time_cell(&row.site, row.received),
            self.event_name(row).into(),
            row.station.as_deref().map_or(OutCell::Empty, OutCell::from),
            order.code.as_str().into(),
            order.operation.as_str().into(),
        ]
    }

    fn column(&self, key: &str, width: f64) -> OutColumn {
        OutColumn { heading: self.label(key), width }
    }

    fn event_name(&self, row: &EventRow) -> String {
        let known = self.inbox.contract.events().iter().find(|kind| row.kind == Some(i64::from(kind.id)));
        known.map(|kind| self.words.localized_name(&kind.names).to_owned()).unwrap_or_default()
    }

    /// Returns a cell with the time in the site's time zone, or in UTC if the site no longer exists.
    fn time_cell(&self, site: &str, moment: Timestamp) -> OutCell {
        let zone = self.zones.get(site).cloned().unwrap_or(TimeZone::UTC);
        OutCell::DateTime(moment.to_zoned_datetime(zone).datetime())
    }
}

/// Truncates a text at [`MAX_CELL_LENGTH`]. Returns whether it was truncated.
fn shorten(text: String) -> (String, bool) {
    if text.len() <= MAX_CELL_LENGTH {
        return (text, false);
    }
    let mut units = 0;
    let end = text.char_indices().find(|(_, character)| {
        units += character.len_utf16();
        units > MAX_CELL_LENGTH
    });
    match end {
        Some((at, _)) => (text.get(..at).unwrap_or_default().to_owned(), true),
        None => (text, false),
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of events stay far below 2^53")]
fn number_cell(value: i64) -> OutCell {
    OutCell::Number(value as f64)
}

/// The number of events that are read at once.
const PAGE_SIZE: u32 = 500;
/// The number of events between two reports of progress.
const PROGRESS_INTERVAL: u32 = 500;

/// The events of an export. Can be read several times.
struct ExportSource {
    inbox: Arc<Inbox>,
    filter: EventFilter,
    limit: u32,
    canceller: Canceller,
    on_progress: Box<dyn Fn(u32) + Send + Sync>,
    written: RefCell<u32>,
    problem: RefCell<Option<Problem>>,
}

impl ExportSource {
    /// Creates a source without the events that arrive from now on.
    fn new(
        inbox: Arc<Inbox>,
        mut filter: EventFilter,
        limit: Option<u32>,
        canceller: Canceller,
        on_progress: Box<dyn Fn(u32) + Send + Sync>,
    ) -> Result<Self, Problem> {
        if filter.up_to.is_none() {
            filter.up_to = Some(inbox.reading_progress()?.1);
        }
        let limit = limit.unwrap_or(u32::MAX);
        Ok(Self {
            inbox,
            filter,
            limit,
            canceller,
            on_progress,
            written: RefCell::default(),
            problem: RefCell::default(),
        })
    }

    /// Reads the events with their bytes. Ends early on a problem.
    fn read_events(&self) -> impl Iterator<Item = (EventRow, RawEvent)> + '_ {
        self.read_rows().filter_map(|row| {
            let raw = self.ok_or_record(self.inbox.raw_event(row.id).map_err(Problem::from))??;
            let mut written = self.written.borrow_mut();
            *written += 1;
            if written.is_multiple_of(PROGRESS_INTERVAL) {
                (self.on_progress)(*written);
            }
            Some((row, raw))
        })
    }

    /// Reads the events with each order they name.
    fn read_orders(&self) -> impl Iterator<Item = (EventRow, NamedOrder)> + '_ {
        self.read_rows().filter(|row| row.orders > 0).flat_map(|row| {
            let named =
                self.ok_or_record(self.inbox.orders_named_by(row.id).map_err(Problem::from)).unwrap_or_default();
            named.into_iter().map(move |order| (row.clone(), order))
        })
    }

    fn written_count(&self) -> u32 {
        *self.written.borrow()
    }

    /// Returns the problem that ended reading, if any.
    fn problem(&self) -> Option<Problem> {
        self.problem.borrow().clone()
    }

    fn read_rows(&self) -> impl Iterator<Item = EventRow> + '_ {
        let (mut before, mut remaining, mut page) = (i64::MAX, self.limit, VecDeque::new());
        std::iter::from_fn(move || {
            if self.canceller.is_cancelled() {
                self.ok_or_record::<()>(Err(Problem::obstacle("reading-stopped")));
            }
            if self.problem.borrow().is_some() || remaining == 0 {
                return None;
            }
            if page.is_empty() {
                let read = self.inbox.events_before(&self.filter, before, PAGE_SIZE).map_err(Problem::from);
                page.extend(self.ok_or_record(read)?);
            }
            let row: EventRow = page.pop_front()?;
            (before, remaining) = (row.id, remaining - 1);
            Some(row)
        })
    }

    fn ok_or_record<T>(&self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.problem.borrow_mut().get_or_insert(problem).code).ok()
    }
}
