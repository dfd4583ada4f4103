//! The work of Takt, without windows and terminals: sites, imports, submissions, what a site holds, and what it tells.
//!
//! [`Engine::open`] is the way in for both faces, the window and the command line; it hands out the parts:
//!
//! | part | what it does | from |
//! |---|---|---|
//! | [`Sites`] | where Takt talks to: kept, chosen, tested, signed in to | [`Engine::sites`] |
//! | [`References`] | what sites hold, as far as checks need it | [`Engine::reference`] |
//! | [`Browse`] | reading what a site holds: pages, sets of rows, tables, files | [`Engine::browse`] |
//! | [`Pictures`] | pictures of what was read | [`Engine::pictures`] |
//! | [`GraphQl`] | queries in GraphQL | [`Engine::graphql`] |
//! | [`Imports`] | workbooks that are open, from bytes to items | [`Engine::imports`] |
//! | [`ImportSites`] | the site that an import is for, and checks against it | [`Engine::import_sites`] |
//! | [`ImportSources`] | imports from rows of a site, blank workbooks | [`Engine::import_sources`] |
//! | [`Previews`] | what sending an import would change | [`Engine::previews`] |
//! | [`Submissions`] | what is sent, taken up again, resolved and taken back | [`Engine::submissions`] |
//! | [`Templates`] | templates, their links, and deleting these | [`Engine::templates`] |
//! | [`History`] | what was submitted before, found again and taken along | [`Engine::history`] |
//! | [`Orders`] | one order with everything that is known about it | [`Engine::orders`] |
//! | [`AnswerRules`] | the rules by which events are answered | [`Engine::answers`] |
//! | [`EventInbox`] | events: received, found, exported, replayed | [`Engine::inbox`] |
//! | [`ForwardTargets`] | to whom events are sent on | [`EventInbox::targets`] |
//! | [`ShopFloor`] | the floor as the events have it | [`Engine::floor`] |
//! | [`Maintenance`] | backups, purges, what storage takes | [`Engine::maintenance`] |
//!
//! What crosses to the faces lives in the `view` modules; every error that leaves is a [`Problem`]. No modules use each other in
//! a circle.

mod engine;
mod logging;
mod maintenance;
mod order;
mod shop_floor;

use takt_core::{salvage, words};
use takt_inbox::{events, inbox};
use takt_sites::sites;

// The whole.
pub use engine::{Engine, EngineConfig};
pub use takt_core::blocking::run_blocking;
pub use takt_core::{Clock, Code, ExportFormat, Home, Language, Problem, Words};

// Sites.
pub use takt_sites::{
    ClientAuthentication, IgnoredHeader, LimitView, OnSiteWait, Paster, PendingSignIn, SIGN_IN_HINT_AFTER,
    SignInSettings, Site, SiteKind, SiteSaveResult, SiteTest, SiteView, Sites, VaultPlace,
};

// What sites hold.
pub use takt_browse::{
    ArrangedRows, Arrangement, BarsView, Browse, BrowseEnd, BrowsePage, BrowseProgress, BrowseQuery, ColumnLayout,
    DrawnPicture, EXPORTED, ExportRequest, Filter, GraphQl, GraphqlAnswer, GraphqlColumn, GraphqlEditorState,
    GraphqlError, GraphqlList, GraphqlRequest, GraphqlResult, GraphqlRows, GraphqlSchema, GraphqlTable, ListFilter,
    Measure, NamedSpan, NamedView, PageResult, PictureQuery, PictureView, Pictures, PlanStatus, QueryHistoryEntry,
    ReadFilters, References, RowCut, RowSet, SavedQuery, SortBy, SpanForm, SpansView, StreamForm, StreamResult,
    TableRows, TableView, TableViews, Test, TextPiece, TypedQuery, ValueCount, WeekView, WholeRow,
};

