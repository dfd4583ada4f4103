//! Checks each row alone. Reads every matched cell and marks its problems. Rows are checked in any order and on any
//! core.
//!
//! A fast path reads ordinary cells, which have no finding. The full check handles any other cell. Tests compare both
//! paths.

#[cfg(test)]
mod tests;

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
    sync::Arc,
};

use jiff::SignedDuration;
use takt_contract::{FieldKind, Limits, Rule};
use takt_core::{
    ExcelRow,
    finding::{FindingCode, Severity},
};
use takt_sheet::{CellRef, CellValue, RowBlock, SheetRow, is_error_text, writer};

use super::key_index::{self, KeyTexts};
use crate::{
    cell_value::{Format, ReadValue, fast_date_time, fast_number, fast_ticks, to_integer},
    date::TypedDateTime,
    invisible_characters::{find_reported_character, trim_blank},
    limit::violated_limit,
    mark::{FindingDetail, Mark, TargetFinding},
    row_mapper::{RowCells, RowMapper},
    row_position::RowPosition,
    target::TargetField,
};

/// Number of rows whose values are in memory at once, few enough for a CPU cache.
const ROWS_PER_CHUNK: usize = 32;

/// The result of checking consecutive rows.
#[derive(Debug, Default)]
pub(super) struct RowBlockResult {
    /// Position of the first row.
    pub(super) first: u32,
    pub(super) marks: Vec<Mark>,
    /// If rows are grouped, marks of item fields that a row lacks. They're used only for the item's first row.
    pub(super) item_marks: Vec<Mark>,
    pub(super) keys: KeyTexts,
    /// If rows are grouped, by row, the hash of its item fields.
    pub(super) item_hashes: Vec<u64>,
}

/// The prepared checks, which are the same for every row.
#[derive(Debug)]
pub(super) struct RowCheck<'p> {
    mapper: &'p RowMapper<'p>,
    columns: Vec<u32>,
    /// Fields that a column or the mapping fills, in the contract's order.
    filled: Vec<FilledField<'p>>,
    /// Fields that an item requires.
    required_fields: Vec<usize>,
    /// Fields that a part requires, each with the fields that start a part.
    required_part_fields: Vec<(usize, Vec<usize>)>,
    date_orders: Vec<DateOrderRule>,
    key: Option<Vec<(usize, bool)>>,
    groups_rows: bool,
}

#[derive(Debug)]
struct FilledField<'p> {
    target: usize,
    field: &'p TargetField,
    format: Format,
    column: Option<u32>,
    /// True if its column's cell alone determines the value.
    is_single_cell: bool,
}

#[derive(Debug)]
struct DateOrderRule {
    first: usize,
    second: usize,
    /// The two fields by name.
    names: Arc<(Box<str>, Box<str>)>,
}

impl<'p> RowCheck<'p> {
    pub(super) fn new(mapper: &'p RowMapper<'p>) -> Self {
        let fields = &mapper.targets.fields;
        let filled: Vec<FilledField<'p>> =
            fields.iter().enumerate().filter_map(|(target, field)| FilledField::new(mapper, target, field)).collect();
        let mut columns: Vec<u32> = filled.iter().flat_map(|filled| mapper.source_columns(filled.target)).collect();
        columns.sort_unstable();
        columns.dedup();
        let required = |is_part: bool| {
            let needed = fields.iter().enumerate().filter(move |(_, field)| field.required);
            needed.filter(move |(_, field)| field.part_of.is_some() == is_part)
        };
        let part_starters = |list: &str| {
            let others = filled.iter().filter(|other| !mapper.is_constant(other.target));
            let of_list = others.filter(|other| other.field.part_of.as_ref().is_some_and(|(own, _)| own == list));
            of_list.map(|other| other.target).collect()
        };
        let part_fields =
            required(true).filter_map(|(target, field)| Some((target, part_starters(&field.part_of.as_ref()?.0))));
        let date_orders = mapper.targets.rules.iter().filter_map(|rule| {
            let Rule::Before { first, second, .. } = rule;
            Some(DateOrderRule {
                first: mapper.targets.index(first)?,
                second: mapper.targets.index(second)?,
                names: Arc::new((first.as_str().into(), second.as_str().into())),
            })
        });
        Self {
            mapper,
            columns,
            required_fields: required(false).map(|(target, _)| target).collect(),
            required_part_fields: part_fields.collect(),
            date_orders: date_orders.collect(),
            key: key_index::key_fields(mapper.targets),
            groups_rows: mapper.groups_rows(),
            filled,
        }
    }

