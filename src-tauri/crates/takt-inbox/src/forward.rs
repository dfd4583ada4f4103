//! Forwards a site's events to targets such as an ERP, each in order of arrival and at least once.
//!
//! [`ForwardTargets`] manages targets. `forwarder`, `target_sender`, `target_client` and `delivery_failure` send.
//! `target_secrets` stores a target's secrets, and `view` shows its state. A target's queue is every event after its
//! cursor in the inbox. A repeated event must have the same delivery ID.

mod delivery_failure;
mod forwarder;
mod target_client;
mod target_secrets;
mod target_sender;
mod view;

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use takt_client::Timeouts;
use takt_client::post::{PostClient, TransportSecurity, is_header};
use takt_contract::{Contract, SpanEnd};
use takt_core::blocking::run_blocking;
use takt_core::{Clock, Code, Home, Problem};
use takt_journal::Inbox;
use takt_journal::inbox::{EventFilter, ForwardStart, NewTarget, RawEvent, Target, TargetKeys};
use takt_sites::{Context, PRACTICE, Sites};
use tokio::sync::watch;

use crate::delivery_format::DeliveryFormat;
use crate::delivery_headers::{self, CONTENT_TYPE, REPLAY_HEADER, TEST_HEADER};
use crate::events::{EventStore, short_id};
use crate::signature::check_secret;
use delivery_failure::classify_response;
use target_client::is_blocked_as_unencrypted;

pub use delivery_failure::ForwardTiming;
pub(crate) use forwarder::{ForwardContext, Forwarder};
pub(crate) use target_secrets::{SecretsId, TargetSecrets, load_secrets, store_secrets};
pub use view::{
    Fault, ForwardStop, ForwardTarget, ForwardedEvent, IdleReason, TargetMiss, TargetSettings, TargetStart,
    TargetState, forward_fault_text,
};

/// Headers that users can't set because they are part of the request or set by Takt.
const RESERVED_HEADERS: [&str; 6] =
    ["connection", "content-length", "host", "transfer-encoding", "upgrade", CONTENT_TYPE];
const RESERVED_PREFIX: &str = "takt-";
/// The maximum length of a target's name, in characters.
pub(crate) const MAX_NAME_LENGTH: usize = 60;
/// The maximum number of excluded events that are listed.
const MAX_EXCLUDED: u32 = 1_000;

/// The timing of forwarding, and the notification of changed targets.
#[derive(Debug, Default)]
pub(crate) struct ForwardControl {
    timing: Mutex<ForwardTiming>,
    /// Counts changes to targets. Forwarders watch it.
    changed: watch::Sender<u64>,
}

impl ForwardControl {
    fn timing(&self) -> ForwardTiming {
        self.timing.lock().clone()
    }

