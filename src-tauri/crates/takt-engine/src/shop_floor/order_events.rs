//! Shows the time line of an order: the events that name it, and their effect on it.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use takt_contract::{EventOutcome, FloorDate};
use takt_core::{Problem, blocking::run_blocking};
use takt_inbox::{
    CATCH_UP_TIMEOUT,
    events::{self, EventLine, floor_data},
};
use takt_journal::{
    Inbox,
    inbox::{EventFilter, EventRow, RawEvent},
};

use super::{
    floor::ShopFloor,
    view::{FloorOrderView, order_view},
};
use takt_core::site_time::parse_site_timestamp;

/// The maximum number of returned events per order. The newest are returned, and all are counted.
const MAX_EVENTS: u32 = 500;

/// The events that name an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderEvents {
    /// Oldest first, at most the newest 500.
    pub events: Vec<OrderEvent>,
    /// The number of all events, including those that aren't in `events`.
    pub total: u32,
    /// The state of each operation after these events.
    pub orders: Vec<FloorOrderView>,
    /// The site's time zone, an IANA name.
    pub zone: String,
    /// In ISO 8601 and UTC.
    pub now: String,
}

/// An event and its effect on one operation of the order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderEvent {
    pub line: EventLine,
    /// The time of the occurrence if the event contains it, otherwise of receipt. In ISO 8601 and UTC.
    pub at: String,
    /// Empty if the event doesn't contain it.
    pub operation: String,
    /// The new state of the operation. `None` if the event doesn't change it.
    pub turn: Option<EventOutcome>,
    /// True if the event came too late to change the state.
    pub late: bool,
    pub good: Option<f64>,
    pub bad: Option<f64>,
}

impl ShopFloor {
    /// Returns the events that name an order, oldest first, and the resulting state.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn order_events(&self, site: &str, code: &str) -> Result<OrderEvents, Problem> {
        let (floor, name) = (self.clone(), site.to_owned());
        let (site, (inbox, reading)) =
            run_blocking(move || Ok((floor.sites.find(&name)?, floor.reader.open(Some(&name))?))).await?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let (name, order) = (site.name.clone(), code.to_owned());
        let history = run_blocking(move || load_history(&inbox, name, order)).await?;
        let zone = TimeZone::get(&site.time_zone).unwrap_or(TimeZone::UTC);
        let mut order_events = Vec::new();
        for (row, raw, late) in history.events {
            order_events.extend(self.to_order_events(row, raw.as_ref(), code, late, &zone));
        }
        Ok(OrderEvents {
            events: order_events,
            total: history.total,
            orders: history.orders.into_iter().map(order_view).collect(),
            zone: site.time_zone,
            now: (self.clock)().to_string(),
        })
    }

    /// Returns an entry for each of the order's operations that the event names.
    fn to_order_events(
        &self,
        row: EventRow,
        raw: Option<&RawEvent>,
        code: &str,
        late: bool,
        zone: &TimeZone,
    ) -> Vec<OrderEvent> {
        let kind = self.contract.events().iter().find(|kind| row.kind == Some(i64::from(kind.id)));
        let effect = kind.and_then(|kind| kind.floor.as_ref());
        let line = events::event_line(&self.contract, row);
        let data = raw.map(|raw| floor_data(&self.contract, raw)).unwrap_or_default();
        let mut order_events: Vec<_> = data
            .orders
            .iter()
            .filter(|order| order.code == code)
            .map(|order| {
                let at = effect.and_then(|effect| effect.at).and_then(|at| match at {
                    FloorDate::Begun => order.begun.as_deref(),
                    FloorDate::Ended => order.ended.as_deref(),
                });
                let at = at.and_then(|text| parse_site_timestamp(text, zone));
                OrderEvent {
                    at: at.map_or_else(|| line.received.clone(), |at| at.to_string()),
                    operation: order.operation.clone(),
                    turn: effect.map(|effect| effect.moves),
                    late,
                    good: order.good,
                    bad: order.bad,
                    line: line.clone(),
                }
            })
            .collect();
        if order_events.is_empty() {
            let at = line.received.clone();
            let without_operation =
                OrderEvent { at, line, operation: String::new(), turn: None, late, good: None, bad: None };
            order_events.push(without_operation);
        }
        order_events
    }
}

/// The stored events that name an order, and the resulting states.
struct OrderHistory {
    /// Oldest first. True if the event came too late to change the state.
    events: Vec<(EventRow, Option<RawEvent>, bool)>,
    total: u32,
    orders: Vec<takt_journal::inbox::FloorOrder>,
}

fn load_history(inbox: &Inbox, site: String, code: String) -> Result<OrderHistory, Problem> {
    let orders = inbox.floor().orders(&site, &code)?;
    let filter = EventFilter { site: Some(site), order: Some(code), ..EventFilter::default() };
    let page = inbox.events(&filter, 0, MAX_EVENTS)?;
    let numbers: Vec<_> = page.rows.iter().map(|row| row.id).collect();
    let late = inbox.floor().find_late_events(&numbers)?;
    let mut events = Vec::new();
    for row in page.rows.into_iter().rev() {
        let (raw, late) = (inbox.raw_event(row.id)?, late.contains(&row.id));
        events.push((row, raw, late));
    }
    Ok(OrderHistory { events, total: page.total, orders })
}
