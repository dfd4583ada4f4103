//! The command line's arguments. Names are a stable interface. Doc comments are the texts of `--help`.

mod answers;
mod contract;
mod contract_set;
mod decisions;
mod environment;
mod events;
mod forward;
mod graphql;
mod guide;
mod history;
mod import;
mod list;
mod site;
mod storage;
mod team;
mod templates;
mod update;
mod watch;

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand};
use takt_engine::submission::SubmissionId;
use takt_plant::{Fault, Pace, RateLimit, Size};

use crate::ending::exit_codes;

pub(crate) use answers::{AnswersArguments, AnswersCommand, TryArguments};
pub(crate) use contract::{ContractCommand, ContractFileArguments, ContractTestArguments, LearnAnswerArguments};
pub(crate) use contract_set::{ContractSetArguments, PagesArguments, QuestionPlace, ResultsArguments};
use decisions::submission_id;
pub(crate) use decisions::{ApproveArguments, DecideArguments, RetryArguments, UndoArguments};
pub(crate) use environment::Variable;
pub(crate) use events::{EventFormat, EventsArguments, ListenArguments, ReplayArguments};
pub(crate) use forward::{AddTargetArguments, ForwardCommand, FromArgument};
pub(crate) use graphql::GraphqlArguments;
pub(crate) use guide::GuideArguments;
pub(crate) use history::{BundleArguments, HandoverArguments, HistoryArguments};
pub(crate) use import::{ImportArguments, ReadingArguments, TextArguments};
pub(crate) use list::{Format, ListArguments};
pub(crate) use site::{Kind, SecretPlace, SiteArguments, SiteCommand, VaultCommand};
pub(crate) use storage::{PurgeArguments, Schedule, StorageArguments};
pub(crate) use team::{Claimed, TeamCommand};
pub(crate) use templates::TemplatesArguments;
pub(crate) use update::{UpdateCheckArguments, UpdateCommand};
pub(crate) use watch::{SendRule, WatchArguments};

