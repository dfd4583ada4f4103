//! Undoes a submission by a new one that restores the earlier values.
//!
//! Decides which rows can be restored, and why others can't. The service is read first, and rows that have changed
//! since aren't touched. Deleted rows are restored only if the contract has an operation for it.

use std::sync::Arc;
use takt_core::ExcelRow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use takt_contract::{Field, FieldKind, RowSchema};
use takt_journal::{
    Change, ClaimChoice, ItemDetail, NewSubmission, Reason, Relation, RowResult, SubmissionId, SubmissionOrigin,
    SubmissionRecord, item::NewItem,
};

use super::{
    change_operation::ChangeOperation,
    guard,
    read_back::{SubmissionReadBack, format_value},
    runner::ReadBackTiming,
    submissions_state::Submissions,
    view::PlanView,
};
use crate::{
    restoring::{ChangedItem, RestoringOperation, pick_fields, restored_value},
    result_reason::{self, coded_reason, fault_reason},
};
use takt_browse::read_back::{ReadBackFault, ServiceItem};
use takt_core::blocking::run_blocking;
use takt_core::{Problem, RowId, Words};
use takt_sites::SiteConnection;

const PAGE_SIZE: u32 = 5_000;
/// Limits the listed rows that wouldn't be restored. The counts include all of them.
const MAX_LISTED: usize = 200;

/// The preview of an undo. Counts are rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UndoView {
    pub submission: SubmissionId,
    pub site: String,
    pub operation: String,
    /// The accepted rows of the submission.
    pub rows: u32,
    /// Rows that would be restored.
    pub restored: u32,
    /// Rows that already have the earlier values.
    pub same: u32,
    /// Rows that have changed since or are gone, and aren't touched.
    pub changed_since: u32,
    /// Rows that were created, and that no operation deletes.
    pub created: u32,
    /// Rows that were deleted, and that no operation restores.
    pub deleted: u32,
    /// The path of the workbook with deleted rows. Absent if nothing was deleted or the workbook is missing.
    pub workbook: Option<String>,
    /// Rows whose earlier values aren't known or can't be sent.
    pub unknown: u32,
    /// The first rows that wouldn't be restored, with the reasons.
    #[serde(rename = "told")]
    pub unrestored_rows: Vec<UndoRow>,
}

/// A row that can't be restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UndoRow {
    pub sheet: String,
    pub row: ExcelRow,
    pub key: String,
    pub reasons: Vec<String>,
}

/// The action that undoes one item.
enum UndoAction {
    /// Send the first value. The second is the service's current value.
    Restore(Value, Value),
    Same,
    ChangedSince(Vec<Reason>),
    Created,
    Deleted,
    Unknown(Reason),
}

/// The submission to undo, with the operations for it.
struct UndoContext {
    record: SubmissionRecord,
    connection: SiteConnection,
    target: ChangeOperation,
    schema: RowSchema,
    read_back: Option<SubmissionReadBack>,
    /// Absent if the contract has no operation that restores the changes.
    restoring: Option<RestoringOperation>,
}

