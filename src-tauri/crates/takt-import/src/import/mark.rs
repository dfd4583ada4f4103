//! A finding as it is kept, and as it is written out.

use crate::import::position::Position;
use std::{collections::BTreeMap, sync::Arc};
use takt_core::ExcelRow;

use takt_sheet::{CellRef, column_letters};

use super::{Finding, target::Targets};
use takt_core::finding::{FindingCode, Severity};

/// How much of a value a finding quotes.
const LONGEST_QUOTE: usize = 80;

/// Places of a finding's text with what fills them. Empty ones stay unfilled.
pub(super) type TextParameters = BTreeMap<&'static str, String>;

/// What a finding says beyond the cell's own value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Note {
    None,
    Limit(f64),
    /// Two fields by name.
    Pair(Box<str>, Box<str>),
    /// Row numbers as Excel shows them.
    Rows(Box<[u32]>),
    /// Rows of another sheet.
    Elsewhere(Box<str>, Box<[u32]>),
    Order {
        day_first: bool,
        proofs: u32,
        of: u32,
    },
    /// Shared, since a sheet may be wrong in one way all over.
    Named(Arc<TextParameters>),
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
        let field = targets.fields.get(self.target as usize).map(|target| target.path.clone());
        let mut parameters = BTreeMap::new();
        if let Some(value) = cell.filter(|_| self.column.is_some()).map(CellRef::shown) {
            parameters.insert("value".to_owned(), value.chars().take(LONGEST_QUOTE).collect());
        }
        if let Some(field) = &field {
            parameters.insert("field".to_owned(), field.clone());
        }
        match &self.note {
            Note::None => {}
            Note::Limit(limit) => {
                parameters.insert("limit".to_owned(), limit.to_string());
            }
            Note::Pair(first, second) => {
                parameters.insert("first".to_owned(), first.to_string());
                parameters.insert("second".to_owned(), second.to_string());
            }
            Note::Rows(rows) => {
                let rows: Vec<String> = rows.iter().map(u32::to_string).collect();
                parameters.insert("rows".to_owned(), rows.join(", "));
            }
            Note::Elsewhere(sheet, rows) => {
                let rows: Vec<String> = rows.iter().map(u32::to_string).collect();
                parameters.insert("sheet".to_owned(), sheet.to_string());
                parameters.insert("rows".to_owned(), rows.join(", "));
            }
            Note::Order { day_first, proofs, of } => {
                let order = if *day_first { "DD/MM/YYYY" } else { "MM/DD/YYYY" };
                parameters.insert("order".to_owned(), order.to_owned());
                parameters.insert("proofs".to_owned(), proofs.to_string());
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
