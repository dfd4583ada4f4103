//! Joins and leaves a team, checks its database, and copies this computer's data to it.

use std::{ops::ControlFlow, sync::Arc};

use serde::Serialize;
use takt_client::{Canceller, Secret, SecretKind, TEAM, Vault};
use takt_contract::Contract;
use takt_core::{Clock, Code, Home, Problem, account::computer_name, output_file::write_file};
use takt_inbox::{InboxJoin, InboxJoinCounts};
use takt_journal::{CarryOver, Inbox, Journal, Team, TeamAddress, TeamCheck};
use takt_sites::PRACTICE;

use super::address::{
    StoredTeam, TeamChoice, load_address, parse_address, password_origin, team_tls, with_password, without_password,
};

/// The setting with the state of this computer's files when they were last completely copied to the team.
const CARRIED_STATE_SETTING: &str = "carried-over";

/// The team's database that this computer uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamView {
    /// Host, port and database.
    pub address: String,
    /// The user name in the database.
    pub user: String,
    /// True if environment variables set the team. It can't be left then.
    pub by_environment: bool,
}

/// The state of a team's database.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamCheckView {
    pub address: String,
    pub user: String,
    /// PostgreSQL's version.
    pub server: String,
    /// The schema's version.
    pub schema: u32,
    /// The round-trip time of a query, in milliseconds.
    pub latency_milliseconds: f64,
    /// The seconds by which the server's clock is ahead of this computer's. Negative if it is behind.
    pub clock_seconds: f64,
    pub megabytes: f64,
    /// The submissions that are being sent by any computer of the team.
    pub running: Vec<TeamRunView>,
    /// The approval rules, by service.
    pub approval_rules: Vec<ApprovalRuleView>,
}

/// The submissions of a service that need a second person's approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRuleView {
    /// The service's address.
    pub service: String,
    /// Submissions with more rows than this need approval. If `None`, the number of rows doesn't matter.
    pub rows_above: Option<u32>,
    /// True if every delete needs approval.
    pub deletes: bool,
}

/// A submission that a computer of the team is sending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamRunView {
    pub submission: u32,
    /// The name with which the computer signed in to the database.
    pub desk: String,
}

/// The result of joining a team, with the data that was copied to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamJoinView {
    pub check: TeamCheckView,
    /// The number of submissions that were copied to the team's history.
    pub carried: u32,
    /// The number of submissions with pending or unconfirmed rows, which remain only in this computer's history.
    pub open: u32,
    /// The number of events that were copied to the team's inbox.
    pub events: u32,
    /// The number of event targets that were copied to the team.
    pub targets: u32,
    /// The number of event targets that the team already had.
    pub known_targets: u32,
    /// The number of copied targets that were paused, because the team has a target with the same address.
    pub paused_targets: u32,
}

/// The progress of joining, in copied submissions and events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamJoinProgress {
    /// Submissions copied so far.
    pub carried: u32,
    /// All submissions to copy.
    pub total: u32,
    pub events: u32,
    pub total_events: u32,
}

/// Joins, leaves and checks the team's database, and copies this computer's data to it.
#[derive(Clone)]
pub struct TeamMembership {
    pub(crate) home: Home,
    pub(crate) clock: Clock,
    pub(crate) contract: Arc<Contract>,
    pub(crate) vault: Vault,
    pub(crate) journal: Arc<Journal>,
    /// The user's name.
    pub(crate) person: String,
    pub(crate) choice: TeamChoice,
}

takt_core::opaque_debug!(TeamMembership);

impl TeamMembership {
    /// Returns the team of this computer, if any.
    ///
    /// # Errors
    ///
    /// [`Code::TeamFailed`] (`address`): the address can't be read.
    pub fn view(&self) -> Result<Option<TeamView>, Problem> {
        let Some(address) = load_address(&self.home, &self.choice)? else { return Ok(None) };
        let parsed = parse_address(&address)?;
        let by_environment = matches!(self.choice, TeamChoice::Given { .. });
        Ok(Some(TeamView { address: parsed.display(), user: parsed.user().to_owned(), by_environment }))
    }

