//! What a person wants of a site's receiver: kept by the engine, and until 0.1 with the window's preferences.

use std::{collections::BTreeMap, sync::Arc};

use takt_engine::{Problem, inbox::ReceiverSettings};
use tauri::{AppHandle, Runtime};

use super::PRACTICE;
use crate::{
    preferences,
    state::{AppStateAccess, run_blocking},
};

/// Where the preferences had them.
const FORMER_PLACE: &str = "receivers";

/// What was kept; else what harms nobody. The practice plant's events come by themselves.
pub(super) async fn of<R: Runtime>(app: &AppHandle<R>, site: &str) -> Result<ReceiverSettings, Problem> {
    let (engine, name) = (Arc::clone(&app.app_state().engine), site.to_owned());
    let kept = run_blocking(move || engine.inbox().receiver_settings(&name)).await?;
    let plain = ReceiverSettings { with_takt: site == PRACTICE, ..ReceiverSettings::default() };
    Ok(kept.or_else(|| former(app, site)).unwrap_or(plain))
}

pub(super) async fn save<R: Runtime>(
    app: &AppHandle<R>,
    site: &str,
    settings: ReceiverSettings,
) -> Result<(), Problem> {
    let (engine, name) = (Arc::clone(&app.app_state().engine), site.to_owned());
    run_blocking(move || engine.inbox().store_receiver_settings(&name, settings)).await
}

fn former<R: Runtime>(app: &AppHandle<R>, site: &str) -> Option<ReceiverSettings> {
    let stored = preferences::store(app).ok()?.get(FORMER_PLACE)?;
    serde_json::from_value::<BTreeMap<String, ReceiverSettings>>(stored).ok()?.remove(site)
}