    pub(super) fn columns(&self) -> &[u32] {
        &self.columns
    }

    pub(super) fn check_block(&self, block: &RowBlock<'_>) -> RowBlockResult {
        let mut result =
            RowBlockResult { first: u32::try_from(block.first()).unwrap_or(u32::MAX), ..RowBlockResult::default() };
        let fields = self.mapper.targets.fields.len().max(1);
        let mut values = vec![None; fields * ROWS_PER_CHUNK];
        let fast: Vec<FastCells<'_>> = self.filled.iter().map(|filled| filled.fast_cells(block)).collect();
        for start in (0..block.len()).step_by(ROWS_PER_CHUNK) {
            let end = block.len().min(start + ROWS_PER_CHUNK);
            for (filled, &fast) in self.filled.iter().zip(&fast) {
                let slots = values.chunks_exact_mut(fields).filter_map(|row| row.get_mut(filled.target));
                self.read_field(&mut result, filled, fast, block, start..end, slots);
            }
            for (at, values) in (start..end).zip(values.chunks_exact(fields)) {
                let Some(row) = block.row(at) else { break };
                let position = position(result.first, at);
                self.check_values(&mut result, position, row.number(), row, values);
            }
        }
        // Sorted and shrunk, since there may be a million marks before they're merged.
        result.marks.sort_by_key(|mark| (mark.position, mark.column));
        result.marks.shrink_to_fit();
        result
    }

    pub(super) fn check_row(&self, position: usize, row: &SheetRow) -> RowBlockResult {
        let mut result =
            RowBlockResult { first: u32::try_from(position).unwrap_or(u32::MAX), ..RowBlockResult::default() };
        let mut values = vec![None; self.mapper.targets.fields.len()];
        let position = result.first;
        for filled in self.filled.iter().filter(|_| !self.excludes(row.number)) {
            if let Some(slot) = values.get_mut(filled.target) {
                *slot = self.read_cell(&mut result, position, row, filled);
            }
        }
        self.check_values(&mut result, position, row.number, row, &values);
        result
    }

    fn excludes(&self, number: u32) -> bool {
        self.mapper.overlay.excludes(ExcelRow::new(number))
    }

