//! The rows one after the other: gives each its item, and marks what is wrong between rows. What a row says by itself is found
//! before, in `row_check`, many rows at a time.

mod keys;
mod row_check;
mod usual;
#[cfg(test)]
mod usual_tests;

use crate::import::position::Position;
use std::collections::HashMap;
use takt_core::ExcelRow;

use takt_sheet::{RowReader, RowSpan, SheetRow};

use self::{
    keys::{Keys, SKIPPED},
    row_check::{RowBlockResult, RowCheck},
};
use super::{
    FormatChoice,
    check::Plan,
    date::Order,
    mark::{Mark, Note},
    reading::ReadValue,
    target::Target,
};
use takt_core::finding::{FindingCode, Severity};

pub(super) use self::keys::{NO_KEY, key_hash};

/// The item of a row that is excluded.
pub(super) const NO_ITEM: u32 = u32::MAX;
/// How many other rows a duplicate names.
const MAX_ROWS_NAMED: usize = 10;

/// Rows of a plan, taken in ascending order.
pub(super) struct Pass<'p> {
    plan: &'p Plan<'p>,
    rows: RowSpan<'p>,
    /// Read rows of an item again where they differ.
    here: RowReader<'p>,
    there: RowReader<'p>,
    grouping: bool,
    marks: Vec<Mark>,
    /// By row: its item; [`NO_ITEM`] where it wasn't looked at.
    items: Vec<u32>,
    count: u32,
    /// By item, where rows are grouped: its first row, and the hash of what that says of the item.
    firsts: Vec<(u32, u64)>,
    keys: Keys,
    /// By first row: the later rows with the same key.
    duplicates: HashMap<u32, Vec<u32>>,
}

impl<'p> Pass<'p> {
    /// Looks at every row; those that a person excluded are neither read nor part of an item.
    pub(super) fn over_all(plan: &'p Plan<'p>, rows: RowSpan<'p>) -> Self {
        let look = RowCheck::new(plan);
        let found = rows.parts(look.columns(), |part| look.part(part));
        Self::joining(plan, rows, found)
    }

    /// Looks at these rows alone, by ascending position.
    pub(super) fn over(plan: &'p Plan<'p>, rows: RowSpan<'p>, positions: impl Iterator<Item = usize>) -> Self {
        let look = RowCheck::new(plan);
        let mut reader = rows.reader_of(look.columns());
        let found = positions.filter_map(|position| Some(look.row(position, &reader.get(position)?)));
        Self::joining(plan, rows, found.collect())
    }

    fn joining(plan: &'p Plan<'p>, rows: RowSpan<'p>, found: Vec<RowBlockResult>) -> Self {
        let marks = found.iter().map(|alone| alone.marks.len()).sum();
        let mut pass = Self {
            plan,
            rows,
            here: rows.reader(),
            there: rows.reader(),
            grouping: plan.groups(),
            marks: Vec::with_capacity(marks),
            items: vec![NO_ITEM; rows.len()],
            count: 0,
            firsts: Vec::new(),
            keys: Keys::new(rows.len(), found.iter().map(|alone| (alone.first, &alone.keys))),
            duplicates: HashMap::new(),
        };
        for mut alone in found {
            pass.marks.append(&mut alone.marks);
            pass.join(alone);
        }
        pass.name_duplicates();
        pass
    }

    fn join(&mut self, mut alone: RowBlockResult) {
        let own = std::mem::take(&mut alone.own);
        let mut own = own.into_iter().peekable();
        let sums = std::mem::take(&mut alone.sums);
        let (first, hashes) = (alone.first, std::mem::take(&mut alone.keys.hashes));
        self.keys.take(first, alone.keys);
        for ((at, position), hash) in (0..).zip(first..).zip(hashes) {
            if hash == SKIPPED {
                continue;
            }
            let is_first = self.join_item(position, at, hash, sums.get(at).copied());
            while let Some(mark) = own.next_if(|mark| mark.position == Position::new(position)) {
                if is_first {
                    self.marks.push(mark);
                }
            }
        }
    }

    /// Gives the row its item. True where the row is its item's first.
    fn join_item(&mut self, position: u32, text: usize, hash: u64, sum: Option<u64>) -> bool {
        if hash != NO_KEY
            && let Some(earlier) = self.keys.earlier(position, text, hash)
        {
            if self.grouping {
                let item = self.items.get(earlier as usize).copied().unwrap_or(NO_ITEM);
                self.put_item(position, item);
                let (first, of_first) = self.firsts.get(item as usize).copied().unwrap_or_default();
                // Rows that say the same of their item are told by a hash, so that they are seldom read again.
                if sum != Some(of_first) {
                    self.compare(position, first);
                }
                return false;
            }
            self.duplicates.entry(earlier).or_default().push(position);
        }
        self.put_item(position, self.count);
        self.count += 1;
        if self.grouping {
            self.firsts.push((position, sum.unwrap_or_default()));
        }
        true
    }

    fn put_item(&mut self, position: u32, item: u32) {
        if let Some(place) = self.items.get_mut(position as usize) {
            *place = item;
        }
    }

