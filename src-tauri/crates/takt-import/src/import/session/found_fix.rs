//! Cells with one kind of finding that are all changed in the same way: without what can't be seen, or with an offset.

use takt_core::{ExcelRow, finding::FindingCode};
use takt_sheet::CellRef;

use super::Session;
use crate::import::{
    FindingKind, Fix, FoundFix, invisible, mark::Mark, reading::ReadValue, row::RowCells, sense::with_offset,
};

impl Session {
    /// A fix for each cell that changes.
    pub(super) fn found_fixes(&self, kind: &FindingKind, way: FoundFix) -> Vec<Fix> {
        let Some(plan) = self.plan() else { return Vec::new() };
        let rows = self.rows();
        let mut reader = rows.reader();
        let mut fixes = Vec::new();
        for mark in self.marks_of(kind) {
            let target = usize::from(mark.target);
            let Some(row) = reader.get(mark.position.index()) else { continue };
            let columns = match way {
                FoundFix::RemoveInvisible => plan.columns_of(target),
                FoundFix::FirstOffset | FoundFix::SecondOffset => mark.column.into_iter().collect(),
            };
            for column in columns {
                let Some(cell) = row.cell_at(column) else { continue };
                let Some(text) = self.fixed_text(mark, cell, way) else { continue };
                fixes.push(Fix::Set { row: ExcelRow::new(row.number), column, text });
            }
        }
        fixes
    }

    /// The texts that are offered for a cell with such a finding; empty for findings of other kinds.
    pub(super) fn found_texts(&self, mark: &Mark, cell: CellRef<'_>) -> Vec<String> {
        let ways: &[FoundFix] = match mark.code {
            FindingCode::InvisibleCharacter => &[FoundFix::RemoveInvisible],
            FindingCode::RepeatedTime | FindingCode::RepeatedLocalTime => {
                &[FoundFix::FirstOffset, FoundFix::SecondOffset]
            }
            _ => &[],
        };
        ways.iter().filter_map(|&way| self.fixed_text(mark, cell, way)).collect()
    }

    /// Absent for a cell that stays as it is.
    fn fixed_text(&self, mark: &Mark, cell: CellRef<'_>, way: FoundFix) -> Option<String> {
        let targets = self.targets.as_ref()?;
        let field = targets.fields.get(usize::from(mark.target))?;
        let shown = cell.shown();
        let text = match way {
            FoundFix::RemoveInvisible => invisible::cleaned(&shown, field.is_code),
            FoundFix::FirstOffset | FoundFix::SecondOffset => {
                let format = self.layout.formats.get(usize::from(mark.target)).copied()?;
                let ReadValue::DateTime(written) = field.read(cell, format)?.ok()? else { return None };
                let zone = self.reference_context.zone(targets);
                ReadValue::DateTime(with_offset(written, zone, way == FoundFix::SecondOffset)?).shown()
            }
        };
        (text != shown).then_some(text)
    }
}
