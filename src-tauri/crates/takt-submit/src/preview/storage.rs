//! A preview as it is kept: of each item what became of it and what would change, packed; the items themselves aren't.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};
use takt_core::ExcelRow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::view::{
    ConflictChoice, ConflictReason, PreviewChoice, PreviewCounts, PreviewField, PreviewKind, PreviewPage, PreviewRow,
    PreviewStep,
};
use takt_browse::read_back::ReadBackFault;
use takt_core::{Change, Item, ItemComparison, ItemError, Problem, Words};
use takt_import::{ItemSet, ItemSource};
use takt_journal::Reason;

use crate::result_reason::{fault_reason, text as reason_text};

/// After so many items others have a turn.
const MAX_AT_ONCE: usize = 2_000;

/// One step's items in their order.
#[derive(Debug)]
pub(super) struct CachedStep {
    pub(super) view: PreviewStep,
    pub(super) deletes: bool,
    pub(super) rows: CachedRows,
}

/// What is kept of a step's items: little for each, since there may be a million.
#[derive(Debug, Default)]
pub(super) struct CachedRows {
    rows: Vec<CachedRow>,
    /// The business keys.
    keys: KeyTexts,
    /// Whose first row stands on another sheet than the step's.
    sheets: HashMap<usize, Box<str>>,
    /// Why items are blocked.
    errors: HashMap<usize, Box<[ItemError]>>,
}

/// Texts one after the other.
#[derive(Debug, Default)]
struct KeyTexts {
    /// No longer than a `u32` can tell; of what would be longer the text is blank.
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

    fn get(&self, place: usize) -> &str {
        let at = |place: usize| self.ends.get(place).map_or(0, |&end| end as usize);
        self.texts.get(place.checked_sub(1).map_or(0, at)..at(place)).unwrap_or_default()
    }
}

#[derive(Debug)]
struct CachedRow {
    row: ExcelRow,
    rows: u32,
    /// Of what would be sent.
    hash: u32,
    /// Absent where a person left it out.
    kind: Option<PreviewKind>,
    /// Boxed twice: most rows have none, and a pointer without a length is half as long.
    detail: Option<Box<Box<[u8]>>>,
}

/// What would change, and what it takes to bring the old back.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Detail {
    pub(super) fields: Vec<PreviewField>,
    /// Members of the item that are held otherwise, as they are held.
    pub(super) service_values: Map<String, Value>,
    /// Of a delete some of the rows beside it.
    pub(super) neighbors: Vec<String>,
    /// Why it wasn't compared.
    pub(super) unread: Option<Reason>,
}

impl CachedRows {
    /// Nothing is known of them yet. Shows each that would be sent, in their order.
    pub(super) async fn of(items: &ItemSource, sheet: &str, show: &mut (dyn FnMut(&Value) + Send)) -> Self {
        let mut made = Self::default();
        made.rows.reserve_exact(items.len());
        made.keys.ends.reserve_exact(items.len());
        for place in 0..items.len() {
            if place % MAX_AT_ONCE == 0 {
                tokio::task::yield_now().await;
            }
            items.with(place, |item| {
                made.add(item, sheet);
                if !item.skipped && !item.blocked {
                    show(&item.body);
                }
            });
        }
        made
    }

    fn add(&mut self, item: &Item, sheet: &str) {
        let (place, first) = (self.rows.len(), item.rows.first());
        let kind = match (item.skipped, item.blocked) {
            (true, _) => None,
            (false, true) => Some(PreviewKind::Blocked),
            (false, false) => Some(PreviewKind::Unknown),
        };
        self.keys.push(&item.key);
        if let Some(other) = first.filter(|first| first.sheet != sheet) {
            self.sheets.insert(place, other.sheet.as_str().into());
        }
        if !item.errors.is_empty() {
            self.errors.insert(place, item.errors.clone().into_boxed_slice());
        }
        self.rows.push(CachedRow {
            row: first.map_or(ExcelRow::new(0), |first| first.row),
            rows: u32::try_from(item.rows.len()).unwrap_or(u32::MAX),
            hash: hash(item),
            kind,
            detail: None,
        });
    }

    /// The places of those that would be sent.
    pub(super) fn sent(&self) -> Vec<u32> {
        let is_sent = |row: &CachedRow| row.kind == Some(PreviewKind::Unknown);
        let mut sent = Vec::with_capacity(self.rows.len());
        sent.extend((0..).zip(&self.rows).filter(|(_, row)| is_sent(row)).map(|(place, _)| place));
        sent
    }

    pub(super) fn set(&mut self, place: usize, kind: PreviewKind, detail: &Detail) {
        if let Some(row) = self.rows.get_mut(place) {
            row.set(kind, detail);
        }
    }

