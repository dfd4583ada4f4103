//! Drafts are the user's unsent changes to a workbook. They're saved after each change and found again by the file's
//! content.
//!
//! Defines a draft's content. takt-journal owns the table. A draft contains cells and choices, never a secret.

mod content;
mod storage;

pub(crate) use self::content::{BookDraft, DraftStatus, SheetDraft};
pub use self::{
    content::{DraftView, EarlierDraft, ImportPosition, RestoredDraft},
    storage::{DraftOnFile, Drafts, FileState, RecentFileView, SentFileView},
};