impl Submissions {
    /// Returns the number of rows that an undo may restore. It is 0 if the contract has no operation for it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the contract no longer has its
    ///   operation.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn undoable_rows(&self, id: SubmissionId) -> Result<u32, Problem> {
        let record = self.shared.journal.submission(id)?;
        let contract = self.shared.sites.contract(&record.site)?;
        ChangeOperation::find(&contract, &record.operation)?;
        match RestoringOperation::find(&contract, &record.operation) {
            Some(_) => Ok(self.shared.journal.rows().count_restorable(id)?),
            None => Ok(0),
        }
    }

    /// Previews an undo. Reads from the service and changes nothing.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the contract no longer has its
    ///   operation.
    /// - [`Code::AddressChanged`](takt_core::Code::AddressChanged): the submission went to another address than the
    ///   site has now.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the submission is running (`is-running`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): the site's current values can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub async fn preview_undo(&self, id: SubmissionId) -> Result<UndoView, Problem> {
        let ctx = self.run_blocking(move |submissions| submissions.undo_context(id)).await?;
        let words = self.shared.words();
        let mut view = ctx.view();
        self.for_each_action(&ctx, |item, action| view.add(&words, &item, &action)).await?;
        if view.deleted > 0 {
            let workbook = self.deleted_workbook(id).await?;
            view.workbook = workbook.map(|workbook| workbook.path);
        }
        Ok(view)
    }

    /// Undoes a submission with a new one that follows it. Rows that can't be restored are skipped with the reason.
    ///
    /// `claimed` decides about rows that other desks of the team are sending.
    ///
    /// # Errors
    ///
    /// - The errors of [`Self::preview_undo`].
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and
    ///   `confirmed` isn't its name.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no row can be restored now (`nothing-to-undo`), or the
    ///   service has no operation for it (`no-restore-operation`).
    pub async fn undo(
        &self,
        id: SubmissionId,
        confirmed: Option<&str>,
        claimed: ClaimChoice,
    ) -> Result<PlanView, Problem> {
        let confirmed = confirmed.map(str::to_owned);
        let (ctx, permit) = self
            .run_blocking(move |submissions| {
                Ok((submissions.undo_context(id)?, submissions.request_permit(id, confirmed.as_deref())))
            })
            .await?;
        let Some(restoring) = &ctx.restoring else { return Err(self.no_restore_problem(id).await?) };
        let operation = restoring.id.clone();
        let permit = permit?;
        let mut items = Vec::new();
        self.for_each_action(&ctx, |item, action| items.push(to_new_item(item, action))).await?;
        if items.iter().all(|item| item.skipped) {
            return Err(Problem::obstacle("nothing-to-undo"));
        }
        let shared = &self.shared;
        let new = NewSubmission {
            operation,
            site: ctx.record.site,
            address: permit.address().clone(),
            file: ctx.record.file,
            hash: ctx.record.hash,
            sheet: ctx.record.sheet,
            batch_size: ctx.record.batch_size,
            at: (shared.clock)(),
            person: shared.person.clone(),
            follows: Some(SubmissionOrigin { submission: id, relation: Relation::Undo }),
            claimed,
            ..NewSubmission::default()
        };
        let connection = ctx.connection;
        self.run_blocking(move |submissions| {
            let mut writer = submissions.shared.journal.plans().writer();
            writer.begin_step(new);
            for item in items {
                writer.add_item(item.encode()?)?;
            }
            submissions.start_plan(writer.complete()?, ReadBackTiming::AtEnd, permit, &connection)
        })
        .await
    }

    /// Returns the problem for deleted rows that can't be restored. Contains the path of their workbook.
    async fn no_restore_problem(&self, id: SubmissionId) -> Result<Problem, Problem> {
        let problem = Problem::obstacle("no-restore-operation");
        Ok(match self.deleted_workbook(id).await? {
            Some(workbook) => problem.parameter("case", "no-restore").parameter("file", workbook.path),
            None => problem.parameter("case", "no-restore-unsaved"),
        })
    }

    fn undo_context(&self, id: SubmissionId) -> Result<UndoContext, Problem> {
        let shared = &self.shared;
        if shared.runs_here(id) {
            return Err(Problem::obstacle("is-running"));
        }
        let record = shared.journal.submission(id)?;
        guard::check_address(&shared.sites, &shared.journal, &record)?;
        let connection = SiteConnection::open(&shared.sites, &record.site)?;
        let contract = &connection.contract;
        let target = ChangeOperation::find(contract, &record.operation)?;
        let schema = contract.operation(&record.operation).and_then(|operation| operation.request.clone());
        let schema =
            schema.ok_or_else(|| Problem::obstacle_with("not-a-change", &[("operation", &record.operation)]))?;
        let restoring = RestoringOperation::find(contract, &record.operation);
        let reader = SubmissionReadBack::for_operation(shared, &record.operation, &target, &connection);
        Ok(UndoContext { record, connection, target, schema, read_back: reader, restoring })
    }

    /// Calls `on_action` for every accepted item with its undo, in order.
    async fn for_each_action(
        &self,
        ctx: &UndoContext,
        mut on_action: impl FnMut(ItemDetail, UndoAction),
    ) -> Result<(), Problem> {
        let (id, mut after) = (ctx.record.id, 0);
        loop {
            let shared = Arc::clone(&self.shared);
            let items = run_blocking(move || {
                Ok(shared.journal.rows().item_details(id, RowResult::Accepted, after, PAGE_SIZE)?)
            })
            .await?;
            let Some(last) = items.last() else { return Ok(()) };
            after = last.number;
            let found = match &ctx.read_back {
                Some(reader) if ctx.needs_read_back(&items) => reader.read(&items).await?,
                _ => vec![ServiceItem::Inconclusive(ReadBackFault::NotReadable); items.len()],
            };
            for (item, found) in items.into_iter().zip(found) {
                let action = ctx.action_for(&item, &found);
                on_action(item, action);
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

    /// Returns whether the undo depends on the service's current values.
    fn needs_read_back(&self, items: &[ItemDetail]) -> bool {
        if self.target.deletes { self.restoring.is_some() } else { items.iter().any(|item| item.before.is_some()) }
    }

    fn action_for(&self, item: &ItemDetail, found: &ServiceItem) -> UndoAction {
        if self.target.deletes {
            return self.action_for_deleted(item, found);
        }
        let (before, reader) = match (&item.before, &self.read_back) {
            (Some(before), Some(reader)) => (before, reader),
            (None, _) if item.change == Some(Change::New) => return UndoAction::Created,
            (Some(_), None) => return UndoAction::Unknown(coded_reason("not-readable-now", [])),
            (None, _) => return UndoAction::Unknown(coded_reason("before-unknown", [])),
        };
        let current = match found {
            ServiceItem::Present(current) => current,
            ServiceItem::Absent => return UndoAction::ChangedSince(vec![coded_reason("gone-since", [])]),
            // The item existed when it was accepted, so this status doesn't prove that it is gone.
            ServiceItem::ContainerMissing(_) => return UndoAction::Unknown(unread_reason(ReadBackFault::Malformed)),
            ServiceItem::Inconclusive(fault) => return UndoAction::Unknown(unread_reason(*fault)),
        };
        let (schema, key, read_back) = (&self.schema, &self.target.key, &reader.read_back);
        let changed = ChangedItem { schema, key, read_back, sent: &item.body, before }.changed_fields();
        let pick_changed = |from: &Value| pick_fields(&changed, from);
        if changed.is_empty() || reader.read_back.is_same_state(&pick_changed(before), current) {
            return UndoAction::Same;
        }
        let later_changes = reader.read_back.differences(&pick_changed(&item.body), current);
        if !later_changes.is_empty() {
            let reasons = later_changes.into_iter().map(|difference| {
                let (ours, now) = (format_value(&difference.sent), format_value(&difference.service_value));
                coded_reason("changed-since", [("field", difference.field), ("ours", ours), ("now", now)])
            });
            return UndoAction::ChangedSince(reasons.collect());
        }
        if let Some(list) = reader.read_back.irremovable_lists(&pick_changed(before), current).into_iter().next() {
            return UndoAction::Unknown(coded_reason("list-only-grows", [("field", list)]));
        }
        match self.restored_body(item, before, current, &changed) {
            Ok(body) => UndoAction::Restore(body, current.clone()),
            Err(reason) => UndoAction::Unknown(reason),
        }
    }

    /// Returns the undo of a deleted item: it is sent again with its earlier values if the service still lacks it.
    fn action_for_deleted(&self, item: &ItemDetail, found: &ServiceItem) -> UndoAction {
        let Some(restoring) = &self.restoring else { return UndoAction::Deleted };
        match found {
            ServiceItem::Present(_) => UndoAction::Same,
            ServiceItem::ContainerMissing(_) => UndoAction::Unknown(unread_reason(ReadBackFault::Malformed)),
            ServiceItem::Inconclusive(fault) => UndoAction::Unknown(unread_reason(*fault)),
            ServiceItem::Absent => {
                let before = |name: &String| item.before.as_ref().and_then(|before| before.get(name));
                let fields = restoring.schema.fields.iter().filter_map(|Field { name, .. }| {
                    let value = item.body.get(name).or_else(|| before(name))?;
                    Some((name.clone(), value.clone()))
                });
                UndoAction::Restore(Value::Object(fields.collect()), Value::Null)
            }
        }
    }

    /// Returns the body that restores an item.
    ///
    /// It has the key, the earlier values of the changed fields, and the current values of required and previously sent
    /// fields. The service may require more than its document says, and it accepted the item with these fields.
    fn restored_body(
        &self,
        item: &ItemDetail,
        before: &Value,
        current: &Value,
        changed: &[&Field],
    ) -> Result<Value, Reason> {
        let mut body = Map::new();
        for field in &self.schema.fields {
            let name = &field.name;
            let value = if self.target.key.contains(name) {
                item.body.get(name).cloned()
            } else if changed.iter().any(|changed| changed.name == *name) {
                Some(restored_value(field, before.get(name))?)
            } else if field.required {
                current.get(name).or_else(|| item.body.get(name)).cloned()
            } else if item.body.get(name).is_some() && is_scalar(field.kind) {
                current.get(name).filter(|value| !value.is_null()).cloned()
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

/// Returns why a row isn't restored if a read doesn't prove its current value.
fn unread_reason(fault: ReadBackFault) -> Reason {
    match fault {
        ReadBackFault::Malformed
        | ReadBackFault::Refused(_)
        | ReadBackFault::ContainerLost(_)
        | ReadBackFault::LostItems
        | ReadBackFault::Incomplete(_) => fault_reason(fault),
        ReadBackFault::MissingKey | ReadBackFault::NotReadable | ReadBackFault::NotShown => {
            coded_reason("not-readable-now", [])
        }
    }
}

/// Returns false for lists and objects, which have more members in responses than in requests.
fn is_scalar(kind: FieldKind) -> bool {
    !matches!(kind, FieldKind::List | FieldKind::Object)
}

fn to_new_item(item: ItemDetail, action: UndoAction) -> NewItem {
    let (body, before, reasons) = match action {
        UndoAction::Restore(body, current) => {
            let change = Some(Change::Changed);
            return NewItem {
                rows: item.rows,
                key: item.key,
                body,
                change,
                before: Some(current),
                ..NewItem::default()
            };
        }
        other => (item.body, item.before, other.reasons()),
    };
    NewItem { rows: item.rows, key: item.key, body, skipped: true, reasons, before, ..NewItem::default() }
}

impl UndoAction {
    /// Returns the reasons why the item isn't restored.
    fn reasons(self) -> Vec<Reason> {
        match self {
            Self::Restore(..) => Vec::new(),
            Self::Same => vec![coded_reason("as-before", [])],
            Self::ChangedSince(reasons) => reasons,
            Self::Created => vec![coded_reason("created-stays", [])],
            Self::Deleted => vec![coded_reason("deleted-stays", [])],
            Self::Unknown(reason) => vec![reason],
        }
    }
}

impl UndoView {
    fn add(&mut self, words: &Words, item: &ItemDetail, action: &UndoAction) {
        let rows = u32::try_from(item.rows.len()).unwrap_or(u32::MAX);
        self.rows += rows;
        let deleted = coded_reason("deleted-stays", []);
        let (count, reasons): (&mut u32, &[Reason]) = match action {
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
        let reasons = reasons.iter().map(|reason| result_reason::reason_text(words, reason)).collect();
        let RowId { sheet, row } = RowId { sheet: sheet.clone(), row: ExcelRow::new(*row) };
        self.unrestored_rows.push(UndoRow { sheet, row, key: item.key.clone(), reasons });
    }
}
