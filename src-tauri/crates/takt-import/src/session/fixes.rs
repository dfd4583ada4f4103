//! Applies fixes to the opened sheet, and checks the affected rows again. Also finds the cells with one kind of
//! finding, and suggests the accepted values that are nearest to their texts.

use std::collections::{BTreeMap, HashMap, HashSet};

use takt_browse::reference::{fold_code, is_another_number};
use takt_contract::FieldKind;
use takt_core::{Code, ExcelRow, Problem, finding::FindingCode};
use takt_sheet::{CellRef, strip_formula_guard};

use super::state::{FixScope, Session, SessionChange, unknown_problem};
use crate::{
    cell_value::ReadValue,
    fix::{FindingKind, FindingValue, FindingValues, Fix, FixStep, FoundFix, FoundUnit, SentTo},
    grid::RejectedRows,
    invisible_characters, item_builder,
    mapping::{MappingFile, Replacement},
    mark::Mark,
    number::{self, NumberWithUnit},
    reference_checks::add_offset,
    row_grouper::NO_KEY,
    row_mapper::RowCells,
    row_position::RowPosition,
    target::TargetField,
    view::CellHelp,
};

/// Maximum number of excluded keys in a mapping. The oldest are dropped.
const MAX_EXCLUDED_KEYS: usize = 1_000;
const MAX_LISTED_TEXTS: usize = 200;
const MAX_SUGGESTIONS: usize = 5;
/// Maximum number of values that are all suggested. If there are more, only similar ones are suggested.
const MAX_UNFILTERED_SUGGESTIONS: usize = 4;
const MIN_LIKENESS: f64 = 0.6;
/// Minimum likeness of a value to be the intended one. It must also lead the next value by [`MIN_LEAD`].
const MIN_CLEAR_LIKENESS: f64 = 0.8;
const MIN_LEAD: f64 = 0.03;

impl Session {
    pub(crate) fn apply_fix(&mut self, fix: &Fix) -> Result<(), Problem> {
        if fix.is_too_large() {
            return Err(Problem::new(Code::InvalidInput).parameter("case", "cells"));
        }
        let fixes = self.split_fix(fix);
        if let Some(column) = fixes.iter().flat_map(Fix::columns).find(|&column| column >= self.table.sheet.columns) {
            return Err(unknown_problem(&takt_sheet::column_letters(column)));
        }
        let start = self.data_start();
        let done = self.fixes.apply_fixes(&mut self.table.sheet, start, &fixes);
        let replacements = fixes.iter().filter_map(|fix| self.replacement(fix)).collect();
        if let Some(step) = self.fixes.last_step_mut().filter(|_| done) {
            step.replacements = replacements;
            step.fills_merged = *fix == Fix::FillMerged;
        }
        let scope = self.fixes.last_step().filter(|_| done).map(|step| self.fix_scope(step));
        self.recompute_fixed(scope);
        Ok(())
    }

    /// Excludes every row except these, which the service rejected.
    pub(crate) fn limit_to_rejected_rows(&mut self, rejected: RejectedRows) -> Result<(), Problem> {
        let numbers = self.rows().iter_for_columns(Vec::new()).map(|row| ExcelRow::new(row.number));
        let others = numbers.filter(|row| !rejected.contains_key(row)).collect();
        self.rejected_rows = rejected;
        self.fixes.has_local_exclusions = true;
        self.apply_fix(&Fix::Exclude { rows: others })
    }

    /// Removes rows that were sent from imports to the same site and operation.
    pub(crate) fn remove_sent_rows(&mut self, to: SentTo, rows: Vec<ExcelRow>) {
        self.fixes.overlay.add_sent_rows(to, rows);
        self.recompute(SessionChange::Mapping);
    }

    /// Splits a fix into fixes that name their cells and rows.
    fn split_fix(&self, fix: &Fix) -> Vec<Fix> {
        match fix {
            Fix::ReplaceMany { column, texts } => texts
                .iter()
                .map(|one| Fix::Replace { column: *column, from: one.from.clone(), to: one.to.clone() })
                .collect(),
            Fix::ExcludeFound { finding: found, keep_first } => {
                vec![Fix::Exclude { rows: self.rows_with_finding(found, *keep_first) }]
            }
            Fix::FillMerged => self.results.merged_cells.create_fixes(),
            Fix::FixFound { finding, way } => self.fixes_for_finding(finding, *way),
            other => vec![other.clone()],
        }
    }

