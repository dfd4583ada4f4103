//! Checks every row against the contract's types and rules. Findings are stored compactly, since a sheet may have a
//! million of them. [`Mark::finding`] expands one.

use crate::import::position::Position;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use jiff::civil::Date;
use serde_json::Value;
use takt_contract::FieldKind;
use takt_sheet::{CellRef, RowSpan};

use super::{
    Facet, ImportCounts,
    fix::Overlay,
    mapping::{FieldRule, Rules},
    mark::{Mark, TextParameters, is_about_column},
    matching::ColumnMatch,
    pass::{NO_ITEM, RowGrouper, UnsortedResult, date_order_marks},
    reading::{ChosenFormat, Format, ReadValue, error_code},
    row::RowCells,
    sense::ReferenceChecks,
    target::Targets,
};
use takt_core::finding::{FindingCode, Severity};

/// The columns that fill the fields, and how their texts are read.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnLayout {
    /// By target, the column that fills it.
    pub(super) columns: Vec<Option<u32>>,
    /// By target, the format of its column.
    pub(super) formats: Vec<Format>,
    /// By target, the format that the user chose for its column.
    pub(super) choices: Vec<Option<ChosenFormat>>,
    /// By target, the mapping's rules beyond the column.
    pub(super) field_rules: Vec<FieldRule>,
    /// Targets that several columns fit, with the parameters of their findings.
    pub(super) contested: Vec<(usize, Arc<TextParameters>)>,
}

/// An operation's fields together with the columns that fill them.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowMapper<'a> {
    pub(super) targets: &'a Targets,
    pub(super) layout: &'a ColumnLayout,
    pub(super) overlay: &'a Overlay,
    pub(super) reference_checks: &'a ReferenceChecks,
}

/// The result of the check, by position among the rows below the header row.
#[derive(Debug, Clone, Default)]
pub(super) struct CheckResult {
    /// Sorted by row and column.
    pub(super) marks: Vec<Mark>,
    /// By row, the index of its first mark, with one more entry at the end.
    pub(super) starts: Vec<u32>,
    /// By row, its item, or [`super::pass::NO_ITEM`] if it's excluded.
    pub(super) items: Vec<u32>,
    /// By row, the hash of its key, for finding rows with the same key.
    pub(super) hashes: Vec<u64>,
    pub(super) counts: ImportCounts,
    pub(super) facets: Vec<Facet>,
}

impl ColumnLayout {
    /// Determines the columns and formats of all targets, reading every row for the formats. `matches` has each
    /// column's match, and `names` the columns' names in the rules. `today` decides the year of calendar weeks without
    /// one.
    pub(super) fn new(
        targets: &Targets,
        matches: &[ColumnMatch],
        rules: &Rules,
        names: &[String],
        rows: RowSpan<'_>,
        overlay: &Overlay,
        today: Date,
    ) -> Self {
        let field_rules = rules.field_rules(targets, names);
        let columns: Vec<Option<u32>> = targets
            .fields
            .iter()
            .zip(&field_rules)
            .map(|(target, rule)| match &rule.joined {
                Some((columns, _)) => columns.first().copied(),
                None => u32::try_from(matches.iter().position(|column_match| column_match.fills(&target.path))?).ok(),
            })
            .collect();
        let choice = |column: &Option<u32>| {
            let choice = *rules.formats.get(names.get((*column)? as usize)?)?;
            Some(ChosenFormat { choice, today })
        };
        let choices = columns.iter().map(choice).collect();
        let formats = vec![Format::PLAIN; columns.len()];
        let mut layout = Self { columns, formats, choices, field_rules, contested: Vec::new() };
        layout.refresh(targets, rows, overlay, None);
        layout
    }

    /// Returns true if a column or the mapping provides a value for the target.
    pub(super) fn fills(&self, target: usize) -> bool {
        let column = self.columns.get(target).copied().flatten().is_some();
        column || self.field_rules.get(target).is_some_and(|rule| rule.joined.is_some() || rule.constant.is_some())
    }