    fn set_timing(&self, timing: ForwardTiming) {
        *self.timing.lock() = timing;
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn notify_changed(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// The targets to which events are forwarded.
#[derive(Clone)]
pub struct ForwardTargets {
    pub contract: Arc<Contract>,
    pub sites: Arc<Sites>,
    pub clock: Clock,
    pub(crate) home: Home,
    pub(crate) events: Arc<EventStore>,
    control: Arc<ForwardControl>,
}

takt_core::opaque_debug!(ForwardTargets);

impl ForwardTargets {
    /// Creates the targets of the sites of `context`. Events come from `events`.
    #[must_use]
    pub fn new(context: &Context, events: Arc<EventStore>) -> Self {
        Self {
            contract: Arc::clone(&context.contract),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            home: context.home.clone(),
            events,
            control: Arc::default(),
        }
    }

    /// Lists the targets of all sites, in the order in which they were added, with their state.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the targets can't be read.
    pub async fn list(&self) -> Result<Vec<ForwardTarget>, Problem> {
        let targets = self.clone();
        run_blocking(move || targets.list_blocking()).await
    }

    /// Like [`Self::list`], but blocks the thread while the journal is read.
    ///
    /// # Errors
    ///
    /// As for [`Self::list`].
    pub fn list_blocking(&self) -> Result<Vec<ForwardTarget>, Problem> {
        let (all, is_team) = (self.events.all_inboxes()?, self.events.team_inbox().is_some());
        let locks = self.home.locks();
        let mut targets = Vec::new();
        for inbox in all {
            for target in inbox.targets().list()? {
                let backlog = inbox.targets().backlog(&target)?;
                let running = match inbox.senders().is_running(target.id)? {
                    Some(running) => running,
                    None => is_running(&locks, &target.site),
                };
                let sender = if running { Ok(()) } else { Err(idle_reason(&self.sites, &inbox, &target)) };
                // A desk's own targets from before it joined a team are inactive until it leaves.
                let is_inactive = !inbox.is_shared() && is_team && target.site != PRACTICE;
                if !is_inactive {
                    targets.push(view::forward_target(target, &backlog, sender));
                }
            }
        }
        Ok(targets)
    }

    /// Returns the names of a site's targets whose secrets aren't stored on this computer, so that another computer of
    /// the team sends to them. Empty without a team.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the targets can't be read.
    pub fn targets_without_secrets(&self, site: &str) -> Result<Vec<String>, Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        if !inbox.is_shared() {
            return Ok(Vec::new());
        }
        let vault = self.sites.vault(site);
        let lacks = |target: &Target| {
            target.site == site && !load_secrets(vault, &inbox, target, &target.address).are_complete(&target.keys)
        };
        Ok(inbox.targets().list()?.into_iter().filter(lacks).map(|target| target.name).collect())
    }

    /// Adds a target to a site. Events are forwarded while the site's receiver runs.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::InvalidInput`]: the name, the address, a header, the secret or the start time can't be used.
    /// - [`Code::Precondition`]: the name is in use (`target-name-taken`), or the address is unencrypted and the user
    ///   didn't allow that (`plain-http`).
    /// - [`Code::WriteFailed`]: the vault can't store the secrets.
    /// - A [journal code](takt_core::problem#journal-codes): the target can't be written.
    pub fn add(&self, site: &str, settings: &TargetSettings, start: &TargetStart) -> Result<i64, Problem> {
        let site = self.sites.find(site)?.name;
        let inbox = self.events.open_inbox(Some(&site))?;
        let start = match start {
            TargetStart::Now => ForwardStart::Now,
            TargetStart::Beginning => ForwardStart::Beginning,
            TargetStart::Since { moment } => {
                ForwardStart::Since(self.sites.parse_timestamp(&site, moment, SpanEnd::Begin)?)
            }
        };
        let keys = self.validate_secrets(&inbox, &site, settings, None)?;
        let target = inbox.targets().add(&self.new_target(&site, settings, &keys), start)?;
        store_secrets(self.sites.vault(&site), &site, SecretsId::for_target(&inbox, target.id), keys)?;
        self.notify_changed();
        Ok(target.id)
    }

    /// Changes a target. Its cursor stays, and a failed event is tried again at once.
    ///
    /// If only missing secrets of a team's target are added on this computer, the team's target doesn't change.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - [`Code::InvalidInput`]: the name, the address, a header or the secret can't be used.
    /// - [`Code::Precondition`]: the name is in use (`target-name-taken`), the address is unencrypted and the user
    ///   didn't allow that (`plain-http`), or the origin changes while its secrets would be reused (`target-moved`).
    /// - [`Code::WriteFailed`]: the vault can't store the secrets.
    /// - A [journal code](takt_core::problem#journal-codes): the target can't be written.
    pub fn change(&self, site: &str, id: i64, settings: &TargetSettings) -> Result<(), Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        let before = find_target(&inbox, id)?;
        let keys = self.validate_secrets(&inbox, &before.site, settings, Some(&before))?;
        let vault = self.sites.vault(&before.site);
        let changed = self.new_target(&before.site, settings, &keys);
        let as_before =
            NewTarget { keys: TargetKeys { version: before.keys.version, ..changed.keys.clone() }, ..changed.clone() };
        let lacked = !load_secrets(vault, &inbox, &before, &before.address).are_complete(&before.keys);
        let provides = inbox.is_shared() && lacked && has_same_settings(&before, &as_before);
        let (changed, keys) = if provides {
            (as_before, TargetSecrets { version: before.keys.version, ..keys })
        } else {
            (changed, keys)
        };
        // Stored first, so that a restarted worker finds the secrets.
        store_secrets(vault, &before.site, SecretsId::for_target(&inbox, id), keys)?;
        inbox.targets().change(id, &changed)?;
        self.notify_changed();
        Ok(())
    }

    /// Removes a target with its secrets, its queue and its history.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - [`Code::WriteFailed`]: the vault can't remove its secrets.
    /// - A [journal code](takt_core::problem#journal-codes): the target can't be removed.
    pub fn remove(&self, site: &str, id: i64) -> Result<(), Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        let target = find_target(&inbox, id)?;
        inbox.targets().remove(id, (self.clock)())?;
        self.notify_changed();
        store_secrets(
            self.sites.vault(&target.site),
            &target.site,
            SecretsId::for_target(&inbox, id),
            TargetSecrets::default(),
        )
    }

