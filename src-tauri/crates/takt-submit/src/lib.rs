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
mod deleted_rows;
pub mod history;
pub mod link;
pub mod preview;
mod result_reason;
pub mod submission;

pub use cleanup::Templates;
pub use history::History;
pub use preview::Previews;
pub use submission::{Submissions, SubmissionsConfig};
