//! Undo: a submission of its own that puts back what another one changed, as it was before.
//!
//! Owns what can be put back and what can't, and why. Rows that changed since are left alone: the service is read now.
//! What a delete removed is restored only if the contract has an operation for it.

use std::sync::Arc;
use takt_core::ExcelRow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use takt_contract::{Contract, Field, FieldKind, Shape};
use takt_journal::{
    Change, ClaimChoice, ItemDetail, NewSubmission, Reason, Relation, RowResult, SubmissionId, SubmissionOrigin,
    SubmissionRecord, item::NewItem, step::NewStep,
};

use super::{
    PlanView, Submissions,
    draft::Target,
    guard,
    read_back_schedule::ReadBackTiming,
    resolve::{SubmissionReadBack, shown},
    result_reason::{self, because, fault_reason},
};
use takt_browse::read_back::{ReadBackFault, ServiceItem};
use takt_core::blocking::run_blocking;
use takt_core::{Problem, RowId, Words};

const AT_ONCE: u32 = 5_000;
/// Rows that are told one by one.
const MAX_LISTED: usize = 200;

/// What an undo would do. Counts are rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UndoView {
    pub submission: SubmissionId,
    pub site: String,
    pub operation: String,
    /// Rows that it had accepted.
    pub rows: u32,
    /// They are put back as they were.
    pub restored: u32,
    /// They stand as they were before already.
    pub same: u32,
    /// They changed since, or are gone, and are left alone.
    pub changed_since: u32,
    /// It created them, and nothing deletes them.
    pub created: u32,
    /// It deleted them, and the service has no operation that restores them.
    pub deleted: u32,
    /// The workbook of what was deleted: its path. Absent if nothing was deleted, or the workbook is gone.
    pub workbook: Option<String>,
    /// What was there before isn't known, or can't be sent.
    pub unknown: u32,
    /// The first of those that are left alone, with what there is to say.
    #[serde(rename = "told")]
    pub unrestored_rows: Vec<UndoRow>,
}

/// A row that can't be put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UndoRow {
    pub sheet: String,
    pub row: ExcelRow,
    pub key: String,
    pub reasons: Vec<String>,
}

/// What is to be done with one item.
enum UndoAction {
    /// Sends this; the second is what is held now.
    Restore(Value, Value),
    Same,
    ChangedSince(Vec<Reason>),
    Created,
    Deleted,
    Unknown(Reason),
}

/// What is known of the submission that is undone.
struct UndoContext {
    record: SubmissionRecord,
    target: Target,
    shape: Shape,
    read_back: Option<SubmissionReadBack>,
    /// Absent if the contract has no operation that restores what was changed.
    restoring: Option<RestoringOperation>,
}

/// The operation with which earlier values are sent.
struct RestoringOperation {
    id: String,
    shape: Shape,
}

