//! The list of sites: their settings and secrets, the selected one, and one client per site.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use jiff::tz::TimeZone;
use parking_lot::{Mutex, RwLock};
use serde_json::{Value, json};
use takt_client::{Client, ClientError, Failpoints, Secret, SecretKind, SiteAccess, Timeouts, Vault};
use takt_contract::{Contract, ServiceAccess};
use takt_core::{Clock, Code, Problem};
use takt_journal::{Journal, site::SiteRecord};

use crate::{
    LimitView, NetworkSettings, SignInSettings, Site, SiteKind, SiteSaveResult, SiteSecrets, SiteView, access,
    contract_cache::ContractCache, drift::DriftRecorder, managed::ManagedSites, pending_sign_in::ActiveSignIn,
    practice_plant::PracticePlant, proxy, seen_store::SeenStore, settings_check, site::PRACTICE,
};

const CHOSEN_SITE_SETTING: &str = "chosen-site";

/// A callback for waits because of a site's rate limit. Its arguments are the site's name and the end of the wait.
pub type OnSiteWait = Box<dyn Fn(&str, jiff::Timestamp) + Send + Sync>;

/// The dependencies and settings that [`Sites`] is created with.
pub struct SitesConfig {
    pub contract: Arc<Contract>,
    pub journal: Arc<Journal>,
    pub vault: Vault,
    /// The folder of the lock files for concurrent processes.
    pub locks: PathBuf,
    pub clock: Clock,
    pub timeouts: Timeouts,
    pub failpoints: Failpoints,
}

takt_core::opaque_debug!(SitesConfig);

/// The sites, their secrets, and one client per site.
pub struct Sites {
    pub(crate) journal: Arc<Journal>,
    pub(crate) clock: Clock,
    pub(crate) vault: Vault,
    pub(crate) contract: Arc<Contract>,
    /// The practice plant's secrets. They're only in memory, because each process signs in anew.
    practice_vault: Vault,
    practice_access: RwLock<Option<ServiceAccess>>,
    pub(crate) practice: PracticePlant,
    pub(crate) clients: Mutex<HashMap<String, Client>>,
    pub(crate) contracts: ContractCache,
    pub(crate) drift: Arc<DriftRecorder>,
    pub(crate) seen_paths: SeenStore,
    locks: PathBuf,
    /// The contract's scope, for sites without their own.
    scope: String,
    failpoints: Failpoints,
    timeouts: RwLock<Timeouts>,
    managed: RwLock<ManagedSites>,
    /// Called when a request waits for a site's rate limit.
    wait_listener: Arc<RwLock<Option<OnSiteWait>>>,
    /// The active sign-in. There is only one, because all sites share its port.
    pub(crate) active_sign_in: Mutex<Option<ActiveSignIn>>,
}

takt_core::opaque_debug!(Sites);

impl Sites {
    pub fn new(config: SitesConfig) -> Self {
        let SitesConfig { contract, journal, vault, locks, clock, timeouts, failpoints } = config;
        Self {
            drift: Arc::new(DriftRecorder::new(Arc::clone(&journal), Clock::clone(&clock))),
            seen_paths: SeenStore::new(Arc::clone(&journal), Clock::clone(&clock)),
            journal,
            clock,
            practice_vault: Vault::memory_with(vault.redactor().clone()),
            vault,
            practice_access: RwLock::default(),
            practice: PracticePlant::default(),
            clients: Mutex::default(),
            contracts: ContractCache::default(),
            locks,
            scope: contract_scope(contract.document()),
            contract,
            failpoints,
            timeouts: RwLock::new(timeouts),
            managed: RwLock::default(),
            wait_listener: Arc::default(),
            active_sign_in: Mutex::default(),
        }
    }

