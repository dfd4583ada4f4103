//! The choices for reading a text file, and doubts about them. Provides the view, the findings at cells, and the user's
//! choice.

use crate::position::Position;
use std::sync::Arc;
use takt_core::ExcelRow;

use takt_sheet::{ENCODINGS, QuoteDoubt, QuoteFault, Quotes, Separator, TextChoice, TextForm, column_letters};

use super::{context::SessionContext, state::Session};
use takt_core::{
    Code, Problem,
    finding::{FindingCode, Severity},
};

use crate::{
    fix::FixStack,
    header::HeadRow,
    mark::{Finding, Mark, Note, TextParameters},
    reading_view::{LettersCell, LettersView, QuoteView, ReadingView, TextReading},
};

/// Number of rows that are shown for choosing how a text file is read.
const HEAD_ROWS: usize = 15;
/// Maximum number of cells that are shown in each encoding.
const MAX_LISTED_CELLS: usize = 20;
/// Maximum characters of a cell that are shown.
const MAX_TEXT_LENGTH: usize = 80;
/// The target of findings that aren't about a field.
pub(super) const NO_TARGET: u16 = u16::MAX;
const DOUBT_CODES: [FindingCode; 11] = [
    FindingCode::OtherEncoding,
    FindingCode::QuoteNotClosed,
    FindingCode::TextAfterQuote,
    FindingCode::QuoteHoldsRows,
    FindingCode::ExtraFields,
    FindingCode::MissingFields,
    FindingCode::CutRow,
    FindingCode::FormulaGuard,
    FindingCode::TextFormula,
    FindingCode::ShownOtherwise,
    FindingCode::EndMark,
];

/// A doubt about a cell.
struct CellDoubt {
    /// 1-based.
    row: u32,
    column: u32,
    /// The severity below the header row. Rows above aren't sent, so it's never an error there.
    severity: Severity,
    code: FindingCode,
    parameters: Arc<TextParameters>,
}

impl Session {
    /// Sets how a text file is read. Absent settings are detected. A workbook has no such settings and isn't changed.
    pub(in super::super) fn choose_text(
        &mut self,
        reading: &TextReading,
        ctx: &SessionContext<'_>,
    ) -> Result<(), Problem> {
        if self.source.workbook.text().is_none() {
            return Ok(());
        }
        self.source.workbook.choose_text(&text_choice(reading))?;
        // The columns and texts may differ now, so fixes no longer apply.
        self.fixes = FixStack::default();
        let sheet = self.table.sheet.name.clone();
        self.choose_sheet(&sheet, ctx)
    }

    pub(in super::super) fn preview_text(&self, reading: &TextReading) -> Result<Vec<HeadRow>, Problem> {
        let rows = self.source.workbook.preview_text(&text_choice(reading), HEAD_ROWS)?;
        Ok(rows.into_iter().map(|(row, cells)| HeadRow { row: ExcelRow::new(row), cells }).collect())
    }

    pub(super) fn reading(&self) -> ReadingView {
        let text = self.source.workbook.text();
        let separator = |character: Option<char>| character.map(String::from).unwrap_or_default();
        ReadingView {
            encoding: text.map(|text| text.encoding.to_owned()),
            separator: text.map(|text| separator(text.separator)),
            encodings: text.map(|_| ENCODINGS.map(str::to_owned).into()).unwrap_or_default(),
            quotes_as_text: text.is_some_and(|text| text.quotes == Quotes::Text),
            quote: self.quote_view(),
            letters: self.letters_view(),
            heading_rows: u32::try_from(self.table.header_rows).unwrap_or(1),
            hidden_rows: self.table.excluded_rows.hidden,
            hidden_columns: self.table.sheet.hidden_columns.iter().map(|&column| column_letters(column)).collect(),
            totals_row: self.table.excluded_rows.totals,
            merged: self.computed.merged.view(),
            choice: self.table.excluded_rows.choice,
        }
    }

    fn quote_view(&self) -> Option<QuoteView> {
        let doubts = &self.table.sheet.doubts;
        let first = doubts.quotes.first()?;
        Some(QuoteView {
            row: ExcelRow::new(first.row),
            column: column_letters(first.column),
            fault: quote_code(first.fault),
            lines: first.lines,
            count: u32::try_from(doubts.quotes.len()).unwrap_or(u32::MAX),
        })
    }

    fn letters_view(&self) -> Option<LettersView> {
        let (doubts, text) = (&self.table.sheet.doubts, self.source.workbook.text()?);
        let cells: Vec<LettersCell> = doubts
            .letters
            .iter()
            .take(MAX_LISTED_CELLS)
            .map(|doubt| LettersCell {
                row: ExcelRow::new(doubt.row),
                column: column_letters(doubt.column),
                texts: std::iter::once(&doubt.text).chain(&doubt.others).map(|text| shortened(text)).collect(),
            })
            .collect();
        let encodings = std::iter::once(&text.encoding).chain(&text.rivals).map(ToString::to_string).collect();
        let (severity, count) = (letters_severity(text), doubts.letters_count);
        (!cells.is_empty()).then_some(LettersView { severity, encodings, cells, count })
    }

    /// Returns true if the user should review how the text was read.
    pub(super) fn is_doubtful(&self) -> bool {
        let doubts = &self.table.sheet.doubts;
        let is_unclear = self.source.workbook.text().is_some_and(|text| !text.is_clear);
        !doubts.quotes.is_empty() || (is_unclear && doubts.letters_count > 0)
    }

