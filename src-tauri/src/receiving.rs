//! The sites' receivers: begun, ended, kept as a person wants them, and made known to the practice plant.
//!
//! Owns which receivers run and what a person set for them (`settings`). Leaves to takt-engine what a receiver does.

mod places;
mod settings;

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{
    Code, Problem,
    inbox::{Receiver, ReceiverSettings, Receiving, RefusedCounts},
};
use takt_plant::Target;
use tauri::{AppHandle, Manager, Runtime};
use tauri_specta::Event;
use tokio::{sync::Mutex, time::timeout};

use crate::{
    events::ReceiverChanged,
    practice::PRACTICE,
    state::{AppStateAccess, run_blocking},
    tray,
};
pub(crate) use places::Place;

/// How long a receiver may take to answer what it has begun to answer.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Which receivers run, and why one doesn't that should.
#[derive(Debug, Default)]
pub(crate) struct ReceiverState(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    running: BTreeMap<String, RunningReceiver>,
    failed: BTreeMap<String, Problem>,
    /// How many secrets each site has: the keychain isn't asked at every look.
    secrets: BTreeMap<String, u32>,
}

#[derive(Debug)]
struct RunningReceiver {
    receiver: Receiver,
    /// The practice plant's number of it.
    target: Option<u32>,
}

/// A site's receiver as the window shows it.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReceiverView {
    pub(crate) site: String,
    /// Where events are to be sent to, with its secret part; more than one where it listens at all addresses. Empty: it
    /// doesn't run.
    pub(crate) urls: Vec<String>,
    /// It doesn't run, and that of another computer of the team does.
    pub(crate) elsewhere: bool,
    /// Why it doesn't run though it should.
    pub(crate) problem: Option<Problem>,
    pub(crate) refused: RefusedCounts,
    pub(crate) settings: ReceiverSettings,
    /// How many secrets signatures are checked with.
    pub(crate) secrets: u32,
    /// Where it may listen.
    pub(crate) places: Vec<Place>,
}

/// Begins all that a person wants to run whenever Takt does.
pub(crate) async fn begin<R: Runtime>(app: &AppHandle<R>) {
    let sites = app.app_state().engine.sites().list().unwrap_or_default();
    for site in sites.into_iter().map(|view| view.site.name) {
        // What can't be read is told where receivers are.
        if settings::of(app, &site).await.is_ok_and(|settings| settings.with_takt) {
            // What goes wrong is kept, and shown where receivers are.
            let _ = start(app, &site).await;
        }
    }
}

/// Runs the site's receiver; nothing happens where it runs.
pub(crate) async fn start<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<(), Problem> {
    let receivers = app.state::<ReceiverState>();
    let mut state = receivers.0.lock().await;
    if state.running.contains_key(site) {
        return Ok(());
    }
    let begun = receive(app, site).await;
    let outcome = match begun {
        Ok(receiver) => {
            state.failed.remove(site);
            let target = if site == PRACTICE { register(app, &receiver) } else { None };
            state.running.insert(site.to_owned(), RunningReceiver { receiver, target });
            Ok(())
        }
        Err(problem) => {
            state.failed.insert(site.to_owned(), problem.clone());
            Err(problem)
        }
    };
    drop(state);
    publish(app, site);
    outcome
}

/// Ends the site's receiver after what it has begun to answer.
pub(crate) async fn stop<R: Runtime>(app: &AppHandle<R>, site: &str) {
    let receivers = app.state::<ReceiverState>();
    let mut state = receivers.0.lock().await;
    state.failed.remove(site);
    state.secrets.remove(site);
    if let Some(running) = state.running.remove(site) {
        end(app, running).await;
    }
    drop(state);
    publish(app, site);
}

/// Ends every receiver.
pub(crate) async fn stop_all<R: Runtime>(app: &AppHandle<R>) {
    let running = {
        let receivers = app.state::<ReceiverState>();
        let mut state = receivers.0.lock().await;
        std::mem::take(&mut state.running)
    };
    for one in running.into_values() {
        end(app, one).await;
    }
}

/// Whether the site's receiver runs.
pub(crate) async fn runs<R: Runtime>(app: &AppHandle<R>, site: &str) -> bool {
    app.state::<ReceiverState>().0.lock().await.running.contains_key(site)
}

pub(crate) async fn view<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<ReceiverView, Problem> {
    // Before anything is locked: a database that is away takes its time.
    let elsewhere = !runs(app, site).await && {
        let (engine, named) = (app.app_state().engine.clone(), site.to_owned());
        run_blocking(move || Ok(engine.inbox().is_received_elsewhere(&named))).await?
    };
    let receivers = app.state::<ReceiverState>();
    let mut state = receivers.0.lock().await;
    let secrets = match state.secrets.get(site) {
        Some(count) => *count,
        None => count_secrets(app, site).await?,
    };
    state.secrets.insert(site.to_owned(), secrets);
    let settings = settings::of(app, site).await?;
    let running = state.running.get(site).map(|running| &running.receiver);
    Ok(ReceiverView {
        site: site.to_owned(),
        urls: running.map(urls).unwrap_or_default(),
        elsewhere: elsewhere && running.is_none(),
        problem: state.failed.get(site).cloned(),
        refused: running.map(Receiver::refused).unwrap_or_default(),
        settings,
        secrets,
        places: places::all(),
    })
}

