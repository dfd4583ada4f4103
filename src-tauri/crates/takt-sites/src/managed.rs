//! Sites that the policy sets up. Users can't change or remove them, and may not be allowed to add others.

use std::collections::BTreeSet;

use takt_core::Problem;

use crate::{Site, SiteKind};

/// The names of the sites that a policy sets up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManagedSites {
    names: BTreeSet<String>,
    excludes_other_sites: bool,
}

impl ManagedSites {
    /// Creates the sites that the policy names. With `excludes_other_sites`, users can't see or add other sites.
    #[must_use]
    pub fn new(names: BTreeSet<String>, excludes_other_sites: bool) -> Self {
        Self { names, excludes_other_sites }
    }

    pub(crate) fn is_managed(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Returns true if users may see a site. A rehearsal copy is visible like its original.
    pub(crate) fn is_visible(&self, site: &Site) -> bool {
        let original = site.rehearsal_of.as_deref().unwrap_or(&site.name);
        !self.excludes_other_sites || self.is_managed(original)
    }

    /// Checks whether a site may be saved. `before` is its current state.
    pub(crate) fn check_save(&self, site: &Site, before: Option<&Site>) -> Result<(), Problem> {
        if self.is_managed(&site.name) && before.is_some_and(|before| before != site) {
            return Err(Problem::obstacle_with("managed-site", &[("site", &site.name)]));
        }
        if site.kind != SiteKind::Practice && !self.is_visible(site) {
            return Err(Problem::obstacle("only-managed-sites"));
        }
        Ok(())
    }

    pub(crate) fn check_remove(&self, name: &str) -> Result<(), Problem> {
        if self.is_managed(name) { Err(Problem::obstacle_with("managed-site", &[("site", name)])) } else { Ok(()) }
    }
}
