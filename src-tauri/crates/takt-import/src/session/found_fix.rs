//! Changes all cells with one kind of finding in the same way, by removing invisible characters or adding an offset.

use takt_core::{ExcelRow, finding::FindingCode};
use takt_sheet::CellRef;

use super::state::Session;
use crate::{
    fix::{FindingKind, Fix, FoundFix},
    invisible,
    mark::Mark,
    reading::ReadValue,
    reference_checks::with_offset,
    row::RowCells,
};

impl Session {
    /// Returns a fix for each cell that changes.
    pub(super) fn found_fixes(&self, kind: &FindingKind, fix: FoundFix) -> Vec<Fix> {
        let Some(mapper) = self.mapper() else { return Vec::new() };
        let rows = self.rows();
        let mut reader = rows.reader();
        let mut fixes = Vec::new();
        for mark in self.marks_of(kind) {
            let target = usize::from(mark.target);
            let Some(row) = reader.get(mark.position.index()) else { continue };
            let columns = match fix {
                FoundFix::RemoveInvisible => mapper.columns_of(target),
                FoundFix::FirstOffset | FoundFix::SecondOffset => mark.column.into_iter().collect(),
            };
            for column in columns {
                let Some(cell) = row.cell_at(column) else { continue };
                let Some(text) = self.fixed_text(mark, cell, fix) else { continue };
                fixes.push(Fix::Set { row: ExcelRow::new(row.number), column, text });
            }
        }
        fixes
    }

    /// Returns the texts that are offered for a cell with such a finding. Empty for other kinds of findings.
    pub(super) fn offered_texts(&self, mark: &Mark, cell: CellRef<'_>) -> Vec<String> {
        let offered_fixes: &[FoundFix] = match mark.code {
            FindingCode::InvisibleCharacter => &[FoundFix::RemoveInvisible],
            FindingCode::RepeatedTime | FindingCode::RepeatedLocalTime => {
                &[FoundFix::FirstOffset, FoundFix::SecondOffset]
            }
            _ => &[],
        };
        offered_fixes.iter().filter_map(|&fix| self.fixed_text(mark, cell, fix)).collect()
    }

    /// Returns the fixed text, or `None` for a cell that doesn't change.
    fn fixed_text(&self, mark: &Mark, cell: CellRef<'_>, fix: FoundFix) -> Option<String> {
        let targets = self.mapping.targets.as_ref()?;
        let field = targets.fields.get(usize::from(mark.target))?;
        let shown = cell.shown();
        let text = match fix {
            FoundFix::RemoveInvisible => invisible::clean(&shown, field.is_code),
            FoundFix::FirstOffset | FoundFix::SecondOffset => {
                let format = self.computed.layout.formats.get(usize::from(mark.target)).copied()?;
                let ReadValue::DateTime(written) = field.read(cell, format)?.ok()? else { return None };
                let zone = self.reference_context.zone(targets);
                ReadValue::DateTime(with_offset(written, zone, fix == FoundFix::SecondOffset)?).shown()
            }
        };
        (text != shown).then_some(text)
    }
}