    /// Joins a team, and copies this computer's data that the team's database doesn't have yet. `progress` is called
    /// after each step. `password` is used if the address has none. If canceled, the team isn't joined. Data that was
    /// already copied is complete, and isn't copied again.
    ///
    /// # Errors
    ///
    /// - [`Code::TeamFailed`] (`address`): the address is invalid.
    /// - [`Code::InvalidInput`]: its certificate authorities can't be used.
    /// - [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached or used.
    /// - [`Code::Precondition`] (`joining-stopped`): joining was canceled.
    /// - [`Code::WriteFailed`]: the address or a target's secrets can't be stored.
    /// - A [journal code](takt_core::problem#journal-codes): this computer's file can't be read. Copied data remains
    ///   copied.
    pub fn join(
        &self,
        address: &str,
        password: Option<&str>,
        canceller: &Canceller,
        mut progress: impl FnMut(TeamJoinProgress),
    ) -> Result<TeamJoinView, Problem> {
        let parsed = with_password(parse_address(address)?, password);
        let tls = team_tls(&parsed)?;
        let check = Team::check_database(parsed.clone(), tls.clone(), || (self.clock)())?;
        let joined = Team::join(Journal::open(&self.home.journal())?, parsed.clone(), Arc::new(|| None), tls);
        let joined = Team::with_person(joined, person_at_computer(&self.person));
        // Discards partial data of a process that was killed while joining.
        joined.recover((self.clock)())?;
        let inboxes = match Inbox::from_team(&joined).filter(|_| self.home.inbox().exists()) {
            Some(team) => Some((Inbox::open(&self.home.inbox())?, team)),
            None => None,
        };
        let events = inboxes.as_ref().map(|(own, team)| self.inbox_join(own, team));
        let total_events = events.map_or(Ok(0), |events| events.count_remaining_events())?;
        let mut submission_progress = TeamJoinProgress { total_events, ..TeamJoinProgress::default() };
        let mut report = |now: TeamJoinProgress| {
            progress(now);
            if canceller.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let CarryOver { carried, open, is_stopped } =
            Team::carry_over(&joined, &computer_name(), (self.clock)(), |carried, total| {
                submission_progress = TeamJoinProgress { carried, total, ..submission_progress };
                report(submission_progress)
            })?;
        let mut inbox = InboxJoinCounts::default();
        if let Some(((own, team), events)) = inboxes.as_ref().zip(events).filter(|_| !is_stopped) {
            own.rules().carry_over(team, PRACTICE)?;
            inbox = events.run((self.clock)(), &mut |events| {
                report(TeamJoinProgress { events, total_events: total_events.max(events), ..submission_progress })
            })?;
        }
        if is_stopped || inbox.is_stopped {
            let counts = [("carried", &*carried.to_string()), ("events", &inbox.events.to_string())];
            return Err(Problem::obstacle_with("joining-stopped", &counts));
        }
        let stored = serde_json::to_vec_pretty(&StoredTeam { address: without_password(address)? }).unwrap_or_default();
        write_file(&self.home.team_file(), &stored)?;
        if let Some(password) = parsed.password() {
            self.vault.put_for(TEAM, SecretKind::TeamPassword, &password_origin(&parsed), &Secret::new(password));
        }
        let InboxJoinCounts { events, targets, known_targets, paused_targets, is_stopped: _ } = inbox;
        let check = check_view(&parsed, check);
        Ok(TeamJoinView { check, carried, open, events, targets, known_targets, paused_targets })
    }

    /// Leaves the team, and returns to this computer's own journal. Returns false if no team was joined.
    ///
    /// # Errors
    ///
    /// - [`Code::WriteFailed`]: the address can't be removed.
    pub fn leave(&self) -> Result<bool, Problem> {
        let path = self.home.team_file();
        if !path.exists() {
            return Ok(false);
        }
        std::fs::remove_file(&path).map_err(|error| {
            Problem::new(Code::WriteFailed).parameter("file", path.display().to_string()).details(error)
        })?;
        if let Err(error) = self.vault.remove(TEAM, SecretKind::TeamPassword) {
            tracing::warn!(%error, "the password of the team that was left stays");
        }
        Ok(true)
    }

    /// Checks the team's database. Returns `None` without a team.
    ///
    /// # Errors
    ///
    /// [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached or used.
    pub fn check(&self) -> Result<Option<TeamCheckView>, Problem> {
        let Some(team) = Team::from_journal(&self.journal) else { return Ok(None) };
        let Some(address) = load_address(&self.home, &self.choice)? else { return Ok(None) };
        let check = team.check(|| (self.clock)())?;
        Ok(Some(check_view(&parse_address(&address)?, check)))
    }
}

/// Copying of data that a process stored in this computer's own file after joining.
impl TeamMembership {
    /// Copies settled submissions, received events, and pending forwards that the team doesn't have yet. The database
    /// is only queried if the file has changed since. Does nothing if no team was joined.
    ///
    /// # Errors
    ///
    /// - A [journal code](takt_core::problem#journal-codes): the file can't be read, or the database can't be reached.
    ///   Copied data remains copied, and the rest is copied the next time.
    /// - [`Code::WriteFailed`]: the vault can't store the secrets of a target.
    pub(crate) fn carry_over_since_joining(&self) -> Result<(), Problem> {
        if matches!(self.choice, TeamChoice::Given { .. }) || Team::from_journal(&self.journal).is_none() {
            return Ok(());
        }
        let own = if self.home.inbox().exists() { Some(Inbox::open(&self.home.inbox())?) } else { None };
        let newest_event =
            own.as_ref().map_or(Ok(0), |own| own.reading_progress().map(|(latest_event, _)| latest_event))?;
        let (newest_submission, settled) = Team::own_extent(&self.journal)?;
        let state =
            serde_json::json!([load_address(&self.home, &self.choice)?, newest_submission, settled, newest_event]);
        if self.journal.settings().get(CARRIED_STATE_SETTING)?.as_ref() == Some(&state) {
            return Ok(());
        }
        let submissions = Team::carry_submissions(&self.journal, &computer_name())?.carried;
        let events = match own.as_ref().zip(Inbox::from_team(&self.journal)) {
            Some((own, team)) => self.carry_events(own, &team)?,
            None => 0,
        };
        if submissions + events > 0 {
            tracing::info!(submissions, events, "came along to the team after this desk had joined it");
        }
        Ok(self.journal.settings().set(CARRIED_STATE_SETTING, &state)?)
    }