impl Submissions {
    /// Rows that an undo may restore: none if the contract has no operation that restores them.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the contract doesn't know its
    ///   operation any more.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn undoable_rows(&self, id: SubmissionId) -> Result<u32, Problem> {
        let record = self.shared.journal.submission(id)?;
        let contract = self.shared.sites.contract(&record.site)?;
        Target::find(&contract, &record.operation)?;
        match restoring(&contract, &record.operation) {
            Some(_) => Ok(self.shared.journal.rows().with_before(id)?),
            None => Ok(0),
        }
    }

    /// What an undo would do now. Reads the service and changes nothing.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the contract doesn't know its
    ///   operation any more.
    /// - [`Code::AddressChanged`](takt_core::Code::AddressChanged): it went to another address than the site has now.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it is running (`is-running`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): what the site holds now can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub async fn undo_plan(&self, id: SubmissionId) -> Result<UndoView, Problem> {
        let undoing = self.undoing(id)?;
        let words = self.shared.words();
        let mut view = undoing.view();
        self.each_undo(&undoing, |item, way| view.add(&words, &item, &way)).await?;
        if view.deleted > 0 {
            let workbook = self.deleted_workbook(id).await?;
            view.workbook = workbook.map(|workbook| workbook.path);
        }
        Ok(view)
    }

    /// Sends what can be put back as a submission that follows the other; its rows that can't are skipped with the reason. `claimed`:
    /// what is done about rows that other desks of the team are sending.
    ///
    /// # Errors
    ///
    /// As [`Self::undo_plan`]; and [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a
    /// production site, and `confirmed` isn't its name; [`Code::Precondition`](takt_core::Code::Precondition): nothing of it
    /// can be restored now (`nothing-to-undo`), or the service has no operation for it (`no-restore-operation`).
    pub async fn undo(
        &self,
        id: SubmissionId,
        confirmed: Option<&str>,
        claimed: ClaimChoice,
    ) -> Result<PlanView, Problem> {
        let undoing = self.undoing(id)?;
        let Some(restoring) = &undoing.restoring else { return Err(self.no_restore(id).await?) };
        let operation = restoring.id.clone();
        let permit = self.permit_of(id, confirmed)?;
        let mut items = Vec::new();
        self.each_undo(&undoing, |item, way| items.push(new_item(item, way))).await?;
        if items.iter().all(|item| item.skipped) {
            return Err(Problem::in_the_way_of("nothing-to-undo", &[]));
        }
        let shared = Arc::clone(&self.shared);
        let new = NewSubmission {
            operation,
            site: undoing.record.site,
            address: permit.address().clone(),
            file: undoing.record.file,
            hash: undoing.record.hash,
            sheet: undoing.record.sheet,
            batch_size: undoing.record.batch_size,
            at: (shared.clock)(),
            person: shared.person.clone(),
            follows: Some(SubmissionOrigin { submission: id, relation: Relation::Undo }),
            claimed,
            ..NewSubmission::default()
        };
        let plan =
            run_blocking(move || Ok(shared.journal.plans().create(vec![NewStep::new(new, items)], || true)?)).await?;
        let plan = plan.ok_or_else(|| Problem::in_the_way_of("nothing-to-undo", &[]))?;
        self.begin(plan, ReadBackTiming::AtEnd, permit)
    }

    /// Why what a submission deleted can't be restored, with the workbook of it.
    async fn no_restore(&self, id: SubmissionId) -> Result<Problem, Problem> {
        let problem = Problem::in_the_way("no-restore-operation");
        Ok(match self.deleted_workbook(id).await? {
            Some(workbook) => problem.parameter("case", "no-restore").parameter("file", workbook.path),
            None => problem.parameter("case", "no-restore-unsaved"),
        })
    }

    fn undoing(&self, id: SubmissionId) -> Result<UndoContext, Problem> {
        let shared = &self.shared;
        if shared.runs_here(id) {
            return Err(Problem::in_the_way_of("is-running", &[]));
        }
        let record = shared.journal.submission(id)?;
        guard::check_place(&shared.journal, &record)?;
        let contract = shared.sites.contract(&record.site)?;
        let target = Target::find(&contract, &record.operation)?;
        let shape = contract.operation(&record.operation).and_then(|operation| operation.request.clone());
        let shape = shape.ok_or_else(|| Problem::in_the_way_of("not-a-change", &[("operation", &record.operation)]))?;
        let restoring = restoring(&contract, &record.operation);
        let client = shared.sites.client(&record.site)?;
        let looker = SubmissionReadBack::of(shared, &record.operation, &target, &record.site, &client);
        Ok(UndoContext { record, target, shape, read_back: looker, restoring })
    }

    /// Every accepted item with what is to be done, in order.
    async fn each_undo(
        &self,
        undoing: &UndoContext,
        mut see: impl FnMut(ItemDetail, UndoAction),
    ) -> Result<(), Problem> {
        let (id, mut after) = (undoing.record.id, 0);
        loop {
            let shared = Arc::clone(&self.shared);
            let items = run_blocking(move || {
                Ok(shared.journal.rows().item_details(id, RowResult::Accepted, after, AT_ONCE)?)
            })
            .await?;
            let Some(last) = items.last() else { return Ok(()) };
            after = last.number;
            let found = match &undoing.read_back {
                Some(looker) if undoing.needs_read_back(&items) => looker.read(&items).await?,
                _ => vec![ServiceItem::Inconclusive(ReadBackFault::NotReadable); items.len()],
            };
            for (item, found) in items.into_iter().zip(found) {
                let way = undoing.way(&item, &found);
                see(item, way);
            }
        }
    }
}

impl UndoContext {
    fn view(&self) -> UndoView {
        let (site, operation) = (self.record.site.clone(), self.record.operation.clone());
        UndoView {
            submission: self.record.id,
            site,
            operation,
            rows: 0,
            restored: 0,
            same: 0,
            changed_since: 0,
            created: 0,
            deleted: 0,
            workbook: None,
            unknown: 0,
            unrestored_rows: Vec::new(),
        }
    }

