//! Workbooks before they are sent: from bytes to items with their findings. Nothing here can send.
//!
//! | module | owns |
//! |---|---|
//! | [`import`] | [`Imports`]: what is open, its columns, rows, findings, fixes, plan and items; [`ImportSites`]: the site that it is for; [`ImportSources`]: imports from rows of a site |
//!
//! Leaves to others: bytes to cells (takt-sheet), what a site holds (takt-browse), what sending would change (takt-submit).

pub mod import;

pub use import::{ImportSites, ImportSources, ImportView, Imports, ItemSet, StepItems};
