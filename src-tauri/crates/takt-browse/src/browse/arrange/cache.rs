//! What a set keeps for its tables, so that the same isn't found out twice.

use std::{collections::HashMap, sync::Arc};

use super::{ArrangedRows, Arrangement, cell::ColumnSource, column::Column, extract::read};
use crate::browse::RowSet;

/// Columns that a set keeps; the one that wasn't used for longest goes first.
const MAX_COLUMNS: usize = 12;

/// What a set keeps for its tables: columns, and the last arrangement.
#[derive(Debug, Default)]
pub(in crate::browse) struct TableCache {
    /// The one used last stands last.
    columns: Vec<Arc<Column>>,
    last: Option<(Arrangement, ArrangedRows)>,
}

impl TableCache {
    pub(super) fn last(&self, arrangement: &Arrangement, of: usize) -> Option<ArrangedRows> {
        let (asked, found) = self.last.as_ref()?;
        (asked == arrangement && found.of == of).then(|| found.clone())
    }

    pub(super) fn insert(&mut self, arrangement: &Arrangement, found: &ArrangedRows) {
        self.last = Some((arrangement.clone(), found.clone()));
    }

    /// The columns that are wanted, each `of` rows long. Rows that came since a column was read are read now.
    pub(super) fn columns(&mut self, set: &RowSet, wanted: &[ColumnSource], of: usize) -> Vec<Arc<Column>> {
        let mut found: HashMap<String, Arc<Column>> = HashMap::new();
        let mut missing: Vec<ColumnSource> = Vec::new();
        for one in wanted {
            if found.contains_key(&one.name) || missing.iter().any(|other| other.name == one.name) {
                continue;
            }
            let place = self.columns.iter().position(|column| column.source().name == one.name);
            match place.map(|place| self.columns.remove(place)) {
                Some(column) if column.len() >= of => {
                    self.columns.push(Arc::clone(&column));
                    found.insert(one.name.clone(), column);
                }
                _ => missing.push(one.clone()),
            }
        }
        for column in read(set, &missing, of) {
            let column = Arc::new(column);
            self.columns.push(Arc::clone(&column));
            found.insert(column.source().name.clone(), column);
        }
        let over = self.columns.len().saturating_sub(MAX_COLUMNS);
        self.columns.drain(..over);
        wanted.iter().filter_map(|one| found.get(&one.name).cloned()).collect()
    }
}
