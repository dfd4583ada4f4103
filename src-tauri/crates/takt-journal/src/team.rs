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

/// The team of a journal.
#[derive(Debug, Clone, Copy)]
pub struct Team<'a>(&'a TeamStore);

impl<'a> Team<'a> {
    /// Absent where the journal is one's own.
    #[must_use]
    pub fn of(journal: &'a Journal) -> Option<Self> {
        journal.team().map(|team| Self(team))
    }

    /// The journal with what a team shares in the team's database. It is signed in to with the first question, by the address's own
    /// password or the one that the source has then.
    #[must_use]
    pub fn join(mut journal: Journal, address: (TeamAddress, PasswordSource), tls: ClientConfig) -> Journal {
        journal.join(TeamStore::new(address, tls));
        journal
    }

    /// A joined journal in which changes of what is shared are told to be this person's, as submissions of the team have it: who, and at
    /// which computer.
    #[must_use]
    pub fn with_person(mut journal: Journal, person: String) -> Journal {
        if let Some(team) = journal.team_mut() {
            team.set_person(person);
        }
        journal
    }

    /// Copies what the desk's own file holds and the team's database doesn't: settled submissions, mappings, views, templates, and what
    /// sites say otherwise than the contract. `computer` is told beside who sent them; `progress` hears how many of how many submissions are done,
    /// and may have it stopped: a plan that is half copied goes then. Nothing without a team.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading) or [write error](crate::JournalError#writing); what was copied stays, and isn't copied
    /// again.
    pub fn carry_over(
        journal: &Journal,
        (computer, at): (&str, Timestamp),
        mut progress: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Result<CarryOver, JournalError> {
        carry_over(journal, (computer, at), &mut progress)
    }

    /// As [`Self::carry_over`], of settled submissions alone, whole: those that a program sent into the desk's own file which ran before the
    /// desk joined.
    ///
    /// # Errors
    /// As [`Self::carry_over`].
    pub fn carry_submissions(journal: &Journal, computer: &str) -> Result<CarryOver, JournalError> {
        carry_submissions(journal, computer, &mut |_, _| ControlFlow::Continue(()))
    }

    /// Of the desk's own file: the newest submission's number, 0 where there is none, and how many submissions are settled.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn own_extent(journal: &Journal) -> Result<(u32, u32), JournalError> {
        own_extent(journal)
    }

    /// Makes a team's schema in an empty database, or brings it up to date. Who signs in by `address` owns it; desks sign in by names
    /// that were granted the role `takt_desk`, which uses it and can't alter it. Gives the version that was there; 0 where none was.
    ///
    /// # Errors
    ///
    /// [`JournalError::Team`]: the database can't be reached, has a later version, or refuses a statement.
    pub fn set_up(address: &TeamAddress, tls: &ClientConfig) -> Result<u32, JournalError> {
        Ok(TeamStore::set_up(address, tls)?)
    }

    /// From here on a service's submissions wait for a second person as the rule has it, at every desk; where neither rows nor deletes
    /// are a reason, they wait no more. Desks may not say so: whoever owns the schema signs in by `address`.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn set_approval_rule(address: TeamAddress, tls: ClientConfig, rule: &ApprovalRule) -> Result<(), JournalError> {
        TeamStore::new((address, Arc::new(|| None)), tls)
            .write(|transaction| approval_rule::write_rule(transaction, rule))
    }

    /// What a database says of itself, before it is anybody's.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn probe(
        address: TeamAddress,
        tls: ClientConfig,
        now: impl Fn() -> Timestamp,
    ) -> Result<TeamCheck, JournalError> {
        TeamStore::new((address, Arc::new(|| None)), tls).check(now)
    }

    /// Counts on each time that something of a submission changed at any desk; several changes may count once. Nothing is heard while the
    /// database is away, nor before the first question.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes()
    }

    /// Whether the database can be asked: watched as long as the receiver lives.
    #[must_use]
    pub fn availability(&self) -> watch::Receiver<Availability> {
        self.0.availability()
    }

    /// What the database says of itself.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn check(&self, now: impl Fn() -> Timestamp) -> Result<TeamCheck, JournalError> {
        self.0.check(now)
    }
}
