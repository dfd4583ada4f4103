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

#[macro_use]
mod opaque;

mod answers;
mod browse;
mod browser;
mod cleanup;
mod clock;
mod engine;
mod events;
mod finding;
mod graphql;
mod hex;
mod history;
mod home;
mod import;
mod inbox;
mod item;
mod link;
mod logging;
mod maintenance;
mod order;
mod output_file;
mod person;
mod picture;
mod preview;
mod problem;
mod read_back;
mod reference;
mod request;
mod salvage;
mod site;
mod sites;
mod submission;
mod words;

// The whole.
pub use clock::Clock;
pub use engine::{Engine, EngineConfig};
pub use home::Home;
pub use problem::{Code, Problem};
pub use words::{Language, Words};

// Sites.
pub use site::{
    ClientAuthentication, LimitView, OddHeader, PracticeAccess, SignInSettings, Site, SiteKind, SiteSaved, SiteTest,
    SiteView, VaultPlace,
};
pub use sites::{Paster, PendingSignIn, SIGN_IN_HINT_AFTER, SaySiteWait, Sites};

// What sites hold.
pub use browse::{
    Arranged, Arrangement, Browse, BrowseEnd, BrowsePage, BrowseProgress, ColumnLook, EXPORTED, ExportFormat,
    ExportWish, Filter, ListFilter, NamedSpan, NamedView, PageSaid, ReadFilters, RowCut, RowSet, SortBy, SpanForm,
    StreamForm, Streamed, TableRows, TableView, TableViews, Test, TextPiece, ValueCount, WholeRow,
};
pub use graphql::{
    GraphQl, GraphqlAnswer, GraphqlColumn, GraphqlDesk, GraphqlError, GraphqlList, GraphqlRequest, GraphqlResult,
    GraphqlRows, GraphqlSchema, GraphqlTable, PastQuery, SavedQuery, TypedQuery,
};
pub use picture::{BarsView, Drawn, Measure, PictureQuery, PictureView, Pictures, SpansView, Standing, WeekView};
pub use reference::References;
pub use request::BrowseQuery;

// From a workbook to items.
pub use finding::{FindingCode, Severity};
pub use import::{
    Blank, Candidate, CellHelp, ChangeKind, ColumnView, Facet, FieldValue, FieldValues, FieldView, Fields, Finding,
    FindingKind, Fix, FixedBy, FormatChoice, FormatKind, FormatView, FoundValue, FoundValues, FromRows, GridCell,
    GridPage, GridRow, HeadRow, ImportCounts, ImportProgress, ImportSite, ImportSites, ImportSources, ImportView,
    Imports, ItemSet, ItemWait, Joined, JoinedView, LayoutChange, LettersCell, LettersView, Made, MappingChange,
    MappingError, MappingFile, MatchReason, MergedView, OpenWatch, Original, PartChoice, PlanItems, PlanMapping,
    PlanStep, Proposal, QuoteView, ReadingView, Replacement, RowChange, RowChoice, RowFilter, RowSort, RowState,
    SavedCopy, SenseView, SheetView, SiteItems, SiteSteps, StepPart, StepState, TextChange, TextReading, Unchecked,
    UncheckedReason, Verdict,
};
pub use item::{Change, Fate, Item, ItemError, Looked, RowId};
pub use preview::{
    AlarmKind, ChangedField, ConflictChoice, ConflictReason, PreviewAlarm, PreviewChoice, PreviewCounts, PreviewField,
    PreviewKind, PreviewPage, PreviewProgress, PreviewRow, PreviewStep, PreviewView, Previews,
};

// Sending, and what came of it.
pub use cleanup::{
    Affected, AffectedOrder, DeletedTable, FacetAbout, FacetKind, GoingLinks, IdList, Ids, Links, OrderStage,
    ProcessSum, TemplateFacet, TemplateSet, TemplateSum, TemplateUseView, Templates, TemplatesProgress, TemplatesView,
    Unread, links_to_items, parse_template_ids, write_template_ids,
};
pub use history::{BundleChoice, History, HistoryList, HistoryQuery, Story};
pub use link::{CleanupLink, Link};
pub use order::{Around, OrderBy, OrderLists, OrderPart, OrderRows, OrderSubmission, Orders};
pub use submission::{
    BatchView, Decision, DeletedView, DoubtTotal, DoubtTotals, FateCounts, FatePage, FateRow, Following, PlanRequest,
    PlanView, RequestBody, RequestClass, RequestPage, SentRequest, SubmissionRequest, SubmissionState, SubmissionView,
    Submissions, UndoRow, UndoView,
};

// What sites tell.
pub use answers::{
    AnswerRule, AnswerRules, KeptRules, RuleCheck, RuleTrial, RuleWords, Rules, RulesFailing, Trial, TrialChange,
    TrialProgress,
};
pub use events::{
    AnsweredBy, EventAnswer, EventDetail, EventGap, EventLine, EventList, EventQuery, EventState, FaultCode,
    RuleFailure, RuleFault, RulePart, Signed, Spoke,
};
pub use inbox::{
    Destination, EventInbox, Fault, Floor, FloorAlertView, FloorDifference, FloorOrderView, FloorRead, FloorState,
    FloorStationName, FloorStationView, ForwardPace, ForwardStop, ForwardTarget, ForwardTargets, Forwarded, OrderEvent,
    OrderEvents, Receiver, Receiving, RefusedCounts, Replay, ReplayPlan, Replayed, RowAsked, RowEvent, RowEvents,
    ShopFloor, StationState, TargetMiss, TargetStart, TargetState, TargetWish, TestSent,
};

// The home folder.
pub use logging::{Program, log_on_screen, start_logging};
pub use maintenance::{BackupView, Maintenance, PurgeView, Retention, StorageView};
pub use salvage::{KeptFile, SalvageView};

// Of this computer, and of the crates below.
pub use browser::open_in_browser;
pub use output_file::write_file;
pub use person::account_name;
pub use takt_client::{Canceller, REMOVED, Redactor, Revocation, Timeouts, Vault, WAYPOINTS, Waypoints};
pub use takt_contract::{Field, FieldKind, Operation, ProvenanceLevel, Statement};
pub use takt_journal::{Follows, Relation, create_private_folder, open_private_file};
pub use takt_sheet::{ReaderProcess, run_if_reader_process};
