//! The handles with which the state of the shop floor is read, and the service's last answers about it.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use takt_browse::Browse;
use takt_contract::Contract;
use takt_core::Clock;
use takt_inbox::{AnswerRules, EventReader};
use takt_journal::Journal;
use takt_sites::Sites;
use takt_submit::Submissions;

use super::service_floor::ServiceFloor;
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
    /// The service's last answers, by site.
    pub(crate) service: ServiceFloors,
}

takt_core::opaque_debug!(ShopFloor);

/// The service's last answers about its floor, by site, since Takt was started.
#[derive(Clone, Default)]
pub(crate) struct ServiceFloors(Arc<Mutex<HashMap<String, Arc<ServiceFloor>>>>);

impl ShopFloor {
    /// Forgets the service's answers about a site that began anew, such as a practice plant.
    pub fn forget_service(&self, site: &str) {
        self.service.0.lock().remove(site);
    }

    /// Returns the service's last answers about a site.
    pub(super) fn service_floor(&self, site: &str) -> Option<Arc<ServiceFloor>> {
        self.service.0.lock().get(site).cloned()
    }

    pub(super) fn store_service_floor(&self, site: &str, floor: ServiceFloor) {
        self.service.0.lock().insert(site.to_owned(), Arc::new(floor));
    }
}