    /// Returns the replacement that can be repeated on another file, or `None` for other kinds of fixes. Filled empty cells
    /// aren't repeated, because a value that is missing in another file may be another one.
    fn replacement(&self, fix: &Fix) -> Option<Replacement> {
        let Fix::Replace { column, from, to } = fix else { return None };
        if from.trim().is_empty() {
            return None;
        }
        let heading = self.mapping.names.get(*column as usize)?.clone();
        Some(Replacement { heading, from: from.clone(), to: to.clone() })
    }

    pub(crate) fn undo(&mut self) {
        let rows = self.restore_left_out_rows(self.fixes.last_step().map(FixStep::changed_rows));
        let done = self.fixes.undo(&mut self.table.sheet);
        if let Some(change) = self.fixes.last_undone_step().filter(|_| done).and_then(FixStep::format_change).cloned() {
            self.changed_cells = 0;
            self.restore_format(change.column, change.before);
            return;
        }
        let scope = self.fixes.last_undone_step().filter(|_| done).map(|step| self.fix_scope(step));
        self.recompute_restored(scope, rows);
    }

    pub(crate) fn redo(&mut self) {
        let rows = self.restore_left_out_rows(self.fixes.last_undone_step().map(FixStep::changed_rows));
        let done = self.fixes.redo(&mut self.table.sheet);
        if let Some(change) = self.fixes.last_step().filter(|_| done).and_then(FixStep::format_change).cloned() {
            self.changed_cells = 0;
            self.restore_format(change.column, change.after);
            return;
        }
        let scope = self.fixes.last_step().filter(|_| done).map(|step| self.fix_scope(step));
        self.recompute_restored(scope, rows);
    }

    /// Restores left-out rows if one of these rows is among them, so that it can be changed. Returns true if rows were
    /// restored.
    fn restore_left_out_rows(&mut self, rows: Option<Vec<ExcelRow>>) -> bool {
        let is_present = |row: &ExcelRow| self.table.sheet.rows.position(row.get()).is_some();
        let missing = rows.is_some_and(|rows| !rows.iter().all(is_present));
        if missing {
            self.table.excluded_rows.restore_rows(&mut self.table.sheet);
        }
        missing
    }

    fn recompute_restored(&mut self, scope: Option<FixScope>, were_left_out: bool) {
        if were_left_out {
            self.changed_cells = scope.map_or(0, |scope| scope.change_count);
            self.skip_rows();
            self.recompute(SessionChange::Mapping);
        } else {
            self.recompute_fixed(scope);
        }
    }

    fn recompute_fixed(&mut self, scope: Option<FixScope>) {
        self.changed_cells = scope.as_ref().map_or(0, |scope| scope.change_count);
        if let Some(scope) = scope {
            self.recompute(SessionChange::Cells(scope));
        }
    }

    pub(crate) fn cell_help(&self, row: u32, column: u32, site_codes: &dyn Fn(&str, &str) -> Vec<String>) -> CellHelp {
        let rows = self.rows();
        let at = rows.position(row);
        let mut reader = rows.reader();
        let cell = at.and_then(|at| reader.cell(at, column)).map(CellRef::to_cell).unwrap_or_default();
        let shown = cell.shown();
        let alike = rows.column(column).filter(|cell| cell.shown() == shown).count();
        let found = at.and_then(RowPosition::from_index).and_then(|at| {
            let marks = self.results.check_result.marks_of_row(at).iter();
            marks.filter(|mark| mark.column == Some(column)).min_by_key(|mark| mark.severity)
        });
        let target = found.and_then(|mark| self.mapping.targets.as_ref()?.fields.get(mark.target as usize));
        let site_codes = self.with_similar_codes(site_codes);
        let mut suggestions = found.map(|mark| self.offered_texts(mark, cell.as_ref())).unwrap_or_default();
        if suggestions.is_empty() {
            suggestions = target.map(|target| suggest_values(target, &shown, &site_codes)).unwrap_or_default();
        }
        CellHelp { alike: u32::try_from(alike).unwrap_or(u32::MAX), suggestions }
    }