    /// Fields that the item has once must not differ between its rows.
    fn compare(&mut self, position: u32, first: u32) {
        let rows = (self.here.get(position as usize), self.there.get(first as usize));
        let (Some(row), Some(first_row)) = rows else { return };
        for (target, field) in self.plan.targets.fields.iter().enumerate() {
            if field.part_of.is_some() {
                continue;
            }
            let (Some(here), Some(there)) = (self.plan.written(&row, target), self.plan.written(&first_row, target))
            else {
                continue;
            };
            if here != there {
                // Only the person knows which of the two is right, so both are named.
                self.disagrees(position, target, &first_row);
                self.disagrees(first, target, &row);
            }
        }
    }

    fn disagrees(&mut self, position: u32, target: usize, with: &SheetRow) {
        let note = Note::rows(Box::new([with.number]), 0);
        self.marks.push(mark(
            self.plan,
            Position::new(position),
            target,
            (Severity::Error, FindingCode::GroupDisagrees),
            note,
        ));
    }

    fn name_duplicates(&mut self) {
        let found = std::mem::take(&mut self.duplicates);
        let Some(target) = self.plan.targets.key.first().and_then(|name| self.plan.targets.index(name)) else { return };
        for (first, later) in found {
            let all: Vec<u32> = std::iter::once(first).chain(later).collect();
            for &position in &all {
                let others = all.iter().filter(|&&other| other != position).take(MAX_ROWS_NAMED);
                let numbers = others.filter_map(|&other| self.rows.number(other as usize)).collect();
                let what = (Severity::Error, FindingCode::DuplicateKey);
                let note = Note::rows(numbers, (all.len() - 1).saturating_sub(MAX_ROWS_NAMED));
                self.marks.push(mark(self.plan, Position::new(position), target, what, note));
            }
        }
    }

    /// What was found, unsorted, and how many items there are.
    pub(super) fn into_raw(self) -> (PassResult, u32) {
        (PassResult { marks: self.marks, items: self.items, hashes: self.keys.into_hashes() }, self.count)
    }
}

/// What a pass leaves behind.
#[derive(Debug, Default)]
pub(super) struct PassResult {
    pub(super) marks: Vec<Mark>,
    pub(super) items: Vec<u32>,
    /// By row: [`key_hash`].
    pub(super) hashes: Vec<u64>,
}

/// Says once per column in which order its dates were read.
pub(super) fn orders(plan: &Plan<'_>, rows: RowSpan<'_>) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (target, format) in plan.layout.formats.iter().enumerate() {
        // A person's own choice needs no note.
        let note = match format.order {
            Order::DayFirst { proofs, of } if proofs > 0 => Note::Order { order: FormatChoice::DayFirst, of },
            Order::MonthFirst { proofs, of } if proofs > 0 => Note::Order { order: FormatChoice::MonthFirst, of },
            Order::YearFirst { proofs, of } if proofs > 0 => Note::Order { order: FormatChoice::YearFirst, of },
            _ => continue,
        };
        let Some(column) = plan.layout.columns.get(target).copied().flatten() else { continue };
        let excluded = |position| rows.number(position).is_none_or(|row| plan.overlay.excludes(ExcelRow::new(row)));
        let mut cells = rows.column(column).enumerate();
        let first = cells.find(|(position, cell)| !cell.is_empty() && !excluded(*position)).map(|(first, _)| first);
        if let Some(position) = first.and_then(Position::of_index) {
            marks.push(mark(plan, position, target, (Severity::Note, FindingCode::DateOrder), note));
        }
    }
    marks
}

fn mark(
    plan: &Plan<'_>,
    position: Position,
    target: usize,
    (severity, code): (Severity, FindingCode),
    note: Note,
) -> Mark {
    let column = plan.layout.columns.get(target).copied().flatten();
    Mark { position, column, target: u16::try_from(target).unwrap_or(u16::MAX), severity, code, note }
}

/// Which bound a value breaks.
pub(super) fn beyond(field: &Target, value: &ReadValue<'_>) -> Option<(FindingCode, Note)> {
    let limits = &field.limits;
    if let Some(number) = value.number() {
        if let Some(bound) = limits.exclusive_minimum.filter(|&bound| number <= bound) {
            return Some((FindingCode::NotAbove, Note::Limit(bound)));
        }
        if let Some(bound) = limits.minimum.filter(|&bound| number < bound) {
            return Some((FindingCode::BelowMinimum, Note::Limit(bound)));
        }
        return limits
            .maximum
            .filter(|&bound| number > bound)
            .map(|bound| (FindingCode::AboveMaximum, Note::Limit(bound)));
    }
    let ReadValue::Text(text) = value else { return None };
    if let Some(bound) =
        limits.max_length.filter(|&bound| text.len() > bound as usize && text.chars().count() > bound as usize)
    {
        return Some((FindingCode::TooLong, Note::Limit(f64::from(bound))));
    }
    let allowed = limits.values.is_empty() || limits.values.iter().any(|allowed| allowed == text.as_ref());
    (!allowed).then_some((FindingCode::NotAllowed, Note::None))
}
