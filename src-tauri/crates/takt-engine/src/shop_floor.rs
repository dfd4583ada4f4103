//! The floor now, as the events have it: what runs on which station, what is paused, which alerts are open, since when, and how
//! old that knowledge is.
//!
//! Owns what is shown of it (`view`), what the service itself says otherwise
//! (`difference`), an order's time line (`line`), and the events that came after a row was sent (`sent`). Leaves to
//! takt-inbox making it out of events, and to takt-journal how it is kept.

mod difference;
mod line;
mod row_events;
mod view;

pub use difference::{FloorDifference, FloorRead, FloorStationName};
pub use line::{OrderEvent, OrderEvents};
pub use row_events::{RowEvent, RowEvents, RowQuery};
pub use takt_journal::inbox::FloorState;
pub use view::{Floor, FloorAlertView, FloorOrderView, FloorStationView, StationState};

use std::sync::Arc;

use takt_browse::Browse;
use takt_contract::Contract;
use takt_core::{Clock, Problem, blocking::run_blocking};
use takt_inbox::{
    AnswerRules,
    events::{self, READER},
    inbox::{EventReader, TIMEOUT},
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
}

takt_core::opaque_debug!(ShopFloor);

impl ShopFloor {
    /// What the events say of a site's floor now. What came and wasn't read yet is read before, as much of it as two seconds allow.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn view(&self, site: &str) -> Result<Floor, Problem> {
        let site = self.sites.find(site)?;
        let (inbox, reading) = self.reader.open()?;
        reading.catch_up(TIMEOUT).await;
        let (name, reader) = (site.name.clone(), READER);
        let found = run_blocking(move || {
            let gap = inbox.gaps(events::MOST_GAPS)?.into_iter().find(|gap| gap.site == name);
            let (came, _) = inbox.front()?;
            let made = inbox.floor().front(reader)?.unwrap_or(came);
            Ok((inbox.floor().of(&name)?, inbox.last_pulse(&name)?, gap, came.saturating_sub(made)))
        });
        let (known, pulse, gap, behind) = found.await?;
        let mut floor = view::floor(&site, known, (self.clock)());
        floor.listening = pulse.map(|pulse| pulse.to_string());
        floor.gap = gap.map(events::gap);
        floor.behind = u32::try_from(behind).unwrap_or(u32::MAX);
        floor.rules_failing = self.answers.failing(&site.name)?;
        Ok(floor)
    }
}
