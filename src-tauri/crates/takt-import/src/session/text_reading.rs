//! The user's choices for reading a text file, their view, and findings at cells that may be read wrongly.
//!
//! Also finds rows with more or fewer fields than the header row. An unquoted separator shifts the values of a row, and
//! a truncated file ends within one.

use std::{ops::Range, sync::Arc};

use takt_core::{
    ExcelRow, Problem,
    finding::{FindingCode, Severity},
};
use takt_sheet::{
    ENCODINGS, FieldCount, QuoteDoubt, QuoteFault, Quotes, Separator, SheetRow, TextChoice, TextForm, column_letters,
};

use super::state::{Session, SessionContext};
use crate::{
    fix::FixStack,
    header::HeadRow,
    mark::{Finding, FindingDetail, Mark, TextParameters},
    reading_view::{EncodingView, LettersCell, QuoteView, ReadingView, TextReading},
    row_position::RowPosition,
};

/// Number of rows that are shown for choosing how a text file is read.
const HEAD_ROW_COUNT: usize = 15;
/// Maximum number of cells that are shown in each encoding.
const MAX_LISTED_CELLS: usize = 20;
/// Maximum characters of a cell that are shown.
const MAX_TEXT_LENGTH: usize = 80;
/// The target of findings that aren't about a field.
const NO_TARGET: u16 = u16::MAX;
const AMBIGUITY_CODES: [FindingCode; 11] = [
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

/// A cell that may have been read wrongly. It becomes a finding.
struct CellAmbiguity {
    /// 1-based.
    row: u32,
    column: u32,
    /// The severity below the header row. Rows above aren't sent, so it's never an error there.
    severity: Severity,
    code: FindingCode,
    parameters: Arc<TextParameters>,
}

/// The numbers of fields that a row of the text file may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ExpectedFields {
    /// Number of fields up to the last column with a heading.
    min: u32,
    /// Number of fields of the header row, including empty ones.
    max: u32,
}

impl Session {
    /// Sets how a text file is read. Absent settings are detected. A workbook has no such settings and isn't changed.
    pub(crate) fn choose_text(&mut self, reading: &TextReading, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        if self.source.workbook.text_form().is_none() {
            return Ok(());
        }
        self.source.workbook.choose_text(&text_choice(reading))?;
        // The columns and texts may differ now, so fixes no longer apply.
        self.fixes = FixStack::default();
        let sheet = self.table.sheet.name.clone();
        self.choose_sheet(&sheet, ctx)
    }

    pub(crate) fn preview_text(&self, reading: &TextReading) -> Result<Vec<HeadRow>, Problem> {
        let rows = self.source.workbook.preview_text(&text_choice(reading), HEAD_ROW_COUNT)?;
        Ok(rows.into_iter().map(|(row, cells)| HeadRow { row: ExcelRow::new(row), cells }).collect())
    }

