//! Marks a change that was learned from its read as tried, once an item was sent.

use super::differences::{FieldOverlay, Overlay};
use crate::{Provenance, ProvenanceLevel};

const SOURCE: &str = "a trial run";

impl Overlay {
    /// Returns the overlay with an operation marked as tried. None if the operation doesn't wait for a trial.
    #[must_use]
    pub fn tried(&self, operation: &str) -> Option<Self> {
        let mut overlay = self.clone();
        let tried = overlay.operations.iter_mut().find(|one| one.id == operation && one.untried == Some(true))?;
        tried.untried = Some(false);
        prove(&mut tried.provenance);
        tried.request.iter_mut().for_each(|shape| prove_fields(&mut shape.fields));
        Some(overlay)
    }
}

fn prove_fields(fields: &mut [FieldOverlay]) {
    for field in fields {
        prove(&mut field.provenance);
        prove_fields(&mut field.fields);
    }
}

/// Replaces the source of observed parts. Those from a document or the user stay.
fn prove(provenance: &mut Provenance) {
    if provenance.level == ProvenanceLevel::Observed {
        SOURCE.clone_into(&mut provenance.source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlay::{OperationOverlay, ShapeOverlay};

    #[test]
    fn a_trial_proves_what_was_observed_and_nothing_twice() {
        let of = |level| Provenance { level, source: "before".to_owned() };
        let mut operation = OperationOverlay::new("sync", of(ProvenanceLevel::Site));
        operation.untried = Some(true);
        let fields = vec![FieldOverlay::new("code", of(ProvenanceLevel::Observed))];
        operation.request = Some(ShapeOverlay { fields, ..ShapeOverlay::default() });
        let overlay = Overlay { operations: vec![operation], ..Overlay::default() };
        let tried = overlay.tried("sync").unwrap();
        let operation = &tried.operations[0];
        assert_eq!((operation.untried, operation.provenance.source.as_str()), (Some(false), "before"));
        assert_eq!(operation.request.as_ref().unwrap().fields[0].provenance.source, SOURCE);
        assert!(tried.tried("sync").is_none() && overlay.tried("other").is_none());
    }
}