    /// Reads a field in some rows of a block. Ordinary cells are read on the fast path.
    fn read_field<'v, 'r: 'v>(
        &self,
        result: &mut RowBlockResult,
        filled: &FilledField<'p>,
        fast: FastCells<'_>,
        block: &'r RowBlock<'_>,
        rows: Range<usize>,
        slots: impl Iterator<Item = &'v mut Option<ReadValue<'r>>>,
    ) where
        'p: 'r,
    {
        let read_checked = |result: &mut RowBlockResult, at: usize, slot: &mut Option<ReadValue<'r>>| {
            let Some(row) = block.row(at).filter(|row| !self.excludes(row.number())) else { return };
            *slot = self.read_cell(result, position(result.first, at), row, filled);
        };
        let Some(column) = filled.column.filter(|_| filled.is_single_cell) else {
            rows.zip(slots).for_each(|(at, slot)| read_checked(result, at, slot));
            return;
        };
        for ((at, cell), slot) in rows.clone().zip(block.cells_of(column, rows)).zip(slots) {
            if !read_fast(cell, fast, slot) {
                read_checked(result, at, slot);
            }
        }
    }

    /// Checks a row's values against each other and against the site. `values` are by field.
    fn check_values<'r>(
        &self,
        result: &mut RowBlockResult,
        position: u32,
        number: u32,
        row: impl RowCells<'r>,
        values: &[Option<ReadValue<'r>>],
    ) where
        'p: 'r,
    {
        if self.excludes(number) {
            result.keys.push_skipped();
            if self.groups_rows {
                result.item_hashes.push(0);
            }
            return;
        }
        self.mark_missing(result, position, row, values);
        for (target, columns) in &self.mapper.layout.contested {
            let code = FindingCode::SeveralColumns;
            let detail = FindingDetail::Parameters(Arc::clone(columns));
            result.marks.push(self.mapper.create_mark(
                RowPosition::new(position),
                *target,
                Severity::Error,
                code,
                detail,
            ));
        }
        self.check_rules(result, position, values);
        self.mapper.reference_checks.check_row(values, &mut |TargetFinding { target, severity, code, detail }| {
            result.marks.push(self.mapper.create_mark(RowPosition::new(position), target, severity, code, detail));
        });
        match &self.key {
            Some(key) => result.keys.push_key(key, values),
            None => result.keys.push_key(&[], values),
        }
        if self.groups_rows {
            result.item_hashes.push(self.item_hash(row));
        }
    }

    /// Reads one cell and marks its problems.
    fn read_cell<'r>(
        &self,
        result: &mut RowBlockResult,
        position: u32,
        row: impl RowCells<'r>,
        filled: &FilledField<'p>,
    ) -> Option<ReadValue<'r>>
    where
        'p: 'r,
    {
        let mut wrong = |severity, code, detail| {
            result.marks.push(self.mapper.create_mark(
                RowPosition::new(position),
                filled.target,
                severity,
                code,
                detail,
            ));
        };
        let cell = filled.column.and_then(|column| row.cell_at(column));
        let open = if filled.is_single_cell {
            cell.is_some_and(CellRef::is_formula_without_value)
        } else {
            self.mapper.is_formula_without_value(row, filled.target)
        };
        if open {
            wrong(Severity::Error, FindingCode::FormulaWithoutValue, FindingDetail::None);
            return None;
        }
        if let Some(text) = cell.map(CellRef::shown)
            && has_invisible_edge(&text, filled.field)
        {
            wrong(Severity::Note, FindingCode::InvisibleRemoved, FindingDetail::None);
        }
        let found = if filled.is_single_cell { filled.read(cell?)? } else { self.mapper.read(row, filled.target)? };
        match found {
            Err(code) => {
                wrong(Severity::Error, code, FindingDetail::None);
                None
            }
            Ok(value) => {
                if let Some((code, detail)) = violated_limit(filled.field, &value) {
                    wrong(Severity::Error, code, detail);
                }
                if filled.field.kind == FieldKind::Text && cell.is_some_and(CellRef::is_shown_by_format) {
                    wrong(Severity::Note, FindingCode::ShownTextKept, FindingDetail::None);
                }
                if filled.field.kind == FieldKind::Text && self.is_cut(row, filled, cell) {
                    wrong(Severity::Error, FindingCode::CutText, FindingDetail::None);
                }
                if let Some(character) = find_unreadable_character(&value) {
                    let named = [("character", format!("U+{:04X}", u32::from(character)))];
                    wrong(
                        Severity::Error,
                        FindingCode::UnreadableCharacter,
                        FindingDetail::Parameters(Arc::new(named.into())),
                    );
                }
                let is_code = filled.field.is_code;
                if let ReadValue::Text(text) = &value
                    && find_reported_character(text, is_code).is_some()
                {
                    wrong(Severity::Warning, FindingCode::InvisibleCharacter, FindingDetail::None);
                }
                Some(value)
            }
        }
    }

    /// Returns true if a cell that fills a field may have only the beginning of its text.
    fn is_cut<'r>(&self, row: impl RowCells<'r>, filled: &FilledField<'p>, cell: Option<CellRef<'r>>) -> bool {
        let is_cut =
            |cell: CellRef<'r>| matches!(cell.value(), CellValue::Text(text) if writer::is_truncated_text(text));
        if filled.is_single_cell {
            return cell.is_some_and(is_cut);
        }
        self.mapper.source_columns(filled.target).into_iter().filter_map(|column| row.cell_at(column)).any(is_cut)
    }

    /// Marks missing fields that the row's item requires, or that a started part requires.
    fn mark_missing<'r>(
        &self,
        result: &mut RowBlockResult,
        position: u32,
        row: impl RowCells<'r>,
        values: &[Option<ReadValue<'r>>],
    ) where
        'p: 'r,
    {
        let has = |target: usize| values.get(target).is_some_and(Option::is_some);
        // A cell that can't be read already has its finding.
        let lacks = |target: usize| {
            !has(target)
                && self.mapper.read(row, target).is_none()
                && !self.mapper.is_formula_without_value(row, target)
        };
        let required = |target| {
            let filled = self.mapper.layout.fills(target);
            let code = if filled { FindingCode::Required } else { FindingCode::MissingColumn };
            self.mapper.create_mark(RowPosition::new(position), target, Severity::Error, code, FindingDetail::None)
        };
        for target in self.required_fields.iter().copied().filter(|&target| lacks(target)) {
            let marks = if self.groups_rows { &mut result.item_marks } else { &mut result.marks };
            marks.push(required(target));
        }
        for (target, others) in &self.required_part_fields {
            if others.iter().any(|&other| has(other)) && lacks(*target) {
                result.marks.push(required(*target));
            }
        }
    }

    fn check_rules(&self, result: &mut RowBlockResult, position: u32, values: &[Option<ReadValue<'_>>]) {
        for DateOrderRule { first: begin, second: end, names } in &self.date_orders {
            let (Some(Some(ReadValue::DateTime(from))), Some(Some(ReadValue::DateTime(to)))) =
                (values.get(*begin), values.get(*end))
            else {
                continue;
            };
            if is_not_before(*from, *to) {
                let detail = FindingDetail::Pair(Arc::clone(names));
                result.marks.push(self.mapper.create_mark(
                    RowPosition::new(position),
                    *end,
                    Severity::Error,
                    FindingCode::NotBefore,
                    detail,
                ));
            }
        }
    }

    fn item_hash<'r>(&self, row: impl RowCells<'r>) -> u64 {
        let mut hasher = DefaultHasher::new();
        for filled in self.filled.iter().filter(|filled| filled.field.part_of.is_none()) {
            self.mapper.source_text(row, filled.target).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Returns true if `from` isn't before `to`. Returns false if only one has an offset, since they can't be compared.
fn is_not_before(from: TypedDateTime, to: TypedDateTime) -> bool {
    let utc =
        |written: TypedDateTime, minutes: i32| written.at.saturating_sub(SignedDuration::from_mins(i64::from(minutes)));
    match (from.offset, to.offset) {
        (None, None) => from.at >= to.at,
        (Some(of_from), Some(of_to)) => utc(from, of_from) >= utc(to, of_to),
        _ => false,
    }
}

/// Returns the position of a row by its index in a block. `first` is the position of the block's first row.
fn position(first: u32, at: usize) -> u32 {
    first.saturating_add(u32::try_from(at).unwrap_or(u32::MAX))
}

/// Returns true if reading removes more than spaces at the edges. In free text, it removes only spaces.
fn has_invisible_edge(text: &str, field: &TargetField) -> bool {
    let is_trimmed = field.is_code || field.kind != FieldKind::Text;
    is_trimmed && trim_blank(text) != text.trim()
}

/// Returns the first zero byte or replacement character of a text. A replacement character marks a character that
/// couldn't be decoded, here or by the program that wrote the file.
fn find_unreadable_character(value: &ReadValue<'_>) -> Option<char> {
    let ReadValue::Text(text) = value else { return None };
    let is_unreadable = |letter: &char| matches!(letter, '\0' | &char::REPLACEMENT_CHARACTER);
    text.chars().find(is_unreadable)
}

impl<'p> FilledField<'p> {
    /// Returns `None` if neither a column nor the mapping fills the field.
    fn new(mapper: &'p RowMapper<'p>, target: usize, field: &'p TargetField) -> Option<Self> {
        let column = mapper.layout.columns.get(target).copied().flatten();
        let rule = mapper.field_rule(target);
        let is_single_cell =
            rule.is_none_or(|rule| rule.constant.is_none() && rule.joined.is_none() && rule.values.is_empty());
        if column.is_none() && is_single_cell {
            return None;
        }
        let format = mapper.layout.formats.get(target).copied().unwrap_or(Format::PLAIN);
        Some(Self { target, field, format, column, is_single_cell })
    }

    /// Prepares the fast path for a block of rows. Checks all texts of the column at once, which is faster.
    fn fast_cells(&self, block: &RowBlock<'_>) -> FastCells<'p> {
        let texts = self.column.filter(|_| self.is_single_cell && self.field.kind == FieldKind::Text);
        let texts = texts.and_then(|column| block.texts(column));
        let are_plain = texts.is_some_and(|texts| is_plain(texts.text().as_bytes()));
        FastCells { field: self.field, format: self.format, are_plain }
    }

    fn read<'r>(&self, cell: CellRef<'r>) -> Option<Result<ReadValue<'r>, FindingCode>> {
        if cell.is_empty() { None } else { self.field.read(cell, self.format) }
    }
}

/// The fast path for reading a column's cells.
#[derive(Debug, Clone, Copy)]
struct FastCells<'f> {
    field: &'f TargetField,
    format: Format,
    /// True if [`is_plain`] holds for all texts of the column.
    are_plain: bool,
}

