//! The arguments of `takt team`, and the choice about rows that another desk is sending.

use clap::{Subcommand, ValueEnum};
use takt_engine::submission::ClaimChoice;

#[derive(Debug, Subcommand)]
pub(crate) enum TeamCommand {
    /// Sets up a PostgreSQL database for a team, or brings it up to date after an update of Takt; once, by whoever owns it
    Init {
        /// `postgres://name@host:5432/database`; the password is asked for, or $`TAKT_TEAM_PASSWORD_FILE` names a file with it
        address: String,
    },
    /// From here on this desk's history, mappings, saved views, events and interface descriptions are the team's
    Join {
        /// `postgres://name@host:5432/database`; the password is asked for, or $`TAKT_TEAM_PASSWORD_FILE` names a file with it
        address: String,
    },
    /// Goes back to the history in Takt's own folder
    Leave,
    /// Has submissions to --site wait until a second person approves them, at every desk; once, by whoever owns the database
    #[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["above", "deletes", "never"]))]
    Approval {
        /// `postgres://name@host:5432/database`; the password is asked for, or $`TAKT_TEAM_PASSWORD_FILE` names a file with it
        address: String,
        /// More rows than these wait
        #[arg(long, value_name = "ROWS")]
        above: Option<u32>,
        /// Everything that deletes waits, however little
        #[arg(long)]
        deletes: bool,
        /// Nothing waits any more
        #[arg(long, conflicts_with_all = ["above", "deletes"])]
        never: bool,
    },
    /// Who changed which mapping, saved view, rules or target of events when, the newest first
    Changes {
        /// The most that are listed
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u32,
        /// JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Puts back what was before a change, at every desk; where it was changed again since, nothing happens
    Restore {
        /// The change, as `takt team changes` lists it
        number: u32,
        /// Restore without asking
        #[arg(long)]
        yes: bool,
    },
    /// What the team's database says of itself: its version, how fast it answers, its clock, its size, and who is sending
    Check {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
}

/// The handling of rows whose keys another desk of the team is sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Claimed {
    /// Nothing is sent
    #[default]
    Refuse,
    /// Waits until they are sent, and sends everything then
    Wait,
    /// Leaves them out, and sends the rest
    LeaveOut,
}

impl From<Claimed> for ClaimChoice {
    fn from(claimed: Claimed) -> Self {
        match claimed {
            Claimed::Refuse | Claimed::Wait => Self::Refuse,
            Claimed::LeaveOut => Self::LeaveOut,
        }
    }
}
