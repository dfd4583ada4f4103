//! Views of the sheet's columns with their headings, samples and fields, and the required fields without a column.

use std::cell::RefCell;

use takt_sheet::{Cell, column_letters};

use super::state::Session;
use takt_contract::FieldKind;

use crate::{
    mapping::{FormatChoice, FormatExample, FormatView, format_view, is_unsettled},
    matching::ColumnMatch,
    reading::{ChosenFormat, Format, read},
    target::Targets,
    view::ColumnView,
};

const MAX_SAMPLES: usize = 3;
/// Maximum number of rows that are searched for samples.
const SAMPLE_ROWS: usize = 200;
/// Maximum number of rows that are searched for a cell that needs a choice.
const EXAMPLE_ROWS: usize = 10_000;

impl Session {
    pub(super) fn missing(&self) -> Vec<String> {
        let Some(targets) = &self.mapping.targets else { return Vec::new() };
        let matched = |path: &str| {
            let column = self.mapping.matches.iter().any(|column_match| column_match.fills(path));
            column || self.mapping.rules.joined.contains_key(path)
        };
        let filled = |path: &str| matched(path) || self.mapping.rules.constants.contains_key(path);
        let list_begun = |list: &str| matched_part(targets, list, &matched);
        let needed = targets.fields.iter().filter(|target| match &target.part_of {
            None => target.required,
            Some((list, _)) => target.required && list_begun(list),
        });
        needed.filter(|target| !filled(&target.path)).map(|target| target.path.clone()).collect()
    }

    pub(super) fn columns(&self) -> Vec<ColumnView> {
        let columns = (0_u32..).zip(self.table.headings.iter().zip(&self.mapping.matches));
        columns
            .map(|(column, (heading, column_match))| {
                let own = self.table.takt_columns.heading(column);
                ColumnView {
                    index: column,
                    letter: column_letters(column),
                    heading: own.unwrap_or(heading).to_owned(),
                    own: own.is_some(),
                    samples: self.samples(column),
                    matched: column_match.matched.clone(),
                    also: column_match.also.clone(),
                    format: self.format(column, column_match),
                    candidates: column_match.candidates.clone(),
                }
            })
            .collect()
    }

    /// Returns the format of the column's first field that needs one.
    fn format(&self, column: u32, column_match: &ColumnMatch) -> Option<FormatView> {
        let targets = self.mapping.targets.as_ref()?;
        let mut formats = column_match.fields().into_iter().filter_map(|field| {
            let target = targets.index(&field)?;
            let kind = targets.fields.get(target)?.kind;
            let open = OpenCells::new(self.rows().column(column).take(EXAMPLE_ROWS), kind);
            let example = |choice| self.example(&open, kind, choice);
            format_view(self.computed.layout.formats.get(target).copied()?, &example)
        });
        formats.next()
    }

    /// Returns the first cell that needs a choice, as the choice would read it.
    fn example(
        &self,
        open: &OpenCells<impl Iterator<Item = Cell>>,
        kind: FieldKind,
        choice: FormatChoice,
    ) -> FormatExample {
        let today = self.reference_context.reference.local_now().date();
        let chosen = Some(ChosenFormat { choice, today });
        let cell = open.first(|format| !is_unsettled(format.with_choice(chosen)));
        let read = cell.as_ref().and_then(|cell| {
            let format = Format::detect(kind, chosen, std::iter::once(cell));
            read(cell.as_ref(), kind, format).ok().map(|value| value.shown())
        });
        FormatExample { choice, cell: cell.map(|cell| cell.shown().trim().to_owned()), read }
    }

    fn samples(&self, column: u32) -> Vec<String> {
        let mut samples: Vec<String> = Vec::new();
        for cell in self.rows().column(column).take(SAMPLE_ROWS) {
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
    fn first(&self, is_wanted: impl Fn(Format) -> bool) -> Option<Cell> {
        let mut found = self.found.borrow_mut();
        if let Some((cell, _)) = found.iter().find(|(_, format)| is_wanted(*format)) {
            return Some(cell.clone());
        }
        for cell in &mut *self.rest.borrow_mut() {
            let format = Format::detect(self.kind, None, std::iter::once(&cell));
            if is_unsettled(format) {
                found.push((cell, format));
                if is_wanted(format) {
                    return found.last().map(|(cell, _)| cell.clone());
                }
            }
        }
        None
    }
}

fn matched_part(targets: &Targets, list: &str, matched: &dyn Fn(&str) -> bool) -> bool {
    targets
        .fields
        .iter()
        .filter(|target| target.part_of.as_ref().is_some_and(|(other, _)| other == list))
        .any(|target| matched(&target.path))
}
