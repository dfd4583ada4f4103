//! Caches columns and arrangements of a set for its tables.

use std::collections::HashMap;
use std::sync::Arc;

use crate::lists::arrange::cell::ColumnSource;
use crate::lists::arrange::column::Column;
use crate::lists::arrangement::{ArrangedRows, Arrangement};

/// The maximum number of cached columns. The least recently used one is removed first.
const MAX_COLUMNS: usize = 12;

/// The columns and the last arrangement of a set.
#[derive(Debug, Default)]
pub(in crate::lists) struct TableCache {
    /// The most recently used column is last.
    columns: Vec<Arc<Column>>,
    last: Option<(Arrangement, ArrangedRows)>,
}

impl TableCache {
    pub(super) fn last_arrangement(&self, arrangement: &Arrangement, row_count: usize) -> Option<ArrangedRows> {
        let (last_arrangement, arranged) = self.last.as_ref()?;
        (last_arrangement == arrangement && arranged.row_count == row_count).then(|| arranged.clone())
    }

    pub(super) fn store_arrangement(&mut self, arrangement: &Arrangement, arranged: &ArrangedRows) {
        self.last = Some((arrangement.clone(), arranged.clone()));
    }

    /// Returns the columns of `sources` with `row_count` rows each. Calls `read` for columns that are missing or too
    /// short.
    pub(super) fn columns(
        &mut self,
        sources: &[ColumnSource],
        row_count: usize,
        read: impl FnOnce(&[ColumnSource]) -> Vec<Column>,
    ) -> Vec<Arc<Column>> {
        let mut columns: HashMap<String, Arc<Column>> = HashMap::new();
        let mut missing: Vec<ColumnSource> = Vec::new();
        for source in sources {
            if columns.contains_key(&source.name) || missing.iter().any(|other| other.name == source.name) {
                continue;
            }
            let index = self.columns.iter().position(|column| column.source().name == source.name);
            match index.map(|index| self.columns.remove(index)) {
                Some(column) if column.len() >= row_count => {
                    self.columns.push(Arc::clone(&column));
                    columns.insert(source.name.clone(), column);
                }
                _ => missing.push(source.clone()),
            }
        }
        for column in read(&missing) {
            let column = Arc::new(column);
            self.columns.push(Arc::clone(&column));
            columns.insert(column.source().name.clone(), column);
        }
        let excess = self.columns.len().saturating_sub(MAX_COLUMNS);
        self.columns.drain(..excess);
        sources.iter().filter_map(|source| columns.get(&source.name).cloned()).collect()
    }
}