    pub(super) fn reading_view(&self) -> ReadingView {
        let text = self.source.workbook.text_form();
        let separator = |character: Option<char>| character.map(String::from).unwrap_or_default();
        ReadingView {
            encoding: text.map(|text| text.encoding.to_owned()),
            separator: text.map(|text| separator(text.separator)),
            encodings: text.map(|_| ENCODINGS.map(str::to_owned).into()).unwrap_or_default(),
            quotes_as_text: text.is_some_and(|text| text.quotes == Quotes::Text),
            quote: self.quote_view(),
            letters: self.encoding_view(),
            heading_rows: u32::try_from(self.table.header_rows).unwrap_or(1),
            hidden_rows: self.table.excluded_rows.hidden_rows,
            hidden_columns: self.table.sheet.hidden_columns.iter().map(|&column| column_letters(column)).collect(),
            totals_row: self.table.excluded_rows.totals_row_number,
            merged: self.results.merged_cells.merged_view(),
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

    fn encoding_view(&self) -> Option<EncodingView> {
        let (doubts, text) = (&self.table.sheet.doubts, self.source.workbook.text_form()?);
        let cells: Vec<LettersCell> = doubts
            .encodings
            .iter()
            .take(MAX_LISTED_CELLS)
            .map(|doubt| LettersCell {
                row: ExcelRow::new(doubt.row),
                column: column_letters(doubt.column),
                texts: std::iter::once(&doubt.text).chain(&doubt.rival_texts).map(|text| shorten(text)).collect(),
            })
            .collect();
        let encodings = std::iter::once(&text.encoding).chain(&text.rivals).map(ToString::to_string).collect();
        let (severity, count) = (encoding_severity(text), doubts.encoding_doubt_count);
        (!cells.is_empty()).then_some(EncodingView { severity, encodings, cells, count })
    }

    /// Returns true if the user should review how the text was read.
    pub(super) fn needs_text_review(&self) -> bool {
        let doubts = &self.table.sheet.doubts;
        let is_unclear = self.source.workbook.text_form().is_some_and(|text| !text.is_clear);
        !doubts.quotes.is_empty() || (is_unclear && doubts.encoding_doubt_count > 0)
    }

    /// Adds the ambiguities to the findings of the rows below the header row.
    pub(super) fn mark_ambiguities(&mut self) {
        let rows = self.rows();
        let is_unfixed = |row: u32, column: u32| {
            let row = ExcelRow::new(row);
            self.fixes.overlay.original_cell(row, column).is_none() && !self.fixes.overlay.excludes(row)
        };
        let marks = self.cell_ambiguities().into_iter().filter(|doubt| is_unfixed(doubt.row, doubt.column)).filter_map(
            |doubt| {
                Some(Mark {
                    position: RowPosition::from_index(rows.position(doubt.row)?)?,
                    column: Some(doubt.column),
                    target: NO_TARGET,
                    severity: doubt.severity,
                    code: doubt.code,
                    detail: FindingDetail::Parameters(doubt.parameters),
                })
            },
        );
        let marks = marks.chain(self.field_count_marks()).chain(self.end_mark()).collect();
        self.replace_marks(&AMBIGUITY_CODES, marks);
    }

    /// Returns the ambiguities of the header row and the rows above it, which aren't among the rows' findings.
    pub(super) fn findings_above_rows(&self) -> Vec<Finding> {
        let rows = self.rows();
        let above = self.cell_ambiguities().into_iter().filter(|doubt| rows.position(doubt.row).is_none());
        let finding = |doubt: CellAmbiguity| Finding {
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

    fn cell_ambiguities(&self) -> Vec<CellAmbiguity> {
        let doubts = &self.table.sheet.doubts;
        let quotes = doubts.quotes.iter().map(|doubt: &QuoteDoubt| CellAmbiguity {
            row: doubt.row,
            column: doubt.column,
            severity: Severity::Error,
            code: quote_code(doubt.fault),
            parameters: Arc::new([("lines", doubt.lines.to_string())].into()),
        });
        let text = self.source.workbook.text_form();
        let rivals = text.map(|text| text.rivals.as_slice()).unwrap_or_default();
        let severity = text.map_or(Severity::Warning, encoding_severity);
        let letters = doubts.encodings.iter().map(|doubt| {
            let others = doubt.rival_texts.iter().zip(rivals).filter(|(other, _)| **other != doubt.text);
            let others: Vec<String> =
                others.map(|(other, encoding)| format!("“{}” ({encoding})", shorten(other))).collect();
            let parameters = [("value", shorten(&doubt.text)), ("others", others.join(", "))];
            CellAmbiguity {
                row: doubt.row,
                column: doubt.column,
                severity,
                code: FindingCode::OtherEncoding,
                parameters: Arc::new(parameters.into()),
            }
        });
        let apostrophes = doubts.apostrophes.iter().map(|cell| CellAmbiguity {
            row: cell.row,
            column: cell.column,
            severity: Severity::Warning,
            code: FindingCode::FormulaGuard,
            parameters: Arc::new(TextParameters::new()),
        });
        let text_formulas = doubts.text_formulas.iter().map(|cell| CellAmbiguity {
            row: cell.row,
            column: cell.column,
            severity: Severity::Note,
            code: FindingCode::TextFormula,
            parameters: Arc::new(TextParameters::new()),
        });
        let shown = doubts.shown_texts.iter().map(|doubt| CellAmbiguity {
            row: doubt.row,
            column: doubt.column,
            severity: Severity::Warning,
            code: FindingCode::ShownOtherwise,
            parameters: Arc::new([("shown", shorten(&doubt.shown))].into()),
        });
        quotes.chain(letters).chain(apostrophes).chain(text_formulas).chain(shown).collect()
    }

    /// Returns a note at the last row of a text file with an end mark.
    fn end_mark(&self) -> Option<Mark> {
        let last = self.rows().len().checked_sub(1).filter(|_| self.table.sheet.doubts.has_end_mark)?;
        Some(Mark {
            position: RowPosition::from_index(last)?,
            column: None,
            target: NO_TARGET,
            severity: Severity::Note,
            code: FindingCode::EndMark,
            detail: FindingDetail::None,
        })
    }
}

impl Session {
    /// Returns findings about rows with too many or too few fields, below the header row. A row has none if the
    /// affected cell was fixed.
    fn field_count_marks(&self) -> Vec<Mark> {
        let Some(expected) = self.expected_fields() else { return Vec::new() };
        let counts = &self.table.sheet.doubts.field_counts;
        let ends = counts.iter().skip(1).map(|next| next.row).chain([u32::MAX]);
        let mut marks = Vec::new();
        for (count, end) in counts.iter().zip(ends) {
            if count.fields > expected.max {
                self.mark_extra_fields(&mut marks, count.row..end, expected);
            } else if count.fields < expected.min {
                self.mark_missing_fields(&mut marks, *count, end, expected);
            }
        }
        marks.extend(self.cut_character_mark(expected));
        marks
    }

    /// Marks the last value of a file that ends within a character. Rows with too few fields are marked by
    /// [`Self::mark_missing_fields`].
    fn cut_character_mark(&self, expected: ExpectedFields) -> Option<Mark> {
        let number = self.table.sheet.doubts.unterminated_row.filter(|_| self.table.sheet.doubts.has_cut_character)?;
        let fields = self.field_count(number)?;
        let column = fields.checked_sub(1)?;
        if fields < expected.min || self.is_fixed(number, column) {
            return None;
        }
        let (position, _) = self.positions_of_rows(number..number.saturating_add(1)).next()?;
        create_text_mark(
            position,
            column,
            Severity::Error,
            FindingCode::CutRow,
            field_count_detail(fields, expected.max),
        )
    }

    /// Returns `None` for a sheet without a header row, and for files other than text files.
    fn expected_fields(&self) -> Option<ExpectedFields> {
        let last = self.table.header?;
        let first = (last + 1).checked_sub(self.table.header_rows)?;
        let mut expected = ExpectedFields { min: 0, max: 0 };
        for row in (first..=last).filter_map(|position| self.table.sheet.rows.get(position)) {
            expected.max = expected.max.max(self.field_count(row.number)?);
            expected.min = expected.min.max(filled_width(&row));
        }
        Some(expected)
    }

    fn field_count(&self, row: u32) -> Option<u32> {
        let counts = &self.table.sheet.doubts.field_counts;
        let at = counts.partition_point(|count| count.row <= row).checked_sub(1)?;
        counts.get(at).map(|count| count.fields)
    }

    /// Returns positions and numbers of the rows with these numbers that are below the header row and not excluded.
    fn positions_of_rows(&self, numbers: Range<u32>) -> impl Iterator<Item = (usize, u32)> {
        let rows = self.rows();
        let last = rows.len().checked_sub(1).and_then(|last| rows.number(last)).unwrap_or_default();
        (numbers.start..numbers.end.min(last.saturating_add(1)))
            .filter(|&number| !self.fixes.overlay.excludes(ExcelRow::new(number)))
            .filter_map(move |number| Some((rows.position(number)?, number)))
    }

    /// Marks the first value after the header row's last field. Empty fields there are ignored.
    fn mark_extra_fields(&self, marks: &mut Vec<Mark>, numbers: Range<u32>, expected: ExpectedFields) {
        let mut reader = self.rows().reader();
        for (position, number) in self.positions_of_rows(numbers) {
            let Some(row) = reader.get(position) else { continue };
            let is_extra = |column: &u32| {
                row.cell(*column).is_some_and(|cell| !cell.is_empty()) && !self.is_fixed(number, *column)
            };
            let Some(column) = (expected.max..filled_width(&row)).find(is_extra) else { continue };
            let detail = field_count_detail(filled_width(&row), expected.max);
            marks.extend(create_text_mark(position, column, Severity::Error, FindingCode::ExtraFields, detail));
        }
    }

    /// Marks the first column that the row lacks. In a row that may be cut, marks the value that may be incomplete.
    fn mark_missing_fields(&self, marks: &mut Vec<Mark>, count: FieldCount, end: u32, expected: ExpectedFields) {
        let detail = field_count_detail(count.fields, expected.min);
        // An unclosed quote is already an error.
        let is_swallowed = |number: u32| {
            let last = self.table.sheet.doubts.quotes.last();
            last.is_some_and(|last| last.row == number && last.fault == QuoteFault::NotClosed)
        };
        let lacks_required = self.required_columns().iter().any(|&column| column >= count.fields);
        for (position, number) in self.positions_of_rows(count.row..end) {
            let is_cut = self.table.sheet.doubts.unterminated_row == Some(number);
            let first = if is_cut { count.fields.saturating_sub(1) } else { count.fields };
            if is_swallowed(number) || (first..expected.min).any(|column| self.is_fixed(number, column)) {
                continue;
            }
            let (severity, code) = match () {
                () if is_cut => (Severity::Error, FindingCode::CutRow),
                () if lacks_required => (Severity::Error, FindingCode::MissingFields),
                () => (Severity::Warning, FindingCode::MissingFields),
            };
            marks.extend(create_text_mark(position, first, severity, code, detail.clone()));
        }
    }

    /// Returns the columns of fields that an item requires.
    fn required_columns(&self) -> Vec<u32> {
        let Some(mapper) = self.mapper() else { return Vec::new() };
        let required =
            mapper.targets.fields.iter().enumerate().filter(|(_, field)| field.required && field.part_of.is_none());
        required.flat_map(|(target, _)| mapper.source_columns(target)).collect()
    }

    fn is_fixed(&self, row: u32, column: u32) -> bool {
        self.fixes.overlay.original_cell(ExcelRow::new(row), column).is_some()
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

/// Returns the severity of findings about the encoding. It's a note if words prove the encoding.
fn encoding_severity(text: &TextForm) -> Severity {
    if text.is_clear { Severity::Note } else { Severity::Warning }
}

fn quote_code(fault: QuoteFault) -> FindingCode {
    match fault {
        QuoteFault::NotClosed => FindingCode::QuoteNotClosed,
        QuoteFault::TextAfter => FindingCode::TextAfterQuote,
        QuoteFault::ContainsRows => FindingCode::QuoteHoldsRows,
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(MAX_TEXT_LENGTH).collect()
}

fn filled_width(row: &SheetRow) -> u32 {
    let last = row.cells.iter().rposition(|cell| !cell.is_empty());
    last.and_then(|last| u32::try_from(last + 1).ok()).unwrap_or_default()
}

fn field_count_detail(fields: u32, expected: u32) -> FindingDetail {
    FindingDetail::Parameters(Arc::new([("fields", fields.to_string()), ("expected", expected.to_string())].into()))
}

fn create_text_mark(
    position: usize,
    column: u32,
    severity: Severity,
    code: FindingCode,
    detail: FindingDetail,
) -> Option<Mark> {
    let position = RowPosition::from_index(position)?;
    Some(Mark { position, column: Some(column), target: NO_TARGET, severity, code, detail })
}
