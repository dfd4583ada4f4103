//! Joins and leaves a team, checks its database, and lists changes of shared settings.
//!
//! The address is stored in a file of the home folder, and its password in the vault. Both are read when Takt starts,
//! so joining and leaving take effect with the next start.

mod carry_over;
mod changes;

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use takt_client::{Canceller, Secret, SecretKind, TEAM, Vault, normal_address, system_tls};
use takt_contract::{Contract, text_without_byte_order_mark};
use takt_core::{Clock, Code, Home, Problem, output_file::write_file, person::computer_name};
use takt_inbox::inbox::{CarriedInbox, InboxJoin};
use takt_journal::{ApprovalRule, CarryOver, Inbox, Journal, Team, TeamAddress, TeamAddressError, TeamCheck};
use takt_sites::sites::PRACTICE;
use url::{Url, form_urlencoded};

pub use changes::{SharedChangeType, SharedChangeView};
pub use takt_journal::SharedKind;

/// The environment variables that set a team's database for one process.
const URL_VARIABLE: &str = "TAKT_TEAM_URL";
const PASSWORD_VARIABLE: &str = "TAKT_TEAM_PASSWORD_FILE";
/// The most bytes to read of a password file.
const MAX_PASSWORD_LENGTH: u64 = 4096;

/// The team's database that a process uses.
#[derive(Clone, Default)]
pub enum TeamChoice {
    /// The joined team's database, if any.
    #[default]
    Joined,
    /// A database for this process only.
    Given { address: String, password: Option<String> },
}

takt_core::opaque_debug!(TeamChoice);

impl TeamChoice {
    /// Reads `TAKT_TEAM_URL` and `TAKT_TEAM_PASSWORD_FILE`.
    ///
    /// # Errors
    ///
    /// [`Code::FileUnreadable`]: the password file can't be read.
    pub fn from_environment() -> Result<Self, Problem> {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        match set(URL_VARIABLE) {
            Some(address) => Ok(Self::Given { address, password: password_file()? }),
            None => Ok(Self::Joined),
        }
    }

    /// Returns true if a team was joined, so that its password is in the vault.
    #[must_use]
    pub fn needs_keychain(&self, home: &Home) -> bool {
        matches!(self, Self::Joined) && home.team().exists()
    }
}

/// Returns the first line of the file that `TAKT_TEAM_PASSWORD_FILE` names, or `None` if it isn't set.
///
/// # Errors
///
/// [`Code::FileUnreadable`]: it can't be read.
pub fn password_file() -> Result<Option<String>, Problem> {
    use std::io::Read;
    let Some(path) = std::env::var_os(PASSWORD_VARIABLE).filter(|path| !path.is_empty()) else { return Ok(None) };
    let mut text = String::new();
    let read = std::fs::File::open(&path).and_then(|file| file.take(MAX_PASSWORD_LENGTH).read_to_string(&mut text));
    read.map_err(|error| Problem::new(Code::FileUnreadable).parameter("file", path.to_string_lossy()).details(error))?;
    let first = text_without_byte_order_mark(&text).lines().next().map(str::to_owned);
    Ok(first.filter(|line| !line.is_empty()))
}

/// The team of this computer.
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

/// The result of joining a team, with the data that was copied to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamJoinView {
    pub check: TeamCheckView,
    /// The submissions that were copied to the team's history.
    pub carried: u32,
    /// The submissions with pending or unconfirmed rows. They remain only in this computer's history.
    pub open: u32,
    /// The events that were copied to the team's.
    pub events: u32,
    /// The event targets that were copied to the team's.
    pub targets: u32,
    /// The event targets that the team already had.
    pub known_targets: u32,
    /// The copied targets that were paused, because the team has a target with the same address.
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

/// A submission that a computer of the team is sending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamRunView {
    pub submission: u32,
    /// The name with which the computer signed in to the database.
    pub desk: String,
}

