//! Checks every row against the contract's types and rules. After a fix, checks only the rows that it can affect.
//! Findings are stored compactly, since a sheet may have a million of them. [`Mark::to_finding`] expands one.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use takt_core::finding::{FindingCode, Severity};
use takt_sheet::RowSpan;

use crate::{
    mark::{Mark, is_about_column},
    row_grouper::{NO_ITEM, NO_KEY, RowGrouper, UnsortedResult, date_order_marks, key_hash},
    row_mapper::RowMapper,
    row_position::RowPosition,
    target::TargetFields,
};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ImportCounts {
    /// Number of rows below the header row with content.
    pub rows: u32,
    pub items: u32,
    /// Number of rows with at least one error.
    pub error_rows: u32,
    /// Number of rows with at least one warning, including rows that also have an error.
    pub warning_rows: u32,
    /// Number of rows that can be sent.
    pub ready_rows: u32,
    pub errors: u32,
    pub warnings: u32,
    /// Number of rows that the user excluded. They're neither checked nor sent.
    pub excluded: u32,
}

impl ImportCounts {
    #[must_use]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            items: self.items + other.items,
            error_rows: self.error_rows + other.error_rows,
            warning_rows: self.warning_rows + other.warning_rows,
            ready_rows: self.ready_rows + other.ready_rows,
            errors: self.errors + other.errors,
            warnings: self.warnings + other.warnings,
            excluded: self.excluded + other.excluded,
        }
    }
}

/// A kind of finding with its count, for the grid's filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Facet {
    pub severity: Severity,
    pub code: FindingCode,
    pub field: Option<String>,
    pub count: u32,
}

/// The result of the check, by position among the rows below the header row.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckResult {
    /// Sorted by row and column.
    pub(crate) marks: Vec<Mark>,
    /// By row, the index of its first mark, with one more entry at the end.
    pub(crate) mark_starts: Vec<u32>,
    /// By row, its item, or [`crate::row_grouper::NO_ITEM`] if it's excluded.
    pub(crate) items: Vec<u32>,
    /// By row, the hash of its key, for finding rows with the same key.
    pub(crate) hashes: Vec<u64>,
    pub(crate) counts: ImportCounts,
    pub(crate) facets: Vec<Facet>,
}

/// Checks every row, and adds the notes about the order of dates.
pub(crate) fn check_all_rows(mapper: &RowMapper<'_>, rows: RowSpan<'_>) -> CheckResult {
    let (mut raw, items) = RowGrouper::check_all(mapper, rows).into_result();
    raw.marks.extend(date_order_marks(mapper, rows));
    CheckResult::new(mapper, rows.len(), raw, items)
}

impl CheckResult {
    /// Sorts and counts the result of a [`RowGrouper`].
    pub(crate) fn new(mapper: &RowMapper<'_>, rows: usize, raw: UnsortedResult, items: u32) -> Self {
        let UnsortedResult { mut marks, items: by_row, hashes } = raw;
        marks.sort_by_key(|mark| (mark.position, mark.column));
        let mut mark_starts = Vec::with_capacity(rows + 1);
        let mut next = 0;
        for row in 0..=rows {
            while marks.get(next).is_some_and(|mark| mark.position.index() < row) {
                next += 1;
            }
            mark_starts.push(u32::try_from(next).unwrap_or(u32::MAX));
        }
        let counts = ImportCounts { items, ..ImportCounts::default() };
        let mut result = Self { marks, mark_starts, items: by_row, hashes, counts, facets: Vec::new() };
        result.update_counts(mapper.targets);
        result
    }

    /// Returns whether the same rows form the same items, and the same rows have errors. Errors that depend on other
    /// sheets aren't compared, because they are only marked after a check.
    pub(crate) fn has_same_items(&self, other: &Self) -> bool {
        let error_rows = |result: &Self| -> Vec<RowPosition> {
            let is_error = |mark: &&Mark| mark.severity == Severity::Error && !is_about_parts(mark.code);
            let mut rows: Vec<_> = result.marks.iter().filter(is_error).map(|mark| mark.position).collect();
            rows.dedup();
            rows
        };
        self.items == other.items && error_rows(self) == error_rows(other)
    }

    /// Creates the result for a sheet without a known operation.
    pub(crate) fn without_operation(rows: usize) -> Self {
        let rows_u32 = u32::try_from(rows).unwrap_or(u32::MAX);
        let counts = ImportCounts { rows: rows_u32, ..ImportCounts::default() };
        Self { mark_starts: vec![0; rows + 1], items: vec![0; rows], counts, ..Self::default() }
    }

    pub(crate) fn marks_of_row(&self, position: RowPosition) -> &[Mark] {
        let at = |index: usize| self.mark_starts.get(index).map_or(self.marks.len(), |&start| start as usize);
        self.marks.get(at(position.index())..at(position.index() + 1)).unwrap_or_default()
    }

    pub(crate) fn severity(&self, position: RowPosition) -> Option<Severity> {
        self.marks_of_row(position).iter().map(|mark| mark.severity).min()
    }

    /// Returns, by item, whether one of its rows has an error.
    pub(crate) fn blocked_items(&self) -> Vec<bool> {
        let mut blocked = vec![false; self.counts.items as usize];
        for mark in self.marks.iter().filter(|mark| mark.severity == Severity::Error) {
            let item = self.items.get(mark.position.index()).copied().unwrap_or_default();
            if let Some(slot) = blocked.get_mut(item as usize) {
                *slot = true;
            }
        }
        blocked
    }
}

