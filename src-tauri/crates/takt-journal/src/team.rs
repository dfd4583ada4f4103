//! A team: desks whose journals share one database on PostgreSQL.

use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::watch;
use tokio_rustls::rustls::ClientConfig;

use crate::approval_rule::{self, ApprovalRule};
use crate::carry_over::{CarryOver, carry_over, carry_submissions, own_extent};
use crate::postgres::{Availability, PasswordSource, TeamAddress};
use crate::team_store::{TeamCheck, TeamStore};
use crate::{Journal, JournalError};

/// The team that a journal belongs to.
#[derive(Debug, Clone, Copy)]
pub struct Team<'a>(&'a TeamStore);

impl<'a> Team<'a> {
    /// Returns the team of a journal, or none if it doesn't belong to one.
    #[must_use]
    pub fn from_journal(journal: &'a Journal) -> Option<Self> {
        journal.team().map(|team| Self(team))
    }

    /// Makes the journal use a team's database for shared data. The first query signs in, with the password of the
    /// address or else of the source.
    #[must_use]
    pub fn join(mut journal: Journal, address: TeamAddress, password: PasswordSource, tls: ClientConfig) -> Journal {
        journal.join(TeamStore::new(address, password, tls));
        journal
    }

    /// Sets the account and the computer that are recorded with this desk's changes of shared data.
    #[must_use]
    pub fn with_person(mut journal: Journal, person: String) -> Journal {
        if let Some(team) = journal.team_mut() {
            team.set_person(person);
        }
        journal
    }

    /// Copies data from the desk's own file that the team's database doesn't have: settled submissions, mappings,
    /// views, templates and contract versions. Adds `computer` to the names of people. Does nothing without a team.
    ///
    /// `progress` receives the number of copied submissions and the total, and may stop copying. A partially copied
    /// plan is then discarded.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading) or [write error](crate::JournalError#writing). The copied data stays
    /// and isn't copied again.
    pub fn carry_over(
        journal: &Journal,
        computer: &str,
        at: Timestamp,
        mut progress: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Result<CarryOver, JournalError> {
        carry_over(journal, computer, at, &mut progress)
    }

    /// Like [`Self::carry_over`], but copies only settled submissions. Copies those that another process stored in the
    /// desk's own file after the desk joined.
    ///
    /// # Errors
    /// As [`Self::carry_over`].
    pub fn carry_submissions(journal: &Journal, computer: &str) -> Result<CarryOver, JournalError> {
        carry_submissions(journal, computer, &mut |_, _| ControlFlow::Continue(()))
    }

    /// Returns the newest submission's number (0 if there is none) and the number of settled submissions in the desk's
    /// own file.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn own_extent(journal: &Journal) -> Result<(u32, u32), JournalError> {
        own_extent(journal)
    }

    /// Creates a team's schema in an empty database, or updates it. The login of `address` becomes its owner. Desks use
    /// other logins with the role `takt_desk`, which can't change the schema. Returns the previous version, or 0 if
    /// there was no schema.
    ///
    /// # Errors
    ///
    /// [`JournalError::Team`]: the database can't be reached, has a newer version, or refuses a statement.
    pub fn set_up(address: &TeamAddress, tls: &ClientConfig) -> Result<u32, JournalError> {
        Ok(TeamStore::set_up(address, tls)?)
    }

    /// Sets the rule by which submissions to a service wait for a second person, for all desks. A rule without a
    /// condition removes it. Only the owner of the schema can do that, so `address` needs the owner's login.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn set_approval_rule(address: TeamAddress, tls: ClientConfig, rule: &ApprovalRule) -> Result<(), JournalError> {
        TeamStore::new(address, Arc::new(|| None), tls)
            .write(|transaction| approval_rule::write_rule(transaction, rule))
    }

    /// Returns the state of a database without joining it.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn check_database(
        address: TeamAddress,
        tls: ClientConfig,
        now: impl Fn() -> Timestamp,
    ) -> Result<TeamCheck, JournalError> {
        TeamStore::new(address, Arc::new(|| None), tls).check(now)
    }

    /// Returns a counter of changes of submissions at any desk. Several changes may increment it only once. Changes
    /// aren't counted while the database is unavailable, and before the first query.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes()
    }

    /// Returns the availability of the database, which is probed as long as a receiver exists.
    #[must_use]
    pub fn availability(&self) -> watch::Receiver<Availability> {
        self.0.availability()
    }

    /// Queries the state of the database, such as its version, latency and running submissions.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn check(&self, now: impl Fn() -> Timestamp) -> Result<TeamCheck, JournalError> {
        self.0.check(now)
    }
}
