//! Where what comes is kept, opened when it is needed first: the desk's own file, and in a team its database.
//!
//! The practice plant is a desk's own also in a team, and so are its events.

use std::sync::Arc;

use parking_lot::Mutex;
use takt_core::{
    Clock, Home, Problem,
    salvage::{SalvagedFile, record_salvage},
};
use takt_journal::{Inbox, Journal};
use takt_sites::sites::PRACTICE;

/// Opens the events' file once. Later calls get the same.
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
        let team = Inbox::of_team(&journal).map(Arc::new);
        Self { home, journal, clock, own: Mutex::default(), team }
    }

    /// Where a site's events are; without one, those of all sites but a team's practice plants.
    ///
    /// # Errors
    ///
    /// As [`Self::own`].
    pub fn of(&self, site: Option<&str>) -> Result<Arc<Inbox>, Problem> {
        match &self.team {
            Some(team) if site != Some(PRACTICE) => Ok(Arc::clone(team)),
            _ => self.own(),
        }
    }

    /// The team's; absent without a team.
    #[must_use]
    pub fn team(&self) -> Option<&Arc<Inbox>> {
        self.team.as_ref()
    }

    /// All there are: the team's first.
    ///
    /// # Errors
    ///
    /// As [`Self::own`].
    pub fn all(&self) -> Result<Vec<Arc<Inbox>>, Problem> {
        Ok(self.team.iter().cloned().chain([self.own()?]).collect())
    }

    /// The desk's own file; one that is damaged is replaced by what can be read of it.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the file can neither be opened nor replaced, or that it was
    /// replaced can't be written down.
    pub fn own(&self) -> Result<Arc<Inbox>, Problem> {
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
