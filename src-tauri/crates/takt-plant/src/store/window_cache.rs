//! Which rows lie in a window of time, remembered for the pages that follow the first: walking over all pages of a window
//! looks through the table once. What is remembered is forgotten when a row changes.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::time_window::TimeWindow;

/// So many windows are remembered, the latest ones.
const MAX_WINDOWS: usize = 8;

/// Positions by window, the latest last.
#[derive(Debug, Default)]
pub(super) struct WindowCache(Mutex<Vec<(TimeWindow, Arc<[u32]>)>>);

impl WindowCache {
    /// The positions of the rows in a window, looked for where they aren't remembered.
    pub(super) fn of(&self, window: TimeWindow, look: impl FnOnce() -> Arc<[u32]>) -> Arc<[u32]> {
        let known = self.0.lock().iter().find(|(known, _)| *known == window).map(|(_, rows)| Arc::clone(rows));
        if let Some(rows) = known {
            return rows;
        }
        // Other threads may read meanwhile. The table doesn't change while it is read.
        let rows = look();
        let mut windows = self.0.lock();
        if windows.len() >= MAX_WINDOWS {
            windows.remove(0);
        }
        windows.push((window, Arc::clone(&rows)));
        rows
    }

    pub(super) fn forget(&mut self) {
        self.0.get_mut().clear();
    }
}

/// A copy of a table finds for itself.
impl Clone for WindowCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}
