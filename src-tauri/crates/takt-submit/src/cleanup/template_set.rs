//! A set of requested templates with the content that was read so far.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use parking_lot::RwLock;
use takt_core::Problem;

use super::{
    cleanup_contract::TemplateProcess,
    view::{TemplatesProgress, saturating_u32},
};

/// A set of requested templates with the content that was read so far. Clones share the content.
#[derive(Debug, Clone)]
pub struct TemplateSet(Arc<TemplateSetState>);

#[derive(Debug)]
struct TemplateSetState {
    site: String,
    ids: Vec<i64>,
    readings: RwLock<TemplateReadings>,
}

/// The templates that were read so far, and the problems of the others.
#[derive(Debug, Default, Clone)]
pub(super) struct TemplateReadings {
    /// By ID.
    pub(super) templates: BTreeMap<i64, Vec<TemplateProcess>>,
    /// IDs that the service doesn't know.
    pub(super) absent: Vec<i64>,
    pub(super) failed: Vec<(i64, Problem)>,
    /// The codes and descriptions of all processes. Absent if they couldn't be read or haven't been read yet.
    pub(super) all_processes: Option<Vec<(String, String)>>,
    pub(super) list_problem: Option<Problem>,
}

impl TemplateSet {
    /// Creates a set without readings.
    pub(super) fn new(site: &str, ids: &[i64]) -> Self {
        let (site, ids) = (site.to_owned(), ids.to_vec());
        Self(Arc::new(TemplateSetState { site, ids, readings: RwLock::default() }))
    }

    #[must_use]
    pub fn site(&self) -> &str {
        &self.0.site
    }

    pub(super) fn readings(&self) -> TemplateReadings {
        self.0.readings.read().clone()
    }

    /// Returns the IDs that aren't settled, in the order in which they were requested.
    pub(super) fn unsettled_ids(&self) -> Vec<i64> {
        let readings = self.0.readings.read();
        let known: HashSet<i64> = readings.settled_ids().collect();
        self.0.ids.iter().copied().filter(|id| !known.contains(id)).collect()
    }

    #[must_use]
    pub fn progress(&self) -> TemplatesProgress {
        let readings = self.0.readings.read();
        TemplatesProgress {
            requested: saturating_u32(self.0.ids.len()),
            settled: saturating_u32(readings.settled_ids().count()),
            existing: saturating_u32(readings.templates.len()),
        }
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut TemplateReadings)) {
        change(&mut self.0.readings.write());
    }

    pub(super) fn record_reading(&self, id: i64, read: Result<Vec<TemplateProcess>, Problem>) {
        self.update(|readings| match read {
            Ok(processes) => drop(readings.templates.insert(id, processes)),
            Err(problem) => readings.failed.push((id, problem)),
        });
    }
}

impl TemplateReadings {
    fn settled_ids(&self) -> impl Iterator<Item = i64> {
        let failed = self.failed.iter().map(|(id, _)| *id);
        self.templates.keys().copied().chain(self.absent.iter().copied()).chain(failed)
    }
}