    /// Determines the formats of these columns again, or of all columns if `only` is `None`. Returns true if a column's
    /// texts are now read differently.
    pub(super) fn refresh(
        &mut self,
        targets: &Targets,
        rows: RowSpan<'_>,
        overlay: &Overlay,
        only: Option<&[u32]>,
    ) -> bool {
        let filled: Vec<(usize, FieldKind, u32)> = (0..)
            .zip(&targets.fields)
            .zip(&self.columns)
            .filter_map(|((target, field), column)| Some((target, field.kind, (*column)?)))
            .filter(|(_, _, column)| only.is_none_or(|only| only.contains(column)))
            .collect();
        let columns: Vec<(FieldKind, u32)> = filled.iter().map(|&(_, kind, column)| (kind, column)).collect();
        let mut other = false;
        for ((target, ..), counts) in filled.into_iter().zip(overlay.column_counts(&columns, rows)) {
            let found = counts.format(self.choices.get(target).copied().flatten());
            if let Some(format) = self.formats.get_mut(target) {
                other |= !found.reads_like(*format);
                *format = found;
            }
        }
        other
    }
}

impl<'a> RowMapper<'a> {
    /// Returns true if rows with the same key form one item, because a column fills a part of a list.
    pub(super) fn groups_rows(&self) -> bool {
        self.targets
            .fields
            .iter()
            .zip(&self.layout.columns)
            .any(|(target, column)| target.part_of.is_some() && column.is_some())
    }

    /// Returns the cell that fills a target, if it has content.
    pub(super) fn cell<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<CellRef<'r>> {
        let column = self.layout.columns.get(target).copied().flatten()?;
        row.cell_at(column).filter(|cell| !cell.is_empty())
    }

    /// Returns the row's text for a target before the mapping replaces it, or `None` if there is none.
    pub(super) fn source_text<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<Cow<'r, str>> {
        let field = self.targets.fields.get(target)?;
        if let Some((columns, with)) = self.field_rule(target).and_then(|rule| rule.joined.as_ref()) {
            let cells = columns.iter().filter_map(|&column| row.cell_at(column));
            let texts = cells.map(|cell| field.trimmed(&cell.shown()).to_owned());
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            return (!texts.is_empty()).then(|| Cow::Owned(texts.join(with)));
        }
        let text = match self.cell(row, target)?.shown() {
            Cow::Borrowed(text) => Cow::Borrowed(field.trimmed(text)),
            Cow::Owned(text) => Cow::Owned(field.trimmed(&text).to_owned()),
        };
        (!text.is_empty()).then_some(text)
    }

    /// Returns true if a cell that fills the target is a formula without a calculated result.
    pub(super) fn is_formula_without_value<'r>(&self, row: impl RowCells<'r>, target: usize) -> bool {
        let open = |column: u32| row.cell_at(column).is_some_and(CellRef::is_formula_without_value);
        match self.field_rule(target).and_then(|rule| rule.joined.as_ref()) {
            Some((columns, _)) => columns.iter().any(|&column| open(column)),
            None => self.layout.columns.get(target).copied().flatten().is_some_and(open),
        }
    }

    /// Returns the columns that a target's value is made of.
    pub(super) fn columns_of(&self, target: usize) -> Vec<u32> {
        let joined =
            self.field_rule(target).and_then(|rule| rule.joined.as_ref()).map(|(columns, _)| columns.iter().copied());
        let own = self.layout.columns.get(target).copied().flatten();
        joined.into_iter().flatten().chain(own).collect()
    }

    /// Returns true if the mapping gives every row the same value.
    pub(super) fn is_constant(&self, target: usize) -> bool {
        self.field_rule(target).is_some_and(|rule| rule.constant.is_some())
    }

    /// Returns the value that is sent if the target's cell is empty.
    pub(super) fn value_for_empty(&self, target: usize) -> Option<&'a Value> {
        self.field_rule(target)?.empty.as_ref()
    }

    pub(super) fn field_rule(&self, target: usize) -> Option<&'a FieldRule> {
        self.layout.field_rules.get(target)
    }

    pub(super) fn read<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<Result<ReadValue<'r>, FindingCode>>
    where
        'a: 'r,
    {
        let field = self.targets.fields.get(target)?;
        let rule = self.field_rule(target);
        let mut format = self.layout.formats.get(target).copied().unwrap_or(Format::PLAIN);
        let replaced = rule
            .filter(|rule| !rule.values.is_empty())
            .and_then(|rule| self.source_text(row, target).and_then(|text| rule.values.get(text.as_ref())));
        let constant = rule.and_then(|rule| rule.constant.as_ref());
        let cell = match replaced.or(constant) {
            Some((cell, own)) => {
                format = *own;
                Some(cell.as_ref()).filter(|cell| !cell.is_empty())?
            }
            None if rule.is_some_and(|rule| rule.joined.is_some()) => return self.joined(row, target),
            None => self.cell(row, target)?,
        };
        field.read(cell, format)
    }
}

