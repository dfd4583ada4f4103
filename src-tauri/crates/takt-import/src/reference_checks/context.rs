//! The data that a sheet is checked against.

use std::sync::Arc;

use jiff::tz::TimeZone;
use takt_browse::reference::Reference;
use takt_core::Problem;

use super::predecessors::PredecessorValues;
use crate::target::Targets;

/// The data that a sheet is checked against.
#[derive(Debug, Clone)]
pub(crate) struct ReferenceContext {
    pub(crate) reference: Arc<Reference>,
    /// The values of earlier sheets of the same workbook.
    pub(crate) predecessors: Arc<PredecessorValues>,
    /// Why the site couldn't be read again.
    pub(crate) problem: Option<Problem>,
}

impl ReferenceContext {
    /// Returns the time zone of local times.
    pub(crate) fn zone<'c>(&'c self, targets: &'c Targets) -> &'c TimeZone {
        if self.reference.site().is_some() { self.reference.zone() } else { &targets.time_zone }
    }
}
