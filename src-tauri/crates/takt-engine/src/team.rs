//! The team that this desk belongs to: joining, leaving, what its database says of itself, and who changed what of that which is shared.
//!
//! The address lies in a file of the home folder, its password where secrets are kept. Both are read when Takt starts, so joining and
//! leaving take effect with the next start.

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

/// The variables of the environment that join a team for one process.
const URL_VARIABLE: &str = "TAKT_TEAM_URL";
const PASSWORD_VARIABLE: &str = "TAKT_TEAM_PASSWORD_FILE";
/// The most that is read of a file with a password, in bytes.
const MAX_PASSWORD_LENGTH: u64 = 4096;

/// Which team's database a process uses.
#[derive(Clone, Default)]
pub enum TeamChoice {
    /// The one that was joined, if any.
    #[default]
    Joined,
    /// This one, for this process alone.
    Given { address: String, password: Option<String> },
}

takt_core::opaque_debug!(TeamChoice);

impl TeamChoice {
    /// What `TAKT_TEAM_URL` and `TAKT_TEAM_PASSWORD_FILE` say.
    ///
    /// # Errors
    ///
    /// [`Code::FileUnreadable`]: the file with the password can't be read.
    pub fn from_environment() -> Result<Self, Problem> {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        match set(URL_VARIABLE) {
            Some(address) => Ok(Self::Given { address, password: password_file()? }),
            None => Ok(Self::Joined),
        }
    }

    /// A team was joined, and what signs in to it lies where secrets are kept.
    #[must_use]
    pub fn needs_keychain(&self, home: &Home) -> bool {
        matches!(self, Self::Joined) && home.team().exists()
    }
}

/// The first line of the file that `TAKT_TEAM_PASSWORD_FILE` names; absent where it names none.
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

/// The team of this desk, as people see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamView {
    /// Host, port and database.
    pub address: String,
    /// The name that signs in.
    pub user: String,
    /// The environment set it, and it can't be left here.
    pub by_environment: bool,
}

/// What a team's database says of itself.
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
    /// Milliseconds of one question and its answer.
    pub latency_milliseconds: f64,
    /// Seconds by which the server's clock is ahead of this computer's; negative where it is behind.
    pub clock_seconds: f64,
    pub megabytes: f64,
    /// What is being sent, at any desk.
    pub running: Vec<TeamRunView>,
    /// What waits for a second person, by service.
    pub approval_rules: Vec<ApprovalRuleView>,
}

/// What of a service's submissions waits for a second person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRuleView {
    /// The service's address.
    pub service: String,
    /// More rows than these wait; absent: rows are no reason to.
    pub rows_above: Option<u32>,
    /// Deletes wait, however few.
    pub deletes: bool,
}

/// A team that was joined, and what this desk brought along.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamJoinView {
    pub check: TeamCheckView,
    /// Submissions that are in the team's history from here on.
    pub carried: u32,
    /// Submissions of which rows are pending or unconfirmed: they are only in this desk's own history.
    pub open: u32,
    /// Received events that are among the team's from here on.
    pub events: u32,
    /// Targets of events that are the team's from here on.
    pub targets: u32,
    /// Targets of events that stood in the team already.
    pub known_targets: u32,
    /// Of the targets those that came along paused: one of the team has the same address.
    pub paused_targets: u32,
}

/// How far joining a team is, in submissions and events that this desk brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamJoinProgress {
    /// Submissions.
    pub carried: u32,
    /// Submissions.
    pub total: u32,
    pub events: u32,
    pub total_events: u32,
}

/// A submission that a desk is sending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct TeamRunView {
    pub submission: u32,
    /// The name by which the desk signed in to the database.
    pub desk: String,
}

/// The team of this desk.
#[derive(Clone)]
pub struct TeamMembership {
    pub(crate) home: Home,
    pub(crate) clock: Clock,
    pub(crate) contract: Arc<Contract>,
    pub(crate) vault: Vault,
    pub(crate) journal: Arc<Journal>,
    /// Who works here.
    pub(crate) person: String,
    pub(crate) choice: TeamChoice,
}

takt_core::opaque_debug!(TeamMembership);

impl TeamMembership {
    /// Absent where this desk belongs to none.
    ///
    /// # Errors
    ///
    /// [`Code::TeamFailed`] (`address`): the address can't be read.
    pub fn view(&self) -> Result<Option<TeamView>, Problem> {
        let Some(address) = address_of(&self.home, &self.choice)? else { return Ok(None) };
        let read = read_address(&address)?;
        let by_environment = matches!(self.choice, TeamChoice::Given { .. });
        Ok(Some(TeamView { address: read.shown(), user: read.user().to_owned(), by_environment }))
    }

