//! One pass over the rows: reads every matched cell, gives each row its item, and marks what is wrong.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use takt_contract::{FieldKind, Rule};
use takt_sheet::{Cell, RowReader, RowSpan, SheetRow};

use super::{
    FindingCode, Severity,
    check::{Checked, Plan},
    date::Order,
    mark::{Mark, Note},
    reading::Read,
    target::{Target, Targets},
};

/// Between the parts of a key when rows are compared: it can't be typed into a cell.
const KEY_SEPARATOR: char = '\u{1f}';
/// The item of a row that is excluded.
pub(super) const NO_ITEM: u32 = u32::MAX;
pub(super) const NO_KEY: u64 = 0;
/// How many other rows a duplicate names.
const MOST_ROWS_NAMED: usize = 10;

pub(super) struct Pass<'p> {
    plan: &'p Plan<'p>,
    rows: RowSpan<'p>,
    /// Reads items' first rows again.
    again: RowReader<'p>,
    grouping: bool,
    marks: Vec<Mark>,
    /// By row: its item; [`NO_ITEM`] where it wasn't looked at.
    items: Vec<u32>,
    /// By row: [`key_hash`].
    hashes: Vec<u64>,
    /// By item: its first row.
    firsts: Vec<u32>,
    /// By item, where rows are grouped: the hash of what its first row says of the item.
    sums: Vec<u64>,
    /// By key: its item and its first row.
    keys: HashMap<Box<str>, (u32, u32)>,
    /// By first row: the later rows with the same key.
    duplicates: HashMap<u32, Vec<u32>>,
}

impl<'p> Pass<'p> {
    pub(super) fn new(plan: &'p Plan<'p>, rows: RowSpan<'p>) -> Self {
        Self {
            plan,
            rows,
            again: rows.reader(),
            grouping: plan.groups(),
            marks: Vec::new(),
            items: vec![NO_ITEM; rows.len()],
            hashes: vec![NO_KEY; rows.len()],
            firsts: Vec::new(),
            sums: Vec::new(),
            keys: HashMap::new(),
            duplicates: HashMap::new(),
        }
    }

    /// Looks at one row; rows that a person excluded are neither read nor part of an item. Rows come in ascending order.
    pub(super) fn row(&mut self, position: u32, row: &SheetRow) {
        if self.plan.overlay.excludes(row.number) {
            return;
        }
        let fields = &self.plan.targets.fields;
        let values: Vec<Option<Read<'_>>> = (0..fields.len()).map(|target| self.value(position, row, target)).collect();
        let first = self.join_item(position, &values);
        if first || !self.grouping {
            self.require_own(position, row, &values);
        }
        if self.grouping {
            self.compare_with_first(position, row, first);
        }
        self.require_parts(position, row, &values);
        self.keep_rules(position, &values);
    }

