//! The events of all sites: received, listed, watched, and read by ID.
//!
//! [`EventInbox`] starts receivers and reads the stored events. It also stores the settings of receivers, and the
//! secrets by which sites sign their events, which are never returned. `replay` and `export` add its other methods.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use takt_client::{Secret, SecretKind};
use takt_contract::{Contract, SpanEnd};
use takt_core::blocking::run_blocking;
use takt_core::words::CurrentWords;
use takt_core::{Clock, Code, Home, Problem};
use takt_journal::inbox::{EventFilter, Gap};
use takt_journal::{Availability, Inbox, Journal};
use takt_sites::{Context, PRACTICE, Sites};
use tokio::sync::watch;

use crate::answers::AnswerRules;
use crate::delivery_format::DeliveryFormat;
use crate::event_reader::{CATCH_UP_TIMEOUT, EventReader};
use crate::events::{self, EventDetail, EventGap, EventList, EventQuery};
use crate::forward::ForwardTargets;
use crate::heartbeat::MAX_HEARTBEAT_AGE;
use crate::receiver::{Receiver, ReceiverConfig, ReceiverParts};
use crate::signature::check_secret;

/// The number of random bytes in the secret part of a receiver's address.
const PATH_BYTES: usize = 16;

/// The settings of a receiver to start.
#[derive(Clone)]
pub struct ReceiverOptions {
    /// The address to listen on. By default a free port of the loopback address.
    pub listen: SocketAddr,
    /// The secrets, any of which may sign an event. If absent, the site's stored secrets are used.
    pub secrets: Option<Vec<String>>,
}

impl Default for ReceiverOptions {
    fn default() -> Self {
        Self { listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), secrets: None }
    }
}

impl fmt::Debug for ReceiverOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ReceiverOptions").field("listen", &self.listen).finish_non_exhaustive()
    }
}

/// The events of all sites.
#[derive(Clone)]
pub struct EventInbox {
    pub contract: Arc<Contract>,
    pub sites: Arc<Sites>,
    pub clock: Clock,
    pub(crate) home: Home,
    pub(crate) journal: Arc<Journal>,
    pub current_words: CurrentWords,
    pub(crate) reader: Arc<EventReader>,
    pub(crate) answers: AnswerRules,
    pub(crate) targets: ForwardTargets,
}

takt_core::opaque_debug!(EventInbox);

impl EventInbox {
    /// Creates the inbox of the sites of `context`.
    #[must_use]
    pub fn new(context: &Context, reader: Arc<EventReader>, answers: AnswerRules, targets: ForwardTargets) -> Self {
        Self {
            contract: Arc::clone(&context.contract),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            home: context.home.clone(),
            journal: Arc::clone(&context.journal),
            current_words: context.current_words.clone(),
            reader,
            answers,
            targets,
        }
    }

    /// Receives a site's events until the receiver is stopped or dropped.
    ///
    /// If it doesn't listen on the loopback address, other computers can connect, so ask the user first.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::ListenFailed`]: the address is in use, or isn't one of this computer.
    /// - [`Code::InvalidInput`]: a secret can't be used.
    /// - A [journal code](takt_core::problem#journal-codes): the events' file can't be opened.
    /// - [`Code::Bug`]: the system has no random bytes for the address's path.
    pub async fn receive(&self, site: &str, options: ReceiverOptions) -> Result<Receiver, Problem> {
        let site = site.to_owned();
        let prepared = self.run_blocking(move |events| {
            let site = events.sites.find(&site)?.name;
            let (inbox, background_reader) = events.reader.open(Some(&site))?;
            let (config, parts) = events.receiver_parts(&site, options, inbox)?;
            Ok((config, parts, background_reader, events.targets.context(&site)?))
        });
        let (config, parts, background_reader, forward_context) = prepared.await?;
        let mut receiver = Receiver::start(config, parts, &background_reader).await?;
        receiver.start_forwarding(forward_context);
        Ok(receiver)
    }

