//! Compares a step's items with the service's data, and recreates stored comparisons.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use serde_json::{Map, Value};
use takt_browse::{
    lists::{ExportSnapshot, SnapshotIndex},
    read_back::{
        ItemIndex, ReadBack, ReadBackFault, ReadBackItems, ReadBackObserver, ReadBackResult, ReadProgress, ServiceItem,
    },
};
use takt_client::{Canceller, Client, ClientError};
use takt_contract::{Contract, Operation, OperationKind, RowSchema};
use takt_core::{Change, ExcelRow, Problem};
use takt_import::{ItemSet, ItemSource};
use takt_journal::ItemDetail;
use takt_sites::Sites;

use super::{
    alarms::AlarmFinder,
    storage::{CachedRows, CachedStep, Detail, preview_field, previous_values},
    view::{
        ChangedField, ConflictReason, PreviewCounts, PreviewField, PreviewKind, PreviewProgress, PreviewRow,
        PreviewStep,
    },
};
use crate::{
    restoring::{ChangedItem, RestoringOperation},
    result_reason::fault_reason,
};

/// The created fields of further new items of a step aren't stored.
const MAX_CREATED: u32 = 20_000;

/// The site, its client and contract for comparing an import's steps.
pub(super) struct ComparisonContext<'a> {
    pub(super) contract: &'a Contract,
    pub(super) client: &'a Client,
    pub(super) site: &'a str,
    /// The site's IANA time zone.
    pub(super) time_zone: &'a str,
    pub(super) sites: &'a Arc<Sites>,
    pub(super) canceller: &'a Canceller,
    /// The snapshot in the workbook if it is an export of this site.
    pub(super) exported: Option<&'a ExportSnapshot>,
}

impl ComparisonContext<'_> {
    pub(super) async fn compare_step(
        &self,
        set: &ItemSet,
        items: &ItemSource,
        progress: &mut (dyn FnMut(PreviewProgress) + Send),
    ) -> Result<CachedStep, ClientError> {
        let contract = self.contract;
        let read_back = ReadBack::for_operation(contract, &set.operation)
            .map(|read_back| read_back.with_site(self.sites, self.site, self.time_zone));
        let operation = contract.operation(&set.operation);
        let deletes = operation.is_some_and(|operation| operation.kind == OperationKind::Delete);
        let unshown_key = read_back
            .as_ref()
            .zip(operation)
            .map(|(read_back, operation)| read_back.unshown_key_members(&operation.key));
        let read_back = if deletes { read_back.map(ReadBack::with_neighbors) } else { read_back };
        let mut index = read_back.as_ref().map(|read_back| read_back.index_builder(items.len()));
        let mut on_sent_item = |body: &Value| index.iter_mut().for_each(|index| index.add(body));
        let mut rows = CachedRows::from_items(items, &set.sheet, &mut on_sent_item).await;
        let mut step = PreviewStep {
            sheet: set.sheet.clone(),
            operation: set.operation.clone(),
            deletes,
            list: read_back.as_ref().map(|read_back| read_back.list().to_owned()),
            unshown_key: unshown_key.unwrap_or_default(),
            problem: None,
            counts: PreviewCounts::default(),
            fields: Vec::new(),
            alarms: Vec::new(),
            requests: 0,
            undoable_changes: 0,
            undoable_conflicts: 0,
        };
        if let (Some(read_back), Some(index)) = (&read_back, index) {
            let index = index.finish();
            let limited = read_back.limited_to(&index);
            let exported_rows = self.exported.and_then(|exported| exported.index(read_back));
            // For deletes the complete rows are shown, and a snapshot is compared with complete rows.
            let read_back = if deletes || exported_rows.is_some() { read_back } else { &limited };
            let undo = operation.and_then(|operation| UndoForecast::for_operation(contract, operation, read_back));
            let comparer = ItemComparer { read_back, deletes, exported_rows, undo };
            match self.compare_items(&comparer, items, index, &mut rows, &mut step, progress).await {
                Ok(None) => {}
                Ok(Some(fault)) => step.problem = Some(Problem::from_read_back_error(self.site, fault.into())),
                // A list that can't be read mustn't prevent the comparison of other rows and steps.
                Err(error) if error.status().is_some() => {
                    step.problem = Some(Problem::from_read_back_error(self.site, error))
                }
                Err(error) => return Err(error),
            }
        }
        step.counts = rows.counts();
        Ok(CachedStep { view: step, deletes, rows })
    }

    async fn compare_items(
        &self,
        comparer: &ItemComparer<'_>,
        items: &ItemSource,
        index: ItemIndex,
        rows: &mut CachedRows,
        step: &mut PreviewStep,
        progress: &mut (dyn FnMut(PreviewProgress) + Send),
    ) -> Result<Option<ReadBackFault>, ClientError> {
        let sent = SentItems { items, indexes: rows.sent_indexes() };
        let mut alarms = AlarmFinder::new(comparer.read_back, sent.count());
        let mut fields: BTreeMap<String, u32> = BTreeMap::new();
        let mut created = 0;
        let mut fault = None;
        let (mut undoable_changes, mut undoable_conflicts) = (0, 0);
        let mut on_item = |position: usize, result: ReadBackResult| {
            let Some(&index) = sent.indexes.get(position) else { return };
            if let ServiceItem::Inconclusive(item_fault) = result.item
                && item_fault.is_transient()
            {
                fault.get_or_insert(item_fault);
            }
            let mut result = Some(result);
            let mut comparison = None;
            sent.with_body(position, &mut |body| {
                let Some(result) = result.take() else { return };
                if let ServiceItem::Present(existing) = &result.item {
                    alarms.add_item(position, body, existing);
                }
                let (kind, mut detail) = comparer.classify(body, result);
                let undoable = match kind {
                    PreviewKind::Changed => Some(&mut undoable_changes),
                    PreviewKind::Conflict => Some(&mut undoable_conflicts),
                    _ => None,
                };
                if let Some(undoable) = undoable
                    && comparer.undo.as_ref().is_some_and(|undo| undo.is_undoable(body, &detail))
                {
                    *undoable += rows.row_count(index as usize);
                }
                if kind == PreviewKind::New && created < MAX_CREATED {
                    created += 1;
                    detail.fields = comparer.created_fields(body);
                } else {
                    for path in changed_paths(&detail) {
                        *fields.entry(path).or_default() += 1;
                    }
                }
                comparison = Some((kind, detail));
            });
            if let Some((kind, detail)) = comparison {
                rows.set(index as usize, kind, &detail);
            }
        };
        let (mut requests, sheet) = (0, step.sheet.clone());
        let mut on_progress = |now: ReadProgress| {
            requests = now.requests;
            progress(PreviewProgress { sheet: sheet.clone(), requests, of: now.total });
        };
        let mut observer = ReadBackObserver { on_item: &mut on_item, on_progress: &mut on_progress };
        let read = comparer.read_back.read_indexed(self.client, &sent, index, self.canceller, &mut observer).await;
        step.requests = requests;
        (step.undoable_changes, step.undoable_conflicts) = (undoable_changes, undoable_conflicts);
        step.fields = fields.into_iter().map(|(field, rows)| ChangedField { field, rows }).collect();
        step.fields.sort_by_key(|field| std::cmp::Reverse(field.rows));
        step.alarms = if comparer.deletes { Vec::new() } else { alarms.find_alarms(&step.fields) };
        read.map(|()| fault)
    }
}

