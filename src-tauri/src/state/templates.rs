//! The template sets that were read last or are being read, by number.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use takt_engine::{Canceller, Code, Problem, cleanup::TemplateSet};

const MAX_TEMPLATES: usize = 4;

/// Templates that are read until `canceller` is canceled.
#[derive(Debug, Clone)]
pub(crate) struct OpenTemplates {
    pub(crate) set: TemplateSet,
    pub(crate) canceller: Canceller,
}

#[derive(Debug, Default)]
pub(crate) struct Readings(Mutex<(u32, BTreeMap<u32, OpenTemplates>)>);

impl Readings {
    /// Stores a set, and returns its number.
    pub(crate) fn add(&self, set: TemplateSet) -> u32 {
        let mut readings = self.0.lock();
        readings.0 += 1;
        let id = readings.0;
        readings.1.insert(id, OpenTemplates { set, canceller: Canceller::new() });
        while readings.1.len() > MAX_TEMPLATES {
            if let Some((_, oldest)) = readings.1.pop_first() {
                oldest.canceller.cancel();
            }
        }
        id
    }

    pub(crate) fn get(&self, id: u32) -> Result<OpenTemplates, Problem> {
        let readings = self.0.lock();
        readings.1.get(&id).cloned().ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
    }

    /// Starts a new reading of the set, and cancels a running one.
    pub(crate) fn begin(&self, id: u32) -> Result<(TemplateSet, Canceller), Problem> {
        let mut readings = self.0.lock();
        let templates =
            readings.1.get_mut(&id).ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))?;
        templates.canceller.cancel();
        templates.canceller = Canceller::new();
        Ok((templates.set.clone(), templates.canceller.clone()))
    }
}
