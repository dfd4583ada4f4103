//! The functions of Takt without a user interface: sites, imports, submissions, lists of a site, and events.
//!
//! [`Engine::open`] is the entry point for both user interfaces, the window and the command line. It returns the parts.
//! Each part has a module with its types:
//!
//! | part | what it does | from |
//! |---|---|---|
//! | [`Sites`](sites::Sites) | the services that Takt connects to: settings, tests, signing in | [`Engine::sites`] |
//! | [`References`](browse::References) | the parts of sites' lists that checks need | [`Engine::reference`] |
//! | [`Browse`](browse::Browse) | reading lists of a site: pages, sets of rows, tables, files | [`Engine::browse`] |
//! | [`Pictures`](picture::Pictures) | charts of rows | [`Engine::pictures`] |
//! | [`GraphQl`](graphql::GraphQl) | GraphQL queries | [`Engine::graphql`] |
//! | [`Imports`](import::Imports) | open workbooks, from bytes to items (module [`item`]) | [`Engine::imports`] |
//! | [`ImportSites`](import::ImportSites) | an import's site, and checks against it | [`Engine::import_sites`] |
//! | [`ImportSources`](import::ImportSources) | imports from rows of a site, blank workbooks | [`Engine::import_sources`] |
//! | [`Previews`](preview::Previews) | the changes that sending an import would make | [`Engine::previews`] |
//! | [`Submissions`](submission::Submissions) | sending, continuing, resolving and undoing | [`Engine::submissions`] |
//! | [`Templates`](cleanup::Templates) | templates, their links, and deleting links | [`Engine::templates`] |
//! | [`History`](history::History) | searching and exporting earlier submissions | [`Engine::history`] |
//! | [`Orders`](order::Orders) | an order's rows in lists, and submissions about it | [`Engine::orders`] |
//! | [`AnswerRules`](answers::AnswerRules) | the rules that answer events | [`Engine::answers`] |
//! | [`EventInbox`](inbox::EventInbox) | events: receiving, searching, exporting, replaying | [`Engine::inbox`] |
//! | [`ForwardTargets`](forward::ForwardTargets) | the receivers that events are forwarded to | [`EventInbox::targets`](inbox::EventInbox::targets) |
//! | [`ShopFloor`](shop_floor::ShopFloor) | the state of the shop floor by its events | [`Engine::floor`] |
//! | [`Contracts`](contracts::Contracts) | sites' own documents, applied and reverted | [`Engine::contracts`] |
//! | [`TeamMembership`](team::TeamMembership) | the team's database: joining, leaving, checking | [`Maintenance::team`](maintenance::Maintenance::team) |
//! | [`Maintenance`](maintenance::Maintenance) | backups, purges, storage sizes | [`Engine::maintenance`] |
//!
//! [`site_file`], [`rehearsal`] and [`update`] take an engine: a site as a file, a copy for rehearsals, and the check
//! for updates. [`open_target`] and [`running_window`] need none: files and links opened from outside, and the window
//! that opens them.
//!
//! Every part uses [`Problem`], the only error type of the API, with its [`Code`], and [`Home`], [`Clock`] and
//! [`Words`]. Modules never depend on each other in a cycle.
//!
//! This example opens an engine in its own folder, and reads a page of a list of the practice plant.
//!
//! ```
//! # use std::sync::Arc;
//! # use takt_engine::{
//! #     Home,
//! #     browse::BrowseQuery,
//! #     client::{Failpoints, Timeouts, Vault},
//! #     team::TeamChoice,
//! # };
//! use takt_engine::{Engine, EngineConfig};
//! use takt_plant::{Plant, PlantConfig};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let engine = Engine::open(EngineConfig {
//!     home: Home::open(folder.path())?,
//!     clock: Arc::new(jiff::Timestamp::now),
//!     vault: Vault::memory(),
//!     timeouts: Timeouts::default(),
//!     failpoints: Failpoints::default(),
//!     person: "anna".to_owned(),
//!     team: TeamChoice::default(),
//! })?;
//! let plant = Plant::start(PlantConfig::default(), ([127, 0, 0, 1], 0).into()).await?;
//! engine.set_practice(plant.access());
//! engine.sites().adopt_tokens("practice", &plant.issue_tokens("planner")?.access_token, None, None)?;
//!
//! let query = BrowseQuery { operation: "materials.list".to_owned(), ..BrowseQuery::default() };
//! let page = engine.browse().fetch_page("practice", &query, 1, 10).await?;
//! assert_eq!(page.rows.len(), 10);
//! # Ok(())
//! # }
//! ```

