//! An engine with a connection to a site. Without a site, it is the practice plant inside this process, with automatic
//! sign-in.

use std::{env, net::SocketAddr, sync::Arc};

use jiff::Timestamp;
use takt_engine::{
    Code, Engine, EngineConfig, Home, Problem,
    client::{Failpoints, Redactor, Timeouts, Vault},
    contract::flush_drift,
    logging::{Program, start_logging},
    sites::{SiteKind, VaultStorage},
    system::account_name,
    team::TeamChoice,
};
use takt_plant::{Pace, Plant, PlantConfig, PlantError, RunningPlant, Target};
use takt_sheet::ReaderProcess;
use tokio::signal;

use crate::{
    console::{Console, sanitize},
    exit_codes::Failure,
    passphrase, salvage, secret_file,
    texts::Texts,
};

const PRACTICE: &str = "practice";
const PLANNER: &str = "planner";
/// The speed of the practice plant's clock if its day runs, as a multiple of real time.
const SIMULATION_SPEED: f64 = 60.0;

/// An engine and the site to which the command applies.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) engine: Arc<Engine>,
    pub(crate) site: String,
    /// The practice plant, which stops when the session is dropped. Absent for other sites.
    plant: Option<RunningPlant>,
}

/// Writes pending drift reports when it is dropped, since the process ends soon.
impl Drop for Session {
    fn drop(&mut self) {
        flush_drift(self.engine.sites());
    }
}

impl Session {
    /// Opens a session with a site, or with the practice plant if no site is named.
    pub(crate) async fn open(site: Option<&str>, console: &Console) -> Result<Self, Failure> {
        let site = site.unwrap_or(PRACTICE).to_owned();
        if site != PRACTICE {
            let engine = open_engine_with_keychain(console)?;
            engine.sites().secrets().set_session_secrets(&site, &secret_file::site_secrets()?)?;
            // Users who only run schedules never open the window, so maintenance must run here.
            engine.maintenance().maintain();
            return Ok(Self { engine, site, plant: None });
        }
        Self::open_practice(PlantConfig::default(), console).await
    }

    /// Like [`Session::open`], but the practice plant's clock runs at [`SIMULATION_SPEED`] and orders are executed.
    /// This causes events.
    pub(crate) async fn open_simulated(site: Option<&str>, console: &Console) -> Result<Self, Failure> {
        if !is_practice(site) {
            return Self::open(site, console).await;
        }
        Self::open_practice(
            PlantConfig { pace: Pace::Running { speed: SIMULATION_SPEED }, ..PlantConfig::default() },
            console,
        )
        .await
    }

    /// Opens a session for local data. It has no connection and no access to secrets.
    pub(crate) fn open_local(site: Option<&str>, console: &Console) -> Result<Self, Failure> {
        let (site, engine) = (site.unwrap_or(PRACTICE).to_owned(), open_local_engine(console)?);
        engine.sites().find(&site)?;
        Ok(Self { engine, site, plant: None })
    }

    /// Like [`Session::open_local`], but with access to the stored secrets and the environment's secrets.
    pub(crate) fn open_with_keychain(site: Option<&str>, console: &Console) -> Result<Self, Failure> {
        let (site, engine) = (site.unwrap_or(PRACTICE).to_owned(), open_engine_with_keychain(console)?);
        engine.sites().find(&site)?;
        if site != PRACTICE {
            engine.sites().secrets().set_session_secrets(&site, &secret_file::site_secrets()?)?;
        }
        Ok(Self { engine, site, plant: None })
    }

    pub(crate) fn is_practice(&self) -> bool {
        self.site == PRACTICE
    }

    /// Adds `url` as a target of the practice plant's events. Does nothing for other sites.
    pub(crate) fn send_events_to(&self, url: &str) -> Result<(), Problem> {
        let Some(plant) = &self.plant else { return Ok(()) };
        let target = Target { url: url.to_owned(), secret: None, events: Vec::new() };
        let refused = |error: PlantError| Problem::new(Code::PlantMove).details(error);
        plant.plant().add_target(target).map(drop).map_err(refused)
    }

    async fn open_practice(config: PlantConfig, console: &Console) -> Result<Self, Failure> {
        // The plant's secrets end with it, so no keychain is opened and no passphrase is needed.
        let engine = open_local_engine(console)?;
        let plant = start_plant(&engine, config).await?;
        Ok(Self { engine, site: PRACTICE.to_owned(), plant: Some(plant) })
    }

    /// Asks the user for the name of a production site before anything is written to it, and checks it. Returns `None`
    /// for other sites.
    pub(crate) fn confirm_site(&self, console: &Console) -> Result<Option<String>, Failure> {
        if self.engine.sites().find(&self.site)?.kind != SiteKind::Production {
            return Ok(None);
        }
        let parameters = [("site", sanitize(&self.site))];
        match console.ask_site_name("confirm.ask", &parameters) {
            Some(name) => {
                self.engine.submissions().may_write(&self.site, Some(&name))?;
                Ok(Some(name))
            }
            None => Err(Failure::Usage("confirm.not-a-terminal", parameters.to_vec())),
        }
    }
}

