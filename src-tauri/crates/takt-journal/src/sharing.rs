//! Shared data of which each desk has a copy. While the team's database is unavailable, the copy is read and changed.
//! Later the desk shares its changes, but a colleague's later change stays.

use crate::database::{Connection, Transaction};
use crate::own_change::{self, OwnChange};
use crate::{Journal, JournalError};

impl Journal {
    /// Runs a query on the team's database, or on this desk's copy while the database is unavailable.
    pub(crate) fn read_or_own<T>(
        &self,
        query: impl Fn(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        // Changes that can't be shared now are shared by a later call.
        drop(self.share_own_changes());
        match self.read(&query) {
            Err(error) if self.is_away(&error) => self.own_read(query),
            answered => answered,
        }
    }

    /// Makes a change at this desk and in the team's database. While the database is unavailable, it is shared later.
    /// `what` identifies the change.
    pub(crate) fn write_and_own<T>(
        &self,
        what: &OwnChange,
        change: impl Fn(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        if self.team().is_none() {
            return self.own_write(change);
        }
        let own = self.own_write(|transaction| {
            own_change::add(transaction, what)?;
            change(transaction)
        })?;
        // Earlier changes are shared first.
        let shared = self.share_own_changes_except(Some(what)).and_then(|()| self.write(change));
        match shared {
            Err(error) if self.is_away(&error) => Ok(own),
            changed => {
                self.own_write(|transaction| own_change::remove(transaction, what))?;
                changed
            }
        }
    }

    fn share_own_changes(&self) -> Result<(), JournalError> {
        self.share_own_changes_except(None)
    }

    fn share_own_changes_except(&self, latest: Option<&OwnChange>) -> Result<(), JournalError> {
        if self.team().is_none() {
            return Ok(());
        }
        for change in self.own_read(own_change::list)?.iter().filter(|change| Some(*change) != latest) {
            match change {
                OwnChange::Mapping { operation, headings, at } => {
                    self.mappings().share_own(operation, headings, *at)?;
                }
                OwnChange::Templates { site, templates } => self.templates().share_own(site, templates)?,
                OwnChange::Reference { site, list } => self.references().share_own(site, list)?,
                OwnChange::References { site } => self.references().forget_shared(site)?,
            }
            self.own_write(|transaction| own_change::remove(transaction, change))?;
        }
        Ok(())
    }
}
