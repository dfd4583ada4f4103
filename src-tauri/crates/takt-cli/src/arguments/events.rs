//! The arguments of `takt listen`, `takt events` and `takt replay`.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, ValueEnum};
use takt_engine::inbox::{EventQuery, EventState};

#[derive(Debug, Args)]
pub(crate) struct ListenArguments {
    /// Where to listen; port 0 takes a free one. An address that isn't this computer's own is reached by others, too
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// A file with the secrets that events are signed with, one in a line; without it those that are kept for the site
    ///
    /// With a secret that begins with `whsec_` events have to be signed as Standard Webhooks has it: delivery id, time and body.
    /// With any other one Takt expects time and body to be signed, and not the id: the same time and body under another id are
    /// taken for the same event, sent again.
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
    /// JSON lines: the address, then every event as it comes, with its body
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which events; without any of these all of the site.
#[derive(Debug, Args)]
pub(crate) struct FilterArguments {
    /// Only events of this number, for example 2; may be repeated
    #[arg(long = "kind", value_name = "NUMBER")]
    pub(crate) kinds: Vec<i32>,
    /// Only those that match the interface description, differ from it, aren't in it, or aren't JSON; may be repeated
    #[arg(long = "state", value_enum, value_name = "STATE")]
    pub(crate) states: Vec<StateArgument>,
    /// Only those of this work station's code
    #[arg(long, value_name = "CODE")]
    pub(crate) station: Option<String>,
    /// Only those with this employee's badge
    #[arg(long, value_name = "BADGE")]
    pub(crate) employee: Option<String>,
    /// Only those that name this work order
    #[arg(long, value_name = "CODE")]
    pub(crate) order: Option<String>,
    /// Only those in which all these words stand, each perhaps only begun
    #[arg(long, value_name = "WORDS")]
    pub(crate) text: Option<String>,
    /// Only those that came at this moment or later: ISO 8601, for example 2026-11-22, 2026-11-22T06:00 or
    /// 2026-11-22T06:00+01:00; without an offset as a clock at the site shows it
    #[arg(long, value_name = "MOMENT")]
    pub(crate) since: Option<String>,
    /// Only those that came before this moment, written alike
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
    /// The number of one event: everything that is known about it
    #[arg(conflicts_with_all = ["FilterArguments", "limit", "format"])]
    pub(crate) event: Option<i64>,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    /// How many, newest first; a file holds all without it
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// A file instead of lines: xlsx, csv, or JSON lines
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub(crate) format: Option<EventFormat>,
    /// Where to write it; without it standard output takes csv and json
    #[arg(long, value_name = "FILE", requires = "format")]
    pub(crate) out: Option<PathBuf>,
    /// JSON lines: one for each event with its body
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
    /// Numbers of events, see `takt events`; they leave in this order. Without any, those that the filters leave, oldest first
    #[arg(conflicts_with = "FilterArguments")]
    pub(crate) events: Vec<i64>,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    /// Where to: an http or https address
    #[arg(long, value_name = "URL", required_unless_present = "target")]
    pub(crate) to: Option<String>,
    /// Where to: a target that events are sent on to, see `takt forward`, with all that goes along
    #[arg(long, value_name = "NAME", conflicts_with = "to")]
    pub(crate) target: Option<String>,
    /// Allows an address elsewhere that begins with http: others can read on the way what is sent
    #[arg(long, conflicts_with = "target")]
    pub(crate) allow_http: bool,
    /// How many leave in a second, at most
    #[arg(long, default_value_t = 10.0, value_name = "N")]
    pub(crate) per_second: f64,
    /// Says what would be sent and where to, and sends nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// One JSON line per event
    #[arg(long)]
    pub(crate) json: bool,
}