    /// Removes all targets of a site. A team's targets remain because its other desks still have the site.
    ///
    /// # Errors
    ///
    /// - [`Code::WriteFailed`]: the vault can't remove the secrets of a target.
    /// - A [journal code](takt_core::problem#journal-codes): the targets can't be read or removed.
    pub fn remove_all_targets(&self, site: &str) -> Result<(), Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        if inbox.is_shared() {
            return Ok(());
        }
        for target in inbox.targets().list()?.into_iter().filter(|target| target.site == site) {
            self.remove(site, target.id)?;
        }
        Ok(())
    }

    /// Pauses a target. Its events wait.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn pause(&self, site: &str, id: i64) -> Result<(), Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        inbox.targets().pause(id)?;
        self.notify_changed();
        Ok(())
    }

    /// Resumes a target with the waiting events, or only with new ones if `from_now` is set.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn resume(&self, site: &str, id: i64, from_now: bool) -> Result<(), Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        inbox.targets().resume(id, from_now)?;
        self.notify_changed();
        Ok(())
    }

    /// Allows the target's unencrypted address, at the user's request.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn allow_http(&self, site: &str, id: i64) -> Result<(), Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        let Target { site, name, address, kinds, keys, .. } = find_target(&inbox, id)?;
        inbox.targets().change(
            id,
            &NewTarget { site, name, address, kinds, keys: TargetKeys { open: true, ..keys }, at: (self.clock)() },
        )?;
        self.notify_changed();
        Ok(())
    }

    /// Retries the failed event at once.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn retry_now(&self, site: &str, id: i64) -> Result<(), Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        Ok(inbox.targets().try_now(id, (self.clock)())?)
    }

    /// Queues excluded events again: `events`, or all if it is empty. Returns their number.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn requeue_events(&self, site: &str, target: i64, events: &[i64]) -> Result<u32, Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        find_target(&inbox, target)?;
        Ok(u32::try_from(inbox.targets().request_resend(target, events)?).unwrap_or(u32::MAX))
    }

    /// Lists the events that a target refused and that are excluded, the oldest first.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): its events can't be read.
    pub fn list_excluded_events(&self, site: &str, target: i64) -> Result<Vec<ForwardedEvent>, Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        let name = find_target(&inbox, target)?.name;
        Ok(inbox
            .targets()
            .list_refused_events(target, 0, MAX_EXCLUDED)?
            .into_iter()
            .map(|row| view::forwarded_event(&name, row))
            .collect())
    }

    /// Lists the state of an event at each target of its site.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no event has this ID.
    /// - A [journal code](takt_core::problem#journal-codes): the targets can't be read.
    pub fn list_forwards(&self, site: &str, event: i64) -> Result<Vec<ForwardedEvent>, Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        let raw =
            inbox.raw_event(event)?.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", event.to_string()))?;
        let (mut rows, origin) = (inbox.targets().list_forwards(event)?, inbox.targets().origin()?);
        let awaiting = inbox.targets().pending_targets(event)?;
        let of_site = inbox.targets().list()?.into_iter().filter(|target| target.site == raw.site);
        let at = |target: Target| match rows.iter().position(|row| row.target == target.id) {
            Some(at) => view::forwarded_event(&target.name, rows.swap_remove(at)),
            None => {
                let waits = awaiting.as_ref().map_or(raw.id > target.cursor, |awaiting| awaiting.contains(&target.id));
                view::view_undelivered(&target, &raw, &origin, waits)
            }
        };
        Ok(of_site.map(at).collect())
    }

    /// Sets the timing of forwarding for receivers that are started from now on.
    pub fn set_timing(&self, timing: ForwardTiming) {
        self.control.set_timing(timing);
    }

    /// Returns a target's address and its secrets.
    pub(crate) fn target_secrets(&self, site: Option<&str>, id: i64) -> Result<(String, TargetSecrets), Problem> {
        let inbox = self.events.open_inbox(site)?;
        let target = find_target(&inbox, id)?;
        if is_blocked_as_unencrypted(&target) {
            let parameters = [("target", target.name.as_str()), ("address", &target.address)];
            return Err(Problem::obstacle_with("target-plain-http", &parameters));
        }
        let keys = load_secrets(self.sites.vault(&target.site), &inbox, &target, &target.address);
        Ok((target.address, keys))
    }

    /// Returns the context of a site's delivery workers.
    pub(crate) fn context(&self, site: &str) -> Result<ForwardContext, Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        Ok(ForwardContext {
            site: site.to_owned(),
            inbox,
            format: Arc::new(DeliveryFormat::from_contract(&*self.sites.contract(site)?)),
            vault: self.sites.vault(site).clone(),
            clock: Arc::clone(&self.clock),
            timing: self.control.timing(),
            lock: forwarder::lock_file(&self.home.locks(), site),
            changed: self.control.changes(),
        })
    }

    /// Converts a user's settings to a target for the journal.
    fn new_target(&self, site: &str, settings: &TargetSettings, keys: &TargetSecrets) -> NewTarget {
        NewTarget {
            site: site.to_owned(),
            name: settings.name.trim().to_owned(),
            address: settings.address.trim().to_owned(),
            kinds: settings.kinds.iter().copied().map(i64::from).collect(),
            keys: TargetKeys {
                headers: keys.headers.iter().map(|(name, _)| name.clone()).collect(),
                signs: keys.secret.is_some(),
                version: keys.version,
                // Don't store the permission if it isn't needed.
                open: settings.allow_http
                    && PostClient::transport_security_of(&settings.address) == TransportSecurity::Unprotected,
            },
            at: (self.clock)(),
        }
    }

    fn notify_changed(&self) {
        self.control.notify_changed();
    }

    /// Validates the settings and returns the complete secrets.
    fn validate_secrets(
        &self,
        inbox: &Inbox,
        site: &str,
        settings: &TargetSettings,
        before: Option<&Target>,
    ) -> Result<TargetSecrets, Problem> {
        let invalid = |what: &str| Problem::new(Code::InvalidInput).parameter("what", what);
        let name = settings.name.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME_LENGTH || name.chars().any(char::is_control) {
            return Err(invalid(&settings.name));
        }
        let targets = inbox.targets().list()?;
        if targets
            .iter()
            .any(|one| one.site == site && one.name == name && before.map(|before| before.id) != Some(one.id))
        {
            return Err(Problem::obstacle("target-name-taken"));
        }
        check_transport_security(
            &PostClient::new(&settings.address, Timeouts::default())?,
            &settings.address,
            settings.allow_http,
        )?;
        let (vault, contract) = (self.sites.vault(site), self.sites.contract(site)?);
        let stored_keys =
            before.map(|before| load_secrets(vault, inbox, before, &settings.address)).unwrap_or_default();
        if before.is_some_and(|before| would_send_secrets_elsewhere(before, settings)) {
            return Err(Problem::obstacle("target-moved"));
        }
        let headers = complete_headers(settings, &stored_keys, &DeliveryFormat::from_contract(&contract))?;
        let secret = match &settings.secret {
            Some(secret) => {
                check_secret(&contract, secret)?;
                Some(secret.clone()).filter(|secret| !secret.is_empty())
            }
            None => stored_keys.secret,
        };
        let version = before.map_or(1, |before| before.keys.version.wrapping_add(1));
        let keys = TargetSecrets { headers, secret, origin: Some(PostClient::origin(&settings.address)), version };
        keys.register_with(vault.redactor());
        Ok(keys)
    }
}

