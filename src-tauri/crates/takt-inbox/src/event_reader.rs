//! Opens the stores of events with their background readers.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use takt_contract::Contract;
use takt_core::Problem;
use takt_journal::Inbox;
use takt_sites::Context;
use takt_sites::{PRACTICE, Sites};

use crate::{
    background_reader::{BackgroundReader, ContractOf},
    events::EventStore,
    floor::Zones,
};

/// The longest wait of a list for received events that aren't read yet.
pub const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(2);

/// The stores of events with their background readers, opened on first use.
pub struct EventReader {
    contract: Arc<Contract>,
    sites: Arc<Sites>,
    pub(crate) events: Arc<EventStore>,
    own: Mutex<Option<BackgroundReader>>,
    team: Option<(Arc<Inbox>, BackgroundReader)>,
}

takt_core::opaque_debug!(EventReader);

impl EventReader {
    /// Creates readers for `events` that use the contract and the time zones of the sites.
    #[must_use]
    pub fn new(context: &Context, events: Arc<EventStore>) -> Self {
        let (contract, sites) = (Arc::clone(&context.contract), Arc::clone(&context.sites));
        let team = events.team().map(|team| (Arc::clone(team), new_background_reader(&contract, &sites, team)));
        Self { contract, sites, events, own: Mutex::default(), team }
    }

    /// Returns the inbox with a site's events and its background reader.
    ///
    /// Without a site, that is the inbox of all sites except a team's practice plants.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the events' file can't be opened or created.
    pub fn of(&self, site: Option<&str>) -> Result<(Arc<Inbox>, BackgroundReader), Problem> {
        if let Some((team, background_reader)) = self.team.as_ref().filter(|_| site != Some(PRACTICE)) {
            return Ok((Arc::clone(team), background_reader.clone()));
        }
        let inbox = self.events.own()?;
        let mut own = self.own.lock();
        let background_reader = own.get_or_insert_with(|| new_background_reader(&self.contract, &self.sites, &inbox));
        Ok((inbox, background_reader.clone()))
    }
}

fn new_background_reader(contract: &Arc<Contract>, sites: &Arc<Sites>, inbox: &Arc<Inbox>) -> BackgroundReader {
    let zone_sites = Arc::clone(sites);
    let zones: Zones = Arc::new(move |site| zone_sites.time_zone(site));
    let (sites, builtin) = (Arc::clone(sites), Arc::clone(contract));
    let in_force: ContractOf = Arc::new(move |site| sites.contract(site).unwrap_or_else(|_| Arc::clone(&builtin)));
    BackgroundReader::new(Arc::clone(contract), in_force, Arc::clone(inbox), zones)
}
