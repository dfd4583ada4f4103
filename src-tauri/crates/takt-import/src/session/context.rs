//! The data that a session needs from the imports.

use std::sync::OnceLock;

use takt_contract::Contract;
use takt_sheet::Limits;

use crate::{mapping::NearestMapping, proposal::KnownOperations, reference_checks::ReferenceContext};

/// The data that a session needs from the imports.
pub(crate) struct SessionContext<'a> {
    pub(crate) contract: &'a Contract,
    /// Returns the mapping that was used for these headings, or for similar ones.
    pub(crate) remembered: &'a dyn Fn(&str, &[String]) -> Option<NearestMapping>,
    /// Returns the operation that these headings were last used for.
    pub(crate) used_for: &'a dyn Fn(&[String]) -> Option<String>,
    pub(crate) limits: Limits,
    /// The reference data before any site is known.
    pub(crate) reference_context: ReferenceContext,
    /// Created on first use.
    pub(crate) operations: OnceLock<KnownOperations>,
}

impl SessionContext<'_> {
    pub(super) fn operations(&self) -> &KnownOperations {
        self.operations.get_or_init(|| KnownOperations::new(self.contract))
    }
}
