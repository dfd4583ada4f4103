//! What a site holds, as far as checks need it: codes and the few facts beside them, read from its lists and kept per site.
//!
//! Owns what a list is read for (`requirement`), what was read (`reference_list`), keeping it (`cache`), the stations' hours (`hours`), reading it again (`refresh`), and
//! which code is most like a text (`similarity`). Leaves what follows from it for a row to takt-import.

mod cache;
mod hours;
mod reference_list;
mod refresh;
mod requirement;
mod similarity;

use std::{collections::BTreeMap, sync::Arc};

use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};
use takt_contract::Contract;
use takt_journal::Journal;

use self::cache::ReferenceCache;
use takt_core::Clock;
use takt_sites::{Context, Site, Sites, sites::SeenPaths};

pub use self::{
    hours::{Interval, collect},
    reference_list::{Extent, ReferenceList, shown},
    refresh::MAX_REQUESTS,
    requirement::{ReferenceRequest, narrowing},
    similarity::{MAX_REMEMBERED, SimilarityCache, folded, is_another_number, nearest},
};

/// A list that was read within this time counts as current.
const MAX_CURRENT_AGE: SignedDuration = SignedDuration::from_mins(15);
/// An older list isn't used.
const MAX_USABLE_AGE: SignedDuration = SignedDuration::from_hours(12);

/// What the sites hold, read where it is needed and kept per site.
pub struct References {
    contract: Arc<Contract>,
    journal: Arc<Journal>,
    sites: Arc<Sites>,
    clock: Clock,
    cache: ReferenceCache,
}

takt_core::opaque_debug!(References);

impl References {
    /// What the sites of `context` hold; nothing is read before it is asked for.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        let cache = ReferenceCache::new(Arc::clone(&context.contract), Arc::clone(&context.journal));
        Self {
            contract: Arc::clone(&context.contract),
            journal: Arc::clone(&context.journal),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            cache,
        }
    }

    /// The site is another one now, or gone.
    pub fn forget(&self, site: &str) {
        self.cache.forget(site);
        SeenPaths::forget(&self.sites, site);
    }
}

/// How far what was read can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// What isn't there, the service doesn't know.
    Fresh,
    /// What isn't there may have come since.
    Aged,
    Stale,
}

/// What one site holds, at hand for a check. It doesn't change; what is read anew is another one.
pub struct Reference {
    contract: Arc<Contract>,
    clock: Clock,
    site: Option<String>,
    zone: TimeZone,
    /// In place of the contract's own.
    reserved: Option<String>,
    lists: BTreeMap<String, Arc<ReferenceList>>,
    near: SimilarityCache,
}

impl std::fmt::Debug for Reference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Reference").field("site", &self.site).finish_non_exhaustive()
    }
}

impl Reference {
    /// Nothing is known of any site.
    pub fn nothing(contract: &Arc<Contract>, clock: &Clock) -> Self {
        Self {
            contract: Arc::clone(contract),
            clock: Arc::clone(clock),
            site: None,
            zone: TimeZone::UTC,
            reserved: None,
            lists: BTreeMap::new(),
            near: SimilarityCache::default(),
        }
    }

    /// What is at hand of a site, by list.
    pub fn of(self, site: &Site, lists: BTreeMap<String, Arc<ReferenceList>>) -> Self {
        let zone = TimeZone::get(&site.time_zone).unwrap_or(TimeZone::UTC);
        Self { site: Some(site.name.clone()), zone, reserved: site.reserved_prefix.clone(), lists, ..self }
    }

    pub fn site(&self) -> Option<&str> {
        self.site.as_deref()
    }

    pub fn list(&self, list: &str) -> Option<&Arc<ReferenceList>> {
        self.lists.get(list)
    }

    pub fn age(&self, listed: &ReferenceList) -> Freshness {
        age(listed.at, self.now())
    }

    /// When the oldest of what is at hand was read.
    pub fn oldest(&self) -> Option<Timestamp> {
        self.lists.values().map(|listed| listed.at).min()
    }

    /// The site's time zone; UTC if no site is known.
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The wall clock at the site.
    pub fn local_now(&self) -> DateTime {
        self.zone.to_datetime(self.now())
    }

    /// A moment as the site's wall clock shows it.
    pub fn local(&self, moment: Timestamp) -> DateTime {
        self.zone.to_datetime(moment)
    }

    /// Prefixes of keys that may not be written: the site's own, else those of the contract's assumption. May be empty.
    pub fn reserved(&self, assumption: &str) -> &str {
        let assumed = || self.contract.assumption(assumption).and_then(serde_json::Value::as_str);
        self.reserved.as_deref().or_else(assumed).unwrap_or_default()
    }

    pub fn near(&self) -> &SimilarityCache {
        &self.near
    }

    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }
}

pub(crate) fn age(at: Timestamp, now: Timestamp) -> Freshness {
    let passed = now.duration_since(at);
    match passed {
        passed if passed < MAX_CURRENT_AGE => Freshness::Fresh,
        passed if passed < MAX_USABLE_AGE => Freshness::Aged,
        _ => Freshness::Stale,
    }
}
