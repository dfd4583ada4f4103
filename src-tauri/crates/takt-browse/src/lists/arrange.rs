//! Sorts, filters and searches the rows of a set.
//!
//! Returns positions in the set, and caches the last result with the set. `column_reader` and `column` read columns,
//! and `cell_filter` tests cells. The window draws the table.

mod cell;
mod cell_filter;
mod column;
mod column_reader;
mod natural_order;
mod table_cache;

use std::cmp::Ordering;
use std::sync::Arc;

use jiff::tz::TimeZone;
use takt_contract::RowSchema;
use takt_core::Problem;

use crate::lists::arrangement::{ArrangedRows, Arrangement};
use crate::lists::list_reader::Browse;
use crate::lists::row_set::RowSet;
use cell::ColumnSource;
use cell_filter::{CellFilter, find_text};
use column::{Column, EMPTY_RANK, to_position};
use column_reader::read_columns;

pub use column::ValueCount;
pub(super) use table_cache::TableCache;

impl Browse {
    /// Returns the rows of a set to show, in order. Arranges a set again if it has grown. Blocks the calling thread.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): the contract no longer has the set's operation.
    pub fn arrange(&self, set: &RowSet, arrangement: &Arrangement) -> Result<ArrangedRows, Problem> {
        let row_count = set.len();
        if arrangement.is_plain() {
            return Ok(ArrangedRows { positions: (0..to_position(row_count)).collect(), row_count });
        }
        let mut cache = set.table_cache();
        if let Some(arranged) = cache.last_arrangement(arrangement, row_count) {
            return Ok(arranged);
        }
        let sources = self.column_sources(set, arrangement.paths())?;
        let columns = cache.columns(&sources, row_count, |missing| read_columns(set, missing, row_count));
        let positions: Arc<[u32]> = arrange_positions(set, &columns, arrangement, row_count).into();
        let arranged = ArrangedRows { positions, row_count };
        cache.store_arrangement(arrangement, &arranged);
        Ok(arranged)
    }

    /// Returns the `limit` most frequent values of a column as typed by the user, in natural order.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): the contract no longer has the set's operation.
    pub fn column_values(&self, set: &RowSet, path: &str, limit: usize) -> Result<Vec<ValueCount>, Problem> {
        let sources = self.column_sources(set, std::iter::once(path))?;
        let row_count = set.len();
        let columns = set.table_cache().columns(&sources, row_count, |missing| read_columns(set, missing, row_count));
        Ok(columns.first().map(|column| column.values(limit)).unwrap_or_default())
    }

    fn column_sources<'a>(
        &self,
        set: &RowSet,
        paths: impl Iterator<Item = &'a str>,
    ) -> Result<Vec<ColumnSource>, Problem> {
        let shape = self.row_shape(set.site(), set.operation())?;
        let zone = self.sites.time_zone(set.site())?;
        Ok(paths.map(|path| column_source(&shape, path, &zone)).collect())
    }
}

fn column_source(shape: &RowSchema, path: &str, zone: &TimeZone) -> ColumnSource {
    let field = shape.fields_with_paths().into_iter().find(|(found, _)| found == path).map(|(_, field)| field);
    match field {
        Some(field) => ColumnSource::new(path, path.split('.').map(str::to_owned).collect(), Some(field.kind), zone),
        None => ColumnSource::new(path, vec![path.to_owned()], None, zone),
    }
}

/// Returns the positions to show. `columns` are the columns of the sort, then the columns of the filters.
fn arrange_positions(set: &RowSet, columns: &[Arc<Column>], arrangement: &Arrangement, row_count: usize) -> Vec<u32> {
    let (sorts, filter_columns) = columns.split_at(arrangement.sort.len().min(columns.len()));
    let mut positions: Vec<u32> = (0..to_position(row_count)).collect();
    for (filter, column) in arrangement.filters.iter().zip(filter_columns) {
        let test = CellFilter::new(&filter.test);
        positions.retain(|at| test.passes(set, column, *at));
    }
    if !arrangement.find.trim().is_empty() {
        positions = find_text(set, &positions, arrangement.find.trim());
    }
    let ranks: Vec<(Arc<[u32]>, bool)> =
        sorts.iter().zip(&arrangement.sort).map(|(column, by)| (column.ranks(), by.descending)).collect();
    if !ranks.is_empty() {
        positions.sort_by(|a, b| compare_rows(&ranks, *a, *b));
    }
    positions
}

fn compare_rows(ranks: &[(Arc<[u32]>, bool)], a: u32, b: u32) -> Ordering {
    for (ranks, descending) in ranks {
        let rank = |at: u32| ranks.get(at as usize).copied().unwrap_or(EMPTY_RANK);
        let (first, second) = (rank(a), rank(b));
        let order = match (first == EMPTY_RANK, second == EMPTY_RANK) {
            (false, false) if *descending => second.cmp(&first),
            _ => first.cmp(&second),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.cmp(&b)
}
