//! The items of a sheet, all or a range of them, with the errors that block them.

use std::ops::Range;

use takt_core::{Item, ItemError, Problem, finding::Severity};

use super::state::Session;
use crate::{
    item_builder::{self, ItemRows},
    mapping::PlanMapping,
    row_mapper::RowMapper,
    row_position::RowPosition,
    view::ItemSet,
};

/// Maximum number of errors that are stored with an item.
const MAX_ERRORS_PER_ITEM: usize = 5;

impl Session {
    pub(crate) fn items(&self) -> Result<ItemSet, Problem> {
        let mapper = self.mapper().ok_or_else(|| Problem::obstacle("no-operation"))?;
        let items = self.add_errors(item_builder::build_items(
            &mapper,
            &self.results.check_result,
            &self.table.sheet.name,
            self.rows(),
        ));
        Ok(ItemSet { items, ..self.item_set(&mapper) })
    }

    /// Returns the step's data, with an empty list of items.
    fn item_set(&self, mapper: &RowMapper<'_>) -> ItemSet {
        ItemSet {
            operation: mapper.targets.operation.clone(),
            file: self.source.name.clone(),
            hash: self.source.hash.clone(),
            sheet: self.table.sheet.name.clone(),
            items: Vec::new(),
            mapping: PlanMapping::to_value(self.mapping().into_iter().collect()),
        }
    }

    /// Returns the set without its items, and the rows of each item, to build them in ranges. Returns `None` if rows
    /// are excluded, since their skipped items can't be built in ranges.
    pub(crate) fn item_rows(&self) -> Result<Option<(ItemSet, ItemRows)>, Problem> {
        let mapper = self.mapper().ok_or_else(|| Problem::obstacle("no-operation"))?;
        if self.results.check_result.counts.excluded > 0 {
            return Ok(None);
        }
        Ok(Some((self.item_set(&mapper), ItemRows::new(&self.results.check_result, self.rows().len()))))
    }

    pub(crate) fn items_in_range(&self, groups: &ItemRows, range: Range<usize>) -> Vec<Item> {
        let Some(mapper) = self.mapper() else { return Vec::new() };
        self.add_errors(item_builder::build_range(&mapper, groups, &self.table.sheet.name, self.rows(), range))
    }

    /// Adds the errors to the items that they block.
    fn add_errors(&self, mut items: Vec<Item>) -> Vec<Item> {
        let Some(targets) = &self.mapping.targets else { return items };
        let rows = self.rows();
        let mut cells = rows.reader();
        for item in items.iter_mut().filter(|item| item.blocked) {
            for number in item.rows.iter().map(|row| row.row).collect::<Vec<_>>() {
                let position = self
                    .table
                    .sheet
                    .rows
                    .position(number.get())
                    .and_then(|position| position.checked_sub(self.data_start()));
                let Some(position) = position.and_then(RowPosition::from_index) else { continue };
                let marks = self.results.check_result.marks_of_row(position).iter();
                for mark in marks.filter(|mark| mark.severity == Severity::Error) {
                    if item.errors.len() == MAX_ERRORS_PER_ITEM {
                        break;
                    }
                    let cell = mark.column.and_then(|column| cells.cell(position.index(), column));
                    let finding = mark.to_finding(&self.table.sheet.name, number, cell, targets);
                    let mut parameters = finding.parameters;
                    parameters.extend(finding.column.map(|column| ("place".to_owned(), format!("{column}{number}"))));
                    item.errors.push(ItemError { code: finding.code, parameters });
                }
            }
        }
        items
    }
}