/// Returns whether a process of this home currently forwards a site's events.
pub(crate) fn is_running(locks: &Path, site: &str) -> bool {
    forwarder::is_running(&forwarder::lock_file(locks, site))
}

/// Returns the reason why no desk sends to a target. The keychain is only read if the target has a secret.
fn idle_reason(sites: &Sites, inbox: &Inbox, target: &Target) -> IdleReason {
    let has_secrets = inbox.is_shared() && (target.keys.signs || !target.keys.headers.is_empty());
    let stored = || load_secrets(sites.vault(&target.site), inbox, target, &target.address);
    if has_secrets && !stored().are_complete(&target.keys) {
        return IdleReason::SecretsMissing;
    }
    IdleReason::NotReceiving
}

/// Checks that the user allowed an unencrypted address. Addresses of this computer are always allowed.
pub(crate) fn check_transport_security(poster: &PostClient, address: &str, allow_http: bool) -> Result<(), Problem> {
    match poster.transport_security() {
        TransportSecurity::Unprotected if !allow_http => {
            Err(Problem::obstacle_with("plain-http", &[("address", address.trim())]))
        }
        _ => Ok(()),
    }
}

/// Returns whether the origin changes while its secrets would be reused. The user must then enter or remove them.
fn would_send_secrets_elsewhere(before: &Target, settings: &TargetSettings) -> bool {
    let is_reused = |(name, value): &(String, String)| !name.trim().is_empty() && value.is_empty();
    let reuses_keys = settings.headers.iter().any(is_reused) || (before.keys.signs && settings.secret.is_none());
    reuses_keys && PostClient::origin(&before.address) != PostClient::origin(&settings.address)
}