/// The planner's console for a shop-floor production-execution service.
///
/// Without --site everything talks to the practice plant, which runs inside this program and needs no sign-in.
#[derive(Debug, Parser)]
#[command(name = "takt", version, max_term_width = 110, after_long_help = exit_codes())]
pub(crate) struct Arguments {
    /// The site to talk to; without it the practice plant
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) site: Option<String>,
    /// The name of a production site once more: nothing is written to one without it, or without its name typed at the terminal
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) confirm: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What the service can do, and who says so
    Operations {
        /// Lists the assumptions about the whole service instead of the operations
        #[arg(long)]
        assumptions: bool,
        /// One JSON line per operation or assumption
        #[arg(long)]
        json: bool,
    },
    /// The help as it stands in the window: its pages, one of them, or all as web pages
    Guide(GuideArguments),
    /// The interface description in use
    Contract {
        #[command(subcommand)]
        command: ContractCommand,
    },
    /// Runs the practice plant alone, until it is interrupted; prints one JSON line when it is ready
    Plant(PlantArguments),
    /// The services that Takt knows
    Site {
        #[command(subcommand)]
        command: SiteCommand,
    },
    /// Where client secrets and tokens are kept
    Vault {
        #[command(subcommand)]
        command: VaultCommand,
    },
    /// A history that several desks share, on PostgreSQL
    Team {
        #[command(subcommand)]
        command: TeamCommand,
    },
    /// Signs in through the system's browser
    SignIn {
        /// Only print the address to open
        #[arg(long)]
        no_browser: bool,
        /// Where the browser can't come back to this computer: read the address on which it ended from standard input
        #[arg(long)]
        paste: bool,
        /// A file to write what was said between Takt and the sign-in service to, without secrets, also where it fails
        #[arg(long, value_name = "FILE")]
        transcript: Option<PathBuf>,
    },
    /// Forgets the tokens of a site
    SignOut,
    /// What Takt sees in a workbook, cell by cell; sends nothing
    Cells {
        file: PathBuf,
        /// Only this sheet
        #[arg(long)]
        sheet: Option<String>,
        #[command(flatten)]
        text: TextArguments,
        /// One JSON line per row
        #[arg(long)]
        json: bool,
    },
    /// Reads, maps and checks a workbook; sends nothing
    Check {
        #[command(flatten)]
        import: ImportArguments,
        /// The operation that the rows are for; without it the best match, of each sheet where there are several
        #[arg(long, value_name = "OPERATION")]
        to: Option<String>,
        /// Writes the mapping that was used, for --mapping
        #[arg(long, value_name = "FILE")]
        save_mapping: Option<PathBuf>,
        /// A copy of the workbook to write, with each row's status and reasons beside it; the extension follows the content
        #[arg(long, value_name = "OUT.xlsx")]
        report: Option<PathBuf>,
        /// Asks no service: what only the site knows isn't checked, or against what was read of it before
        #[arg(long)]
        offline: bool,
        /// JSON lines: errors and warnings, then a summary
        #[arg(long)]
        json: bool,
    },
    /// Writes a blank workbook to fill in for an operation, with notes, lists to choose from and an example row
    Template {
        /// The operation, see `takt operations`
        operation: String,
        /// The file to write; without it OPERATION.xlsx here
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// What sending a workbook would change on the site, old beside new; sends nothing
    Preview {
        #[command(flatten)]
        import: ImportArguments,
        /// The operation that the rows are for; without it the best match, of each sheet where there are several
        #[arg(long, value_name = "OPERATION")]
        to: Option<String>,
        /// JSON lines: a row that isn't the same, then a summary
        #[arg(long)]
        json: bool,
    },
    /// Sends a workbook's rows, and tells what became of each
    Sync(SyncArguments),
    /// Checks each workbook that comes into a folder, sends it where told so, and writes its result beside it
    Watch(WatchArguments),
    /// Continues with the rows that are still pending; for a workbook of several sheets, with all of them
    Resume {
        /// Its number, see `takt history`; without it the latest that has rows pending
        #[arg(value_parser = submission_id())]
        submission: Option<SubmissionId>,
        /// Only finds out what became of unconfirmed rows, and sends again what turns out not to have arrived
        #[arg(long)]
        find_out: bool,
        /// What to do about rows that another desk of the team is sending at this moment
        #[arg(long, value_name = "WHAT", default_value = "refuse", conflicts_with = "find_out")]
        claimed: Claimed,
        /// JSON lines: rejected and unconfirmed rows, then a summary
        #[arg(long)]
        json: bool,
    },
    /// Sends the rows that were rejected, and no others: as they were, or as a corrected file has them
    Retry(RetryArguments),
    /// Says what became of unconfirmed rows, where only a person can tell
    Decide(DecideArguments),
    /// Shows what waits for a second person, approves it, or declines it
    Approve(ApproveArguments),
    /// Undoes a submission: restores earlier values, and says what can't be restored or was changed since
    Undo(UndoArguments),
    /// Past submissions, newest first; of one of them everything that is known
    History(HistoryArguments),
    /// Writes the sheet for the next shift: who sent what, what it changed, and what still fails, is unconfirmed or waits
    Handover(HandoverArguments),
    /// Saves a file for support: versions, sites, history and submissions, with all values masked
    Bundle(BundleArguments),
    /// What Takt's folder takes, its backups, and how long rows and events are kept
    Storage(StorageArguments),
    /// Whether there is a newer version of Takt
    Update {
        #[command(subcommand)]
        command: UpdateCommand,
    },
    /// Removes rows, requests and events that are old; never what is pending, unconfirmed or still needed
    Purge(PurgeArguments),
    /// Opens a workbook, or a link to an order or a submission, in the window; starts it where none runs
    Open {
        /// Workbooks, or links that begin with `takt://`
        #[arg(required = true)]
        targets: Vec<String>,
    },
    /// Everything that is known about one order: what each list says of it, and what was sent
    Order {
        code: String,
        /// JSON lines: one for each list with its rows, then the submissions that touched it
        #[arg(long)]
        json: bool,
    },
    /// What templates hold, summed up, with what is worth a look among them: no times, duplicates, orphans
    Templates(TemplatesArguments),
    /// Reads what the service holds
    List(ListArguments),
    /// Asks the service by GraphQL
    Graphql(GraphqlArguments),
    /// Receives the site's events and keeps each, until it is interrupted
    Listen(ListenArguments),
    /// Events that were received, newest first; of one of them everything that is known
    Events(EventsArguments),
    /// What runs, is paused or is alarmed on each work station, as the events that were received have it; times in UTC
    Floor {
        /// One JSON object: the stations with their orders and alerts, and how old that knowledge is
        #[arg(long)]
        json: bool,
    },
    /// The rules that answer events that ask: what is in force, or puts others in force
    Answers(AnswersArguments),
    /// Sends events that were received once more, marked as a replay
    Replay(ReplayArguments),
    /// Sends the site's events on to others as they come, for example to an ERP
    Forward {
        #[command(subcommand)]
        command: ForwardCommand,
    },
    /// Writes the reference, man pages and completions for shells to a folder; see `cargo xtask reference`
    #[command(hide = true)]
    Generate {
        /// The folder
        folder: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PlantArguments {
    /// Starts with the rows of this site's lists and follows its interface description: a copy to rehearse on. It becomes the site "NAME
    /// rehearsal", signed in to
    #[arg(long, value_name = "NAME", conflicts_with_all = ["data", "seed", "size", "time_zone", "site"])]
    pub(crate) from_site: Option<String>,
    /// Puts numbers in place of people's names and badges in the copy; free texts stay
    #[arg(long, requires = "from_site")]
    pub(crate) mask_people: bool,
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// The folder in which its state survives a restart; without it everything is in memory
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,
    /// Same seed, same rows
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many rows: small, factory or large
    #[arg(long, default_value = "small")]
    pub(crate) size: Size,
    /// The zone of date-times without an offset, as an IANA name
    #[arg(long, default_value = "UTC", value_name = "ZONE")]
    pub(crate) time_zone: String,
    /// How its own time passes: idle (as outside, nobody works), stopped, or a speed at which the day plays by itself
    #[arg(long, default_value = "idle", value_name = "idle|stopped|SPEED")]
    pub(crate) clock: Pace,
    /// Requests allowed per token in so many seconds, for example 600/60
    #[arg(long, value_name = "N/SECONDS")]
    pub(crate) rate_limit: Option<RateLimit>,
    /// How long an access token lives
    #[arg(long, value_name = "SECONDS")]
    pub(crate) token_lifetime: Option<u64>,
    /// An address to which the sign-in page may send a browser back, beside the built-in ones; on loopback any port will
    /// do unless --fault exact-redirect; may be repeated
    #[arg(long = "redirect-uri", value_name = "URL")]
    pub(crate) redirect_uris: Vec<String>,
    /// What goes wrong, for example error-500:0.1 or latency=50; may be repeated
    #[arg(long = "fault", value_name = "KIND:PROBABILITY")]
    pub(crate) faults: Vec<Fault>,
    /// Same seed, same faults
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) fault_seed: u64,
    /// Where events are sent to, an http or https address; may be repeated
    #[arg(long = "events", value_name = "URL")]
    pub(crate) targets: Vec<String>,
    /// A file whose first line is the secret with which events are signed; without it they aren't. One that begins with `whsec_`
    /// signs as Standard Webhooks has it
    #[arg(long, value_name = "FILE", requires = "targets")]
    pub(crate) events_secret_file: Option<PathBuf>,
}

#[derive(Debug, Default, Args)]
pub(crate) struct SyncArguments {
    #[command(flatten)]
    pub(crate) import: ImportArguments,
    /// The operation that the rows are for, see `takt operations`; without it the best match of each sheet, in the order of
    /// what refers to what
    #[arg(long, value_name = "OPERATION")]
    pub(crate) to: Option<String>,
    /// Rows per request
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch_size: Option<u32>,
    /// A trial run: so many rows or groups of rows go first, the rest waits for `takt resume`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) trial: Option<u32>,
    /// The same as that submission did, with this file: its operation and its mapping
    #[arg(long, value_name = "SUBMISSION", value_parser = submission_id(), conflicts_with_all = ["to", "mapping"])]
    pub(crate) like: Option<SubmissionId>,
    /// Don't find out what became of unconfirmed rows
    #[arg(long, alias = "leave-doubt")]
    pub(crate) leave_unconfirmed: bool,
    /// Send without asking; a production site needs --confirm, too
    #[arg(long)]
    pub(crate) yes: bool,
    /// Don't look first at what the site holds
    #[arg(long)]
    pub(crate) without_lookup: bool,
    /// Don't preview the changes first: unchanged rows are sent too, and nothing can be undone
    #[arg(long)]
    pub(crate) no_preview: bool,
    /// Send also the rows that would change nothing
    #[arg(long)]
    pub(crate) send_same: bool,
    /// Send also the rows in conflict: those that would change what is locked, or what was changed on the site since it was
    /// exported. Without this and --skip-conflicts they stop the run
    #[arg(long)]
    pub(crate) send_conflicts: bool,
    /// Leave out the rows in conflict and send the others; never beside --send-conflicts
    #[arg(long, conflicts_with_all = ["send_conflicts", "no_preview", "without_lookup"])]
    pub(crate) skip_conflicts: bool,
    /// Send also the rows of a delete that couldn't be compared with the site: they can't be undone. Without this they stop the
    /// run. Rows of other operations are sent in any case
    #[arg(long, conflicts_with_all = ["no_preview", "without_lookup"])]
    pub(crate) send_unchecked: bool,
    /// Leave out rows with errors instead of stopping; says nothing of rows in conflict
    #[arg(long)]
    pub(crate) skip_errors: bool,
    /// Sends nothing where exactly this file was sent to the site before, whatever its name
    #[arg(long)]
    pub(crate) if_changed: bool,
    /// What to do about rows that another desk of the team is sending at this moment
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    pub(crate) claimed: Claimed,
    /// A workbook to write every row's result to; for xlsx and xlsm a copy of the file with each row's result beside it
    #[arg(long, value_name = "OUT.xlsx")]
    pub(crate) report: Option<PathBuf>,
    /// JSON lines: rejected and unconfirmed rows, then a summary
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
