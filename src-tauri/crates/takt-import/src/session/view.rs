//! The view of the opened sheet, with its columns, their samples and formats, and the operation's fields.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use takt_contract::{FieldKind, Names};
use takt_core::ExcelRow;
use takt_sheet::{Cell, SheetRow, column_letters};

use super::state::Session;
use crate::{
    cell_value::{ChosenFormats, Format, read},
    check::ImportCounts,
    draft::DraftView,
    grid::edited_rows,
    header::HeadRow,
    mapping::{
        FormatChoice, FormatExample, FormatView, JoinedColumns, JoinedView, MappingRules, format_views, is_clearable,
        needs_decision,
    },
    matching::ColumnMatch,
    target::{TargetField, TargetFields},
    view::{ColumnView, FieldView, ImportView, SheetColumn, SheetRows},
};

/// Number of rows that are shown for choosing the header row.
const HEAD_ROW_COUNT: usize = 15;
const MAX_SAMPLES: usize = 3;
/// Maximum number of rows that are searched for samples.
const MAX_SAMPLE_ROWS: usize = 200;
/// Maximum number of rows that are searched for a cell that needs a choice.
const MAX_EXAMPLE_ROWS: usize = 10_000;

impl Session {
    pub(crate) fn view(&self) -> ImportView {
        let head = self.table.sheet.rows.iter().take(HEAD_ROW_COUNT).map(|row| self.file_row(&row));
        ImportView {
            id: self.id,
            destination: None,
            file: self.source.name.clone(),
            hash: self.source.hash.clone(),
            sheets: self.source.sheets.clone(),
            sheet: self.table.sheet.name.clone(),
            header_row: self.table.header.and_then(|header| self.table.sheet.rows.number(header)),
            head: head.collect(),
            operation: self.mapping.targets.as_ref().map(|targets| targets.operation.clone()),
            proposals: self.mapping.proposals.clone(),
            columns: self.column_views(),
            fields: self
                .mapping
                .targets
                .as_ref()
                .map(|targets| field_views(targets, &self.mapping.rules, &self.mapping.names))
                .unwrap_or_default(),
            missing: self.missing_fields(),
            contested: self.contested_fields(),
            property_list: self.mapping.targets.as_ref().and_then(|targets| targets.property_list().map(str::to_owned)),
            changes: self.mapping.changes.clone(),
            settled: self.is_settled() && self.source.sheets.iter().filter(|sheet| sheet.visible).count() <= 1,
            counts: self.counts(),
            previously_accepted: self.table.takt_columns.count_accepted(self.rows()),
            facets: self.results.check_result.facets.clone(),
            reference_checks: self.results.reference_checks.view(&self.reference_context),
            reading: self.reading_view(),
            undo: self.fixes.can_undo(),
            redo: self.fixes.can_redo(),
            edited: self.fixes.overlay.edited_cells(),
            edited_rows: u32::try_from(edited_rows(&self.fixes.overlay, &self.rejected_rows).count())
                .unwrap_or(u32::MAX),
            replayed: self.fixes.replayed_count(),
            touched: self.changed_cells,
            rejected_rows: u32::try_from(self.rejected_rows.len()).unwrap_or(u32::MAX),
            sent_rows: self.sent_rows(),
            steps: Vec::new(),
            covers_workbook: false,
            totals: ImportCounts::default(),
            parts: Vec::new(),
            draft: DraftView::default(),
        }
    }

    /// Returns a row with the file's texts, even if cells were fixed.
    fn file_row(&self, row: &SheetRow) -> HeadRow {
        let number = ExcelRow::new(row.number);
        let original = |column: u32| self.fixes.overlay.original_cell(number, column);
        let text = |(column, cell): (u32, &Cell)| original(column).unwrap_or(cell).shown().into_owned();
        HeadRow { row: number, cells: (0..).zip(&row.cells).map(text).collect() }
    }

