//! An order's time line: the events that name it, each with what it says of the order.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use takt_contract::{FloorMoment, FloorTurn};
use takt_core::{Problem, blocking::run_blocking};
use takt_inbox::{
    events::{self, EventLine, floor_data},
    inbox::CATCH_UP_TIMEOUT,
};
use takt_journal::{
    Inbox,
    inbox::{EventFilter, EventRow, RawEvent},
};

use super::{FloorOrderView, ShopFloor, view};
use takt_core::site_time::site_moment;

/// Events of one order that are told; the newest.
const MAX_EVENTS: u32 = 500;

/// The events that name an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderEvents {
    /// Oldest first; no more than the newest 500.
    pub events: Vec<OrderEvent>,
    /// How many there are.
    pub total: u32,
    /// Where each operation stands by them.
    pub orders: Vec<FloorOrderView>,
    /// The site's time zone, an IANA name.
    pub zone: String,
    /// ISO 8601 in UTC.
    pub now: String,
}

/// An event, and what it says of one operation of the order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderEvent {
    pub line: EventLine,
    /// When it happened, where it says so; else when it came. ISO 8601 in UTC.
    pub at: String,
    /// Empty where it doesn't say.
    pub operation: String,
    /// Where it brings the operation; absent where it moves nothing.
    pub turn: Option<FloorTurn>,
    /// It came too late to change anything.
    pub late: bool,
    pub good: Option<f64>,
    pub bad: Option<f64>,
}

impl ShopFloor {
    /// The events that name an order, oldest first, and where they leave it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn order_events(&self, site: &str, code: &str) -> Result<OrderEvents, Problem> {
        let site = self.sites.find(site)?;
        let (inbox, reading) = self.reader.of(Some(&site.name))?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let (name, order) = (site.name.clone(), code.to_owned());
        let load_history = run_blocking(move || load_history(&inbox, name, order)).await?;
        let zone = TimeZone::get(&site.time_zone).unwrap_or(TimeZone::UTC);
        let mut told = Vec::new();
        for (row, raw, late) in load_history.events {
            told.extend(self.of_order(row, raw.as_ref(), code, late, &zone));
        }
        Ok(OrderEvents {
            events: told,
            total: load_history.total,
            orders: load_history.orders.into_iter().map(view::order).collect(),
            zone: site.time_zone,
            now: (self.clock)().to_string(),
        })
    }

    /// One for each of the order's operations that it names.
    fn of_order(
        &self,
        row: EventRow,
        raw: Option<&RawEvent>,
        code: &str,
        late: bool,
        zone: &TimeZone,
    ) -> Vec<OrderEvent> {
        let kind = self.contract.events().iter().find(|kind| row.kind == Some(i64::from(kind.id)));
        let moves = kind.and_then(|kind| kind.floor.as_ref());
        let line = events::line(&self.contract, row);
        let told = raw.map(|raw| floor_data(&self.contract, raw)).unwrap_or_default();
        let mut named: Vec<_> = told
            .orders
            .iter()
            .filter(|order| order.code == code)
            .map(|order| {
                let at = moves.and_then(|moves| moves.at).and_then(|at| match at {
                    FloorMoment::Begun => order.begun.as_deref(),
                    FloorMoment::Ended => order.ended.as_deref(),
                });
                let at = at.and_then(|text| site_moment(text, zone));
                OrderEvent {
                    at: at.map_or_else(|| line.received.clone(), |at| at.to_string()),
                    operation: order.operation.clone(),
                    turn: moves.map(|moves| moves.moves),
                    late,
                    good: order.good,
                    bad: order.bad,
                    line: line.clone(),
                }
            })
            .collect();
        if named.is_empty() {
            let at = line.received.clone();
            let bare = OrderEvent { at, line, operation: String::new(), turn: None, late, good: None, bad: None };
            named.push(bare);
        }
        named
    }
}

struct OrderHistory {
    /// Oldest first; with whether each came too late.
    events: Vec<(EventRow, Option<RawEvent>, bool)>,
    total: u32,
    orders: Vec<takt_journal::inbox::FloorOrder>,
}

fn load_history(inbox: &Inbox, site: String, code: String) -> Result<OrderHistory, Problem> {
    let orders = inbox.floor().orders(&site, &code)?;
    let filter = EventFilter { site: Some(site), order: Some(code), ..EventFilter::default() };
    let page = inbox.events(&filter, 0, MAX_EVENTS)?;
    let numbers: Vec<_> = page.rows.iter().map(|row| row.id).collect();
    let late = inbox.floor().late(&numbers)?;
    let mut events = Vec::new();
    for row in page.rows.into_iter().rev() {
        let (raw, late) = (inbox.raw(row.id)?, late.contains(&row.id));
        events.push((row, raw, late));
    }
    Ok(OrderHistory { events, total: page.total, orders })
}
