//! The command line's arguments. Names are a stable interface. Doc comments are the texts of `--help`.

mod contract;
mod decisions;
mod environment;
mod events;
mod history;
mod import;
mod list;
mod site;
mod storage;
mod team;
mod watch;

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand};
use takt_engine::submission::SubmissionId;
use takt_plant::{Fault, Pace, RateLimit, Size};

use crate::exit_codes;

pub(crate) use contract::{
    ContractCommand, ContractFileArguments, ContractSetArguments, ContractTestArguments, LearnAnswerArguments,
    PagesArguments, RequestPart, ResultsArguments,
};
use decisions::submission_id;
pub(crate) use decisions::{ApproveArguments, DecideArguments, RetryArguments, UndoArguments};
pub(crate) use environment::Variable;
pub(crate) use events::{
    AddTargetArguments, AnswersArguments, AnswersCommand, EventFormat, EventsArguments, ForwardCommand, FromArgument,
    ListenArguments, ReplayArguments, TryArguments,
};
pub(crate) use history::{BundleArguments, HandoverArguments, HistoryArguments};
pub(crate) use import::{ImportArguments, ReadingArguments, TextArguments};
pub(crate) use list::{Format, GraphqlArguments, ListArguments, TemplatesArguments};
pub(crate) use site::{ClientSecretMethod, SiteArguments, SiteCommand, SiteUse, VaultCommand};
pub(crate) use storage::{PurgeArguments, Schedule, StorageArguments, UpdateCheckArguments, UpdateCommand};
pub(crate) use team::{Claimed, TeamCommand};
pub(crate) use watch::{SendRule, WatchArguments};

