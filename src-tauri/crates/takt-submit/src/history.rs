//! The history of submissions: search, chains of follow-ups, the handover sheet and the support bundle.
//!
//! [`History`] reads the journal and repeats earlier submissions. It never sends rows: that is in `submission`.

mod again;
mod bundle;
mod handover;
mod mask;
mod result_workbook;
mod submission_history;
mod view;

pub use bundle::BundleChoice;
pub use submission_history::History;
pub use view::*;
