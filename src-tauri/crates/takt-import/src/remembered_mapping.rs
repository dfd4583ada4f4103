//! Finds remembered mappings by operation and headings.

use takt_core::{Code, Problem};
use takt_journal::{JournalError, mapping::MappingRecord};

use crate::{
    imports::Imports,
    mapping::{self, MappingFile, NearestMapping, StoredMapping},
    target,
};

impl Imports {
    /// Returns the mapping of equal headings, otherwise that of the most similar ones. Unreadable mappings are ignored.
    pub(crate) fn remembered(&self, operation: &str, headings: &[String]) -> Option<NearestMapping> {
        let exact = readable(self.journal.mappings().find(operation, &mapping::fingerprint(headings)))?;
        if let Some(stored) = exact.and_then(|record| StoredMapping::from_body(record.body)) {
            return Some(mapping::from_stored(stored, headings));
        }
        let records = readable(self.journal.mappings().of(operation))?.into_iter();
        mapping::nearest(records.filter_map(|record| StoredMapping::from_body(record.body)).collect(), headings)
    }

    pub(crate) fn find_last_operation(&self, headings: &[String]) -> Option<String> {
        self.journal.mappings().last(&mapping::fingerprint(headings)).ok()?.map(|record| record.operation)
    }

    pub(crate) fn remember(&self, mapping: &MappingFile, headings: &[String]) -> Result<(), Problem> {
        let stored = StoredMapping { mapping: mapping.clone(), headings: headings.to_vec() };
        let body = serde_json::to_value(&stored).map_err(|error| Problem::new(Code::Bug).details(error))?;
        let record = MappingRecord {
            operation: match &mapping.list {
                Some(list) => target::part_mapping_key(&mapping.operation, list),
                None => mapping.operation.clone(),
            },
            headings: mapping::fingerprint(headings),
            body,
            at: (self.clock)(),
        };
        Ok(self.journal.mappings().store(&record)?)
    }
}

/// Returns the paths of the fields that a remembered mapping fills, or `None` if it can't be read.
pub(crate) fn fields_filled(body: serde_json::Value) -> Option<Vec<String>> {
    let MappingFile { columns, constants, joined, .. } = StoredMapping::from_body(body)?.mapping;
    let of_columns = columns.values().flat_map(|fields| fields.paths().iter().cloned());
    Some(of_columns.chain(constants.into_keys()).chain(joined.into_keys()).collect())
}

fn readable<T>(result: Result<T, JournalError>) -> Option<T> {
    result.inspect_err(|error| tracing::warn!(%error, "the remembered mappings couldn't be read")).ok()
}