    /// Reads one cell and says what is wrong with it.
    fn value<'r>(&mut self, position: u32, row: &'r SheetRow, target: usize) -> Option<Read<'r>>
    where
        'p: 'r,
    {
        let column = self.plan.layout.columns.get(target).copied().flatten();
        if self.plan.is_formula_without_value(row, target) {
            self.mark(position, target, Severity::Error, FindingCode::FormulaWithoutValue, Note::None);
            return None;
        }
        match self.plan.read(row, target)? {
            Err(code) => {
                self.mark(position, target, Severity::Error, code, Note::None);
                None
            }
            Ok(value) => {
                let field = self.plan.targets.fields.get(target)?;
                if let Some((code, note)) = beyond(field, &value) {
                    self.mark(position, target, Severity::Error, code, note);
                }
                let kept = field.kind == FieldKind::Text
                    && column.and_then(|column| row.cell(column)).is_some_and(Cell::is_shown_by_format);
                if kept {
                    self.mark(position, target, Severity::Note, FindingCode::ShownTextKept, Note::None);
                }
                Some(value)
            }
        }
    }

    /// Gives the row its item. True where the row is its item's first.
    fn join_item(&mut self, position: u32, values: &[Option<Read<'_>>]) -> bool {
        let key = key_of(self.plan.targets, values);
        if let Some(place) = self.hashes.get_mut(position as usize) {
            *place = key.as_deref().map_or(NO_KEY, hash);
        }
        if let Some(&(item, first)) = key.as_deref().and_then(|key| self.keys.get(key)) {
            if self.grouping {
                self.put_item(position, item);
                return false;
            }
            self.duplicates.entry(first).or_default().push(position);
        }
        let item = u32::try_from(self.firsts.len()).unwrap_or(u32::MAX);
        self.firsts.push(position);
        self.put_item(position, item);
        if let Some(key) = key {
            self.keys.entry(key).or_insert((item, position));
        }
        true
    }

    fn put_item(&mut self, position: u32, item: u32) {
        if let Some(place) = self.items.get_mut(position as usize) {
            *place = item;
        }
    }

    /// Rows of an item that say the same of it are told by a hash, so that the first one is seldom read again.
    fn compare_with_first(&mut self, position: u32, row: &SheetRow, is_first: bool) {
        let sum = self.sum(row);
        if is_first {
            self.sums.push(sum);
            return;
        }
        let Some(item) = self.items.get(position as usize).map(|&item| item as usize) else { return };
        if let (Some(&first), Some(&of_first)) = (self.firsts.get(item), self.sums.get(item))
            && of_first != sum
        {
            self.compare(position, row, first);
        }
    }

    fn sum(&self, row: &SheetRow) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (target, field) in self.plan.targets.fields.iter().enumerate() {
            if field.part_of.is_none() {
                self.plan.written(row, target).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// Fields that the item has once must not differ between its rows.
    fn compare(&mut self, position: u32, row: &SheetRow, first: u32) {
        let Some(first_row) = self.again.get(first as usize) else { return };
        for target in 0..self.plan.targets.fields.len() {
            if self.plan.targets.fields.get(target).is_none_or(|field| field.part_of.is_some()) {
                continue;
            }
            let (Some(here), Some(there)) = (self.plan.written(row, target), self.plan.written(&first_row, target))
            else {
                continue;
            };
            if here != there {
                // Which of the two is right, nobody but the person knows: both are named.
                let code = FindingCode::GroupDisagrees;
                self.mark(position, target, Severity::Error, code, Note::Rows(Box::new([first_row.number])));
                self.mark(first, target, Severity::Error, code, Note::Rows(Box::new([row.number])));
            }
        }
    }

    fn require_own(&mut self, position: u32, row: &SheetRow, values: &[Option<Read<'_>>]) {
        let targets = self.plan.targets;
        for (target, field) in targets.fields.iter().enumerate() {
            if field.required && field.part_of.is_none() {
                self.require((position, row), target, values);
            }
        }
    }

    /// A part's required fields are needed where the part has anything at all.
    fn require_parts(&mut self, position: u32, row: &SheetRow, values: &[Option<Read<'_>>]) {
        let targets = self.plan.targets;
        for (target, field) in targets.fields.iter().enumerate() {
            let Some((list, _)) = field.part_of.as_ref().filter(|_| field.required) else { continue };
            let begun = targets.fields.iter().zip(values).enumerate().any(|(at, (other, value))| {
                value.is_some()
                    && !self.plan.is_constant(at)
                    && other.part_of.as_ref().is_some_and(|(other_list, _)| other_list == list)
            });
            if begun {
                self.require((position, row), target, values);
            }
        }
    }

    fn require(&mut self, (position, row): (u32, &SheetRow), target: usize, values: &[Option<Read<'_>>]) {
        let missing = values.get(target).is_none_or(Option::is_none);
        // A cell that can't be read already has its finding.
        let unread = || self.plan.read(row, target).is_some();
        if missing && !unread() && !self.plan.is_formula_without_value(row, target) {
            self.mark(position, target, Severity::Error, FindingCode::Required, Note::None);
        }
    }

    fn keep_rules(&mut self, position: u32, values: &[Option<Read<'_>>]) {
        let targets = self.plan.targets;
        for rule in &targets.rules {
            let Rule::Before { first, second, .. } = rule;
            let (Some(begin), Some(end)) = (targets.index(first), targets.index(second)) else { continue };
            let (Some(Some(Read::DateTime(from))), Some(Some(Read::DateTime(to)))) =
                (values.get(begin), values.get(end))
            else {
                continue;
            };
            // With different offsets the contract's rule can't be checked without guessing the site's zone.
            if from.offset == to.offset && from.at >= to.at {
                let note = Note::Pair(first.as_str().into(), second.as_str().into());
                self.mark(position, end, Severity::Error, FindingCode::NotBefore, note);
            }
        }
    }

    pub(super) fn name_duplicates(&mut self) {
        let found: Vec<(u32, Vec<u32>)> = self.duplicates.drain().collect();
        let Some(target) = self.plan.targets.key.first().and_then(|name| self.plan.targets.index(name)) else { return };
        for (first, later) in found {
            let all: Vec<u32> = std::iter::once(first).chain(later).collect();
            for &position in &all {
                let others = all.iter().filter(|&&other| other != position).take(MOST_ROWS_NAMED);
                let numbers = others.filter_map(|&other| self.rows.number(other as usize)).collect();
                self.mark(position, target, Severity::Error, FindingCode::DuplicateKey, Note::Rows(numbers));
            }
        }
    }

    /// Says once per column in which order its dates were read.
    pub(super) fn tell_orders(&mut self) {
        for target in 0..self.plan.layout.formats.len() {
            let Some(format) = self.plan.layout.formats.get(target) else { continue };
            // What a person chose, nobody has to be told.
            let note = match format.order {
                Order::DayFirst { proofs: 0, .. } | Order::MonthFirst { proofs: 0, .. } => continue,
                Order::DayFirst { proofs, of } => Note::Order { day_first: true, proofs, of },
                Order::MonthFirst { proofs, of } => Note::Order { day_first: false, proofs, of },
                _ => continue,
            };
            let Some(column) = self.plan.layout.columns.get(target).copied().flatten() else { continue };
            let excluded = |position| self.rows.number(position).is_none_or(|row| self.plan.overlay.excludes(row));
            let mut cells = self.rows.column(column).enumerate();
            let first = cells.find(|(position, cell)| !cell.is_empty() && !excluded(*position)).map(|(first, _)| first);
            if let Some(position) = first.and_then(|position| u32::try_from(position).ok()) {
                self.mark(position, target, Severity::Note, FindingCode::DateOrder, note);
            }
        }
    }

    fn mark(&mut self, row: u32, target: usize, severity: Severity, code: FindingCode, note: Note) {
        let column = self.plan.layout.columns.get(target).copied().flatten();
        let target = u16::try_from(target).unwrap_or(u16::MAX);
        self.marks.push(Mark { row, column, target, severity, code, note });
    }

    pub(super) fn finish(self) -> Checked {
        let items = u32::try_from(self.firsts.len()).unwrap_or(u32::MAX);
        Checked::new(
            self.plan,
            self.rows.len(),
            Raw { marks: self.marks, items: self.items, hashes: self.hashes },
            items,
        )
    }

    /// What was found, unsorted, for whoever puts it among other rows.
    pub(super) fn into_raw(self) -> (Raw, u32) {
        let items = u32::try_from(self.firsts.len()).unwrap_or(u32::MAX);
        (Raw { marks: self.marks, items: self.items, hashes: self.hashes }, items)
    }
}

/// What a pass leaves behind.
#[derive(Debug, Default)]
pub(super) struct Raw {
    pub(super) marks: Vec<Mark>,
    pub(super) items: Vec<u32>,
    pub(super) hashes: Vec<u64>,
}

/// The hash of a row's key, as [`Checked`] keeps it; [`NO_KEY`] where the row has none or is excluded.
pub(super) fn key_hash(plan: &Plan<'_>, row: &SheetRow) -> u64 {
    if plan.overlay.excludes(row.number) {
        return NO_KEY;
    }
    let read = |target: usize| plan.read(row, target)?.ok();
    let key = plan.targets.key.iter().filter_map(|name| plan.targets.index(name));
    let mut values: Vec<Option<Read<'_>>> = vec![None; plan.targets.fields.len()];
    for target in key {
        if let Some(place) = values.get_mut(target) {
            *place = read(target);
        }
    }
    key_of(plan.targets, &values).as_deref().map_or(NO_KEY, hash)
}

/// Two keys of one hash are only looked at together; they are compared in full.
fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish().max(NO_KEY + 1)
}

/// Which bound a value breaks.
pub(super) fn beyond(field: &Target, value: &Read<'_>) -> Option<(FindingCode, Note)> {
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
    let Read::Text(text) = value else { return None };
    if let Some(bound) = limits.max_length.filter(|&bound| text.chars().count() > bound as usize) {
        return Some((FindingCode::TooLong, Note::Limit(f64::from(bound))));
    }
    let allowed = limits.values.is_empty() || limits.values.iter().any(|allowed| allowed == text.as_ref());
    (!allowed).then_some((FindingCode::NotAllowed, Note::None))
}

/// Absent where a required part of the key is.
fn key_of(targets: &Targets, values: &[Option<Read<'_>>]) -> Option<Box<str>> {
    let mut key = String::new();
    let mut any = false;
    for name in &targets.key {
        let target = targets.index(name)?;
        let required = targets.fields.get(target).is_some_and(|field| field.required);
        match values.get(target).and_then(Option::as_ref) {
            Some(value) => {
                key.push_str(&value.shown());
                any = true;
            }
            None if required => return None,
            None => {}
        }
        key.push(KEY_SEPARATOR);
    }
    any.then(|| key.into_boxed_str())
}
