//! Imports: opened workbooks, from bytes to items that can be sent.
//!
//! Finds the header row, proposes the operation, matches columns, reads cells into their fields, and checks every row.
//! takt-sheet reads files. Nothing here sends.

pub(crate) mod blank;
mod building;
mod cell_search;
mod check;
mod column_layout;
mod date;
mod draft;
mod duration_text;
mod field_view;
mod file_reading;
#[cfg(test)]
mod file_tests;
mod fix;
mod from_rows;
#[cfg(test)]
mod fuzz_tests;
mod grid;
mod header;
mod heading;
mod import_id;
mod import_site;
mod import_sites;
mod imports;
mod invisible;
mod item_source;
mod limit;
mod mapping;
mod mark;
mod matching;
mod number;
mod original;
mod pass;
mod plan;
mod position;
mod proposal;
mod reading;
mod reading_view;
mod reference_check;
mod remembered_mapping;
mod row;
mod row_exclusion;
mod row_mapper;
mod sample;
mod sending;
mod sense;
mod session;
pub mod takt_columns;
mod target;
mod view;
mod watch;
mod week;

pub(crate) use self::remembered_mapping::fields_filled;
pub use self::{
    cell_search::CellSearch,
    check::{Facet, ImportCounts},
    draft::{
        DraftOnFile, DraftView, Drafts, EarlierDraft, FileState, ImportPosition, RecentFileView, RestoredDraft,
        SentFileView,
    },
    field_view::FieldView,
    file_reading::FileReading,
    fix::{FindingKind, FindingValue, FindingValues, Fix, FoundFix, TextChange},
    from_rows::{FromRows, ImportSources, RowChange, shows_the_same},
    grid::RejectedRows,
    header::HeadRow,
    import_id::ImportId,
    import_site::{FixedBy, ImportSite},
    import_sites::{ImportSites, SiteItems},
    imports::Imports,
    item_source::{ImportItems, ItemIterator, ItemSource, SheetItems, StepSource},
    mapping::*,
    mark::Finding,
    matching::{Candidate, MatchReason},
    original::{Original, SavedCopy, file_hash, file_start_hash, row_note},
    plan::{ItemWait, PartChoice, PlanStep, StepItems, StepPart, StepState},
    proposal::Proposal,
    reading_view::*,
    sense::{PredecessorValues, SenseView, UncheckedField, UncheckedReason},
    view::*,
    watch::{ImportProgress, OpenWatch},
};
