//! One step's items, each beside what the service holds.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use serde_json::{Map, Value};
use takt_client::{Canceller, Client, ClientError};
use takt_contract::{Contract, OperationKind};

use super::{
    alarms::Alarms,
    storage::{CachedRows, CachedStep, Detail, field},
    view::{ChangedField, ConflictReason, PreviewCounts, PreviewField, PreviewKind, PreviewProgress, PreviewStep},
};
use takt_browse::{
    browse::{ExportSnapshot, SnapshotIndex},
    read_back::{ItemIndex, ReadBack, ReadBackFault, ReadBackItems, ReadBackObserver, ReadBackResult, ServiceItem},
};
use takt_core::Problem;
use takt_import::{ItemSet, ItemSource};
use takt_sites::Sites;

use crate::result_reason::fault_reason;

/// So many new items of a step are kept with what they are created with; of further ones only that they are new.
const MAX_CREATED: u32 = 20_000;

/// Who asks, and where.
pub(super) struct ComparisonContext<'a> {
    pub contract: &'a Contract,
    pub(super) client: &'a Client,
    pub(super) site: &'a str,
    pub(super) sites: &'a Arc<Sites>,
    pub(super) canceller: &'a Canceller,
    /// What the workbook remembers, where it is an export of this site.
    pub(super) exported: Option<&'a ExportSnapshot>,
}

impl ComparisonContext<'_> {
    pub(super) async fn step(
        &self,
        set: &ItemSet,
        items: &ItemSource,
        progress: &mut (dyn FnMut(PreviewProgress) + Send),
    ) -> Result<CachedStep, ClientError> {
        let contract = self.contract;
        let back = ReadBack::of(contract, &set.operation).map(|back| back.at_site(self.sites, self.site));
        let operation = contract.operation(&set.operation);
        let deletes = operation.is_some_and(|operation| operation.kind == OperationKind::Delete);
        let unshown_key = back.as_ref().zip(operation).map(|(back, operation)| back.unshown_key(&operation.key));
        let back = if deletes { back.map(ReadBack::with_neighbors) } else { back };
        let mut index = back.as_ref().map(|back| back.index(items.len()));
        let mut note = |body: &Value| index.iter_mut().for_each(|index| index.add(body));
        let mut rows = CachedRows::of(items, &set.sheet, &mut note).await;
        let mut step = PreviewStep {
            sheet: set.sheet.clone(),
            operation: set.operation.clone(),
            deletes,
            list: back.as_ref().map(|back| back.list().to_owned()),
            unshown_key: unshown_key.unwrap_or_default(),
            problem: None,
            counts: PreviewCounts::default(),
            fields: Vec::new(),
            alarms: Vec::new(),
            requests: 0,
        };
        if let (Some(back), Some(index)) = (&back, index) {
            let index = index.finish();
            let limited = back.limited_to(&index);
            let remembered = self.exported.and_then(|exported| exported.by(back));
            // Of what is deleted all is shown, and what a workbook remembers is held against all.
            let back = if deletes || remembered.is_some() { back } else { &limited };
            let beside = ItemComparer { back, deletes, remembered };
            match self.beside(&beside, (items, index), (&mut rows, &mut step), progress).await {
                Ok(None) => {}
                Ok(Some(fault)) => step.problem = Some(Problem::of_read_back(self.site, fault.into())),
                // A list that can't be read doesn't keep the other rows and steps from being compared.
                Err(error) if error.status().is_some() => step.problem = Some(Problem::of_read_back(self.site, error)),
                Err(error) => return Err(error),
            }
        }
        step.counts = rows.counts();
        Ok(CachedStep { view: step, deletes, rows })
    }

    async fn beside(
        &self,
        beside: &ItemComparer<'_>,
        (items, index): (&ItemSource, ItemIndex),
        (rows, step): (&mut CachedRows, &mut PreviewStep),
        progress: &mut (dyn FnMut(PreviewProgress) + Send),
    ) -> Result<Option<ReadBackFault>, ClientError> {
        let asked = SentItems { items, places: rows.sent() };
        let mut alarms = Alarms::new(beside.back, asked.count());
        let mut fields: BTreeMap<String, u32> = BTreeMap::new();
        let mut created = 0;
        let mut fault = None;
        let mut see = |at: usize, told: ReadBackResult| {
            let Some(&place) = asked.places.get(at) else { return };
            if let ServiceItem::Inconclusive(found) = told.item
                && found.is_transient()
            {
                fault.get_or_insert(found);
            }
            let mut told = Some(told);
            let mut seen = None;
            asked.with(at, &mut |body| {
                let Some(told) = told.take() else { return };
                if let ServiceItem::Holds(held) = &told.item {
                    alarms.see(at, body, held);
                }
                let (kind, mut detail) = beside.judge(body, told);
                if kind == PreviewKind::New && created < MAX_CREATED {
                    created += 1;
                    detail.fields = beside.creation(body);
                } else {
                    for path in changed(&detail) {
                        *fields.entry(path).or_default() += 1;
                    }
                }
                seen = Some((kind, detail));
            });
            if let Some((kind, detail)) = seen {
                rows.set(place as usize, kind, &detail);
            }
        };
        let (mut requests, sheet) = (0, step.sheet.clone());
        let mut tell = |now: takt_browse::read_back::ReadProgress| {
            requests = now.requests;
            progress(PreviewProgress { sheet: sheet.clone(), requests, of: now.of });
        };
        let mut along = ReadBackObserver { on_item: &mut see, on_progress: &mut tell };
        let read = beside.back.each_of(self.client, (&asked, index), self.canceller, &mut along).await;
        step.requests = requests;
        step.fields = fields.into_iter().map(|(field, rows)| ChangedField { field, rows }).collect();
        step.fields.sort_by_key(|field| std::cmp::Reverse(field.rows));
        step.alarms = if beside.deletes { Vec::new() } else { alarms.previews(&step.fields) };
        read.map(|()| fault)
    }
}

