//! The window program's start: home, engine, practice plant and window, then the event loop.

use std::{
    collections::HashSet,
    fs,
    net::SocketAddr,
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use takt_engine::team::TeamChoice;
use takt_engine::{
    Engine, EngineConfig, Home, Problem,
    client::{Failpoints, Redactor, Secret, SecretStorage, Timeouts, Vault},
    import::Drafts,
    logging::{Program, start_logging},
    submission::{SubmissionId, SubmissionState, SubmissionView},
    system::{account_name, check_system_clock},
};
use takt_plant::{Pace, Plant, PlantConfig, PlantError, RunningPlant};
use tauri::{AppHandle, Manager, RunEvent, Runtime};
use tauri_specta::Event;

use crate::{
    autostart,
    closing::{self, CloseGuard},
    commands::clipboard::ClipboardState,
    dialogs,
    events::{EventsReceived, SubmissionChanged, TeamSubmissionChanged},
    ipc, main_window,
    notices::{self, NoticeState, WaitingNotifications},
    open_requests::{self, OpenRequests, StartRole},
    practice,
    receiving::{self, ReceiverState},
    sleep_prevention::SleepPrevention,
    state::{AppState, AppStateAccess, run_blocking},
    tray::{self, MenuChoice, Tray},
    update,
    view_windows::ViewWindows,
};

/// The minimum time between two `EventsReceived` events to the page.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(250);

/// The time between two checks whether a backup or a purge is due.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(3600);

/// In bytes. The limit of the practice plant's log in the home folder.
const MAX_PLANT_LOG_BYTES: u64 = 32 * 1024 * 1024;

/// The reason why the program ends before its window opens. Its message is shown to the user.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error("{}", dialogs::localized_text(.0))]
    Engine(#[from] Problem),
    #[error("{0}")]
    Window(#[from] tauri::Error),
}

/// Runs the window until it is closed.
///
/// # Errors
/// No window can be opened, or the home folder can't be used.
pub fn run() -> Result<(), AppError> {
    #[cfg(target_os = "linux")]
    crate::graphics::restart_without_acceleration();
    // Without a web view no window opens, and the event loop would wait forever.
    if cfg!(windows) && tauri::webview_version().is_err() {
        return Err(Problem::obstacle("webview-missing").into());
    }
    let Some(app) = build(tauri::Builder::default())? else { return Ok(()) };
    app.run(on_run_event);
    Ok(())
}

/// Builds the app with all its state. Returns `None` if a running window of this home has accepted the open requests.
///
/// # Errors
/// The home folder can't be used.
pub fn build<R: Runtime>(builder: tauri::Builder<R>) -> Result<Option<tauri::App<R>>, AppError> {
    check_system_clock(SystemTime::now())?;
    let clock = Arc::new(jiff::Timestamp::now);
    let home = Home::from_environment()?;
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    let (lock, requested) = match open_requests::start(&home, arguments) {
        StartRole::Window { lock, requested } => (lock, requested),
        StartRole::HandedOver => return Ok(None),
    };
    let redactor = Redactor::default();
    start_logging(&home, Program::Window, &redactor, std::env::var("TAKT_LOG").ok().as_deref());
    let vault = Vault::open_with(&home.fingerprint(), &home.vault(), redactor);
    unlock_from_file(&vault);
    let engine = Engine::open(EngineConfig {
        home,
        clock: clock.clone(),
        vault,
        timeouts: Timeouts::from_environment(),
        failpoints: Failpoints::from_environment(),
        person: account_name(),
        team: TeamChoice::from_environment()?,
    })?;
    Drafts::new(engine.imports()).enable_drafts();
    engine.imports().read_settings().set_reader_process(takt_engine::system::ReaderProcess::for_this_program());
    if let Some(locale) = sys_locale::get_locale() {
        engine.imports().read_settings().set_default_encoding_for(&locale);
    }
    // The plant starts while the toolkit starts.
    let plant_engine = Arc::clone(&engine);
    let starting_plant = tauri::async_runtime::spawn(async move { start_plant(&plant_engine).await });
    choose_original(&engine);
    let commands = ipc::builder();
    let app = builder
        .plugin(autostart::plugin())
        .plugin(tauri_plugin_store::Builder::new().build())
        .plugin(tauri_plugin_updater::Builder::new().build())
        .invoke_handler(commands.invoke_handler())
        .setup(move |app| {
            commands.mount_events(app);
            forward_submissions(app.handle(), &engine);
            forward_team(app.handle(), &engine);
            forward_events(app.handle(), &engine);
            run_maintenance(&engine);
            update::start_checks(app.handle(), &engine);
            // The page asks for the practice plant, so the plant is ready before the page is.
            let plant = tauri::async_runtime::block_on(starting_plant).unwrap_or_else(|error| {
                tracing::error!(%error, "the practice plant didn't start");
                None
            });
            app.manage(AppState::new(engine, plant));
            practice::sign_in_at_start(app.handle());
            app.manage(CloseGuard::default());
            app.manage(NoticeState::default());
            app.manage(WaitingNotifications::default());
            app.manage(ReceiverState::default());
            app.manage(Tray::<R>::new(on_tray_choice));
            app.manage(ClipboardState::default());
            app.manage(ViewWindows::default());
            app.manage(OpenRequests::default());
            open_requests::listen(app.handle(), lock, requested);
            notices::watch_inbox(app.handle());
            start_receivers(app.handle());
            exit_on_signal(app.handle());
            main_window::open(app.handle())?;
            Ok(())
        })
        .build(tauri::generate_context!())?;
    Ok(Some(app))
}

/// Handles the end of the event loop, and addresses that the system hands over.
#[expect(clippy::needless_pass_by_value, reason = "Tauri gives it away")]
pub fn on_run_event<R: Runtime>(app: &AppHandle<R>, event: RunEvent) {
    match event {
        RunEvent::Exit => tauri::async_runtime::block_on(async {
            receiving::stop_all(app).await;
            if let Some(plant) = &app.app_state().plant {
                plant.stop().await;
            }
        }),
        // macOS passes addresses to the running program instead of starting a second one.
        #[cfg(target_os = "macos")]
        RunEvent::Opened { urls } => open_requests::open_addresses(app, &urls),
        _ => {}
    }
}

/// Chooses the original again if a copy of a site is chosen. A copy exists only as long as the program that runs it.
fn choose_original(engine: &Engine) {
    let original = engine.sites().selected_site().map(|site| site.rehearsal_of);
    let outcome =
        original.and_then(|original| original.map_or(Ok(()), |original| engine.sites().select_site(&original)));
    if let Err(problem) = outcome {
        tracing::warn!(?problem, "the copy of a site stays chosen");
    }
}

/// Starts the practice plant with its rows from the last time. If that fails, logs the error and returns `None`, since
/// other sites still work.
async fn start_plant(engine: &Engine) -> Option<RunningPlant> {
    match start_stored_plant(engine.home().practice_plant()).await {
        Ok(plant) => {
            engine.set_practice(plant.access());
            let (clock, state) = (Arc::downgrade(plant.plant()), Arc::downgrade(plant.plant()));
            let sites = engine.sites();
            sites.practice().set_clock(Arc::new(move || {
                clock.upgrade().map_or_else(jiff::Timestamp::now, |plant| plant.plant_time())
            }));
            sites.practice().set_state_id_source(Arc::new(move || {
                state.upgrade().map_or_else(String::new, |plant| plant.state_id())
            }));
            Some(plant)
        }
        Err(error) => {
            tracing::error!(%error, "the practice plant didn't start");
            None
        }
    }
}

/// Starts a plant whose rows are stored in a folder. A folder with unusable rows is moved aside. If the folder can't be
/// used now, for example because another program uses it, it stays, and the plant's rows are only in memory.
async fn start_stored_plant(folder: PathBuf) -> Result<RunningPlant, PlantError> {
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    // The plant's day runs, so that new users find a factory at work.
    let pace = Pace::Running { speed: 1.0 };
    let stored =
        |data| PlantConfig { pace, data: Some(data), log_bytes: Some(MAX_PLANT_LOG_BYTES), ..PlantConfig::default() };
    let error = match Plant::start(stored(folder.clone()), address).await {
        Err(error) if error.is_about_data() => error,
        started => return started,
    };
    tracing::error!(%error, "the practice plant's rows can't be used");
    let is_unusable = matches!(
        error,
        PlantError::DataForeign(_)
            | PlantError::DataNewer { .. }
            | PlantError::DataDamaged { .. }
            | PlantError::DataDiffers { .. }
    );
    if is_unusable && move_aside(folder.clone()).await {
        match Plant::start(stored(folder), address).await {
            Err(error) if error.is_about_data() => tracing::error!(%error, "the practice plant's rows can't be stored"),
            started => return started,
        }
    }
    Plant::start(PlantConfig { pace, ..PlantConfig::default() }, address).await
}

/// Moves a folder aside, and replaces one that was moved there before. Returns whether that succeeded.
async fn move_aside(folder: PathBuf) -> bool {
    let aside = folder.with_extension("unreadable");
    let moved = tokio::task::spawn_blocking(move || {
        if aside.exists() {
            fs::remove_dir_all(&aside)?;
        }
        fs::rename(folder, aside)
    });
    moved.await.is_ok_and(|moved| moved.inspect_err(|error| tracing::error!(%error, "they can't be moved")).is_ok())
}

/// Forwards changes of colleagues' submissions to the page. Their ends cause no desktop notification.
fn forward_team<R: Runtime>(app: &AppHandle<R>, engine: &Arc<Engine>) {
    let (app, engine) = (app.clone(), Arc::clone(engine));
    tauri::async_runtime::spawn(async move {
        let on_change = |view| {
            if let Err(error) = TeamSubmissionChanged(view).emit(&app) {
                tracing::debug!(%error, "nobody hears how a colleague's submission stands");
            }
        };
        engine.submissions().follow_team(on_change).await;
    });
}

fn forward_submissions<R: Runtime>(app: &AppHandle<R>, engine: &Arc<Engine>) {
    let mut changes = engine.submissions().subscribe();
    let (app, engine) = (app.clone(), Arc::clone(engine));
    tauri::async_runtime::spawn(async move {
        let mut prevention = SleepPrevention::default();
        loop {
            match changes.recv().await {
                Ok(view) => {
                    prevention.update(&view);
                    if let Err(error) = SubmissionChanged(view).emit(&app) {
                        tracing::debug!(%error, "nobody hears how a submission stands");
                    }
                }
                // A missed change is superseded by the next one.
                Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {
                    let (engine, known) = (Arc::clone(&engine), prevention.running());
                    let running = run_blocking(move || Ok(filter_running(&engine, known))).await.unwrap_or_default();
                    prevention.retain(|id| running.contains(&id));
                }
                Err(tokio::sync::broadcast::error::RecvError::Closed) => return,
            }
        }
    });
}

fn filter_running(engine: &Engine, known: HashSet<SubmissionId>) -> HashSet<SubmissionId> {
    let runs = |view: SubmissionView| view.state == SubmissionState::Running;
    known.into_iter().filter(|id| engine.submissions().view(*id).is_ok_and(runs)).collect()
}

fn forward_events<R: Runtime>(app: &AppHandle<R>, engine: &Engine) {
    for scope in engine.inbox().scopes() {
        match engine.inbox().watch(scope) {
            Ok(newest) => forward_newest(app, newest),
            Err(problem) => tracing::error!(?problem, "the inbox can't be opened"),
        }
    }
}

fn forward_newest<R: Runtime>(app: &AppHandle<R>, mut newest: tokio::sync::watch::Receiver<i64>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        while newest.changed().await.is_ok() {
            let received = EventsReceived { newest: i32::try_from(*newest.borrow_and_update()).unwrap_or(i32::MAX) };
            if let Err(error) = received.emit(&app) {
                tracing::debug!(%error, "nobody hears of new events");
            }
            tokio::time::sleep(NOTIFY_INTERVAL).await;
        }
    });
}