/// Keeps what a person wants; a receiver that listens elsewhere now begins anew.
pub(crate) async fn change<R: Runtime>(
    app: &AppHandle<R>,
    site: &str,
    settings: ReceiverSettings,
) -> Result<(), Problem> {
    let before = settings::of(app, site).await?;
    let moved = (before.address, before.port) != (settings.address, settings.port);
    settings::save(app, site, settings).await?;
    if moved && runs(app, site).await {
        stop(app, site).await;
        return start(app, site).await;
    }
    publish(app, site);
    Ok(())
}

/// After the site's secrets changed: who signs with one of them is believed from now on, and the practice plant signs so.
pub(crate) async fn renew_secrets<R: Runtime>(app: &AppHandle<R>, site: &str) {
    let app_state = app.app_state();
    let receivers = app.state::<ReceiverState>();
    let mut state = receivers.0.lock().await;
    state.secrets.remove(site);
    if let Some(running) = state.running.get_mut(site) {
        app_state.engine.inbox().renew_secrets(&running.receiver);
        if site == PRACTICE {
            unregister(app, running.target.take());
            running.target = register(app, &running.receiver);
        }
    }
    drop(state);
    publish(app, site);
}

async fn count_secrets<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<u32, Problem> {
    let (engine, site) = (app.app_state().engine.clone(), site.to_owned());
    run_blocking(move || engine.inbox().secret_count(&site)).await
}

async fn receive<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<Receiver, Problem> {
    let engine = &app.app_state().engine;
    let settings = settings::of(app, site).await?;
    let at = |port| Receiving { listen: SocketAddr::new(settings.address, port), secrets: None };
    let mut begun = engine.inbox().receive(site, at(settings.port)).await;
    // Only our own plant knows that address: any other port serves it as well.
    let moves = site == PRACTICE && settings.port != 0;
    if moves && begun.as_ref().is_err_and(|problem| problem.code == Code::ListenFailed) {
        begun = engine.inbox().receive(site, at(0)).await;
    }
    let receiver = begun?;
    let port = receiver.address().port();
    if port != settings.port {
        // The address stays the same from now on. Where that can't be kept, it only changes once more.
        if let Err(problem) = settings::save(app, site, ReceiverSettings { port, ..settings }).await {
            tracing::warn!(?problem, "the receiver's port was not kept");
        }
    }
    Ok(receiver)
}

async fn end<R: Runtime>(app: &AppHandle<R>, running: RunningReceiver) {
    unregister(app, running.target);
    if timeout(STOP_TIMEOUT, running.receiver.stop()).await.is_err() {
        tracing::warn!("a receiver was ended before it had answered everybody");
    }
}

/// Has the practice plant tell its events here.
fn register<R: Runtime>(app: &AppHandle<R>, receiver: &Receiver) -> Option<u32> {
    let app_state = app.app_state();
    let url = urls(receiver).into_iter().next()?;
    let target = Target { url, secret: app_state.engine.inbox().practice_secret(), events: Vec::new() };
    match app_state.plant.as_ref()?.plant().add_target(target) {
        Ok(id) => Some(id),
        Err(error) => {
            tracing::error!(%error, "the practice plant can't tell its events");
            None
        }
    }
}

fn unregister<R: Runtime>(app: &AppHandle<R>, target: Option<u32>) {
    if let (Some(plant), Some(target)) = (&app.app_state().plant, target) {
        // A person may have removed it on the plant's panel.
        plant.plant().remove_target(target);
    }
}

/// This computer's own address first, where it listens at all of them.
fn urls(receiver: &Receiver) -> Vec<String> {
    let own: IpAddr = match receiver.address().ip() {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        _ => return vec![receiver.url()],
    };
    let cards = places::cards().into_iter().map(|card| card.address).filter(|card| card.is_ipv4() == own.is_ipv4());
    [own].into_iter().chain(cards).map(|address| receiver.url_at(address)).collect()
}

/// Begins the chosen site's receiver, or ends it: as the tray's menu has it.
pub(crate) fn toggle<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Ok(site) = app.app_state().engine.sites().chosen() else { return };
        if runs(&app, &site.name).await {
            stop(&app, &site.name).await;
        } else if let Err(problem) = start(&app, &site.name).await {
            tracing::warn!(?problem, "the receiver didn't begin");
            update_tray(&app);
        }
    });
}

/// The tray's menu says whether the chosen site's receiver runs.
pub(crate) fn update_tray<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Ok(site) = app.app_state().engine.sites().chosen() else { return };
        tray::set_receiving(&app, runs(&app, &site.name).await);
    });
}

/// A window that is already gone needs no news.
fn publish<R: Runtime>(app: &AppHandle<R>, site: &str) {
    update_tray(app);
    if let Err(error) = (ReceiverChanged { site: site.to_owned() }).emit(app) {
        tracing::debug!(%error, "nobody hears that a receiver changed");
    }
}