    /// Whether what is to be done depends on what the service holds now.
    fn needs_read_back(&self, items: &[ItemDetail]) -> bool {
        if self.target.deletes { self.restoring.is_some() } else { items.iter().any(|item| item.before.is_some()) }
    }

    fn way(&self, item: &ItemDetail, found: &ServiceItem) -> UndoAction {
        if self.target.deletes {
            return self.way_of_deleted(item, found);
        }
        let (before, looker) = match (&item.before, &self.read_back) {
            (Some(before), Some(looker)) => (before, looker),
            (None, _) if item.change == Some(Change::New) => return UndoAction::Created,
            (Some(_), None) => return UndoAction::Unknown(because("not-readable-now", [])),
            (None, _) => return UndoAction::Unknown(because("before-unknown", [])),
        };
        let held = match found {
            ServiceItem::Holds(held) => held,
            ServiceItem::Absent => return UndoAction::ChangedSince(vec![because("gone-since", [])]),
            // It was there when it was accepted, so the status doesn't say that it is gone.
            ServiceItem::ContainerMissing(_) => return UndoAction::Unknown(unread_reason(ReadBackFault::Malformed)),
            ServiceItem::Inconclusive(fault) => return UndoAction::Unknown(unread_reason(*fault)),
        };
        let changed: Vec<&Field> = self.changed(looker, item, before).collect();
        let of = |from: &Value| -> Value {
            let value = |field: &&Field| (field.name.clone(), from.get(&field.name).cloned().unwrap_or_default());
            changed.iter().map(value).collect::<Map<_, _>>().into()
        };
        if changed.is_empty() || looker.read_back.same_state(&of(before), held) {
            return UndoAction::Same;
        }
        let since = looker.read_back.differences(&of(&item.body), held);
        if !since.is_empty() {
            let told = since.into_iter().map(|difference| {
                let (ours, now) = (shown(&difference.sent), shown(&difference.service_value));
                because("changed-since", [("field", difference.field), ("ours", ours), ("now", now)])
            });
            return UndoAction::ChangedSince(told.collect());
        }
        if let Some(list) = looker.read_back.irremovable_lists(&of(before), held).into_iter().next() {
            return UndoAction::Unknown(because("list-only-grows", [("field", list)]));
        }
        match self.restoring(item, (before, held), &changed) {
            Ok(body) => UndoAction::Restore(body, held.clone()),
            Err(reason) => UndoAction::Unknown(reason),
        }
    }

    /// An item that was deleted: it is sent again as it was, if the service still lacks it.
    fn way_of_deleted(&self, item: &ItemDetail, found: &ServiceItem) -> UndoAction {
        let Some(restoring) = &self.restoring else { return UndoAction::Deleted };
        match found {
            ServiceItem::Holds(_) => UndoAction::Same,
            ServiceItem::ContainerMissing(_) => UndoAction::Unknown(unread_reason(ReadBackFault::Malformed)),
            ServiceItem::Inconclusive(fault) => UndoAction::Unknown(unread_reason(*fault)),
            ServiceItem::Absent => {
                let before = |name: &String| item.before.as_ref().and_then(|before| before.get(name));
                let fields = restoring.shape.fields.iter().filter_map(|Field { name, .. }| {
                    let value = item.body.get(name).or_else(|| before(name))?;
                    Some((name.clone(), value.clone()))
                });
                UndoAction::Restore(Value::Object(fields.collect()), Value::Null)
            }
        }
    }

    /// The fields that it had changed.
    fn changed<'a>(
        &'a self,
        looker: &'a SubmissionReadBack,
        item: &'a ItemDetail,
        before: &'a Value,
    ) -> impl Iterator<Item = &'a Field> {
        self.shape.fields.iter().filter(|field| {
            let sent = item.body.get(&field.name).filter(|_| !self.target.key.contains(&field.name));
            sent.is_some_and(|sent| {
                let one = |value: Value| Value::Object(Map::from_iter([(field.name.clone(), value)]));
                let was = before.get(&field.name).cloned();
                was.is_some_and(|was| !looker.read_back.same(&one(sent.clone()), &one(was)))
            })
        })
    }

    /// The key, what was changed, as it was, and as it stands now what every item must have and what else was sent then: a
    /// document may not say all that its service asks for, and this item was accepted with these fields.
    fn restoring(
        &self,
        item: &ItemDetail,
        (before, held): (&Value, &Value),
        changed: &[&Field],
    ) -> Result<Value, Reason> {
        let mut body = Map::new();
        for field in &self.shape.fields {
            let name = &field.name;
            let value = if self.target.key.contains(name) {
                item.body.get(name).cloned()
            } else if changed.iter().any(|changed| changed.name == *name) {
                Some(as_it_was(field, before.get(name))?)
            } else if field.required {
                held.get(name).or_else(|| item.body.get(name)).cloned()
            } else if item.body.get(name).is_some() && is_plain(field.kind) {
                held.get(name).filter(|value| !value.is_null()).cloned()
            } else {
                None
            };
            if let Some(value) = value {
                body.insert(name.clone(), value);
            }
        }
        Ok(Value::Object(body))
    }
}

