//! A column of a set, with the ranks of its values.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::lists::arrange::cell::{Cell, ColumnSource};
use crate::lists::arrange::natural_order::natural_key;

/// The rank of an empty cell.
pub(super) const EMPTY_RANK: u32 = u32::MAX;

/// A value of a column with its number of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ValueCount {
    pub text: String,
    pub rows: u32,
}

/// A column of a set, as of the time when it was read. The set may have grown since.
#[derive(Debug)]
pub(super) struct Column {
    source: ColumnSource,
    cells: Vec<Cell>,
    ranks: OnceLock<Arc<[u32]>>,
}

impl Column {
    pub(super) fn new(source: ColumnSource, cells: Vec<Cell>) -> Self {
        Self { source, cells, ranks: OnceLock::new() }
    }

    /// Returns the number of rows that the column was read from.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn source(&self) -> &ColumnSource {
        &self.source
    }

    pub(super) fn cell(&self, at: u32) -> &Cell {
        self.cells.get(at as usize).unwrap_or(&Cell::Empty)
    }

    /// Returns for each row the rank of its value. Equal values have the same rank.
    pub(super) fn ranks(&self) -> Arc<[u32]> {
        Arc::clone(self.ranks.get_or_init(|| rank_cells(&self.cells)))
    }

    pub(super) fn values(&self, limit: usize) -> Vec<ValueCount> {
        let mut counted: HashMap<Cow<'_, str>, u32> = HashMap::new();
        for cell in self.cells.iter().filter(|cell| !matches!(cell, Cell::Empty | Cell::Cut(_))) {
            *counted.entry(cell.text()).or_default() += 1;
        }
        let mut values: Vec<ValueCount> =
            counted.into_iter().map(|(text, rows)| ValueCount { text: text.into_owned(), rows }).collect();
        values.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.text.cmp(&b.text)));
        values.truncate(limit);
        values.sort_by_cached_key(|value| (natural_key(&value.text), value.text.clone()));
        values
    }
}

/// Ranks cells. Numbers come before texts. Texts are in natural order, and equivalent ones by spelling.
fn rank_cells(cells: &[Cell]) -> Arc<[u32]> {
    let mut keys: Vec<SortKey> = Vec::with_capacity(cells.len());
    for (at, cell) in cells.iter().enumerate() {
        let position = to_position(at);
        match cell {
            Cell::Empty => {}
            Cell::Number(number) | Cell::Time(number, _) => {
                keys.push(SortKey { number: Some(*number), text: Vec::new(), position });
            }
            Cell::Text(text) | Cell::Cut(text) => {
                keys.push(SortKey { number: None, text: text_sort_key(text), position });
            }
        }
    }
    keys.sort_unstable_by(|a, b| compare_keys(a, b).then(a.position.cmp(&b.position)));
    let mut ranks = vec![EMPTY_RANK; cells.len()];
    let mut rank = 0;
    for (index, key) in keys.iter().enumerate() {
        if index > 0 && keys.get(index - 1).is_some_and(|before| compare_keys(before, key).is_ne()) {
            rank += 1;
        }
        if let Some(slot) = ranks.get_mut(key.position as usize) {
            *slot = rank;
        }
    }
    ranks.into()
}

fn text_sort_key(text: &str) -> Vec<u8> {
    let mut key = natural_key(text);
    key.push(0);
    key.extend(text.bytes());
    key
}

/// The sort key of a cell, and its row.
struct SortKey {
    number: Option<f64>,
    /// Empty if there is a number.
    text: Vec<u8>,
    position: u32,
}

/// Compares the cells without their positions.
fn compare_keys(a: &SortKey, b: &SortKey) -> std::cmp::Ordering {
    match (a.number, b.number) {
        (Some(first), Some(second)) => first.total_cmp(&second),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.text.cmp(&b.text),
    }
}

/// Converts a row's index. No set has more than `u32::MAX` rows.
pub(super) fn to_position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