    fn receiver_parts(
        &self,
        site: &str,
        options: ReceiverOptions,
        inbox: Arc<Inbox>,
    ) -> Result<(ReceiverConfig, ReceiverParts), Problem> {
        let contract = self.sites.contract(site)?;
        let secrets: Vec<Secret> = match options.secrets {
            Some(secrets) => {
                secrets.iter().try_for_each(|secret| check_secret(&contract, secret))?;
                secrets.into_iter().map(Secret::new).collect()
            }
            None => self.secrets(site),
        };
        let redactor = self.sites.vault(site).redactor().clone();
        secrets.iter().for_each(|secret| redactor.register_secret(secret));
        let path = self.event_path(&inbox, site)?;
        let config = ReceiverConfig { listen: options.listen, path, secrets, redactor, site: site.to_owned() };
        let parts = ReceiverParts {
            format: DeliveryFormat::from_contract(&contract),
            contract,
            sites: Arc::clone(&self.sites),
            inbox,
            clock: Arc::clone(&self.clock),
            site_clock: self.sites.site_clock(site),
            rules: self.answers.site_rules(site),
        };
        Ok((config, parts))
    }

    /// Runs `work` on a thread that may wait for the events' file and the vault.
    pub(crate) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let events = self.clone();
        run_blocking(move || work(&events)).await
    }

    /// Opens the events of a site, or of all sites. Waits up to [`CATCH_UP_TIMEOUT`] until received events were read.
    pub(crate) async fn catch_up(&self, site: Option<&str>) -> Result<Arc<Inbox>, Problem> {
        let site = site.map(str::to_owned);
        let (inbox, background_reader) = self.run_blocking(move |events| events.reader.open(site.as_deref())).await?;
        background_reader.catch_up(CATCH_UP_TIMEOUT).await;
        Ok(inbox)
    }

    /// Lists the matching events, the newest first.
    ///
    /// Waits up to [`CATCH_UP_TIMEOUT`] until received events were read. The list contains the number of unread events.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the begin or the end isn't a time.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn list(&self, query: &EventQuery, offset: u32, limit: u32) -> Result<EventList, Problem> {
        let inbox = self.catch_up(query.site.as_deref()).await?;
        let query = query.clone();
        let found = self.run_blocking(move |inboxes| {
            let filter = inboxes.event_filter(&query)?;
            Ok((inbox.events(&filter, offset, limit)?, inbox.reading_progress()?))
        });
        let (page, (received, read)) = found.await?;
        let rows = page.rows.into_iter().map(|row| events::event_line(&self.contract, row)).collect();
        let unread = u32::try_from(received.saturating_sub(read)).unwrap_or_default();
        Ok(EventList { total: page.total, offset, rows, unread })
    }

    /// Returns an event of a site, or of any site, with all its data. A long body is shortened.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no event has this ID.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub async fn get(&self, site: Option<&str>, id: i64) -> Result<EventDetail, Problem> {
        let inbox = self.catch_up(site).await?;
        self.run_blocking(move |inboxes| {
            let (Some(row), Some(raw)) = (inbox.event(id)?, inbox.raw_event(id)?) else {
                return Err(Problem::new(Code::Unknown).parameter("what", id.to_string()));
            };
            let (copies, answer) = (inbox.event_copies(id)?, inbox.answer(id)?);
            let contract = inboxes.sites.contract(&raw.site)?;
            Ok(events::event_detail(&contract, &inboxes.current_words.words(), row, raw, copies, answer))
        })
        .await
    }

    /// Lists the periods in which no events could arrive, the newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the events can't be read.
    pub fn gaps(&self) -> Result<Vec<EventGap>, Problem> {
        let mut gaps = Vec::new();
        let is_team = self.reader.events.team_inbox().is_some();
        for inbox in self.reader.events.all_inboxes()? {
            // A desk's own gaps at other sites are from before it joined the team.
            let counts = |gap: &Gap| !is_team || inbox.is_shared() != (gap.site == PRACTICE);
            gaps.extend(inbox.heartbeats().gaps(events::MAX_GAPS)?.into_iter().filter(counts));
        }
        gaps.sort_by_key(|gap| std::cmp::Reverse(gap.until));
        Ok(gaps.into_iter().map(events::event_gap).collect())
    }

    /// Watches the ID of the newest read event of a site, or of all sites.
    ///
    /// In a team, the practice plant's events are only watched if `site` names it, because they belong to the desk.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the events' file can't be opened.
    pub fn watch(&self, site: Option<&str>) -> Result<watch::Receiver<i64>, Problem> {
        let (_, background_reader) = self.reader.open(site)?;
        let watched = background_reader.watch();
        background_reader.follow_team();
        Ok(watched)
    }

    /// Watches whether the database with a site's events is available. `None` if the events are in the desk's own file.
    #[must_use]
    pub fn availability(&self, site: &str) -> Option<watch::Receiver<Availability>> {
        self.reader.events.team_inbox().filter(|_| site != PRACTICE)?.availability()
    }

    /// Returns the scopes for [`Self::watch`] that together cover every event.
    #[must_use]
    pub fn scopes(&self) -> Vec<Option<&'static str>> {
        if self.reader.events.team_inbox().is_some() { vec![None, Some(PRACTICE)] } else { vec![None] }
    }

    /// Returns whether another computer of the team currently receives a site's events. False if the database can't be
    /// queried.
    #[must_use]
    pub fn is_received_elsewhere(&self, site: &str) -> bool {
        let Some(team) = self.reader.events.team_inbox().filter(|_| site != PRACTICE) else { return false };
        let pulse = team.heartbeats().last(site).ok().flatten();
        pulse.is_some_and(|at| (self.clock)().duration_since(at).abs() <= SignedDuration::from_secs(MAX_HEARTBEAT_AGE))
    }

    /// Returns the scope that contains a site's events.
    ///
    /// Without a team the practice plant's events are in the scope without a name.
    #[must_use]
    pub fn scope_of<'a>(&self, site: Option<&'a str>) -> Option<&'a str> {
        site.filter(|site| *site != PRACTICE || self.reader.events.team_inbox().is_some())
    }

    /// Converts a query into the inbox's filter.
    pub(crate) fn event_filter(&self, query: &EventQuery) -> Result<EventFilter, Problem> {
        let clock = query.site.as_deref().unwrap_or(PRACTICE);
        let timestamp = |text: &Option<String>, end| {
            text.as_deref().map(|text| self.sites.parse_timestamp(clock, text, end)).transpose()
        };
        Ok(EventFilter {
            site: query.site.clone(),
            kinds: query.kinds.iter().copied().map(i64::from).collect(),
            states: query.states.clone(),
            station: query.station.clone(),
            employee: query.employee.clone(),
            order: query.order.clone(),
            text: query.text.clone(),
            since: timestamp(&query.since, SpanEnd::Begin)?,
            until: timestamp(&query.until, SpanEnd::End)?,
            up_to: query.up_to.map(i64::from),
            event_numbers: query.only.iter().copied().map(i64::from).collect(),
        })
    }

    /// Returns the targets to which events are forwarded.
    #[must_use]
    pub fn targets(&self) -> &ForwardTargets {
        &self.targets
    }

    /// Returns the secret part of a site's address for events. Created once, and shared by all receivers of a team.
    fn event_path(&self, inbox: &Inbox, site: &str) -> Result<Secret, Problem> {
        let own = self.own_event_path(site)?;
        let shared = inbox.ensure_shared_path(site, own.reveal())?;
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

const RECEIVERS_SETTING: &str = "receivers";

/// The address of a site's receiver, and whether it runs with Takt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ReceiverSettings {
    /// Whether the receiver runs whenever Takt does.
    pub with_takt: bool,
    #[cfg_attr(feature = "specta", specta(type = String))]
    pub address: IpAddr,
    /// 0 selects a free port, which is then stored.
    pub port: u16,
}

