//! A finding as it is kept, and as it is written out.

use crate::import::position::Position;
use std::{collections::BTreeMap, sync::Arc};
use takt_core::ExcelRow;

use takt_sheet::{CellRef, column_letters};

use super::{
    Finding, FormatChoice,
    invisible::{described, first_reported, revealed},
    target::Targets,
};
use takt_core::finding::{FindingCode, Severity};

/// How much of a value a finding quotes.
const MAX_QUOTE_LENGTH: usize = 80;

/// Places of a finding's text with what fills them. Empty ones stay unfilled.
pub(super) type TextParameters = BTreeMap<&'static str, String>;

/// What a finding says beyond the cell's own value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Note {
    None,
    Limit(f64),
    /// Two fields by name. Shared, as what is named below.
    Pair(Arc<(Box<str>, Box<str>)>),
    Rows(Box<OtherRows>),
    /// An order of dates, and how many texts it fits.
    Order {
        order: FormatChoice,
        of: u32,
    },
    /// Shared, since a sheet may be wrong in one way all over.
    Named(Arc<TextParameters>),
}

/// True for findings about a field's column: every row has them, and they are listed once.
pub(super) fn is_about_column(code: FindingCode) -> bool {
    matches!(code, FindingCode::MissingColumn | FindingCode::SeveralColumns)
}

/// Other rows that a finding has to do with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OtherRows {
    /// Absent where they are of the same sheet.
    pub(super) sheet: Option<Box<str>>,
    /// As Excel shows them.
    pub(super) numbers: Box<[u32]>,
    /// How many others aren't listed.
    pub(super) more: usize,
}

impl OtherRows {
    /// For example `3, 4, … (+7)`.
    fn listed(&self) -> String {
        let numbers: Vec<String> = self.numbers.iter().map(u32::to_string).collect();
        let more = if self.more > 0 { format!(", … (+{})", self.more) } else { String::new() };
        format!("{}{more}", numbers.join(", "))
    }
}

impl Note {
    /// Rows of the same sheet, by their numbers as Excel shows them.
    pub(super) fn rows(numbers: Box<[u32]>, more: usize) -> Self {
        Self::Rows(Box::new(OtherRows { sheet: None, numbers, more }))
    }

    /// Rows of another sheet.
    pub(super) fn rows_elsewhere(sheet: Box<str>, numbers: Box<[u32]>, more: usize) -> Self {
        Self::Rows(Box::new(OtherRows { sheet: Some(sheet), numbers, more }))
    }
}

/// A finding, small.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mark {
    /// Of its row.
    pub(super) position: Position,
    pub(super) column: Option<u32>,
    /// Index into the operation's targets.
    pub(super) target: u16,
    pub(super) severity: Severity,
    pub(super) code: FindingCode,
    pub(super) note: Note,
}

impl Mark {
    /// `row` is Excel's number of its row, `cell` the one of its row and column.
    pub(super) fn finding(&self, sheet: &str, row: ExcelRow, cell: Option<CellRef<'_>>, targets: &Targets) -> Finding {
        let target = targets.fields.get(self.target as usize);
        let field = target.map(|target| target.path.clone());
        let mut parameters = BTreeMap::new();
        if let Some(value) = cell.filter(|_| self.column.is_some()).map(CellRef::shown) {
            parameters.insert("value".to_owned(), value.chars().take(MAX_QUOTE_LENGTH).collect());
        }
        if matches!(self.code, FindingCode::InvisibleCharacter | FindingCode::InvisibleRemoved) {
            let is_code = self.code == FindingCode::InvisibleRemoved || target.is_some_and(|target| target.is_code);
            let text = cell.map(CellRef::shown).unwrap_or_default();
            parameters.insert("shown".to_owned(), revealed(&text, is_code, MAX_QUOTE_LENGTH));
            let first = first_reported(&text, is_code).map(described);
            parameters.insert("character".to_owned(), first.unwrap_or_default());
        }
        if let Some(field) = &field {
            parameters.insert("field".to_owned(), field.clone());
        }
        match &self.note {
            Note::None => {}
            Note::Limit(limit) => {
                parameters.insert("limit".to_owned(), limit.to_string());
            }
            Note::Pair(fields) => {
                parameters.insert("first".to_owned(), fields.0.to_string());
                parameters.insert("second".to_owned(), fields.1.to_string());
            }
            Note::Rows(other) => {
                if let Some(sheet) = &other.sheet {
                    parameters.insert("sheet".to_owned(), sheet.to_string());
                }
                parameters.insert("rows".to_owned(), other.listed());
            }
            Note::Order { order, of } => {
                let shown = match order {
                    FormatChoice::MonthFirst => "MM/DD/YYYY",
                    FormatChoice::YearFirst => "YY-MM-DD",
                    _ => "DD/MM/YYYY",
                };
                parameters.insert("order".to_owned(), shown.to_owned());
                parameters.insert("of".to_owned(), of.to_string());
            }
            Note::Named(named) => {
                let filled = named.iter().filter(|(_, text)| !text.is_empty());
                parameters.extend(filled.map(|(name, text)| ((*name).to_owned(), text.clone())));
            }
        }
        Finding {
            sheet: sheet.to_owned(),
            row,
            column: self.column.map(column_letters),
            field,
            severity: self.severity,
            code: self.code,
            parameters,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sheet may have a million of them.
    #[test]
    fn a_mark_is_small() {
        assert_eq!(size_of::<Mark>(), 32);
    }
}
