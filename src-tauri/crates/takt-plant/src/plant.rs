//! The plant as a whole, which starts, changes and stops its parts.
//!
//! [`Plant::change_store`] is the only way to change the store. Changes are saved first, and their events are sent
//! afterwards. Routes are in `router`, and listening is in `running`.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use jiff::{
    Timestamp,
    civil::{Date, DateTime},
    tz::TimeZone,
};
use parking_lot::{Mutex, RwLock};
use takt_contract::Contract;
use tokio_util::sync::CancellationToken;

use crate::{
    Fault, LogEntry, PlantConfig, PlantError, TokenPair,
    clock::{ClockState, PlantClock},
    copy::CopyReport,
    event::{DeliveryFormat, Outbox},
    fault::FaultSelector,
    floor::Day,
    graphql,
    identity::{self, Identity},
    interface::Interface,
    log::RequestLog,
    persistence::{InitialState, Origin, Persistence},
    rate_limit::RateLimiter,
    secret, seed,
    site_contract::{self, SiteContract},
    store::{Changes, Store},
    user::User,
};

/// The whole service without a port. [`Plant::start`] returns a plant that listens.
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
    /// The built-in contract, extended by the members of the site's rows.
    row_contract: Contract,
    /// Set if the plant uses a site's contract instead of the built-in one.
    pub(crate) site_contract: Option<SiteContract>,
    copy_report: Option<CopyReport>,
    pub(crate) interface: Interface,
    pub(crate) identity: Identity,
    pub(crate) limiter: RateLimiter,
    pub(crate) fault_selector: Mutex<FaultSelector>,
    pub(crate) clock: Mutex<PlantClock>,
    pub(crate) day: Day,
    pub(crate) log: Arc<RequestLog>,
    pub(crate) store: Arc<RwLock<Store>>,
    pub(crate) outbox: Arc<Outbox>,
    /// Snapshots by name. With a data folder, snapshots are files, so this map is empty.
    pub(crate) snapshots: Mutex<BTreeMap<String, Arc<Snapshot>>>,
    /// The storage across restarts. None without a data folder.
    pub(crate) persistence: Option<Arc<Persistence>>,
    pub(crate) graphql: graphql::Schema,
    pub(crate) control_key: String,
    /// See [`Plant::state_id`].
    pub(crate) state_id: Mutex<String>,
    /// The plant's date at which the rows were created.
    pub(crate) created_on: Mutex<Date>,
    /// Canceled when the plant stops, which also ends stalled responses.
    pub(crate) shutdown_token: CancellationToken,
    error_count: AtomicU64,
}

/// A state saved in memory.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) store: Store,
    pub(crate) clock: ClockState,
}

