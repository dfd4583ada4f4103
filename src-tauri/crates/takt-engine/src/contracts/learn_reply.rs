//! Learns from the response to a first row how an operation responds.

use takt_contract::ProvenanceLevel;
use takt_core::{Code, Problem};
use takt_openapi::observation::{Evidence, Observation, observe_reply};

use super::{
    live::SOURCE,
    site_contracts::{Contracts, PendingContract},
};

impl Contracts {
    /// Compares the response to a single row to the contract in force. Returns nothing if they agree. The learned
    /// changes can be applied with [`Contracts::take`].
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name, or its contract has no such operation.
    /// - [`Code::AnswerNotUnderstood`]: the response isn't JSON.
    /// - A [journal code](takt_core::problem#journal-codes): the contract in force can't be read.
    pub fn learn_reply(&self, site: &str, operation: &str, answer: &str) -> Result<Vec<Evidence>, Problem> {
        let contract = self.sites.contract(site)?;
        let unknown = || Problem::new(Code::Unknown).parameter("what", operation);
        let known = contract.operation(operation).ok_or_else(unknown)?;
        let answer = serde_json::from_str(answer.trim_start_matches('\u{feff}'))
            .map_err(|error| Problem::new(Code::AnswerNotUnderstood).details(error))?;
        let Some(Observation { mut overlay, evidence }) = observe_reply(known, &answer, &contract) else {
            return Ok(Vec::new());
        };
        // A document or the user may have set the operation's address.
        if known.provenance.level != ProvenanceLevel::Assumed {
            overlay.operations.iter_mut().for_each(|one| one.provenance.clone_from(&known.provenance));
        }
        let overlay = self.sites.overlay(site)?.merged(&overlay);
        let pending = PendingContract { source: SOURCE.to_owned(), bytes: Vec::new(), overlay };
        self.pending().insert(site.to_owned(), pending);
        Ok(evidence)
    }
}
