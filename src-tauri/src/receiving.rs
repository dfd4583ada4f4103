//! The receivers of sites: starting, stopping, configuring and registering them with the practice plant.
//!
//! Owns which receivers run, their settings, and the addresses on which they can listen. takt-engine implements a
//! receiver.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use specta::Type;
use sysinfo::Networks;
use takt_engine::{
    Code, Problem,
    inbox::{Receiver, ReceiverOptions, ReceiverSettings, RefusedCounts},
};
use takt_plant::Target;
use tauri::{AppHandle, Manager, Runtime};
use tauri_specta::Event;
use tokio::{sync::Mutex, time::timeout};

use crate::{
    events::ReceiverChanged,
    practice::PRACTICE,
    preferences,
    state::{AppStateAccess, run_blocking},
    tray,
};

/// The time that a stopping receiver has to finish its responses. Then it is ended.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The key of the settings in the preferences of version 0.1.
const FORMER_SETTINGS_KEY: &str = "receivers";

/// The running receivers, and the reasons why receivers failed to start.
#[derive(Debug, Default)]
pub(crate) struct ReceiverState(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    running: BTreeMap<String, RunningReceiver>,
    failed: BTreeMap<String, Problem>,
    /// The number of secrets of each site, cached because reading the keychain is slow.
    secrets: BTreeMap<String, u32>,
}

#[derive(Debug)]
struct RunningReceiver {
    receiver: Receiver,
    /// The target's number at the practice plant. Absent for other sites.
    target: Option<u32>,
}

/// An address on which a receiver can listen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub(crate) struct Place {
    #[specta(type = String)]
    pub(crate) address: IpAddr,
    /// The network card's name. Absent for the loopback address and for all addresses.
    pub(crate) card: Option<String>,
    /// Whether only this computer can reach the address.
    pub(crate) own: bool,
}

/// A site's receiver as shown in the window.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReceiverView {
    pub(crate) site: String,
    /// The addresses for events, including the secret part of the path. Several if it listens on all addresses, none if
    /// it isn't running.
    pub(crate) urls: Vec<String>,
    /// Whether it isn't running here, but on another computer of the team.
    pub(crate) elsewhere: bool,
    /// The reason why it failed to start.
    pub(crate) problem: Option<Problem>,
    pub(crate) refused: RefusedCounts,
    pub(crate) settings: ReceiverSettings,
    /// The number of secrets for checking signatures.
    pub(crate) secrets: u32,
    /// The addresses from which the user can choose.
    pub(crate) places: Vec<Place>,
}

/// Starts all receivers that are configured to start with Takt.
pub(crate) async fn start_configured<R: Runtime>(app: &AppHandle<R>) {
    let sites = app.with_engine(|engine| engine.sites().list()).await.unwrap_or_default();
    for site in sites.into_iter().map(|view| view.site.name) {
        // Unreadable settings are reported in the receiver's view.
        if load_settings(app, &site).await.is_ok_and(|settings| settings.with_takt) {
            // Failures are stored, and reported in the receiver's view.
            let _ = start(app, &site).await;
        }
    }
}

/// Starts the site's receiver if it isn't running.
pub(crate) async fn start<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<(), Problem> {
    let receivers = app.state::<ReceiverState>();
    let mut state = receivers.0.lock().await;
    if state.running.contains_key(site) {
        return Ok(());
    }
    let outcome = match start_receiver(app, site).await {
        Ok(running) => {
            state.failed.remove(site);
            state.running.insert(site.to_owned(), running);
            Ok(())
        }
        Err(problem) => {
            state.failed.insert(site.to_owned(), problem.clone());
            Err(problem)
        }
    };
    drop(state);
    notify_change(app, site);
    outcome
}

/// Stops the site's receiver. It can finish its responses for a few seconds.
pub(crate) async fn stop<R: Runtime>(app: &AppHandle<R>, site: &str) {
    let receivers = app.state::<ReceiverState>();
    let mut state = receivers.0.lock().await;
    state.failed.remove(site);
    state.secrets.remove(site);
    if let Some(running) = state.running.remove(site) {
        stop_receiver(app, running).await;
    }
    drop(state);
    notify_change(app, site);
}

/// Stops all receivers, for example before the program ends.
pub(crate) async fn stop_all<R: Runtime>(app: &AppHandle<R>) {
    let running = {
        let receivers = app.state::<ReceiverState>();
        let mut state = receivers.0.lock().await;
        std::mem::take(&mut state.running)
    };
    for running_receiver in running.into_values() {
        stop_receiver(app, running_receiver).await;
    }
}

