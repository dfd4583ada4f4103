//! Changing what a site holds: the change preview, submissions with their results, and what was submitted before.
//!
//! | module | owns |
//! |---|---|
//! | [`preview`] | [`Previews`]: what sending an import would change |
//! | [`submission`] | [`Submissions`]: sending, taking up again, resolving what is unconfirmed, undo |
//! | [`history`] | [`History`]: what was submitted before, found again; the support bundle |
//! | [`cleanup`] | [`Templates`]: templates, their links to processes, and deleting these |
//! | [`link`] | a link as it is deleted |
//!
//! Leaves to others: what is in a workbook (takt-import), reading lists (takt-browse).

pub mod cleanup;
pub mod history;
pub mod link;
pub mod preview;
pub mod submission;

pub use cleanup::{
    Affected, AffectedOrder, DeletedTable, FacetAbout, FacetKind, GoingLinks, IdList, Ids, Links, OrderStage,
    ProcessSum, TemplateFacet, TemplateSet, TemplateSum, TemplateUseView, Templates, TemplatesProgress, TemplatesView,
    Unread, links_to_items, parse_template_ids, write_template_ids,
};
pub use history::{BundleChoice, History, HistoryList, HistoryQuery, SubmissionContext};
pub use link::{CleanupLink, Link};
pub use preview::{
    AlarmKind, ChangedField, ConflictChoice, ConflictReason, PreviewAlarm, PreviewChoice, PreviewCounts, PreviewField,
    PreviewKind, PreviewPage, PreviewProgress, PreviewRow, PreviewStep, PreviewView, Previews,
};
pub use submission::{
    BatchView, Decision, DeletedView, Following, PlanView, RequestBody, RequestClass, RequestPage, ResultCounts,
    ResultPage, ResultRow, SentRequest, SubmissionRequest, SubmissionState, SubmissionView, Submissions,
    SubmissionsConfig, UnconfirmedTotal, UnconfirmedTotals, UndoRow, UndoView,
};