/// The operation of the contract that restores what this one changed.
fn restoring(contract: &Contract, operation: &str) -> Option<RestoringOperation> {
    let restoring = contract.restoring_operation(contract.operation(operation)?)?;
    Some(RestoringOperation { id: restoring.id.clone(), shape: restoring.request.clone()? })
}

/// Why a row stays as it is if a read doesn't prove its current value.
fn unread_reason(fault: ReadBackFault) -> Reason {
    match fault {
        ReadBackFault::Malformed
        | ReadBackFault::Refused(_)
        | ReadBackFault::ContainerLost(_)
        | ReadBackFault::LostItems
        | ReadBackFault::Incomplete(_) => fault_reason(fault),
        ReadBackFault::MissingKey | ReadBackFault::NotReadable | ReadBackFault::NotShown => {
            because("not-readable-now", [])
        }
    }
}

/// Parts are read with more members than they are sent with.
fn is_plain(kind: FieldKind) -> bool {
    !matches!(kind, FieldKind::List | FieldKind::Object)
}

/// A value that can be sent; where there was none, what the contract lets stand for it.
fn as_it_was(field: &Field, before: Option<&Value>) -> Result<Value, Reason> {
    match before {
        Some(before) if !before.is_null() => Ok(before.clone()),
        _ if field.nullable => Ok(Value::Null),
        _ if field.kind == FieldKind::List => Ok(Value::Array(Vec::new())),
        _ if field.kind == FieldKind::Text && !field.required => Ok(Value::String(String::new())),
        _ => Err(because("cannot-be-emptied", [("field", field.name.clone())])),
    }
}

fn new_item(item: ItemDetail, way: UndoAction) -> NewItem {
    let (body, before, reasons) = match way {
        UndoAction::Restore(body, held) => {
            let change = Some(Change::Changed);
            return NewItem { rows: item.rows, key: item.key, body, change, before: Some(held), ..NewItem::default() };
        }
        other => (item.body, item.before, other.reasons()),
    };
    NewItem { rows: item.rows, key: item.key, body, skipped: true, reasons, before, ..NewItem::default() }
}

impl UndoAction {
    /// Why it isn't put back.
    fn reasons(self) -> Vec<Reason> {
        match self {
            Self::Restore(..) => Vec::new(),
            Self::Same => vec![because("as-before", [])],
            Self::ChangedSince(reasons) => reasons,
            Self::Created => vec![because("created-stays", [])],
            Self::Deleted => vec![because("deleted-stays", [])],
            Self::Unknown(reason) => vec![reason],
        }
    }
}

impl UndoView {
    fn add(&mut self, words: &Words, item: &ItemDetail, way: &UndoAction) {
        let rows = u32::try_from(item.rows.len()).unwrap_or(u32::MAX);
        self.rows += rows;
        let deleted = because("deleted-stays", []);
        let (count, reasons): (&mut u32, &[Reason]) = match way {
            UndoAction::Restore(..) => (&mut self.restored, &[]),
            UndoAction::Same => (&mut self.same, &[]),
            UndoAction::ChangedSince(reasons) => (&mut self.changed_since, reasons),
            UndoAction::Created => (&mut self.created, &[]),
            UndoAction::Deleted => (&mut self.deleted, std::slice::from_ref(&deleted)),
            UndoAction::Unknown(reason) => (&mut self.unknown, std::slice::from_ref(reason)),
        };
        *count += rows;
        let Some((sheet, row)) =
            item.rows.first().filter(|_| !reasons.is_empty() && self.unrestored_rows.len() < MAX_LISTED)
        else {
            return;
        };
        let reasons = reasons.iter().map(|reason| result_reason::text(words, reason)).collect();
        let RowId { sheet, row } = RowId { sheet: sheet.clone(), row: ExcelRow::new(*row) };
        self.unrestored_rows.push(UndoRow { sheet, row, key: item.key.clone(), reasons });
    }
}
