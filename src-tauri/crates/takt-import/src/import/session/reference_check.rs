//! The opened sheet beside what a site holds.

use std::sync::Arc;

use takt_contract::Contract;

use super::Session;
use takt_browse::reference::{Reference, ReferenceRequest};
use takt_core::Problem;

use crate::import::sense::{self, PredecessorValues, ReferenceChecks};

impl Session {
    /// What the sheet's filled fields need to know of a site.
    pub(in crate::import) fn reference_requests(&self, contract: &Contract) -> Vec<ReferenceRequest> {
        self.plan().map(|plan| sense::reference_requests(contract, &plan, self.rows())).unwrap_or_default()
    }

    /// Checks every row again, against this.
    pub(in crate::import) fn set_reference(&mut self, reference: Arc<Reference>, problem: Option<Problem>) {
        (self.reference_context.reference, self.reference_context.problem) = (reference, problem);
        self.sense_again();
    }

    /// Takes what earlier sheets make for known, and checks every row again.
    pub(in crate::import) fn take_made(&mut self, made: Arc<PredecessorValues>) {
        if self.reference_context.predecessors != made {
            self.reference_context.predecessors = made;
            self.sense_again();
        }
    }

    /// These codes and then those that the site is known to hold and that are like the text, nearest first.
    pub(super) fn with_known(&self, known: &dyn Fn(&str, &str) -> Vec<String>) -> impl Fn(&str, &str) -> Vec<String> {
        |path, text| {
            let mut codes = known(path, text);
            let targets = self.targets.as_ref();
            codes.extend(targets.iter().flat_map(|targets| self.senses.nearest(targets, path, text)));
            codes
        }
    }

    pub(super) fn make_sense(&mut self) {
        let targets = self.targets.as_ref();
        let senses = targets.map(|targets| ReferenceChecks::new(targets, &self.layout, &self.reference_context));
        self.senses = senses.unwrap_or_default();
    }

    fn sense_again(&mut self) {
        self.filtered = None;
        self.make_sense();
        self.check_rows();
    }
}