    pub(super) fn counts(&self) -> PreviewCounts {
        let mut counts = PreviewCounts::default();
        for (kind, rows) in self.rows.iter().filter_map(|row| Some((row.kind?, row.rows))) {
            counts.count(kind, rows);
        }
        counts
    }

    fn view(&self, sheet: &str, place: usize, words: &Words) -> Option<PreviewRow> {
        let row = self.rows.get(place)?;
        let detail = row.detail();
        Some(PreviewRow {
            sheet: self.sheets.get(&place).map_or(sheet, |sheet| sheet).to_owned(),
            row: row.row,
            rows: row.rows,
            key: self.keys.get(place).to_owned(),
            kind: row.kind?,
            fields: detail.fields,
            reason: detail.unread.map(|reason| reason_text(words, &reason)),
            errors: self.errors.get(&place).map(|errors| errors.to_vec()).unwrap_or_default(),
        })
    }
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

    fn looked(&self, item: &Item, choice: PreviewChoice, deletes: bool) -> Option<ItemComparison> {
        let (change, skip) = match self.kind? {
            PreviewKind::New => (Change::New, false),
            PreviewKind::Changed => (Change::Changed, false),
            PreviewKind::Same | PreviewKind::NotLinked => (Change::Same, !choice.send_same),
            PreviewKind::Conflict => (Change::Conflict, choice.conflicts != ConflictChoice::Send),
            // No copy could be kept of what is deleted.
            PreviewKind::Unknown => (Change::Unknown, deletes && !choice.send_unchecked),
            PreviewKind::Blocked => return None,
        };
        let detail = self.detail();
        let before = match change {
            Change::New | Change::Unknown => None,
            Change::Same if deletes => None,
            Change::Same | Change::Changed | Change::Conflict => {
                let mut body = item.body.clone();
                if let Value::Object(members) = &mut body {
                    members.extend(detail.service_values);
                }
                Some(body)
            }
        };
        Some(ItemComparison { change, before, neighbors: detail.neighbors, skip })
    }
}

impl CachedStep {
    /// Items of one kind, or all; `same` and `left out` are no part of all.
    pub(super) fn page(&self, kind: Option<PreviewKind>, (offset, limit): (u32, u32), words: &Words) -> PreviewPage {
        let of_kind =
            |row: &CachedRow| row.kind.is_some_and(|own| kind.map_or(own != PreviewKind::Same, |kind| own == kind));
        let places = || self.rows.rows.iter().enumerate().filter(|(_, row)| of_kind(row)).map(|(place, _)| place);
        let page = places().skip(offset as usize).take(limit as usize);
        let view = |place| {
            let mut row = self.rows.view(&self.view.sheet, place, words)?;
            if row.kind == PreviewKind::Unknown && row.reason.is_none() {
                row.reason = Some(self.why_unread(words));
            }
            Some(row)
        };
        let rows = page.filter_map(view).collect();
        PreviewPage { total: u32::try_from(places().count()).unwrap_or(u32::MAX), offset, rows }
    }

    /// Why an item wasn't compared of which the read itself said nothing.
    fn why_unread(&self, words: &Words) -> String {
        match &self.view.problem {
            Some(problem) => words.problem_title(problem.code, &problem.parameters),
            None => reason_text(words, &fault_reason(ReadBackFault::NotReadable)),
        }
    }

    /// Tells the items what was seen of them. They must be those that were looked at.
    pub(super) fn mark_items(&self, set: &mut ItemSet, choice: PreviewChoice) -> Result<(), Problem> {
        if !self.is_of(&set.operation, set.items.len()) {
            return Err(Problem::in_the_way("preview-stale"));
        }
        for (place, item) in set.items.iter_mut().enumerate() {
            self.mark_item(place, item, choice)?;
        }
        Ok(())
    }

    /// Likewise one item, by its place.
    pub(super) fn mark_item(&self, place: usize, item: &mut Item, choice: PreviewChoice) -> Result<(), Problem> {
        let row = self.rows.rows.get(place).filter(|row| row.hash == hash(item));
        let row = row.ok_or_else(|| Problem::in_the_way("preview-stale"))?;
        item.looked = row.looked(item, choice, self.deletes).map(Box::new);
        Ok(())
    }

    pub(super) fn is_of(&self, operation: &str, items: usize) -> bool {
        operation == self.view.operation && items == self.rows.rows.len()
    }
}

/// A field as it is shown.
pub(super) fn field(field: String, old: Value, new: Value, conflict: Option<ConflictReason>) -> PreviewField {
    PreviewField { field, old, new, conflict }
}

fn hash(item: &Item) -> u32 {
    let mut hasher = DefaultHasher::new();
    (item.skipped, item.blocked, &item.key).hash(&mut hasher);
    item.rows.hash(&mut hasher);
    item.body.to_string().hash(&mut hasher);
    (hasher.finish() >> u32::BITS) as u32
}
