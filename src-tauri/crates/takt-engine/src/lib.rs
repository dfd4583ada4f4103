//! The work of Takt, without windows and terminals: sites, imports, submissions, what a site holds, and what it tells.
//!
//! [`Engine::open`] is the way in for both faces, the window and the command line. It hands out the parts; what each takes and
//! returns lies in a module beside it:
//!
//! | part | what it does | from | module |
//! |---|---|---|---|
//! | [`Sites`](sites::Sites) | where Takt talks to: kept, chosen, tested, signed in to | [`Engine::sites`] | [`sites`] |
//! | [`References`](browse::References) | what sites hold, as far as checks need it | [`Engine::reference`] | [`browse`] |
//! | [`Browse`](browse::Browse) | reading what a site holds: pages, sets of rows, tables, files | [`Engine::browse`] | [`browse`] |
//! | [`Pictures`](picture::Pictures) | pictures of what was read | [`Engine::pictures`] | [`picture`] |
//! | [`GraphQl`](graphql::GraphQl) | queries in GraphQL | [`Engine::graphql`] | [`graphql`] |
//! | [`Imports`](import::Imports) | workbooks that are open, from bytes to items | [`Engine::imports`] | [`import`], [`item`] |
//! | [`ImportSites`](import::ImportSites) | the site that an import is for, and checks against it | [`Engine::import_sites`] | [`import`] |
//! | [`ImportSources`](import::ImportSources) | imports from rows of a site, blank workbooks | [`Engine::import_sources`] | [`import`] |
//! | [`Previews`](preview::Previews) | what sending an import would change | [`Engine::previews`] | [`preview`] |
//! | [`Submissions`](submission::Submissions) | what is sent, taken up again, resolved and taken back | [`Engine::submissions`] | [`submission`], [`item`] |
//! | [`Templates`](cleanup::Templates) | templates, their links, and deleting these | [`Engine::templates`] | [`cleanup`] |
//! | [`History`](history::History) | what was submitted before, found again and taken along | [`Engine::history`] | [`history`] |
//! | [`Orders`](order::Orders) | one order with everything that is known about it | [`Engine::orders`] | [`order`] |
//! | [`AnswerRules`](answers::AnswerRules) | the rules by which events are answered | [`Engine::answers`] | [`answers`] |
//! | [`EventInbox`](inbox::EventInbox) | events: received, found, exported, replayed | [`Engine::inbox`] | [`inbox`] |
//! | [`ForwardTargets`](forward::ForwardTargets) | to whom events are sent on | [`EventInbox::targets`](inbox::EventInbox::targets) | [`forward`] |
//! | [`ShopFloor`](shop_floor::ShopFloor) | the floor as the events have it | [`Engine::floor`] | [`shop_floor`] |
//! | [`Contracts`](contracts::Contracts) | sites' own documents, taken and taken back | [`Engine::contracts`] | [`contracts`] |
//! | [`TeamMembership`](team::TeamMembership) | the team's database: joined, left, checked | [`Maintenance::team`](maintenance::Maintenance::team) | [`team`] |
//! | [`Maintenance`](maintenance::Maintenance) | backups, purges, what storage takes | [`Engine::maintenance`] | [`maintenance`] |
//!
//! [`site_file`], [`rehearsal`] and [`update`] stand beside the engine and take it: a site as a file, a copy to rehearse on, and
//! whether there is a newer Takt. [`open_target`] and [`running_window`] need none: what is opened from outside, and by whom.
//!
//! What every part uses stands here: [`Problem`], the one error that leaves, with its [`Code`]; [`Home`], [`Clock`], [`Words`]. No modules
//! use each other in a circle.

pub mod contracts;
mod engine;
pub mod logging;
pub mod maintenance;
mod open;
pub mod open_target;
pub mod order;
mod policy;
pub mod rehearsal;
pub mod running_window;
pub mod shop_floor;
pub mod site_file;
pub mod team;
pub mod update;

