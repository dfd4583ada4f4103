//! The engine with somebody to talk to: a site by name, or the practice plant inside this process, signed in by itself.

use std::{env, net::SocketAddr, sync::Arc};

use jiff::Timestamp;
use takt_engine::{
    Code, Engine, EngineConfig, Home, Problem,
    client::{Failpoints, Redactor, Timeouts, Vault},
    contract::flush_drift,
    logging::{Program, start_logging},
    sites::{SiteKind, VaultPlace},
    system::account_name,
    team::TeamChoice,
};
use takt_plant::{Pace, Plant, PlantConfig, PlantError, RunningPlant, Target};
use takt_sheet::ReaderProcess;
use tokio::signal;

use crate::{
    console::{Console, plain},
    ending::Failure,
    passphrase, salvaged, secret_file,
    words::Texts,
};

const PRACTICE: &str = "practice";
const PLANNER: &str = "planner";
/// How many times as fast as outside the practice plant's day plays, where somebody watches it.
const PLAYING: f64 = 60.0;

/// An engine and the site that the command is for.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) engine: Arc<Engine>,
    pub(crate) site: String,
    /// Runs as long as the session.
    plant: Option<RunningPlant>,
}

/// A command is short: what waits to be written is written at its end.
impl Drop for Session {
    fn drop(&mut self) {
        flush_drift(self.engine.sites());
    }
}

impl Session {
    /// Without a name: the practice plant.
    pub(crate) async fn open(site: Option<&str>, console: &Console) -> Result<Self, Failure> {
        let site = site.unwrap_or(PRACTICE).to_owned();
        if site != PRACTICE {
            let engine = engine_with_keychain(console)?;
            engine.sites().secrets().use_for(&site, &secret_file::site_secrets()?)?;
            // Before anything is sent: who has it done by a schedule never opens the window.
            engine.maintenance().maintain();
            return Ok(Self { engine, site, plant: None });
        }
        Self::practice(PlantConfig::default(), console).await
    }

    /// As [`Session::open`]; the practice plant's day plays by itself.
    pub(crate) async fn open_playing(site: Option<&str>, console: &Console) -> Result<Self, Failure> {
        if !is_practice(site) {
            return Self::open(site, console).await;
        }
        Self::practice(PlantConfig { pace: Pace::Running { speed: PLAYING }, ..PlantConfig::default() }, console).await
    }

    /// For what lies here: nobody is talked to, and no secret is needed.
    pub(crate) fn here(site: Option<&str>, console: &Console) -> Result<Self, Failure> {
        let (site, engine) = (site.unwrap_or(PRACTICE).to_owned(), engine(console)?);
        engine.sites().find(&site)?;
        Ok(Self { engine, site, plant: None })
    }

    /// As [`Session::here`], with the secrets that are kept.
    pub(crate) fn with_keychain(site: Option<&str>, console: &Console) -> Result<Self, Failure> {
        let (site, engine) = (site.unwrap_or(PRACTICE).to_owned(), engine_with_keychain(console)?);
        engine.sites().find(&site)?;
        if site != PRACTICE {
            engine.sites().secrets().use_for(&site, &secret_file::site_secrets()?)?;
        }
        Ok(Self { engine, site, plant: None })
    }

    pub(crate) fn is_practice(&self) -> bool {
        self.site == PRACTICE
    }

    /// Tells the practice plant where its events are to be sent; whoever has another site tells it to that site.
    pub(crate) fn send_events_to(&self, url: &str) -> Result<(), Problem> {
        let Some(plant) = &self.plant else { return Ok(()) };
        let target = Target { url: url.to_owned(), secret: None, events: Vec::new() };
        let refused = |error: PlantError| Problem::new(Code::PlantMove).details(error);
        plant.plant().add_target(target).map(drop).map_err(refused)
    }

    async fn practice(config: PlantConfig, console: &Console) -> Result<Self, Failure> {
        // The plant's secrets end with it: no keychain is opened, and nobody is asked to unlock one.
        let engine = engine(console)?;
        let plant = start_plant(&engine, config).await?;
        Ok(Self { engine, site: PRACTICE.to_owned(), plant: Some(plant) })
    }

