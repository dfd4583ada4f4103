//! Sets up the copy of a site for rehearsals: its name and settings.

use takt_contract::ServiceAccess;
use takt_core::{Code, Problem};
use takt_sites::{NetworkSettings, SignInSettings, Site, SiteKind, SiteSecrets};

use crate::Engine;

/// The suffix of a copy's name.
const SUFFIX: &str = " rehearsal";
/// In characters. Sites can't have longer names, so the original's name is cut.
const MAX_NAME_LENGTH: usize = 64;

/// Sets up rehearsals on copies of sites, reads the rows for them, and compares their results.
#[derive(Debug, Clone, Copy)]
pub struct Rehearsals<'a>(pub(super) &'a Engine);

impl<'a> Rehearsals<'a> {
    /// Creates the rehearsals for the sites of an engine.
    #[must_use]
    pub fn new(engine: &'a Engine) -> Self {
        Self(engine)
    }

    /// Returns the name of a site's copy. Long names are cut.
    #[must_use]
    pub fn copy_name(site: &str) -> String {
        let prefix: String = site.chars().take(MAX_NAME_LENGTH - SUFFIX.len()).collect();
        format!("{prefix}{SUFFIX}")
    }

    /// Adds a site's copy, or updates its address. The copy has the original's contract. Returns the copy's name.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::Precondition`]: the site is itself a copy (`copy-of-copy`), or another site has the copy's name
    ///   (`copy-name-taken`).
    /// - As for [`Engine::save_site`].
    pub fn set_up_copy(&self, original: &str, access: &ServiceAccess) -> Result<String, Problem> {
        let sites = self.0.sites();
        let name = self.check_copyable(original)?;
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

    /// Checks whether a site can be copied, and returns the copy's name.
    ///
    /// # Errors
    ///
    /// As for [`Self::set_up_copy`].
    pub fn check_copyable(&self, original: &str) -> Result<String, Problem> {
        let sites = self.0.sites();
        if sites.find(original)?.rehearsal_of.is_some() {
            return Err(Problem::obstacle("copy-of-copy"));
        }
        let name = Self::copy_name(original);
        match sites.find(&name) {
            Ok(known) if known.rehearsal_of.as_deref() != Some(original) => {
                Err(Problem::obstacle_with("copy-name-taken", &[("name", &name)]))
            }
            Err(problem) if problem.code != Code::Unknown => Err(problem),
            Ok(_) | Err(_) => Ok(name),
        }
    }
}