pub use engine::{Engine, EngineConfig};
pub use takt_client::Canceller;
pub use takt_core::blocking::run_blocking;
pub use takt_core::{Clock, Code, ExportFormat, Home, Language, Problem, Words, hex::hex, words::name as name_of};

/// Where Takt talks to: settings, secrets, signing in and out, tests.
pub mod sites {
    pub use takt_sites::{
        ClientAuthentication, ConnectionCheck, ConnectionPart, ConnectionStep, IgnoredHeader, LimitView,
        NetworkSettings, OnSiteWait, PendingSignIn, RedirectSender, SIGN_IN_HINT_DELAY, SignInSettings, Site, SiteKind,
        SiteSaveResult, SiteSecrets, SiteTest, SiteView, Sites, StepOutcome, VaultPlace,
    };
}

/// What sites hold: lists read page by page, sets of rows, tables and files of them, reference data for checks.
pub mod browse {
    pub use takt_browse::{
        Browse, BrowseEnd, BrowseProgress, BrowseQuery, References, RowSet,
        browse::{
            ArrangedRows, Arrangement, BarPlace, BrowsePage, ColumnLayout, EXPORTED, ExportRequest, Filter, ListFilter,
            MovedBar, NamedSpan, NamedView, PageResult, ReadFilters, RowCut, SortBy, SpanForm, StreamForm,
            StreamResult, TableRows, TableView, TableViews, Test, TextPiece, ValueCount, WholeRow,
        },
    };
}

/// Queries in GraphQL: their answers, the schema, saved queries.
pub mod graphql {
    pub use takt_browse::{
        GraphQl,
        graphql::{
            GraphqlAnswer, GraphqlColumn, GraphqlEditorState, GraphqlError, GraphqlList, GraphqlRequest, GraphqlResult,
            GraphqlRows, GraphqlSchema, GraphqlTable, QueryHistoryEntry, SavedQuery, TypedQuery,
        },
    };
}

/// Pictures of rows that were read.
pub mod picture {
    pub use takt_browse::{
        Pictures,
        picture::{BarsView, DrawnPicture, Measure, PictureQuery, PictureView, PlanStatus, SpansView, WeekView},
    };
}

/// From a workbook to items: columns, rows, findings, fixes, the plan.
pub mod import {
    pub use takt_import::{
        ImportSites, ImportSources, ImportView, Imports, ItemSet, StepItems,
        import::{
            Blank, Candidate, CellHelp, CellPlace, CellSearch, ChangeKind, ColumnView, ContestedField, DraftView,
            Drafts, EarlierDraft, Facet, FieldValue, FieldValues, FieldView, Fields, FileState, Finding, FindingKind,
            FindingValue, FindingValues, Fix, FixedBy, FormatCertainty, FormatChoice, FormatExample, FormatKind,
            FormatView, FoundCells, FoundFix, FromRows, GridCell, GridPage, GridRow, HeadRow, ImportCounts, ImportId,
            ImportPosition, ImportProgress, ImportSite, ItemStream, ItemWait, JoinedColumns, JoinedView, LayoutChange,
            LettersCell, LettersView, MappingChange, MappingError, MappingFile, MatchReason, MergedView, OpenWatch,
            Original, PartChoice, PlanMapping, PlanStep, PredecessorValues, Proposal, QuoteView, ReadingView,
            RecentFileView, Replacement, RestoredDraft, RowChange, RowChoice, RowFilter, RowSort, RowState, SavedCopy,
            SenseView, SheetView, SiteItems, StepPart, StepState, TextChange, TextReading, UncheckedField,
            UncheckedReason, file_hash, file_start_hash,
        },
    };
}

/// What is sent for a row, what became of it, and what is wrong or doubtful at its cells.
pub mod item {
    pub use takt_core::{Change, ExcelRow, FindingCode, Item, ItemComparison, ItemError, RowId, RowResult, Severity};
}

