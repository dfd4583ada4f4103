//! Every row against the contract's types and rules. Findings are kept small, since a sheet may hold a million of them;
//! [`Mark::finding`] writes one out.

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
    pass::{NO_ITEM, Pass, PassResult, orders},
    reading::{ChosenFormat, Format, ReadValue, error_code},
    row::RowCells,
    sense::ReferenceChecks,
    target::Targets,
};
use takt_core::finding::{FindingCode, Severity};

/// Which column fills which field, and how its texts are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    /// By target: the column that fills it.
    pub(super) columns: Vec<Option<u32>>,
    /// By target.
    pub(super) formats: Vec<Format>,
    /// By target: what a person chose for the column.
    pub(super) choices: Vec<Option<ChosenFormat>>,
    /// By target: what the mapping says beyond the column.
    pub(super) ways: Vec<FieldRule>,
    /// Targets that several columns fit, with what a finding says of them.
    pub(super) contested: Vec<(usize, Arc<TextParameters>)>,
}

/// An operation's fields together with the columns that fill them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) targets: &'a Targets,
    pub(super) layout: &'a Layout,
    pub(super) overlay: &'a Overlay,
    pub(super) senses: &'a ReferenceChecks,
}

/// What the check found, by position among the rows below the heading.
#[derive(Debug, Clone, Default)]
pub(super) struct CheckResult {
    /// By row.
    pub(super) marks: Vec<Mark>,
    /// By row: where its marks start; one more at the end.
    pub(super) starts: Vec<u32>,
    /// By row: the item that it is part of; [`super::pass::NO_ITEM`] where it is excluded.
    pub(super) items: Vec<u32>,
    /// By row: the hash of its key, so that rows with the same key are found again.
    pub(super) hashes: Vec<u64>,
    pub(super) counts: ImportCounts,
    pub(super) facets: Vec<Facet>,
}

impl Layout {
    /// `found` is what each column was matched with, `names` what the rules call it. Looks at every row for the formats; a week
    /// without a year is near `today`.
    pub(super) fn new(
        targets: &Targets,
        found: &[ColumnMatch],
        (rules, names): (&Rules, &[String]),
        rows: RowSpan<'_>,
        (overlay, today): (&Overlay, Date),
    ) -> Self {
        let ways = rules.ways(targets, names);
        let columns: Vec<Option<u32>> = targets
            .fields
            .iter()
            .zip(&ways)
            .map(|(target, way)| match &way.joined {
                Some((columns, _)) => columns.first().copied(),
                None => u32::try_from(found.iter().position(|found| found.fills(&target.path))?).ok(),
            })
            .collect();
        let choice = |column: &Option<u32>| {
            let choice = *rules.formats.get(names.get((*column)? as usize)?)?;
            Some(ChosenFormat { choice, today })
        };
        let choices = columns.iter().map(choice).collect();
        let formats = vec![Format::PLAIN; columns.len()];
        let mut layout = Self { columns, formats, choices, ways, contested: Vec::new() };
        layout.refresh(targets, rows, overlay, None);
        layout
    }

    /// True where a column or the mapping has a value for the target.
    pub(super) fn fills(&self, target: usize) -> bool {
        let column = self.columns.get(target).copied().flatten().is_some();
        column || self.ways.get(target).is_some_and(|way| way.joined.is_some() || way.constant.is_some())
    }

    /// Finds the verdicts of these columns again (of all where absent). True where one of them now reads otherwise.
    pub(super) fn refresh(
        &mut self,
        targets: &Targets,
        rows: RowSpan<'_>,
        overlay: &Overlay,
        only: Option<&[u32]>,
    ) -> bool {
        let wanted: Vec<(usize, FieldKind, u32)> = (0..)
            .zip(&targets.fields)
            .zip(&self.columns)
            .filter_map(|((target, field), column)| Some((target, field.kind, (*column)?)))
            .filter(|(_, _, column)| only.is_none_or(|only| only.contains(column)))
            .collect();
        let columns: Vec<(FieldKind, u32)> = wanted.iter().map(|&(_, kind, column)| (kind, column)).collect();
        let mut other = false;
        for ((target, ..), seen) in wanted.into_iter().zip(overlay.evidence(&columns, rows)) {
            let found = seen.format(self.choices.get(target).copied().flatten());
            if let Some(format) = self.formats.get_mut(target) {
                other |= !found.reads_like(*format);
                *format = found;
            }
        }
        other
    }
}

impl<'a> Plan<'a> {
    /// True where rows of one key are one item: some part of a list has a column.
    pub(super) fn groups(&self) -> bool {
        self.targets
            .fields
            .iter()
            .zip(&self.layout.columns)
            .any(|(target, column)| target.part_of.is_some() && column.is_some())
    }

