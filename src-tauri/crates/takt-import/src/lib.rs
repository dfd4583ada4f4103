//! Workbooks before they are sent: from bytes to items with their findings. Nothing here can send.
//!
//! | module | owns |
//! |---|---|
//! | [`import`] | [`Imports`]: what is open, its columns, rows, findings, fixes, plan and items; [`ImportSites`]: the site that it is for; [`ImportSources`]: imports from rows of a site |
//!
//! Leaves to others: bytes to cells (takt-sheet), what a site holds (takt-browse), what sending would change (takt-submit).

pub mod import;

pub use import::{
    Blank, Candidate, CellHelp, ChangeKind, ColumnView, Facet, FieldValue, FieldValues, FieldView, Fields, Finding,
    FindingKind, FindingValue, FindingValues, Fix, FixedBy, FormatChoice, FormatKind, FormatView, FromRows, GridCell,
    GridPage, GridRow, HeadRow, ImportCounts, ImportId, ImportProgress, ImportSite, ImportSites, ImportSources,
    ImportView, Imports, ItemSet, ItemWait, Joined, JoinedView, LayoutChange, LettersCell, LettersView, MappingChange,
    MappingError, MappingFile, MatchReason, MergedView, OpenWatch, Original, PartChoice, PlanMapping, PlanStep,
    PredecessorValues, Proposal, QuoteView, ReadingView, Replacement, RowChange, RowChoice, RowFilter, RowSort,
    RowState, SavedCopy, SenseView, SheetView, SiteItems, StepItems, StepPart, StepState, TextChange, TextReading,
    Unchecked, UncheckedReason, Verdict,
};