    /// Repeats the fixes of the file that the mapping comes from.
    pub(super) fn replay_fixes(&mut self, mapping: &MappingFile) {
        self.fixes.inherited.replacements.clone_from(&mapping.replacements);
        self.fixes.inherited.excluded.clone_from(&mapping.excluded);
        self.fixes.inherited.fill_merged = mapping.fill_merged;
        let replacements: Vec<(u32, &Replacement)> = mapping
            .replacements
            .iter()
            .filter_map(|replacement| {
                let column = self.mapping.names.iter().position(|name| *name == replacement.heading)?;
                Some((u32::try_from(column).ok()?, replacement))
            })
            .collect();
        let wanted: HashSet<&str> = mapping.excluded.iter().map(String::as_str).collect();
        // Keys may be replaced, so rows are looked up by key afterwards.
        let start = self.data_start();
        let merged = if mapping.fill_merged { self.results.merged_cells.create_fixes() } else { Vec::new() };
        let replaced = self.fixes.replay(&mut self.table.sheet, start, &merged, &replacements);
        if replaced {
            self.recompute(SessionChange::Mapping);
        }
        let rows: Vec<ExcelRow> = self
            .rows_by_key()
            .into_iter()
            .filter(|(key, _)| wanted.contains(key.as_str()))
            .flat_map(|(_, rows)| rows)
            .collect();
        let skipped = self.fixes.exclude_replayed(&self.table.sheet, &rows, replaced);
        if replaced || skipped {
            self.recompute(SessionChange::Mapping);
        }
    }

    /// Returns the business keys of excluded rows for the next file. A key is included only if all its rows are
    /// excluded.
    pub(super) fn excluded_keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        if !self.fixes.is_replay_undone {
            keys.clone_from(&self.fixes.inherited.excluded);
        }
        if self.fixes.has_local_exclusions {
            return keys;
        }
        let excludes = |row: &ExcelRow| self.fixes.overlay.excluded_rows().contains(row);
        if keys.is_empty() && self.fixes.overlay.excluded_rows().is_empty() {
            return keys;
        }
        for (key, rows) in self.rows_by_key() {
            let all = rows.iter().all(excludes);
            if all && !keys.contains(&key) {
                keys.push(key);
            } else if !all {
                keys.retain(|other| *other != key);
            }
        }
        keys.split_off(keys.len().saturating_sub(MAX_EXCLUDED_KEYS))
    }

    /// Returns the row numbers by business key. Rows without a key are left out.
    fn rows_by_key(&self) -> BTreeMap<String, Vec<ExcelRow>> {
        let Some(mapper) = self.mapper() else { return BTreeMap::new() };
        let mut keys: BTreeMap<String, Vec<ExcelRow>> = BTreeMap::new();
        let columns = mapper.targets.key.iter().filter_map(|name| mapper.targets.index(name));
        let columns: Vec<u32> = columns.flat_map(|target| mapper.source_columns(target)).collect();
        for row in self.rows().iter_for_columns(columns) {
            let key = item_builder::key_text(&mapper, &[&row]);
            if !key.is_empty() {
                keys.entry(key).or_default().push(ExcelRow::new(row.number));
            }
        }
        keys
    }
}

/// Fixes of all cells with one kind of finding.
impl Session {
    /// Returns a fix for each cell that changes.
    fn fixes_for_finding(&self, kind: &FindingKind, fix: FoundFix) -> Vec<Fix> {
        let Some(mapper) = self.mapper() else { return Vec::new() };
        // Numbers of different units mustn't become equal.
        if fix == FoundFix::RemoveUnit && self.find_unit(kind).is_none() {
            return Vec::new();
        }
        let rows = self.rows();
        let mut reader = rows.reader();
        let mut fixes = Vec::new();
        for mark in self.marks_of_kind(kind) {
            let target = usize::from(mark.target);
            let Some(row) = reader.get(mark.position.index()) else { continue };
            let columns = match fix {
                FoundFix::RemoveInvisible => mapper.source_columns(target),
                FoundFix::FirstOffset | FoundFix::SecondOffset | FoundFix::RemoveUnit => {
                    mark.column.into_iter().collect()
                }
            };
            for column in columns {
                let Some(cell) = row.cell_at(column) else { continue };
                let Some(text) = self.fixed_text(mark, cell, fix) else { continue };
                fixes.push(Fix::Set { row: ExcelRow::new(row.number), column, text });
            }
        }
        fixes
    }