/// Puts the value of an ordinary cell into `slot`. Returns false if the cell needs the full check, and `slot` is
/// meaningless then.
#[inline]
fn read_fast<'r>(
    cell: Option<CellRef<'r>>,
    FastCells { field, format, are_plain }: FastCells<'_>,
    slot: &mut Option<ReadValue<'r>>,
) -> bool {
    let Some(cell) = cell else {
        *slot = None;
        return true;
    };
    if !cell.is_ordinary() {
        return false;
    }
    if cell.is_empty() {
        *slot = None;
        return true;
    }
    let value = match field.kind {
        FieldKind::Text => match cell.value() {
            CellValue::Text(text) => text_value(text, field, are_plain),
            _ => None,
        },
        FieldKind::Number => fast_number(cell, format).filter(in_bounds(&field.limits)).map(ReadValue::Number),
        FieldKind::Integer => {
            fast_number(cell, format).filter(in_bounds(&field.limits)).and_then(|number| to_integer(number).ok())
        }
        FieldKind::Boolean => match cell.value() {
            CellValue::Boolean(value) => Some(ReadValue::Boolean(value)),
            CellValue::Text(text) if text.eq_ignore_ascii_case("true") => Some(ReadValue::Boolean(true)),
            CellValue::Text(text) if text.eq_ignore_ascii_case("false") => Some(ReadValue::Boolean(false)),
            _ => None,
        },
        FieldKind::DateTime => fast_date_time(cell).map(ReadValue::DateTime),
        FieldKind::Duration | FieldKind::TimeSpan => fast_ticks(cell).map(ReadValue::Duration),
        FieldKind::List | FieldKind::Object => None,
    };
    let is_fast = value.is_some();
    *slot = value;
    is_fast
}