/// The team membership of this computer.
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
        let Some(address) = address_of(&self.home, &self.choice)? else { return Ok(None) };
        let parsed = read_address(&address)?;
        let by_environment = matches!(self.choice, TeamChoice::Given { .. });
        Ok(Some(TeamView { address: parsed.shown(), user: parsed.user().to_owned(), by_environment }))
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
    /// - [`Code::WriteFailed`]: the address can't be stored.
    /// - A [journal code](takt_core::problem#journal-codes): this computer's file can't be read. Copied data remains
    ///   copied.
    pub fn join(
        &self,
        address: &str,
        password: Option<&str>,
        canceller: &Canceller,
        mut progress: impl FnMut(TeamJoinProgress),
    ) -> Result<TeamJoinView, Problem> {
        let parsed = with_password(read_address(address)?, password);
        let tls = tls_for(&parsed)?;
        let check = Team::probe(parsed.clone(), tls.clone(), || (self.clock)())?;
        let joined = Team::join(Journal::open(&self.home.journal())?, (parsed.clone(), Arc::new(|| None)), tls);
        let joined = Team::with_person(joined, at_this_computer(&self.person));
        // Clean up after a process that was killed while joining.
        joined.recover((self.clock)())?;
        let inboxes = match Inbox::of_team(&joined).filter(|_| self.home.inbox().exists()) {
            Some(team) => Some((Inbox::open(&self.home.inbox())?, team)),
            None => None,
        };
        let events = inboxes.as_ref().map(|(own, team)| self.inbox_join(own, team));
        let total_events = events.map_or(Ok(0), |events| events.events_left())?;
        let mut submission_progress = TeamJoinProgress { total_events, ..TeamJoinProgress::default() };
        let mut report = |now: TeamJoinProgress| {
            progress(now);
            if canceller.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let CarryOver { carried, open, is_stopped } =
            Team::carry_over(&joined, (&computer_name(), (self.clock)()), |carried, total| {
                submission_progress = TeamJoinProgress { carried, total, ..submission_progress };
                report(submission_progress)
            })?;
        let mut inbox = CarriedInbox::default();
        if let Some(((own, team), events)) = inboxes.as_ref().zip(events).filter(|_| !is_stopped) {
            own.rules().carry_over(team, PRACTICE)?;
            inbox = events.run((self.clock)(), &mut |events| {
                report(TeamJoinProgress { events, total_events: total_events.max(events), ..submission_progress })
            })?;
        }
        if is_stopped || inbox.is_stopped {
            let counts = [("carried", &*carried.to_string()), ("events", &inbox.events.to_string())];
            return Err(Problem::in_the_way_of("joining-stopped", &counts));
        }
        let stored = serde_json::to_vec_pretty(&StoredTeam { address: without_password(address)? }).unwrap_or_default();
        write_file(&self.home.team(), &stored)?;
        if let Some(password) = parsed.password() {
            self.vault.put_for(TEAM, SecretKind::TeamPassword, &origin(&parsed), &Secret::new(password));
        }
        let CarriedInbox { events, targets, known_targets, paused_targets, is_stopped: _ } = inbox;
        let check = check_view(&parsed, check);
        Ok(TeamJoinView { check, carried, open, events, targets, known_targets, paused_targets })
    }

    fn inbox_join<'a>(&'a self, own: &'a Inbox, team: &'a Inbox) -> InboxJoin<'a> {
        InboxJoin { home: &self.home, contract: &self.contract, vault: &self.vault, own, team }
    }

    /// Leaves the team, and returns to this computer's own journal. Returns false if no team was joined.
    ///
    /// # Errors
    ///
    /// - [`Code::WriteFailed`]: the address can't be removed.
    pub fn leave(&self) -> Result<bool, Problem> {
        let path = self.home.team();
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
        let Some(team) = Team::of(&self.journal) else { return Ok(None) };
        let Some(address) = address_of(&self.home, &self.choice)? else { return Ok(None) };
        let check = team.check(|| (self.clock)())?;
        Ok(Some(check_view(&read_address(&address)?, check)))
    }
}

/// Creates a team's schema in an empty database, or migrates it. Returns its previous version, or 0 if there was none.
///
/// # Errors
///
/// - [`Code::TeamFailed`] (`address`): the address is invalid.
/// - [`Code::InvalidInput`]: its certificate authorities can't be used.
/// - [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached, or refuses.
pub fn set_up(address: &str, password: Option<&str>) -> Result<u32, Problem> {
    let address = with_password(read_address(address)?, password);
    Ok(Team::set_up(&address, &tls_for(&address)?)?)
}

/// Sets which of a service's submissions need a second person's approval, for the whole team. A rule without rows and
/// deletes removes it. `address` must sign in as the owner of the team's schema.
///
/// # Errors
///
/// - [`Code::TeamFailed`] (`address`): the address is invalid.
/// - [`Code::InvalidInput`]: its certificate authorities can't be used.
/// - [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached, or refuses.
pub fn set_approval_rule(address: &str, password: Option<&str>, rule: &ApprovalRuleView) -> Result<(), Problem> {
    let address = with_password(read_address(address)?, password);
    let tls = tls_for(&address)?;
    let rule =
        ApprovalRule { base_url: normal_address(&rule.service), rows_above: rule.rows_above, deletes: rule.deletes };
    Ok(Team::set_approval_rule(address, tls, &rule)?)
}

/// Returns true if an address contains a password.
///
/// # Errors
///
/// [`Code::TeamFailed`] (`address`): the address is invalid.
pub fn has_password(address: &str) -> Result<bool, Problem> {
    Ok(read_address(address)?.has_password())
}

