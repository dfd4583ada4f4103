//! What a row says by itself: reads every matched cell and marks what is wrong with it. Rows are looked at in any order and on
//! any core.

use crate::import::position::Position;
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
    sync::Arc,
};
use takt_core::ExcelRow;

use jiff::SignedDuration;
use takt_contract::{FieldKind, Rule};
use takt_sheet::{CellRef, CellValue, Part, SheetRow, writer};

use super::{
    beyond,
    keys::{self, KeyTexts},
    mark,
    usual::{self, UsualCells},
};
use takt_core::finding::{FindingCode, Severity};

use crate::import::{
    check::Plan,
    date::TypedDateTime,
    invisible::{first_reported, trim_blank},
    mark::{Mark, Note},
    reading::{Format, ReadValue},
    row::RowCells,
    sense::TargetFinding,
    target::Target,
};

/// Rows whose values are held at once: few enough for them to lie close by.
const ROWS_AT_ONCE: usize = 32;

/// What was found in neighbouring rows.
#[derive(Debug, Default)]
pub(super) struct RowBlockResult {
    /// Position of the first of them.
    pub(super) first: u32,
    pub(super) marks: Vec<Mark>,
    /// Where rows are grouped: fields of the item that a row lacks. They count for the item's first row.
    pub(super) own: Vec<Mark>,
    pub(super) keys: KeyTexts,
    /// Where rows are grouped, by row: the hash of what it says of its item.
    pub(super) sums: Vec<u64>,
}

/// How rows are looked at: what of a plan is the same for each of them.
#[derive(Debug)]
pub(super) struct RowCheck<'p> {
    plan: &'p Plan<'p>,
    columns: Vec<u32>,
    /// Fields that something fills, in the contract's order.
    filled: Vec<FilledField<'p>>,
    /// Fields that an item needs.
    required: Vec<usize>,
    /// Fields that a part needs where one of these others begins it.
    parts: Vec<(usize, Vec<usize>)>,
    date_orders: Vec<DateOrderRule>,
    key: Option<Vec<(usize, bool)>>,
    grouping: bool,
}

#[derive(Debug)]
struct FilledField<'p> {
    target: usize,
    field: &'p Target,
    format: Format,
    column: Option<u32>,
    /// Its column's cell alone tells the value.
    plain: bool,
}

#[derive(Debug)]
struct DateOrderRule {
    first: usize,
    second: usize,
    /// The two fields by name.
    names: Arc<(Box<str>, Box<str>)>,
}

impl<'p> RowCheck<'p> {
    pub(super) fn new(plan: &'p Plan<'p>) -> Self {
        let fields = &plan.targets.fields;
        let filled: Vec<FilledField<'p>> =
            fields.iter().enumerate().filter_map(|(target, field)| FilledField::new(plan, target, field)).collect();
        let mut columns: Vec<u32> = filled.iter().flat_map(|filled| plan.columns_of(filled.target)).collect();
        columns.sort_unstable();
        columns.dedup();
        let required = |is_part: bool| {
            let needed = fields.iter().enumerate().filter(move |(_, field)| field.required);
            needed.filter(move |(_, field)| field.part_of.is_some() == is_part)
        };
        let begun_by = |list: &str| {
            let others = filled.iter().filter(|other| !plan.is_constant(other.target));
            let of_list = others.filter(|other| other.field.part_of.as_ref().is_some_and(|(own, _)| own == list));
            of_list.map(|other| other.target).collect()
        };
        let parts = required(true).filter_map(|(target, field)| Some((target, begun_by(&field.part_of.as_ref()?.0))));
        let befores = plan.targets.rules.iter().filter_map(|rule| {
            let Rule::Before { first, second, .. } = rule;
            Some(DateOrderRule {
                first: plan.targets.index(first)?,
                second: plan.targets.index(second)?,
                names: Arc::new((first.as_str().into(), second.as_str().into())),
            })
        });
        Self {
            plan,
            columns,
            required: required(false).map(|(target, _)| target).collect(),
            parts: parts.collect(),
            date_orders: befores.collect(),
            key: keys::fields(plan.targets),
            grouping: plan.groups(),
            filled,
        }
    }

