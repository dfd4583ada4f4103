//! The columns of exported events. Headings are in the user's language, times in the site's time zone.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};
use takt_journal::StoredWord;

use jiff::{Timestamp, tz::TimeZone};
use takt_contract::utf8_text;
use takt_core::Words;
use takt_journal::inbox::{EventRow, NamedOrder, RawEvent};
use takt_sheet::writer::{OutCell, OutColumn};

use crate::event_inbox::EventInbox;

/// The most UTF-16 units of a cell in Excel.
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
pub(super) struct Cells<'a> {
    inbox: &'a EventInbox,
    words: Arc<Words>,
    zones: RefCell<HashMap<String, TimeZone>>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(inbox: &'a EventInbox) -> Self {
        Self { inbox, words: inbox.spoken.words(), zones: RefCell::default() }
    }

    pub(super) fn text(&self, key: &str) -> String {
        self.words.text(&["events", key], &BTreeMap::new())
    }

    /// Returns the columns of events. `bounded` limits cells to [`MAX_CELL_LENGTH`], for workbooks.
    pub(super) fn event_columns(&self, bounded: bool) -> Vec<OutColumn> {
        let last = [Some(BODY_COLUMN), bounded.then_some(CUT_COLUMN)].into_iter().flatten();
        EVENT_COLUMNS.into_iter().chain(last).map(|(key, width)| self.column(key, width)).collect()
    }

    pub(super) fn order_columns(&self) -> Vec<OutColumn> {
        ORDER_COLUMNS.into_iter().map(|(key, width)| self.column(key, width)).collect()
    }

    pub(super) fn event(&self, row: &EventRow, raw: &RawEvent, bounded: bool) -> Vec<OutCell> {
        let text = |text: &Option<String>| text.as_deref().map_or(OutCell::Empty, OutCell::from);
        let mut cells = vec![
            number_cell(row.id),
            self.time_cell(&row.site, row.received),
            row.site.as_str().into(),
            row.kind.map_or(OutCell::Empty, number_cell),
            self.name(row).into(),
            self.text(&format!("state-{}", row.state.word())).into(),
            self.text(&format!("signed-{}", row.signed.word())).into(),
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
            let (body, cut) = shortened(body);
            cells.push(OutCell::Text(body));
            cells.push(if cut { self.text("cut-here").into() } else { OutCell::Empty });
        } else {
            cells.push(OutCell::Text(body));
        }
        cells
    }

    pub(super) fn order(&self, row: &EventRow, order: &NamedOrder) -> Vec<OutCell> {
        vec![
            number_cell(row.id),
            self.time_cell(&row.site, row.received),
            self.name(row).into(),
            row.station.as_deref().map_or(OutCell::Empty, OutCell::from),
            order.code.as_str().into(),
            order.operation.as_str().into(),
        ]
    }

    fn column(&self, key: &str, width: f64) -> OutColumn {
        OutColumn { heading: self.text(key), width }
    }

    fn name(&self, row: &EventRow) -> String {
        let known = self.inbox.contract.events().iter().find(|kind| row.kind == Some(i64::from(kind.id)));
        known.map(|kind| self.words.named(&kind.names).to_owned()).unwrap_or_default()
    }

    /// Returns a cell with the time in the site's time zone.
    fn time_cell(&self, site: &str, moment: Timestamp) -> OutCell {
        let mut zones = self.zones.borrow_mut();
        let zone = zones
            .entry(site.to_owned())
            .or_insert_with(|| TimeZone::get(&self.inbox.sites.zone(site)).unwrap_or(TimeZone::UTC));
        OutCell::DateTime(moment.to_zoned_datetime(zone.clone()).datetime())
    }
}

/// Shortens a text to what a cell can contain. Returns whether it was cut.
fn shortened(text: String) -> (String, bool) {
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
