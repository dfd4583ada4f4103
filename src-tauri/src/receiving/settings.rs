//! The settings of a site's receiver. The engine stores them, version 0.1 stored them in the window's preferences.

use std::collections::BTreeMap;

use takt_engine::{Problem, inbox::ReceiverSettings};
use tauri::{AppHandle, Runtime};

use super::PRACTICE;
use crate::{
    preferences,
    state::{AppStateAccess, run_blocking},
};

/// The key of the settings in the preferences of version 0.1.
const FORMER_KEY: &str = "receivers";

/// Loads the settings, or safe defaults. By default only the practice plant's receiver starts with Takt.
pub(super) async fn load<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<ReceiverSettings, Problem> {
    let (app, site) = (app.clone(), site.to_owned());
    run_blocking(move || {
        let stored = app.engine().inbox().receiver_settings(&site)?;
        let default = ReceiverSettings { with_takt: site == PRACTICE, ..ReceiverSettings::default() };
        Ok(stored.or_else(|| load_former(&app, &site)).unwrap_or(default))
    })
    .await
}

pub(super) async fn save<R: Runtime>(
    app: &AppHandle<R>,
    site: &str,
    settings: ReceiverSettings,
) -> Result<(), Problem> {
    let site = site.to_owned();
    app.with_engine(move |engine| engine.inbox().store_receiver_settings(&site, settings)).await
}

fn load_former<R: Runtime>(app: &AppHandle<R>, site: &str) -> Option<ReceiverSettings> {
    let former = preferences::store(app).ok()?.get(FORMER_KEY)?;
    serde_json::from_value::<BTreeMap<String, ReceiverSettings>>(former).ok()?.remove(site)
}