impl Plant {
    /// Builds the plant from its data folder. Without stored data, the plant starts with the rows of its seed or copy.
    ///
    /// # Errors
    ///
    /// - [`PlantError::TimeZone`]: the time zone doesn't exist.
    /// - [`PlantError::RedirectUri`], [`PlantError::Target`]: an address in `config` can't be used.
    /// - `PlantError::Data…`: the folder can't be used, or its data belongs to another plant or program.
    /// - [`PlantError::Random`]: the system provides no random bytes.
    /// - [`PlantError::Contract`], [`PlantError::Operation`], [`PlantError::Assumption`], [`PlantError::Schema`],
    ///   [`PlantError::GraphQl`]: the contract lacks a part that the plant needs.
    pub fn new(config: PlantConfig) -> Result<Arc<Self>, PlantError> {
        let zone = TimeZone::get(&config.time_zone);
        let zone = zone.map_err(|error| PlantError::TimeZone(config.time_zone.clone(), error))?;
        let contract = Contract::builtin()?;
        config.redirect_uris.iter().try_for_each(|uri| identity::check_redirect_uri(uri))?;
        let shutdown_token = CancellationToken::new();
        let contract_in_force = config.contract.as_deref().unwrap_or(&contract);
        let format = DeliveryFormat::from_contract(contract_in_force, &contract, config.delivery_timing.clone())?;
        let outbox = Outbox::new(format, Arc::clone(&config.clock), shutdown_token.clone())?;
        config.targets.iter().try_for_each(|target| outbox.add_target(target.clone()).map(drop))?;
        let site = config.contract.as_deref();
        let row_contract =
            site.map_or_else(|| contract.clone(), |site| site_contract::extend_contract(&contract, site));
        let site_contract = site.map(|site| SiteContract::new(&contract, site, &zone));
        let InitialState {
            persistence,
            store,
            clock,
            client_secret,
            control_key,
            state_id,
            created_on,
            grants,
            last_log_number,
            copy_report,
        } = InitialState::load(&config, &row_contract, &zone)?;
        let store = Arc::new(RwLock::new(store));
        let now = (config.clock)();
        let clock = clock.map_or_else(|| PlantClock::new(config.pace, now), |saved| PlantClock::restart(saved, now));
        Ok(Arc::new(Self {
            interface: Interface::new(&contract, site, &zone)?,
            identity: Identity::new(&config, client_secret, grants, persistence.clone()),
            limiter: RateLimiter::new(config.rate_limit),
            day: Day::starting_at(clock.plant_time_at(now)),
            clock: Mutex::new(clock),
            fault_selector: Mutex::new(FaultSelector::new(config.faults.clone(), config.fault_seed)),
            log: Arc::new(RequestLog::new(persistence.clone(), last_log_number, config.log_bytes)),
            outbox,
            snapshots: Mutex::default(),
            graphql: graphql::build_schema(&contract, &store)?,
            store,
            persistence,
            control_key,
            state_id: Mutex::new(state_id),
            created_on: Mutex::new(created_on),
            shutdown_token,
            error_count: AtomicU64::new(0),
            zone,
            contract,
            row_contract,
            site_contract,
            copy_report,
            config,
        }))
    }

    /// Issues tokens for `planner` or `viewer` without a sign-in.
    ///
    /// # Errors
    ///
    /// - [`PlantError::UnknownUser`]: the user doesn't exist.
    /// - [`PlantError::Random`]: the system provides no random bytes.
    pub fn issue_tokens(&self, user: &str) -> Result<TokenPair, PlantError> {
        self.identity.issue_pair(User::from_name(user)?, self.real_time())
    }

    /// Returns the ID of the plant's rows. A restart keeps it if there is a data folder. A reset or a loaded snapshot
    /// replaces it, because rows that were sent before may be gone then.
    #[must_use]
    pub fn state_id(&self) -> String {
        self.state_id.lock().clone()
    }

    /// Returns the report on loading a site's rows. None if the plant started with invented rows.
    #[must_use]
    pub fn copy_report(&self) -> Option<&CopyReport> {
        self.copy_report.as_ref()
    }

    /// Returns the logged requests, oldest first. Empty if the log can't be read.
    pub fn log(&self) -> Vec<LogEntry> {
        self.log.entries().unwrap_or_else(|error| {
            tracing::error!(%error, "the log can't be read");
            Vec::new()
        })
    }

    /// Replaces all faults. `seed` determines which requests they affect.
    pub fn set_faults(&self, faults: Vec<Fault>, seed: u64) {
        *self.fault_selector.lock() = FaultSelector::new(faults, seed);
    }

