//! Stores previews: each item's kind and compressed changes, without the items.

use std::{
    collections::{BTreeSet, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};
use takt_core::ExcelRow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::view::{
    ConflictChoice, ConflictReason, PreviewChoice, PreviewCounts, PreviewField, PreviewFilter, PreviewKind,
    PreviewPage, PreviewRow, PreviewStep,
};
use takt_browse::read_back::ReadBackFault;
use takt_core::{Change, Item, ItemComparison, ItemError, Problem, Words};
use takt_import::{ItemSet, ItemSource, StepSource};
use takt_journal::Reason;

use crate::result_reason::{fault_reason, reason_text};

/// Other tasks may run after this many items.
const YIELD_INTERVAL: usize = 2_000;

/// The stored preview of an import.
#[derive(Debug)]
pub(super) struct CachedPreview {
    pub(super) site: String,
    pub(super) file: String,
    /// The import's revision when it was compared. Later revisions make the preview stale.
    pub(super) revision: u32,
    pub(super) seconds: f64,
    pub(super) steps: Vec<CachedStep>,
}

impl CachedPreview {
    /// Returns whether the steps have the operations and item counts of the compared ones.
    pub(super) fn matches(&self, steps: &[StepSource]) -> bool {
        let is_compared =
            |(compared, step): (&CachedStep, &StepSource)| compared.matches(&step.set.operation, step.items.len());
        self.steps.len() == steps.len() && self.steps.iter().zip(steps).all(is_compared)
    }
}

/// The preview of one step, with its items in order.
#[derive(Debug)]
pub(super) struct CachedStep {
    pub(super) view: PreviewStep,
    pub(super) deletes: bool,
    pub(super) rows: CachedRows,
}

/// The preview of a step's items. Small per item because there may be a million.
#[derive(Debug, Default)]
pub(super) struct CachedRows {
    rows: Vec<CachedRow>,
    /// The business keys.
    keys: KeyTexts,
    /// The sheets of items whose first row isn't on the step's sheet.
    sheets: HashMap<usize, Box<str>>,
    /// The reasons why items are blocked.
    errors: HashMap<usize, Box<[ItemError]>>,
}

/// Texts in one allocation, because there may be a million of them.
#[derive(Debug, Default)]
struct KeyTexts {
    /// Shorter than `u32::MAX` bytes. Texts that don't fit are stored as empty.
    texts: String,
    ends: Vec<u32>,
}

impl KeyTexts {
    fn push(&mut self, text: &str) {
        let end = u32::try_from(self.texts.len() + text.len());
        if end.is_ok() {
            self.texts.push_str(text);
        }
        self.ends.push(end.unwrap_or_else(|_| self.ends.last().copied().unwrap_or_default()));
    }

    fn get(&self, index: usize) -> &str {
        let end = |index: usize| self.ends.get(index).map_or(0, |&end| end as usize);
        self.texts.get(index.checked_sub(1).map_or(0, end)..end(index)).unwrap_or_default()
    }
}

#[derive(Debug)]
struct CachedRow {
    row: ExcelRow,
    rows: u32,
    /// The hash of the item, which shows whether the item has changed since.
    hash: u32,
    /// Absent if the user excluded the item.
    kind: Option<PreviewKind>,
    /// Boxed twice because most rows have none, and a pointer without a length is half as large.
    detail: Option<Box<Box<[u8]>>>,
}

/// The changes of an item, and the values to restore it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Detail {
    pub(super) fields: Vec<PreviewField>,
    /// The service's values of the members that differ.
    pub(super) service_values: Map<String, Value>,
    /// Some neighboring rows of a deleted item.
    pub(super) neighbors: Vec<String>,
    /// The reason why the item wasn't compared.
    pub(super) unread: Option<Reason>,
}

impl CachedRows {
    /// Creates rows that aren't compared yet. Calls `on_sent_item` for each item that would be sent, in order.
    pub(super) async fn from_items(
        items: &ItemSource,
        sheet: &str,
        on_sent_item: &mut (dyn FnMut(&Value) + Send),
    ) -> Self {
        let mut rows = Self::default();
        rows.rows.reserve_exact(items.len());
        rows.keys.ends.reserve_exact(items.len());
        for index in 0..items.len() {
            if index % YIELD_INTERVAL == 0 {
                tokio::task::yield_now().await;
            }
            items.with_item(index, |item| {
                rows.add(item, sheet);
                if !item.skipped && !item.blocked {
                    on_sent_item(&item.body);
                }
            });
        }
        rows
    }