    /// Joins a team whose database answers, and brings along what this desk's own file holds and the team's database doesn't: `progress`
    /// hears how far that is. Without a password in the address it is `password`. Where it is cancelled, this desk belongs to no team; what
    /// was brought along by then is whole, and isn't brought again.
    ///
    /// # Errors
    ///
    /// - [`Code::TeamFailed`] (`address`): the address can't be read; [`Code::InvalidInput`]: its file of authorities can't be used.
    /// - [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached or used.
    /// - [`Code::Precondition`] (`joining-stopped`): it was cancelled.
    /// - [`Code::WriteFailed`]: the address can't be kept.
    /// - A [journal code](takt_core::problem#journal-codes): this desk's file can't be read; what was brought along by then stays.
    pub fn join(
        &self,
        address: &str,
        password: Option<&str>,
        canceller: &Canceller,
        mut progress: impl FnMut(TeamJoinProgress),
    ) -> Result<TeamJoinView, Problem> {
        let read = with_password(read_address(address)?, password);
        let tls = tls_for(&read)?;
        let check = Team::probe(read.clone(), tls.clone(), || (self.clock)())?;
        let joined = Team::join(Journal::open(&self.home.journal())?, (read.clone(), Arc::new(|| None)), tls);
        let joined = Team::with_person(joined, at_this_computer(&self.person));
        // What an earlier one left that was killed while it joined goes first.
        joined.recover((self.clock)())?;
        let inboxes = match Inbox::of_team(&joined).filter(|_| self.home.inbox().exists()) {
            Some(team) => Some((Inbox::open(&self.home.inbox())?, team)),
            None => None,
        };
        let events = inboxes.as_ref().map(|(own, team)| self.inbox_join(own, team));
        let total_events = events.map_or(Ok(0), |events| events.events_left())?;
        let mut told = TeamJoinProgress { total_events, ..TeamJoinProgress::default() };
        let mut hear = |now: TeamJoinProgress| {
            progress(now);
            if canceller.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let CarryOver { carried, open, is_stopped } =
            Team::carry_over(&joined, (&computer_name(), (self.clock)()), |carried, total| {
                told = TeamJoinProgress { carried, total, ..told };
                hear(told)
            })?;
        let mut inbox = CarriedInbox::default();
        if let Some(((own, team), events)) = inboxes.as_ref().zip(events).filter(|_| !is_stopped) {
            own.rules().carry_over(team, PRACTICE)?;
            inbox = events.run((self.clock)(), &mut |events| {
                hear(TeamJoinProgress { events, total_events: total_events.max(events), ..told })
            })?;
        }
        if is_stopped || inbox.is_stopped {
            let brought = [("carried", &*carried.to_string()), ("events", &inbox.events.to_string())];
            return Err(Problem::in_the_way_of("joining-stopped", &brought));
        }
        let kept = serde_json::to_vec_pretty(&KeptTeam { address: without_password(address)? }).unwrap_or_default();
        write_file(&self.home.team(), &kept)?;
        if let Some(password) = read.password() {
            self.vault.put_for(TEAM, SecretKind::TeamPassword, &origin(&read), &Secret::new(password));
        }
        let CarriedInbox { events, targets, known_targets, paused_targets, is_stopped: _ } = inbox;
        let check = check_view(&read, check);
        Ok(TeamJoinView { check, carried, open, events, targets, known_targets, paused_targets })
    }

    fn inbox_join<'a>(&'a self, own: &'a Inbox, team: &'a Inbox) -> InboxJoin<'a> {
        InboxJoin { home: &self.home, contract: &self.contract, vault: &self.vault, own, team }
    }

    /// Goes back to the desk's own journal. False where it belonged to no team.
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

    /// What the database says of itself; absent without a team.
    ///
    /// # Errors
    ///
    /// [`Code::TeamAway`] or [`Code::TeamFailed`]: it can't be reached or used.
    pub fn check(&self) -> Result<Option<TeamCheckView>, Problem> {
        let Some(team) = Team::of(&self.journal) else { return Ok(None) };
        let Some(address) = address_of(&self.home, &self.choice)? else { return Ok(None) };
        let check = team.check(|| (self.clock)())?;
        Ok(Some(check_view(&read_address(&address)?, check)))
    }
}

/// Makes a team's schema in an empty database, or brings it up to date. Gives the version that was there; 0 where none was.
///
/// # Errors
///
/// - [`Code::TeamFailed`] (`address`): the address can't be read; [`Code::InvalidInput`]: its file of authorities can't be used.
/// - [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached, or refuses.
pub fn set_up(address: &str, password: Option<&str>) -> Result<u32, Problem> {
    let address = with_password(read_address(address)?, password);
    Ok(Team::set_up(&address, &tls_for(&address)?)?)
}