    /// Returns the site's client. It is created again if the site's settings change.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::ServiceUnreachable`]: the practice plant isn't running.
    /// - [`Code::Precondition`]: an address is unencrypted, and that isn't allowed (`plain-http`).
    /// - [`Code::InvalidInput`]: an address, the proxy or the certificate file is invalid.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn client(&self, name: &str) -> Result<Client, Problem> {
        let site = self.find(name)?;
        if site.kind == SiteKind::Practice && site.base_url.is_empty() {
            return Err(Problem::new(Code::ServiceUnreachable).parameter("site", name));
        }
        settings_check::require_encryption(&site).map_err(|problem| problem.parameter("site", name))?;
        let mut access = self.access(&site);
        let contract = self.contract(name)?;
        self.drift.set_contract(name, &contract);
        access.errors = contract.error_form().clone();
        let current =
            |clients: &HashMap<String, Client>| clients.get(name).filter(|client| *client.access() == access).cloned();
        if let Some(client) = current(&self.clients.lock()) {
            return Ok(client);
        }
        // This may wait for the keychain, so the lock isn't held.
        let client = self.new_client(access.clone()).map_err(|error| Problem::from_client_error(name, error))?;
        let mut clients = self.clients.lock();
        if let Some(client) = current(&clients) {
            return Ok(client);
        }
        clients.insert(name.to_owned(), client.clone());
        Ok(client)
    }

    /// Loads the sites that the policy shows: the practice plant first, then the others in the order in which they were
    /// added.
    pub(crate) fn load_all(&self) -> Result<Vec<Site>, Problem> {
        let mut sites = vec![self.practice_site()];
        for record in self.journal.sites().list()? {
            match serde_json::from_value(record.body) {
                Ok(site) => sites.push(site),
                Err(error) => return Err(Problem::new(Code::JournalFailed).details(error)),
            }
        }
        let managed = self.managed();
        sites.retain(|site: &Site| site.kind == SiteKind::Practice || managed.is_visible(site));
        Ok(sites)
    }

    /// Returns a site by name.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn find(&self, name: &str) -> Result<Site, Problem> {
        let site = self.load_all()?.into_iter().find(|site| site.name == name);
        site.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", name))
    }

    /// Returns the site's IANA time zone, or UTC if the site is unknown.
    pub(crate) fn time_zone_name(&self, name: &str) -> Result<String, Problem> {
        let site = self.load_all()?.into_iter().find(|site| site.name == name);
        Ok(site.map_or_else(|| "UTC".to_owned(), |site| site.time_zone))
    }

    /// Returns the time zone of a site, or UTC if the site is unknown or the system doesn't know the zone.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the sites can't be read. UTC instead would silently shift
    /// every time of the site.
    pub fn time_zone(&self, name: &str) -> Result<TimeZone, Problem> {
        Ok(TimeZone::get(&self.time_zone_name(name)?).unwrap_or(TimeZone::UTC))
    }

    /// Returns the time zones of all sites by name.
    ///
    /// # Errors
    ///
    /// Fails as [`Sites::time_zone`] does.
    pub fn time_zones(&self) -> Result<HashMap<String, TimeZone>, Problem> {
        let zone = |site: Site| (site.name, TimeZone::get(&site.time_zone).unwrap_or(TimeZone::UTC));
        Ok(self.load_all()?.into_iter().map(zone).collect())
    }

    /// Returns the selected site, or the practice plant if no site is selected or it no longer exists.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the setting or the sites can't be read.
    pub fn selected_site(&self) -> Result<Site, Problem> {
        let name = self.journal.settings().get(CHOSEN_SITE_SETTING)?;
        let Some(name) = name.as_ref().and_then(Value::as_str) else { return Ok(self.practice_site()) };
        let site = self.load_all()?.into_iter().find(|site| site.name == name);
        Ok(site.unwrap_or_else(|| self.practice_site()))
    }

    fn practice_site(&self) -> Site {
        let access = self.practice_access.read().clone();
        let (base_url, auth_url, client_id, redirect_uris, time_zone) = match access {
            Some(access) => {
                (access.base_url, access.auth_url, access.client_id, access.redirect_uris, access.time_zone)
            }
            None => (String::new(), String::new(), String::new(), Vec::new(), "UTC".to_owned()),
        };
        Site {
            name: PRACTICE.to_owned(),
            kind: SiteKind::Practice,
            base_url,
            auth_url,
            client_id,
            redirect_uris,
            scope: self.scope.clone(),
            time_zone,
            batch_size: None,
            proxy: None,
            ca_file: None,
            reserved_prefix: None,
            allow_http: false,
            sign_in: SignInSettings::default(),
            network: NetworkSettings::default(),
            rehearsal_of: None,
        }
    }

    /// Returns the vault with a site's secrets.
    pub fn vault(&self, site: &str) -> &Vault {
        if site == PRACTICE { &self.practice_vault } else { &self.vault }
    }

    /// Returns a site's access settings with its lock file and timeouts.
    pub(crate) fn access(&self, site: &Site) -> SiteAccess {
        let mut access = access::site_access(site);
        access.lock_file = (site.name != PRACTICE).then(|| self.locks.join(settings_check::lock_file_name(&site.name)));
        access.timeouts = access::site_timeouts(&site.network, *self.timeouts.read());
        access
    }

    /// Creates a client that reports its waits, and passes responses to the check for deviations from the contract.
    pub(crate) fn new_client(&self, access: SiteAccess) -> Result<Client, ClientError> {
        let (vault, name) = (self.vault(&access.name).clone(), access.name.clone());
        let client = Client::with_failpoints(access, vault, Arc::clone(&self.clock), self.failpoints.clone())?;
        let (drift, site) = (Arc::clone(&self.drift), name.clone());
        let client = client
            .with_response_callback(Arc::new(move |method, path, body| drift.check_answer(&site, method, path, body)));
        let listener = Arc::clone(&self.wait_listener);
        Ok(client.with_wait_callback(Arc::new(move |until| {
            if let Some(on_wait) = listener.read().as_ref() {
                on_wait(&name, until);
            }
        })))
    }
}

