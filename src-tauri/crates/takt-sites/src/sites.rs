//! Sites: kept, chosen, tested and signed in to. The practice plant is one of them, always there, never stored.
//!
//! Owns which sites there are and one client per site. Leaves to others: tokens and requests (takt-client), the file
//! (takt-journal). Secrets go into the vault and never come out of here.

mod access;
mod answers;
mod check;
mod clock;
mod connection;
mod contracts;
mod drift;
mod managed;
mod proxy;
mod seen_paths;
mod sign_in;
mod vault;

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use jiff::tz::TimeZone;
use parking_lot::{Mutex, RwLock};
use serde_json::{Value, json};
use takt_client::{Client, Failpoints, Secret, SecretKind, SiteAccess, Timeouts, Vault};
use takt_contract::{Contract, ServiceAccess};
use takt_core::{Clock, Code, Problem};
use takt_journal::{Journal, site::SiteRecord};

use crate::{LimitView, NetworkSettings, SignInSettings, Site, SiteKind, SiteSaveResult, SiteSecrets, SiteView};
pub use answers::clean_answers;
pub use contracts::ContractVersion;
pub use drift::{DriftEntry, flush_drift};
pub use managed::ManagedSites;
pub use proxy::{is_unclean, move_passwords};
pub use seen_paths::SeenPaths;
pub use sign_in::{PendingSignIn, RedirectSender, SIGN_IN_HINT_DELAY};
pub use vault::SecretStore;

/// The name of the practice plant's site.
pub const PRACTICE: &str = "practice";
const CHOSEN: &str = "chosen-site";

/// Says of a site until when its rate limit is waited for.
pub type OnSiteWait = Box<dyn Fn(&str, jiff::Timestamp) + Send + Sync>;

/// What sites are made with.
pub struct SitesConfig {
    pub contract: Arc<Contract>,
    pub journal: Arc<Journal>,
    pub vault: Vault,
    /// The folder of the files by whose locks processes take turns.
    pub locks: PathBuf,
    pub clock: Clock,
    pub timeouts: Timeouts,
    pub failpoints: Failpoints,
}

takt_core::opaque_debug!(SitesConfig);

/// All sites: kept, chosen, signed in to, and one client for each.
pub struct Sites {
    journal: Arc<Journal>,
    clock: Clock,
    vault: Vault,
    contract: Arc<Contract>,
    /// The practice plant's tokens end with this process, and so does this vault.
    practice_vault: Vault,
    practice: RwLock<Option<ServiceAccess>>,
    /// The practice plant's own time, where it keeps one.
    practice_clock: RwLock<Option<Clock>>,
    clients: Mutex<HashMap<String, Client>>,
    contracts: Mutex<HashMap<String, contracts::CurrentContract>>,
    drift: Arc<drift::AnswerDrift>,
    seen: seen_paths::SeenStore,
    locks: PathBuf,
    /// What the contract asks for where a site names no scope.
    scope: String,
    failpoints: Failpoints,
    timeouts: RwLock<Timeouts>,
    managed: RwLock<ManagedSites>,
    /// Who is told until when a site's rate limit is waited for.
    say_wait: Arc<RwLock<Option<OnSiteWait>>>,
    /// One sign-in at a time: its port is one for all sites.
    waiting: Mutex<Option<sign_in::Waiting>>,
}

takt_core::opaque_debug!(Sites);

impl Sites {
    pub fn new(handles: SitesConfig) -> Self {
        let SitesConfig { contract, journal, vault, locks, clock, timeouts, failpoints } = handles;
        Self {
            drift: Arc::new(drift::AnswerDrift::new(Arc::clone(&journal), Clock::clone(&clock))),
            seen: seen_paths::SeenStore::new(Arc::clone(&journal), Clock::clone(&clock)),
            journal,
            clock,
            practice_vault: Vault::memory_with(vault.redactor().clone()),
            vault,
            practice: RwLock::default(),
            practice_clock: RwLock::default(),
            clients: Mutex::default(),
            contracts: Mutex::default(),
            locks,
            scope: scope(contract.document()),
            contract,
            failpoints,
            timeouts: RwLock::new(timeouts),
            managed: RwLock::default(),
            say_wait: Arc::default(),
            waiting: Mutex::default(),
        }
    }