    /// Returns the configuration, contract and time zone that the rows depend on.
    pub(crate) fn origin(&self) -> Origin<'_> {
        Origin { config: &self.config, contract: &self.row_contract, zone: &self.zone }
    }

    /// Resets rows, faults, limits, deliveries and log to the start. Sign-ins, targets and snapshots aren't reset.
    ///
    /// # Errors
    ///
    /// Returns [`PlantError::DataFile`] if the plant's file can't be written. Then nothing was changed.
    pub fn reset(&self) -> Result<(), PlantError> {
        let fresh = seed::build_store(&self.row_contract, &self.config, &self.zone)?;
        let state_id = secret::generate()?;
        let mut store = self.store.write();
        let clock = PlantClock::new(self.config.pace, self.real_time());
        if let Some(persistence) = &self.persistence {
            persistence.replace_state(
                Some(&self.origin()),
                &fresh,
                clock.state(self.real_time()),
                &state_id,
                Some(self.log.number_counter()),
            )?;
        }
        self.day.restart(clock.plant_time_at(self.real_time()));
        *self.clock.lock() = clock;
        *self.state_id.lock() = state_id;
        *self.created_on.lock() = self.zone.to_datetime(self.real_time()).date();
        *store = fresh;
        // Cleared before the store is unlocked, so that no event of the old rows remains.
        self.outbox.clear();
        drop(store);
        self.set_faults(self.config.faults.clone(), self.config.fault_seed);
        self.limiter.clear();
        self.log.clear();
        Ok(())
    }

    /// Runs `work` on the store with the plant's time. With a data folder, the changes are saved with the applied items
    /// of `entry` before this returns. The events of the changes are then queued for the targets.
    ///
    /// # Errors
    ///
    /// Fails if the changes can't be saved. Then they are reverted, and no event is sent.
    pub(crate) fn change_store<T>(
        &self,
        entry: Option<&mut LogEntry>,
        work: impl FnOnce(&mut Store, DateTime, Option<&mut LogEntry>) -> T,
    ) -> Result<T, PlantError> {
        let mut store = self.store.write();
        let now = store.local_time(self.plant_time());
        let mut entry = entry;
        let outcome = work(&mut store, now, entry.as_deref_mut());
        let changes = store.take_changes();
        if let Err(error) = self.save_changes(&store, &changes, entry.as_deref_mut()) {
            store.revert_changes(changes);
            if let Some(entry) = entry {
                entry.number = 0;
                entry.applied.clear();
            }
            return Err(error);
        }
        self.dispatch_events(&store, changes.events);
        Ok(outcome)
    }

    /// Saves the clock after a change. If saving fails, a restart uses the clock that was saved last.
    pub(crate) fn persist_clock(&self) {
        let saved = self.persistence.as_ref().map_or(Ok(()), |persistence| persistence.save_clock(&self.clock_state()));
        if let Err(error) = saved {
            tracing::error!(%error, "the clock can't be kept");
        }
    }

    /// Returns the clock's state at the current time.
    pub(crate) fn clock_state(&self) -> ClockState {
        self.clock.lock().state(self.real_time())
    }

    /// Saves the changes and the log entry in one transaction. Without changes, the entry is saved later, with its
    /// response.
    fn save_changes(&self, store: &Store, changes: &Changes, entry: Option<&mut LogEntry>) -> Result<(), PlantError> {
        let Some(persistence) = self.persistence.as_ref().filter(|_| !changes.is_empty()) else { return Ok(()) };
        // Saves the clock, too. A clock that runs fast or was set must not be behind the saved events after a restart.
        persistence.save_changes(
            store,
            changes,
            &self.clock_state(),
            entry.map(|entry| (entry, self.log.number_counter())),
        )
    }

    /// Saves buffered state and releases the data folder for another plant.
    pub(crate) fn close(&self) {
        let Some(persistence) = &self.persistence else { return };
        self.persist_clock();
        self.log.flush();
        persistence.close();
    }

    /// Returns the real time, which applies to tokens, limits and the log.
    pub(crate) fn real_time(&self) -> Timestamp {
        (self.config.clock)()
    }

    /// Returns the plant's time, which applies to everything on the floor.
    #[must_use]
    pub fn plant_time(&self) -> Timestamp {
        self.clock.lock().plant_time_at(self.real_time())
    }

    /// Returns a new log ID for a response with status 500.
    pub(crate) fn new_log_id(&self) -> String {
        let number = self.error_count.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{:x}-{number:04}", self.real_time().as_millisecond())
    }
}

impl Drop for Plant {
    /// Stops the plant's tasks.
    fn drop(&mut self) {
        self.shutdown_token.cancel();
        self.log.flush();
    }
}

impl fmt::Debug for Plant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Plant").field("config", &self.config).finish_non_exhaustive()
    }
}