impl ManagedSites {
    /// Replaces the sites that the policy sets up.
    pub fn apply_to(self, sites: &Sites) {
        *sites.managed.write() = self;
    }
}

impl Sites {
    fn managed(&self) -> ManagedSites {
        self.managed.read().clone()
    }

    /// Sets the callback for longer waits because of a site's rate limit.
    pub fn set_wait_listener(&self, listener: OnSiteWait) {
        *self.wait_listener.write() = Some(listener);
    }

    /// Sets the embedded plant's access data. Tokens of an earlier plant are removed.
    pub fn set_practice_access(&self, access: ServiceAccess) {
        let secret = Secret::new(access.client_secret.clone());
        // An in-memory vault can't fail.
        drop(self.practice_vault.remove(PRACTICE, SecretKind::Tokens));
        self.practice_vault.put(PRACTICE, SecretKind::ClientSecret, &secret);
        self.clients.lock().remove(PRACTICE);
        *self.practice_access.write() = Some(access);
    }

    pub fn practice(&self) -> &PracticePlant {
        &self.practice
    }

    /// Sets the default timeouts, from the next request on.
    pub fn set_timeouts(&self, timeouts: Timeouts) {
        *self.timeouts.write() = timeouts;
    }

    /// Returns every site with its current state, the practice plant first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn list(&self) -> Result<Vec<SiteView>, Problem> {
        let chosen = self.selected_site()?.name;
        let view = |site: Site| {
            let (vault, access) = (self.vault(&site.name), self.access(&site));
            let has = |kind, origin: Option<String>| {
                origin.is_some_and(|origin| vault.get_for(&site.name, kind, &origin).is_some())
            };
            let tokens = vault.tokens_for(&site.name, &access.token_origin());
            SiteView {
                chosen: site.name == chosen,
                signed_in: !matches!(tokens, Ok(None)),
                keychain_failed: tokens.is_err(),
                has_secret: has(SecretKind::ClientSecret, Some(access.secret_origin())),
                has_proxy_password: has(SecretKind::ProxyPassword, access.proxy_origin()),
                has_certificate_passphrase: has(SecretKind::CertificatePassphrase, access.certificate_origin()),
                unencrypted: site.first_unencrypted_address().is_some(),
                managed: self.managed().is_managed(&site.name),
                site,
            }
        };
        Ok(self.load_all()?.into_iter().map(view).collect())
    }

    /// Adds a site, or replaces the site with that name. Secrets can only be set, not read. `on_moved` is called if an
    /// address or the client ID changed.
    ///
    /// Secrets for another address, proxy, authority or file are removed, because they must not be sent elsewhere.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the name, client ID, time zone, batch size, an address, the proxy or a certificate
    ///   file is invalid. Nothing was stored.
    /// - [`Code::Precondition`]: an address is unencrypted, and that isn't allowed (`plain-http`). Nothing was stored.
    /// - [`Code::Precondition`]: the policy sets up the site (`managed-site`), or doesn't allow other sites
    ///   (`only-managed-sites`). Secrets of a managed site can be stored if nothing else changes.
    /// - [`Code::WriteFailed`]: a secret can't be removed from the vault.
    /// - A [journal code](takt_core::problem#journal-codes): the site can't be written.
    pub fn save(
        &self,
        site: Site,
        secrets: SiteSecrets,
        on_moved: impl FnOnce(&str),
    ) -> Result<SiteSaveResult, Problem> {
        let mut site = settings_check::normalize(site, &self.scope)?;
        settings_check::require_encryption(&site)?;
        let password =
            proxy::remove_password(&mut site)?.or(secrets.proxy_password.as_deref().map(proxy::encode_password));
        let access = self.access(&site);
        let before = self.find(&site.name).ok();
        self.managed().check_save(&site, before.as_ref())?;
        let checked = check_access(&self.vault, &self.clock, &access, secrets.certificate_passphrase.as_deref());
        checked.map_err(|error| settings_check::invalid_setting(&error))?;
        let mut saved = forget_other_origins(&self.vault, &access)?;
        if before.as_ref().is_some_and(|before| has_moved(before, &site)) {
            on_moved(&site.name);
            saved.signed_out |= self.vault.get(&site.name, SecretKind::Tokens).is_some();
            forget_secret(&self.vault, &site.name, SecretKind::Tokens)?;
        }
        // Callers in the background may still use the removed client.
        self.clients.lock().remove(&site.name);
        let body = serde_json::to_value(&site).map_err(|error| Problem::new(Code::Bug).details(error))?;
        self.journal.sites().save(&SiteRecord { name: site.name.clone(), body })?;
        if store_proxy_password(&self.vault, &access, password)? {
            saved.proxy_password_forgotten = false;
        }
        if store_passphrase(&self.vault, &access, secrets.certificate_passphrase)? {
            saved.certificate_passphrase_forgotten = false;
        }
        match secrets.client {
            None => {}
            Some(text) if text.is_empty() => forget_secret(&self.vault, &site.name, SecretKind::ClientSecret)?,
            Some(text) => {
                let origin = access.secret_origin();
                self.vault.put_for(&site.name, SecretKind::ClientSecret, &origin, &Secret::new(text));
                saved.secret_forgotten = false;
            }
        }
        Ok(saved)
    }

    /// Removes a site from the list. Its secrets stay until [`Sites::forget_secrets`].
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name, or it is the practice plant.
    /// - [`Code::Precondition`] (`managed-site`): the policy sets it up.
    /// - A [journal code](takt_core::problem#journal-codes): the site can't be removed.
    pub fn remove(&self, name: &str) -> Result<(), Problem> {
        self.managed().check_remove(name)?;
        let is_removed = name != PRACTICE && self.journal.sites().remove(name)?;
        self.journal.contract_versions().remove(name)?;
        if is_removed { Ok(()) } else { Err(Problem::new(Code::Unknown).parameter("what", name)) }
    }

    /// Drops the client of a removed site. Callers with a copy of the client can still use it.
    pub fn forget_client(&self, name: &str) {
        self.clients.lock().remove(name);
    }

    /// Removes the secrets of a removed site.
    ///
    /// # Errors
    ///
    /// [`Code::WriteFailed`]: a secret can't be removed from the vault.
    pub fn forget_secrets(&self, name: &str) -> Result<(), Problem> {
        for kind in [
            SecretKind::Tokens,
            SecretKind::EventPath,
            SecretKind::EventSecrets,
            SecretKind::ProxyPassword,
            SecretKind::CertificatePassphrase,
            SecretKind::ClientSecret,
        ] {
            forget_secret(&self.vault, name, kind)?;
        }
        Ok(())
    }

    /// Returns a site's current address. Empty for the practice plant, whose address doesn't matter, and for unknown
    /// sites.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the sites can't be read. With an empty address instead, a
    /// site's own export wouldn't be recognized, and conflicts would be overwritten.
    pub fn site_address(&self, site: &str) -> Result<String, Problem> {
        let site = self.load_all()?.into_iter().find(|known| known.name == site && known.kind != SiteKind::Practice);
        Ok(site.map(|site| site.base_url).unwrap_or_default())
    }

    /// Selects the site that is used if no site is named.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read, or the selection can't be
    ///   written.
    pub fn select_site(&self, name: &str) -> Result<(), Problem> {
        self.find(name)?;
        Ok(self.journal.settings().set(CHOSEN_SITE_SETTING, &json!(name))?)
    }

    /// Returns the rate limit in the site's last response.
    #[must_use]
    pub fn rate_limit(&self, site: &str) -> Option<LimitView> {
        let clients = self.clients.lock();
        let limit = clients.get(site)?.rate_limit()?;
        Some(LimitView {
            limit: limit.limit,
            remaining: limit.remaining,
            reset: limit.reset.map(|reset| reset.to_string()),
        })
    }
}

