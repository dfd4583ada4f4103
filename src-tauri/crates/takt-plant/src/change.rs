//! The only way to change the store: changes are saved first, and their events are sent after that.

use jiff::civil::DateTime;

use crate::{
    Plant, PlantError,
    clock::ClockState,
    log_entry::LogEntry,
    store::{Changes, Store},
};

impl Plant {
    /// Runs `work` on the store at the plant's time. Before this returns, the changes are saved together with `entry`'s
    /// applied items, if the plant has a data folder. Their events are then queued for the targets.
    ///
    /// # Errors
    ///
    /// The changes can't be saved. Nothing was changed, and no event is sent.
    pub(crate) fn change<T>(
        &self,
        entry: Option<&mut LogEntry>,
        work: impl FnOnce(&mut Store, DateTime, Option<&mut LogEntry>) -> T,
    ) -> Result<T, PlantError> {
        let mut store = self.store.write();
        let now = store.local_time(self.time());
        let mut entry = entry;
        let outcome = work(&mut store, now, entry.as_deref_mut());
        let changes = store.take_changes();
        if let Err(error) = self.commit(&store, &changes, entry.as_deref_mut()) {
            store.undo(changes);
            if let Some(entry) = entry {
                entry.number = 0;
                entry.applied.clear();
            }
            return Err(error);
        }
        self.dispatch(&store, changes.events);
        Ok(outcome)
    }

    /// Saves the clock after a change. If that fails, a restart uses the clock saved before.
    pub(crate) fn persist_clock(&self) {
        let saved = self.persistence.as_ref().map_or(Ok(()), |persistence| persistence.save_clock(&self.clock_state()));
        if let Err(error) = saved {
            tracing::error!(%error, "the clock can't be kept");
        }
    }

    /// Returns the clock's state at this moment.
    pub(crate) fn clock_state(&self) -> ClockState {
        self.clock.lock().state(self.now())
    }

    /// Saves the changes and the log entry in one transaction. An entry without changes is saved with its response.
    fn commit(&self, store: &Store, changes: &Changes, entry: Option<&mut LogEntry>) -> Result<(), PlantError> {
        let Some(persistence) = self.persistence.as_ref().filter(|_| !changes.is_empty()) else { return Ok(()) };
        // After a restart, events must not be ahead of a clock that runs fast or was set. So the clock is saved with
        // them.
        persistence.commit(store, changes, &self.clock_state(), entry.map(|entry| (entry, self.log.numbers())))
    }
}