/// What sending an import would change.
pub mod preview {
    pub use takt_submit::{
        Previews,
        preview::{
            AlarmKind, ChangedField, ConflictChoice, ConflictReason, PreparedItems, PreviewAlarm, PreviewChoice,
            PreviewCounts, PreviewField, PreviewKind, PreviewPage, PreviewProgress, PreviewRow, PreviewStep,
            PreviewView,
        },
    };
}

/// What was sent and is sent: progress, results of rows, decisions, taking back.
pub mod submission {
    pub use takt_journal::approval::ApprovalDecision;
    pub use takt_journal::{
        ClaimChoice, PlanId, Relation, ResultCounts, SubmissionId, SubmissionOrigin, SubmissionState,
    };
    pub use takt_submit::{
        Submissions,
        submission::{
            ApprovalPage, ApprovalView, BatchView, Decision, DeletedView, DeletedWorkbook, PlanView, RequestBody,
            RequestClass, RequestPage, ResultPage, ResultRow, SentRequest, SubmissionRequest, SubmissionView,
            UnconfirmedTotal, UnconfirmedTotals, UndoRow, UndoView,
        },
    };
}

/// What was submitted before, found again and taken along.
pub mod history {
    pub use takt_submit::{
        History,
        history::{BundleChoice, HistoryList, HistoryQuery, SubmissionContext},
    };
}

/// Templates, their links to processes, and deleting these.
pub mod cleanup {
    pub use takt_submit::{
        Templates,
        cleanup::{
            Affected, AffectedOrder, DeletedTable, FacetAbout, FacetKind, GoingLinks, IdList, Ids, Links, OrderStage,
            ProcessSum, TemplateFacet, TemplateSet, TemplateSum, TemplateUseView, TemplatesProgress, TemplatesView,
            UnreadIds, links_to_items, parse_template_ids, write_template_ids,
        },
        link::{CleanupLink, Link},
    };
}

/// Events: the receiver, what came, what was answered, replays.
pub mod inbox {
    pub use takt_inbox::{
        EventInbox,
        events::{
            AnsweredBy, EventAnswer, EventDetail, EventGap, EventLine, EventList, EventQuery, EventState, FaultCode,
            MatchedRule, RuleFailure, RuleFault, RulePart, SignatureState,
        },
        inbox::{Destination, Receiver, ReceiverSettings, Receiving, RefusedCounts, Replay, ReplayPlan, ReplayResult},
    };
    pub use takt_journal::Availability;
}

/// The rules by which events that ask are answered.
pub mod answers {
    pub use takt_inbox::{
        AnswerRules,
        answers::{
            AnswerRule, RuleCheck, RuleSet, RuleTrial, RuleWords, Rules, RulesFailing, Trial, TrialChange,
            TrialProgress,
        },
    };
}

/// To whom events are sent on.
pub mod forward {
    pub use takt_inbox::{
        ForwardTargets,
        inbox::{
            Fault, ForwardStop, ForwardTarget, ForwardTiming, ForwardedEvent, IdleReason, TargetMiss, TargetSettings,
            TargetStart, TargetState, TestSent, forward_fault_text,
        },
    };
}

/// What the service's interface says of operations and fields.
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
    pub use takt_sites::sites::{ContractVersion, DriftEntry, flush_drift};
}

/// What talks to services: the vault, limits of time, what is removed from texts.
pub mod client {
    pub use takt_client::{
        FAILPOINTS, Failpoints, REMOVED, Redactor, Secret, SecretStorage, Timeouts, Vault, VaultError,
        sign_in::Revocation,
    };
}

/// This computer: the browser, the account, private files, the process that reads files.
pub mod system {
    pub use takt_core::{
        browser::{open_file, open_in_browser, show_in_folder},
        check_system_clock,
        output_file::write_file,
        person::account_name,
    };
    pub use takt_journal::private::{create_private_folder, open_private_file};
    pub use takt_sheet::writer::write_whole;
    pub use takt_sheet::{ReaderProcess, run_if_reader_process};
}
