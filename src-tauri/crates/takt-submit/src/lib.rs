//! Changes a site's data: change previews, submissions with their results, and the history of submissions.
//!
//! | module | content |
//! |---|---|
//! | [`preview`] | [`Previews`]: the changes that sending an import would make |
//! | [`submission`] | [`Submissions`]: sending, resuming, resolving unconfirmed rows, undo |
//! | [`history`] | [`History`]: earlier submissions, and the support bundle |
//! | [`cleanup`] | [`Templates`]: templates, their links to processes, and deleting the links |
//! | [`link`] | a template-process link to delete |
//!
//! Reading workbooks belongs to takt-import, and reading lists to takt-browse.

pub mod cleanup;
pub mod history;
pub mod link;
pub mod preview;
mod result_reason;
pub mod submission;

pub use cleanup::Templates;
pub use history::History;
pub use preview::Previews;
pub use submission::{Submissions, SubmissionsConfig};
