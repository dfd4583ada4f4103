//! The file of what came, opened when it is needed first.

use std::sync::{Arc, Mutex, PoisonError};

use takt_core::{
    Clock, Home, Problem,
    salvage::{SalvagedFile, record_salvage},
};
use takt_journal::{Inbox, Journal};

/// Opens the file of events once; whoever asks later gets the same.
pub struct EventStore {
    home: Home,
    journal: Arc<Journal>,
    clock: Clock,
    opened: Mutex<Option<Arc<Inbox>>>,
}

takt_core::opaque_debug!(EventStore);

impl EventStore {
    pub fn new(home: Home, journal: Arc<Journal>, clock: Clock) -> Self {
        Self { home, journal, clock, opened: Mutex::default() }
    }

    /// The file; one that is damaged is replaced by what can be read of it.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the file can neither be opened nor replaced, or that it was
    /// replaced can't be written down.
    pub fn open(&self) -> Result<Arc<Inbox>, Problem> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
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