pub mod contracts;
mod engine;
pub mod logging;
pub mod maintenance;
pub mod open_target;
pub mod order;
mod policy;
pub mod rehearsal;
pub mod running_window;
pub mod shop_floor;
pub mod site_file;
mod startup;
pub mod team;
pub mod update;

pub use engine::{Engine, EngineConfig};
pub use takt_client::Canceller;
pub use takt_core::blocking::run_blocking;
pub use takt_core::{Clock, Code, ExportFormat, Home, Language, Problem, Words, hex::to_hex, words::serialized_name};

/// The services that Takt connects to: settings, secrets, signing in and out, tests.
pub mod sites {
    pub use takt_sites::{
        ClientAuthentication, ConnectionCheck, ConnectionPart, ConnectionStep, IgnoredHeader, LimitView,
        NetworkSettings, OnSiteWait, PendingSignIn, PracticePlant, RedirectSender, SIGN_IN_HINT_DELAY, SignInSettings,
        Site, SiteKind, SiteSaveResult, SiteSecrets, SiteTest, SiteView, Sites, StepOutcome, VaultStorage,
    };
}

/// Lists of sites: pages, sets of rows, tables and files of them, and reference data for checks.
pub mod browse {
    pub use takt_browse::{
        Browse, BrowseEnd, BrowseProgress, BrowseQuery, References, RowSet,
        lists::{
            ArrangedRows, Arrangement, BarPlace, BrowsePage, ColumnLayout, ExportRequest, Filter, ListFilter, MovedBar,
            NamedSpan, NamedView, PageRequest, PageResult, ReadFilters, RowCut, SNAPSHOT_SHEET, SortBy, SpanForm,
            StreamFormat, StreamOptions, StreamResult, TableRows, TableView, TableViews, Test, TextPiece, ValueCount,
            WholeRow,
        },
    };
}

/// GraphQL queries: responses, the schema, saved queries.
pub mod graphql {
    pub use takt_browse::{
        GraphQl,
        graphql::{
            GraphqlAnswer, GraphqlColumn, GraphqlEditorState, GraphqlError, GraphqlList, GraphqlRequest, GraphqlResult,
            GraphqlRows, GraphqlSchema, GraphqlTable, QueryHistoryEntry, SavedQuery, TypedQuery,
        },
    };
}

/// Charts of rows.
pub mod picture {
    pub use takt_browse::{
        Pictures,
        picture::{BarsView, DrawnPicture, Measure, PictureQuery, PictureView, PlanStatus, SpansView, WeekView},
    };
}

/// From a workbook to items: columns, rows, findings, fixes, and the plan.
pub mod import {
    pub use takt_import::{
        Blank, Candidate, CellHelp, CellPlace, CellSearch, ChangeKind, ColumnView, ContestedField, DraftView, Drafts,
        EarlierDraft, EncodingView, Facet, FieldValue, FieldValues, FieldView, Fields, FileState, Finding, FindingKind,
        FindingValue, FindingValues, Fix, FixedBy, FormatCertainty, FormatChoice, FormatChoices, FormatExample,
        FormatKind, FormatView, FoundCells, FoundFix, FoundUnit, FromRows, GridCell, GridPage, GridRow, HeadRow,
        ImportCounts, ImportId, ImportItems, ImportPosition, ImportProgress, ImportSite, ImportSites, ImportSources,
        ImportView, Imports, ItemSet, ItemSource, ItemWait, JoinedColumns, JoinedView, LayoutChange, LettersCell,
        MappingChange, MappingError, MappingFile, MatchReason, MergedView, Original, PartChoice, PlanMapping, PlanStep,
        PredecessorValues, ProblemCell, ProgressListener, Proposal, QuoteView, ReadingView, RecentFileView,
        ReferenceChecksView, Replacement, RestoredDraft, RowChange, RowChoice, RowFilter, RowSort, RowState, SavedCopy,
        SheetColumn, SheetRows, SheetView, SiteItems, StepItems, StepPart, StepSource, StepState, TextChange,
        TextReading, UncheckedField, UncheckedReason, file_hash, file_start_hash,
    };
}

/// Items sent for rows, their results, and findings at their cells.
pub mod item {
    pub use takt_core::{Change, ExcelRow, FindingCode, Item, ItemComparison, ItemError, RowId, RowResult, Severity};
}

/// The changes that sending an import would make.
pub mod preview {
    pub use takt_submit::{
        Previews,
        preview::{
            AlarmKind, ChangedField, ConflictChoice, ConflictReason, PreviewAlarm, PreviewChoice, PreviewCounts,
            PreviewField, PreviewFilter, PreviewKind, PreviewPage, PreviewProgress, PreviewRow, PreviewStep,
            PreviewView,
        },
    };
}