    /// The columns that are looked at.
    pub(super) fn columns(&self) -> &[u32] {
        &self.columns
    }

    pub(super) fn part(&self, part: &Part<'_>) -> RowBlockResult {
        let mut alone =
            RowBlockResult { first: u32::try_from(part.first()).unwrap_or(u32::MAX), ..RowBlockResult::default() };
        let fields = self.plan.targets.fields.len().max(1);
        let mut values = vec![None; fields * ROWS_AT_ONCE];
        let usual: Vec<UsualCells<'_>> = self.filled.iter().map(|filled| filled.usual(part)).collect();
        for start in (0..part.len()).step_by(ROWS_AT_ONCE) {
            let end = part.len().min(start + ROWS_AT_ONCE);
            for (filled, &usual) in self.filled.iter().zip(&usual) {
                let places = values.chunks_exact_mut(fields).filter_map(|row| row.get_mut(filled.target));
                self.fill(&mut alone, (filled, usual), (part, start..end), places);
            }
            for (at, values) in (start..end).zip(values.chunks_exact(fields)) {
                let Some(row) = part.row(at) else { break };
                let place = (position(alone.first, at), row.number());
                self.judge(&mut alone, place, row, values);
            }
        }
        // Sorted and no larger than it must be: there may be a million of them before they come together.
        alone.marks.sort_by_key(|mark| (mark.position, mark.column));
        alone.marks.shrink_to_fit();
        alone
    }

    pub(super) fn row(&self, position: usize, row: &SheetRow) -> RowBlockResult {
        let mut alone =
            RowBlockResult { first: u32::try_from(position).unwrap_or(u32::MAX), ..RowBlockResult::default() };
        let mut values = vec![None; self.plan.targets.fields.len()];
        let position = alone.first;
        for filled in self.filled.iter().filter(|_| !self.excludes(row.number)) {
            if let Some(place) = values.get_mut(filled.target) {
                *place = self.value(&mut alone, position, row, filled);
            }
        }
        self.judge(&mut alone, (position, row.number), row, &values);
        alone
    }

    fn excludes(&self, number: u32) -> bool {
        self.plan.overlay.excludes(ExcelRow::new(number))
    }

