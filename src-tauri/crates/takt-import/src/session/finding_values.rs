//! The texts and rows with one kind of finding.

use crate::position::Position;
use std::collections::{HashMap, HashSet};
use takt_core::ExcelRow;

use takt_sheet::{CellRef, without_formula_guard};

use super::state::Session;
use crate::{
    fix::{self, FindingKind, FindingValue, FindingValues},
    invisible,
    mark::Mark,
    pass::NO_KEY,
};
use takt_core::finding::FindingCode;

const MAX_LISTED_TEXTS: usize = 200;

impl Session {
    /// Returns the texts and rows with one kind of finding. `site_codes` returns the codes that the site knows for a
    /// field, nearest first, given the field's path and the text.
    pub(in super::super) fn finding_values(
        &self,
        kind: &FindingKind,
        site_codes: &dyn Fn(&str, &str) -> Vec<String>,
    ) -> FindingValues {
        let rows = u32::try_from(self.finding_rows(kind, false).len()).unwrap_or(u32::MAX);
        let later = u32::try_from(self.finding_rows(kind, true).len()).unwrap_or(u32::MAX);
        let none = FindingValues { rows, later, ..FindingValues::default() };
        let can_replace = is_about_text(kind.code) && !kind.field.as_ref().is_some_and(|field| self.is_joined(field));
        let Some(column) = self.marks_of(kind).find_map(|mark| mark.column).filter(|_| can_replace) else {
            return none;
        };
        let mut texts = self.texts_of(kind, column);
        let more = u32::try_from(texts.len().saturating_sub(MAX_LISTED_TEXTS)).unwrap_or(u32::MAX);
        texts.truncate(MAX_LISTED_TEXTS);
        let target = kind.field.as_ref().and_then(|field| self.mapping.targets.as_ref()?.get(field));
        let site_codes = self.with_similar_codes(site_codes);
        let values = texts.into_iter().map(|(text, count)| {
            let suggestion = match kind.code {
                FindingCode::FormulaGuard => without_formula_guard(&text).map(str::to_owned),
                FindingCode::InvisibleCharacter => target.map(|target| invisible::clean(&text, target.is_code)),
                _ => target.and_then(|target| fix::clear_suggestion(target, &text, &site_codes)),
            };
            FindingValue { text, count, suggestion }
        });
        FindingValues { column: Some(column), values: values.collect(), more, ..none }
    }

    /// Returns the numbers of the rows with this finding, ascending. With `keep_first`, the first row of each key is
    /// left out.
    pub(super) fn finding_rows(&self, kind: &FindingKind, keep_first: bool) -> Vec<ExcelRow> {
        let mut positions: Vec<Position> = self.marks_of(kind).map(|mark| mark.position).collect();
        positions.dedup();
        let mut seen: HashSet<u64> = HashSet::new();
        let hash = |position: Position| self.computed.checked.hashes.get(position.index()).copied().unwrap_or(NO_KEY);
        positions.retain(|&position| !keep_first || !seen.insert(hash(position)));
        let rows = self.rows();
        positions.into_iter().filter_map(|position| rows.number(position.index()).map(ExcelRow::new)).collect()
    }

    /// Returns the marks of this kind in the order of the rows.
    pub(super) fn marks_of(&self, kind: &FindingKind) -> impl Iterator<Item = &Mark> {
        let target =
            kind.field.as_ref().map(|field| self.mapping.targets.as_ref().and_then(|targets| targets.index(field)));
        self.computed.checked.marks.iter().filter(move |mark| {
            mark.code == kind.code
                && mark.severity == kind.severity
                && target.is_none_or(|target| target == Some(mark.target as usize))
        })
    }

    /// Returns the distinct texts of the cells with this finding, each with its count in the whole column, most
    /// frequent first.
    fn texts_of(&self, kind: &FindingKind, column: u32) -> Vec<(String, u32)> {
        let rows = self.rows();
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut cells = rows.reader();
        for mark in self.marks_of(kind).filter(|mark| mark.column == Some(column)) {
            let cell = cells.cell(mark.position.index(), column).map(CellRef::to_cell).unwrap_or_default();
            if !counts.contains_key(cell.shown().as_ref()) {
                counts.insert(cell.shown().into_owned(), 0);
            }
        }
        for cell in rows.column(column) {
            if let Some(count) = counts.get_mut(cell.shown().as_ref()) {
                *count += 1;
            }
        }
        let mut texts: Vec<(String, u32)> = counts.into_iter().collect();
        texts.sort_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then_with(|| a.cmp(b)));
        texts
    }

    fn is_joined(&self, field: &str) -> bool {
        self.mapping.rules.joined.contains_key(field)
    }
}

/// Returns true if another text in the cell could fix the finding.
fn is_about_text(code: FindingCode) -> bool {
    !matches!(
        code,
        FindingCode::DuplicateKey
            | FindingCode::GroupDisagrees
            | FindingCode::NotBefore
            | FindingCode::TotalsRow
            | FindingCode::ShownTextKept
            | FindingCode::DateOrder
            | FindingCode::MissingColumn
            | FindingCode::SeveralColumns
            | FindingCode::InvisibleRemoved
            | FindingCode::QuoteNotClosed
            | FindingCode::TextAfterQuote
            | FindingCode::QuoteHoldsRows
            | FindingCode::ExtraFields
            | FindingCode::MissingFields
            | FindingCode::CutRow
            | FindingCode::CutText
            | FindingCode::EndMark
    )
}
