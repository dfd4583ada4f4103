//! Events sent on to others, an ERP above all: each target gets every event of its site once it is kept, in their order.
//!
//! Owns what targets there are and what became of events at each (here, `view`), what is secret about them (`keys`), and the
//! sending (`forwarder`, `target_sender`, `target_client`, `delivery_failure`). Leaves to takt-journal the queue: it is what came after a target's cursor.
//!
//! Each event arrives at least once, in the order in which they came; one that arrives again has the same delivery's id.

mod delivery_failure;
mod forwarder;
mod keys;
mod target_client;
mod target_sender;
mod trial;
mod view;

use std::{path::Path, sync::Arc};

use parking_lot::Mutex;
use takt_client::{
    Timeouts,
    post::{PostClient, TransportSecurity, is_header},
};
use takt_contract::{Contract, SpanEnd};
use takt_core::blocking::run_blocking;
use takt_journal::{
    Inbox,
    inbox::{NewTarget, Start, Target, TargetKeys},
};
use takt_sites::Context;
use tokio::sync::watch;

use super::{delivery::CONTENT_TYPE, delivery_format::DeliveryFormat};
use takt_core::{Clock, Code, Home, Problem};
use takt_sites::sites::{PRACTICE, Sites};

use crate::events::EventStore;

pub use delivery_failure::ForwardTiming;
pub(super) use forwarder::{ForwardContext, Forwarder};
pub(super) use keys::{KeyNumber, Keys, keys as stored_keys, store as store_keys};
pub use trial::TestSent;
pub use view::*;

/// Headers that aren't a person's to choose: they are part of how a request is sent, or ours.
const OURS: [&str; 6] = ["connection", "content-length", "host", "transfer-encoding", "upgrade", CONTENT_TYPE];
const OUR_PREFIX: &str = "takt-";
/// Characters of a target's name.
pub(super) const MAX_NAME_LENGTH: usize = 60;
/// What is set aside, shown at once.
const MAX_EXCLUDED: u32 = 1_000;

/// How patiently events are sent on, and who is told that a target was changed.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    pace: Mutex<ForwardTiming>,
    /// Told whenever a target was changed.
    changed: watch::Sender<u64>,
}

impl Pace {
    fn now(&self) -> ForwardTiming {
        self.pace.lock().clone()
    }

