//! The arguments of `takt listen`, `takt events`, `takt replay`, `takt forward` and `takt answers`.

use std::{convert::Infallible, net::SocketAddr, path::PathBuf, str::FromStr};

use clap::{Args, Subcommand, ValueEnum};
use takt_engine::inbox::{EventQuery, EventState};

#[derive(Debug, Args)]
pub(crate) struct ListenArguments {
    /// Address to listen on. Port 0 selects a free port. Other computers can reach an address that isn't on loopback
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// File with the secrets for signed events, one per line. Without it, the site's stored secrets are used
    ///
    /// For a secret that begins with `whsec_`, delivery ID, time and body must be signed as specified by Standard
    /// Webhooks. For other secrets, only time and body must be signed. The same time and body with another ID then
    /// count as the same event, sent again.
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
    /// JSON lines with the address, then each event with its body
    #[arg(long)]
    pub(crate) json: bool,
}

/// The filters for events. Without any, all events of the site match.
#[derive(Debug, Args)]
pub(crate) struct FilterArguments {
    /// Number of the kind of event, for example 2 (repeatable)
    #[arg(long = "kind", value_name = "NUMBER")]
    pub(crate) kinds: Vec<i32>,
    /// Result of the check (repeatable): sound (matches the interface description), odd (differs from it), unknown (isn't
    /// in it) or malformed (isn't JSON)
    #[arg(long = "state", value_enum, value_name = "STATE")]
    pub(crate) states: Vec<StateArgument>,
    /// Code of the work station
    #[arg(long, value_name = "CODE")]
    pub(crate) station: Option<String>,
    /// Badge of the employee
    #[arg(long, value_name = "BADGE")]
    pub(crate) employee: Option<String>,
    /// Code of the work order
    #[arg(long, value_name = "CODE")]
    pub(crate) order: Option<String>,
    /// Words that the event contains, or their beginnings
    #[arg(long, value_name = "WORDS")]
    pub(crate) text: Option<String>,
    /// Earliest time of receipt in ISO 8601, for example 2026-11-22, 2026-11-22T06:00 or 2026-11-22T06:00+01:00.
    /// Without an offset, it is the site's local time
    #[arg(long, value_name = "MOMENT")]
    pub(crate) since: Option<String>,
    /// Time of receipt at which the period ends, in the form of --since
    #[arg(long, value_name = "MOMENT")]
    pub(crate) until: Option<String>,
}

impl FilterArguments {
    pub(crate) fn is_empty(&self) -> bool {
        let Self { kinds, states, station, employee, order, text, since, until } = self;
        kinds.is_empty()
            && states.is_empty()
            && [station, employee, order, text, since, until].into_iter().all(Option::is_none)
    }

    /// Returns the query for events of this site, or of all sites if none is named.
    pub(crate) fn query(self, site: Option<String>) -> EventQuery {
        let Self { kinds, states, station, employee, order, text, since, until } = self;
        let states = states.into_iter().map(StateArgument::state).collect();
        EventQuery { site, kinds, states, station, employee, order, text, since, until, ..EventQuery::default() }
    }
}

#[derive(Debug, Args)]
pub(crate) struct EventsArguments {
    /// Number of one event to show
    #[arg(conflicts_with_all = ["FilterArguments", "limit", "format"])]
    pub(crate) event: Option<i64>,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    /// Maximum number of events. Without it, 100 are listed, or all are written to a file
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Format of a file that is written instead of a list
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub(crate) format: Option<EventFormat>,
    /// Output file. Without it, csv and json are written to standard output
    #[arg(long, value_name = "FILE", requires = "format")]
    pub(crate) out: Option<PathBuf>,
    /// One JSON line per event, with its body
    #[arg(long)]
    pub(crate) json: bool,
}

/// The result of checking an event against the interface description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StateArgument {
    Sound,
    Odd,
    Unknown,
    Malformed,
}

impl StateArgument {
    fn state(self) -> EventState {
        match self {
            Self::Sound => EventState::Sound,
            Self::Odd => EventState::Odd,
            Self::Unknown => EventState::Unknown,
            Self::Malformed => EventState::Malformed,
        }
    }
}