/// Returns whether this process runs the site's receiver.
pub(crate) async fn is_running<R: Runtime>(app: &AppHandle<R>, site: &str) -> bool {
    app.state::<ReceiverState>().0.lock().await.running.contains_key(site)
}

pub(crate) async fn view<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<ReceiverView, Problem> {
    // The database is queried before any lock is acquired, since it may be unreachable and delay this.
    let elsewhere = !is_running(app, site).await && {
        let site = site.to_owned();
        app.with_engine(move |engine| Ok(engine.inbox().is_received_elsewhere(&site))).await?
    };
    let places = run_blocking(|| Ok(listen_places())).await?;
    let receivers = app.state::<ReceiverState>();
    let mut state = receivers.0.lock().await;
    let secrets = match state.secrets.get(site) {
        Some(count) => *count,
        None => count_secrets(app, site).await?,
    };
    state.secrets.insert(site.to_owned(), secrets);
    let settings = load_settings(app, site).await?;
    let running = state.running.get(site).map(|running| &running.receiver);
    Ok(ReceiverView {
        site: site.to_owned(),
        urls: running.map(|receiver| urls(receiver, &places)).unwrap_or_default(),
        elsewhere: elsewhere && running.is_none(),
        problem: state.failed.get(site).cloned(),
        refused: running.map(Receiver::refused_counts).unwrap_or_default(),
        settings,
        secrets,
        places,
    })
}

/// Stores the settings. The receiver restarts if its address or port changes.
pub(crate) async fn change<R: Runtime>(
    app: &AppHandle<R>,
    site: &str,
    settings: ReceiverSettings,
) -> Result<(), Problem> {
    let before = load_settings(app, site).await?;
    let has_moved = (before.address, before.port) != (settings.address, settings.port);
    save_settings(app, site, settings).await?;
    if has_moved && is_running(app, site).await {
        stop(app, site).await;
        return start(app, site).await;
    }
    notify_change(app, site);
    Ok(())
}

/// Reloads the secrets for checking the site's signatures. Registers the receiver at the practice plant again with its
/// new secret.
pub(crate) async fn renew_secrets<R: Runtime>(app: &AppHandle<R>, site: &str) {
    let receivers = app.state::<ReceiverState>();
    let mut state = receivers.0.lock().await;
    state.secrets.remove(site);
    if let Some(mut running) = state.running.remove(site) {
        let app = app.clone();
        let renewed = run_blocking(move || {
            app.engine().inbox().reload_secrets(&running.receiver);
            if running.receiver.site() == PRACTICE {
                unregister(&app, running.target.take());
                running.target = register(&app, &running.receiver);
            }
            Ok(running)
        });
        if let Ok(running) = renewed.await {
            state.running.insert(site.to_owned(), running);
        }
    }
    drop(state);
    notify_change(app, site);
}

async fn count_secrets<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<u32, Problem> {
    let site = site.to_owned();
    app.with_engine(move |engine| engine.inbox().secret_count(&site)).await
}

async fn start_receiver<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<RunningReceiver, Problem> {
    let engine = app.engine();
    let settings = load_settings(app, site).await?;
    let on_port = |port| ReceiverOptions { listen: SocketAddr::new(settings.address, port), secrets: None };
    let mut receiver = engine.inbox().receive(site, on_port(settings.port)).await;
    // Only the practice plant uses the address, so any other port works, too.
    let may_move = site == PRACTICE && settings.port != 0;
    if may_move && receiver.as_ref().is_err_and(|problem| problem.code == Code::ListenFailed) {
        receiver = engine.inbox().receive(site, on_port(0)).await;
    }
    let receiver = receiver?;
    let port = receiver.address().port();
    if port != settings.port {
        // The new port is stored, so that the address stays the same. If that fails, the next start chooses another
        // port.
        if let Err(problem) = save_settings(app, site, ReceiverSettings { port, ..settings }).await {
            tracing::warn!(?problem, "the receiver's port was not kept");
        }
    }
    if site != PRACTICE {
        return Ok(RunningReceiver { receiver, target: None });
    }
    let app = app.clone();
    run_blocking(move || {
        let target = register(&app, &receiver);
        Ok(RunningReceiver { receiver, target })
    })
    .await
}

async fn stop_receiver<R: Runtime>(app: &AppHandle<R>, running: RunningReceiver) {
    unregister(app, running.target);
    if timeout(STOP_TIMEOUT, running.receiver.stop()).await.is_err() {
        tracing::warn!("a receiver was ended before it had answered everybody");
    }
}

/// Registers the receiver as a target of the practice plant's events. Blocks while network cards and secrets are read.
fn register<R: Runtime>(app: &AppHandle<R>, receiver: &Receiver) -> Option<u32> {
    let app_state = app.app_state();
    let url = urls(receiver, &listen_places()).into_iter().next()?;
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
        // Removing a target that the user has removed on the plant's panel has no effect.
        plant.plant().remove_target(target);
    }
}