    fn set(&self, pace: ForwardTiming) {
        *self.pace.lock() = pace;
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn nudge(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// The targets to which a site's events are sent on.
#[derive(Clone)]
pub struct ForwardTargets {
    pub contract: Arc<Contract>,
    pub sites: Arc<Sites>,
    pub clock: Clock,
    pub(crate) home: Home,
    pub(crate) events: Arc<EventStore>,
    pub(crate) pace: Arc<Pace>,
}

takt_core::opaque_debug!(ForwardTargets);

impl ForwardTargets {
    /// Targets of the sites of `context`, to which what `events` keeps is sent on.
    #[must_use]
    pub fn new(context: &Context, events: Arc<EventStore>) -> Self {
        Self {
            contract: Arc::clone(&context.contract),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            home: context.home.clone(),
            events,
            pace: Arc::default(),
        }
    }

    /// Targets of all sites, in the order in which they were added, and how each is doing.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the targets can't be read.
    pub async fn list(&self) -> Result<Vec<ForwardTarget>, Problem> {
        let (all, is_team) = (self.events.all()?, self.events.team().is_some());
        let (locks, sites) = (self.home.locks(), Arc::clone(&self.sites));
        let look = move || {
            let mut targets = Vec::new();
            for inbox in all {
                for target in inbox.targets().list()? {
                    let backlog = inbox.targets().backlog(&target)?;
                    let running = match inbox.senders().is_running(target.id)? {
                        Some(running) => running,
                        None => is_running(&locks, &target.site),
                    };
                    let sender = if running { Ok(()) } else { Err(idle_reason(&sites, &inbox, &target)) };
                    // What a desk has of a site from before it joined its team rests until it leaves.
                    let rests = !inbox.is_shared() && is_team && target.site != PRACTICE;
                    if !rests {
                        targets.push(view::target(target, &backlog, sender));
                    }
                }
            }
            Ok(targets)
        };
        run_blocking(look).await
    }

    /// Names of a site's targets that this computer doesn't send on to, because what is secret about them isn't kept here: in a team
    /// another one does. None without a team.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the targets can't be read.
    pub fn without_keys(&self, site: &str) -> Result<Vec<String>, Problem> {
        let inbox = self.events.of(Some(site))?;
        if !inbox.is_shared() {
            return Ok(Vec::new());
        }
        let vault = self.sites.vault(site);
        let lacks = |target: &Target| {
            target.site == site && !keys::keys(vault, &inbox, target, &target.address).are_complete(&target.keys)
        };
        Ok(inbox.targets().list()?.into_iter().filter(lacks).map(|target| target.name).collect())
    }

    /// Adds a target to a site. Events are sent on where the site's receiver runs.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::InvalidInput`]: the name, the address, a header, the secret or the moment to begin with can't be used.
    /// - [`Code::Precondition`]: the name is taken (`target-name-taken`), or the address is unencrypted, and nobody allowed
    ///   that (`plain-http`).
    /// - [`Code::WriteFailed`]: the vault can't keep the secrets.
    /// - A [journal code](takt_core::problem#journal-codes): the target can't be written.
    pub fn add(&self, site: &str, wish: &TargetSettings, start: &TargetStart) -> Result<i64, Problem> {
        let site = self.sites.find(site)?.name;
        let inbox = self.events.of(Some(&site))?;
        let start = match start {
            TargetStart::Now => Start::Now,
            TargetStart::Beginning => Start::Beginning,
            TargetStart::Since { moment } => Start::Since(self.sites.moment_at(&site, moment, SpanEnd::Begin)?),
        };
        let keys = self.checked(&inbox, &site, wish, None)?;
        let target = inbox.targets().add(&self.wanted(&site, wish, &keys), start)?;
        keys::store(self.sites.vault(&site), &site, KeyNumber::of(&inbox, target.id), keys)?;
        self.nudge();
        Ok(target.id)
    }

    /// Changes a target. How far it has come stays; what it didn't take is tried again at once. Where a team's target only gets secrets that
    /// this computer lacked, nothing changes for the team.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - [`Code::InvalidInput`]: the name, the address, a header or the secret can't be used.
    /// - [`Code::Precondition`]: the name is taken (`target-name-taken`), the address is unencrypted, and nobody allowed
    ///   that (`plain-http`), or it leads elsewhere while secrets are kept for the one before (`target-moved`).
    /// - [`Code::WriteFailed`]: the vault can't keep the secrets.
    /// - A [journal code](takt_core::problem#journal-codes): the target can't be written.
    pub fn change(&self, site: &str, id: i64, wish: &TargetSettings) -> Result<(), Problem> {
        let inbox = self.events.of(Some(site))?;
        let before = find_target(&inbox, id)?;
        let keys = self.checked(&inbox, &before.site, wish, Some(&before))?;
        let vault = self.sites.vault(&before.site);
        let changed = self.wanted(&before.site, wish, &keys);
        let as_before =
            NewTarget { keys: TargetKeys { version: before.keys.version, ..changed.keys.clone() }, ..changed.clone() };
        let lacked = !keys::keys(vault, &inbox, &before, &before.address).are_complete(&before.keys);
        let provides = inbox.is_shared() && lacked && is_same(&before, &as_before);
        let (changed, keys) =
            if provides { (as_before, Keys { version: before.keys.version, ..keys }) } else { (changed, keys) };
        // The secrets first: a line that begins anew finds them.
        keys::store(vault, &before.site, KeyNumber::of(&inbox, id), keys)?;
        inbox.targets().change(id, &changed)?;
        self.nudge();
        Ok(())
    }

    /// Removes a target with its secrets, its queue and what is known about what it got.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - [`Code::WriteFailed`]: the vault can't remove its secrets.
    /// - A [journal code](takt_core::problem#journal-codes): the target can't be removed.
    pub fn remove(&self, site: &str, id: i64) -> Result<(), Problem> {
        let inbox = self.events.of(Some(site))?;
        let target = find_target(&inbox, id)?;
        inbox.targets().remove(id, (self.clock)())?;
        self.nudge();
        keys::store(self.sites.vault(&target.site), &target.site, KeyNumber::of(&inbox, id), Keys::default())
    }

    /// Removes all targets of a site. A team's stay: its other desks have the site still.
    ///
    /// # Errors
    ///
    /// - [`Code::WriteFailed`]: the vault can't remove the secrets of one.
    /// - A [journal code](takt_core::problem#journal-codes): the targets can't be read or removed.
    pub fn remove_all_of(&self, site: &str) -> Result<(), Problem> {
        let inbox = self.events.of(Some(site))?;
        if inbox.is_shared() {
            return Ok(());
        }
        for target in inbox.targets().list()?.into_iter().filter(|target| target.site == site) {
            self.remove(site, target.id)?;
        }
        Ok(())
    }

    /// What comes waits from here on.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn pause(&self, site: &str, id: i64) -> Result<(), Problem> {
        let inbox = self.events.of(Some(site))?;
        inbox.targets().pause(id)?;
        self.nudge();
        Ok(())
    }

    /// Goes on with what waits, or, from now, only with what comes next.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn resume(&self, site: &str, id: i64, from_now: bool) -> Result<(), Problem> {
        let inbox = self.events.of(Some(site))?;
        inbox.targets().resume(id, from_now)?;
        self.nudge();
        Ok(())
    }

    /// A person's choice: what waits may go to the target's address, though it isn't encrypted.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn allow_http(&self, site: &str, id: i64) -> Result<(), Problem> {
        let inbox = self.events.of(Some(site))?;
        let Target { site, name, address, kinds, keys, .. } = find_target(&inbox, id)?;
        inbox.targets().change(
            id,
            &NewTarget { site, name, address, kinds, keys: TargetKeys { open: true, ..keys }, at: (self.clock)() },
        )?;
        self.nudge();
        Ok(())
    }

