//! Snapshots of rows, templates, supplies and the clock. They don't include the log and sign-ins.
//!
//! This module checks names and stores snapshots in memory. Snapshots in a data folder are stored by `persistence`.

use std::sync::Arc;

use crate::{Plant, PlantError, clock::PlantClock, plant::Snapshot, secret};

/// The maximum number of snapshots in memory.
const MAX_SNAPSHOTS_IN_MEMORY: usize = 20;
const MAX_NAME_LENGTH: usize = 64;

impl Plant {
    /// Saves the state as `name`, replacing a snapshot with the same name. Letters, digits, `-` and `_` are allowed, at
    /// most 64 in total. Without a data folder, at most 20 snapshots are stored, in memory.
    ///
    /// # Errors
    ///
    /// - [`PlantError::SnapshotName`]: the name is invalid.
    /// - [`PlantError::SnapshotTaken`]: another snapshot's name differs only in case.
    /// - [`PlantError::TooManySnapshots`]: there are already 20 snapshots in memory.
    /// - [`PlantError::DataFile`], [`PlantError::DataFolder`]: the snapshot can't be written.
    pub fn save_snapshot(&self, name: &str) -> Result<(), PlantError> {
        check_name(name)?;
        // Some file systems don't distinguish names that differ only in case.
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
        if snapshots.len() >= MAX_SNAPSHOTS_IN_MEMORY && !snapshots.contains_key(name) {
            return Err(PlantError::TooManySnapshots(snapshots.len()));
        }
        snapshots.insert(name.to_owned(), Arc::new(snapshot));
        Ok(())
    }

    /// Restores the snapshot `name`, including the plant's time.
    ///
    /// # Errors
    ///
    /// - [`PlantError::SnapshotName`]: the name is invalid.
    /// - [`PlantError::UnknownSnapshot`]: there is no such snapshot.
    /// - `PlantError::Data…`: the file can't be read, or belongs to another plant.
    pub fn restore_snapshot(&self, name: &str) -> Result<(), PlantError> {
        check_name(name)?;
        let (store, clock) = match &self.persistence {
            Some(persistence) => persistence.read_snapshot(name, &self.origin())?,
            None => {
                let unknown = || PlantError::UnknownSnapshot(name.to_owned());
                let snapshot = self.snapshots.lock().get(name).cloned().ok_or_else(unknown)?;
                (snapshot.store.clone(), snapshot.clock)
            }
        };
        let state_id = secret::generate()?;
        let mut current = self.store.write();
        let clock = PlantClock::restore(clock, self.real_time());
        if let Some(persistence) = &self.persistence {
            persistence.replace_state(None, &store, clock.state(self.real_time()), &state_id, None)?;
        }
        self.day.restart(clock.plant_time_at(self.real_time()));
        *self.clock.lock() = clock;
        *self.state_id.lock() = state_id;
        *current = store;
        Ok(())
    }

    /// Returns the names of all snapshots, in alphabetical order.
    pub fn snapshots(&self) -> Vec<String> {
        match &self.persistence {
            Some(persistence) => {
                persistence.snapshot_names().into_iter().filter(|name| check_name(name).is_ok()).collect()
            }
            None => self.snapshots.lock().keys().cloned().collect(),
        }
    }

    /// Deletes a snapshot.
    ///
    /// # Errors
    ///
    /// - [`PlantError::SnapshotName`]: the name is invalid.
    /// - [`PlantError::UnknownSnapshot`]: there is no such snapshot.
    /// - [`PlantError::DataFolder`]: the file can't be removed.
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
