//! Every remembered mapping, for moving them to another computer.

use std::sync::Arc;

use takt_core::{Clock, Problem};
use takt_journal::{Journal, mapping::MappingRecord};
use takt_sites::Context;

use crate::remembered_mapping::fields_filled;

/// The mappings that were used, for any workbook.
#[derive(Clone)]
pub struct RememberedMappings {
    journal: Arc<Journal>,
    clock: Clock,
}

takt_core::opaque_debug!(RememberedMappings);

impl RememberedMappings {
    /// Creates access to the mappings in a context's journal.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self { journal: Arc::clone(&context.journal), clock: Arc::clone(&context.clock) }
    }

    /// Returns every mapping.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn all(&self) -> Result<Vec<MappingRecord>, Problem> {
        Ok(self.journal.mappings().all()?)
    }

    /// Returns the number of an operation's mappings that fill one of these fields.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn filling(&self, operation: &str, fields: &[&str]) -> Result<usize, Problem> {
        let filled = self.journal.mappings().of(operation)?.into_iter().filter_map(|record| fields_filled(record.body));
        Ok(filled.filter(|filled| filled.iter().any(|field| fields.contains(&field.as_str()))).count())
    }

    /// Remembers mappings (operation, fingerprint of the headings, body) for headings without a remembered mapping.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read or written.
    pub fn add(&self, mappings: impl Iterator<Item = (String, String, serde_json::Value)>) -> Result<(), Problem> {
        for (operation, headings, body) in mappings {
            if self.journal.mappings().find(&operation, &headings)?.is_none() {
                let at = (self.clock)();
                self.journal.mappings().store(&MappingRecord { operation, headings, body, at })?;
            }
        }
        Ok(())
    }
}
