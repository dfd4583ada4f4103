//! The arguments of `takt team`, and the choice about rows that another desk is sending.

use clap::{Subcommand, ValueEnum};
use takt_engine::submission::ClaimChoice;

#[derive(Debug, Subcommand)]
pub(crate) enum TeamCommand {
    /// Set up a team's PostgreSQL database, or update it after an update of Takt. Run it once, as the owner of the
    /// database
    Init {
        /// Address of the database, `postgres://name@host:5432/database`. The password is read from the file that
        /// $`TAKT_TEAM_PASSWORD_FILE` names. Without it, you're asked for the password
        address: String,
    },
    /// Join a team. This desk then shares the team's history, mappings, saved views, events and interface descriptions
    Join {
        /// Address of the database, `postgres://name@host:5432/database`. The password is read from the file that
        /// $`TAKT_TEAM_PASSWORD_FILE` names. Without it, you're asked for the password
        address: String,
    },
    /// Leave the team and use the history in Takt's folder again
    Leave,
    /// Require a second person's approval for submissions to --site, at every desk. Run it once, as the owner of the
    /// database
    #[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["above", "deletes", "never"]))]
    Approval {
        /// Address of the database, `postgres://name@host:5432/database`. The password is read from the file that
        /// $`TAKT_TEAM_PASSWORD_FILE` names. Without it, you're asked for the password
        address: String,
        /// Number of rows above which approval is required
        #[arg(long, value_name = "ROWS")]
        above: Option<u32>,
        /// Require approval for all deletes
        #[arg(long)]
        deletes: bool,
        /// Don't require approval
        #[arg(long, conflicts_with_all = ["above", "deletes"])]
        never: bool,
    },
    /// List changes to the team's mappings, saved views, rules and targets, newest first
    Changes {
        /// Maximum number of changes
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u32,
        /// One JSON line per change
        #[arg(long)]
        json: bool,
    },
    /// Restore the state before a change, at every desk. If it was changed again since, nothing happens
    Restore {
        /// Number of the change, see `takt team changes`
        number: u32,
        /// Restore without asking
        #[arg(long)]
        yes: bool,
    },
    /// Show the version, latency, clock and size of the team's database, and the desks that are sending
    Check {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
}

/// The handling of rows whose keys another desk of the team is sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Claimed {
    /// Send nothing
    #[default]
    Refuse,
    /// Wait until the other desk has sent them, then send everything
    Wait,
    /// Skip them and send the others
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
