//! The store of events: a desk's own file, or the team's database.

use std::path::Path;
use std::sync::Arc;

use crate::JournalError;
use crate::database::{Connection, Transaction};
use crate::store::Store;
use crate::team_store::TeamStore;

#[derive(Debug)]
pub(crate) enum InboxStore {
    File(Box<Store>),
    Team(Arc<TeamStore>),
}

impl InboxStore {
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        match self {
            Self::File(file) => file.read(query),
            Self::Team(team) => team.read(query),
        }
    }

    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        match self {
            Self::File(file) => file.write(change),
            Self::Team(team) => team.write(change),
        }
    }

    /// Runs a change. In a team, it shares one transaction with other changes of this desk that wait at this moment.
    pub(crate) fn write_together<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        match self {
            Self::File(file) => file.write(change),
            Self::Team(team) => team.write_together(change),
        }
    }

    /// Returns the file, or none if the events are a team's.
    pub(crate) fn file(&self) -> Option<&Store> {
        match self {
            Self::File(file) => Some(&**file),
            Self::Team(_) => None,
        }
    }

    /// Returns the team's store, or none if the events are the desk's own.
    pub(crate) fn team(&self) -> Option<&Arc<TeamStore>> {
        match self {
            Self::File(_) => None,
            Self::Team(team) => Some(team),
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.file().map(Store::path)
    }
}