/// Returns a text that needs no full check: ASCII within the length limit, without surrounding spaces. Returns `None`
/// for other texts.
#[inline]
fn text_value<'r>(
    text: &'r str,
    TargetField { limits, .. }: &TargetField,
    is_known_plain: bool,
) -> Option<ReadValue<'r>> {
    let (&first, &last) = (text.as_bytes().first()?, text.as_bytes().last()?);
    let fits = limits.max_length.is_none_or(|most| text.len() <= most as usize);
    let is_ordinary = fits && limits.values.is_empty() && first > b' ' && last > b' ';
    let is_ordinary = is_ordinary && (is_known_plain || is_plain(text.as_bytes())) && !is_error_text(text);
    is_ordinary.then_some(ReadValue::Text(text.into()))
}

/// Returns true for ASCII without control characters.
#[inline]
fn is_plain(text: &[u8]) -> bool {
    const HIGHEST_BIT: u8 = 0x80;
    // The highest bit is set in non-ASCII bytes, and by the sums in control characters. Without branches, the loop can
    // be vectorized.
    let bits = text.iter().fold(0, |bits, &byte| bits | byte | byte.wrapping_sub(b' ') | byte.wrapping_add(1));
    bits & HIGHEST_BIT == 0
}

fn in_bounds(limits: &Limits) -> impl Fn(&f64) -> bool {
    let Limits { minimum, exclusive_minimum, maximum, .. } = *limits;
    move |&number| {
        exclusive_minimum.is_none_or(|bound| number > bound)
            && minimum.is_none_or(|bound| number >= bound)
            && maximum.is_none_or(|bound| number <= bound)
    }
}
