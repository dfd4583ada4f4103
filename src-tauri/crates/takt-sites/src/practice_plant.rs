//! The clock of the embedded practice plant, and the ID of its rows.

use std::sync::Arc;

use parking_lot::RwLock;
use takt_core::Clock;

/// Returns the ID of the practice plant's rows.
pub type StateSource = Arc<dyn Fn() -> String + Send + Sync>;

/// The embedded practice plant.
#[derive(Default)]
pub struct PracticePlant {
    clock: RwLock<Option<Clock>>,
    state: RwLock<Option<StateSource>>,
}

takt_core::opaque_debug!(PracticePlant);

impl PracticePlant {
    /// Sets the plant's clock. Without it, the system's clock is used.
    pub fn set_clock(&self, clock: Clock) {
        *self.clock.write() = Some(clock);
    }

    pub(crate) fn clock(&self) -> Option<Clock> {
        self.clock.read().clone()
    }

    /// Sets the source of the ID of the plant's rows, for a plant that survives a restart. The ID changes when the plant
    /// is reset.
    pub fn set_state(&self, state: StateSource) {
        *self.state.write() = Some(state);
    }

    /// Returns the ID of the plant's rows. `None` for a plant that ends with its process.
    #[must_use]
    pub fn state_id(&self) -> Option<String> {
        self.state.read().as_ref().map(|state| state())
    }
}
