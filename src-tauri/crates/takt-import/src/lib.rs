//! Workbooks before they're sent, from bytes to items with their findings. This crate never sends anything.
//!
//! | types | what they do |
//! |---|---|
//! | [`Imports`] | the open imports: columns, rows, findings, fixes and the plan of each |
//! | [`ImportSites`] | the site of each import, and checks against its reference data |
//! | [`ImportSources`] | imports of rows of a site, instead of a file |
//! | [`ImportItems`] | the items that an import would send, step by step |
//! | [`Drafts`] | users' choices and fixes, saved for the next start |
//! | [`MappingFile`], [`RememberedMappings`] | mappings as files, and mappings remembered from earlier files |
//! | [`Original`] | the planner's workbook, for a copy with notes or results |
//!
//! [`Imports::open`] finds the header row, proposes an operation, matches columns with fields, and checks every row.
//!
//! ```
//! use std::sync::Arc;
//! use takt_contract::Contract;
//! use takt_import::{ImportItems, Imports};
//! use takt_journal::Journal;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let journal = Arc::new(Journal::open(&folder.path().join("journal.sqlite"))?);
//! let contract = Arc::new(Contract::builtin()?);
//! let imports = Imports::new(contract, None, journal, Arc::new(jiff::Timestamp::now), None);
//!
//! let file = folder.path().join("materials.csv");
//! std::fs::write(&file, "Code;Description\nM-1;Steel\nM-2;Brass\n")?;
//! let import = imports.open(&file)?;
//! imports.choose_operation(import.id, "materials.sync")?;
//! let items = ImportItems::from_import(&imports, import.id)?;
//! assert_eq!(items.steps[0].items.len(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! Other crates read cells (takt-sheet), read sites (takt-browse), and preview what sending would change (takt-submit).

mod blank_workbook;
mod cell_value;
mod check;
mod column_layout;
mod date;
mod draft;
mod drafts;
mod duration_text;
#[cfg(test)]
mod file_tests;
mod fix;
#[cfg(test)]
mod fuzz_tests;
mod grid;
mod header;
mod heading;
mod import_id;
mod import_progress;
mod import_site;
mod import_sites;
mod import_sources;
mod imports;
mod invisible_characters;
mod item_builder;
mod item_source;
mod limit;
mod mapping;
mod mark;
mod matching;
mod number;
mod original;
mod pasted_table;
mod plan;
mod proposal;
mod read_settings;
mod reading_view;
mod reference_checks;
mod remembered_mappings;
mod row_exclusion;
mod row_grouper;
mod row_mapper;
mod row_position;
mod sample;
mod session;
pub mod takt_columns;
mod target;
mod view;
mod week;

pub use self::{
    check::{Facet, ImportCounts},
    draft::{DraftView, EarlierDraft, ImportPosition, RestoredDraft},
    drafts::{DraftOnFile, Drafts, FileState, RecentFileView, SentFileView},
    fix::{FindingKind, FindingValue, FindingValues, Fix, FoundFix, FoundUnit, SentTo, TextChange},
    grid::RejectedRows,
    header::HeadRow,
    import_id::ImportId,
    import_progress::{ImportProgress, ProgressListener},
    import_site::{FixedBy, ImportSite},
    import_sites::{ImportSites, SiteItems},
    import_sources::{FromRows, ImportSources, RowChange, is_detail_list},
    imports::{CellSearch, FollowUpRows, Imports},
    item_source::{ImportItems, ItemIterator, ItemSource, SheetItems, StepSource},
    mapping::{
        Blank, ChangeKind, FieldValue, FieldValues, Fields, FormatCertainty, FormatChoice, FormatChoices,
        FormatExample, FormatKind, FormatView, JoinedColumns, JoinedView, LayoutChange, MappingChange, MappingError,
        MappingFile, PlanMapping, Replacement,
    },
    mark::Finding,
    matching::{Candidate, MatchReason},
    original::{Original, SavedCopy, file_hash, file_start_hash, row_note},
    plan::{ItemWait, PartChoice, PlanStep, StepItems, StepPart, StepState},
    proposal::Proposal,
    read_settings::ReadSettings,
    reading_view::{EncodingView, LettersCell, MergedView, QuoteView, ReadingView, RowChoice, TextReading},
    reference_checks::{PredecessorValues, ReferenceChecksView, UncheckedField, UncheckedReason},
    remembered_mappings::RememberedMappings,
    view::{
        CellHelp, CellPlace, ColumnView, ContestedField, FieldView, FoundCells, GridCell, GridPage, GridRow,
        ImportView, ItemSet, ProblemCell, RowFilter, RowSort, RowState, SheetColumn, SheetRows, SheetView,
    },
};
