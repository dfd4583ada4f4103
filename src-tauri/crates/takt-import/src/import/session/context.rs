//! The data that a session needs from the imports.

use std::sync::OnceLock;

use takt_contract::Contract;
use takt_sheet::Limits;

use crate::import::{mapping::NearestMapping, proposal::KnownOperations, sense::ReferenceContext};

/// What a session needs from the imports.
pub(in crate::import) struct SessionContext<'a> {
    pub(in crate::import) contract: &'a Contract,
    /// Returns the mapping that was used for these headings, or for similar ones.
    pub(in crate::import) remembered: &'a dyn Fn(&str, &[String]) -> Option<NearestMapping>,
    /// Returns the operation that these headings were last used for.
    pub(in crate::import) used_for: &'a dyn Fn(&[String]) -> Option<String>,
    pub(in crate::import) limits: Limits,
    /// The reference data before any site is known.
    pub(in crate::import) reference_context: ReferenceContext,
    /// Created on first use.
    pub(in crate::import) operations: OnceLock<KnownOperations>,
}

impl SessionContext<'_> {
    pub(super) fn operations(&self) -> &KnownOperations {
        self.operations.get_or_init(|| KnownOperations::new(self.contract))
    }
}