impl<'a> RowMapper<'a> {
    fn joined<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<Result<ReadValue<'r>, FindingCode>>
    where
        'a: 'r,
    {
        let (columns, _) = self.field_rule(target)?.joined.as_ref()?;
        let mut cells = columns.iter().filter_map(|&column| row.cell_at(column));
        if let Some(code) = cells.find_map(error_code) {
            return Some(Err(code));
        }
        self.source_text(row, target).map(|text| Ok(ReadValue::Text(text)))
    }
}

/// Checks every row.
pub(super) fn check(mapper: &RowMapper<'_>, rows: RowSpan<'_>) -> CheckResult {
    let (mut raw, items) = RowGrouper::check_all(mapper, rows).into_result();
    raw.marks.extend(date_order_marks(mapper, rows));
    CheckResult::new(mapper, rows.len(), raw, items)
}

impl CheckResult {
    /// Sorts and counts the result of a [`RowGrouper`].
    pub(super) fn new(mapper: &RowMapper<'_>, rows: usize, raw: UnsortedResult, items: u32) -> Self {
        let UnsortedResult { mut marks, items: by_row, hashes } = raw;
        marks.sort_by_key(|mark| (mark.position, mark.column));
        let mut starts = Vec::with_capacity(rows + 1);
        let mut next = 0;
        for row in 0..=rows {
            while marks.get(next).is_some_and(|mark| mark.position.index() < row) {
                next += 1;
            }
            starts.push(u32::try_from(next).unwrap_or(u32::MAX));
        }
        let counts = ImportCounts { items, ..ImportCounts::default() };
        let mut checked = Self { marks, starts, items: by_row, hashes, counts, facets: Vec::new() };
        checked.count(mapper.targets);
        checked
    }

    /// Creates the result for a sheet without a known operation.
    pub(super) fn unchecked(rows: usize) -> Self {
        let rows_u32 = u32::try_from(rows).unwrap_or(u32::MAX);
        let counts = ImportCounts { rows: rows_u32, ..ImportCounts::default() };
        Self { starts: vec![0; rows + 1], items: vec![0; rows], counts, ..Self::default() }
    }

    /// Returns the marks of one row.
    pub(super) fn marks_of_row(&self, position: Position) -> &[Mark] {
        let at = |index: usize| self.starts.get(index).map_or(self.marks.len(), |&start| start as usize);
        self.marks.get(at(position.index())..at(position.index() + 1)).unwrap_or_default()
    }

    pub(super) fn severity(&self, position: Position) -> Option<Severity> {
        self.marks_of_row(position).iter().map(|mark| mark.severity).min()
    }

    /// Returns, by item, whether one of its rows has an error.
    pub(super) fn blocked(&self) -> Vec<bool> {
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
    pub(super) fn count(&mut self, targets: &Targets) {
        let rows = self.starts.len().saturating_sub(1);
        let blocked = self.blocked();
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let mut counts = ImportCounts { rows, items: self.counts.items, ..ImportCounts::default() };
        for position in (0..counts.rows).map(Position::new) {
            // A row with both is counted twice, so that each count matches the rows that its filter shows.
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