impl Default for ReceiverSettings {
    fn default() -> Self {
        Self { with_takt: false, address: Ipv4Addr::LOCALHOST.into(), port: 0 }
    }
}

impl EventInbox {
    /// Returns the stored settings of a site's receiver, if any.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn receiver_settings(&self, site: &str) -> Result<Option<ReceiverSettings>, Problem> {
        Ok(self.all_receiver_settings()?.remove(site))
    }

    /// Stores the settings of a site's receiver.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be written.
    pub fn store_receiver_settings(&self, site: &str, settings: ReceiverSettings) -> Result<(), Problem> {
        let mut all = self.all_receiver_settings()?;
        all.insert(site.to_owned(), settings);
        Ok(self.journal.settings().set(RECEIVERS_SETTING, &serde_json::to_value(all).unwrap_or_default())?)
    }

    fn all_receiver_settings(&self) -> Result<BTreeMap<String, ReceiverSettings>, Problem> {
        let stored = self.journal.settings().get(RECEIVERS_SETTING)?;
        Ok(stored.and_then(|settings| serde_json::from_value(settings).ok()).unwrap_or_default())
    }
}

impl EventInbox {
    /// Replaces the secrets by which a site signs its events. Several are valid while one of them is being replaced.
    /// Without secrets, signatures aren't checked.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::InvalidInput`]: a secret can't be used. None was stored.
    /// - [`Code::WriteFailed`]: the vault can't remove the stored secrets.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn set_secrets(&self, site: &str, secrets: &[String]) -> Result<(), Problem> {
        let site = self.sites.find(site)?.name;
        let vault = self.sites.vault(&site);
        let failed = |cause: String| Problem::new(Code::WriteFailed).parameter("file", &*site).details(cause);
        let secrets: Vec<_> = secrets.iter().filter(|secret| !secret.is_empty()).collect();
        for secret in &secrets {
            check_secret(&*self.sites.contract(&site)?, secret)?;
        }
        if secrets.is_empty() {
            return vault.remove(&site, SecretKind::EventSecrets).map_err(|error| failed(error.to_string()));
        }
        secrets.iter().for_each(|secret| vault.redactor().register_secret(&Secret::new(*secret)));
        let text = serde_json::to_string(&secrets).map_err(|error| failed(error.to_string()))?;
        vault.put(&site, SecretKind::EventSecrets, &Secret::new(text));
        Ok(())
    }

    /// Checks that a secret can be used. A secret with the prefix of Standard Webhooks must be a valid key.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidInput`]: the text after the prefix of Standard Webhooks isn't a valid key.
    pub fn check_secret(&self, secret: &str) -> Result<(), Problem> {
        check_secret(&self.contract, secret)
    }

    /// Returns the number of secrets by which a site's events are checked.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn secret_count(&self, site: &str) -> Result<u32, Problem> {
        let site = self.sites.find(site)?.name;
        Ok(u32::try_from(self.secrets(&site).len()).unwrap_or(u32::MAX))
    }

    /// Adds a secret by which a site's events are checked, unless it is stored already.
    ///
    /// # Errors
    ///
    /// Like [`Self::set_secrets`].
    pub fn add_secret(&self, site: &str, secret: &str) -> Result<(), Problem> {
        let mut secrets = self.revealed_secrets(site)?;
        if !secrets.iter().any(|known| known == secret) {
            secrets.push(secret.to_owned());
        }
        self.set_secrets(site, &secrets)
    }

    /// Removes a secret by its index. The oldest has index 0. Does nothing if there is no such secret.
    ///
    /// # Errors
    ///
    /// Like [`Self::set_secrets`].
    pub fn remove_secret(&self, site: &str, index: usize) -> Result<(), Problem> {
        let mut secrets = self.revealed_secrets(site)?;
        if index < secrets.len() {
            secrets.remove(index);
        }
        self.set_secrets(site, &secrets)
    }

    /// Updates a running receiver to the site's stored secrets.
    pub fn reload_secrets(&self, receiver: &Receiver) {
        receiver.set_secrets(self.secrets(receiver.site()));
    }

    /// Returns the secret by which the practice plant signs: the newest one. Secrets of other sites are never returned.
    #[must_use]
    pub fn practice_secret(&self) -> Option<String> {
        self.secrets(PRACTICE).last().map(|secret| secret.reveal().to_owned())
    }

    fn revealed_secrets(&self, site: &str) -> Result<Vec<String>, Problem> {
        let site = self.sites.find(site)?.name;
        Ok(self.secrets(&site).iter().map(|secret| secret.reveal().to_owned()).collect())
    }

    pub(crate) fn secrets(&self, site: &str) -> Vec<Secret> {
        let stored = self.sites.vault(site).get(site, SecretKind::EventSecrets);
        let texts: Vec<String> = stored.and_then(|text| serde_json::from_str(text.reveal()).ok()).unwrap_or_default();
        let secrets: Vec<Secret> = texts.into_iter().map(Secret::new).collect();
        secrets.iter().for_each(|secret| self.sites.vault(site).redactor().register_secret(secret));
        secrets
    }
}
