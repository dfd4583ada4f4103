//! Workbooks before they're sent, from bytes to items with their findings. This crate never sends anything.
//!
//! | module | owns |
//! |---|---|
//! | [`import`] | [`Imports`]: open imports with their columns, rows, findings, fixes, plans and items; [`ImportSites`]: their sites; [`ImportSources`]: imports from rows of a site |
//! | `remembered_mappings` | [`RememberedMappings`]: every remembered mapping |
//!
//! Other crates read cells (takt-sheet), read sites (takt-browse), and preview what sending would change (takt-submit).

pub mod import;
mod remembered_mappings;

pub use import::{
    ImportItems, ImportSites, ImportSources, ImportView, Imports, ItemSet, ItemSource, StepItems, StepSource,
};
pub use remembered_mappings::RememberedMappings;
