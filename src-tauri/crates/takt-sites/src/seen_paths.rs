//! Stores the paths of single items, such as templates, that earlier reads showed.
//!
//! A "not found" response proves nothing about such an item, because a gateway returns the same response while the
//! service is down. Callers of [`SeenPaths`] interpret such a response. Never stores the contents of an item.

use std::collections::BTreeSet;

use takt_contract::Contract;

use crate::{site::PRACTICE, site_list::Sites};

/// The paths of single items, such as templates, that were read at least once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenPaths(BTreeSet<String>);

impl SeenPaths {
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.0.contains(path)
    }

    /// Returns the paths of single items that a site has returned. Paths may be missing if the journal can't be read.
    #[must_use]
    pub fn load(sites: &Sites, site: &str) -> Self {
        let read = sites.seen_paths.load(site);
        let mut paths = read
            .inspect_err(|error| tracing::warn!(%error, "what was seen of a site couldn't be read"))
            .unwrap_or_default();
        // Add templates that were read by versions that didn't store paths.
        if site != PRACTICE
            && let (Ok(contract), Ok(templates)) = (sites.contract(site), sites.journal.templates().list(site))
        {
            paths.extend(templates.into_iter().flat_map(|template| template_paths(&contract, template)));
        }
        Self(paths)
    }

    /// Stores the paths of single items that a site just returned.
    pub fn add(sites: &Sites, site: &str, paths: BTreeSet<String>) {
        if paths.is_empty() {
            return;
        }
        if let Err(error) = sites.seen_paths.add(site, paths) {
            tracing::warn!(%error, "what was seen of a site couldn't be stored");
        }
    }

    /// Forgets the paths, because the site was replaced or the user requests it.
    pub fn forget(sites: &Sites, site: &str) {
        if let Err(error) = sites.seen_paths.forget(site) {
            tracing::warn!(%error, "what was seen of a site couldn't be forgotten");
        }
    }
}

/// Returns the paths that read a template.
fn template_paths(contract: &Contract, template: i64) -> impl Iterator<Item = String> {
    let reads = contract.operations().iter().filter_map(|operation| Some((operation, operation.cleanup.as_ref()?)));
    reads.filter_map(move |(operation, cleanup)| {
        let parameter = operation.parameters.iter().find(|parameter| parameter.name == cleanup.template)?;
        Some(operation.path.replace(&format!("{{{}}}", parameter.wire_name()), &template.to_string()))
    })
}
