//! Templates that were read, or are being read: the newest few, by number.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use takt_engine::{Canceller, Code, Problem, cleanup::TemplateSet};

use super::AppState;

const MAX_TEMPLATES: usize = 4;

/// Templates that are read until `canceller` says otherwise.
#[derive(Debug, Clone)]
pub(crate) struct OpenTemplates {
    pub(crate) set: TemplateSet,
    pub(crate) canceller: Canceller,
}

#[derive(Debug, Default)]
pub(super) struct Readings(Mutex<(u32, BTreeMap<u32, OpenTemplates>)>);

impl AppState {
    /// Keeps a set; by its number it is found again.
    pub(crate) fn add_templates(&self, set: TemplateSet) -> u32 {
        let mut readings = self.readings.0.lock();
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

    pub(crate) fn templates(&self, id: u32) -> Result<OpenTemplates, Problem> {
        let readings = self.readings.0.lock();
        readings.1.get(&id).cloned().ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
    }

    /// A new reading of the set begins; one that was under way ends.
    pub(crate) fn begin_templates(&self, id: u32) -> Result<(TemplateSet, Canceller), Problem> {
        let mut readings = self.readings.0.lock();
        let kept =
            readings.1.get_mut(&id).ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))?;
        kept.canceller.cancel();
        kept.canceller = Canceller::new();
        Ok((kept.set.clone(), kept.canceller.clone()))
    }
}
