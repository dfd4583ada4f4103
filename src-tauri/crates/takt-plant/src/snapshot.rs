//! Snapshots of the plant's state: rows, templates, supplies and the clock, but neither log nor sign-ins.
//!
//! Owns the names, and snapshots in memory. Leaves those in a folder to `persistence`.

use std::sync::Arc;

use crate::{Plant, PlantError, clock::PlantClock, plant::Snapshot};

/// The most snapshots in memory.
const MAX_CACHED: usize = 20;
const MAX_NAME_LENGTH: usize = 64;

impl Plant {
    /// Saves the state as `name` (letters, digits, - and _, at most 64), replacing a snapshot of that name. Without a
    /// data folder at most 20 are stored, in memory.
    ///
    /// # Errors
    ///
    /// - [`PlantError::SnapshotName`]: the name can't be used.
    /// - [`PlantError::SnapshotTaken`]: the name of another snapshot differs only in case.
    /// - [`PlantError::TooManySnapshots`]: 20 snapshots are in memory.
    /// - [`PlantError::DataFile`], [`PlantError::DataFolder`]: it can't be written.
    pub fn snapshot(&self, name: &str) -> Result<(), PlantError> {
        check_name(name)?;
        // Some file systems don't distinguish them.
        if let Some(known) =
            self.snapshots().into_iter().find(|known| known != name && known.eq_ignore_ascii_case(name))
        {
            return Err(PlantError::SnapshotTaken(known));
        }
        if let Some(persistence) = &self.persistence {
            return persistence.save_snapshot(name, &self.clock_state());
        }
        let snapshot = Snapshot { store: self.store.read().clone(), clock: self.clock_state() };
        let mut snapshots = self.snapshots.lock();
        if snapshots.len() >= MAX_CACHED && !snapshots.contains_key(name) {
            return Err(PlantError::TooManySnapshots(snapshots.len()));
        }
        snapshots.insert(name.to_owned(), Arc::new(snapshot));
        Ok(())
    }

    /// Restores the state saved as `name`, including the plant's time.
    ///
    /// # Errors
    ///
    /// - [`PlantError::SnapshotName`]: the name can't be used.
    /// - [`PlantError::UnknownSnapshot`]: there is no such snapshot.
    /// - `PlantError::Data…`: its file can't be read, or isn't of this plant.
    pub fn restore(&self, name: &str) -> Result<(), PlantError> {
        check_name(name)?;
        let (store, clock) = match &self.persistence {
            Some(persistence) => persistence.read_snapshot(name, &self.origin())?,
            None => {
                let unknown = || PlantError::UnknownSnapshot(name.to_owned());
                let snapshot = self.snapshots.lock().get(name).cloned().ok_or_else(unknown)?;
                (snapshot.store.clone(), snapshot.clock)
            }
        };
        let mut current = self.store.write();
        let clock = PlantClock::resumed(clock, self.now());
        if let Some(persistence) = &self.persistence {
            persistence.replace_state(None, &store, clock.state(self.now()), None)?;
        }
        self.day.restart(clock.plant_time_at(self.now()));
        *self.clock.lock() = clock;
        *current = store;
        Ok(())
    }

    /// Returns the names of the snapshots, in order.
    pub fn snapshots(&self) -> Vec<String> {
        match &self.persistence {
            Some(persistence) => {
                persistence.snapshot_names().into_iter().filter(|name| check_name(name).is_ok()).collect()
            }
            None => self.snapshots.lock().keys().cloned().collect(),
        }
    }

    /// Deletes the snapshot `name`.
    ///
    /// # Errors
    ///
    /// - [`PlantError::SnapshotName`]: the name can't be used.
    /// - [`PlantError::UnknownSnapshot`]: there is no such snapshot.
    /// - [`PlantError::DataFolder`]: its file can't be removed.
    pub fn delete_snapshot(&self, name: &str) -> Result<(), PlantError> {
        check_name(name)?;
        let removed = match &self.persistence {
            Some(persistence) => persistence.delete_snapshot(name)?,
            None => self.snapshots.lock().remove(name).is_some(),
        };
        if removed { Ok(()) } else { Err(PlantError::UnknownSnapshot(name.to_owned())) }
    }
}

fn check_name(name: &str) -> Result<(), PlantError> {
    let usable = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let fits = (1..=MAX_NAME_LENGTH).contains(&name.len()) && name.bytes().all(usable);
    if fits { Ok(()) } else { Err(PlantError::SnapshotName(name.chars().take(MAX_NAME_LENGTH).collect())) }
}
