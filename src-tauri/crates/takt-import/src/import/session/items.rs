//! What a sheet would send: all of its items, or some of them at a time.

use std::ops::Range;

use super::Session;
use crate::import::{
    ItemSet, PlanMapping,
    building::{self, ItemRows},
    check::Plan,
};
use takt_core::{Item, Problem};

impl Session {
    pub(in crate::import) fn items(&self) -> Result<ItemSet, Problem> {
        let plan = self.plan().ok_or_else(|| Problem::in_the_way("no-operation"))?;
        let items = self.with_errors(building::build(&plan, &self.checked, &self.sheet.name, self.rows()));
        Ok(ItemSet { items, ..self.item_set(&plan) })
    }

    /// Without its items.
    fn item_set(&self, plan: &Plan<'_>) -> ItemSet {
        ItemSet {
            operation: plan.targets.operation.clone(),
            file: self.file.clone(),
            hash: self.hash.clone(),
            sheet: self.sheet.name.clone(),
            items: Vec::new(),
            mapping: PlanMapping::value(self.mapping().into_iter().collect()),
        }
    }

    /// The set without its items, and the rows of each, so that they can be made some at a time; absent where rows are excluded:
    /// items of those stand among the others.
    pub(in crate::import) fn item_rows(&self) -> Result<Option<(ItemSet, ItemRows)>, Problem> {
        let plan = self.plan().ok_or_else(|| Problem::in_the_way("no-operation"))?;
        if self.checked.counts.excluded > 0 {
            return Ok(None);
        }
        Ok(Some((self.item_set(&plan), ItemRows::new(&self.checked, self.rows().len()))))
    }

    /// Some of the items, by their place.
    pub(in crate::import) fn items_in_range(&self, groups: &ItemRows, which: Range<usize>) -> Vec<Item> {
        let Some(plan) = self.plan() else { return Vec::new() };
        self.with_errors(building::build_some(&plan, groups, &self.sheet.name, self.rows(), which))
    }
}
