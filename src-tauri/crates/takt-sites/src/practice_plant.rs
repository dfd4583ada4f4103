//! The clock of the embedded practice plant, and the ID of its rows.

use std::sync::Arc;

use parking_lot::RwLock;
use takt_core::Clock;

/// A function that returns the ID of the practice plant's rows.
pub type StateIdSource = Arc<dyn Fn() -> String + Send + Sync>;

/// The embedded practice plant.
#[derive(Default)]
pub struct PracticePlant {
    clock: RwLock<Option<Clock>>,
    state_id_source: RwLock<Option<StateIdSource>>,
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
    pub fn set_state_id_source(&self, source: StateIdSource) {
        *self.state_id_source.write() = Some(source);
    }

    /// Returns the ID of the plant's rows. `None` for a plant that ends with its process.
    #[must_use]
    pub fn state_id(&self) -> Option<String> {
        self.state_id_source.read().as_ref().map(|source| source())
    }
}
