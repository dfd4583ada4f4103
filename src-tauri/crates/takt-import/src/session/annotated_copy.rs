//! The planner's file for a copy, with a note about the findings next to each row.

use std::{collections::HashMap, sync::Arc};

use takt_core::{ExcelRow, Language, RowResult, Words, finding::Severity};
use takt_sheet::{Cell, SheetRow, column_letters, writer::RowNote};

use super::state::Session;
use crate::{
    mark::Mark,
    original::{Original, OriginalSheet, row_note},
    row_position::RowPosition,
    takt_columns,
};

const REASON_SEPARATOR: &str = "; ";
impl Session {
    /// Returns the file, for writing a copy.
    pub(crate) fn original(&self) -> Original {
        let header_row = self.table.header.and_then(|header| self.table.sheet.rows.number(header));
        let sheet = OriginalSheet {
            name: self.table.sheet.name.clone(),
            header_row,
            status_and_reason_columns: self.table.takt_columns.status_and_reason,
        };
        Original {
            workbook: self.source.workbook.clone(),
            path: self.source.path.clone(),
            hash: self.source.hash.clone(),
            sheets: vec![sheet],
        }
    }

    /// Returns the status of each row with its reasons.
    pub(crate) fn row_notes(&self, language: Language) -> (String, Vec<RowNote>) {
        let words = Words::load(language);
        let blocked = self.results.check_result.blocked_items();
        let skipped: Arc<str> = Arc::from(takt_columns::result_text(&words, RowResult::Skipped));
        let mut statuses: HashMap<(Option<Severity>, bool), Arc<str>> = HashMap::new();
        let notes = (0..).map(RowPosition::new).zip(self.rows()).map(|(position, row)| {
            if self.fixes.overlay.is_sent(ExcelRow::new(row.number)) {
                return row_note(row.number, &Arc::from(""), "");
            }
            if self.fixes.overlay.excludes(ExcelRow::new(row.number)) {
                return row_note(row.number, &skipped, "");
            }
            let severity = self.results.check_result.severity(position);
            let item = self.results.check_result.items.get(position.index()).copied().unwrap_or_default();
            let is_blocked = severity != Some(Severity::Error) && blocked.get(item as usize).copied().unwrap_or(false);
            let status = statuses
                .entry((severity, is_blocked))
                .or_insert_with(|| Arc::from(takt_columns::check_status(&words, severity, is_blocked)));
            let mut reasons: Vec<String> = self
                .results
                .check_result
                .marks_of_row(position)
                .iter()
                .filter_map(|mark| self.reason_text(&words, language, mark, &row))
                .collect();
            if is_blocked {
                reasons.push(words.text(&["own", "held-reason"], &std::collections::BTreeMap::new()));
            }
            row_note(row.number, status, &reasons.join(REASON_SEPARATOR))
        });
        (self.table.sheet.name.clone(), notes.collect())
    }

    /// Returns a finding as text, after the name of its column or field.
    fn reason_text(&self, words: &Words, language: Language, mark: &Mark, row: &SheetRow) -> Option<String> {
        let targets = self.mapping.targets.as_ref()?;
        let cell = mark.column.and_then(|column| row.cell(column)).map(Cell::as_ref);
        let finding = mark.to_finding(&self.table.sheet.name, ExcelRow::new(row.number), cell, targets);
        let text = words.finding_text(finding.code, &finding.parameters);
        let location = match mark.column {
            Some(column) => Some(column_name(&self.table.headings, column)),
            None => targets.fields.get(mark.target as usize).map(|target| target.name(language)),
        };
        Some(match location {
            Some(location) => format!("{location}: {text}"),
            None => text,
        })
    }
}

/// Returns a column's heading, or its letters without one.
fn column_name(headings: &[String], column: u32) -> String {
    let heading = headings.get(column as usize).filter(|heading| !heading.is_empty());
    heading.cloned().unwrap_or_else(|| column_letters(column))
}
