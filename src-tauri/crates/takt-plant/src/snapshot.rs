//! The plant's state put aside under a name, and brought back: rows, templates, supplies and the clock. The log and who
//! is signed in are no part of it.

use std::{collections::BTreeMap, sync::Mutex};

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
pub(crate) struct Shelf(Mutex<BTreeMap<String, Snapshot>>);

#[derive(Debug, Clone)]
struct Snapshot {
    store: Store,
    clock: ClockState,
}

impl Plant {
    /// Puts the whole state aside under `name` (letters, digits, - and _; at most 64), in place of what stood there.
    pub fn snapshot(&self, name: &str) -> Result<(), PlantError> {
        let mut shelf = locked(&self.shelf.0);
        checked(name)?;
        if shelf.len() >= KEPT && !shelf.contains_key(name) {
            return Err(PlantError::TooManySnapshots(shelf.len()));
        }
        let store = reading(&self.store);
        let clock = locked(&self.clock).state(self.now());
        shelf.insert(name.to_owned(), Snapshot { store: store.clone(), clock });
        Ok(())
    }

    /// Brings the state back that was put aside under `name`. The plant's time is what it was then.
    pub fn restore(&self, name: &str) -> Result<(), PlantError> {
        checked(name)?;
        let unknown = || PlantError::UnknownSnapshot(name.to_owned());
        let Snapshot { store, clock } = locked(&self.shelf.0).get(name).cloned().ok_or_else(unknown)?;
        let mut current = writing(&self.store);
        *locked(&self.clock) = PlantClock::resumed(clock, self.now());
        *current = store;
        Ok(())
    }

    /// The names of what was put aside, in order.
    pub fn snapshots(&self) -> Vec<String> {
        locked(&self.shelf.0).keys().cloned().collect()
    }

    /// Forgets what was put aside under `name`.
    pub fn delete_snapshot(&self, name: &str) -> Result<(), PlantError> {
        checked(name)?;
        let removed = locked(&self.shelf.0).remove(name);
        removed.map(drop).ok_or_else(|| PlantError::UnknownSnapshot(name.to_owned()))
    }
}

fn checked(name: &str) -> Result<(), PlantError> {
    let usable = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let fits = (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(usable);
    if fits { Ok(()) } else { Err(PlantError::SnapshotName(name.chars().take(LONGEST_NAME).collect())) }
}
