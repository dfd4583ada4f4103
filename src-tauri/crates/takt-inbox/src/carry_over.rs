//! Copies a desk's events and targets when it joins a team.
//!
//! A target is replaced by the team's target with the same address if that one gets all of its kinds of events. A
//! target's secrets stay on this computer, under the team's target. No event is sent twice: the desk's own target is
//! paused before it is handed over, and stays paused.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use takt_client::Vault;
use takt_contract::Contract;
use takt_core::{Home, Problem, account::computer_name};
use takt_journal::{
    Inbox,
    inbox::{CarriedTarget, InboxCarryOver, RawEvent, Target, TargetDestination},
};
use takt_sites::PRACTICE;
use url::Url;

use crate::{
    delivery_format::{DeliveryFormat, find_header},
    forward::{self, MAX_NAME_LENGTH, SecretsId},
    receiver::REPEAT_PERIOD,
};

/// The time after which a sender has its target's response or has stopped waiting for it.
const LAST_RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The numbers of copied events and targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InboxJoinCounts {
    pub events: u32,
    /// Targets that were added to the team.
    pub targets: u32,
    /// Targets that the team already had.
    pub known_targets: u32,
    /// Targets that were added but paused because a team's target of the same address gets some of the same events.
    pub paused_targets: u32,
    /// Whether copying was stopped early.
    pub is_stopped: bool,
}

/// Copies a desk's events and targets to its team.
#[derive(Clone, Copy)]
pub struct InboxJoin<'a> {
    pub home: &'a Home,
    pub contract: &'a Contract,
    pub vault: &'a Vault,
    pub own: &'a Inbox,
    pub team: &'a Inbox,
}

impl std::fmt::Debug for InboxJoin<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("InboxJoin").finish_non_exhaustive()
    }
}

