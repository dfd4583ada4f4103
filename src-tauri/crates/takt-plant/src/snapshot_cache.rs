//! Snapshots of a plant without a data folder.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;

use crate::{clock::ClockState, store::Store};

/// The most snapshots in memory.
pub(crate) const MAX_CACHED: usize = 20;

/// Snapshots in memory, by their names.
#[derive(Debug, Default)]
pub(crate) struct SnapshotCache(pub(crate) Mutex<BTreeMap<String, Arc<Snapshot>>>);

#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) store: Store,
    pub(crate) clock: ClockState,
}