    fn add(&mut self, item: &Item, sheet: &str) {
        let (index, first) = (self.rows.len(), item.rows.first());
        let kind = match (item.skipped, item.blocked) {
            (true, _) => None,
            (false, true) => Some(PreviewKind::Blocked),
            (false, false) => Some(PreviewKind::Unknown),
        };
        self.keys.push(&item.key);
        if let Some(other) = first.filter(|first| first.sheet != sheet) {
            self.sheets.insert(index, other.sheet.as_str().into());
        }
        if !item.errors.is_empty() {
            self.errors.insert(index, item.errors.clone().into_boxed_slice());
        }
        self.rows.push(CachedRow {
            row: first.map_or(ExcelRow::new(0), |first| first.row),
            rows: u32::try_from(item.rows.len()).unwrap_or(u32::MAX),
            hash: item_hash(item),
            kind,
            detail: None,
        });
    }

    /// Returns the indexes of the items that would be sent. Only correct before the comparison sets their kinds.
    pub(super) fn sent_indexes(&self) -> Vec<u32> {
        let is_sent = |row: &CachedRow| row.kind == Some(PreviewKind::Unknown);
        let mut sent = Vec::with_capacity(self.rows.len());
        sent.extend((0..).zip(&self.rows).filter(|(_, row)| is_sent(row)).map(|(index, _)| index));
        sent
    }

    pub(super) fn set(&mut self, index: usize, kind: PreviewKind, detail: &Detail) {
        if let Some(row) = self.rows.get_mut(index) {
            row.set(kind, detail);
        }
    }

    /// Returns the number of file rows that form the item.
    pub(super) fn row_count(&self, index: usize) -> u32 {
        self.rows.get(index).map_or(0, |row| row.rows)
    }

    pub(super) fn counts(&self) -> PreviewCounts {
        let mut counts = PreviewCounts::default();
        for (kind, rows) in self.rows.iter().filter_map(|row| Some((row.kind?, row.rows))) {
            counts.add_rows(kind, rows);
        }
        counts
    }

    fn view(&self, sheet: &str, index: usize, words: &Words) -> Option<PreviewRow> {
        let row = self.rows.get(index)?;
        let detail = row.detail();
        Some(PreviewRow {
            sheet: self.sheets.get(&index).map_or(sheet, |sheet| sheet).to_owned(),
            row: row.row,
            rows: row.rows,
            key: self.keys.get(index).to_owned(),
            kind: row.kind?,
            fields: detail.fields,
            reason: detail.unread.map(|reason| reason_text(words, &reason)),
            errors: self.errors.get(&index).map(|errors| errors.to_vec()).unwrap_or_default(),
        })
    }
}

/// Returns the service's values as they are stored: those that differ, and the sent ones where they are equal.
pub(super) fn previous_values(sent: &Value, detail: &Detail) -> Value {
    let mut before = sent.clone();
    if let Value::Object(members) = &mut before {
        members.extend(detail.service_values.clone());
    }
    before
}

impl CachedRow {
    fn set(&mut self, kind: PreviewKind, detail: &Detail) {
        self.kind = Some(kind);
        if !detail.fields.is_empty() || detail.unread.is_some() {
            self.detail = serde_json::to_vec(detail).ok().map(|detail| Box::new(detail.into_boxed_slice()));
        }
    }

    fn detail(&self) -> Detail {
        self.detail.as_ref().and_then(|detail| serde_json::from_slice(detail).ok()).unwrap_or_default()
    }

