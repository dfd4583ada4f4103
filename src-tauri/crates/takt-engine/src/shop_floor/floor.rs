//! The state of a site's shop floor, by its events and the service's last responses.

use std::{collections::HashMap, sync::Arc};

use jiff::tz::TimeZone;
use parking_lot::Mutex;
use takt_browse::Browse;
use takt_contract::Contract;
use takt_core::{Clock, Problem, blocking::run_blocking};
use takt_inbox::{
    AnswerRules, CATCH_UP_TIMEOUT, EventReader,
    events::{self, READER_VERSION},
};
use takt_journal::{Journal, inbox::FloorSnapshot};
use takt_sites::Sites;
use takt_submit::Submissions;

use super::{
    service_floor::{OrderKey, ServiceFloor, load_event_alerts, load_event_orders},
    view::{Floor, build_floor, order_view, station_alert},
};
use crate::order::Orders;

/// The state of the shop floor by its events.
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
    /// The service's last reports, by site.
    pub(crate) service_floors: ServiceFloors,
}

takt_core::opaque_debug!(ShopFloor);

/// The last floor that each site's service reported since Takt was started, by site.
#[derive(Clone, Default)]
pub(crate) struct ServiceFloors(Arc<Mutex<HashMap<String, Arc<ServiceFloor>>>>);

impl ShopFloor {
    /// Returns a site's floor. If no event reports a state, uses the service's last report (see
    /// [`ShopFloor::compare_with_service`]). Waits up to two seconds for events that weren't evaluated yet.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn view(&self, site: &str) -> Result<Floor, Problem> {
        let (floor, name) = (self.clone(), site.to_owned());
        let (site, (inbox, reading)) =
            run_blocking(move || Ok((floor.sites.find(&name)?, floor.reader.open(Some(&name))?))).await?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let service = self.service_floor(&site.name);
        let (name, reader) = (site.name.clone(), READER_VERSION);
        let begun: Vec<OrderKey> = service.iter().flat_map(|floor| floor.begun.keys().cloned()).collect();
        let alert_ids: Vec<i64> =
            service.iter().flat_map(|floor| floor.alerts.iter().flat_map(|alerts| alerts.keys().copied())).collect();
        let reading_state = run_blocking(move || {
            let gap = inbox.heartbeats().gaps(events::MAX_GAPS)?.into_iter().find(|gap| gap.site == name);
            let (latest_event, _) = inbox.reading_progress()?;
            let evaluated = inbox.floor().last_applied_event(reader)?.unwrap_or(latest_event);
            let event_orders: HashMap<_, _> = load_event_orders(&inbox, &name, begun)?.into_iter().collect();
            let event_alerts = load_event_alerts(&inbox, &name, alert_ids)?;
            Ok((
                inbox.floor().state_of_site(&name)?,
                event_orders,
                event_alerts,
                inbox.heartbeats().last(&name)?,
                gap,
                latest_event.saturating_sub(evaluated),
            ))
        });
        let (known, event_orders, event_alerts, pulse, gap, behind) = reading_state.await?;
        let FloorSnapshot { orders, alerts, stations } = known;
        let (orders, alerts) = match &service {
            Some(floor) => {
                let zone = TimeZone::get(&site.time_zone).unwrap_or(TimeZone::UTC);
                (floor.orders(orders, &event_orders, &zone), floor.open_alerts(alerts, &event_alerts))
            }
            None => (orders.into_iter().map(order_view).collect(), alerts.into_iter().map(station_alert).collect()),
        };
        let report = service.as_deref().map(ServiceFloor::report);
        let mut floor = build_floor(&site, orders, alerts, stations, report, (self.clock)());
        floor.listening = pulse.map(|pulse| pulse.to_string());
        floor.gap = gap.map(events::event_gap);
        floor.behind = u32::try_from(behind).unwrap_or(u32::MAX);
        floor.rules_failing = self.answers.failing_rules(&site.name)?;
        Ok(floor)
    }

    /// Forgets the service's state of a site that was restarted with new data, such as a practice plant.
    pub fn forget_service(&self, site: &str) {
        self.service_floors.0.lock().remove(site);
    }

    /// Returns the service's last report of a site's floor.
    fn service_floor(&self, site: &str) -> Option<Arc<ServiceFloor>> {
        self.service_floors.0.lock().get(site).cloned()
    }

    pub(super) fn store_service_floor(&self, site: &str, floor: ServiceFloor) {
        self.service_floors.0.lock().insert(site.to_owned(), Arc::new(floor));
    }
}