/// The items of a step that would be sent, by their order among these.
struct SentItems<'a> {
    items: &'a ItemSource,
    /// Their places among all.
    places: Vec<u32>,
}

impl ReadBackItems for SentItems<'_> {
    fn count(&self) -> usize {
        self.places.len()
    }

    fn with(&self, place: usize, look: &mut dyn FnMut(&Value)) {
        if let Some(&place) = self.places.get(place) {
            self.items.with(place as usize, |item| look(&item.body));
        }
    }
}

/// The fields that change, each once, parts of lists without their keys.
fn changed(detail: &Detail) -> Vec<String> {
    let mut paths: Vec<String> = detail.fields.iter().map(|field| without_keys(&field.field)).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// `rawMaterials[M-1].quantity` is `rawMaterials.quantity`.
pub(super) fn without_keys(path: &str) -> String {
    match (path.find('['), path.rfind(']')) {
        (Some(from), Some(to)) if from < to => {
            format!("{}{}", path.get(..from).unwrap_or_default(), path.get(to + 1..).unwrap_or_default())
        }
        _ => path.to_owned(),
    }
}

/// Holds an item that is sent against what the service shows of it.
pub(super) struct ItemComparer<'a> {
    pub(super) back: &'a ReadBack,
    pub(super) deletes: bool,
    pub(super) remembered: Option<SnapshotIndex<'a>>,
}

impl ItemComparer<'_> {
    pub(super) fn judge(&self, sent: &Value, told: ReadBackResult) -> (PreviewKind, Detail) {
        match told.item {
            ServiceItem::Inconclusive(fault) => {
                (PreviewKind::Unknown, Detail { unread: Some(fault_reason(fault)), ..Detail::default() })
            }
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) if self.deletes => {
                (PreviewKind::NotLinked, Detail::default())
            }
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) => (PreviewKind::New, Detail::default()),
            ServiceItem::Holds(held) if self.deletes => {
                let members = held.as_object().cloned().unwrap_or_default();
                let fields = members.into_iter().map(|(name, old)| field(name, old, Value::Null, None));
                (
                    PreviewKind::Changed,
                    Detail { fields: fields.collect(), neighbors: told.neighbors, ..Detail::default() },
                )
            }
            ServiceItem::Holds(held) => self.changes(sent, &held, &told.locked),
        }
    }

    /// What a new item is created with, its key aside.
    pub(super) fn creation(&self, sent: &Value) -> Vec<PreviewField> {
        let members = sent.as_object().into_iter().flatten();
        let nothing: Map<String, Value> = members
            .map(|(name, value)| (name.clone(), if self.back.is_key(name) { value.clone() } else { Value::Null }))
            .collect();
        let fields = self.back.differences(sent, &Value::Object(nothing)).into_iter();
        fields.map(|made| field(made.field, Value::Null, made.sent, None)).collect()
    }

    /// The fields that the service holds otherwise than when the workbook was exported.
    fn changed_since(&self, sent: &Value, held: &Value) -> HashSet<String> {
        let then = self.remembered.as_ref().and_then(|remembered| remembered.of(sent));
        let changes = then.map(|then| self.back.state_differences(held, &then)).unwrap_or_default();
        changes.into_iter().map(|change| change.field).collect()
    }

    fn changes(&self, sent: &Value, held: &Value, locked: &[String]) -> (PreviewKind, Detail) {
        let mut detail = Detail::default();
        let mut kind = PreviewKind::Same;
        let since = self.changed_since(sent, held);
        for difference in self.back.differences(sent, held) {
            let conflict = if self.back.is_locked(&difference, sent, locked) {
                Some(ConflictReason::Locked)
            } else {
                since.contains(&difference.field).then_some(ConflictReason::ChangedSince)
            };
            kind = if conflict.is_some() { PreviewKind::Conflict } else { kind.max_change() };
            let member = difference.field.split(['[', '.']).next().unwrap_or_default();
            if let Some(old) = held.get(member) {
                detail.service_values.insert(member.to_owned(), old.clone());
            }
            detail.fields.push(field(difference.field, difference.service_value, difference.sent, conflict));
        }
        (kind, detail)
    }
}

impl PreviewKind {
    /// A conflict stays one.
    fn max_change(self) -> Self {
        if self == Self::Conflict { self } else { Self::Changed }
    }
}