/// Returns true if an address or the client ID changed, so that the user must sign in again.
fn has_moved(before: &Site, site: &Site) -> bool {
    before.base_url != site.base_url || before.auth_url != site.auth_url || before.client_id != site.client_id
}

/// Returns the scopes of the contract's authorization code flow, separated by spaces, in the contract's order.
fn contract_scope(document: &Value) -> String {
    let schemes = document.pointer("/components/securitySchemes").and_then(Value::as_object);
    let scopes = schemes
        .into_iter()
        .flat_map(|schemes| schemes.values())
        .find_map(|scheme| scheme.pointer("/flows/authorizationCode/scopes")?.as_object());
    scopes.map(|scopes| scopes.keys().cloned().collect::<Vec<_>>().join(" ")).unwrap_or_default()
}

/// Checks that a client can be created, with this passphrase or the stored one. Nothing is stored.
fn check_access(
    vault: &Vault,
    clock: &Clock,
    access: &SiteAccess,
    passphrase: Option<&str>,
) -> Result<(), ClientError> {
    const KIND: SecretKind = SecretKind::CertificatePassphrase;
    let probe_vault = Vault::memory_with(vault.redactor().clone());
    if let Some(origin) = access.certificate_origin() {
        let stored = || vault.get_for(&access.name, KIND, &origin);
        if let Some(passphrase) = passphrase.map(Secret::new).or_else(stored) {
            probe_vault.put_for(&access.name, KIND, &origin, &passphrase);
        }
    }
    Client::new(access.clone(), probe_vault, Arc::clone(clock)).map(drop)
}

