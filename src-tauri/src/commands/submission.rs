//! Submissions: sending, the results of rows, decisions about them, retrying, undoing and approval.

use serde::Deserialize;
use takt_engine::{
    Problem,
    import::{Drafts, ImportId, ImportView, Original},
    item::{RowId, RowResult},
    preview::{PreviewChoice, PreviewRow},
    submission::{
        ApprovalDecision, ApprovalPage, ClaimChoice, Decision, ImportToSend, PlanView, ResultPage, SendOptions,
        SubmissionId, SubmissionOrigin, SubmissionView, UnconfirmedTotals, UndoView,
    },
};
use tauri::{AppHandle, Runtime};

use crate::{dialogs, state::AppStateAccess};

const MAX_ROWS: u32 = 1_000;

/// Kinds of rows to skip. If a kind isn't skipped and has rows, the submission is refused.
#[derive(Debug, Clone, Copy, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkipChoice {
    /// Rows with errors, which can't be sent.
    errors: bool,
    /// Rows whose keys another desk of the team is sending.
    claimed: bool,
}

impl SkipChoice {
    fn claim_choice(self) -> ClaimChoice {
        claim_choice(self.claimed)
    }
}

/// Returns whether rows that colleagues are sending are skipped or refuse the submission.
pub(super) fn claim_choice(skip_claimed: bool) -> ClaimChoice {
    if skip_claimed { ClaimChoice::LeaveOut } else { ClaimChoice::Refuse }
}

/// Options of a submission that most submissions don't need.
#[derive(Debug, Default, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SendChoice {
    /// The number of rows in a trial run. The submission pauses after them. Absent without a trial run.
    trial: Option<u32>,
    /// The earlier submission whose rejected rows are sent again, or that is repeated with another file.
    follows: Option<SubmissionOrigin>,
    /// The number of items per request. Absent for the operation's default.
    batch_size: Option<u32>,
}

/// Sends an import's rows to its site, step by step. `site` must be the import's site. `confirmed` is the site's name
/// as the user typed it, which production sites require in every command that sends. With `preview`, its choices apply
/// to the rows, and it must be of the import's current state.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_start<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    site: String,
    skip: SkipChoice,
    confirmed: Option<String>,
    preview: Option<PreviewChoice>,
    how: SendChoice,
) -> Result<PlanView, Problem> {
    let import = ImportToSend { import: import_id, site, preview, close: false };
    let options = SendOptions {
        skip_blocked: skip.errors,
        batch_size: how.batch_size,
        follows: how.follows,
        trial: how.trial,
        confirmed,
        leave_unconfirmed: false,
        claimed: skip.claim_choice(),
    };
    let plan = app.engine().submissions().send(import, options).await?;
    end_draft(&app, import_id).await;
    Ok(plan)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_pause<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.with_engine(move |engine| engine.submissions().pause(id)).await
}

/// Stops the submission. Later steps of the plan don't start.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_stop<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().stop(id).await
}

/// Resumes all steps of the plan that the submission belongs to. With `skip_claimed`, rows that colleagues are sending
/// are skipped.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_resume<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<PlanView, Problem> {
    let engine = app.engine();
    if skip_claimed {
        engine.submissions().resume_skipping_claimed(id, confirmed.as_deref()).await
    } else {
        engine.submissions().resume(id, confirmed.as_deref()).await
    }
}

/// Sends unconfirmed rows again. With `skip_claimed`, rows that colleagues are sending are skipped.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_send_unconfirmed<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().send_unconfirmed(id, confirmed.as_deref(), claim_choice(skip_claimed)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_get<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<SubmissionView, Problem> {
    app.with_engine(move |engine| engine.submissions().view(id)).await
}

/// Returns the plan that the submission belongs to.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plan_get<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<PlanView, Problem> {
    app.with_engine(move |engine| engine.submissions().plan(id)).await
}

/// Skips the rows of a step that wait for rows of other steps.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_skip_waiting<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().skip_waiting(id).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_list<R: Runtime>(app: AppHandle<R>) -> Result<Vec<SubmissionView>, Problem> {
    app.with_engine(move |engine| engine.submissions().list()).await
}

/// Returns the rows with one result, or all rows with those first that need attention.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_rows<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    result: Option<RowResult>,
    offset: u32,
    limit: u32,
) -> Result<ResultPage, Problem> {
    let limit = limit.min(MAX_ROWS);
    app.with_engine(move |engine| match result {
        Some(result) => engine.submissions().result_rows(id, Some(result), offset, limit),
        None => engine.submissions().rows_by_urgency(id, offset, limit),
    })
    .await
}

