//! Reads the fields of a row by the columns and rules that fill them.

use std::borrow::Cow;

use serde_json::Value;
use takt_core::finding::{FindingCode, Severity};
use takt_sheet::{BlockRow, Cell, CellRef, SheetRow};

use crate::{
    cell_value::{Format, ReadValue, error_code},
    column_layout::ColumnLayout,
    fix::Overlay,
    mapping::FieldRule,
    mark::{FindingDetail, Mark},
    reference_checks::ReferenceChecks,
    row_position::RowPosition,
    target::TargetFields,
};

/// An operation's fields together with the columns that fill them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowMapper<'a> {
    pub(crate) targets: &'a TargetFields,
    pub(crate) layout: &'a ColumnLayout,
    pub(crate) overlay: &'a Overlay,
    pub(crate) reference_checks: &'a ReferenceChecks,
}

impl<'a> RowMapper<'a> {
    /// Returns true if rows with the same key form one item, because a column fills a part of a list.
    pub(crate) fn groups_rows(&self) -> bool {
        self.targets
            .fields
            .iter()
            .zip(&self.layout.columns)
            .any(|(target, column)| target.part_of.is_some() && column.is_some())
    }

    /// Returns the cell that fills a target, if it has content.
    pub(crate) fn cell<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<CellRef<'r>> {
        let column = self.layout.columns.get(target).copied().flatten()?;
        row.cell_at(column).filter(|cell| !cell.is_empty())
    }

    /// Returns the row's text for a target before the mapping replaces it, or `None` if there is none.
    pub(crate) fn source_text<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<Cow<'r, str>> {
        let field = self.targets.fields.get(target)?;
        if let Some((columns, with)) = self.field_rule(target).and_then(|rule| rule.joined.as_ref()) {
            let cells = columns.iter().filter_map(|&column| row.cell_at(column));
            let texts = cells.map(|cell| field.trim(&cell.shown()).to_owned());
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            return (!texts.is_empty()).then(|| Cow::Owned(texts.join(with)));
        }
        let text = match self.cell(row, target)?.shown() {
            Cow::Borrowed(text) => Cow::Borrowed(field.trim(text)),
            Cow::Owned(text) => Cow::Owned(field.trim(&text).to_owned()),
        };
        (!text.is_empty()).then_some(text)
    }

    /// Returns true if a cell that fills the target is a formula without a calculated result.
    pub(crate) fn is_formula_without_value<'r>(&self, row: impl RowCells<'r>, target: usize) -> bool {
        let open = |column: u32| row.cell_at(column).is_some_and(CellRef::is_formula_without_value);
        match self.field_rule(target).and_then(|rule| rule.joined.as_ref()) {
            Some((columns, _)) => columns.iter().any(|&column| open(column)),
            None => self.layout.columns.get(target).copied().flatten().is_some_and(open),
        }
    }

    /// Returns the columns that a target's value comes from.
    pub(crate) fn source_columns(&self, target: usize) -> Vec<u32> {
        let joined =
            self.field_rule(target).and_then(|rule| rule.joined.as_ref()).map(|(columns, _)| columns.iter().copied());
        let own = self.layout.columns.get(target).copied().flatten();
        joined.into_iter().flatten().chain(own).collect()
    }

    /// Returns true if the mapping gives every row the same value.
    pub(crate) fn is_constant(&self, target: usize) -> bool {
        self.field_rule(target).is_some_and(|rule| rule.constant.is_some())
    }

    /// Returns the value that is sent if the target's cell is empty.
    pub(crate) fn value_for_empty(&self, target: usize) -> Option<&'a Value> {
        self.field_rule(target)?.empty.as_ref()
    }

    pub(crate) fn field_rule(&self, target: usize) -> Option<&'a FieldRule> {
        self.layout.field_rules.get(target)
    }

    pub(crate) fn read<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<Result<ReadValue<'r>, FindingCode>>
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
            None if rule.is_some_and(|rule| rule.joined.is_some()) => return self.read_joined(row, target),
            None => self.cell(row, target)?,
        };
        field.read(cell, format)
    }

    fn read_joined<'r>(&self, row: impl RowCells<'r>, target: usize) -> Option<Result<ReadValue<'r>, FindingCode>>
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

    /// Creates a finding about a target's cell in a row.
    pub(crate) fn create_mark(
        &self,
        position: RowPosition,
        target: usize,
        severity: Severity,
        code: FindingCode,
        detail: FindingDetail,
    ) -> Mark {
        let column = self.layout.columns.get(target).copied().flatten();
        Mark { position, column, target: u16::try_from(target).unwrap_or(u16::MAX), severity, code, detail }
    }
}

/// Access to the cells of a row, either unpacked or in a block of many rows.
pub(crate) trait RowCells<'r>: Copy {
    /// Returns `None` beyond the row's end.
    fn cell_at(self, column: u32) -> Option<CellRef<'r>>;
}

impl<'r> RowCells<'r> for &'r SheetRow {
    fn cell_at(self, column: u32) -> Option<CellRef<'r>> {
        self.cell(column).map(Cell::as_ref)
    }
}

impl<'r> RowCells<'r> for BlockRow<'r> {
    fn cell_at(self, column: u32) -> Option<CellRef<'r>> {
        self.cell(column)
    }
}