    pub(super) fn missing_fields(&self) -> Vec<String> {
        let Some(targets) = &self.mapping.targets else { return Vec::new() };
        let matched = |path: &str| {
            let column = self.mapping.matches.iter().any(|column_match| column_match.fills(path));
            column || self.mapping.rules.joined.contains_key(path)
        };
        let filled = |path: &str| matched(path) || self.mapping.rules.constants.contains_key(path);
        let list_begun = |list: &str| has_matched_part(targets, list, &matched);
        let needed = targets.fields.iter().filter(|target| match &target.part_of {
            None => target.required,
            Some((list, _)) => target.required && list_begun(list),
        });
        needed.filter(|target| !filled(&target.path)).map(|target| target.path.clone()).collect()
    }

    fn column_views(&self) -> Vec<ColumnView> {
        let columns = (0_u32..).zip(self.table.headings.iter().zip(&self.mapping.matches));
        columns
            .map(|(column, (heading, column_match))| {
                let own = self.table.takt_columns.heading(column);
                ColumnView {
                    index: column,
                    letter: column_letters(column),
                    heading: own.unwrap_or(heading).to_owned(),
                    own: own.is_some(),
                    samples: self.sample_texts(column),
                    matched: column_match.matched.clone(),
                    also: column_match.further_fields.clone(),
                    formats: self.column_formats(column, column_match),
                    candidates: column_match.candidates.clone(),
                }
            })
            .collect()
    }

    /// Returns the sheet's columns, with the cells of these rows as the file shows them.
    pub(crate) fn sheet_rows(&self, rows: &[ExcelRow]) -> SheetRows {
        let indexes: Vec<u32> = (0..self.table.sheet.columns).filter(|&index| !self.is_takt_column(index)).collect();
        let all = self.rows();
        let mut reader = all.reader();
        let mut cells_of = |row: &ExcelRow| {
            let row = reader.get(all.position(row.get())?)?;
            let text = |&column: &u32| row.cell(column).map(|cell| cell.shown().into_owned()).unwrap_or_default();
            Some(indexes.iter().map(text).collect())
        };
        SheetRows {
            rows: rows.iter().map(&mut cells_of).collect(),
            columns: indexes.iter().map(|&index| self.sheet_column(index)).collect(),
        }
    }

    fn is_takt_column(&self, column: u32) -> bool {
        self.table.takt_columns.heading(column).is_some()
    }

    fn sheet_column(&self, column: u32) -> SheetColumn {
        let index = column as usize;
        let matched = self.mapping.matches.get(index).map(ColumnMatch::fields).unwrap_or_default();
        let name = self.mapping.names.get(index);
        let is_joined = |joined: &JoinedColumns| name.is_some_and(|name| joined.headings.contains(name));
        let joined = self.mapping.rules.joined.iter().filter(|(_, joined)| is_joined(joined));
        SheetColumn {
            letter: column_letters(column),
            heading: self.table.headings.get(index).cloned().unwrap_or_default(),
            fields: matched.into_iter().chain(joined.map(|(field, _)| field.clone())).collect(),
        }
    }

    /// Returns the numbers of the rows with a cell that contains a text, ignoring case.
    pub(crate) fn find_rows(&self, text: &str) -> BTreeSet<ExcelRow> {
        let rows = self.rows();
        let number = |position: u32| rows.number(position as usize).map(ExcelRow::new);
        rows.find_rows_with_text(text).into_iter().filter_map(number).collect()
    }

    /// Returns the formats of the column's first field that needs any.
    fn column_formats(&self, column: u32, column_match: &ColumnMatch) -> Vec<FormatView> {
        let Some(targets) = self.mapping.targets.as_ref() else { return Vec::new() };
        let mut formats = column_match.fields().into_iter().filter_map(|field| {
            let target = targets.index(&field)?;
            let kind = targets.fields.get(target)?.kind;
            let open = OpenCells::new(self.rows().column(column).take(MAX_EXAMPLE_ROWS), kind);
            let example = |choice| self.format_example(&open, kind, choice);
            Some(format_views(self.results.layout.formats.get(target).copied()?, &example))
        });
        formats.find(|views| !views.is_empty()).unwrap_or_default()
    }