/// Asks where to save, and writes the results of all steps of the plan. If the import is still open, they are written
/// into a copy of the user's workbook. Returns the path, or `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_export<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    import_id: Option<ImportId>,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let original =
        app.with_engine(move |engine| Ok(import_id.and_then(|import| engine.imports().original(import).ok())));
    let original = original.await?;
    let extension = original.as_ref().map_or("xlsx", Original::extension);
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, extension).await else { return Ok(None) };
    app.with_engine(move |engine| {
        engine.submissions().export_results(id, original.as_ref(), &path).map(|saved| Some(saved.path))
    })
    .await
}

/// Reads unconfirmed rows from the service, to find out whether they were applied.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_read_back<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().read_back_unconfirmed(id, confirmed.as_deref()).await
}

/// Records the user's decision about unconfirmed rows, about all of them if none is named. With `skip_claimed`, rows
/// that colleagues are sending are skipped instead of sent again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_decide<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    rows: Vec<RowId>,
    decision: Decision,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().decide(id, &rows, decision, confirmed.as_deref(), claim_choice(skip_claimed)).await
}

/// Returns totals of the unconfirmed rows that can't be read back, or `None` if no totals are possible.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_unconfirmed_totals<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<Option<UnconfirmedTotals>, Problem> {
    app.engine().submissions().unconfirmed_totals(id).await
}

/// Counts the submission's rejected rows that no later submission has sent successfully.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_rejected<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<u32, Problem> {
    let rows = app.with_engine(move |engine| engine.submissions().rejected_rows(id)).await?;
    Ok(u32::try_from(rows.len()).unwrap_or(u32::MAX))
}

/// Excludes all rows of the import except the submission's rejected rows.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_fix_rejected<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    submission: SubmissionId,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.history().limit_to_rejected_rows(import_id, submission)).await
}

/// Counts the rows that the submission skipped because of errors, and that no later submission has sent.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_skipped<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<u32, Problem> {
    app.with_engine(move |engine| engine.history().skipped_error_rows(id)).await
}

/// Excludes the rows of the import that were sent from its file to the submission's site. Its skipped rows remain.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_fix_skipped<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    submission: SubmissionId,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.history().remove_sent_rows(import_id, submission)).await
}

/// Reads the import with the operation and mapping of an earlier submission.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_use_submission<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    submission: SubmissionId,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.history().apply_submission_mappings(import_id, submission)).await
}

/// Counts the rows with known previous values, which an undo could restore. Sends no request.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_undoable<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<u32, Problem> {
    app.with_engine(move |engine| engine.submissions().undoable_rows(id)).await
}

/// Returns the changes that an undo would make now.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_undo_plan<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<UndoView, Problem> {
    app.engine().submissions().preview_undo(id).await
}

/// Restores the values from before a submission. With `skip_claimed`, rows that colleagues are sending are skipped.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_undo<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<PlanView, Problem> {
    app.engine().submissions().undo(id, confirmed.as_deref(), claim_choice(skip_claimed)).await
}

/// Lists the first submission of each plan that waits for approval, oldest first. Empty without a team.
#[tauri::command]
#[specta::specta]
pub(crate) async fn approvals_waiting<R: Runtime>(app: AppHandle<R>) -> Result<Vec<SubmissionView>, Problem> {
    app.with_engine(move |engine| engine.submissions().waiting_for_approval()).await
}

/// Returns rows of a submission as in the requester's preview. `after` is `next` of the preceding page, or 0.
#[tauri::command]
#[specta::specta]
pub(crate) async fn approval_rows<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    after: u32,
    limit: u32,
) -> Result<ApprovalPage, Problem> {
    app.with_engine(move |engine| engine.submissions().approval_rows(id, after, limit)).await
}

/// Returns what sending a row changed, or should have changed. `None` if the submission has no such row.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_row_changes<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    row: RowId,
) -> Result<Option<PreviewRow>, Problem> {
    app.with_engine(move |engine| engine.history().row_changes(id, &row)).await
}

/// Records this user's decision about the plan that the submission belongs to.
#[tauri::command]
#[specta::specta]
pub(crate) async fn approval_decide<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    decision: ApprovalDecision,
    note: String,
) -> Result<PlanView, Problem> {
    app.engine().submissions().decide_approval(id, decision, &note).await
}

/// Ends the draft of an import that was sent. A failure is only logged, since the rows were sent.
async fn end_draft<R: Runtime>(app: &AppHandle<R>, import: ImportId) {
    if let Err(problem) = app.with_engine(move |engine| Drafts::new(engine.imports()).remove_draft(import)).await {
        tracing::warn!(?problem, "the draft of what was sent stays");
    }
}