/// Runs backups and the daily purge until the program ends.
fn run_maintenance(engine: &Arc<Engine>) {
    let engine = Arc::clone(engine);
    tauri::async_runtime::spawn(async move {
        loop {
            let engine_now = Arc::clone(&engine);
            if let Err(error) = tokio::task::spawn_blocking(move || engine_now.maintenance().maintain()).await {
                tracing::error!(%error, "keeping the home folder in order ended badly");
            }
            tokio::time::sleep(MAINTENANCE_INTERVAL).await;
        }
    });
}

fn start_receivers<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move { receiving::start_configured(&app).await });
}

/// Ends the program on a termination signal in the same way as closing the window, so that receivers finish their
/// responses.
fn exit_on_signal<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        if wait_for_termination().await.is_ok() {
            app.exit(0);
        }
    });
}

#[cfg(unix)]
async fn wait_for_termination() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn wait_for_termination() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// Handles a choice in the tray's menu. If unsent data would be lost, quitting shows the window first.
fn on_tray_choice<R: Runtime>(app: &AppHandle<R>, choice: MenuChoice) {
    match choice {
        MenuChoice::Open => tray::open_window(app),
        MenuChoice::Receiving => receiving::toggle_receiver(app),
        MenuChoice::Quit if closing::prompt_if_unsent(app) => tray::open_window(app),
        MenuChoice::Quit => app.exit(0),
    }
}

