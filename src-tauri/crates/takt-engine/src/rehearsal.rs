//! Dress rehearsals: a site's lists are read for a copy of it, the copy is a site of its own, and what was rehearsed there is
//! compared with what then happened.
//!
//! Leaves to others: what serves the copy (takt-plant, by both faces), what is sent (takt-submit).

mod comparison;
mod reading;

use takt_contract::ServiceAccess;
use takt_core::{Code, Problem};
use takt_sites::{NetworkSettings, SignInSettings, Site, SiteKind, SiteSecrets};

use crate::Engine;

pub use comparison::{RehearsalComparison, RowDifference};
pub use reading::{ListSelection, RehearsalProgress, SiteRows, SkippedList, TemplateRows};

/// What a copy's name ends with.
const SUFFIX: &str = " rehearsal";
/// Characters of a site's name.
const MAX_NAME_LENGTH: usize = 64;

/// Rehearsals at copies of sites.
#[derive(Debug, Clone, Copy)]
pub struct Rehearsals<'a>(&'a Engine);

impl<'a> Rehearsals<'a> {
    /// The rehearsals of an engine's sites.
    #[must_use]
    pub fn of(engine: &'a Engine) -> Self {
        Self(engine)
    }

    /// What a site's copy is called.
    #[must_use]
    pub fn name(site: &str) -> String {
        let front: String = site.chars().take(MAX_NAME_LENGTH - SUFFIX.len()).collect();
        format!("{front}{SUFFIX}")
    }

    /// Adds the copy of a site that is served now, or changes where it is: its contract is the original's. Gives its name.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::Precondition`]: the site is a copy itself (`copy-of-copy`), or a site that is no copy has the copy's name
    ///   (`copy-name-taken`).
    /// - As [`Engine::save_site`].
    pub fn set_up(&self, original: &str, access: &ServiceAccess) -> Result<String, Problem> {
        let sites = self.0.sites();
        let name = self.check(original)?;
        let site = sites.find(original)?;
        let copy = Site {
            name: name.clone(),
            kind: SiteKind::Test,
            base_url: access.base_url.clone(),
            auth_url: access.auth_url.clone(),
            client_id: access.client_id.clone(),
            redirect_uris: access.redirect_uris.clone(),
            scope: String::new(),
            time_zone: access.time_zone.clone(),
            batch_size: site.batch_size,
            proxy: None,
            ca_file: None,
            reserved_prefix: site.reserved_prefix,
            allow_http: false,
            sign_in: SignInSettings::default(),
            network: NetworkSettings { no_proxy: true, ..NetworkSettings::default() },
            rehearsal_of: Some(original.to_owned()),
        };
        let secrets = SiteSecrets { client: Some(access.client_secret.clone()), ..SiteSecrets::default() };
        self.0.save_site(copy, secrets)?;
        let overlay = sites.overlay(original)?;
        if sites.overlay(&name)? != overlay {
            sites.set_overlay(&name, &overlay, original, self.0.contracts().person())?;
        }
        Ok(name)
    }

    /// Whether a site can be copied; gives the copy's name.
    ///
    /// # Errors
    ///
    /// As [`Self::set_up`].
    pub fn check(&self, original: &str) -> Result<String, Problem> {
        let sites = self.0.sites();
        if sites.find(original)?.rehearsal_of.is_some() {
            return Err(Problem::in_the_way("copy-of-copy"));
        }
        let name = Self::name(original);
        match sites.find(&name) {
            Ok(known) if known.rehearsal_of.as_deref() != Some(original) => {
                Err(Problem::in_the_way_of("copy-name-taken", &[("name", &name)]))
            }
            Err(problem) if problem.code != Code::Unknown => Err(problem),
            Ok(_) | Err(_) => Ok(name),
        }
    }
}