    /// The cell that fills a target, where it has content.
    pub(super) fn cell<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<CellRef<'r>> {
        let column = self.layout.columns.get(target).copied().flatten()?;
        row.cell_at(column).filter(|cell| !cell.is_empty())
    }

    /// The text that the row has for a target, before the mapping replaces it; absent where it has none.
    pub(super) fn written<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<Cow<'r, str>> {
        let field = self.targets.fields.get(target)?;
        if let Some((columns, with)) = self.way(target).and_then(|way| way.joined.as_ref()) {
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

    /// True where one of the cells that fill a target is a formula whose result was never calculated.
    pub(super) fn is_formula_without_value<'r>(&self, row: impl RowCells<'r>, target: usize) -> bool {
        let open = |column: u32| row.cell_at(column).is_some_and(CellRef::is_formula_without_value);
        match self.way(target).and_then(|way| way.joined.as_ref()) {
            Some((columns, _)) => columns.iter().any(|&column| open(column)),
            None => self.layout.columns.get(target).copied().flatten().is_some_and(open),
        }
    }

    /// The columns of which a target's value is made.
    pub(super) fn columns_of(&self, target: usize) -> Vec<u32> {
        let joined = self.way(target).and_then(|way| way.joined.as_ref()).map(|(columns, _)| columns.iter().copied());
        let own = self.layout.columns.get(target).copied().flatten();
        joined.into_iter().flatten().chain(own).collect()
    }

    /// True where every row has the same value by the mapping.
    pub(super) fn is_constant(&self, target: usize) -> bool {
        self.way(target).is_some_and(|way| way.constant.is_some())
    }

    /// What is sent where a target's cell is empty.
    pub(super) fn emptied(&self, target: usize) -> Option<&'a Value> {
        self.way(target)?.empty.as_ref()
    }

    pub(super) fn way(&self, target: usize) -> Option<&'a FieldRule> {
        self.layout.ways.get(target)
    }

    pub(super) fn read<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<Result<ReadValue<'r>, FindingCode>>
    where
        'a: 'r,
    {
        let field = self.targets.fields.get(target)?;
        let way = self.way(target);
        let mut format = self.layout.formats.get(target).copied().unwrap_or(Format::PLAIN);
        let replaced = way
            .filter(|way| !way.values.is_empty())
            .and_then(|way| self.written(row, target).and_then(|text| way.values.get(text.as_ref())));
        let constant = way.and_then(|way| way.constant.as_ref());
        let cell = match replaced.or(constant) {
            Some((cell, own)) => {
                format = *own;
                Some(cell.as_ref()).filter(|cell| !cell.is_empty())?
            }
            None if way.is_some_and(|way| way.joined.is_some()) => return self.joined(row, target),
            None => self.cell(row, target)?,
        };
        field.read(cell, format)
    }
}

impl<'a> Plan<'a> {
    fn joined<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<Result<ReadValue<'r>, FindingCode>>
    where
        'a: 'r,
    {
        let (columns, _) = self.way(target)?.joined.as_ref()?;
        let mut cells = columns.iter().filter_map(|&column| row.cell_at(column));
        if let Some(code) = cells.find_map(error_code) {
            return Some(Err(code));
        }
        self.written(row, target).map(|text| Ok(ReadValue::Text(text)))
    }
}

/// Checks every row.
pub(super) fn check(plan: &Plan<'_>, rows: RowSpan<'_>) -> CheckResult {
    let (mut raw, items) = Pass::over_all(plan, rows).into_raw();
    raw.marks.extend(orders(plan, rows));
    CheckResult::new(plan, rows.len(), raw, items)
}

impl CheckResult {
    /// Sorts what a pass left behind, and counts it.
    pub(super) fn new(plan: &Plan<'_>, rows: usize, raw: PassResult, items: u32) -> Self {
        let PassResult { mut marks, items: by_row, hashes } = raw;
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
        checked.count(plan.targets);
        checked
    }

    /// Rows of a sheet whose operation isn't known yet.
    pub(super) fn unchecked(rows: usize) -> Self {
        let rows_u32 = u32::try_from(rows).unwrap_or(u32::MAX);
        let counts = ImportCounts { rows: rows_u32, ..ImportCounts::default() };
        Self { starts: vec![0; rows + 1], items: vec![0; rows], counts, ..Self::default() }
    }

    /// The marks of one row.
    pub(super) fn of_row(&self, position: Position) -> &[Mark] {
        let at = |index: usize| self.starts.get(index).map_or(self.marks.len(), |&start| start as usize);
        self.marks.get(at(position.index())..at(position.index() + 1)).unwrap_or_default()
    }

    pub(super) fn severity(&self, position: Position) -> Option<Severity> {
        self.of_row(position).iter().map(|mark| mark.severity).min()
    }

    /// By item: true where one of its rows has an error.
    pub(super) fn blocked(&self) -> Vec<bool> {
        let mut blocked = vec![false; self.counts.items as usize];
        for mark in self.marks.iter().filter(|mark| mark.severity == Severity::Error) {
            let item = self.items.get(mark.position.index()).copied().unwrap_or_default();
            if let Some(place) = blocked.get_mut(item as usize) {
                *place = true;
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
            // A row with both counts as both: each number is that of the rows which its filter shows.
            let has = |severity| self.of_row(position).iter().any(|mark| mark.severity == severity);
            counts.error_rows += u32::from(has(Severity::Error));
            counts.warning_rows += u32::from(has(Severity::Warning));
            let item = self.items.get(position.index()).copied().unwrap_or_default();
            counts.excluded += u32::from(item == NO_ITEM);
            counts.ready_rows += u32::from(!blocked.get(item as usize).copied().unwrap_or(true));
        }
        let mut facets: HashMap<(Severity, FindingCode, u16), u32> = HashMap::new();
        let mut listed = HashSet::new();
        for mark in &self.marks {
            // It is one finding, however many rows there are.
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