impl CheckResult {
    fn update_counts(&mut self, targets: &TargetFields) {
        let rows = self.mark_starts.len().saturating_sub(1);
        let blocked = self.blocked_items();
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let mut counts = ImportCounts { rows, items: self.counts.items, ..ImportCounts::default() };
        for position in (0..counts.rows).map(RowPosition::new) {
            // A row with both severities is counted twice, so that each count matches the rows that its filter shows.
            let has = |severity| self.marks_of_row(position).iter().any(|mark| mark.severity == severity);
            counts.error_rows += u32::from(has(Severity::Error));
            counts.warning_rows += u32::from(has(Severity::Warning));
            let item = self.items.get(position.index()).copied().unwrap_or_default();
            counts.excluded += u32::from(item == NO_ITEM);
            counts.ready_rows += u32::from(!blocked.get(item as usize).copied().unwrap_or(true));
        }
        let mut facets: HashMap<(Severity, FindingCode, u16), u32> = HashMap::new();
        let mut listed = HashSet::new();
        for mark in &self.marks {
            // A finding about a column is counted once, whatever the number of rows.
            let again = is_about_column(mark.code) && !listed.insert((mark.code, mark.target));
            counts.errors += u32::from(mark.severity == Severity::Error && !again);
            counts.warnings += u32::from(mark.severity == Severity::Warning);
            *facets.entry((mark.severity, mark.code, mark.target)).or_default() += 1;
        }
        self.counts = counts;
        self.facets = facets
            .into_iter()
            .map(|((severity, code, target), count)| {
                let field = targets.fields.get(target as usize).map(|target| target.path.clone());
                Facet { severity, code, field, count }
            })
            .collect();
        self.facets
            .sort_by(|a, b| (a.severity, b.count, a.code, &a.field).cmp(&(b.severity, a.count, b.code, &b.field)));
    }
}

/// A recheck covers at most all rows divided by this number. If more rows changed, all rows are checked, which is as
/// fast.
const FULL_CHECK_DIVISOR: usize = 4;

/// Checks the changed rows again. `changed` are ascending positions. The column formats must be the same as for
/// `before`.
pub(crate) fn recheck_rows(
    mapper: &RowMapper<'_>,
    rows: RowSpan<'_>,
    before: CheckResult,
    changed: &[u32],
) -> CheckResult {
    if changed.len() > rows.len() / FULL_CHECK_DIVISOR || before.hashes.len() != rows.len() {
        return check_all_rows(mapper, rows);
    }
    let affected = rows_to_check(mapper, rows, &before, changed);
    let positions = (0..rows.len()).filter(|&position| affected.get(position) == Some(&true));
    let (result, checked_items) = RowGrouper::check_rows(mapper, rows, positions).into_result();
    let mut numbering = ItemNumbering::new(&before, checked_items);
    let is_affected = |position: usize| affected.get(position).copied().unwrap_or_default();
    let items = (0..rows.len())
        .map(|position| numbering.number_item(&before, &result, position, is_affected(position)))
        .collect();
    let hashes = (0..rows.len()).map(|position| {
        let from = if is_affected(position) { &result.hashes } else { &before.hashes };
        from.get(position).copied().unwrap_or(NO_KEY)
    });
    let hashes = hashes.collect();
    let mut marks: Vec<_> = before
        .marks
        .into_iter()
        .filter(|mark| !is_affected(mark.position.index()) && mark.code != FindingCode::DateOrder)
        .collect();
    marks.extend(result.marks);
    marks.extend(date_order_marks(mapper, rows));
    CheckResult::new(mapper, rows.len(), UnsortedResult { marks, items, hashes }, numbering.next)
}

/// Returns, by row, whether it must be checked again.
fn rows_to_check(mapper: &RowMapper<'_>, rows: RowSpan<'_>, before: &CheckResult, changed: &[u32]) -> Vec<bool> {
    let mut affected = vec![false; rows.len()];
    let mut keys: Vec<u64> = Vec::new();
    let mut reader = rows.reader();
    for &position in changed {
        if let Some(slot) = affected.get_mut(position as usize) {
            *slot = true;
        }
        keys.extend(before.hashes.get(position as usize));
        keys.extend(reader.get(position as usize).map(|row| key_hash(mapper, &row)));
    }
    keys.retain(|&key| key != NO_KEY);
    keys.sort_unstable();
    keys.dedup();
    for (slot, hash) in affected.iter_mut().zip(&before.hashes) {
        *slot |= keys.binary_search(hash).is_ok();
    }
    affected
}

/// Renumbers items in the order of their first rows.
struct ItemNumbering {
    next: u32,
    from_before: Vec<u32>,
    from_check: Vec<u32>,
}

impl ItemNumbering {
    fn new(before: &CheckResult, checked_items: u32) -> Self {
        let none = |items: u32| vec![NO_ITEM; items as usize];
        Self { next: 0, from_before: none(before.counts.items), from_check: none(checked_items) }
    }

    fn number_item(&mut self, before: &CheckResult, result: &UnsortedResult, position: usize, affected: bool) -> u32 {
        let (from, numbers) =
            if affected { (&result.items, &mut self.from_check) } else { (&before.items, &mut self.from_before) };
        let Some(number) = from.get(position).and_then(|&item| numbers.get_mut(item as usize)) else { return NO_ITEM };
        if *number == NO_ITEM {
            *number = self.next;
            self.next += 1;
        }
        *number
    }
}

/// Returns true for errors of a sheet of parts and of the sheet with its items.
fn is_about_parts(code: FindingCode) -> bool {
    matches!(code, FindingCode::NoParent | FindingCode::ManyParents | FindingCode::PartsWrong)
}
