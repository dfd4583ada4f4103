//! Reads the parts of a site's lists that checks need, such as codes and a few facts about them, and caches them per
//! site.
//!
//! `requirement` says which lists and fields are needed, `reference_list` indexes one list, `cache` stores the lists,
//! and `refresh` reads them again. A `snapshot` is what a check sees. `hours` reads the stations' hours, and
//! `similarity` finds the code most similar to a text. Never judges a row: that belongs to takt-import.

mod cache;
mod freshness;
mod hours;
mod reference_list;
mod refresh;
mod requirement;
mod similarity;
mod snapshot;

use std::sync::Arc;

use takt_contract::Contract;
use takt_journal::Journal;

use self::cache::ReferenceCache;
use takt_core::Clock;
use takt_sites::{Context, SeenPaths, Sites};

pub use self::{
    freshness::Freshness,
    hours::{Interval, collect},
    reference_list::{Extent, ReferenceList, shown},
    refresh::MAX_REQUESTS,
    requirement::{ReferenceRequest, narrowing},
    similarity::{MAX_REMEMBERED, SimilarityCache, find_similar_codes, folded, is_another_number},
    snapshot::Reference,
};

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