    /// Asks for the name of a production site before anything is written to it; nothing of other sites. Whether it is the right
    /// name is for the engine to say.
    pub(crate) fn confirmed(&self, console: &Console) -> Result<Option<String>, Failure> {
        if self.engine.sites().find(&self.site)?.kind != SiteKind::Production {
            return Ok(None);
        }
        let places = [("site", plain(&self.site))];
        match console.name_of_site("confirm.ask", &places) {
            Some(name) => {
                self.engine.submissions().may_write(&self.site, Some(&name))?;
                Ok(Some(name))
            }
            None => Err(Failure::Usage("confirm.not-a-terminal", places.to_vec())),
        }
    }
}

/// For what needs no service and no secrets.
pub(crate) fn engine(console: &Console) -> Result<Arc<Engine>, Failure> {
    let (home, redactor) = logged()?;
    let team = TeamChoice::from_environment()?;
    if team.needs_keychain(&home) {
        return open(home.clone(), keychain(&home, redactor, console)?, team, console);
    }
    open(home, Vault::memory_with(redactor), team, console)
}

/// For what needs secrets. Says so where they won't outlive this command.
pub(crate) fn engine_with_keychain(console: &Console) -> Result<Arc<Engine>, Failure> {
    let (home, redactor) = logged()?;
    let vault = keychain(&home, redactor, console)?;
    open(home, vault, TeamChoice::from_environment()?, console)
}

fn keychain(home: &Home, redactor: Redactor, console: &Console) -> Result<Vault, Failure> {
    let vault = Vault::open_with(&home.fingerprint(), &home.vault(), redactor);
    passphrase::unlock(&vault, console)?;
    Ok(vault)
}

/// Says how long what is secret lasts, where that isn't for good.
pub(crate) fn print_vault_place(place: VaultPlace, console: &Console) {
    match place {
        VaultPlace::Keychain | VaultPlace::Passphrase => {}
        VaultPlace::Locked => console.remark("vault.locked", &[]),
        VaultPlace::Kernel => console.remark("vault.kernel", &[]),
        VaultPlace::Memory => console.remark("vault.memory", &[]),
    }
}

/// The home, and what removes secrets from its logs. `TAKT_LOG=debug` shows them, too, to whoever looks for a cause.
fn logged() -> Result<(Home, Redactor), Failure> {
    let (home, redactor) = (Home::from_environment()?, Redactor::default());
    start_logging(&home, Program::CommandLine, &redactor, env::var("TAKT_LOG").ok().as_deref());
    Ok((home, redactor))
}

pub(crate) fn is_practice(site: Option<&str>) -> bool {
    site.is_none_or(|site| site == PRACTICE)
}

fn open(home: Home, vault: Vault, team: TeamChoice, console: &Console) -> Result<Arc<Engine>, Failure> {
    let engine = Engine::open(EngineConfig {
        home,
        clock: Arc::new(Timestamp::now),
        vault,
        timeouts: Timeouts::from_environment(),
        failpoints: Failpoints::from_environment(),
        person: account_name(),
        team,
    })?;
    engine.speak(console.texts.language);
    let beside = Console::new(Texts::load(console.texts.language), None);
    engine.sites().on_wait(Box::new(move |site, until| beside.waits(site, until)));
    engine.imports().file_reading().set_reader(ReaderProcess::by_this_program());
    if let Some(locale) = sys_locale::get_locale() {
        engine.imports().file_reading().prefer_encoding_of(&locale);
    }
    salvaged::print_salvaged(&engine, console)?;
    Ok(engine)
}

async fn start_plant(engine: &Engine, config: PlantConfig) -> Result<RunningPlant, Problem> {
    let failed = |error: PlantError| Problem::new(Code::ServiceUnreachable).parameter("site", PRACTICE).details(error);
    let here = SocketAddr::from(([127, 0, 0, 1], 0));
    let plant = Plant::start(config, here).await.map_err(failed)?;
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

/// Ctrl-C, or the system's wish that the program ends.
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
    /// From here on the program no longer just dies of them.
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

    /// Until the next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
