//! The plant as a whole: its parts, and how they begin and end together. Its addresses are `router`'s, listening is `running`'s.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use jiff::{Timestamp, tz::TimeZone};
use parking_lot::{Mutex, RwLock};
use takt_contract::Contract;
use tokio_util::sync::CancellationToken;

use crate::{
    Fault, LogEntry, PlantConfig, PlantError, TokenPair,
    clock::PlantClock,
    copy::CopyReport,
    event::{DeliveryFormat, Outbox},
    fault::Dice,
    floor::Day,
    graphql,
    identity::{self, Identity},
    interface::Interface,
    log::RequestLog,
    persistence::{InitialState, Origin, Persistence},
    rate::Limiter,
    seed,
    site_contract::{self, SiteContract},
    snapshot_cache::SnapshotCache,
    store::Store,
    user::User,
};

/// The path under the base URL at which the identity provider lives.
pub(crate) const IDENTITY: &str = "/identity";
/// The path under the base URL at which the control interface lives.
pub(crate) const CONTROL: &str = "/control";

/// The whole service, without a port: see [`Plant::start`] for one with.
///
/// ```
/// use takt_plant::{Plant, PlantConfig};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let running = Plant::start(PlantConfig::default(), ([127, 0, 0, 1], 0).into()).await?;
/// assert!(running.base_url.starts_with("http://127.0.0.1:"));
///
/// let tokens = running.plant().issue_tokens("planner")?;
/// println!("GET {} with the token {}", running.base_url, tokens.access_token);
/// assert!(running.plant().log().is_empty());
/// # Ok(())
/// # }
/// ```
pub struct Plant {
    pub(crate) config: PlantConfig,
    pub(crate) zone: TimeZone,
    pub(crate) contract: Contract,
    /// What the rows are made of.
    shapes: Contract,
    /// Where the plant follows another contract than the built-in one.
    pub(crate) site_contract: Option<SiteContract>,
    copied: Option<CopyReport>,
    pub(crate) interface: Interface,
    pub(crate) identity: Identity,
    pub(crate) limiter: Limiter,
    pub(crate) dice: Mutex<Dice>,
    pub(crate) clock: Mutex<PlantClock>,
    pub(crate) day: Day,
    pub(crate) log: Arc<RequestLog>,
    pub(crate) store: Arc<RwLock<Store>>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) snapshot_cache: SnapshotCache,
    /// What survives a restart, where anything does.
    pub(crate) persistence: Option<Arc<Persistence>>,
    pub(crate) graphql: graphql::Schema,
    pub(crate) control_key: String,
    /// Cancelled when the plant stops: answers that a fault holds back are let go.
    pub(crate) closing: CancellationToken,
    errors: AtomicU64,
}

impl Plant {
    /// Builds the plant and fills it from its seed, or from what its folder holds.
    ///
    /// # Errors
    ///
    /// - [`PlantError::TimeZone`]: there is no such time zone.
    /// - [`PlantError::RedirectUri`], [`PlantError::Target`]: an address in `config` can't be used.
    /// - `PlantError::Data…`: the folder can't be used, or what it holds isn't this plant's.
    /// - [`PlantError::Random`]: the system gives no random bytes.
    /// - [`PlantError::Contract`], [`PlantError::Operation`], [`PlantError::Assumption`], [`PlantError::Schema`],
    ///   [`PlantError::GraphQl`]: the contract lacks what the plant needs of it.
    pub fn new(config: PlantConfig) -> Result<Arc<Self>, PlantError> {
        let zone = TimeZone::get(&config.time_zone);
        let zone = zone.map_err(|error| PlantError::TimeZone(config.time_zone.clone(), error))?;
        let contract = Contract::builtin()?;
        config.redirect_uris.iter().try_for_each(|uri| identity::usable(uri))?;
        let closing = CancellationToken::new();
        let followed = config.contract.as_deref().unwrap_or(&contract);
        let format = DeliveryFormat::of(followed, &contract, config.delivery_timing.clone())?;
        let outbox = Outbox::new(format, Arc::clone(&config.clock), closing.clone())?;
        config.targets.iter().try_for_each(|target| outbox.add(target.clone()).map(drop))?;
        let site = config.contract.as_deref();
        let shapes = site.map_or_else(|| contract.clone(), |site| site_contract::widened(&contract, site));
        let site_contract = site.map(|site| SiteContract::new(&contract, site, &zone));
        let InitialState { persistence, store, clock, client_secret, control_key, grants, logged, copied } =
            InitialState::of(&config, &shapes, &zone)?;
        let store = Arc::new(RwLock::new(store));
        let now = (config.clock)();
        let clock = clock.map_or_else(|| PlantClock::new(config.pace, now), |kept| PlantClock::restarted(kept, now));
        Ok(Arc::new(Self {
            interface: Interface::new(&contract, site, &zone)?,
            identity: Identity::new(&config, client_secret, grants, persistence.clone()),
            limiter: Limiter::new(config.rate_limit),
            day: Day::from(clock.at(now)),
            clock: Mutex::new(clock),
            dice: Mutex::new(Dice::new(config.faults.clone(), config.fault_seed)),
            log: Arc::new(RequestLog::new(persistence.clone(), logged, config.log_bytes)),
            outbox,
            snapshot_cache: SnapshotCache::default(),
            graphql: graphql::schema(&contract, &store)?,
            store,
            persistence,
            control_key,
            closing,
            errors: AtomicU64::new(0),
            zone,
            contract,
            shapes,
            site_contract,
            copied,
            config,
        }))
    }

