//! The stores of events, opened on first use: the desk's own file, and in a team its shared database.
//!
//! Each desk of a team has its own practice plant, so that plant's events are in the desk's file.

use std::sync::Arc;

use parking_lot::Mutex;
use takt_core::{
    Clock, Home, Problem,
    salvage::{SalvagedFile, record_salvage},
};
use takt_journal::{Inbox, Journal};
use takt_sites::PRACTICE;

/// Opens the events' stores once. Later calls return the same stores.
pub struct EventStore {
    home: Home,
    journal: Arc<Journal>,
    clock: Clock,
    own: Mutex<Option<Arc<Inbox>>>,
    team: Option<Arc<Inbox>>,
}

takt_core::opaque_debug!(EventStore);

impl EventStore {
    pub fn new(home: Home, journal: Arc<Journal>, clock: Clock) -> Self {
        let team = Inbox::from_team(&journal).map(Arc::new);
        Self { home, journal, clock, own: Mutex::default(), team }
    }

    /// Returns the store of a site's events. That is the team's store, also if `site` is `None`. Without a team, and for
    /// the practice site, it is the desk's own store.
    ///
    /// # Errors
    ///
    /// As [`Self::own_inbox`].
    pub fn open_inbox(&self, site: Option<&str>) -> Result<Arc<Inbox>, Problem> {
        match &self.team {
            Some(team) if site != Some(PRACTICE) => Ok(Arc::clone(team)),
            _ => self.own_inbox(),
        }
    }

    /// Returns the team's store. `None` without a team.
    #[must_use]
    pub fn team_inbox(&self) -> Option<&Arc<Inbox>> {
        self.team.as_ref()
    }

    /// Returns all stores, the team's first.
    ///
    /// # Errors
    ///
    /// As [`Self::own_inbox`].
    pub fn all_inboxes(&self) -> Result<Vec<Arc<Inbox>>, Problem> {
        Ok(self.team.iter().cloned().chain([self.own_inbox()?]).collect())
    }

    /// Opens the desk's own file. A damaged file is replaced with its recoverable content.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the file can't be opened or replaced, or its replacement
    /// can't be recorded.
    pub fn own_inbox(&self) -> Result<Arc<Inbox>, Problem> {
        let mut opened = self.own.lock();
        if let Some(inbox) = &*opened {
            return Ok(Arc::clone(inbox));
        }
        let (inbox, salvaged) = Inbox::open_or_salvage(&self.home.inbox(), (self.clock)())?;
        if let Some(salvaged) = salvaged {
            record_salvage(&self.journal, SalvagedFile::Events, &salvaged)?;
        }
        let inbox = Arc::new(inbox);
        *opened = Some(Arc::clone(&inbox));
        Ok(inbox)
    }
}
