//! Applies the policy: sets up the sites of a company's IT when the engine is opened, and keeps them unchanged.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;
use sha2::{Digest, Sha256};
use takt_core::{
    Code, Problem,
    hex::to_hex,
    policy::{Policy, PolicySite},
};
use takt_sites::{ManagedSites, Site};

use crate::{Engine, site_file::SiteFiles};

/// The prefix of the setting with a site's hash. The site's name follows.
const SITE_HASH_SETTING_PREFIX: &str = "policy-site:";

/// Sets up sites whose file or settings changed since the last start, and protects all sites of the policy from
/// changes. If the journal can't be written, the sites stay unchanged.
pub(crate) fn apply(engine: &Engine, policy: &Policy) -> Result<(), Problem> {
    let mut names = BTreeSet::new();
    for managed in &policy.sites {
        let file = policy.resolve_path(&managed.file);
        let site = load_site(engine, policy, managed, &file).map_err(|problem| with_file(problem, &file))?;
        names.insert(site.name.clone());
        match set_up_site(engine, site, &file) {
            Err(problem) if problem.code.is_journal_failure() => {
                tracing::warn!(?problem, "a site of the policy stays as it is")
            }
            result => result.map_err(|problem| with_file(problem, &file))?,
        }
    }
    ManagedSites::new(names, policy.only_these_sites).apply_to(engine.sites());
    Ok(())
}

fn set_up_site(engine: &Engine, site: Site, file: &Path) -> Result<(), Problem> {
    let unreadable = |error: std::io::Error| Problem::new(Code::FileUnreadable).details(error);
    let mut hash = Sha256::new_with_prefix(fs::read(file).map_err(unreadable)?);
    hash.update(serde_json::to_vec(&site).unwrap_or_default());
    let (digest, key) = (json!(to_hex(&hash.finalize())), format!("{SITE_HASH_SETTING_PREFIX}{}", site.name));
    let settings = engine.settings();
    let exists = engine.sites().find(&site.name).is_ok();
    if exists && settings.get(&key)?.as_ref() == Some(&digest) {
        return Ok(());
    }
    SiteFiles::new(engine).set_up_site(file, site)?;
    Ok(settings.set(&key, &digest)?)
}

/// Reads the site of a site file, and sets the files that the policy names.
fn load_site(engine: &Engine, policy: &Policy, managed: &PolicySite, file: &Path) -> Result<Site, Problem> {
    let mut site = SiteFiles::new(engine).load_site(file)?;
    let absolute_path =
        |path: &Option<PathBuf>| path.as_ref().map(|path| policy.resolve_path(path).display().to_string());
    site.ca_file = absolute_path(&managed.certificate_authorities);
    site.network.client_certificate = absolute_path(&managed.client_certificate);
    site.network.client_key = absolute_path(&managed.client_key);
    Ok(site)
}

/// Adds the policy's file to a problem.
fn with_file(problem: Problem, file: &Path) -> Problem {
    problem.parameter("file", file.display().to_string())
}
