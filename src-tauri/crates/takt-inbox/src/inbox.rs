//! The inbox: a site's events, received, kept, read and found again.
//!
//! Owns the receiver (`receiver`, `server`, `connections`, `body`, `content_coding`, `signature`, `heartbeat`), when events are read (`background_reader`),
//! what is known of the floor (`floor`), events as files (`export`), sending them once more (`replay`) and on to others (`forward`), and what
//! comes along to a team (`carry_over`).
//! Leaves to `events` the writing, what an event says and what is shown of it, to `answers` what is answered, to takt-journal the file, to takt-contract what the
//! service's events are, to the window and the command line when a receiver runs.
//!
//! What came is on disk before it is answered. An event is a view over its bytes: they are never changed.

mod background_reader;
mod body;
mod carry_over;
mod connections;
mod content_coding;
mod delivery;
mod delivery_format;
mod export;
mod floor;
mod forward;
mod health;
mod heartbeat;
mod receiver;
mod receiver_settings;
mod replay;
mod secrets;
mod server;
mod signature;

use std::{
    fmt,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use parking_lot::Mutex;
use takt_client::{Secret, SecretKind};
use takt_contract::{Contract, SpanEnd};
use takt_core::blocking::run_blocking;
use takt_core::{Clock, Code, Home, Problem, words::CurrentWords};
use takt_journal::{
    Availability, Inbox, Journal,
    inbox::{EventFilter, Gap},
};
use takt_sites::Context;
use takt_sites::sites::{PRACTICE, Sites};
use tokio::sync::watch;

use crate::{
    answers::AnswerRules,
    events::{self, EventDetail, EventGap, EventList, EventQuery, EventStore},
};
use heartbeat::MAX_PULSE;
use jiff::SignedDuration;
use receiver::{ReceiverConfig, ReceiverParts};

pub use background_reader::BackgroundReader;
use background_reader::ContractOf;
pub use carry_over::{CarriedInbox, InboxJoin};
pub use forward::{
    Fault, ForwardStop, ForwardTarget, ForwardTargets, ForwardTiming, ForwardedEvent, IdleReason, TargetMiss,
    TargetSettings, TargetStart, TargetState, TestSent, forward_fault_text,
};
pub use receiver::{Receiver, RefusedCounts};
pub use receiver_settings::ReceiverSettings;
pub use replay::{Destination, Replay, ReplayPlan, ReplayResult};

/// How long a request for a list waits for events that were received and aren't read yet.
pub const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(2);

/// Bytes of the secret part of a receiver's address.
const PATH_BYTES: usize = 16;

/// How a receiver is to be.
#[derive(Clone)]
pub struct Receiving {
    /// Where it listens: on this computer alone, at any free port, unless somebody says otherwise.
    pub listen: SocketAddr,
    /// One of these has signed; absent: those that are kept for the site.
    pub secrets: Option<Vec<String>>,
}

impl Default for Receiving {
    fn default() -> Self {
        Self { listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), secrets: None }
    }
}

impl fmt::Debug for Receiving {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Receiving").field("listen", &self.listen).finish_non_exhaustive()
    }
}

/// A site's events: received, kept, read and found again.
#[derive(Clone)]
pub struct EventInbox {
    pub contract: Arc<Contract>,
    pub sites: Arc<Sites>,
    pub clock: Clock,
    pub(crate) home: Home,
    journal: Arc<Journal>,
    pub spoken: CurrentWords,
    pub(crate) reader: Arc<EventReader>,
    pub(crate) answers: AnswerRules,
    pub(crate) targets: ForwardTargets,
}

takt_core::opaque_debug!(EventInbox);

impl EventInbox {
    /// Events of the sites of `context`.
    #[must_use]
    pub fn new(context: &Context, reader: Arc<EventReader>, answers: AnswerRules, targets: ForwardTargets) -> Self {
        Self {
            contract: Arc::clone(&context.contract),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            home: context.home.clone(),
            journal: Arc::clone(&context.journal),
            spoken: context.spoken.clone(),
            reader,
            answers,
            targets,
        }
    }

    /// The contract in force at a site; the built-in one where it can't be read.
    fn contract_of(&self, site: &str) -> Arc<Contract> {
        self.sites.contract(site).unwrap_or_else(|_| Arc::clone(&self.contract))
    }