/// Returns the user's headers. A header without a value gets its stored value.
fn complete_headers(
    settings: &TargetSettings,
    stored: &TargetSecrets,
    format: &DeliveryFormat,
) -> Result<Vec<(String, String)>, Problem> {
    let invalid = |what: &str| Problem::new(Code::InvalidInput).parameter("what", what);
    let delivery_headers = [format.delivery.as_str(), &format.signature, &format.timestamp];
    let complete = |(name, value): &(String, String)| {
        let name = name.trim().to_ascii_lowercase();
        let known = stored.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let value = if value.is_empty() { known.unwrap_or_default() } else { value.clone() };
        let reserved = RESERVED_HEADERS.contains(&name.as_str())
            || delivery_headers.contains(&name.as_str())
            || name.starts_with(RESERVED_PREFIX);
        if reserved || value.is_empty() || !is_header(&name, &value) { Err(invalid(&name)) } else { Ok((name, value)) }
    };
    settings.headers.iter().filter(|(name, _)| !name.trim().is_empty()).map(complete).collect()
}

/// Returns whether the settings equal the target's.
fn has_same_settings(before: &Target, wanted: &NewTarget) -> bool {
    let NewTarget { site, name, address, kinds, keys, at: _ } = wanted;
    (site, name, address, kinds, keys) == (&before.site, &before.name, &before.address, &before.kinds, &before.keys)
}