/// Planner's console for a shop-floor production-execution service.
///
/// Without --site, commands use the practice plant. It runs inside this program and needs no sign-in.
#[derive(Debug, Parser)]
#[command(name = "takt", version, max_term_width = 110, after_long_help = exit_codes::help_text())]
pub(crate) struct Arguments {
    /// Site to use. Without it, commands use the practice plant
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) site: Option<String>,
    /// Name of a production site, to confirm changes to it. Without it, you're asked to type the name
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) confirm: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the service's operations, and whether each is specified or assumed
    Operations {
        /// List the assumptions about the whole service instead of the operations
        #[arg(long)]
        assumptions: bool,
        /// One JSON line per operation or assumption
        #[arg(long)]
        json: bool,
    },
    /// List, search or print the help pages, or save them as web pages
    Guide(GuideArguments),
    /// Show, check and change a site's interface description
    Contract {
        #[command(subcommand)]
        command: ContractCommand,
    },
    /// Run the practice plant until it is interrupted. One JSON line is printed when it is ready
    Plant(PlantArguments),
    /// Manage sites
    Site {
        #[command(subcommand)]
        command: SiteCommand,
    },
    /// Manage the storage of client secrets and tokens
    Vault {
        #[command(subcommand)]
        command: VaultCommand,
    },
    /// Manage a history that several desks share on PostgreSQL
    Team {
        #[command(subcommand)]
        command: TeamCommand,
    },
    /// Sign in to a site with the system's browser
    SignIn {
        /// Print the address instead of opening the browser
        #[arg(long)]
        no_browser: bool,
        /// Read the browser's final address from standard input, for browsers that can't reach this computer
        #[arg(long)]
        paste: bool,
        /// File for the exchange with the sign-in service, without secrets. It is also written after a failure
        #[arg(long, value_name = "FILE")]
        transcript: Option<PathBuf>,
    },
    /// Sign out of a site and delete its tokens
    SignOut,
    /// Print a workbook's cells as Takt reads them. Nothing is sent
    Cells {
        /// Workbook (xlsx, xlsm, xlsb, xls, ods or csv)
        file: PathBuf,
        /// Sheet to print. Without it, all sheets are printed
        #[arg(long)]
        sheet: Option<String>,
        #[command(flatten)]
        text: TextArguments,
        /// One JSON line per row
        #[arg(long)]
        json: bool,
    },
    /// Read, map and check a workbook. Nothing is sent
    Check {
        #[command(flatten)]
        import: ImportArguments,
        /// Operation for the rows, see `takt operations`. Without it, the best match of each sheet
        #[arg(long, value_name = "OPERATION")]
        to: Option<String>,
        /// File for the mapping that was used, which --mapping accepts
        #[arg(long, value_name = "FILE")]
        save_mapping: Option<PathBuf>,
        /// File for a copy of the workbook with each row's status and reasons. The extension follows the content
        #[arg(long, value_name = "OUT.xlsx")]
        report: Option<PathBuf>,
        /// Check without a connection to the site. Only values that were loaded earlier are used
        #[arg(long)]
        offline: bool,
        /// JSON lines with errors and warnings, then a summary
        #[arg(long)]
        json: bool,
    },
    /// Save a blank workbook for an operation, with notes, value lists and an example row
    Template {
        /// Operation, see `takt operations`
        operation: String,
        /// Output file. Without it, OPERATION.xlsx in the current folder
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Show what sending a workbook would change at the site. Nothing is sent
    Preview {
        #[command(flatten)]
        import: ImportArguments,
        /// Operation for the rows, see `takt operations`. Without it, the best match of each sheet
        #[arg(long, value_name = "OPERATION")]
        to: Option<String>,
        /// JSON lines with all rows except unchanged ones, then a summary
        #[arg(long)]
        json: bool,
    },
    /// Send a workbook's rows and show the result of each
    Sync(SyncArguments),
    /// Check each workbook in a folder, send it with --send, and save its result next to it
    Watch(WatchArguments),
    /// Continue a submission with its pending rows, for all sheets of the workbook
    Resume {
        /// Number of the submission, see `takt history`. Without it, the latest one with pending rows
        #[arg(value_parser = submission_id())]
        submission: Option<SubmissionId>,
        /// Only check unconfirmed rows, and send rows again that didn't arrive
        #[arg(long)]
        find_out: bool,
        /// Handling of rows that another desk of the team is sending
        #[arg(long, value_name = "WHAT", default_value = "refuse", conflicts_with = "find_out")]
        claimed: Claimed,
        /// JSON lines with rejected and unconfirmed rows, then a summary
        #[arg(long)]
        json: bool,
    },
    /// Send rejected rows again, unchanged or from a corrected file
    Retry(RetryArguments),
    /// Decide about unconfirmed rows that Takt can't check
    Decide(DecideArguments),
    /// List submissions that wait for approval, or approve or decline one
    Approve(ApproveArguments),
    /// Undo a submission by restoring the previous values. Rows that can't be restored, or were changed since, are
    /// listed
    Undo(UndoArguments),
    /// List past submissions, newest first, or show one of them
    History(HistoryArguments),
    /// Save a workbook for the next shift with all submissions, their changes, and rejected, unconfirmed or pending
    /// rows
    Handover(HandoverArguments),
    /// Save a file for support with versions, sites, history and submissions. All values are masked
    Bundle(BundleArguments),
    /// Show the size of Takt's folder and its backups, and show or change the retention of rows and events
    Storage(StorageArguments),
    /// Check for a newer version of Takt
    Update {
        #[command(subcommand)]
        command: UpdateCommand,
    },
    /// Remove old rows, requests and events, except those that are pending, unconfirmed or still needed
    Purge(PurgeArguments),
    /// Open workbooks, or links to orders and submissions, in the window. The window is started if it isn't running
    Open {
        /// Workbooks, or links that begin with `takt://`
        #[arg(required = true)]
        targets: Vec<String>,
    },
    /// Show an order's rows in each list, and the submissions that contain it
    Order {
        /// Code of the order
        code: String,
        /// JSON lines with the rows of each list, then one with the submissions
        #[arg(long)]
        json: bool,
    },
    /// Sum up templates, and find missing times, duplicates and orphans
    Templates(TemplatesArguments),
    /// Load a list from the service
    List(ListArguments),
    /// Run a GraphQL query
    Graphql(GraphqlArguments),
    /// Receive and store the site's events until it is interrupted
    Listen(ListenArguments),
    /// List received events, newest first, or show one of them
    Events(EventsArguments),
    /// Show the state of each work station according to the received events. Times are in UTC
    Floor {
        /// One JSON object with the stations, their orders and alerts, and the age of the data
        #[arg(long)]
        json: bool,
    },
    /// Show or replace the rules that answer events
    Answers(AnswersArguments),
    /// Send received events again, marked as a replay
    Replay(ReplayArguments),
    /// Forward the site's events to other systems, for example to an ERP
    Forward {
        #[command(subcommand)]
        command: ForwardCommand,
    },
    /// Write the reference, man pages and shell completions to a folder, see `cargo xtask reference`
    #[command(hide = true)]
    Generate {
        /// Output folder
        folder: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct GuideArguments {
    /// Page to print, for example `check`. Without it, all pages are listed
    #[arg(value_name = "PAGE", conflicts_with_all = ["find", "save"])]
    pub(crate) page: Option<String>,
    /// Words to search for. Pages that contain all of them are listed
    #[arg(long, value_name = "WORDS", conflicts_with = "save")]
    pub(crate) find: Option<String>,
    /// Folder for all pages in all languages, as web pages
    #[arg(long, value_name = "FOLDER")]
    pub(crate) save: Option<PathBuf>,
    /// One JSON line per page
    #[arg(long, conflicts_with = "save")]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlantArguments {
    /// Site to copy for a rehearsal. The plant starts with the site's lists and interface description. It is added as
    /// the site "NAME rehearsal" and signed in to
    #[arg(long, value_name = "NAME", conflicts_with_all = ["data", "seed", "size", "time_zone", "site"])]
    pub(crate) from_site: Option<String>,
    /// Replace people's names and badges in the copy with numbers. Free texts remain unchanged
    #[arg(long, requires = "from_site")]
    pub(crate) mask_people: bool,
    /// Address to listen on. Port 0 selects a free port
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// Folder for the plant's state. Without it, the state is lost when the plant ends
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,
    /// Seed of the generated rows. The same seed generates the same rows
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Amount of data (small, factory or large)
    #[arg(long, default_value = "small")]
    pub(crate) size: Size,
    /// Time zone of date-times without an offset, as an IANA name
    #[arg(long, default_value = "UTC", value_name = "ZONE")]
    pub(crate) time_zone: String,
    /// Plant clock: idle (real time without work), stopped, or the speed of a simulated day
    #[arg(long, default_value = "idle", value_name = "idle|stopped|SPEED")]
    pub(crate) clock: Pace,
    /// Allowed requests per token and period in seconds, for example 600/60
    #[arg(long, value_name = "N/SECONDS")]
    pub(crate) rate_limit: Option<RateLimit>,
    /// Lifetime of access tokens, in seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) token_lifetime: Option<u64>,
    /// Allowed redirect address in addition to the built-in ones (repeatable). On loopback, any port is allowed without
    /// --fault exact-redirect
    #[arg(long = "redirect-uri", value_name = "URL")]
    pub(crate) redirect_uris: Vec<String>,
    /// Fault and its probability, for example error-500:0.1 or latency=50 (repeatable)
    #[arg(long = "fault", value_name = "KIND:PROBABILITY")]
    pub(crate) faults: Vec<Fault>,
    /// Seed of the faults. The same seed causes the same faults
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) fault_seed: u64,
    /// Address that receives events, http or https (repeatable)
    #[arg(long = "events", value_name = "URL")]
    pub(crate) targets: Vec<String>,
    /// File whose first line is the secret for signing events. Without it, events aren't signed. A secret that begins
    /// with `whsec_` signs as specified by Standard Webhooks
    #[arg(long, value_name = "FILE", requires = "targets")]
    pub(crate) events_secret_file: Option<PathBuf>,
}

#[derive(Debug, Default, Args)]
pub(crate) struct SyncArguments {
    #[command(flatten)]
    pub(crate) import: ImportArguments,
    /// Operation for the rows, see `takt operations`. Without it, the best match of each sheet, in dependency order
    #[arg(long, value_name = "OPERATION")]
    pub(crate) to: Option<String>,
    /// Rows per request
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch_size: Option<u32>,
    /// Number of rows or groups of rows to send as a test. The others wait for `takt resume`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) trial: Option<u32>,
    /// Number of an earlier submission whose operation and mapping are used again
    #[arg(long, value_name = "SUBMISSION", value_parser = submission_id(), conflicts_with_all = ["to", "mapping"])]
    pub(crate) like: Option<SubmissionId>,
    /// Don't check unconfirmed rows
    #[arg(long, alias = "leave-doubt")]
    pub(crate) leave_unconfirmed: bool,
    /// Send without asking. A production site also needs --confirm
    #[arg(long)]
    pub(crate) yes: bool,
    /// Don't load the site's values first
    #[arg(long)]
    pub(crate) without_lookup: bool,
    /// Don't preview the changes first. Unchanged rows are sent, too, and nothing can be undone
    #[arg(long)]
    pub(crate) no_preview: bool,
    /// Also send unchanged rows
    #[arg(long)]
    pub(crate) send_same: bool,
    /// Also send rows in conflict. They would change locked values, or values that were changed at the site since the
    /// export. Without this option and --skip-conflicts, they stop the run
    #[arg(long)]
    pub(crate) send_conflicts: bool,
    /// Skip rows in conflict and send the others
    #[arg(long, conflicts_with_all = ["send_conflicts", "no_preview", "without_lookup"])]
    pub(crate) skip_conflicts: bool,
    /// Also send rows of a delete that couldn't be compared with the site. They can't be undone. Without this option,
    /// they stop the run. Rows of other operations are always sent
    #[arg(long, conflicts_with_all = ["no_preview", "without_lookup"])]
    pub(crate) send_unchecked: bool,
    /// Skip rows with errors instead of stopping. Rows in conflict aren't affected
    #[arg(long)]
    pub(crate) skip_errors: bool,
    /// Send nothing if these sheets of a file with the same content were sent to the site before
    #[arg(long)]
    pub(crate) if_changed: bool,
    /// Handling of rows that another desk of the team is sending
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    pub(crate) claimed: Claimed,
    /// File for each row's result. For xlsx and xlsm, it is a copy of the workbook
    #[arg(long, value_name = "OUT.xlsx")]
    pub(crate) report: Option<PathBuf>,
    /// JSON lines with rejected and unconfirmed rows, then a summary
    #[arg(long)]
    pub(crate) json: bool,
}

impl Command {
    /// Returns whether the command prints JSON.
    pub(crate) fn prints_json(&self) -> bool {
        match self {
            Self::Operations { json, .. }
            | Self::Guide(GuideArguments { json, .. })
            | Self::Site { command: SiteCommand::List { json } | SiteCommand::Check { json, .. } }
            | Self::Vault { command: VaultCommand::Status { json } }
            | Self::Team { command: TeamCommand::Check { json } | TeamCommand::Changes { json, .. } }
            | Self::Cells { json, .. }
            | Self::Check { json, .. }
            | Self::Preview { json, .. }
            | Self::Order { json, .. }
            | Self::Listen(ListenArguments { json, .. })
            | Self::Events(EventsArguments { json, .. })
            | Self::Floor { json }
            | Self::Replay(ReplayArguments { json, .. })
            | Self::Forward { command: ForwardCommand::List { json } | ForwardCommand::Status { json, .. } }
            | Self::Answers(
                AnswersArguments { command: Some(AnswersCommand::Try(TryArguments { json, .. })), .. }
                | AnswersArguments { command: None, json, .. },
            )
            | Self::Sync(SyncArguments { json, .. })
            | Self::Watch(WatchArguments { json, .. })
            | Self::Resume { json, .. }
            | Self::Retry(RetryArguments { json, .. })
            | Self::Decide(DecideArguments { json, .. })
            | Self::Approve(ApproveArguments { json, .. })
            | Self::Undo(UndoArguments { json, .. })
            | Self::History(HistoryArguments { json, .. })
            | Self::Storage(StorageArguments { json, .. })
            | Self::Purge(PurgeArguments { json, .. })
            | Self::Update { command: UpdateCommand::Check(UpdateCheckArguments { json, .. }) }
            | Self::Templates(TemplatesArguments { json, .. }) => *json,
            Self::List(arguments) => arguments.output_format() == Format::Json,
            Self::Graphql(arguments) => arguments.format == Format::Json,
            Self::Contract { .. }
            | Self::Generate { .. }
            | Self::Forward { .. }
            | Self::Plant(_)
            | Self::Site { .. }
            | Self::Vault { .. }
            | Self::Team { .. }
            | Self::Open { .. }
            | Self::SignIn { .. }
            | Self::SignOut
            | Self::Handover(_)
            | Self::Bundle(_)
            | Self::Template { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn clap_finds_nothing_wrong() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_site_can_be_named_before_and_after_the_command() {
        for line in [["takt", "--site", "works", "sign-out"], ["takt", "sign-out", "--site", "works"]] {
            assert_eq!(Arguments::try_parse_from(line).unwrap().site.as_deref(), Some("works"));
        }
    }
}
