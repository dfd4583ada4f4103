//! Assigns an item to each row, and marks problems between rows. Before that, `row_check` checks each row alone, many
//! rows at a time.

mod key_index;
mod row_check;

use std::collections::HashMap;

use takt_core::{
    ExcelRow,
    finding::{FindingCode, Severity},
};
use takt_sheet::{RowBatch, RowSpan, SheetRow};

pub(crate) use self::key_index::{NO_KEY, key_hash};
use self::{
    key_index::{RowKeyIndex, SKIPPED_ROW},
    row_check::{RowBlockResult, RowCheck},
};
use crate::{
    date::DateOrder,
    mapping::FormatChoice,
    mark::{FindingDetail, Mark},
    row_mapper::RowMapper,
    row_position::RowPosition,
};

/// The item number of rows that belong to no item, since they're excluded.
pub(crate) const NO_ITEM: u32 = u32::MAX;
/// Maximum number of rows that are read together, to compare them with the first rows of their items.
const MAX_COMPARED_ROWS: usize = 8_192;
/// Maximum number of other rows that a duplicate names.
const MAX_LISTED_ROWS: usize = 10;

/// Groups rows into items, in ascending order, and marks problems between rows.
pub(crate) struct RowGrouper<'p> {
    mapper: &'p RowMapper<'p>,
    rows: RowSpan<'p>,
    groups_rows: bool,
    marks: Vec<Mark>,
    /// By row, its item, or [`NO_ITEM`] if it wasn't checked.
    items: Vec<u32>,
    item_count: u32,
    /// By item if rows are grouped, its first row and the hash of that row's item fields.
    first_rows: Vec<(u32, u64)>,
    /// The rows that may differ from their item's first row, and that row.
    differing_rows: Vec<(u32, u32)>,
    keys: RowKeyIndex,
    /// By first row, the later rows with the same key.
    duplicates: HashMap<u32, Vec<u32>>,
}

impl<'p> RowGrouper<'p> {
    /// Checks every row. Excluded rows are neither read nor part of an item.
    pub(crate) fn check_all(mapper: &'p RowMapper<'p>, rows: RowSpan<'p>) -> Self {
        let check = RowCheck::new(mapper);
        let blocks = rows.map_blocks(check.columns(), |block| check.check_block(block));
        Self::from_blocks(mapper, rows, blocks)
    }

    /// Checks only these rows, by ascending position.
    pub(crate) fn check_rows(
        mapper: &'p RowMapper<'p>,
        rows: RowSpan<'p>,
        positions: impl Iterator<Item = usize>,
    ) -> Self {
        let check = RowCheck::new(mapper);
        let mut reader = rows.reader_for_columns(check.columns());
        let blocks = positions.filter_map(|position| Some(check.check_row(position, &reader.get(position)?)));
        Self::from_blocks(mapper, rows, blocks.collect())
    }

    fn from_blocks(mapper: &'p RowMapper<'p>, rows: RowSpan<'p>, blocks: Vec<RowBlockResult>) -> Self {
        let marks = blocks.iter().map(|block| block.marks.len()).sum();
        let mut grouper = Self {
            mapper,
            rows,
            groups_rows: mapper.groups_rows(),
            marks: Vec::with_capacity(marks),
            items: vec![NO_ITEM; rows.len()],
            item_count: 0,
            first_rows: Vec::new(),
            differing_rows: Vec::new(),
            keys: RowKeyIndex::new(rows.len(), blocks.iter().map(|block| (block.first, &block.keys))),
            duplicates: HashMap::new(),
        };
        for mut block in blocks {
            grouper.marks.append(&mut block.marks);
            grouper.add_block(block);
        }
        grouper.compare_differing_rows();
        grouper.mark_duplicates();
        grouper
    }

    fn add_block(&mut self, mut block: RowBlockResult) {
        let item_marks = std::mem::take(&mut block.item_marks);
        let mut item_marks = item_marks.into_iter().peekable();
        let item_hashes = std::mem::take(&mut block.item_hashes);
        let (first, hashes) = (block.first, std::mem::take(&mut block.keys.hashes));
        self.keys.add_block(first, block.keys);
        for ((at, position), hash) in (0..).zip(first..).zip(hashes) {
            if hash == SKIPPED_ROW {
                continue;
            }
            let is_first = self.assign_item(position, at, hash, item_hashes.get(at).copied());
            while let Some(mark) = item_marks.next_if(|mark| mark.position == RowPosition::new(position)) {
                if is_first {
                    self.marks.push(mark);
                }
            }
        }
    }

    /// Assigns an item to the row. Returns true if it's the item's first row.
    fn assign_item(&mut self, position: u32, text: usize, hash: u64, item_hash: Option<u64>) -> bool {
        if hash != NO_KEY
            && let Some(earlier) = self.keys.find_first(position, text, hash)
        {
            if self.groups_rows {
                let item = self.items.get(earlier as usize).copied().unwrap_or(NO_ITEM);
                self.set_item(position, item);
                let (first, first_hash) = self.first_rows.get(item as usize).copied().unwrap_or_default();
                // The hash covers the row's item fields. Only rows with different hashes are read again and compared.
                if item_hash != Some(first_hash) {
                    self.differing_rows.push((position, first));
                }
                return false;
            }
            self.duplicates.entry(earlier).or_default().push(position);
        }
        self.set_item(position, self.item_count);
        self.item_count += 1;
        if self.groups_rows {
            self.first_rows.push((position, item_hash.unwrap_or_default()));
        }
        true
    }