fn find_target(inbox: &Inbox, id: i64) -> Result<Target, Problem> {
    let target = inbox.targets().list()?.into_iter().find(|target| target.id == id);
    target.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
}

/// The result of a test event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TestSent {
    /// The stored event that was sent. Absent if there was none, and an empty object was sent.
    pub event: Option<i32>,
    /// Absent if the target accepted the event.
    pub fault: Option<Fault>,
    /// The response's HTTP status.
    pub status: Option<u16>,
    /// The beginning of the response, or the technical cause. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
}

impl ForwardTargets {
    /// Sends a test event with the given settings: the site's newest event of the kinds, marked as a test and a replay.
    ///
    /// Secrets that are missing in `settings` are read from the target `before`. Nothing is stored.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no target `before`.
    /// - [`Code::InvalidInput`]: the name, the address, a header or the secret can't be
    ///   used.
    /// - [`Code::Precondition`]: as for [`Self::add`] and [`Self::change`].
    /// - A [journal code](takt_core::problem#journal-codes): the targets or the events can't be read. A failed delivery
    ///   is no error, see [`TestSent`].
    pub async fn send_test_event(
        &self,
        site: &str,
        settings: &TargetSettings,
        before: Option<i64>,
    ) -> Result<TestSent, Problem> {
        let (targets, site, settings) = (self.clone(), site.to_owned(), settings.clone());
        let TestRequest { event, headers, body, poster } =
            run_blocking(move || targets.prepare_test_event(&site, &settings, before)).await?;
        Ok(match classify_response(poster.post(&headers, body, &self.clock).await) {
            Ok(status) => TestSent { event, fault: None, status: Some(status), response: String::new() },
            Err(failure) => {
                TestSent { event, fault: Some(failure.fault), status: failure.status, response: failure.response }
            }
        })
    }

    fn prepare_test_event(
        &self,
        site: &str,
        settings: &TargetSettings,
        before: Option<i64>,
    ) -> Result<TestRequest, Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        let before = before.map(|id| find_target(&inbox, id)).transpose()?;
        let keys = self.validate_secrets(&inbox, site, settings, before.as_ref())?;
        let filter = EventFilter {
            site: Some(site.to_owned()),
            kinds: settings.kinds.iter().copied().map(i64::from).collect(),
            ..EventFilter::default()
        };
        let newest = inbox.events(&filter, 0, 1)?.rows.first().map(|row| row.id);
        let raw = newest.map(|id| inbox.raw_event(id)).transpose()?.flatten();
        let format = DeliveryFormat::from_contract(&*self.sites.contract(site)?);
        let mut headers = match &raw {
            Some(raw) => replay_headers(raw, &format),
            None => vec![(CONTENT_TYPE.to_owned(), "application/json".to_owned())],
        };
        headers.push((TEST_HEADER.to_owned(), "1".to_owned()));
        let body = raw.as_ref().map_or_else(|| b"{}".to_vec(), |raw| raw.body.clone());
        headers.extend(keys.headers(&format, &headers, &body, (self.clock)()));
        let answer = ForwardTiming::default().response_timeout;
        let poster = PostClient::new(&settings.address, Timeouts { request: answer, ..Timeouts::default() })?
            .with_redactor(self.sites.vault(site).redactor());
        let event = raw.map(|raw| short_id(raw.id));
        Ok(TestRequest { event, headers, body, poster })
    }
}

/// A test event, ready to be sent.
struct TestRequest {
    event: Option<i32>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    poster: PostClient,
}

fn replay_headers(raw: &RawEvent, format: &DeliveryFormat) -> Vec<(String, String)> {
    let mut headers = delivery_headers::build_headers(raw, format, None);
    headers.push((REPLAY_HEADER.to_owned(), raw.id.to_string()));
    headers
}