    fn comparison(&self, item: &Item, choice: PreviewChoice, deletes: bool) -> Option<ItemComparison> {
        let (change, skip) = match self.kind? {
            PreviewKind::New => (Change::New, false),
            PreviewKind::Changed => (Change::Changed, false),
            PreviewKind::Same | PreviewKind::NotLinked => (Change::Same, !choice.send_same),
            PreviewKind::Conflict => (Change::Conflict, choice.conflicts != ConflictChoice::Send),
            // Without a comparison the deleted row couldn't be saved.
            PreviewKind::Unknown => (Change::Unknown, deletes && !choice.send_unchecked),
            PreviewKind::Blocked => return None,
        };
        let detail = self.detail();
        let before = match change {
            Change::New | Change::Unknown => None,
            Change::Same if deletes => None,
            Change::Same | Change::Changed | Change::Conflict => Some(previous_values(&item.body, &detail)),
        };
        Some(ItemComparison { change, before, neighbors: detail.neighbors, skip })
    }
}

/// The items that contain a text.
#[derive(Debug)]
pub(super) struct FoundItems {
    /// In lowercase.
    pub(super) text: String,
    /// The file rows that contain it.
    pub(super) rows: BTreeSet<ExcelRow>,
}

impl FoundItems {
    fn matches_key(&self, key: &str) -> bool {
        key.to_lowercase().contains(&self.text)
    }
}

impl CachedStep {
    /// Returns a page of the items that pass the filter, without excluded items. `found` are the items with its text.
    pub(super) fn page(
        &self,
        filter: &PreviewFilter,
        found: Option<&FoundItems>,
        page: Range<u32>,
        words: &Words,
    ) -> PreviewPage {
        let all = filter.unchanged || found.is_some();
        let has_kind = |row: &CachedRow| {
            row.kind.is_some_and(|own| filter.kind.map_or(all || own != PreviewKind::Same, |kind| own == kind))
        };
        let is_found = |index: usize, row: &CachedRow| {
            found.is_none_or(|found| found.rows.contains(&row.row) || found.matches_key(self.rows.keys.get(index)))
        };
        let rows = || self.rows.rows.iter().enumerate();
        let indexes = || rows().filter(|(index, row)| has_kind(row) && is_found(*index, row)).map(|(index, _)| index);
        let offset = page.start;
        let page = indexes().skip(offset as usize).take(page.len());
        let view = |index| {
            let mut row = self.rows.view(&self.view.sheet, index, words)?;
            if row.kind == PreviewKind::Unknown && row.reason.is_none() {
                row.reason = Some(self.unread_reason(words));
            }
            Some(row)
        };
        let rows = page.filter_map(view).collect();
        PreviewPage { total: u32::try_from(indexes().count()).unwrap_or(u32::MAX), offset, rows }
    }

    /// Returns why an item wasn't compared if its own read gave no reason.
    fn unread_reason(&self, words: &Words) -> String {
        match &self.view.problem {
            Some(problem) => words.problem_title(problem.code, &problem.parameters),
            None => reason_text(words, &fault_reason(ReadBackFault::NotReadable)),
        }
    }

    /// Adds the stored comparisons to all items of a step. Fails if they aren't the compared items.
    pub(super) fn mark_items(&self, set: &mut ItemSet, choice: PreviewChoice) -> Result<(), Problem> {
        if !self.matches(&set.operation, set.items.len()) {
            return Err(Problem::obstacle("preview-stale"));
        }
        for (index, item) in set.items.iter_mut().enumerate() {
            self.mark_item(index, item, choice)?;
        }
        Ok(())
    }

    /// Adds the stored comparison to an item. Fails if the item differs from the compared item at this index.
    pub(super) fn mark_item(&self, index: usize, item: &mut Item, choice: PreviewChoice) -> Result<(), Problem> {
        let row = self.rows.rows.get(index).filter(|row| row.hash == item_hash(item));
        let row = row.ok_or_else(|| Problem::obstacle("preview-stale"))?;
        item.comparison = row.comparison(item, choice, self.deletes).map(Box::new);
        Ok(())
    }

    fn matches(&self, operation: &str, items: usize) -> bool {
        operation == self.view.operation && items == self.rows.rows.len()
    }
}

pub(super) fn preview_field(field: String, old: Value, new: Value, conflict: Option<ConflictReason>) -> PreviewField {
    PreviewField { field, old, new, conflict }
}

fn item_hash(item: &Item) -> u32 {
    let mut hasher = DefaultHasher::new();
    (item.skipped, item.blocked, &item.key).hash(&mut hasher);
    item.rows.hash(&mut hasher);
    item.body.to_string().hash(&mut hasher);
    (hasher.finish() >> u32::BITS) as u32
}
