//! Findings in compact form, and their expansion.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use takt_core::{
    ExcelRow,
    finding::{FindingCode, Severity},
};
use takt_sheet::{CellRef, column_letters};

use crate::{
    invisible_characters::{describe_character, find_reported_character, reveal_invisible},
    mapping::FormatChoice,
    row_position::RowPosition,
    target::TargetFields,
};

/// One finding about a cell, or about a row if `column` is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Finding {
    pub sheet: String,
    pub row: ExcelRow,
    /// The column's letters as Excel shows them.
    pub column: Option<String>,
    /// The field's path, for example `rawMaterials.code`.
    pub field: Option<String>,
    pub severity: Severity,
    pub code: FindingCode,
    /// The parameters of the text: `value`, `limit`, `rows`, ...
    pub parameters: BTreeMap<String, String>,
}

/// Maximum characters of a value that a finding quotes.
const MAX_QUOTE_LENGTH: usize = 80;

/// The parameters of a finding's text, by name. Empty ones are left out.
pub(crate) type TextParameters = BTreeMap<&'static str, String>;

/// A detail of a finding beyond the cell's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FindingDetail {
    None,
    Limit(f64),
    /// Two fields by name. Shared like [`Self::Parameters`].
    Pair(Arc<(Box<str>, Box<str>)>),
    Rows(Box<RelatedRows>),
    /// An order of dates, and the number of texts that it fits.
    Order {
        order: FormatChoice,
        total: u32,
    },
    /// Shared, since all rows of a sheet may have the same problem.
    Parameters(Arc<TextParameters>),
}

/// Returns true for findings about a field's column. Every row has them, but they're listed once.
pub(crate) fn is_about_column(code: FindingCode) -> bool {
    matches!(code, FindingCode::MissingColumn | FindingCode::SeveralColumns)
}

/// Other rows that a finding names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RelatedRows {
    /// `None` for rows of the same sheet.
    pub(crate) sheet: Option<Box<str>>,
    /// Row numbers in Excel.
    pub(crate) numbers: Box<[u32]>,
    /// Number of rows that aren't listed.
    pub(crate) more: usize,
}

impl RelatedRows {
    /// Returns the rows as text, for example `3, 4, … (+7)`.
    fn to_text(&self) -> String {
        let numbers: Vec<String> = self.numbers.iter().map(u32::to_string).collect();
        let more = if self.more > 0 { format!(", … (+{})", self.more) } else { String::new() };
        format!("{}{more}", numbers.join(", "))
    }
}

impl FindingDetail {
    /// Creates a detail that names rows of the same sheet, by Excel's numbers.
    pub(crate) fn same_sheet_rows(numbers: Box<[u32]>, more: usize) -> Self {
        Self::Rows(Box::new(RelatedRows { sheet: None, numbers, more }))
    }

    /// Creates a detail that names rows of another sheet.
    pub(crate) fn other_sheet_rows(sheet: Box<str>, numbers: Box<[u32]>, more: usize) -> Self {
        Self::Rows(Box::new(RelatedRows { sheet: Some(sheet), numbers, more }))
    }
}

/// A finding in compact form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    /// Position among the rows below the header row.
    pub(crate) position: RowPosition,
    pub(crate) column: Option<u32>,
    /// Index into the operation's targets.
    pub(crate) target: u16,
    pub(crate) severity: Severity,
    pub(crate) code: FindingCode,
    pub(crate) detail: FindingDetail,
}

/// A finding about a target, without its row.
#[derive(Debug)]
pub(crate) struct TargetFinding {
    pub(crate) target: usize,
    pub(crate) severity: Severity,
    pub(crate) code: FindingCode,
    pub(crate) detail: FindingDetail,
}

impl Mark {
    /// Expands the mark to a finding. `row` is its row's number in Excel, and `cell` is its cell.
    pub(crate) fn to_finding(
        &self,
        sheet: &str,
        row: ExcelRow,
        cell: Option<CellRef<'_>>,
        targets: &TargetFields,
    ) -> Finding {
        let target = targets.fields.get(self.target as usize);
        let field = target.map(|target| target.path.clone());
        let mut parameters = BTreeMap::new();
        if let Some(value) = cell.filter(|_| self.column.is_some()).map(CellRef::shown) {
            parameters.insert("value".to_owned(), value.chars().take(MAX_QUOTE_LENGTH).collect());
        }
        if matches!(self.code, FindingCode::InvisibleCharacter | FindingCode::InvisibleRemoved) {
            let is_code = self.code == FindingCode::InvisibleRemoved || target.is_some_and(|target| target.is_code);
            let text = cell.map(CellRef::shown).unwrap_or_default();
            parameters.insert("shown".to_owned(), reveal_invisible(&text, is_code, MAX_QUOTE_LENGTH));
            let first = find_reported_character(&text, is_code).map(describe_character);
            parameters.insert("character".to_owned(), first.unwrap_or_default());
        }
        if let Some(field) = &field {
            parameters.insert("field".to_owned(), field.clone());
        }
        match &self.detail {
            FindingDetail::None => {}
            FindingDetail::Limit(limit) => {
                parameters.insert("limit".to_owned(), limit.to_string());
            }
            FindingDetail::Pair(fields) => {
                parameters.insert("first".to_owned(), fields.0.to_string());
                parameters.insert("second".to_owned(), fields.1.to_string());
            }
            FindingDetail::Rows(other) => {
                if let Some(sheet) = &other.sheet {
                    parameters.insert("sheet".to_owned(), sheet.to_string());
                }
                parameters.insert("rows".to_owned(), other.to_text());
            }
            FindingDetail::Order { order, total } => {
                let shown = match order {
                    FormatChoice::MonthFirst => "MM/DD/YYYY",
                    FormatChoice::YearFirst => "YY-MM-DD",
                    _ => "DD/MM/YYYY",
                };
                parameters.insert("order".to_owned(), shown.to_owned());
                parameters.insert("of".to_owned(), total.to_string());
            }
            FindingDetail::Parameters(named) => {
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

    /// A sheet may have a million marks.
    #[test]
    fn a_mark_is_small() {
        assert_eq!(size_of::<Mark>(), 32);
    }
}
