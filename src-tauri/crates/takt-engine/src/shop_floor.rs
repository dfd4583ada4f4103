//! Shows the state of the shop floor by its events: running stations, pauses, open alerts, and their age.
//!
//! `view` shows the state, and `difference` and `service_floor` add the service's own answers. `line` returns an
//! order's time line, and `row_events` the events after a row was sent. takt-inbox evaluates events, and takt-journal
//! stores the state.

mod difference;
mod floor;
mod line;
mod row_events;
mod service_floor;
mod view;

pub use difference::{FloorDifference, FloorRead};
pub(crate) use floor::ServiceFloors;
pub use floor::ShopFloor;
pub use line::{OrderEvent, OrderEvents};
pub use row_events::{RowEvent, RowEvents, RowQuery};
pub use takt_journal::inbox::FloorState;
pub use view::{Floor, FloorAlertView, FloorOrderView, FloorStationView, StationState};

use std::collections::HashMap;

use jiff::tz::TimeZone;
use service_floor::OrderKey;
use takt_core::{Problem, blocking::run_blocking};
use takt_inbox::{
    CATCH_UP_TIMEOUT,
    events::{self, READER},
};

impl ShopFloor {
    /// Returns a site's floor. If no event reports a state, uses the service's last answer ([`ShopFloor::read`]). Waits
    /// up to two seconds for events that weren't evaluated yet.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn view(&self, site: &str) -> Result<Floor, Problem> {
        let (floor, name) = (self.clone(), site.to_owned());
        let (site, (inbox, reading)) =
            run_blocking(move || Ok((floor.sites.find(&name)?, floor.reader.of(Some(&name))?))).await?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let service = self.service_floor(&site.name);
        let (name, reader) = (site.name.clone(), READER);
        let begun: Vec<OrderKey> = service.iter().flat_map(|floor| floor.begun.keys().cloned()).collect();
        let reading_state = run_blocking(move || {
            let gap = inbox.pulses().gaps(events::MAX_GAPS)?.into_iter().find(|gap| gap.site == name);
            let (latest_event, _) = inbox.front()?;
            let evaluated = inbox.floor().front(reader)?.unwrap_or(latest_event);
            let event_orders: HashMap<_, _> = difference::orders_of(&inbox, &name, begun)?.into_iter().collect();
            Ok((
                inbox.floor().of(&name)?,
                event_orders,
                inbox.pulses().last(&name)?,
                gap,
                latest_event.saturating_sub(evaluated),
            ))
        });
        let (mut known, event_orders, pulse, gap, behind) = reading_state.await?;
        let orders = std::mem::take(&mut known.orders);
        let orders = match &service {
            Some(floor) => {
                let zone = TimeZone::get(&site.time_zone).unwrap_or(TimeZone::UTC);
                floor.orders(orders, &event_orders, &zone)
            }
            None => orders.into_iter().map(view::order).collect(),
        };
        let service = service.as_deref().map(|floor| (floor.at, floor.stations.as_slice()));
        let mut floor = view::floor(&site, orders, known, service, (self.clock)());
        floor.listening = pulse.map(|pulse| pulse.to_string());
        floor.gap = gap.map(events::gap);
        floor.behind = u32::try_from(behind).unwrap_or(u32::MAX);
        floor.rules_failing = self.answers.failing(&site.name)?;
        Ok(floor)
    }
}