/// Returns the receiver's addresses. If it listens on all addresses, the loopback address comes first.
fn urls(receiver: &Receiver, places: &[Place]) -> Vec<String> {
    let loopback: IpAddr = match receiver.address().ip() {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        _ => return vec![receiver.url()],
    };
    let cards = places.iter().filter(|place| place.card.is_some()).map(|card| card.address);
    let cards = cards.filter(|card| card.is_ipv4() == loopback.is_ipv4());
    [loopback].into_iter().chain(cards).map(|address| receiver.url_at(address)).collect()
}

/// Starts or stops the chosen site's receiver, for the tray's menu.
pub(crate) fn toggle_receiver<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Ok(site) = app.chosen_site().await else { return };
        if is_running(&app, &site.name).await {
            stop(&app, &site.name).await;
        } else if let Err(problem) = start(&app, &site.name).await {
            tracing::warn!(?problem, "the receiver didn't begin");
            update_tray(&app);
        }
    });
}

/// Shows in the tray's menu whether the chosen site's receiver is running.
pub(crate) fn update_tray<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Ok(site) = app.chosen_site().await else { return };
        tray::set_receiving(&app, is_running(&app, &site.name).await);
    });
}

/// Notifies the tray and the page that a receiver changed. A closed window needs no notification.
fn notify_change<R: Runtime>(app: &AppHandle<R>, site: &str) {
    update_tray(app);
    if let Err(error) = (ReceiverChanged { site: site.to_owned() }).emit(app) {
        tracing::debug!(%error, "nobody hears that a receiver changed");
    }
}

/// Loads the settings, or safe defaults. By default only the practice plant's receiver starts with Takt.
async fn load_settings<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<ReceiverSettings, Problem> {
    let (app, site) = (app.clone(), site.to_owned());
    run_blocking(move || {
        let stored = app.engine().inbox().receiver_settings(&site)?;
        let default = ReceiverSettings { with_takt: site == PRACTICE, ..ReceiverSettings::default() };
        Ok(stored.or_else(|| load_former_settings(&app, &site)).unwrap_or(default))
    })
    .await
}

async fn save_settings<R: Runtime>(app: &AppHandle<R>, site: &str, settings: ReceiverSettings) -> Result<(), Problem> {
    let site = site.to_owned();
    app.with_engine(move |engine| engine.inbox().store_receiver_settings(&site, settings)).await
}

fn load_former_settings<R: Runtime>(app: &AppHandle<R>, site: &str) -> Option<ReceiverSettings> {
    let former = preferences::open_store(app).ok()?.get(FORMER_SETTINGS_KEY)?;
    serde_json::from_value::<BTreeMap<String, ReceiverSettings>>(former).ok()?.remove(site)
}

/// Lists the loopback address, then the network cards' addresses, then all addresses as one entry.
fn listen_places() -> Vec<Place> {
    let own = Place { address: Ipv4Addr::LOCALHOST.into(), card: None, own: true };
    let all_addresses = Place { address: Ipv4Addr::UNSPECIFIED.into(), card: None, own: false };
    [own].into_iter().chain(network_cards()).chain([all_addresses]).collect()
}

/// Lists the sorted addresses of network cards that other computers may reach.
fn network_cards() -> Vec<Place> {
    let Ok(networks) = Networks::new_with_refreshed_list() else { return Vec::new() };
    let addresses = networks.iter().flat_map(|(name, card)| {
        let addresses = card.ip_networks().iter().map(|network| network.addr);
        addresses.filter(|address| is_reachable(*address)).map(move |address| Place {
            address,
            card: Some(name.to_string_lossy().into_owned()),
            own: false,
        })
    });
    let mut found: Vec<_> = addresses.collect();
    found.sort_by_key(|place| (place.address.is_ipv6(), place.address));
    found
}

/// Returns whether other computers may reach the address. Loopback and link-local addresses are excluded.
fn is_reachable(address: IpAddr) -> bool {
    !address.is_loopback()
        && match address {
            IpAddr::V4(address) => !address.is_link_local(),
            IpAddr::V6(address) => !address.is_unicast_link_local(),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_computer_alone_comes_first_and_everywhere_last() {
        let places = listen_places();
        assert!(places[0].own && places[0].address.is_loopback());
        assert!(places.last().is_some_and(|place| place.address.is_unspecified() && !place.own));
        assert!(places[1..places.len() - 1].iter().all(|place| place.card.is_some() && !place.own));
    }
}