/// Connects the journal to the team's database, if this computer belongs to a team. `person` is recorded as the sender.
pub(crate) fn joined(
    journal: Journal,
    (home, vault): (&Home, &Vault),
    (choice, person): (&TeamChoice, &str),
) -> Result<Journal, Problem> {
    let Some(text) = address_of(home, choice)? else { return Ok(journal) };
    let address = read_address(&text)?;
    let password = match choice {
        TeamChoice::Given { password, .. } => password.clone(),
        TeamChoice::Joined => None,
    };
    if let Some(password) = address.password().as_ref().or(password.as_ref()) {
        // Registers the password, so that it is redacted from logs.
        vault.use_for(TEAM, SecretKind::TeamPassword, &origin(&address), &Secret::new(password.clone()));
    }
    let tls = tls_for(&address)?;
    let (vault, origin) = (vault.clone(), origin(&address));
    // Read at each sign-in, because the vault may be unlocked later.
    let stored_password = move || Some(vault.get_for(TEAM, SecretKind::TeamPassword, &origin)?.reveal().to_owned());
    Ok(Team::with_person(Team::join(journal, (address, Arc::new(stored_password)), tls), at_this_computer(person)))
}

/// Returns the sender's name for the history. In a team it includes the computer.
pub(crate) fn person_at_desk(journal: &Journal, person: String) -> String {
    if Team::of(journal).is_some() { at_this_computer(&person) } else { person }
}

fn at_this_computer(person: &str) -> String {
    let computer = computer_name();
    if computer.is_empty() { person.to_owned() } else { format!("{person}@{computer}") }
}

/// The content of the team's file in the home folder.
#[derive(Serialize, Deserialize)]
struct StoredTeam {
    /// Without a password.
    address: String,
}

fn address_of(home: &Home, choice: &TeamChoice) -> Result<Option<String>, Problem> {
    if let TeamChoice::Given { address, .. } = choice {
        return Ok(Some(address.clone()));
    }
    let path = home.team();
    let unreadable = |error: &dyn std::fmt::Display| {
        Problem::new(Code::FileUnreadable).parameter("file", path.display().to_string()).details(error)
    };
    match std::fs::read(&path) {
        Ok(bytes) => {
            let stored: StoredTeam = serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
            Ok(Some(stored.address))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&error)),
    }
}

fn read_address(text: &str) -> Result<TeamAddress, Problem> {
    text.parse().map_err(|error: TeamAddressError| invalid_address().details(error))
}

/// The text isn't quoted, because it may contain a password.
fn invalid_address() -> Problem {
    Problem::new(Code::TeamFailed).parameter("case", "address")
}

fn with_password(address: TeamAddress, password: Option<&str>) -> TeamAddress {
    match password {
        Some(password) if !address.has_password() => address.with_password(password),
        _ => address,
    }
}

/// PostgreSQL accepts a password before the host and as a parameter.
fn without_password(address: &str) -> Result<String, Problem> {
    let mut url = Url::parse(address.trim()).map_err(|_| invalid_address())?;
    url.set_password(None).map_err(|()| invalid_address())?;
    let is_password = |part: &&str| form_urlencoded::parse(part.as_bytes()).any(|(name, _)| name == "password");
    let parameters: Vec<String> =
        url.query().unwrap_or_default().split('&').filter(|part| !is_password(part)).map(str::to_owned).collect();
    let parameters = parameters.join("&");
    url.set_query(Some(parameters.as_str()).filter(|parameters| !parameters.is_empty()));
    Ok(url.to_string())
}

fn tls_for(address: &TeamAddress) -> Result<takt_client::TlsConfig, Problem> {
    system_tls(address.authorities().map(std::path::PathBuf::as_path)).map_err(Problem::from)
}

/// Returns the origin for which the password is stored: a user at a database.
fn origin(address: &TeamAddress) -> String {
    format!("postgres://{}@{}", address.user(), address.shown())
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
        address: address.shown(),
        user: address.user().to_owned(),
        server: check.server,
        schema: check.schema.0,
        latency_milliseconds: check.latency.as_secs_f64() * 1e3,
        clock_seconds: check.clock as f64 / 1e3,
        megabytes: check.bytes as f64 / 1e6,
        running: running.map(|run| TeamRunView { submission: run.submission, desk: run.desk }).collect(),
        approval_rules: rules.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn no_password_is_kept_wherever_the_address_has_it() {
        let stripped = |address: &str| without_password(address).unwrap();
        assert_eq!(stripped(" postgres://anna:s3cret@db.example:5433/takt"), "postgres://anna@db.example:5433/takt");
        let parameters = "postgres://anna@db.example/takt?sslrootcert=/etc/ca.pem&pass%77ord=s3cret&password=s3cret";
        assert_eq!(stripped(parameters), "postgres://anna@db.example/takt?sslrootcert=/etc/ca.pem");
        assert_eq!(stripped("postgres://anna@db.example/takt?password=s3cret"), "postgres://anna@db.example/takt");
    }
}
