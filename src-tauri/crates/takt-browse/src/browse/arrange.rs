//! A set's rows in a person's order: sorted, filtered, searched.
//!
//! Owns which rows are shown and in which order, as positions in the set, and keeps the last answer with the set. Leaves the
//! columns' values to `extract` and `column`, single tests to `cell_filter`, and how a table looks to the window.

mod cache;
mod cell;
mod cell_filter;
mod column;
mod extract;
mod natural;

use std::{cmp::Ordering, sync::Arc};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use takt_contract::Shape;

use super::RowSet;
use takt_core::Problem;

use crate::Browse;
use cell::ColumnSource;
use cell_filter::CellFilter;
use column::{Column, EMPTY};

pub(super) use cache::TableCache;

/// How a table's rows are put in order, and which of them are shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Arrangement {
    /// The first decides; where it finds two rows alike the next one does, and last their position in the set.
    pub sort: Vec<SortBy>,
    /// All must hold.
    pub filters: Vec<Filter>,
    /// A text that stands anywhere in the row, without regard to case; empty where nothing is searched.
    pub find: String,
}

/// Empty cells come last, in both directions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SortBy {
    /// A field of the row, or of a nested part: `area.code`.
    pub path: String,
    pub descending: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Filter {
    pub path: String,
    pub test: Test,
}

/// What a cell must be. Texts are compared without regard to case; an empty cell passes only [`Test::Empty`] and [`Test::Lacks`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum Test {
    Contains {
        text: String,
    },
    Lacks {
        text: String,
    },
    Equals {
        text: String,
    },
    OneOf {
        texts: Vec<String>,
    },
    Empty,
    Filled,
    /// Both ends included. Time spans are counted in ticks, lists by their parts.
    Between {
        from: Option<f64>,
        to: Option<f64>,
    },
    /// `yyyy-mm-dd[Thh:mm[:ss]]` in the site's time zone; a day or a minute is included as a whole.
    During {
        from: Option<String>,
        to: Option<String>,
    },
    Truth {
        value: bool,
    },
}

/// Positions in the set, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrangedRows {
    pub positions: Arc<[u32]>,
    /// Rows of the set when it was arranged.
    pub of: usize,
}

/// One value of a column, and how many rows have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ValueCount {
    pub text: String,
    pub rows: u32,
}

impl Arrangement {
    /// True where rows stand as the service gave them.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.sort.is_empty() && self.filters.is_empty() && self.find.trim().is_empty()
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        let sorts = self.sort.iter().map(|by| by.path.as_str());
        sorts.chain(self.filters.iter().map(|filter| filter.path.as_str()))
    }
}

impl Browse {
    /// Which rows of a set are shown, in which order. A set that has grown since is arranged anew. Keeps a processor busy.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): the contract doesn't know the set's operation any more.
    pub fn arrange(&self, set: &RowSet, arrangement: &Arrangement) -> Result<ArrangedRows, Problem> {
        let of = set.len();
        if arrangement.is_plain() {
            return Ok(ArrangedRows { positions: (0..position(of)).collect(), of });
        }
        let mut cache = set.cache();
        if let Some(found) = cache.last(arrangement, of) {
            return Ok(found);
        }
        let wanted = self.column_sources(set, arrangement.paths())?;
        let columns = cache.columns(set, &wanted, of);
        let positions: Arc<[u32]> = arranged(set, &columns, arrangement, of).into();
        let found = ArrangedRows { positions, of };
        cache.insert(arrangement, &found);
        Ok(found)
    }

    /// A column's values as a person would type them, the most frequent `most` of them in their order.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): the contract doesn't know the set's operation any more.
    pub fn column_values(&self, set: &RowSet, path: &str, most: usize) -> Result<Vec<ValueCount>, Problem> {
        let wanted = self.column_sources(set, std::iter::once(path))?;
        let columns = set.cache().columns(set, &wanted, set.len());
        Ok(columns.first().map(|column| column.values(most)).unwrap_or_default())
    }

    fn column_sources<'a>(
        &self,
        set: &RowSet,
        paths: impl Iterator<Item = &'a str>,
    ) -> Result<Vec<ColumnSource>, Problem> {
        let shape = self.answer_shape(set.site(), set.operation())?;
        let zone = TimeZone::get(&self.sites.zone(set.site())).unwrap_or(TimeZone::UTC);
        Ok(paths.map(|path| column_source(&shape, path, &zone)).collect())
    }
}

fn column_source(shape: &Shape, path: &str, zone: &TimeZone) -> ColumnSource {
    let field = shape.flat().into_iter().find(|(found, _)| found == path).map(|(_, field)| field);
    match field {
        Some(field) => ColumnSource::new(path, path.split('.').map(str::to_owned).collect(), Some(field.kind), zone),
        None => ColumnSource::new(path, vec![path.to_owned()], None, zone),
    }
}

/// `columns` are those of the sort, then those of the filters.
fn arranged(set: &RowSet, columns: &[Arc<Column>], arrangement: &Arrangement, of: usize) -> Vec<u32> {
    let (sorts, tested) = columns.split_at(arrangement.sort.len().min(columns.len()));
    let mut shown: Vec<u32> = (0..position(of)).collect();
    for (filter, column) in arrangement.filters.iter().zip(tested) {
        let sieve = CellFilter::new(&filter.test);
        shown.retain(|at| sieve.passes(set, column, *at));
    }
    if !arrangement.find.trim().is_empty() {
        shown = cell_filter::find(set, &shown, arrangement.find.trim());
    }
    let ranks: Vec<(Arc<[u32]>, bool)> =
        sorts.iter().zip(&arrangement.sort).map(|(column, by)| (column.ranks(), by.descending)).collect();
    if !ranks.is_empty() {
        shown.sort_by(|a, b| between(&ranks, *a, *b));
    }
    shown
}

fn between(ranks: &[(Arc<[u32]>, bool)], a: u32, b: u32) -> Ordering {
    for (ranks, descending) in ranks {
        let rank = |at: u32| ranks.get(at as usize).copied().unwrap_or(EMPTY);
        let (first, second) = (rank(a), rank(b));
        let order = match (first == EMPTY, second == EMPTY) {
            (false, false) if *descending => second.cmp(&first),
            _ => first.cmp(&second),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.cmp(&b)
}

/// Sets never come near so many rows.
fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