    /// One client per site, made again when the site's settings change.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::ServiceUnreachable`]: it is the practice plant, which isn't running.
    /// - [`Code::Precondition`]: an address of it is unencrypted, and that isn't allowed (`plain-http`).
    /// - [`Code::InvalidInput`]: an address, the proxy or the certificate file can't be used.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn client(&self, name: &str) -> Result<Client, Problem> {
        let site = self.find(name)?;
        if site.kind == SiteKind::Practice && site.base_url.is_empty() {
            return Err(Problem::new(Code::ServiceUnreachable).parameter("site", name));
        }
        check::encrypted(&site).map_err(|problem| problem.parameter("site", name))?;
        let mut access = self.access(&site);
        let contract = self.contract(name)?;
        self.drift.in_force(name, &contract);
        access.errors = contract.errors().clone();
        let known =
            |clients: &HashMap<String, Client>| clients.get(name).filter(|client| *client.access() == access).cloned();
        if let Some(client) = known(&self.clients.lock()) {
            return Ok(client);
        }
        // This may wait for a keychain, so other sites mustn't wait for it.
        let client = self.new_client(access.clone()).map_err(|error| Problem::of_client(name, error))?;
        let mut clients = self.clients.lock();
        if let Some(client) = known(&clients) {
            return Ok(client);
        }
        clients.insert(name.to_owned(), client.clone());
        Ok(client)
    }

    /// The practice plant first, then the others in the order in which they were added.
    fn load_all(&self) -> Result<Vec<Site>, Problem> {
        let mut sites = vec![self.practice()];
        for record in self.journal.sites().list()? {
            match serde_json::from_value(record.body) {
                Ok(site) => sites.push(site),
                Err(error) => return Err(Problem::new(Code::JournalFailed).details(error)),
            }
        }
        let managed = self.managed();
        sites.retain(|site: &Site| site.kind == SiteKind::Practice || managed.shows(site));
        Ok(sites)
    }

    /// A site by its name.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn find(&self, name: &str) -> Result<Site, Problem> {
        let found = self.load_all()?.into_iter().find(|site| site.name == name);
        found.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", name))
    }

    /// An IANA name; UTC where the site isn't known.
    pub fn zone(&self, name: &str) -> String {
        self.find(name).map_or_else(|_| "UTC".to_owned(), |site| site.time_zone)
    }

    pub fn time_zone(&self, name: &str) -> TimeZone {
        TimeZone::get(&self.zone(name)).unwrap_or(TimeZone::UTC)
    }

    /// What was chosen, or the practice plant where that is gone.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the setting can't be read.
    pub fn chosen(&self) -> Result<Site, Problem> {
        let name = self.journal.settings().get(CHOSEN)?;
        match name.as_ref().and_then(Value::as_str) {
            Some(name) => Ok(self.find(name).unwrap_or_else(|_| self.practice())),
            None => Ok(self.practice()),
        }
    }

    fn practice(&self) -> Site {
        let access = self.practice.read().clone();
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

    /// Where a site's secrets are kept.
    pub fn vault(&self, site: &str) -> &Vault {
        if site == PRACTICE { &self.practice_vault } else { &self.vault }
    }

    fn access(&self, site: &Site) -> SiteAccess {
        let mut access = access::access(site);
        access.lock_file = (site.name != PRACTICE).then(|| self.locks.join(check::file_name(&site.name)));
        access.timeouts = access::timeouts(&site.network, *self.timeouts.read());
        access
    }

    /// Forgets what is kept for other origins than this site's are now.
    fn forget_others(&self, access: &SiteAccess) -> Result<SiteSaveResult, Problem> {
        let (name, proxy) = (access.name.as_str(), access.proxy_origin());
        let forgotten = |kind, origin: Option<&str>| {
            let done = self.vault.forget_others(name, kind, origin);
            done.map_err(|error| Problem::new(Code::WriteFailed).parameter("file", name).details(error))
        };
        let certificate = access.certificate_origin();
        Ok(SiteSaveResult {
            certificate_passphrase_forgotten: forgotten(SecretKind::CertificatePassphrase, certificate.as_deref())?,
            secret_forgotten: forgotten(SecretKind::ClientSecret, Some(&access.secret_origin()))?,
            proxy_password_forgotten: forgotten(SecretKind::ProxyPassword, proxy.as_deref())?,
            signed_out: forgotten(SecretKind::Tokens, Some(&access.token_origin()))?,
        })
    }

    fn new_client(&self, access: SiteAccess) -> Result<Client, takt_client::ClientError> {
        let (vault, name) = (self.vault(&access.name).clone(), access.name.clone());
        let client = Client::with_failpoints(access, vault, Arc::clone(&self.clock), self.failpoints.clone())?;
        let (drift, site) = (Arc::clone(&self.drift), name.clone());
        let client =
            client.showing_answers_to(Arc::new(move |method, path, body| drift.look(&site, (method, path), body)));
        let listener = Arc::clone(&self.say_wait);
        Ok(client.reporting_waits_to(Arc::new(move |until| {
            if let Some(say) = listener.read().as_ref() {
                say(&name, until);
            }
        })))
    }
}

