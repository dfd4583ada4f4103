//! A cache of the rows in a time window, so that reading all its pages searches the table once. A change of a row
//! clears it.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::time_window::TimeWindow;

/// The most cached windows. The oldest is removed.
const MAX_WINDOWS: usize = 8;

/// Positions by window, the latest last.
#[derive(Debug, Default)]
pub(super) struct WindowCache(Mutex<Vec<(TimeWindow, Arc<[u32]>)>>);

impl WindowCache {
    /// Returns the positions of the rows in a window, from the cache or from `search`.
    pub(super) fn get_or_search(&self, window: TimeWindow, search: impl FnOnce() -> Arc<[u32]>) -> Arc<[u32]> {
        let known = self.0.lock().iter().find(|(known, _)| *known == window).map(|(_, rows)| Arc::clone(rows));
        if let Some(rows) = known {
            return rows;
        }
        // Searches without the lock, so that other threads can read. The table can't change meanwhile.
        let rows = search();
        let mut windows = self.0.lock();
        if windows.len() >= MAX_WINDOWS {
            windows.remove(0);
        }
        windows.push((window, Arc::clone(&rows)));
        rows
    }

    pub(super) fn clear(&mut self) {
        self.0.get_mut().clear();
    }
}

/// A cloned table starts with an empty cache.
impl Clone for WindowCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}
