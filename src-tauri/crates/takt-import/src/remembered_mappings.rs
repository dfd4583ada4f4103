//! Remembered mappings, found by operation and headings. All of them can be moved to another computer.

use std::sync::Arc;

use takt_core::{Clock, Code, Problem};
use takt_journal::{Journal, JournalError, mapping::MappingRecord};
use takt_sites::Context;

use crate::{
    imports::Imports,
    mapping::{self, MappingFile, NearestMapping, StoredMapping},
    target,
};

/// The mappings that were used for earlier workbooks.
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
    /// A [journal code](takt_core::problem#journal-codes): the mappings can't be read.
    pub fn all_mappings(&self) -> Result<Vec<MappingRecord>, Problem> {
        Ok(self.journal.mappings().all()?)
    }

    /// Returns the number of an operation's mappings that fill one of these fields.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the mappings can't be read.
    pub fn count_mappings_with_fields(&self, operation: &str, fields: &[&str]) -> Result<usize, Problem> {
        let filled = self
            .journal
            .mappings()
            .list_by_operation(operation)?
            .into_iter()
            .filter_map(|record| filled_fields(record.body));
        Ok(filled.filter(|filled| filled.iter().any(|field| fields.contains(&field.as_str()))).count())
    }

    /// Remembers mappings (operation, fingerprint of the headings, body) for headings without a remembered mapping.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the mappings can't be read or written.
    pub fn add_mappings(
        &self,
        mappings: impl Iterator<Item = (String, String, serde_json::Value)>,
    ) -> Result<(), Problem> {
        for (operation, headings, body) in mappings {
            if self.journal.mappings().find(&operation, &headings)?.is_none() {
                let at = (self.clock)();
                self.journal.mappings().store(&MappingRecord { operation, headings, body, at })?;
            }
        }
        Ok(())
    }
}

impl Imports {
    /// Returns the mapping for equal headings, otherwise the mapping with the most similar headings. Unreadable
    /// mappings are ignored.
    pub(crate) fn find_mapping(&self, operation: &str, headings: &[String]) -> Option<NearestMapping> {
        let exact = log_unreadable(self.journal.mappings().find(operation, &mapping::headings_fingerprint(headings)))?;
        if let Some(stored) = exact.and_then(|record| StoredMapping::from_body(record.body)) {
            return Some(mapping::adapt_stored(stored, headings));
        }
        let records = log_unreadable(self.journal.mappings().list_by_operation(operation))?.into_iter();
        mapping::find_nearest_mapping(
            records.filter_map(|record| StoredMapping::from_body(record.body)).collect(),
            headings,
        )
    }

    pub(crate) fn find_last_operation(&self, headings: &[String]) -> Option<String> {
        self.journal.mappings().last(&mapping::headings_fingerprint(headings)).ok()?.map(|record| record.operation)
    }

    pub(crate) fn remember_mapping(&self, mapping: &MappingFile, headings: &[String]) -> Result<(), Problem> {
        let stored = StoredMapping { mapping: mapping.clone(), headings: headings.to_vec() };
        let body = serde_json::to_value(&stored).map_err(|error| Problem::new(Code::Bug).details(error))?;
        let record = MappingRecord {
            operation: match &mapping.list {
                Some(list) => target::part_mapping_key(&mapping.operation, list),
                None => mapping.operation.clone(),
            },
            headings: mapping::headings_fingerprint(headings),
            body,
            at: (self.clock)(),
        };
        Ok(self.journal.mappings().store(&record)?)
    }
}

/// Returns the paths of the fields that a remembered mapping fills, or `None` if it can't be read.
fn filled_fields(body: serde_json::Value) -> Option<Vec<String>> {
    let MappingFile { columns, constants, joined, .. } = StoredMapping::from_body(body)?.mapping;
    let of_columns = columns.values().flat_map(|fields| fields.paths().iter().cloned());
    Some(of_columns.chain(constants.into_keys()).chain(joined.into_keys()).collect())
}

fn log_unreadable<T>(result: Result<T, JournalError>) -> Option<T> {
    result.inspect_err(|error| tracing::warn!(%error, "the remembered mappings couldn't be read")).ok()
}
