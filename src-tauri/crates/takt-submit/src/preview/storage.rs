//! A preview as it is kept: of each item what became of it and what would change, packed; the items themselves aren't.

use std::hash::{DefaultHasher, Hash, Hasher};
use takt_core::ExcelRow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::view::{
    ConflictChoice, ConflictReason, PreviewChoice, PreviewCounts, PreviewField, PreviewKind, PreviewPage, PreviewRow,
    PreviewStep,
};
use takt_core::{Change, Item, ItemComparison, ItemError, Problem};
use takt_import::ItemSet;

/// One step's items in their order.
#[derive(Debug)]
pub(super) struct CachedStep {
    pub(super) view: PreviewStep,
    pub(super) deletes: bool,
    pub(super) rows: Vec<CachedRow>,
}

#[derive(Debug)]
pub(super) struct CachedRow {
    /// Where it isn't the step's.
    sheet: Option<Box<str>>,
    row: ExcelRow,
    rows: u32,
    key: Box<str>,
    /// Of what would be sent.
    hash: u64,
    /// Absent where a person left it out.
    pub(super) kind: Option<PreviewKind>,
    detail: Option<Box<[u8]>>,
    /// Why it is blocked.
    errors: Box<[ItemError]>,
}

/// What would change, and what it takes to bring the old back.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Detail {
    pub(super) fields: Vec<PreviewField>,
    /// Members of the item that are held otherwise, as they are held.
    pub(super) service_values: Map<String, Value>,
}

impl CachedRow {
    pub(super) fn new(item: &Item, sheet: &str) -> Self {
        let first = item.rows.first();
        let kind = match (item.skipped, item.blocked) {
            (true, _) => None,
            (false, true) => Some(PreviewKind::Blocked),
            (false, false) => Some(PreviewKind::Unknown),
        };
        Self {
            sheet: first.filter(|first| first.sheet != sheet).map(|first| first.sheet.as_str().into()),
            row: first.map_or(ExcelRow::new(0), |first| first.row),
            rows: u32::try_from(item.rows.len()).unwrap_or(u32::MAX),
            key: item.key.as_str().into(),
            hash: hash(item),
            kind,
            detail: None,
            errors: item.errors.clone().into_boxed_slice(),
        }
    }

    pub(super) fn set(&mut self, kind: PreviewKind, detail: &Detail) {
        self.kind = Some(kind);
        if !detail.fields.is_empty() {
            self.detail = serde_json::to_vec(detail).ok().map(Vec::into_boxed_slice);
        }
    }

    pub(super) fn count(&self, counts: &mut PreviewCounts) {
        if let Some(kind) = self.kind {
            counts.count(kind, self.rows);
        }
    }

    fn detail(&self) -> Detail {
        self.detail.as_ref().and_then(|detail| serde_json::from_slice(detail).ok()).unwrap_or_default()
    }

    fn view(&self, sheet: &str, kind: PreviewKind) -> PreviewRow {
        PreviewRow {
            sheet: self.sheet.as_deref().unwrap_or(sheet).to_owned(),
            row: self.row,
            rows: self.rows,
            key: self.key.to_string(),
            kind,
            fields: self.detail().fields,
            errors: self.errors.to_vec(),
        }
    }

    fn looked(&self, item: &Item, choice: PreviewChoice, deletes: bool) -> Option<ItemComparison> {
        let (change, skip) = match self.kind? {
            PreviewKind::New => (Change::New, false),
            PreviewKind::Changed => (Change::Changed, false),
            PreviewKind::Same => (Change::Same, !choice.send_same),
            PreviewKind::Conflict => (Change::Conflict, choice.conflicts != ConflictChoice::Send),
            PreviewKind::Unknown => (Change::Unknown, false),
            PreviewKind::Blocked => return None,
        };
        let before = match change {
            Change::New | Change::Unknown => None,
            Change::Same if deletes => None,
            Change::Changed | Change::Conflict if deletes => Some(item.body.clone()),
            Change::Same | Change::Changed | Change::Conflict => {
                let mut body = item.body.clone();
                if let Value::Object(members) = &mut body {
                    members.extend(self.detail().service_values);
                }
                Some(body)
            }
        };
        Some(ItemComparison { change, before, skip })
    }
}

impl CachedStep {
    /// Items of one kind, or all; `same` and `left out` are no part of all.
    pub(super) fn page(&self, kind: Option<PreviewKind>, offset: u32, limit: u32) -> PreviewPage {
        let of_kind =
            |row: &&CachedRow| row.kind.is_some_and(|own| kind.map_or(own != PreviewKind::Same, |kind| own == kind));
        let total = self.rows.iter().filter(of_kind).count();
        let page = self.rows.iter().filter(of_kind).skip(offset as usize).take(limit as usize);
        let rows = page.filter_map(|row| Some(row.view(&self.view.sheet, row.kind?))).collect();
        PreviewPage { total: u32::try_from(total).unwrap_or(u32::MAX), offset, rows }
    }

    /// Tells the items what was seen of them. They must be those that were looked at.
    pub(super) fn mark_items(&self, set: &mut ItemSet, choice: PreviewChoice) -> Result<(), Problem> {
        let fits = set.operation == self.view.operation && set.items.len() == self.rows.len();
        if !fits || !set.items.iter().zip(&self.rows).all(|(item, row)| hash(item) == row.hash) {
            return Err(Problem::in_the_way("preview-stale"));
        }
        for (item, row) in set.items.iter_mut().zip(&self.rows) {
            item.looked = row.looked(item, choice, self.deletes).map(Box::new);
        }
        Ok(())
    }
}

/// A field as it is shown.
pub(super) fn field(field: String, old: Value, new: Value, conflict: Option<ConflictReason>) -> PreviewField {
    PreviewField { field, old, new, conflict }
}

fn hash(item: &Item) -> u64 {
    let mut hasher = DefaultHasher::new();
    (item.skipped, item.blocked, &item.key).hash(&mut hasher);
    item.rows.hash(&mut hasher);
    item.body.to_string().hash(&mut hasher);
    hasher.finish()
}