    /// Receives a site's events until the receiver is stopped or dropped. Other addresses than this computer's
    /// own are reached by others, too: the person must want that.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::ListenFailed`]: the address is taken, or isn't one of this computer.
    /// - [`Code::InvalidInput`]: a secret can't be used.
    /// - A [journal code](takt_core::problem#journal-codes): the events' file can't be opened.
    /// - [`Code::Bug`]: the system gives no random bytes for the address's path.
    pub async fn receive(&self, site: &str, receiving: Receiving) -> Result<Receiver, Problem> {
        let site = self.sites.find(site)?.name;
        let (inbox, reading) = self.reader.of(Some(&site))?;
        let secrets: Vec<Secret> = match receiving.secrets {
            Some(secrets) => {
                let contract = self.contract_of(&site);
                secrets.iter().try_for_each(|secret| secrets::check(&contract, secret))?;
                secrets.into_iter().map(Secret::new).collect()
            }
            None => self.secrets(&site),
        };
        let redactor = self.sites.vault(&site).redactor().clone();
        secrets.iter().for_each(|secret| redactor.learn(secret));
        let (listen, path) = (receiving.listen, self.event_path(&inbox, &site).await?);
        let post = ReceiverConfig { listen, path, secrets, redactor, site: site.clone() };
        let shelf = self.answers.shelf(&post.site);
        let parts = ReceiverParts {
            contract: Arc::clone(&self.contract),
            sites: Arc::clone(&self.sites),
            inbox,
            clock: Arc::clone(&self.clock),
            wall: self.sites.clock_of(&site),
            shelf,
        };
        let ctx = self.targets.context(&site)?;
        let mut receiver = Receiver::start(post, parts, &reading).await?;
        receiver.forward(ctx);
        Ok(receiver)
    }

    /// Events that fit, newest first. What came and wasn't read yet is read before; after a flood as much of it as two seconds
    /// allow, and the list says how many are missing.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the begin or the end is no moment.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn list(&self, query: &EventQuery, offset: u32, limit: u32) -> Result<EventList, Problem> {
        let (inbox, reading) = self.reader.of(query.site.as_deref())?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let filter = self.event_filter(query)?;
        let found = run_blocking(move || Ok((inbox.events(&filter, offset, limit)?, inbox.front()?)));
        let (page, (received, read)) = found.await?;
        let rows = page.rows.into_iter().map(|row| events::line(&self.contract, row)).collect();
        let unread = u32::try_from(received.saturating_sub(read)).unwrap_or_default();
        Ok(EventList { total: page.total, offset, rows, unread })
    }

    /// One event of a site, or of any where none is named, with everything that is known about it; its body is shortened beyond what a person can look at.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no event of this number.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn get(&self, site: Option<&str>, id: i64) -> Result<EventDetail, Problem> {
        let (inbox, reading) = self.reader.of(site)?;
        reading.catch_up(CATCH_UP_TIMEOUT).await;
        let found = run_blocking(move || match (inbox.event(id)?, inbox.raw(id)?) {
            (Some(row), Some(raw)) => Ok(Some((row, raw, inbox.copies(id)?, inbox.answer(id)?))),
            _ => Ok(None),
        });
        let Some((row, raw, copies, answer)) = found.await? else {
            return Err(Problem::new(Code::Unknown).parameter("what", id.to_string()));
        };
        let contract = self.contract_of(&raw.site);
        let words = self.spoken.words();
        run_blocking(move || Ok(events::detail((&contract, &words), row, raw, copies, answer))).await
    }

    /// Spans of time in which nothing could come, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub fn gaps(&self) -> Result<Vec<EventGap>, Problem> {
        let mut gaps = Vec::new();
        let is_team = self.reader.events.team().is_some();
        for inbox in self.reader.events.all()? {
            // What a desk has of other sites is from before it joined its team.
            let counts = |gap: &Gap| !is_team || inbox.is_shared() != (gap.site == PRACTICE);
            gaps.extend(inbox.pulses().gaps(events::MAX_GAPS)?.into_iter().filter(counts));
        }
        gaps.sort_by_key(|gap| std::cmp::Reverse(gap.until));
        Ok(gaps.into_iter().map(events::gap).collect())
    }

    /// Tells the number of the newest event that was read, whenever there is a newer one: of a site, or of all where none is named. In a
    /// team those of the practice plant, which is a desk's own, are watched by its name alone.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the events' file can't be opened.
    pub fn watch(&self, site: Option<&str>) -> Result<watch::Receiver<i64>, Problem> {
        let (_, reading) = self.reader.of(site)?;
        let watched = reading.watch();
        reading.follow_team();
        Ok(watched)
    }

    /// Whether the database with a site's events can be asked: watched as long as the receiver lives. None where they are the desk's own.
    #[must_use]
    pub fn availability(&self, site: &str) -> Option<watch::Receiver<Availability>> {
        self.reader.events.team().filter(|_| site != PRACTICE)?.availability()
    }

    /// What is to be watched, or asked for, to hear of every event: see [`Self::watch`].
    #[must_use]
    pub fn scopes(&self) -> Vec<Option<&'static str>> {
        if self.reader.events.team().is_some() { vec![None, Some(PRACTICE)] } else { vec![None] }
    }

    /// Whether another computer of the team receives a site's events at this moment, as far as its database can be asked.
    #[must_use]
    pub fn is_received_elsewhere(&self, site: &str) -> bool {
        let Some(team) = self.reader.events.team().filter(|_| site != PRACTICE) else { return false };
        let pulse = team.pulses().last(site).ok().flatten();
        pulse.is_some_and(|at| (self.clock)().duration_since(at).abs() <= SignedDuration::from_secs(MAX_PULSE))
    }

    /// Which site's events a person means who names this one, or none: without a team all lie in one place, and the practice plant's are
    /// asked for by naming none.
    #[must_use]
    pub fn scope_of<'a>(&self, site: Option<&'a str>) -> Option<&'a str> {
        site.filter(|site| *site != PRACTICE || self.reader.events.team().is_some())
    }

    /// What a person looks for, as the file is asked.
    fn event_filter(&self, query: &EventQuery) -> Result<EventFilter, Problem> {
        let clock = query.site.as_deref().unwrap_or(PRACTICE);
        let moment =
            |text: &Option<String>, end| text.as_deref().map(|text| self.sites.moment_at(clock, text, end)).transpose();
        Ok(EventFilter {
            site: query.site.clone(),
            kinds: query.kinds.iter().copied().map(i64::from).collect(),
            states: query.states.clone(),
            station: query.station.clone(),
            employee: query.employee.clone(),
            order: query.order.clone(),
            text: query.text.clone(),
            since: moment(&query.since, SpanEnd::Begin)?,
            until: moment(&query.until, SpanEnd::End)?,
            up_to: query.up_to.map(i64::from),
            only: query.only.iter().copied().map(i64::from).collect(),
        })
    }

    /// The targets to which events are sent on.
    #[must_use]
    pub fn targets(&self) -> &ForwardTargets {
        &self.targets
    }

    /// The secret part of a site's address for events: made once, and the same from then on. All receivers of a team have the same.
    async fn event_path(&self, inbox: &Arc<Inbox>, site: &str) -> Result<Secret, Problem> {
        let own = self.own_event_path(site)?;
        let (inbox, name, proposed) = (Arc::clone(inbox), site.to_owned(), own.clone());
        let shared = run_blocking(move || Ok(inbox.shared_path(&name, proposed.reveal())?)).await?;
        Ok(shared.map_or(own, Secret::new))
    }

    fn own_event_path(&self, site: &str) -> Result<Secret, Problem> {
        let vault = self.sites.vault(site);
        if let Some(path) = vault.get(site, SecretKind::EventPath) {
            return Ok(path);
        }
        let mut bytes = [0; PATH_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| Problem::new(Code::Bug).details(error))?;
        let path = Secret::new(BASE64_URL_SAFE_NO_PAD.encode(bytes));
        vault.put(site, SecretKind::EventPath, &path);
        Ok(path)
    }
}