/// Submissions: progress, results of rows, decisions, undoing.
pub mod submission {
    pub use takt_journal::approval::ApprovalDecision;
    pub use takt_journal::{
        ClaimChoice, PlanId, Relation, ResultCounts, SubmissionId, SubmissionOrigin, SubmissionState,
    };
    pub use takt_submit::{
        Submissions,
        submission::{
            ApprovalPage, ApprovalView, BatchView, Decision, DeletedView, DeletedWorkbook, ImportToSend, PlanView,
            RequestBody, RequestClass, RequestPage, ResultPage, ResultRow, SendOptions, SentFiles, SentRequest,
            SubmissionRequest, SubmissionView, UnconfirmedTotal, UnconfirmedTotals, UndoRow, UndoView,
        },
    };
}

/// Earlier submissions: search and export.
pub mod history {
    pub use takt_submit::{
        History,
        history::{BundleChoice, HistoryList, HistoryQuery, SubmissionContext},
    };
}

/// Templates, their links to processes, and deleting links.
pub mod cleanup {
    pub use takt_submit::{
        Templates,
        cleanup::{
            Affected, AffectedOrder, DeletedTable, FacetAbout, FacetKind, IdList, Ids, Links, LinksToDelete,
            OrderStage, ProcessSum, TemplateFacet, TemplateSet, TemplateSum, TemplateUseView, TemplatesProgress,
            TemplatesView, UnreadIds, format_template_ids, links_to_items, parse_template_ids,
        },
        link::{CleanupLink, Link},
    };
}

/// Events: the receiver, received events, answers, replays.
pub mod inbox {
    pub use takt_inbox::{
        Destination, EventInbox, Receiver, ReceiverOptions, ReceiverSettings, RefusedCounts, Replay, ReplayPlan,
        ReplayResult,
        events::{
            AnsweredBy, EventAnswer, EventDetail, EventGap, EventLine, EventList, EventQuery, EventState, FaultCode,
            MatchedRule, RuleFailure, RuleFault, RulePart, SignatureState,
        },
    };
    pub use takt_journal::Availability;
}

/// The rules that answer events.
pub mod answers {
    pub use takt_inbox::{
        AnswerRules,
        answers::{
            AnswerRule, RuleCheck, RuleSet, RuleTrial, RuleWords, Rules, RulesFailing, Trial, TrialChange,
            TrialProgress,
        },
    };
}

/// The receivers that events are forwarded to.
pub mod forward {
    pub use takt_inbox::{
        Fault, ForwardStop, ForwardTarget, ForwardTargets, ForwardTiming, ForwardedEvent, IdleReason, TargetMiss,
        TargetSettings, TargetStart, TargetState, TestSent, forward_fault_text,
    };
}

/// The contract: operations and fields of the service's interface.
pub mod contract {
    pub use takt_contract::{
        Assumption, Contract, Field, FieldKind, Names, Operation, OperationKind, ProvenanceLevel, ServiceAccess,
        Statement,
        form::{BatchForm, CodeName, CountPlace, IndexMember, Paging, Scalar, SuccessMember},
        overlay::PagingOverlay,
        text_without_byte_order_mark,
        wire::duration::parse_ticks,
        without_byte_order_mark,
    };
    pub use takt_contract::{Deviation, DeviationKind};
    pub use takt_openapi::{
        comparison::{
            AssumptionDifference, DifferenceKind, FieldDifference, FieldPlace, FieldState, FormName,
            OperationDifference, OperationPart,
        },
        matching::{MatchCandidate, MatchDecision, MatchReason, OperationMatch},
        observation::{Evidence, EvidenceKind},
    };
    pub use takt_sites::{ContractVersion, DriftEntry, flush_drift};
}

/// The connection to services: the vault, timeouts, redacting texts.
pub mod client {
    pub use takt_client::{
        FAILPOINTS, Failpoints, Redactor, SECRET_PLACEHOLDER, Secret, SecretStorage, Timeouts, Vault, VaultError,
        sign_in::Revocation,
    };
}

/// The computer: browser, account, private files, the process that reads files.
pub mod system {
    pub use takt_core::{
        account::account_name,
        browser::{open_file, open_in_browser, show_in_folder},
        check_system_clock,
        output_file::write_file,
    };
    pub use takt_journal::private_file::{create_private_folder, open_private_file};
    pub use takt_sheet::writer::write_atomically;
    pub use takt_sheet::{ReaderProcess, run_if_reader_process};
}
