//! Copies data to the team that an older program recorded in this computer's own file after joining.

use std::ops::ControlFlow;

use takt_core::{Problem, person::computer_name};
use takt_journal::{Inbox, Team};

use super::{
    choice::{TeamChoice, address_of},
    membership::TeamMembership,
};

/// The setting with the state of the own file that was copied completely.
const CARRIED: &str = "carried-over";

impl TeamMembership {
    /// Copies settled submissions, received events, and pending forwards that the team doesn't have yet. The database
    /// is only queried if the file has changed since. Does nothing if no team was joined.
    ///
    /// # Errors
    ///
    /// - A [journal code](takt_core::problem#journal-codes): the file can't be read, or the database can't be reached.
    ///   Copied data remains copied, and the rest is copied the next time.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the vault can't store the secrets of a target.
    pub(crate) fn carry_over_since_joining(&self) -> Result<(), Problem> {
        if matches!(self.choice, TeamChoice::Given { .. }) || Team::of(&self.journal).is_none() {
            return Ok(());
        }
        let own = if self.home.inbox().exists() { Some(Inbox::open(&self.home.inbox())?) } else { None };
        let newest_event = own.as_ref().map_or(Ok(0), |own| own.front().map(|(latest_event, _)| latest_event))?;
        let (newest_submission, settled) = Team::own_extent(&self.journal)?;
        let state =
            serde_json::json!([address_of(&self.home, &self.choice)?, newest_submission, settled, newest_event]);
        if self.journal.settings().get(CARRIED)?.as_ref() == Some(&state) {
            return Ok(());
        }
        let submissions = Team::carry_submissions(&self.journal, &computer_name())?.carried;
        let events = match own.as_ref().zip(Inbox::of_team(&self.journal)) {
            Some((own, team)) => self.carry_events(own, &team)?,
            None => 0,
        };
        if submissions + events > 0 {
            tracing::info!(submissions, events, "came along to the team after this desk had joined it");
        }
        Ok(self.journal.settings().set(CARRIED, &state)?)
    }

    fn carry_events(&self, own: &Inbox, team: &Inbox) -> Result<u32, Problem> {
        let join = self.inbox_join(own, team);
        if join.events_left()? == 0 {
            return Ok(0);
        }
        Ok(join.run((self.clock)(), &mut |_| ControlFlow::Continue(()))?.events)
    }
}
