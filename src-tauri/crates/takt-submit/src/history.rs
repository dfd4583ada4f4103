//! The history of submissions: search, chains of follow-ups, the handover sheet and the support bundle.
//!
//! [`History`] reads the journal and prepares repeated submissions. It never sends rows, which `submission` does.

mod bundle;
mod handover;
mod mask;
mod submission_history;

pub use bundle::BundleChoice;
pub use submission_history::{History, HistoryList, HistoryQuery, SubmissionContext};
