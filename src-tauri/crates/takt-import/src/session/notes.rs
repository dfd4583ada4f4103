//! Notes about findings, next to the planner's own rows.

use crate::position::Position;
use std::{collections::HashMap, sync::Arc};
use takt_core::ExcelRow;

use takt_sheet::{Cell, SheetRow, writer::RowNote};

use super::state::Session;
use takt_core::{Item, ItemError, Language, RowResult, Words, finding::Severity};

use crate::{
    mark::Mark,
    original::{Original, OriginalSheet, column_name, row_note},
    takt_columns,
};

const REASON_SEPARATOR: &str = "; ";
/// Maximum number of errors that are stored with an item.
const MAX_ERRORS_PER_ITEM: usize = 5;

impl Session {
    /// Returns the file, for writing a copy.
    pub(crate) fn original(&self) -> Original {
        let header_row = self.table.header.and_then(|header| self.table.sheet.rows.number(header));
        let sheet = OriginalSheet {
            name: self.table.sheet.name.clone(),
            header_row,
            own: self.table.takt_columns.status_and_reason,
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
        let blocked = self.computed.checked.blocked();
        let skipped: Arc<str> = Arc::from(takt_columns::result(&words, RowResult::Skipped));
        let mut statuses: HashMap<(Option<Severity>, bool), Arc<str>> = HashMap::new();
        let notes = (0..).map(Position::new).zip(self.rows()).map(|(position, row)| {
            if self.fixes.overlay.excludes(ExcelRow::new(row.number)) {
                return row_note(row.number, &skipped, "");
            }
            let severity = self.computed.checked.severity(position);
            let item = self.computed.checked.items.get(position.index()).copied().unwrap_or_default();
            let is_blocked = severity != Some(Severity::Error) && blocked.get(item as usize).copied().unwrap_or(false);
            let status = statuses
                .entry((severity, is_blocked))
                .or_insert_with(|| Arc::from(takt_columns::check_status(&words, severity, is_blocked)));
            let mut reasons: Vec<String> = self
                .computed
                .checked
                .marks_of_row(position)
                .iter()
                .filter_map(|mark| self.reason(&words, language, mark, &row))
                .collect();
            if is_blocked {
                reasons.push(words.text(&["own", "held-reason"], &std::collections::BTreeMap::new()));
            }
            row_note(row.number, status, &reasons.join(REASON_SEPARATOR))
        });
        (self.table.sheet.name.clone(), notes.collect())
    }

    /// Adds the errors to the items that they block.
    pub(crate) fn with_errors(&self, mut items: Vec<Item>) -> Vec<Item> {
        let Some(targets) = &self.mapping.targets else { return items };
        let rows = self.rows();
        let mut cells = rows.reader();
        for item in items.iter_mut().filter(|item| item.blocked) {
            for number in item.rows.iter().map(|row| row.row).collect::<Vec<_>>() {
                let position = self
                    .table
                    .sheet
                    .rows
                    .position(number.get())
                    .and_then(|position| position.checked_sub(self.data_start()));
                let Some(position) = position.and_then(Position::from_index) else { continue };
                let marks = self.computed.checked.marks_of_row(position).iter();
                for mark in marks.filter(|mark| mark.severity == Severity::Error) {
                    if item.errors.len() == MAX_ERRORS_PER_ITEM {
                        break;
                    }
                    let cell = mark.column.and_then(|column| cells.cell(position.index(), column));
                    let finding = mark.finding(&self.table.sheet.name, number, cell, targets);
                    let mut parameters = finding.parameters;
                    parameters.extend(finding.column.map(|column| ("place".to_owned(), format!("{column}{number}"))));
                    item.errors.push(ItemError { code: finding.code, parameters });
                }
            }
        }
        items
    }

    /// Returns the column and its problem as text.
    fn reason(&self, words: &Words, language: Language, mark: &Mark, row: &SheetRow) -> Option<String> {
        let targets = self.mapping.targets.as_ref()?;
        let cell = mark.column.and_then(|column| row.cell(column)).map(Cell::as_ref);
        let finding = mark.finding(&self.table.sheet.name, ExcelRow::new(row.number), cell, targets);
        let text = words.finding(finding.code, &finding.parameters);
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