/// Opens an engine for commands that need no secrets. The keychain is opened only if the team's password is in it.
pub(crate) fn open_local_engine(console: &Console) -> Result<Arc<Engine>, Failure> {
    let (home, redactor) = start_home_logging()?;
    let team = TeamChoice::from_environment()?;
    if team.needs_keychain(&home) {
        return open_engine(home.clone(), open_vault(&home, redactor, console)?, team, console);
    }
    open_engine(home, Vault::memory_with(redactor), team, console)
}

/// Opens an engine with access to the stored secrets.
pub(crate) fn open_engine_with_keychain(console: &Console) -> Result<Arc<Engine>, Failure> {
    let (home, redactor) = start_home_logging()?;
    let vault = open_vault(&home, redactor, console)?;
    open_engine(home, vault, TeamChoice::from_environment()?, console)
}

fn open_vault(home: &Home, redactor: Redactor, console: &Console) -> Result<Vault, Failure> {
    let vault = Vault::open_with(&home.fingerprint(), &home.vault(), redactor);
    passphrase::unlock(&vault, console)?;
    Ok(vault)
}

/// Warns if secrets are locked or not stored permanently.
pub(crate) fn print_vault_storage(place: VaultStorage, console: &Console) {
    match place {
        VaultStorage::Keychain | VaultStorage::Passphrase => {}
        VaultStorage::Locked => console.print_remark("vault.locked", &[]),
        VaultStorage::Kernel => console.print_remark("vault.kernel", &[]),
        VaultStorage::Memory => console.print_remark("vault.memory", &[]),
    }
}

/// Opens the home and starts logging at the level of `TAKT_LOG`. The redactor removes secrets from the logs.
fn start_home_logging() -> Result<(Home, Redactor), Failure> {
    let (home, redactor) = (Home::from_environment()?, Redactor::default());
    start_logging(&home, Program::CommandLine, &redactor, env::var("TAKT_LOG").ok().as_deref());
    Ok((home, redactor))
}

pub(crate) fn is_practice(site: Option<&str>) -> bool {
    site.is_none_or(|site| site == PRACTICE)
}

fn open_engine(home: Home, vault: Vault, team: TeamChoice, console: &Console) -> Result<Arc<Engine>, Failure> {
    let engine = Engine::open(EngineConfig {
        home,
        clock: Arc::new(Timestamp::now),
        vault,
        timeouts: Timeouts::from_environment(),
        failpoints: Failpoints::from_environment(),
        person: account_name(),
        team,
    })?;
    engine.set_language(console.texts.language);
    let waits_console = Console::new(Texts::load(console.texts.language), None);
    engine.sites().set_wait_listener(Box::new(move |site, until| waits_console.print_wait(site, until)));
    engine.imports().read_settings().set_reader_process(ReaderProcess::for_this_program());
    if let Some(locale) = sys_locale::get_locale() {
        engine.imports().read_settings().set_default_encoding_for(&locale);
    }
    salvage::print_salvages(&engine, console)?;
    Ok(engine)
}

async fn start_plant(engine: &Engine, config: PlantConfig) -> Result<RunningPlant, Problem> {
    let failed = |error: PlantError| Problem::new(Code::ServiceUnreachable).parameter("site", PRACTICE).details(error);
    let listen_address = SocketAddr::from(([127, 0, 0, 1], 0));
    let plant = Plant::start(config, listen_address).await.map_err(failed)?;
    engine.set_practice(plant.access());
    let tokens = plant.issue_tokens(PLANNER).map_err(failed)?;
    engine.sites().adopt_tokens(
        PRACTICE,
        &tokens.access_token,
        tokens.refresh_token.as_deref(),
        Some(tokens.expires_in),
    )?;
    Ok(plant)
}

/// Receives Ctrl-C and the system's termination signal.
#[derive(Debug)]
pub(crate) struct Interruption {
    #[cfg(unix)]
    interrupt: signal::unix::Signal,
    #[cfg(unix)]
    terminate: signal::unix::Signal,
    #[cfg(windows)]
    interrupt: signal::windows::CtrlC,
    #[cfg(windows)]
    terminate: signal::windows::CtrlBreak,
}

impl Interruption {
    /// Starts listening. From then on these signals no longer end the process.
    #[cfg(unix)]
    pub(crate) fn listen() -> Result<Self, Problem> {
        use signal::unix::{SignalKind, signal};
        let failed = |error| Problem::new(Code::Bug).details(error);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(failed)?,
            terminate: signal(SignalKind::terminate()).map_err(failed)?,
        })
    }

    #[cfg(windows)]
    pub(crate) fn listen() -> Result<Self, Problem> {
        let failed = |error| Problem::new(Code::Bug).details(error);
        Ok(Self {
            interrupt: signal::windows::ctrl_c().map_err(failed)?,
            terminate: signal::windows::ctrl_break().map_err(failed)?,
        })
    }

    /// Waits for the next signal. Returns for either of them.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