    /// Returns the first cell that needs a choice, as the choice would read it.
    fn format_example(
        &self,
        open: &OpenCells<impl Iterator<Item = Cell>>,
        kind: FieldKind,
        choice: FormatChoice,
    ) -> FormatExample {
        let today = self.reference_context.reference.local_now().date();
        let chosen = Some(ChosenFormats { choices: [choice].into_iter().collect(), today });
        let cell = open.find_first(|format| !needs_decision(format.with_choices(chosen)));
        let read = cell.as_ref().and_then(|cell| {
            let format = Format::detect(kind, chosen, std::iter::once(cell));
            read(cell.as_ref(), kind, format).ok().map(|value| value.display_text())
        });
        FormatExample { choice, cell: cell.map(|cell| cell.shown().trim().to_owned()), read }
    }

    fn sample_texts(&self, column: u32) -> Vec<String> {
        let mut samples: Vec<String> = Vec::new();
        for cell in self.rows().column(column).take(MAX_SAMPLE_ROWS) {
            let shown = cell.shown().into_owned();
            if !shown.is_empty() && !samples.contains(&shown) {
                samples.push(shown);
            }
            if samples.len() == MAX_SAMPLES {
                break;
            }
        }
        samples
    }
}

/// The cells of a column that need a choice. They're read once for all choices, and only as far as needed.
struct OpenCells<I> {
    kind: FieldKind,
    rest: RefCell<I>,
    found: RefCell<Vec<(Cell, Format)>>,
}

impl<I: Iterator<Item = Cell>> OpenCells<I> {
    fn new(cells: I, kind: FieldKind) -> Self {
        Self { kind, rest: RefCell::new(cells), found: RefCell::default() }
    }

    /// Returns the first cell with a wanted format.
    fn find_first(&self, is_wanted: impl Fn(Format) -> bool) -> Option<Cell> {
        let mut found = self.found.borrow_mut();
        if let Some((cell, _)) = found.iter().find(|(_, format)| is_wanted(*format)) {
            return Some(cell.clone());
        }
        for cell in &mut *self.rest.borrow_mut() {
            let format = Format::detect(self.kind, None, std::iter::once(&cell));
            if needs_decision(format) {
                found.push((cell, format));
                if is_wanted(format) {
                    return found.last().map(|(cell, _)| cell.clone());
                }
            }
        }
        None
    }
}

fn has_matched_part(targets: &TargetFields, list: &str, matched: &dyn Fn(&str) -> bool) -> bool {
    targets
        .fields
        .iter()
        .filter(|target| target.part_of.as_ref().is_some_and(|(other, _)| other == list))
        .any(|target| matched(&target.path))
}

/// Returns the views of all fields. `names` are the columns' names in the rules.
fn field_views(targets: &TargetFields, rules: &MappingRules, names: &[String]) -> Vec<FieldView> {
    targets.fields.iter().map(|target| field_view(target, rules, names)).collect()
}

fn field_view(target: &TargetField, rules: &MappingRules, columns: &[String]) -> FieldView {
    let full = |list: fn(&Names) -> &String, own: &String| match &target.list_names {
        Some(names) => format!("{}: {own}", list(names)),
        None => own.clone(),
    };
    let names = BTreeMap::from([
        ("en".to_owned(), full(|names| &names.en, &target.names.en)),
        ("de".to_owned(), full(|names| &names.de, &target.names.de)),
        ("es".to_owned(), full(|names| &names.es, &target.names.es)),
        ("pt".to_owned(), full(|names| &names.pt, &target.names.pt)),
    ]);
    FieldView {
        path: target.path.clone(),
        kind: kind_name(target.kind).to_owned(),
        required: target.required && target.part_of.is_none(),
        provenance: target.provenance.json_name().to_owned(),
        names,
        key: target.key,
        constant: rules.constants.get(&target.path).cloned(),
        blank: rules.blank.get(&target.path).copied().unwrap_or_default(),
        clearable: is_clearable(target),
        joined: rules.joined.get(&target.path).map(|joined| JoinedView::new(joined, columns)),
        allowed: target.limits.values.clone(),
        replaced: rules.values.get(&target.path).map_or(0, |values| u32::try_from(values.len()).unwrap_or(u32::MAX)),
    }
}

/// Returns the kind's name in the contract.
fn kind_name(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::Integer => "integer",
        FieldKind::Number => "number",
        FieldKind::Boolean => "boolean",
        FieldKind::DateTime => "date-time",
        FieldKind::Duration => "duration",
        FieldKind::TimeSpan => "time-span",
        FieldKind::List => "list",
        FieldKind::Object => "object",
    }
}