/// The items of a step that would be sent.
struct SentItems<'a> {
    items: &'a ItemSource,
    /// Their indexes among all items.
    indexes: Vec<u32>,
}

impl ReadBackItems for SentItems<'_> {
    fn count(&self) -> usize {
        self.indexes.len()
    }

    fn with_body(&self, position: usize, visit: &mut dyn FnMut(&Value)) {
        if let Some(&index) = self.indexes.get(position) {
            self.items.with_item(index as usize, |item| visit(&item.body));
        }
    }
}

/// Returns the paths of the changed fields, each once and without the keys of list entries.
fn changed_paths(detail: &Detail) -> Vec<String> {
    let mut paths: Vec<String> = detail.fields.iter().map(|field| without_keys(&field.field)).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Removes keys: `rawMaterials[M-1].quantity` becomes `rawMaterials.quantity`.
fn without_keys(path: &str) -> String {
    match (path.find('['), path.rfind(']')) {
        (Some(from), Some(to)) if from < to => {
            format!("{}{}", path.get(..from).unwrap_or_default(), path.get(to + 1..).unwrap_or_default())
        }
        _ => path.to_owned(),
    }
}

/// Predicts which changes of a step could be undone.
struct UndoForecast<'a> {
    operation: &'a Operation,
    schema: &'a RowSchema,
    read_back: &'a ReadBack,
}

impl<'a> UndoForecast<'a> {
    /// Returns `None` for deletes, and if nothing restores the operation's changes.
    fn for_operation(contract: &Contract, operation: &'a Operation, read_back: &'a ReadBack) -> Option<Self> {
        let schema = operation.request.as_ref().filter(|_| operation.kind != OperationKind::Delete)?;
        RestoringOperation::find(contract, &operation.id)?;
        Some(Self { operation, schema, read_back })
    }

    fn is_undoable(&self, sent: &Value, detail: &Detail) -> bool {
        let before = previous_values(sent, detail);
        let (schema, key, read_back) = (self.schema, &self.operation.key, self.read_back);
        ChangedItem { schema, key, read_back, sent, before: &before }.can_be_restored()
    }
}

/// Compares sent items with the service's data.
struct ItemComparer<'a> {
    read_back: &'a ReadBack,
    deletes: bool,
    exported_rows: Option<SnapshotIndex<'a>>,
    /// Absent if nothing restores the operation's changes.
    undo: Option<UndoForecast<'a>>,
}

