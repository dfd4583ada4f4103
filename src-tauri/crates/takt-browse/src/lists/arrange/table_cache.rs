//! Caches columns and arrangements of a set for its tables.

use std::collections::HashMap;
use std::sync::Arc;

use crate::lists::arrange::cell::ColumnSource;
use crate::lists::arrange::column::Column;
use crate::lists::arrangement::{ArrangedRows, Arrangement};

/// Limits the cached columns. The least recently used one is removed first.
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
        (last_arrangement == arrangement && arranged.of == row_count).then(|| arranged.clone())
    }

    pub(super) fn store_arrangement(&mut self, arrangement: &Arrangement, arranged: &ArrangedRows) {
        self.last = Some((arrangement.clone(), arranged.clone()));
    }

    /// Returns the wanted columns with `row_count` rows each. Calls `read` for columns that are missing or too short.
    pub(super) fn columns(
        &mut self,
        wanted: &[ColumnSource],
        row_count: usize,
        read: impl FnOnce(&[ColumnSource]) -> Vec<Column>,
    ) -> Vec<Arc<Column>> {
        let mut columns: HashMap<String, Arc<Column>> = HashMap::new();
        let mut missing: Vec<ColumnSource> = Vec::new();
        for one in wanted {
            if columns.contains_key(&one.name) || missing.iter().any(|other| other.name == one.name) {
                continue;
            }
            let index = self.columns.iter().position(|column| column.source().name == one.name);
            match index.map(|index| self.columns.remove(index)) {
                Some(column) if column.len() >= row_count => {
                    self.columns.push(Arc::clone(&column));
                    columns.insert(one.name.clone(), column);
                }
                _ => missing.push(one.clone()),
            }
        }
        for column in read(&missing) {
            let column = Arc::new(column);
            self.columns.push(Arc::clone(&column));
            columns.insert(column.source().name.clone(), column);
        }
        let excess = self.columns.len().saturating_sub(MAX_COLUMNS);
        self.columns.drain(..excess);
        wanted.iter().filter_map(|one| columns.get(&one.name).cloned()).collect()
    }
}