    /// A token pair for `planner` or `viewer`, as if that person had signed in.
    ///
    /// # Errors
    ///
    /// - [`PlantError::UnknownUser`]: there is no such person.
    /// - [`PlantError::Random`]: the system gives no random bytes.
    pub fn issue_tokens(&self, user: &str) -> Result<TokenPair, PlantError> {
        self.identity.issue(User::named(user)?, self.now())
    }

    /// What became of the rows of a site that the plant began with. Nothing where it began with invented ones.
    #[must_use]
    pub fn copied(&self) -> Option<&CopyReport> {
        self.copied.as_ref()
    }

    /// Every request that the log still holds, oldest first.
    pub fn log(&self) -> Vec<LogEntry> {
        self.log.entries().unwrap_or_else(|error| {
            tracing::error!(%error, "the log can't be read");
            Vec::new()
        })
    }

    /// Puts other faults in force.
    pub fn set_faults(&self, faults: Vec<Fault>, seed: u64) {
        *self.dice.lock() = Dice::new(faults, seed);
    }

    /// What the state was grown from.
    pub(crate) fn origin(&self) -> Origin<'_> {
        Origin { config: &self.config, contract: &self.shapes, zone: &self.zone }
    }

    /// Everything as it was at the start: rows, faults, limits, deliveries and log. Who is signed in stays so, and so do the
    /// targets and the snapshots.
    ///
    /// # Errors
    ///
    /// [`PlantError::Sqlite`]: the plant's file can't be written; nothing was changed.
    pub fn reset(&self) -> Result<(), PlantError> {
        let fresh = seed::grown(&self.shapes, &self.config, &self.zone)?;
        let mut store = self.store.write();
        let clock = PlantClock::new(self.config.pace, self.now());
        if let Some(persistence) = &self.persistence {
            persistence.replace(Some(&self.origin()), &fresh, clock.state(self.now()), Some(self.log.numbers()))?;
        }
        self.day.begin_anew(clock.at(self.now()));
        *self.clock.lock() = clock;
        *store = fresh;
        // Nothing may happen in between: it would be forgotten, too.
        self.outbox.clear();
        drop(store);
        self.set_faults(self.config.faults.clone(), self.config.fault_seed);
        self.limiter.clear();
        self.log.clear();
        Ok(())
    }

    /// Writes what is only in memory, and lets go of the folder: another plant may take it over.
    pub(crate) fn close(&self) {
        let Some(persistence) = &self.persistence else { return };
        self.persist_clock();
        self.log.flush();
        persistence.close();
    }

    /// The time outside: tokens, limits and the log follow it.
    pub(crate) fn now(&self) -> Timestamp {
        (self.config.clock)()
    }

    /// The plant's own time: everything that happens on the floor follows it.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.clock.lock().at(self.now())
    }

    /// A new identifier for a 500.
    pub(crate) fn log_id(&self) -> String {
        let number = self.errors.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{:x}-{number:04}", self.now().as_millisecond())
    }
}

impl Drop for Plant {
    /// The plant's tasks end with it.
    fn drop(&mut self) {
        self.closing.cancel();
        self.log.flush();
    }
}

impl fmt::Debug for Plant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Plant").field("config", &self.config).finish_non_exhaustive()
    }
}
