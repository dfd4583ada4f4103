//! A snapshot of one site's reference data, for checks.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use takt_contract::Contract;
use takt_core::Clock;
use takt_sites::Site;

use crate::reference::reference_list::{Freshness, ReferenceList, freshness};
use crate::reference::similarity::SimilarityCache;

/// The reference data of one site as of one time, so that a check uses the same data for all rows.
pub struct ReferenceSnapshot {
    contract: Arc<Contract>,
    clock: Clock,
    site: Option<String>,
    zone: TimeZone,
    /// The site's prefix of reserved property keys. It replaces the prefix that the contract assumes.
    reserved_prefix: Option<String>,
    lists: BTreeMap<String, Arc<ReferenceList>>,
    similar_codes: SimilarityCache,
}

impl std::fmt::Debug for ReferenceSnapshot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ReferenceSnapshot").field("site", &self.site).finish_non_exhaustive()
    }
}

impl ReferenceSnapshot {
    /// Creates a snapshot without any site.
    pub fn empty(contract: &Arc<Contract>, clock: &Clock) -> Self {
        Self {
            contract: Arc::clone(contract),
            clock: Arc::clone(clock),
            site: None,
            zone: TimeZone::UTC,
            reserved_prefix: None,
            lists: BTreeMap::new(),
            similar_codes: SimilarityCache::default(),
        }
    }

    /// Fills the snapshot with lists of a site, by the lists' names.
    pub fn with_site(self, site: &Site, lists: BTreeMap<String, Arc<ReferenceList>>) -> Self {
        let zone = TimeZone::get(&site.time_zone).unwrap_or(TimeZone::UTC);
        Self { site: Some(site.name.clone()), zone, reserved_prefix: site.reserved_prefix.clone(), lists, ..self }
    }

    pub fn site(&self) -> Option<&str> {
        self.site.as_deref()
    }

    pub fn find_list(&self, list: &str) -> Option<&Arc<ReferenceList>> {
        self.lists.get(list)
    }

    pub fn freshness(&self, listed: &ReferenceList) -> Freshness {
        freshness(listed.at, self.now())
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

    /// Returns the prefix of keys that may not be written: the site's prefix, or else that of the
    /// contract's assumption. May be empty.
    pub fn reserved_prefix(&self, assumption: &str) -> &str {
        let assumed = || self.contract.assumption(assumption).and_then(serde_json::Value::as_str);
        self.reserved_prefix.as_deref().or_else(assumed).unwrap_or_default()
    }

    pub fn similar_codes(&self) -> &SimilarityCache {
        &self.similar_codes
    }

    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }
}
