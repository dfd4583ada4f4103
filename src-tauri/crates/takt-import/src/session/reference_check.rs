//! Checks the opened sheet against a site's reference data.

use std::sync::Arc;

use takt_contract::Contract;

use super::{recompute::Changed, state::Session};
use takt_browse::reference::{Reference, ReferenceRequest};
use takt_core::Problem;

use crate::reference_checks::{self, PredecessorValues};

impl Session {
    /// Returns the reference data that the sheet's filled fields need.
    pub(crate) fn reference_requests(&self, contract: &Contract) -> Vec<ReferenceRequest> {
        self.mapper()
            .map(|mapper| reference_checks::reference_requests(contract, &mapper, self.rows()))
            .unwrap_or_default()
    }

    /// Checks every row again, against this data.
    pub(crate) fn set_reference(&mut self, reference: Arc<Reference>, problem: Option<Problem>) {
        (self.reference_context.reference, self.reference_context.problem) = (reference, problem);
        self.recompute(Changed::Reference);
    }

    /// Makes the values of earlier sheets known, and checks every row again.
    pub(crate) fn set_predecessors(&mut self, predecessors: Arc<PredecessorValues>) {
        if self.reference_context.predecessors != predecessors {
            self.reference_context.predecessors = predecessors;
            self.recompute(Changed::Reference);
        }
    }

    /// Appends the site's codes that are like the text to these codes, nearest first.
    pub(super) fn with_similar_codes(
        &self,
        site_codes: &dyn Fn(&str, &str) -> Vec<String>,
    ) -> impl Fn(&str, &str) -> Vec<String> {
        |path, text| {
            let mut codes = site_codes(path, text);
            let targets = self.mapping.targets.as_ref();
            codes
                .extend(targets.iter().flat_map(|targets| self.computed.reference_checks.nearest(targets, path, text)));
            codes
        }
    }
}