    /// Tries at once what wasn't taken.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn try_now(&self, site: &str, id: i64) -> Result<(), Problem> {
        let inbox = self.events.of(Some(site))?;
        Ok(inbox.targets().try_now(id, (self.clock)())?)
    }

    /// Has events sent again that were set aside: these, or all where none is named. How many.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn send_again(&self, site: &str, target: i64, events: &[i64]) -> Result<u32, Problem> {
        let inbox = self.events.of(Some(site))?;
        find_target(&inbox, target)?;
        Ok(u32::try_from(inbox.targets().send_again(target, events)?).unwrap_or(u32::MAX))
    }

    /// What a target refused and is set aside, oldest first.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such target.
    /// - A [journal code](takt_core::problem#journal-codes): its events can't be read.
    pub fn set_aside(&self, site: &str, target: i64) -> Result<Vec<ForwardedEvent>, Problem> {
        let inbox = self.events.of(Some(site))?;
        let name = find_target(&inbox, target)?.name;
        Ok(inbox.targets().aside(target, 0, MAX_EXCLUDED)?.into_iter().map(|row| view::forwarded(&name, row)).collect())
    }

    /// What became of an event at each target of its site.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no event of this number.
    /// - A [journal code](takt_core::problem#journal-codes): the targets can't be read.
    pub fn forwarded(&self, site: &str, event: i64) -> Result<Vec<ForwardedEvent>, Problem> {
        let inbox = self.events.of(Some(site))?;
        let raw = inbox.raw(event)?.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", event.to_string()))?;
        let (mut rows, origin) = (inbox.targets().forwarded(event)?, inbox.targets().origin()?);
        let awaiting = inbox.targets().awaiting(event)?;
        let of_site = inbox.targets().list()?.into_iter().filter(|target| target.site == raw.site);
        let at = |target: Target| match rows.iter().position(|row| row.target == target.id) {
            Some(at) => view::forwarded(&target.name, rows.swap_remove(at)),
            None => {
                let waits = awaiting.as_ref().map_or(raw.id > target.cursor, |awaiting| awaiting.contains(&target.id));
                view::without(&target, &raw, (&origin, waits))
            }
        };
        Ok(of_site.map(at).collect())
    }

    /// How patiently events are sent on, by the receivers that are started from now on.
    pub fn set_pace(&self, pace: ForwardTiming) {
        self.pace.set(pace);
    }

    /// A target's address, and what goes along to it.
    pub(super) fn keys(&self, site: Option<&str>, id: i64) -> Result<(String, Keys), Problem> {
        let inbox = self.events.of(site)?;
        let target = find_target(&inbox, id)?;
        if is_held(&target) {
            let parameters = [("target", target.name.as_str()), ("address", &target.address)];
            return Err(Problem::in_the_way_of("target-plain-http", &parameters));
        }
        let keys = keys::keys(self.sites.vault(&target.site), &inbox, &target, &target.address);
        Ok((target.address, keys))
    }

    /// The contract in force at a site; the built-in one where it can't be read.
    pub(super) fn contract_of(&self, site: &str) -> Arc<Contract> {
        self.sites.contract(site).unwrap_or_else(|_| Arc::clone(&self.contract))
    }

    /// What the lines of a site are made of.
    pub(super) fn context(&self, site: &str) -> Result<ForwardContext, Problem> {
        let inbox = self.events.of(Some(site))?;
        Ok(ForwardContext {
            site: site.to_owned(),
            inbox,
            format: Arc::new(DeliveryFormat::of(&self.contract_of(site))),
            vault: self.sites.vault(site).clone(),
            clock: Arc::clone(&self.clock),
            pace: self.pace.now(),
            lock: forwarder::lock_file(&self.home.locks(), site),
            changed: self.pace.changes(),
        })
    }

    /// A target as a person wants it now.
    fn wanted(&self, site: &str, wish: &TargetSettings, keys: &Keys) -> NewTarget {
        NewTarget {
            site: site.to_owned(),
            name: wish.name.trim().to_owned(),
            address: wish.address.trim().to_owned(),
            kinds: wish.kinds.iter().copied().map(i64::from).collect(),
            keys: TargetKeys {
                headers: keys.headers.iter().map(|(name, _)| name.clone()).collect(),
                signs: keys.secret.is_some(),
                version: keys.version,
                // A choice for nothing isn't kept for later.
                open: wish.allow_http
                    && PostClient::transport_security_of(&wish.address) == TransportSecurity::Unprotected,
            },
            at: (self.clock)(),
        }
    }

    fn nudge(&self) {
        self.pace.nudge();
    }

    /// What is secret about it, complete; refuses what can't be used.
    fn checked(
        &self,
        inbox: &Inbox,
        site: &str,
        wish: &TargetSettings,
        before: Option<&Target>,
    ) -> Result<Keys, Problem> {
        let invalid = |what: &str| Problem::new(Code::InvalidInput).parameter("what", what);
        let name = wish.name.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME_LENGTH || name.chars().any(char::is_control) {
            return Err(invalid(&wish.name));
        }
        let others = inbox.targets().list()?;
        if others
            .iter()
            .any(|one| one.site == site && one.name == name && before.map(|before| before.id) != Some(one.id))
        {
            return Err(Problem::in_the_way("target-name-taken"));
        }
        allowed(&PostClient::new(&wish.address, Timeouts::default())?, &wish.address, wish.allow_http)?;
        let (vault, contract) = (self.sites.vault(site), self.contract_of(site));
        let stored_keys = before.map(|before| keys::keys(vault, inbox, before, &wish.address)).unwrap_or_default();
        if before.is_some_and(|before| moved_with_keys(before, wish)) {
            return Err(Problem::in_the_way("target-moved"));
        }
        let headers = headers(wish, &stored_keys, &DeliveryFormat::of(&contract))?;
        let secret = match &wish.secret {
            Some(secret) => {
                super::secrets::check(&contract, secret)?;
                Some(secret.clone()).filter(|secret| !secret.is_empty())
            }
            None => stored_keys.secret,
        };
        let version = before.map_or(1, |before| before.keys.version.wrapping_add(1));
        let keys = Keys { headers, secret, origin: Some(PostClient::origin(&wish.address)), version };
        keys.learned_by(vault.redactor());
        Ok(keys)
    }
}