    /// Returns the texts that the fixes for a finding would give its cell. Empty for findings without such fixes.
    fn offered_texts(&self, mark: &Mark, cell: CellRef<'_>) -> Vec<String> {
        let offered_fixes: &[FoundFix] = match mark.code {
            FindingCode::InvisibleCharacter => &[FoundFix::RemoveInvisible],
            FindingCode::RepeatedTime | FindingCode::RepeatedLocalTime => {
                &[FoundFix::FirstOffset, FoundFix::SecondOffset]
            }
            FindingCode::NotANumber => &[FoundFix::RemoveUnit],
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
            FoundFix::RemoveInvisible => invisible_characters::remove_reported_characters(&shown, field.is_code),
            FoundFix::RemoveUnit => number::split_unit(&shown)?.number.to_owned(),
            FoundFix::FirstOffset | FoundFix::SecondOffset => {
                let format = self.results.layout.formats.get(usize::from(mark.target)).copied()?;
                let ReadValue::DateTime(written) = field.read(cell, format)?.ok()? else { return None };
                let zone = self.reference_context.zone(targets);
                ReadValue::DateTime(add_offset(written, zone, fix == FoundFix::SecondOffset)?).display_text()
            }
        };
        (text != shown).then_some(text)
    }

    /// Returns the texts and rows with one kind of finding. `site_codes` returns the codes that the site knows for a
    /// field, nearest first, given the field's path and the text.
    pub(crate) fn finding_values(
        &self,
        kind: &FindingKind,
        site_codes: &dyn Fn(&str, &str) -> Vec<String>,
    ) -> FindingValues {
        let rows = u32::try_from(self.rows_with_finding(kind, false).len()).unwrap_or(u32::MAX);
        let later = u32::try_from(self.rows_with_finding(kind, true).len()).unwrap_or(u32::MAX);
        let none = FindingValues { rows, later, ..FindingValues::default() };
        let can_replace = is_about_text(kind.code) && !kind.field.as_ref().is_some_and(|field| self.is_joined(field));
        let Some(column) = self.marks_of_kind(kind).find_map(|mark| mark.column).filter(|_| can_replace) else {
            return none;
        };
        let mut texts = self.count_texts(kind, column);
        let more = u32::try_from(texts.len().saturating_sub(MAX_LISTED_TEXTS)).unwrap_or(u32::MAX);
        texts.truncate(MAX_LISTED_TEXTS);
        let target = kind.field.as_ref().and_then(|field| self.mapping.targets.as_ref()?.get(field));
        let site_codes = self.with_similar_codes(site_codes);
        let values = texts.into_iter().map(|(text, count)| {
            let only = match kind.code {
                FindingCode::FormulaGuard => strip_formula_guard(&text).map(str::to_owned),
                FindingCode::NotANumber => number::split_unit(&text).map(|with_unit| with_unit.number.to_owned()),
                FindingCode::InvisibleCharacter => {
                    target.map(|target| invisible_characters::remove_reported_characters(&text, target.is_code))
                }
                _ => None,
            };
            let suggestions = match &only {
                Some(only) => vec![only.clone()],
                None => target.map(|target| suggest_values(target, &text, &site_codes)).unwrap_or_default(),
            };
            let suggestion = only.or_else(|| find_clear_suggestion(&text, &suggestions));
            FindingValue { text, count, suggestion, suggestions }
        });
        let unit = self.find_unit(kind);
        FindingValues { column: Some(column), values: values.collect(), more, unit, ..none }
    }

    /// Returns the unit behind the numbers in the cells with this finding, if all units are the same.
    fn find_unit(&self, kind: &FindingKind) -> Option<FoundUnit> {
        if kind.code != FindingCode::NotANumber {
            return None;
        }
        let rows = self.rows();
        let mut reader = rows.reader();
        let mut found: Option<FoundUnit> = None;
        for mark in self.marks_of_kind(kind) {
            let Some(cell) = mark.column.and_then(|column| reader.cell(mark.position.index(), column)) else {
                continue;
            };
            let shown = cell.shown();
            let Some(NumberWithUnit { unit, .. }) = number::split_unit(&shown) else { continue };
            match &mut found {
                None => found = Some(FoundUnit { unit: unit.to_owned(), count: 1 }),
                Some(known) if known.unit == unit => known.count += 1,
                Some(_) => return None,
            }
        }
        found
    }