impl InboxJoin<'_> {
    fn carry_over(&self) -> InboxCarryOver<'_> {
        InboxCarryOver { own: self.own, team: self.team, excluded_site: PRACTICE }
    }

    /// Returns the number of events that aren't copied yet.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the file or the database can't be read.
    pub fn count_remaining_events(&self) -> Result<u32, Problem> {
        Ok(self.carry_over().count_remaining()?)
    }

    /// Copies the events and targets that the team doesn't have, with the progress of each target.
    ///
    /// `progress` gets the number of copied events and may stop the copying. Copied events and targets remain, and
    /// aren't copied again.
    ///
    /// # Errors
    ///
    /// - A [journal code](takt_core::problem#journal-codes): the file or the database can't be read or written.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the vault can't store the secrets of a target.
    pub fn run(
        &self,
        at: Timestamp,
        progress: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<InboxJoinCounts, Problem> {
        let mut counts = InboxJoinCounts::default();
        counts.is_stopped = self.copy_events(&mut counts, progress)?.is_break();
        if !counts.is_stopped {
            counts.is_stopped = self.hand_over_targets(at, &mut counts, progress)?.is_break();
        }
        Ok(counts)
    }

    fn copy_events(
        &self,
        counts: &mut InboxJoinCounts,
        progress: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Problem> {
        let format = DeliveryFormat::from_contract(self.contract);
        let (copied_before, mut flow) = (counts.events, ControlFlow::Continue(()));
        let mut on_copied = |events| {
            flow = progress(copied_before + events);
            flow
        };
        counts.events +=
            self.carry_over().carry_events(&|raw| is_identified(&format, raw), REPEAT_PERIOD, &mut on_copied)?;
        Ok(flow)
    }

    fn hand_over_targets(
        &self,
        at: Timestamp,
        counts: &mut InboxJoinCounts,
        progress: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Problem> {
        let mut team_targets = Vec::new();
        for own in self.carry_over().own_targets()? {
            if let Some(target) = self.team_target(&own, at, counts)? {
                team_targets.push((own, target));
            }
        }
        let active: Vec<&Target> = team_targets.iter().map(|(own, _)| own).filter(|own| !own.paused).collect();
        let paused = active.iter().try_for_each(|own| self.own.targets().pause(own.id));
        let handed_over = paused.map_err(Problem::from).and_then(|()| {
            if self.wait_for_senders(&active, &mut || progress(counts.events))?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            // Copies events that arrived meanwhile.
            self.copy_events(counts, &mut |_| ControlFlow::Continue(()))
        });
        if !matches!(handed_over, Ok(ControlFlow::Continue(()))) {
            // Nothing was handed over, so the desk's own targets resume.
            active.iter().try_for_each(|own| self.own.targets().resume(own.id, false))?;
            return handed_over;
        }
        let now = self.own.targets().list()?;
        for (own, target) in &team_targets {
            let Some(own) = now.iter().find(|now| now.id == own.id) else { continue };
            self.carry_over().hand_over_deliveries(own, *target)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the team's target that replaces a target of the desk. Returns `None` if the team has removed it since.
    fn team_target(
        &self,
        own: &Target,
        at: Timestamp,
        counts: &mut InboxJoinCounts,
    ) -> Result<Option<CarriedTarget>, Problem> {
        let target = match self.carry_over().carried_target(own.id)? {
            Some(target) if target.removed => return Ok(None),
            Some(target) => target,
            None => {
                let existing = self.team.targets().list()?;
                let (destination, is_paused) = choose_destination(own, &existing);
                let wanted = Target { paused: own.paused || is_paused, ..own.clone() };
                counts.paused_targets += u32::from(is_paused);
                match destination {
                    TargetDestination::Same(_) => counts.known_targets += 1,
                    TargetDestination::New(_) => counts.targets += 1,
                }
                self.carry_over().record_target(&wanted, &destination, at)?
            }
        };
        if target.is_new {
            self.copy_keys(own, target.target)?;
        }
        Ok(Some(target))
    }

    fn copy_keys(&self, own: &Target, target: i64) -> Result<(), Problem> {
        let keys = forward::load_secrets(self.vault, self.own, own, &own.address);
        if keys.is_empty() {
            return Ok(());
        }
        let keys = forward::TargetSecrets { version: own.keys.version, ..keys };
        forward::store_secrets(self.vault, &own.site, SecretsId::for_target(self.team, target), keys)
    }

    /// Waits until requests in flight to the paused targets have a response or have timed out.
    fn wait_for_senders(
        &self,
        paused: &[&Target],
        progress: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Problem> {
        let since = Instant::now();
        while since.elapsed() < LAST_RESPONSE_TIMEOUT {
            let now = self.own.targets().list()?;
            let mut sent_to = paused.iter().filter(|own| forward::is_running(&self.home.locks(), &own.site));
            let mut open = sent_to.by_ref().filter_map(|own| now.iter().find(|now| now.id == own.id));
            if !open.try_fold(false, |any, own| Ok::<_, Problem>(any || !self.own.targets().is_queue_empty(own)?))? {
                break;
            }
            if progress().is_break() {
                return Ok(ControlFlow::Break(()));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Returns whether the receiver can recognize a repetition of the event.
fn is_identified(format: &DeliveryFormat, raw: &RawEvent) -> bool {
    let names = [&format.delivery, &format.webhooks.id, &format.timestamp, &format.webhooks.timestamp];
    names.into_iter().any(|name| find_header(&raw.headers, name).is_some_and(|value| !value.is_empty()))
}

/// Returns the team's target that replaces `own`, and whether a new one must be paused.
fn choose_destination(own: &Target, existing: &[Target]) -> (TargetDestination, bool) {
    let of_site = || existing.iter().filter(|target| target.site == own.site);
    let mut same_address: Vec<&Target> =
        of_site().filter(|target| is_same_address(&target.address, &own.address)).collect();
    // Prefer the target of the same name.
    same_address.sort_by_key(|target| target.name != own.name);
    if let Some(same) = same_address.iter().find(|target| covers_kinds(&target.kinds, &own.kinds)) {
        return (TargetDestination::Same(same.id), false);
    }
    let names: Vec<&str> = of_site().map(|target| target.name.as_str()).collect();
    let overlaps = same_address.iter().any(|target| overlaps_kinds(&target.kinds, &own.kinds));
    (TargetDestination::New(unused_name(&own.name, &names, &computer_name())), overlaps)
}

/// Returns whether the team's target gets all kinds of events of `own`. An empty list means all kinds.
fn covers_kinds(team: &[i64], own: &[i64]) -> bool {
    team.is_empty() || (!own.is_empty() && own.iter().all(|kind| team.contains(kind)))
}

fn overlaps_kinds(team: &[i64], own: &[i64]) -> bool {
    team.is_empty() || own.is_empty() || own.iter().any(|kind| team.contains(kind))
}

fn is_same_address(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    one == other || Url::parse(one).is_ok_and(|one| Url::parse(other).is_ok_and(|other| one == other))
}

/// Returns the name, or if it is taken, the name with the computer's name or a number.
fn unused_name(name: &str, taken: &[&str], computer: &str) -> String {
    let with_suffix = |suffix: &str| {
        let length = MAX_NAME_LENGTH.saturating_sub(suffix.chars().count());
        format!("{}{suffix}", name.chars().take(length).collect::<String>().trim_end())
    };
    let computer: String = computer.chars().take(20).collect();
    let of_computer = (!computer.is_empty()).then(|| with_suffix(&format!(" ({computer})")));
    let numbered = (2..).map(|number: u32| with_suffix(&format!(" ({number})")));
    let mut names = std::iter::once(name.to_owned()).chain(of_computer).chain(numbered);
    names.find(|name| !taken.contains(&name.as_str())).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(id: i64, name: &str, address: &str, kinds: &[i64]) -> Target {
        Target {
            id,
            site: "works".to_owned(),
            name: name.to_owned(),
            address: address.to_owned(),
            kinds: kinds.to_vec(),
            keys: takt_journal::inbox::TargetKeys::default(),
            paused: false,
            start_after: 0,
            cursor: 0,
            last_accepted: None,
            consecutive_refusals: 0,
            blocked_event: None,
            revision: 0,
        }
    }

    #[test]
    fn one_of_the_same_address_that_gets_the_same_is_the_same() {
        let erp = target(1, "ERP", "https://ERP.example:443/events", &[]);
        let own = target(9, "erp", "https://erp.example/events", &[2]);
        assert_eq!(choose_destination(&own, std::slice::from_ref(&erp)), (TargetDestination::Same(1), false));
        let twin = target(2, "erp", "https://erp.example/events", &[2, 3]);
        assert_eq!(
            choose_destination(&own, &[erp.clone(), twin.clone()]),
            (TargetDestination::Same(2), false),
            "by its name"
        );
        // The desk's target gets more events than the team's target, so the user decides.
        let all = target(9, "all", "https://erp.example/events", &[]);
        assert_eq!(
            choose_destination(&all, std::slice::from_ref(&twin)),
            (TargetDestination::New("all".to_owned()), true)
        );
        let others = target(9, "others", "https://erp.example/events", &[4]);
        assert_eq!(choose_destination(&others, &[twin]), (TargetDestination::New("others".to_owned()), false));
        let elsewhere = target(9, "ERP", "https://erp.example/other", &[]);
        let (TargetDestination::New(name), false) = choose_destination(&elsewhere, &[erp]) else { panic!() };
        assert!(name.starts_with("ERP ("), "{name}");
    }

    #[test]
    fn a_name_that_is_taken_is_told_by_the_computer_or_a_number() {
        assert_eq!(unused_name("ERP", &["MES"], "pc7"), "ERP");
        assert_eq!(unused_name("ERP", &["ERP"], "pc7"), "ERP (pc7)");
        assert_eq!(unused_name("ERP", &["ERP", "ERP (pc7)"], "pc7"), "ERP (2)");
        assert_eq!(unused_name("ERP", &["ERP"], ""), "ERP (2)");
        let long = "x".repeat(MAX_NAME_LENGTH);
        assert_eq!(unused_name(&long, &[&long], "pc7").chars().count(), MAX_NAME_LENGTH);
    }
}