impl ItemComparer<'_> {
    fn classify(&self, sent: &Value, result: ReadBackResult) -> (PreviewKind, Detail) {
        match result.item {
            ServiceItem::Inconclusive(fault) => {
                (PreviewKind::Unknown, Detail { unread: Some(fault_reason(fault)), ..Detail::default() })
            }
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) if self.deletes => {
                (PreviewKind::NotLinked, Detail::default())
            }
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) => (PreviewKind::New, Detail::default()),
            ServiceItem::Present(existing) if self.deletes => {
                let members = existing.as_object().cloned().unwrap_or_default();
                let fields = members.into_iter().map(|(name, old)| preview_field(name, old, Value::Null, None));
                (
                    PreviewKind::Changed,
                    Detail { fields: fields.collect(), neighbors: result.neighbors, ..Detail::default() },
                )
            }
            ServiceItem::Present(existing) => self.compare_fields(sent, &existing, &result.locked),
        }
    }

    /// Returns the fields of a new item except for its key.
    fn created_fields(&self, sent: &Value) -> Vec<PreviewField> {
        let members = sent.as_object().into_iter().flatten();
        let key_only: Map<String, Value> = members
            .map(|(name, value)| (name.clone(), if self.read_back.is_key(name) { value.clone() } else { Value::Null }))
            .collect();
        let fields = self.read_back.differences(sent, &Value::Object(key_only)).into_iter();
        fields.map(|difference| preview_field(difference.field, Value::Null, difference.sent, None)).collect()
    }

    /// Returns the fields that have changed on the service since the workbook was exported.
    fn changed_since_export(&self, sent: &Value, existing: &Value) -> HashSet<String> {
        let exported = self.exported_rows.as_ref().and_then(|exported_rows| exported_rows.find_item(sent));
        let changes =
            exported.map(|exported| self.read_back.state_differences(existing, &exported)).unwrap_or_default();
        changes.into_iter().map(|change| change.field).collect()
    }

    fn compare_fields(&self, sent: &Value, existing: &Value, locked: &[String]) -> (PreviewKind, Detail) {
        let mut detail = Detail::default();
        let mut kind = PreviewKind::Same;
        let changed_since = self.changed_since_export(sent, existing);
        for difference in self.read_back.differences(sent, existing) {
            let conflict = if self.read_back.is_locked(&difference, sent, locked) {
                Some(ConflictReason::Locked)
            } else {
                changed_since.contains(&difference.field).then_some(ConflictReason::ChangedSince)
            };
            kind = if conflict.is_some() { PreviewKind::Conflict } else { kind.max_change() };
            let member = difference.field.split(['[', '.']).next().unwrap_or_default();
            if let Some(old) = existing.get(member) {
                detail.service_values.insert(member.to_owned(), old.clone());
            }
            detail.fields.push(preview_field(difference.field, difference.service_value, difference.sent, conflict));
        }
        (kind, detail)
    }
}

impl PreviewKind {
    /// Raises the kind to changed, unless it is a conflict.
    fn max_change(self) -> Self {
        if self == Self::Conflict { self } else { Self::Changed }
    }
}

/// Recreates the preview of a stored item from its stored comparison. `read_back` is absent if no list shows the
/// operation's changes.
pub(crate) fn preview_stored_item(read_back: Option<&ReadBack>, deletes: bool, item: &ItemDetail) -> PreviewRow {
    let kind = preview_kind(item.change, deletes);
    let first = item.rows.first();
    PreviewRow {
        sheet: first.map(|(sheet, _)| sheet.clone()).unwrap_or_default(),
        row: ExcelRow::new(first.map_or(0, |(_, row)| *row)),
        rows: u32::try_from(item.rows.len()).unwrap_or(u32::MAX),
        key: item.key.clone(),
        kind,
        fields: stored_fields(read_back, deletes, kind, item),
        errors: Vec::new(),
        reason: None,
    }
}

fn stored_fields(
    read_back: Option<&ReadBack>,
    deletes: bool,
    kind: PreviewKind,
    item: &ItemDetail,
) -> Vec<PreviewField> {
    let Some(read_back) = read_back else { return all_fields(&item.body, deletes) };
    let comparer = ItemComparer { read_back, deletes, exported_rows: None, undo: None };
    match &item.before {
        Some(before) => {
            let result = ReadBackResult::from_item(ServiceItem::Present(before.clone()));
            comparer.classify(&item.body, result).1.fields
        }
        None if deletes || kind == PreviewKind::Same => Vec::new(),
        // The values to be sent are shown, even if the service's items are unknown.
        None => comparer.created_fields(&item.body),
    }
}

fn all_fields(body: &Value, deletes: bool) -> Vec<PreviewField> {
    let members = body.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let fields = members.map(|(name, value)| match deletes {
        true => preview_field(name.clone(), value.clone(), Value::Null, None),
        false => preview_field(name.clone(), Value::Null, value.clone(), None),
    });
    fields.collect()
}

/// Returns the preview kind of a stored change. A delete without changes has nothing to delete.
pub(crate) fn preview_kind(change: Option<Change>, deletes: bool) -> PreviewKind {
    match change {
        Some(Change::Same) if deletes => PreviewKind::NotLinked,
        Some(Change::New) => PreviewKind::New,
        Some(Change::Changed) => PreviewKind::Changed,
        Some(Change::Same) => PreviewKind::Same,
        Some(Change::Conflict) => PreviewKind::Conflict,
        Some(Change::Unknown) | None => PreviewKind::Unknown,
    }
}
