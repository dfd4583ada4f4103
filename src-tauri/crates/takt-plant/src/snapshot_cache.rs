//! Snapshots of a plant that lives in memory.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;

use crate::{clock::ClockState, store::Store};

/// How many are held in memory.
pub(crate) const MAX_CACHED: usize = 20;

/// Snapshots in memory, by their names.
#[derive(Debug, Default)]
pub(crate) struct SnapshotCache(pub(crate) Mutex<BTreeMap<String, Arc<Snapshot>>>);

#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) store: Store,
    pub(crate) clock: ClockState,
}
