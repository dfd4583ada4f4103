//! Workbooks before they are sent: from bytes to items with their findings. Nothing here can send.
//!
//! | module | owns |
//! |---|---|
//! | [`import`] | [`Imports`]: what is open, its columns, rows, findings, fixes, plan and items; [`ImportSites`]: the site that it is for; [`ImportSources`]: imports from rows of a site |
//! | `remembered_mappings` | [`RememberedMappings`]: every mapping that people used |
//!
//! Leaves to others: bytes to cells (takt-sheet), what a site holds (takt-browse), what sending would change (takt-submit).

pub mod import;
mod remembered_mappings;

pub use import::{ImportSites, ImportSources, ImportView, Imports, ItemSet, ItemSource, StepItems};
pub use remembered_mappings::RememberedMappings;