    /// Copies events and targets, and returns the number of copied events.
    fn carry_events(&self, own: &Inbox, team: &Inbox) -> Result<u32, Problem> {
        let join = self.inbox_join(own, team);
        if join.count_remaining_events()? == 0 {
            return Ok(0);
        }
        Ok(join.run((self.clock)(), &mut |_| ControlFlow::Continue(()))?.events)
    }

    fn inbox_join<'a>(&'a self, own: &'a Inbox, team: &'a Inbox) -> InboxJoin<'a> {
        InboxJoin { home: &self.home, contract: &self.contract, vault: &self.vault, own, team }
    }
}

/// Returns the user's name with that of this computer.
pub(super) fn person_at_computer(person: &str) -> String {
    let computer = computer_name();
    if computer.is_empty() { person.to_owned() } else { format!("{person}@{computer}") }
}

#[expect(clippy::cast_precision_loss, reason = "shown to a tenth")]
fn check_view(address: &TeamAddress, check: TeamCheck) -> TeamCheckView {
    let running = check.running.into_iter();
    let rules = check.approval_rules.into_iter().map(|rule| ApprovalRuleView {
        service: rule.base_url,
        rows_above: rule.rows_above,
        deletes: rule.deletes,
    });
    TeamCheckView {
        address: address.display(),
        user: address.user().to_owned(),
        server: check.server,
        schema: check.schema.0,
        latency_milliseconds: check.latency.as_secs_f64() * 1e3,
        clock_seconds: check.clock_offset_milliseconds as f64 / 1e3,
        megabytes: check.bytes as f64 / 1e6,
        running: running.map(|run| TeamRunView { submission: run.submission, desk: run.desk }).collect(),
        approval_rules: rules.collect(),
    }
}