/// Where what came is kept, with who reads in it, opened when they are needed first.
pub struct EventReader {
    contract: Arc<Contract>,
    sites: Arc<Sites>,
    events: Arc<EventStore>,
    own: Mutex<Option<BackgroundReader>>,
    team: Option<(Arc<Inbox>, BackgroundReader)>,
}

takt_core::opaque_debug!(EventReader);

impl EventReader {
    /// Reads what `events` keeps, by the contract and the clocks of the sites.
    #[must_use]
    pub fn new(context: &Context, events: Arc<EventStore>) -> Self {
        let (contract, sites) = (Arc::clone(&context.contract), Arc::clone(&context.sites));
        let team = events.team().map(|team| (Arc::clone(team), reader(&contract, &sites, team)));
        Self { contract, sites, events, own: Mutex::default(), team }
    }

    /// Where a site's events are, or those of all but a team's practice plants, and who reads what comes there.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the events' file can't be opened or made.
    pub fn of(&self, site: Option<&str>) -> Result<(Arc<Inbox>, BackgroundReader), Problem> {
        if let Some((team, reading)) = self.team.as_ref().filter(|_| site != Some(PRACTICE)) {
            return Ok((Arc::clone(team), reading.clone()));
        }
        let inbox = self.events.own()?;
        let mut own = self.own.lock();
        let reading = own.get_or_insert_with(|| reader(&self.contract, &self.sites, &inbox));
        Ok((inbox, reading.clone()))
    }
}

fn reader(contract: &Arc<Contract>, sites: &Arc<Sites>, inbox: &Arc<Inbox>) -> BackgroundReader {
    let of_zones = Arc::clone(sites);
    let zones: floor::Zones = Arc::new(move |site| of_zones.time_zone(site));
    let (sites, builtin) = (Arc::clone(sites), Arc::clone(contract));
    let in_force: ContractOf = Arc::new(move |site| sites.contract(site).unwrap_or_else(|_| Arc::clone(&builtin)));
    BackgroundReader::new(Arc::clone(contract), in_force, Arc::clone(inbox), zones)
}