    /// Returns the numbers of the rows with this finding, ascending. With `keep_first`, the first row of each key is
    /// left out.
    fn rows_with_finding(&self, kind: &FindingKind, keep_first: bool) -> Vec<ExcelRow> {
        let mut positions: Vec<RowPosition> = self.marks_of_kind(kind).map(|mark| mark.position).collect();
        positions.dedup();
        let mut seen: HashSet<u64> = HashSet::new();
        let hash =
            |position: RowPosition| self.results.check_result.hashes.get(position.index()).copied().unwrap_or(NO_KEY);
        positions.retain(|&position| !keep_first || !seen.insert(hash(position)));
        let rows = self.rows();
        positions.into_iter().filter_map(|position| rows.number(position.index()).map(ExcelRow::new)).collect()
    }

    /// Returns the marks of this kind in the order of the rows.
    fn marks_of_kind(&self, kind: &FindingKind) -> impl Iterator<Item = &Mark> {
        let target =
            kind.field.as_ref().map(|field| self.mapping.targets.as_ref().and_then(|targets| targets.index(field)));
        self.results.check_result.marks.iter().filter(move |mark| {
            mark.code == kind.code
                && mark.severity == kind.severity
                && target.is_none_or(|target| target == Some(mark.target as usize))
        })
    }

    /// Returns the distinct texts of the cells with this finding, each with its count in the whole column, most
    /// frequent first.
    fn count_texts(&self, kind: &FindingKind, column: u32) -> Vec<(String, u32)> {
        let rows = self.rows();
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut cells = rows.reader();
        for mark in self.marks_of_kind(kind).filter(|mark| mark.column == Some(column)) {
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

    /// Returns a function that returns the codes of `site_codes`, followed by similar codes in the site's reference
    /// data.
    fn with_similar_codes(&self, site_codes: &dyn Fn(&str, &str) -> Vec<String>) -> impl Fn(&str, &str) -> Vec<String> {
        |path, text| {
            let mut codes = site_codes(path, text);
            let targets = self.mapping.targets.as_ref();
            codes.extend(
                targets
                    .iter()
                    .flat_map(|targets| self.results.reference_checks.find_similar_codes(targets, path, text)),
            );
            codes
        }
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

/// Returns values that the field accepts, nearest first. `site_codes` returns the codes that the site knows for a
/// field, given its path and the text.
fn suggest_values(target: &TargetField, text: &str, site_codes: &dyn Fn(&str, &str) -> Vec<String>) -> Vec<String> {
    let text = text.trim();
    let closed: Vec<String> = if target.kind == FieldKind::Boolean {
        vec!["true".to_owned(), "false".to_owned()]
    } else {
        target.limits.values.clone()
    };
    let mut found = nearest_values(text, &closed);
    for code in site_codes(&target.path, text) {
        if !found.contains(&code) {
            found.push(code);
        }
    }
    found.retain(|value| value != text);
    found.truncate(MAX_SUGGESTIONS);
    found
}

/// Returns the nearest value if it's near enough and clearly ahead of the others.
fn find_clear_suggestion(text: &str, suggestions: &[String]) -> Option<String> {
    let wanted = text.trim().to_lowercase();
    let number = fold_code(text);
    let score = |value: &String| strsim::jaro_winkler(&wanted, &value.to_lowercase());
    let mut found = suggestions.iter();
    let is_near =
        |first: &&String| score(first) >= MIN_CLEAR_LIKENESS && !is_another_number(&number, &fold_code(first));
    let first = found.next().filter(|first| !wanted.is_empty() && is_near(first))?;
    found.all(|other| score(other) + MIN_LEAD <= score(first)).then(|| first.clone())
}

fn nearest_values(text: &str, values: &[String]) -> Vec<String> {
    let wanted = text.to_lowercase();
    let likeness = |value: &String| strsim::jaro_winkler(&wanted, &value.to_lowercase());
    let mut scored: Vec<(f64, &String)> = values.iter().map(|value| (likeness(value), value)).collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let all = values.len() <= MAX_UNFILTERED_SUGGESTIONS;
    scored.into_iter().filter(|(score, _)| all || *score >= MIN_LIKENESS).map(|(_, value)| value.clone()).collect()
}