/// Whether a process of this home sends a site's events on at this moment.
pub(super) fn is_running(locks: &Path, site: &str) -> bool {
    forwarder::is_running(&forwarder::lock_file(locks, site))
}

/// Why no desk sends to a target. The keychain is asked only if the target has a secret.
fn idle_reason(sites: &Sites, inbox: &Inbox, target: &Target) -> IdleReason {
    let has_secrets = inbox.is_shared() && (target.keys.signs || !target.keys.headers.is_empty());
    let stored = || keys::keys(sites.vault(&target.site), inbox, target, &target.address);
    if has_secrets && !stored().are_complete(&target.keys) {
        return IdleReason::SecretsMissing;
    }
    IdleReason::NotReceiving
}

/// Plain http to anything but this computer goes out only by a person's choice.
pub(super) fn allowed(poster: &PostClient, address: &str, allow_http: bool) -> Result<(), Problem> {
    match poster.transport_security() {
        TransportSecurity::Unprotected if !allow_http => {
            Err(Problem::in_the_way_of("plain-http", &[("address", address.trim())]))
        }
        _ => Ok(()),
    }
}

/// Its address isn't encrypted, and no person allowed that, because an earlier Takt didn't ask. Its events wait.
fn is_held(target: &Target) -> bool {
    !target.keys.open && PostClient::transport_security_of(&target.address) == TransportSecurity::Unprotected
}