    /// Reads a field in some rows of a part, column by column: each finds the same kind of value in every row.
    fn fill<'v, 'r: 'v>(
        &self,
        alone: &mut RowBlockResult,
        (filled, usual): (&FilledField<'p>, UsualCells<'_>),
        (part, rows): (&'r Part<'_>, Range<usize>),
        places: impl Iterator<Item = &'v mut Option<ReadValue<'r>>>,
    ) where
        'p: 'r,
    {
        let look = |alone: &mut RowBlockResult, at: usize, place: &mut Option<ReadValue<'r>>| {
            let Some(row) = part.row(at).filter(|row| !self.excludes(row.number())) else { return };
            *place = self.value(alone, position(alone.first, at), row, filled);
        };
        let Some(column) = filled.column.filter(|_| filled.plain) else {
            rows.zip(places).for_each(|(at, place)| look(alone, at, place));
            return;
        };
        for ((at, cell), place) in rows.clone().zip(part.cells_of(column, rows)).zip(places) {
            if !usual::take(cell, usual, place) {
                look(alone, at, place);
            }
        }
    }

    /// What the values of a row, one place by field, say together.
    fn judge<'r>(
        &self,
        alone: &mut RowBlockResult,
        (position, number): (u32, u32),
        row: impl RowCells<'r>,
        values: &[Option<ReadValue<'r>>],
    ) where
        'p: 'r,
    {
        if self.excludes(number) {
            alone.keys.skip();
            if self.grouping {
                alone.sums.push(0);
            }
            return;
        }
        self.require(alone, position, row, values);
        for (target, columns) in &self.plan.layout.contested {
            let what = (Severity::Error, FindingCode::SeveralColumns);
            let note = Note::Named(Arc::clone(columns));
            alone.marks.push(mark(self.plan, Position::new(position), *target, what, note));
        }
        self.check_rules(alone, position, values);
        self.plan.senses.row(values, &mut |TargetFinding { target, severity, code, note }| {
            alone.marks.push(mark(self.plan, Position::new(position), target, (severity, code), note));
        });
        match &self.key {
            Some(key) => alone.keys.push(key, values),
            None => alone.keys.push(&[], values),
        }
        if self.grouping {
            alone.sums.push(self.sum(row));
        }
    }

    /// Reads one cell and says what is wrong with it.
    fn value<'r>(
        &self,
        alone: &mut RowBlockResult,
        position: u32,
        row: impl RowCells<'r>,
        filled: &FilledField<'p>,
    ) -> Option<ReadValue<'r>>
    where
        'p: 'r,
    {
        let mut wrong = |severity, code, note| {
            alone.marks.push(mark(self.plan, Position::new(position), filled.target, (severity, code), note));
        };
        let cell = filled.column.and_then(|column| row.cell_at(column));
        let open = if filled.plain {
            cell.is_some_and(CellRef::is_formula_without_value)
        } else {
            self.plan.is_formula_without_value(row, filled.target)
        };
        if open {
            wrong(Severity::Error, FindingCode::FormulaWithoutValue, Note::None);
            return None;
        }
        if let Some(text) = cell.map(CellRef::shown)
            && has_invisible_edge(&text, filled.field)
        {
            wrong(Severity::Note, FindingCode::InvisibleRemoved, Note::None);
        }
        let found = if filled.plain { filled.read(cell?)? } else { self.plan.read(row, filled.target)? };
        match found {
            Err(code) => {
                wrong(Severity::Error, code, Note::None);
                None
            }
            Ok(value) => {
                if let Some((code, note)) = beyond(filled.field, &value) {
                    wrong(Severity::Error, code, note);
                }
                if filled.field.kind == FieldKind::Text && cell.is_some_and(CellRef::is_shown_by_format) {
                    wrong(Severity::Note, FindingCode::ShownTextKept, Note::None);
                }
                if filled.field.kind == FieldKind::Text && self.is_cut(row, filled, cell) {
                    wrong(Severity::Error, FindingCode::CutText, Note::None);
                }
                if let Some(character) = unreadable(&value) {
                    let named = [("character", format!("U+{:04X}", u32::from(character)))];
                    wrong(Severity::Error, FindingCode::UnreadableCharacter, Note::Named(Arc::new(named.into())));
                }
                let is_code = filled.field.is_code;
                if let ReadValue::Text(text) = &value
                    && first_reported(text, is_code).is_some()
                {
                    wrong(Severity::Warning, FindingCode::InvisibleCharacter, Note::None);
                }
                Some(value)
            }
        }
    }

    /// Whether one of the cells that fill a field may hold only the beginning of its text.
    fn is_cut<'r>(&self, row: impl RowCells<'r>, filled: &FilledField<'p>, cell: Option<CellRef<'r>>) -> bool {
        let is_cut = |cell: CellRef<'r>| matches!(cell.value(), CellValue::Text(text) if writer::is_cut(text));
        if filled.plain {
            return cell.is_some_and(is_cut);
        }
        self.plan.columns_of(filled.target).into_iter().filter_map(|column| row.cell_at(column)).any(is_cut)
    }

    /// What the row's item needs, and what a part needs where it has anything at all.
    fn require<'r>(
        &self,
        alone: &mut RowBlockResult,
        position: u32,
        row: impl RowCells<'r>,
        values: &[Option<ReadValue<'r>>],
    ) where
        'p: 'r,
    {
        let has = |target: usize| values.get(target).is_some_and(Option::is_some);
        // A cell that can't be read already has its finding.
        let lacks = |target: usize| {
            !has(target) && self.plan.read(row, target).is_none() && !self.plan.is_formula_without_value(row, target)
        };
        let required = |target| {
            let filled = self.plan.layout.fills(target);
            let code = if filled { FindingCode::Required } else { FindingCode::MissingColumn };
            mark(self.plan, Position::new(position), target, (Severity::Error, code), Note::None)
        };
        for target in self.required.iter().copied().filter(|&target| lacks(target)) {
            let marks = if self.grouping { &mut alone.own } else { &mut alone.marks };
            marks.push(required(target));
        }
        for (target, others) in &self.parts {
            if others.iter().any(|&other| has(other)) && lacks(*target) {
                alone.marks.push(required(*target));
            }
        }
    }

    fn check_rules(&self, alone: &mut RowBlockResult, position: u32, values: &[Option<ReadValue<'_>>]) {
        for DateOrderRule { first: begin, second: end, names } in &self.date_orders {
            let (Some(Some(ReadValue::DateTime(from))), Some(Some(ReadValue::DateTime(to)))) =
                (values.get(*begin), values.get(*end))
            else {
                continue;
            };
            if is_not_before(*from, *to) {
                let note = Note::Pair(Arc::clone(names));
                alone.marks.push(mark(
                    self.plan,
                    Position::new(position),
                    *end,
                    (Severity::Error, FindingCode::NotBefore),
                    note,
                ));
            }
        }
    }

    fn sum<'r>(&self, row: impl RowCells<'r>) -> u64 {
        let mut hasher = DefaultHasher::new();
        for filled in self.filled.iter().filter(|filled| filled.field.part_of.is_none()) {
            self.plan.written(row, filled.target).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// False also if only one of them has an offset: the rule can't be checked then.
fn is_not_before(from: TypedDateTime, to: TypedDateTime) -> bool {
    let moment =
        |written: TypedDateTime, minutes: i32| written.at.saturating_sub(SignedDuration::from_mins(i64::from(minutes)));
    match (from.offset, to.offset) {
        (None, None) => from.at >= to.at,
        (Some(of_from), Some(of_to)) => moment(from, of_from) >= moment(to, of_to),
        _ => false,
    }
}

/// Of a row of a part, by its place in that.
fn position(first: u32, at: usize) -> u32 {
    first.saturating_add(u32::try_from(at).unwrap_or(u32::MAX))
}

/// True if more than spaces is removed at the edges of a value. Of free text nothing else is.
fn has_invisible_edge(text: &str, field: &Target) -> bool {
    let is_trimmed = field.is_code || field.kind != FieldKind::Text;
    is_trimmed && trim_blank(text) != text.trim()
}

/// A zero byte, which no text has, or the character that stands for a letter that couldn't be decoded, here or by the program that
/// wrote the file.
fn unreadable(value: &ReadValue<'_>) -> Option<char> {
    let ReadValue::Text(text) = value else { return None };
    let is_unreadable = |letter: &char| matches!(letter, '\0' | &char::REPLACEMENT_CHARACTER);
    text.chars().find(is_unreadable)
}

impl<'p> FilledField<'p> {
    /// Absent where nothing fills the field.
    fn new(plan: &'p Plan<'p>, target: usize, field: &'p Target) -> Option<Self> {
        let column = plan.layout.columns.get(target).copied().flatten();
        let way = plan.way(target);
        let plain = way.is_none_or(|way| way.constant.is_none() && way.joined.is_none() && way.values.is_empty());
        if column.is_none() && plain {
            return None;
        }
        let format = plan.layout.formats.get(target).copied().unwrap_or(Format::PLAIN);
        Some(Self { target, field, format, column, plain })
    }

    /// All texts of a column together are checked in less time than each by itself.
    fn usual(&self, part: &Part<'_>) -> UsualCells<'p> {
        let texts = self.column.filter(|_| self.plain && self.field.kind == FieldKind::Text);
        let texts = texts.and_then(|column| part.texts(column));
        let are_plain = texts.is_some_and(|texts| usual::is_plain(texts.text().as_bytes()));
        UsualCells { field: self.field, format: self.format, are_plain }
    }

    fn read<'r>(&self, cell: CellRef<'r>) -> Option<Result<ReadValue<'r>, FindingCode>> {
        if cell.is_empty() { None } else { self.field.read(cell, self.format) }
    }
}
