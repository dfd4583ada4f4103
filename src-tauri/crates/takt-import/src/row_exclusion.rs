//! Leaves out rows below the header row before anything is read. Hidden rows are left out if the user chooses that, and
//! a row of totals at the end unless the user keeps it.

use takt_core::ExcelRow;
use takt_sheet::{CellKind, Sheet, SheetRow, column_letters};

use crate::{heading::normalize_heading, mark::Finding, reading_view::RowChoice};
use takt_core::finding::{FindingCode, Severity};

/// Words for a row of totals, normalized, in the four languages.
const TOTAL_WORDS: [&str; 19] = [
    "total",
    "totals",
    "grandtotal",
    "sum",
    "subtotal",
    "summe",
    "summen",
    "gesamt",
    "gesamtsumme",
    "zwischensumme",
    "insgesamt",
    "suma",
    "sumatotal",
    "totalgeneral",
    "soma",
    "totais",
    "totales",
    "totalgeral",
    "somatotal",
];

/// The rows that are left out of a sheet.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowExclusion {
    pub(crate) choice: RowChoice,
    /// The row of totals, so that its finding can be shown. `None` if it isn't left out.
    totals_row: Option<SheetRow>,
    /// Number of hidden rows below the header row, whether they're left out or not.
    pub(crate) hidden_rows: u32,
    /// The number of the row of totals, whether it's left out or not.
    pub(crate) totals_row_number: Option<u32>,
}

impl RowExclusion {
    pub(crate) fn new(choice: RowChoice) -> Self {
        Self { choice, ..Self::default() }
    }

    pub(crate) fn restore_rows(&mut self, sheet: &mut Sheet) {
        sheet.rows.include_all();
        self.totals_row = None;
    }

    /// Leaves out rows from position `from` on, by the user's choice.
    pub(crate) fn skip_rows(&mut self, sheet: &mut Sheet, from: usize) {
        self.restore_rows(sheet);
        let below = sheet.rows.span_from(from);
        let hidden = (0..below.len()).filter(|&position| below.is_hidden(position)).count();
        self.hidden_rows = u32::try_from(hidden).unwrap_or(u32::MAX);
        // A single row can't total others.
        let last = (below.len() > 1).then(|| below.get(below.len() - 1)).flatten().filter(is_totals_row);
        self.totals_row_number = last.as_ref().map(|row| row.number);
        self.totals_row = last.filter(|_| !self.choice.keep_totals);
        let totals = self.totals_row.as_ref().map(|row| row.number);
        let skips_hidden = self.hidden_rows > 0 && self.choice.skip_hidden;
        if let Some(first) = below.number(0).filter(|_| totals.is_some() || skips_hidden) {
            sheet.rows.retain(|row, hidden| row < first || !(Some(row) == totals || (hidden && skips_hidden)));
        }
    }

    /// Returns a note about the row of totals if it's left out.
    pub(crate) fn totals_finding(&self, sheet: &str) -> Option<Finding> {
        let row = self.totals_row.as_ref()?;
        let first = row.cells.iter().position(|cell| !cell.is_empty())?;
        let value = row.cells.get(first).map(|cell| cell.shown().into_owned()).unwrap_or_default();
        Some(Finding {
            sheet: sheet.to_owned(),
            row: ExcelRow::new(row.number),
            column: u32::try_from(first).ok().map(column_letters),
            field: None,
            severity: Severity::Note,
            code: FindingCode::TotalsRow,
            parameters: [("value".to_owned(), value)].into(),
        })
    }
}

/// Returns true if the first cell with content is a word for a total, and only numbers follow.
fn is_totals_row(row: &SheetRow) -> bool {
    let mut filled = row.cells.iter().filter(|cell| !cell.is_empty());
    let named = filled.next().is_some_and(|cell| {
        cell.kind() == CellKind::Text && TOTAL_WORDS.contains(&normalize_heading(&cell.shown()).as_str())
    });
    let mut rest = filled.peekable();
    named && rest.peek().is_some() && rest.all(|cell| is_number(cell.kind(), &cell.shown()))
}

/// Returns true for numbers, including texts, since numbers in a text file are texts.
fn is_number(kind: CellKind, shown: &str) -> bool {
    match kind {
        CellKind::Number | CellKind::Duration => true,
        CellKind::Text => {
            let mut letters = shown.trim().chars();
            letters.any(|letter| letter.is_ascii_digit())
                && shown.chars().all(|letter| letter.is_ascii_digit() || ".,-+' \u{a0}\u{202f}%:".contains(letter))
        }
        _ => false,
    }
}