// From a workbook to items.
pub use takt_core::{Change, Fate, FindingCode, Item, ItemError, Looked, RowId, Severity};
pub use takt_import::{
    Blank, Candidate, CellHelp, ChangeKind, ColumnView, Facet, FieldValue, FieldValues, FieldView, Fields, Finding,
    FindingKind, Fix, FixedBy, FormatChoice, FormatKind, FormatView, FoundValue, FoundValues, FromRows, GridCell,
    GridPage, GridRow, HeadRow, ImportCounts, ImportProgress, ImportSite, ImportSites, ImportSources, ImportView,
    Imports, ItemSet, ItemWait, Joined, JoinedView, LayoutChange, LettersCell, LettersView, Made, MappingChange,
    MappingError, MappingFile, MatchReason, MergedView, OpenWatch, Original, PartChoice, PlanMapping, PlanStep,
    Proposal, QuoteView, ReadingView, Replacement, RowChange, RowChoice, RowFilter, RowSort, RowState, SavedCopy,
    SenseView, SheetView, SiteItems, StepItems, StepPart, StepState, TextChange, TextReading, Unchecked,
    UncheckedReason, Verdict,
};
pub use takt_submit::{
    Affected, AffectedOrder, AlarmKind, BatchView, BundleChoice, ChangedField, CleanupLink, ConflictChoice,
    ConflictReason, Decision, DeletedTable, DeletedView, DoubtTotal, DoubtTotals, FacetAbout, FacetKind, FateCounts,
    FatePage, FateRow, Following, GoingLinks, History, HistoryList, HistoryQuery, IdList, Ids, Link, Links, OrderStage,
    PlanView, PreviewAlarm, PreviewChoice, PreviewCounts, PreviewField, PreviewKind, PreviewPage, PreviewProgress,
    PreviewRow, PreviewStep, PreviewView, Previews, ProcessSum, RequestBody, RequestClass, RequestPage, SentRequest,
    Story, SubmissionRequest, SubmissionState, SubmissionView, Submissions, TemplateFacet, TemplateSet, TemplateSum,
    TemplateUseView, Templates, TemplatesProgress, TemplatesView, UndoRow, UndoView, Unread, links_to_items,
    parse_template_ids, write_template_ids,
};

// Sending, and what came of it.
pub use order::{Around, OrderBy, OrderLists, OrderPart, OrderRows, OrderSubmission, Orders};

// What sites tell.
pub use shop_floor::{
    Floor, FloorAlertView, FloorDifference, FloorOrderView, FloorRead, FloorState, FloorStationName, FloorStationView,
    OrderEvent, OrderEvents, RowAsked, RowEvent, RowEvents, ShopFloor, StationState,
};
pub use takt_inbox::{
    AnswerRule, AnswerRules, AnsweredBy, Destination, EventAnswer, EventDetail, EventGap, EventInbox, EventLine,
    EventList, EventQuery, EventState, Fault, FaultCode, ForwardStop, ForwardTarget, ForwardTargets, ForwardTiming,
    ForwardedEvent, MatchedRule, Receiver, Receiving, RefusedCounts, Replay, ReplayPlan, Replayed, RuleCheck,
    RuleFailure, RuleFault, RulePart, RuleSet, RuleTrial, RuleWords, Rules, RulesFailing, Signed, TargetMiss,
    TargetSettings, TargetStart, TargetState, TestSent, Trial, TrialChange, TrialProgress, forward_fault_text,
};

// The home folder.
pub use logging::{Program, log_on_screen, log_tail, start_logging};
pub use maintenance::{BackupView, Maintenance, PurgeView, Retention, StorageView};
pub use takt_core::salvage::{SalvageView, SalvagedFile};

// Of this computer, and of the crates below.
pub use takt_client::{Canceller, REMOVED, Redactor, Revocation, Timeouts, Vault, WAYPOINTS, Waypoints};
pub use takt_contract::ServiceAccess;
pub use takt_contract::{Field, FieldKind, Operation, ProvenanceLevel, Statement};
pub use takt_core::{browser::open_in_browser, output_file::write_file, person::account_name};
pub use takt_journal::{Follows, Relation, create_private_folder, open_private_file};
pub use takt_sheet::{ReaderProcess, run_if_reader_process};
