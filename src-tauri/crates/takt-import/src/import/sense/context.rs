//! The data that a sheet is checked against.

use std::sync::Arc;

use jiff::tz::TimeZone;
use takt_browse::reference::Reference;
use takt_core::Problem;

use super::predecessors::PredecessorValues;
use crate::import::target::Targets;

/// The data that a sheet is checked against.
#[derive(Debug, Clone)]
pub(in crate::import) struct ReferenceContext {
    pub(in crate::import) reference: Arc<Reference>,
    /// The values of earlier sheets of the same workbook.
    pub(in crate::import) predecessors: Arc<PredecessorValues>,
    /// Why the site couldn't be read again.
    pub(in crate::import) problem: Option<Problem>,
}

impl ReferenceContext {
    /// Returns the time zone of local times.
    pub(in crate::import) fn zone<'c>(&'c self, targets: &'c Targets) -> &'c TimeZone {
        if self.reference.site().is_some() { self.reference.zone() } else { &targets.time_zone }
    }
}