/// Stores the proxy's encoded password, or forgets it if it is empty. Returns true if it was stored.
fn store_proxy_password(vault: &Vault, access: &SiteAccess, password: Option<Secret>) -> Result<bool, Problem> {
    const KIND: SecretKind = SecretKind::ProxyPassword;
    match (password, access.proxy_origin()) {
        (None, _) | (Some(_), None) => Ok(false),
        (Some(password), Some(_)) if password.is_empty() => forget_secret(vault, &access.name, KIND).map(|()| false),
        (Some(password), Some(origin)) => {
            vault.put_for(&access.name, KIND, &origin, &password);
            Ok(true)
        }
    }
}

/// Stores the passphrase of a client certificate, or forgets it if it is empty. Returns true if it was stored.
fn store_passphrase(vault: &Vault, access: &SiteAccess, passphrase: Option<String>) -> Result<bool, Problem> {
    const KIND: SecretKind = SecretKind::CertificatePassphrase;
    match (passphrase, access.certificate_origin()) {
        (None, _) | (Some(_), None) => Ok(false),
        (Some(text), Some(_)) if text.is_empty() => forget_secret(vault, &access.name, KIND).map(|()| false),
        (Some(text), Some(origin)) => {
            vault.put_for(&access.name, KIND, &origin, &Secret::new(text));
            Ok(true)
        }
    }
}

/// Forgets secrets that were stored for other origins than the site's current ones.
fn forget_other_origins(vault: &Vault, access: &SiteAccess) -> Result<SiteSaveResult, Problem> {
    let (name, proxy) = (access.name.as_str(), access.proxy_origin());
    let forget = |kind, origin: Option<&str>| {
        let result = vault.remove_for_other_origins(name, kind, origin);
        result.map_err(|error| Problem::new(Code::WriteFailed).parameter("file", name).details(error))
    };
    let certificate = access.certificate_origin();
    Ok(SiteSaveResult {
        certificate_passphrase_forgotten: forget(SecretKind::CertificatePassphrase, certificate.as_deref())?,
        secret_forgotten: forget(SecretKind::ClientSecret, Some(&access.secret_origin()))?,
        proxy_password_forgotten: forget(SecretKind::ProxyPassword, proxy.as_deref())?,
        signed_out: forget(SecretKind::Tokens, Some(&access.token_origin()))?,
    })
}

/// Removes a secret from the vault. A failure becomes [`Code::WriteFailed`].
fn forget_secret(vault: &Vault, site: &str, kind: SecretKind) -> Result<(), Problem> {
    vault.remove(site, kind).map_err(|error| Problem::new(Code::WriteFailed).parameter("file", site).details(error))
}