/// From here on a service's submissions wait for a second person, at every desk of the team; where neither rows nor deletes are a
/// reason, they wait no more. Whoever owns the team's schema signs in by `address`.
///
/// # Errors
///
/// - [`Code::TeamFailed`] (`address`): the address can't be read; [`Code::InvalidInput`]: its file of authorities can't be used.
/// - [`Code::TeamAway`] or [`Code::TeamFailed`]: the database can't be reached, or refuses.
pub fn set_approval_rule(address: &str, password: Option<&str>, rule: &ApprovalRuleView) -> Result<(), Problem> {
    let address = with_password(read_address(address)?, password);
    let tls = tls_for(&address)?;
    let rule =
        ApprovalRule { base_url: normal_address(&rule.service), rows_above: rule.rows_above, deletes: rule.deletes };
    Ok(Team::set_approval_rule(address, tls, &rule)?)
}

/// Whether an address holds a password.
///
/// # Errors
///
/// [`Code::TeamFailed`] (`address`): the address can't be read.
pub fn has_password(address: &str) -> Result<bool, Problem> {
    Ok(read_address(address)?.has_password())
}

/// The journal, with what a team shares in its database where this desk belongs to one, at which `person` works.
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
        // From here on it is removed from logs.
        vault.use_for(TEAM, SecretKind::TeamPassword, &origin(&address), &Secret::new(password.clone()));
    }
    let tls = tls_for(&address)?;
    let (vault, place) = (vault.clone(), origin(&address));
    // Asked for with each sign-in: where secrets are kept may be opened later.
    let kept = move || Some(vault.get_for(TEAM, SecretKind::TeamPassword, &place)?.reveal().to_owned());
    Ok(Team::with_person(Team::join(journal, (address, Arc::new(kept)), tls), at_this_computer(person)))
}

/// Who sends, as a team's history names them: the person, and where.
pub(crate) fn person_at_desk(journal: &Journal, person: String) -> String {
    if Team::of(journal).is_some() { at_this_computer(&person) } else { person }
}

fn at_this_computer(person: &str) -> String {
    let computer = computer_name();
    if computer.is_empty() { person.to_owned() } else { format!("{person}@{computer}") }
}

/// As it lies in the home folder.
#[derive(Serialize, Deserialize)]
struct KeptTeam {
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
            let kept: KeptTeam = serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
            Ok(Some(kept.address))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&error)),
    }
}

fn read_address(text: &str) -> Result<TeamAddress, Problem> {
    text.parse().map_err(|error: TeamAddressError| not_an_address().details(error))
}

/// The text itself may hold a password, so it isn't quoted.
fn not_an_address() -> Problem {
    Problem::new(Code::TeamFailed).parameter("case", "address")
}

fn with_password(address: TeamAddress, password: Option<&str>) -> TeamAddress {
    match password {
        Some(password) if !address.has_password() => address.with_password(password),
        _ => address,
    }
}

/// PostgreSQL takes a password before the host, and among the parameters.
fn without_password(address: &str) -> Result<String, Problem> {
    let mut url = Url::parse(address.trim()).map_err(|_| not_an_address())?;
    url.set_password(None).map_err(|()| not_an_address())?;
    let is_password = |part: &&str| form_urlencoded::parse(part.as_bytes()).any(|(name, _)| name == "password");
    let kept: Vec<String> =
        url.query().unwrap_or_default().split('&').filter(|part| !is_password(part)).map(str::to_owned).collect();
    let kept = kept.join("&");
    url.set_query(Some(kept.as_str()).filter(|kept| !kept.is_empty()));
    Ok(url.to_string())
}

fn tls_for(address: &TeamAddress) -> Result<takt_client::TlsConfig, Problem> {
    system_tls(address.authorities().map(std::path::PathBuf::as_path)).map_err(Problem::from)
}

/// A password is for one name at one database.
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
        running: running.map(|held| TeamRunView { submission: held.submission, desk: held.desk }).collect(),
        approval_rules: rules.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn no_password_is_kept_wherever_the_address_has_it() {
        let kept = |address: &str| without_password(address).unwrap();
        assert_eq!(kept(" postgres://anna:s3cret@db.example:5433/takt"), "postgres://anna@db.example:5433/takt");
        let parameters = "postgres://anna@db.example/takt?sslrootcert=/etc/ca.pem&pass%77ord=s3cret&password=s3cret";
        assert_eq!(kept(parameters), "postgres://anna@db.example/takt?sslrootcert=/etc/ca.pem");
        assert_eq!(kept("postgres://anna@db.example/takt?password=s3cret"), "postgres://anna@db.example/takt");
    }
}
