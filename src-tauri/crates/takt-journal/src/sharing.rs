//! What a team shares and work goes on without: each desk has a copy of it, which is looked at and changed while the database is away, and
//! what was changed then becomes the team's once it is back. A colleague's later change stands.

use crate::database::{Connection, Transaction};
use crate::own_change::{self, OwnChange};
use crate::{Journal, JournalError};

impl Journal {
    /// While the database is away, at what this desk has of it.
    pub(crate) fn read_or_own<T>(
        &self,
        question: impl Fn(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        // What can't be shared now is shared by a later question.
        drop(self.share_own_changes());
        match self.read(&question) {
            Err(error) if self.is_away(&error) => self.own_read(question),
            answered => answered,
        }
    }

    /// At this desk and in the team's database; while that is away, once it is back. `what` says what is changed.
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
        // What was changed before is shared before.
        let shared = self.share_own_changes_but(Some(what)).and_then(|()| self.write(change));
        match shared {
            Err(error) if self.is_away(&error) => Ok(own),
            changed => {
                self.own_write(|transaction| own_change::remove(transaction, what))?;
                changed
            }
        }
    }

    fn share_own_changes(&self) -> Result<(), JournalError> {
        self.share_own_changes_but(None)
    }

    fn share_own_changes_but(&self, latest: Option<&OwnChange>) -> Result<(), JournalError> {
        if self.team().is_none() {
            return Ok(());
        }
        for change in self.own_read(own_change::waiting)?.iter().filter(|change| Some(*change) != latest) {
            match change {
                OwnChange::Mapping { operation, headings, at } => {
                    self.mappings().share_own((operation, headings), *at)?;
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
