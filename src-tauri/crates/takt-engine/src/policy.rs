//! What a policy sets, applied: the sites of a company's IT are set up when the engine is opened, and stay as IT set them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;
use sha2::{Digest, Sha256};
use takt_core::{
    Code, Problem,
    hex::hex,
    policy::{Policy, PolicySite},
};
use takt_sites::{Site, sites::ManagedSites};

use crate::{Engine, site_file::SiteFiles};

/// With the site's name behind it: what of the policy is set up already.
const SET_UP: &str = "policy-site:";

/// Sets up what has changed since the last time, and lets nobody change it from now on. Where nothing can be written down, the sites
/// stay as they are.
pub(crate) fn apply(engine: &Engine, policy: &Policy) -> Result<(), Problem> {
    let mut names = BTreeSet::new();
    for managed in &policy.sites {
        let file = policy.path(&managed.file);
        let site = site(engine, policy, managed, &file).map_err(|problem| named(problem, &file))?;
        names.insert(site.name.clone());
        match set_up(engine, site, &file) {
            Err(problem) if problem.code.is_of_journal() => {
                tracing::warn!(?problem, "a site of the policy stays as it is")
            }
            done => done.map_err(|problem| named(problem, &file))?,
        }
    }
    ManagedSites::new(names, policy.only_these_sites).set(engine.sites());
    Ok(())
}

fn set_up(engine: &Engine, site: Site, file: &Path) -> Result<(), Problem> {
    let unreadable = |error: std::io::Error| Problem::new(Code::FileUnreadable).details(error);
    let mut hash = Sha256::new_with_prefix(fs::read(file).map_err(unreadable)?);
    hash.update(serde_json::to_vec(&site).unwrap_or_default());
    let (digest, key) = (json!(hex(&hash.finalize())), format!("{SET_UP}{}", site.name));
    let settings = engine.settings();
    let is_there = engine.sites().find(&site.name).is_ok();
    if is_there && settings.get(&key)?.as_ref() == Some(&digest) {
        return Ok(());
    }
    SiteFiles::of(engine).set_up(file, site)?;
    Ok(settings.set(&key, &digest)?)
}

/// The site of a site file, with the files that the policy names on this computer.
fn site(engine: &Engine, policy: &Policy, managed: &PolicySite, file: &Path) -> Result<Site, Problem> {
    let mut site = SiteFiles::of(engine).site(file)?;
    let here = |path: &Option<PathBuf>| path.as_ref().map(|path| policy.path(path).display().to_string());
    site.ca_file = here(&managed.certificate_authorities);
    site.network.client_certificate = here(&managed.client_certificate);
    site.network.client_key = here(&managed.client_key);
    Ok(site)
}

/// Which of the policy's files it is.
fn named(problem: Problem, file: &Path) -> Problem {
    problem.parameter("file", file.display().to_string())
}
