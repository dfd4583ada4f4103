//! The arguments of `takt forward`.

use std::{convert::Infallible, path::PathBuf, str::FromStr};

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum ForwardCommand {
    /// The targets, and how each is doing
    List {
        /// One JSON line per target
        #[arg(long)]
        json: bool,
    },
    /// Adds a target: every event of the site that is received goes there, in the order in which they came
    ///
    /// Events are sent on while `takt listen` or the window receives. What the target doesn't take waits, over restarts too.
    /// Each arrives at least once; one that arrives again has the same delivery id.
    Add(AddTargetArguments),
    /// Removes a target with what waits for it
    Remove {
        /// The target's name
        name: String,
    },
    /// Has events wait
    Pause {
        /// The target's name
        name: String,
    },
    /// Continues with the events that are waiting
    Resume {
        /// The target's name
        name: String,
        /// Skips the events that are waiting and continues with the next one
        #[arg(long)]
        from_now: bool,
        /// Allows its address elsewhere that begins with http: others can read on the way what is sent
        #[arg(long)]
        allow_http: bool,
    },
    /// One target: what it didn't take, and what was set aside
    Status {
        /// The target's name
        name: String,
        /// One JSON line for the target, then one for each event that is set aside
        #[arg(long)]
        json: bool,
    },
    /// Sends what was set aside again, and tries at once what waits
    Retry {
        /// The target's name
        name: String,
        /// Numbers of events that were set aside; without any, all of them
        events: Vec<i64>,
    },
    /// Stores a target's headers and secret on this computer: other ones, or in a team those that another computer has
    ///
    /// In a team each computer that is to send needs them. What isn't given stays.
    Secret {
        /// The target's name
        name: String,
        /// A file with headers that go along, `Name: value` in each line
        #[arg(long, value_name = "FILE")]
        header_file: Option<PathBuf>,
        /// A file whose first line is the secret with which events are signed
        #[arg(long, value_name = "FILE")]
        secret_file: Option<PathBuf>,
    },
    /// Sends a test event, marked as one
    Test {
        /// The target's name
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddTargetArguments {
    /// What the target is called
    pub(crate) name: String,
    /// Its http or https address
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
    /// Allows an address elsewhere that begins with http: others can read on the way what is sent
    #[arg(long)]
    pub(crate) allow_http: bool,
    /// Only events of this number, for example 2; may be repeated
    #[arg(long = "kind", value_name = "NUMBER")]
    pub(crate) kinds: Vec<i32>,
    /// The first event that it gets: `now` for the next one, `beginning` for the oldest that is kept, or a moment (ISO 8601;
    /// without an offset as a clock at the site shows it)
    #[arg(long, default_value = "now", value_name = "WHEN")]
    pub(crate) from: FromArgument,
    /// A file with headers that go along, `Name: value` in each line
    #[arg(long, value_name = "FILE")]
    pub(crate) header_file: Option<PathBuf>,
    /// A file whose first line is the secret with which events are signed; without it they aren't
    ///
    /// One that begins with `whsec_` signs as Standard Webhooks has it (delivery id, time and body), any other one time and body.
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
