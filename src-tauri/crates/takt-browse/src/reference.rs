//! Reads the parts of a site's lists that checks need, such as codes and a few facts about them, and caches them per
//! site.
//!
//! `requirement` says which lists and fields are needed, `reference_list` indexes one list, `cache` stores the lists,
//! and `refresh` reads them again. `hours` reads the stations' hours, and `similarity` finds the code most similar to a
//! text. Never judges a row: that belongs to takt-import.

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

/// The sites' reference data, read on demand and cached per site.
pub struct References {
    contract: Arc<Contract>,
    journal: Arc<Journal>,
    sites: Arc<Sites>,
    clock: Clock,
    cache: ReferenceCache,
}

takt_core::opaque_debug!(References);

impl References {
    /// Creates the reference data of the sites of `context`. Nothing is read yet.
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

    /// Forgets everything about a site that was replaced or removed.
    pub fn forget(&self, site: &str) {
        self.cache.forget(site);
        SeenPaths::forget(&self.sites, site);
    }
}

/// How far reference data can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// A code that isn't listed doesn't exist.
    Fresh,
    /// A code that isn't listed may have been added since.
    /// Too old to be used.
    Aged,
    Stale,
}

/// A snapshot of one site's reference data for a check.
pub struct Reference {
    contract: Arc<Contract>,
    clock: Clock,
    site: Option<String>,
    zone: TimeZone,
    /// The prefixes of reserved keys that replace the contract's.
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
    /// Creates a snapshot without any site.
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

    /// Fills the snapshot with lists of a site, by the lists' names.
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

    /// Returns the time when the oldest list was read.
    pub fn oldest(&self) -> Option<Timestamp> {
        self.lists.values().map(|listed| listed.at).min()
    }

    /// Returns the site's time zone, or UTC if no site is known.
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Returns the local time at the site.
    pub fn local_now(&self) -> DateTime {
        self.zone.to_datetime(self.now())
    }

    /// Converts a timestamp to the site's local time.
    pub fn local(&self, moment: Timestamp) -> DateTime {
        self.zone.to_datetime(moment)
    }

    /// Returns the prefixes of keys that may not be written: the site's own, or those of the contract's assumption. May
    /// be empty.
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