/// Unlocks the vault with the passphrase in the first line of `TAKT_VAULT_PASSPHRASE_FILE`. A failure is only logged.
fn unlock_from_file(vault: &Vault) {
    let Some(file) = std::env::var_os("TAKT_VAULT_PASSPHRASE_FILE").filter(|file| !file.is_empty()) else { return };
    if vault.storage() != SecretStorage::Locked {
        return;
    }
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let passphrase = text.trim_start_matches('\u{FEFF}').lines().next().unwrap_or_default();
    if let Err(error) = vault.unlock(&Secret::new(passphrase)) {
        tracing::warn!(%error, "the file with the secrets stays locked");
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[tokio::test]
    async fn a_plant_whose_rows_cant_be_read_starts_anew_and_keeps_the_old_file() {
        let home = TempDir::new().unwrap();
        let folder = home.path().join("practice-plant");
        let first = start_stored_plant(folder.clone()).await.unwrap();
        let state = first.plant().state_id();
        // Another program may use the folder, for example while the window of the same home is being replaced.
        let other = start_stored_plant(folder.clone()).await.unwrap();
        assert!(!other.plant().overview().durable && folder.is_dir());
        first.stop().await;
        let again = start_stored_plant(folder.clone()).await.unwrap();
        assert_eq!(again.plant().state_id(), state);
        again.stop().await;

        for damage in ["no database", "damaged twice"] {
            // The write-ahead log would restore the rows.
            fs::remove_file(folder.join("plant.sqlite-wal")).unwrap_or_default();
            fs::write(folder.join("plant.sqlite"), damage).unwrap();
            let anew = start_stored_plant(folder.clone()).await.unwrap();
            assert!(anew.plant().overview().durable && anew.plant().state_id() != state, "{damage}");
            let aside = home.path().join("practice-plant.unreadable").join("plant.sqlite");
            assert_eq!(fs::read_to_string(aside).unwrap(), damage);
            anew.stop().await;
        }
    }
}