/// What was secret about the old address isn't for the new one: it is asked again, or given up by choice.
fn moved_with_keys(before: &Target, wish: &TargetSettings) -> bool {
    let kept_header = |(name, value): &(String, String)| !name.trim().is_empty() && value.is_empty();
    let keeps = wish.headers.iter().any(kept_header) || (before.keys.signs && wish.secret.is_none());
    keeps && PostClient::origin(&before.address) != PostClient::origin(&wish.address)
}

/// The headers that a person chose, with the values that are kept where none is given.
fn headers(wish: &TargetSettings, kept: &Keys, format: &DeliveryFormat) -> Result<Vec<(String, String)>, Problem> {
    let invalid = |what: &str| Problem::new(Code::InvalidInput).parameter("what", what);
    let ours = [format.delivery.as_str(), &format.signature, &format.timestamp];
    let complete = |(name, value): &(String, String)| {
        let name = name.trim().to_ascii_lowercase();
        let known = kept.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let value = if value.is_empty() { known.unwrap_or_default() } else { value.clone() };
        let reserved = OURS.contains(&name.as_str()) || ours.contains(&name.as_str()) || name.starts_with(OUR_PREFIX);
        if reserved || value.is_empty() || !is_header(&name, &value) { Err(invalid(&name)) } else { Ok((name, value)) }
    };
    wish.headers.iter().filter(|(name, _)| !name.trim().is_empty()).map(complete).collect()
}

/// Whether a target is wanted as it is.
fn is_same(before: &Target, wanted: &NewTarget) -> bool {
    let NewTarget { site, name, address, kinds, keys, at: _ } = wanted;
    (site, name, address, kinds, keys) == (&before.site, &before.name, &before.address, &before.kinds, &before.keys)
}

fn find_target(inbox: &Inbox, id: i64) -> Result<Target, Problem> {
    let target = inbox.targets().list()?.into_iter().find(|target| target.id == id);
    target.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
}