    fn set_item(&mut self, position: u32, item: u32) {
        if let Some(slot) = self.items.get_mut(position as usize) {
            *slot = item;
        }
    }

    fn compare_differing_rows(&mut self) {
        let differing = std::mem::take(&mut self.differing_rows);
        for pairs in differing.chunks(MAX_COMPARED_ROWS) {
            let positions = pairs.iter().flat_map(|&(position, first)| [position as usize, first as usize]);
            let read = RowBatch::read(self.rows, positions.collect());
            for &(position, first) in pairs {
                if let (Some(row), Some(first_row)) = (read.get(position as usize), read.get(first as usize)) {
                    self.compare_rows(position, row, first, first_row);
                }
            }
        }
    }

    /// Marks fields of the item that differ between two of its rows.
    fn compare_rows(&mut self, position: u32, row: &SheetRow, first: u32, first_row: &SheetRow) {
        for (target, field) in self.mapper.targets.fields.iter().enumerate() {
            if field.part_of.is_some() {
                continue;
            }
            let (Some(here), Some(there)) =
                (self.mapper.source_text(row, target), self.mapper.source_text(first_row, target))
            else {
                continue;
            };
            if here != there {
                // Only the user knows which value is right, so both are marked.
                self.mark_disagreement(position, target, first_row);
                self.mark_disagreement(first, target, row);
            }
        }
    }

    fn mark_disagreement(&mut self, position: u32, target: usize, with: &SheetRow) {
        let detail = FindingDetail::same_sheet_rows(Box::new([with.number]), 0);
        self.marks.push(self.mapper.create_mark(
            RowPosition::new(position),
            target,
            Severity::Error,
            FindingCode::GroupDisagrees,
            detail,
        ));
    }

    fn mark_duplicates(&mut self) {
        let found = std::mem::take(&mut self.duplicates);
        let Some(target) = self.mapper.targets.key.first().and_then(|name| self.mapper.targets.index(name)) else {
            return;
        };
        for (first, later) in found {
            let all: Vec<u32> = std::iter::once(first).chain(later).collect();
            for &position in &all {
                let others = all.iter().filter(|&&other| other != position).take(MAX_LISTED_ROWS);
                let numbers = others.filter_map(|&other| self.rows.number(other as usize)).collect();
                let code = FindingCode::DuplicateKey;
                let detail = FindingDetail::same_sheet_rows(numbers, (all.len() - 1).saturating_sub(MAX_LISTED_ROWS));
                self.marks.push(self.mapper.create_mark(
                    RowPosition::new(position),
                    target,
                    Severity::Error,
                    code,
                    detail,
                ));
            }
        }
    }

    /// Returns the unsorted result, and the number of items.
    pub(crate) fn into_result(self) -> (UnsortedResult, u32) {
        (UnsortedResult { marks: self.marks, items: self.items, hashes: self.keys.into_hashes() }, self.item_count)
    }
}

/// The result of a check before it's sorted and counted.
#[derive(Debug, Default)]
pub(crate) struct UnsortedResult {
    pub(crate) marks: Vec<Mark>,
    pub(crate) items: Vec<u32>,
    /// By row, its [`key_hash`].
    pub(crate) hashes: Vec<u64>,
}

/// Returns one note per column about the order in which its dates were read.
pub(crate) fn date_order_marks(mapper: &RowMapper<'_>, rows: RowSpan<'_>) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (target, format) in mapper.layout.formats.iter().enumerate() {
        // The user's own choice needs no note.
        let detail = match format.order {
            DateOrder::DayFirst { proofs, total } if proofs > 0 => {
                FindingDetail::Order { order: FormatChoice::DayFirst, total }
            }
            DateOrder::MonthFirst { proofs, total } if proofs > 0 => {
                FindingDetail::Order { order: FormatChoice::MonthFirst, total }
            }
            DateOrder::YearFirst { proofs, total } if proofs > 0 => {
                FindingDetail::Order { order: FormatChoice::YearFirst, total }
            }
            _ => continue,
        };
        let Some(column) = mapper.layout.columns.get(target).copied().flatten() else { continue };
        let excluded = |position| rows.number(position).is_none_or(|row| mapper.overlay.excludes(ExcelRow::new(row)));
        let mut cells = rows.column(column).enumerate();
        let first = cells.find(|(position, cell)| !cell.is_empty() && !excluded(*position)).map(|(first, _)| first);
        if let Some(position) = first.and_then(RowPosition::from_index) {
            marks.push(mapper.create_mark(position, target, Severity::Note, FindingCode::DateOrder, detail));
        }
    }
    marks
}
