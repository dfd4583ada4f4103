//! The plant's state put aside under a name, and brought back: rows, templates, supplies and the clock. The log and who
//! is signed in are no part of it.
//!
//! Owns what a name may be, and the snapshots in memory. Leaves those in a folder to `keep`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use crate::{
    Plant, PlantError,
    clock::{ClockState, PlantClock},
    lock::{locked, reading, writing},
    store::Store,
};

/// How many are held in memory.
const KEPT: usize = 20;
const LONGEST_NAME: usize = 64;

/// Snapshots in memory, by their names.
#[derive(Debug, Default)]
pub(crate) struct Shelf(Mutex<BTreeMap<String, Arc<Snapshot>>>);

#[derive(Debug)]
struct Snapshot {
    store: Store,
    clock: ClockState,
}

impl Plant {
    /// Puts the whole state aside under `name` (letters, digits, - and _; at most 64), in place of what stood there. With a
    /// folder for its data it survives a restart there; without one at most 20 are held in memory.
    pub fn snapshot(&self, name: &str) -> Result<(), PlantError> {
        checked(name)?;
        // Some file systems take both for one.
        if let Some(known) =
            self.snapshots().into_iter().find(|known| known != name && known.eq_ignore_ascii_case(name))
        {
            return Err(PlantError::SnapshotTaken(known));
        }
        if let Some(keep) = &self.keep {
            return keep.snapshot(name, &self.clock_state());
        }
        let snapshot = Snapshot { store: reading(&self.store).clone(), clock: self.clock_state() };
        let mut shelf = locked(&self.shelf.0);
        if shelf.len() >= KEPT && !shelf.contains_key(name) {
            return Err(PlantError::TooManySnapshots(shelf.len()));
        }
        shelf.insert(name.to_owned(), Arc::new(snapshot));
        Ok(())
    }

    /// Brings the state back that was put aside under `name`. The plant's time is what it was then.
    pub fn restore(&self, name: &str) -> Result<(), PlantError> {
        checked(name)?;
        let (store, clock) = match &self.keep {
            Some(keep) => keep.put_aside(self, name)?,
            None => {
                let unknown = || PlantError::UnknownSnapshot(name.to_owned());
                let snapshot = locked(&self.shelf.0).get(name).cloned().ok_or_else(unknown)?;
                (snapshot.store.clone(), snapshot.clock)
            }
        };
        let mut current = writing(&self.store);
        let clock = PlantClock::resumed(clock, self.now());
        if let Some(keep) = &self.keep {
            keep.replace(None, &store, clock.state(self.now()), None)?;
        }
        self.day.begin_anew(clock.at(self.now()));
        *locked(&self.clock) = clock;
        *current = store;
        Ok(())
    }

    /// The names of what was put aside, in order.
    pub fn snapshots(&self) -> Vec<String> {
        match &self.keep {
            Some(keep) => keep.snapshots().into_iter().filter(|name| checked(name).is_ok()).collect(),
            None => locked(&self.shelf.0).keys().cloned().collect(),
        }
    }

    /// Forgets what was put aside under `name`.
    pub fn delete_snapshot(&self, name: &str) -> Result<(), PlantError> {
        checked(name)?;
        let removed = match &self.keep {
            Some(keep) => keep.delete_snapshot(name)?,
            None => locked(&self.shelf.0).remove(name).is_some(),
        };
        if removed { Ok(()) } else { Err(PlantError::UnknownSnapshot(name.to_owned())) }
    }
}

fn checked(name: &str) -> Result<(), PlantError> {
    let usable = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let fits = (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(usable);
    if fits { Ok(()) } else { Err(PlantError::SnapshotName(name.chars().take(LONGEST_NAME).collect())) }
}