impl Sites {
    /// Has every longer wait for a site's rate limit said while something is read: no wait is without a word.
    pub fn on_wait(&self, say: OnSiteWait) {
        *self.say_wait.write() = Some(say);
    }

    /// Tells where the embedded plant listens. Tokens of an earlier plant are forgotten.
    pub fn set_practice(&self, access: ServiceAccess) {
        let secret = Secret::new(access.client_secret.clone());
        // A vault in memory can't fail.
        drop(self.practice_vault.remove(PRACTICE, SecretKind::Tokens));
        self.practice_vault.put(PRACTICE, SecretKind::ClientSecret, &secret);
        self.clients.lock().remove(PRACTICE);
        *self.practice.write() = Some(access);
    }

    /// How long any site may take, from the next request on.
    pub fn wait_at_most(&self, timeouts: Timeouts) {
        *self.timeouts.write() = timeouts;
    }

    /// Every site with what is known about it now; the practice plant first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn list(&self) -> Result<Vec<SiteView>, Problem> {
        let chosen = self.chosen()?.name;
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
                unencrypted: site.unencrypted().is_some(),
                managed: self.managed().is_managed(&site.name),
                site,
            }
        };
        Ok(self.load_all()?.into_iter().map(view).collect())
    }

    /// Adds a site or replaces the one of that name. A secret is only ever set.
    ///
    /// What was for another address, proxy, authority or file is forgotten: a secret must not go to somebody else.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the name, client ID, time zone, batch size, an address, the proxy or a certificate file
    ///   can't be used; nothing was kept.
    /// - [`Code::Precondition`]: an address is unencrypted, and that isn't allowed (`plain-http`). Nothing was stored.
    /// - [`Code::Precondition`]: IT has set the site up (`managed-site`), or lets nobody add one (`only-managed-sites`). Secrets of a site
    ///   are kept all the same where nothing else of it is changed.
    /// - [`Code::WriteFailed`]: a secret can't be removed from the vault.
    /// - A [journal code](takt_core::problem#journal-codes): the site can't be written.
    pub fn save(
        &self,
        site: Site,
        secrets: SiteSecrets,
        moved_away: impl FnOnce(&str),
    ) -> Result<SiteSaveResult, Problem> {
        let mut site = check::completed(site, &self.scope)?;
        check::encrypted(&site)?;
        let password = proxy::take_password(&mut site)?.or(secrets.proxy_password.as_deref().map(proxy::encoded));
        let access = self.access(&site);
        let before = self.find(&site.name).ok();
        self.managed().may_save(&site, before.as_ref())?;
        let checked = self.check_access(&access, secrets.certificate_passphrase.as_deref());
        checked.map_err(|error| check::unusable(&error))?;
        let mut saved = self.forget_others(&access)?;
        if before.as_ref().is_some_and(|before| moved(before, &site)) {
            moved_away(&site.name);
            saved.signed_out |= self.vault.get(&site.name, SecretKind::Tokens).is_some();
            forget(&self.vault, &site.name, SecretKind::Tokens)?;
        }
        // Of a client that lives on in the background, too.
        self.clients.lock().remove(&site.name);
        let body = serde_json::to_value(&site).map_err(|error| Problem::new(Code::Bug).details(error))?;
        self.journal.sites().save(&SiteRecord { name: site.name.clone(), body })?;
        if self.keep_proxy_password(&access, password)? {
            saved.proxy_password_forgotten = false;
        }
        if self.keep_passphrase(&access, secrets.certificate_passphrase)? {
            saved.certificate_passphrase_forgotten = false;
        }
        match secrets.client {
            None => {}
            Some(text) if text.is_empty() => forget(&self.vault, &site.name, SecretKind::ClientSecret)?,
            Some(text) => {
                let origin = access.secret_origin();
                self.vault.put_for(&site.name, SecretKind::ClientSecret, &origin, &Secret::new(text));
                saved.secret_forgotten = false;
            }
        }
        Ok(saved)
    }

    /// Takes a site out of the list; its secrets stay until [`Sites::forget_secrets`].
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name, or it is the practice plant.
    /// - [`Code::Precondition`] (`managed-site`): IT has set it up.
    /// - A [journal code](takt_core::problem#journal-codes): the site can't be removed.
    pub fn remove(&self, name: &str) -> Result<(), Problem> {
        self.managed().may_remove(name)?;
        let known = name != PRACTICE && self.journal.sites().remove(name)?;
        self.journal.contract_versions().remove(name)?;
        if known { Ok(()) } else { Err(Problem::new(Code::Unknown).parameter("what", name)) }
    }

    /// Drops the client of a removed site. Callers that have it keep it.
    pub fn forget_client(&self, name: &str) {
        self.clients.lock().remove(name);
    }

    /// Of a site that is gone.
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
            forget(&self.vault, name, kind)?;
        }
        Ok(())
    }

    /// Where a site is now; empty for the practice plant, which is never elsewhere, and for one that isn't known.
    pub fn address_of(&self, site: &str) -> String {
        let found = self.find(site).ok().filter(|site| site.kind != SiteKind::Practice);
        found.map(|site| site.base_url).unwrap_or_default()
    }

    /// The site that everything without a site's name talks to.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read, or the choice can't be written.
    pub fn choose(&self, name: &str) -> Result<(), Problem> {
        self.find(name)?;
        Ok(self.journal.settings().set(CHOSEN, &json!(name))?)
    }

    /// The rate limit as the site's last answer stated it.
    #[must_use]
    pub fn limit(&self, site: &str) -> Option<LimitView> {
        let clients = self.clients.lock();
        let limit = clients.get(site)?.limit()?;
        Some(LimitView {
            limit: limit.limit,
            remaining: limit.remaining,
            reset: limit.reset.map(|reset| reset.to_string()),
        })
    }
}

/// For whom a proxy's password is kept.
fn proxy_origin(site: &Site) -> Option<String> {
    access::access(site).proxy_origin()
}

/// Who signed in to other addresses is signed out.
fn moved(before: &Site, site: &Site) -> bool {
    before.base_url != site.base_url || before.auth_url != site.auth_url || before.client_id != site.client_id
}

fn forget(vault: &Vault, site: &str, kind: SecretKind) -> Result<(), Problem> {
    vault.remove(site, kind).map_err(|error| Problem::new(Code::WriteFailed).parameter("file", site).details(error))
}

/// The scopes of the contract's security scheme, in its order.
fn scope(document: &Value) -> String {
    let schemes = document.pointer("/components/securitySchemes").and_then(Value::as_object);
    let scopes = schemes
        .into_iter()
        .flat_map(|schemes| schemes.values())
        .find_map(|scheme| scheme.pointer("/flows/authorizationCode/scopes")?.as_object());
    scopes.map(|scopes| scopes.keys().cloned().collect::<Vec<_>>().join(" ")).unwrap_or_default()
}
