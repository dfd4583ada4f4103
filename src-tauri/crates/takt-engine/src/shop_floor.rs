//! The floor now, as the events have it: what runs on which station, what is paused, which alerts are open, since when, and how
//! old that knowledge is.
//!
//! Owns what is shown of it (`view`), what the service itself says otherwise
//! (`difference`) and how it stands beside the events (`service_floor`), an order's time line (`line`), and the events that
//! came after a row was sent (`row_events`). Leaves to
//! takt-inbox making it out of events, and to takt-journal how it is kept.

mod difference;
mod line;
mod row_events;
mod service_floor;
mod view;

pub use difference::{FloorDifference, FloorRead};
pub use line::{OrderEvent, OrderEvents};
pub use row_events::{RowEvent, RowEvents, RowQuery};
pub use takt_journal::inbox::FloorState;
pub use view::{Floor, FloorAlertView, FloorOrderView, FloorStationView, StationState};

use std::{collections::HashMap, sync::Arc};

use jiff::tz::TimeZone;
use parking_lot::Mutex;
use service_floor::{OrderKey, ServiceFloor};
use takt_browse::Browse;
use takt_contract::Contract;
use takt_core::{Clock, Problem, blocking::run_blocking};
use takt_inbox::{
    AnswerRules,
    events::{self, READER},
    inbox::{CATCH_UP_TIMEOUT, EventReader},
};
use takt_journal::Journal;
use takt_sites::sites::Sites;
use takt_submit::Submissions;

use crate::order::Orders;

/// The floor as the events have it.
#[derive(Clone)]
pub struct ShopFloor {
    pub(crate) contract: Arc<Contract>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) sites: Arc<Sites>,
    pub(crate) clock: Clock,
    pub(crate) reader: Arc<EventReader>,
    pub(crate) answers: AnswerRules,
    pub(crate) browse: Browse,
    pub(crate) orders: Orders,
    pub(crate) submissions: Arc<Submissions>,
    /// What the service said last, by site.
    pub(crate) service: ServiceFloors,
}

/// What the service said last of its floor, by site, since Takt was started.
#[derive(Clone, Default)]
pub(crate) struct ServiceFloors(Arc<Mutex<HashMap<String, Arc<ServiceFloor>>>>);

takt_core::opaque_debug!(ShopFloor);

impl ShopFloor {
    /// A site's floor now: what the events say, and where none tells, what the service said when it was last asked
    /// ([`ShopFloor::read`]). What came and wasn't read yet is read before, as much of it as two seconds allow.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn view(&self, site: &str) -> Result<Floor, Problem> {
        let site = self.sites.find(site)?;
        let (inbox, reading) = self.reader.of(Some(&site.name))?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let said = self.service_floor(&site.name);
        let (name, reader) = (site.name.clone(), READER);
        let begun: Vec<OrderKey> = said.iter().flat_map(|said| said.begun.keys().cloned()).collect();
        let found = run_blocking(move || {
            let gap = inbox.pulses().gaps(events::MAX_GAPS)?.into_iter().find(|gap| gap.site == name);
            let (came, _) = inbox.front()?;
            let made = inbox.floor().front(reader)?.unwrap_or(came);
            let told: HashMap<_, _> = difference::orders_of(&inbox, &name, begun)?.into_iter().collect();
            Ok((inbox.floor().of(&name)?, told, inbox.pulses().last(&name)?, gap, came.saturating_sub(made)))
        });
        let (mut known, told, pulse, gap, behind) = found.await?;
        let orders = std::mem::take(&mut known.orders);
        let orders = match &said {
            Some(said) => {
                let zone = TimeZone::get(&site.time_zone).unwrap_or(TimeZone::UTC);
                said.orders(orders, &told, &zone)
            }
            None => orders.into_iter().map(view::order).collect(),
        };
        let mut floor = view::floor(&site, orders, known, said.as_deref(), (self.clock)());
        floor.listening = pulse.map(|pulse| pulse.to_string());
        floor.gap = gap.map(events::gap);
        floor.behind = u32::try_from(behind).unwrap_or(u32::MAX);
        floor.rules_failing = self.answers.failing(&site.name)?;
        Ok(floor)
    }

    /// What the service said of a site doesn't hold any more: it began anew, as a practice plant can.
    pub fn forget_service(&self, site: &str) {
        self.service.0.lock().remove(site);
    }

    fn service_floor(&self, site: &str) -> Option<Arc<ServiceFloor>> {
        self.service.0.lock().get(site).cloned()
    }

    fn keep_service_floor(&self, site: &str, floor: ServiceFloor) {
        self.service.0.lock().insert(site.to_owned(), Arc::new(floor));
    }
}