    /// Adds the doubts to the findings of the rows below the header row.
    pub(super) fn mark_doubts(&mut self) {
        let rows = self.rows();
        let is_unfixed = |row: u32, column: u32| {
            let row = ExcelRow::new(row);
            self.fixes.overlay.original(row, column).is_none() && !self.fixes.overlay.excludes(row)
        };
        let marks = self.doubts().into_iter().filter(|doubt| is_unfixed(doubt.row, doubt.column)).filter_map(|doubt| {
            Some(Mark {
                position: Position::from_index(rows.position(doubt.row)?)?,
                column: Some(doubt.column),
                target: NO_TARGET,
                severity: doubt.severity,
                code: doubt.code,
                note: Note::Parameters(doubt.parameters),
            })
        });
        let marks = marks.chain(self.field_count_marks()).chain(self.end_mark()).collect();
        self.put_marks(&DOUBT_CODES, marks);
    }

    /// Returns doubts about the header row and the rows above it, which aren't among the rows' findings.
    pub(super) fn doubts_above(&self) -> Vec<Finding> {
        let rows = self.rows();
        let above = self.doubts().into_iter().filter(|doubt| rows.position(doubt.row).is_none());
        let finding = |doubt: CellDoubt| Finding {
            sheet: self.table.sheet.name.clone(),
            row: ExcelRow::new(doubt.row),
            column: Some(column_letters(doubt.column)),
            field: None,
            severity: doubt.severity.max(Severity::Warning),
            code: doubt.code,
            parameters: doubt.parameters.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).collect(),
        };
        above.map(finding).collect()
    }

    fn doubts(&self) -> Vec<CellDoubt> {
        let doubts = &self.table.sheet.doubts;
        let quotes = doubts.quotes.iter().map(|doubt: &QuoteDoubt| CellDoubt {
            row: doubt.row,
            column: doubt.column,
            severity: Severity::Error,
            code: quote_code(doubt.fault),
            parameters: Arc::new([("lines", doubt.lines.to_string())].into()),
        });
        let text = self.source.workbook.text();
        let rivals = text.map(|text| text.rivals.as_slice()).unwrap_or_default();
        let severity = text.map_or(Severity::Warning, letters_severity);
        let letters = doubts.letters.iter().map(|doubt| {
            let others = doubt.others.iter().zip(rivals).filter(|(other, _)| **other != doubt.text);
            let others: Vec<String> =
                others.map(|(other, encoding)| format!("“{}” ({encoding})", shortened(other))).collect();
            let parameters = [("value", shortened(&doubt.text)), ("others", others.join(", "))];
            CellDoubt {
                row: doubt.row,
                column: doubt.column,
                severity,
                code: FindingCode::OtherEncoding,
                parameters: Arc::new(parameters.into()),
            }
        });
        let apostrophes = doubts.apostrophes.iter().map(|cell| CellDoubt {
            row: cell.row,
            column: cell.column,
            severity: Severity::Warning,
            code: FindingCode::FormulaGuard,
            parameters: Arc::new(TextParameters::new()),
        });
        let text_formulas = doubts.text_formulas.iter().map(|cell| CellDoubt {
            row: cell.row,
            column: cell.column,
            severity: Severity::Note,
            code: FindingCode::TextFormula,
            parameters: Arc::new(TextParameters::new()),
        });
        let shown = doubts.shown.iter().map(|doubt| CellDoubt {
            row: doubt.row,
            column: doubt.column,
            severity: Severity::Warning,
            code: FindingCode::ShownOtherwise,
            parameters: Arc::new([("shown", shortened(&doubt.shown))].into()),
        });
        quotes.chain(letters).chain(apostrophes).chain(text_formulas).chain(shown).collect()
    }

    /// Returns a note at the last row of a text file with an end mark.
    fn end_mark(&self) -> Option<Mark> {
        let last = self.rows().len().checked_sub(1).filter(|_| self.table.sheet.doubts.has_end_mark)?;
        Some(Mark {
            position: Position::from_index(last)?,
            column: None,
            target: NO_TARGET,
            severity: Severity::Note,
            code: FindingCode::EndMark,
            note: Note::None,
        })
    }

    /// Returns the problem of a missing sheet.
    pub(in super::super) fn unknown_sheet(&self, name: &str) -> Problem {
        let sheets: Vec<&str> = self.source.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
        let problem = Problem::new(Code::Unknown).parameter("case", "sheet").parameter("what", name);
        problem.parameter("file", &self.source.name).parameter("sheets", sheets.join(", "))
    }
}

fn text_choice(reading: &TextReading) -> TextChoice {
    let separator = |text: &str| text.chars().next().map_or(Separator::None, Separator::By);
    TextChoice {
        encoding: reading.encoding.clone(),
        separator: reading.separator.as_deref().map(separator),
        quotes: if reading.quotes_as_text { Quotes::Text } else { Quotes::Enclose },
    }
}

/// Returns the severity of doubts about the encoding. It's a note if words prove the encoding.
fn letters_severity(text: &TextForm) -> Severity {
    if text.is_clear { Severity::Note } else { Severity::Warning }
}

fn quote_code(fault: QuoteFault) -> FindingCode {
    match fault {
        QuoteFault::NotClosed => FindingCode::QuoteNotClosed,
        QuoteFault::TextAfter => FindingCode::TextAfterQuote,
        QuoteFault::HoldsRows => FindingCode::QuoteHoldsRows,
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT_LENGTH).collect()
}
