//! The one way to change the store: what changed is kept before anyone hears of it, and what happened is told.

use jiff::civil::DateTime;

use crate::{
    Plant, PlantError,
    clock::ClockState,
    log_entry::LogEntry,
    store::{Changes, Store},
};

impl Plant {
    /// Lets `work` change the store at the plant's time. Before this returns, the changes are kept (where the plant keeps
    /// anything) together with what `entry` says was applied, and what happened is on its way to the targets. An error
    /// means that the changes can't be kept: then nothing was changed, and nobody is told.
    pub(crate) fn change<T>(
        &self,
        entry: Option<&mut LogEntry>,
        work: impl FnOnce(&mut Store, DateTime, Option<&mut LogEntry>) -> T,
    ) -> Result<T, PlantError> {
        let mut store = self.store.write();
        let now = store.local(self.time());
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
        self.dispatch(&store, changes.happenings);
        Ok(outcome)
    }

    /// Keeps how the clock goes, after somebody set it. Where that fails, it goes on as it was kept after a restart.
    pub(crate) fn persist_clock(&self) {
        let kept = self.persistence.as_ref().map_or(Ok(()), |persistence| persistence.clock(&self.clock_state()));
        if let Err(error) = kept {
            tracing::error!(%error, "the clock can't be kept");
        }
    }

    /// The clock as it stands now.
    pub(crate) fn clock_state(&self) -> ClockState {
        self.clock.lock().state(self.now())
    }

    /// Keeps what changed in the same step as what the entry says of it. What applied nothing is kept when it is answered.
    fn commit(&self, store: &Store, changes: &Changes, entry: Option<&mut LogEntry>) -> Result<(), PlantError> {
        let Some(persistence) = self.persistence.as_ref().filter(|_| !changes.is_empty()) else { return Ok(()) };
        // What happened must not lie ahead of a clock that goes faster than the one outside, or was set.
        persistence.commit(store, changes, &self.clock_state(), entry.map(|entry| (entry, self.log.numbers())))
    }
}