/// The format of an events file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventFormat {
    Xlsx,
    Csv,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Numbers of events in the order of sending, see `takt events`. Without numbers, events that match the filters are
    /// sent, oldest first
    #[arg(conflicts_with = "FilterArguments")]
    pub(crate) events: Vec<i64>,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    /// Destination address, http or https
    #[arg(long, value_name = "URL", required_unless_present = "target")]
    pub(crate) to: Option<String>,
    /// Forwarding target as the destination, with its headers and secret, see `takt forward`
    #[arg(long, value_name = "NAME", conflicts_with = "to")]
    pub(crate) target: Option<String>,
    /// Allow an unencrypted http address that isn't on this computer. Others can read the data in transit
    #[arg(long, conflicts_with = "target")]
    pub(crate) allow_http: bool,
    /// Maximum number of events per second
    #[arg(long, default_value_t = 10.0, value_name = "N")]
    pub(crate) per_second: f64,
    /// Show what would be sent, and the destination. Nothing is sent
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// One JSON line per event
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ForwardCommand {
    /// List the targets and their states
    List {
        /// One JSON line per target
        #[arg(long)]
        json: bool,
    },
    /// Add a target. All received events of the site are forwarded to it in order
    ///
    /// Events are forwarded while `takt listen` or the window receives events. Events that the target doesn't accept
    /// are queued, also across restarts. Each event arrives at least once. A repeated event has the same delivery ID.
    Add(AddTargetArguments),
    /// Remove a target and its queued events
    Remove {
        /// Name of the target
        name: String,
    },
    /// Pause a target. Its events are queued
    Pause {
        /// Name of the target
        name: String,
    },
    /// Resume a target with its queued events
    Resume {
        /// Name of the target
        name: String,
        /// Skip the queued events and continue with the next one
        #[arg(long)]
        from_now: bool,
        /// Allow the target's unencrypted http address if it isn't on this computer. Others can read the data in
        /// transit
        #[arg(long)]
        allow_http: bool,
    },
    /// Show a target with its last failure and the events that were set aside
    Status {
        /// Name of the target
        name: String,
        /// One JSON line for the target, then one per event that was set aside
        #[arg(long)]
        json: bool,
    },
    /// Send events again that were set aside, and retry queued events now
    Retry {
        /// Name of the target
        name: String,
        /// Numbers of events that were set aside. Without numbers, all of them
        events: Vec<i64>,
    },
    /// Store a target's headers and secret on this computer
    ///
    /// In a team, each computer that forwards events needs them. Values that you don't pass remain unchanged.
    Secret {
        /// Name of the target
        name: String,
        /// File with headers for each request, one `Name: value` per line
        #[arg(long, value_name = "FILE")]
        header_file: Option<PathBuf>,
        /// File whose first line is the secret for signing events
        #[arg(long, value_name = "FILE")]
        secret_file: Option<PathBuf>,
    },
    /// Send a test event, marked as a test
    Test {
        /// Name of the target
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddTargetArguments {
    /// Name of the target
    pub(crate) name: String,
    /// Address of the target, http or https
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
    /// Allow an unencrypted http address that isn't on this computer. Others can read the data in transit
    #[arg(long)]
    pub(crate) allow_http: bool,
    /// Number of the kind of event, for example 2 (repeatable)
    #[arg(long = "kind", value_name = "NUMBER")]
    pub(crate) kinds: Vec<i32>,
    /// First event to forward: `now` for the next one, `beginning` for the oldest stored one, or a time in ISO 8601.
    /// Without an offset, it is the site's local time
    #[arg(long, default_value = "now", value_name = "WHEN")]
    pub(crate) from: FromArgument,
    /// File with headers for each request, one `Name: value` per line
    #[arg(long, value_name = "FILE")]
    pub(crate) header_file: Option<PathBuf>,
    /// File whose first line is the secret for signing events. Without it, events aren't signed
    ///
    /// A secret that begins with `whsec_` signs delivery ID, time and body as specified by Standard Webhooks. Other
    /// secrets sign time and body.
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
}

/// The first event that a target gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FromArgument {
    Now,
    Beginning,
    Moment(String),
}

impl FromStr for FromArgument {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "now" => Self::Now,
            "beginning" => Self::Beginning,
            moment => Self::Moment(moment.to_owned()),
        })
    }
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AnswersArguments {
    /// File with rules to use from now on. They are tested on past events first
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// File for the current rules, which --rules accepts
    #[arg(long, value_name = "FILE", conflicts_with = "rules")]
    pub(crate) export: Option<PathBuf>,
    /// List the variables of rules, and example rules
    #[arg(long, conflicts_with_all = ["rules", "export"])]
    pub(crate) words: bool,
    /// One JSON line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<AnswersCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AnswersCommand {
    /// Test rules on past events. Nothing is changed
    Try(TryArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TryArguments {
    /// File with rules to test instead of the current ones
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Include events that don't ask for an answer
    #[arg(long)]
    pub(crate) others: bool,
    /// One JSON line
    #[arg(long)]
    pub(crate) json: bool,
}
