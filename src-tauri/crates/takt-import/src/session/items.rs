//! The items of a sheet, all or a range of them.

use std::ops::Range;

use super::state::Session;
use crate::{
    building::{self, ItemRows},
    mapping::PlanMapping,
    row_mapper::RowMapper,
    view::ItemSet,
};
use takt_core::{Item, Problem};

impl Session {
    pub(crate) fn items(&self) -> Result<ItemSet, Problem> {
        let mapper = self.mapper().ok_or_else(|| Problem::obstacle("no-operation"))?;
        let items =
            self.with_errors(building::build(&mapper, &self.computed.checked, &self.table.sheet.name, self.rows()));
        Ok(ItemSet { items, ..self.item_set(&mapper) })
    }

    /// Returns the set without its items.
    fn item_set(&self, mapper: &RowMapper<'_>) -> ItemSet {
        ItemSet {
            operation: mapper.targets.operation.clone(),
            file: self.source.name.clone(),
            hash: self.source.hash.clone(),
            sheet: self.table.sheet.name.clone(),
            items: Vec::new(),
            mapping: PlanMapping::value(self.mapping().into_iter().collect()),
        }
    }

    /// Returns the set without its items, and the rows of each item, to build them in ranges. Returns `None` if rows
    /// are excluded, since their items are among the others.
    pub(crate) fn item_rows(&self) -> Result<Option<(ItemSet, ItemRows)>, Problem> {
        let mapper = self.mapper().ok_or_else(|| Problem::obstacle("no-operation"))?;
        if self.computed.checked.counts.excluded > 0 {
            return Ok(None);
        }
        Ok(Some((self.item_set(&mapper), ItemRows::new(&self.computed.checked, self.rows().len()))))
    }

    /// Returns the items in a range.
    pub(crate) fn items_in_range(&self, groups: &ItemRows, which: Range<usize>) -> Vec<Item> {
        let Some(mapper) = self.mapper() else { return Vec::new() };
        self.with_errors(building::build_range(&mapper, groups, &self.table.sheet.name, self.rows(), which))
    }
}
