//! What a person wants of a site's receiver, kept with the window's preferences.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
};

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem};
use tauri::{AppHandle, Runtime};

use super::PRACTICE;
use crate::preferences;

const RECEIVERS: &str = "receivers";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReceiverSettings {
    /// It runs whenever Takt does.
    pub(crate) with_takt: bool,
    #[specta(type = String)]
    pub(crate) address: IpAddr,
    /// 0: any that is free; it is kept from then on.
    pub(crate) port: u16,
}

impl Default for ReceiverSettings {
    fn default() -> Self {
        Self { with_takt: false, address: Ipv4Addr::LOCALHOST.into(), port: 0 }
    }
}

type AllSettings = BTreeMap<String, ReceiverSettings>;

/// What was kept; else what harms nobody. The practice plant's events come by themselves.
pub(super) fn of<R: Runtime>(app: &AppHandle<R>, site: &str) -> ReceiverSettings {
    let plain = ReceiverSettings { with_takt: site == PRACTICE, ..ReceiverSettings::default() };
    all(app).get(site).copied().unwrap_or(plain)
}

pub(super) fn save<R: Runtime>(app: &AppHandle<R>, site: &str, settings: ReceiverSettings) -> Result<(), Problem> {
    let mut all_settings = all(app);
    all_settings.insert(site.to_owned(), settings);
    let value = serde_json::to_value(all_settings).map_err(|error| Problem::new(Code::Bug).details(error))?;
    preferences::save_value(app, RECEIVERS, value)
}

fn all<R: Runtime>(app: &AppHandle<R>) -> AllSettings {
    let stored = preferences::store(app).ok().and_then(|store| store.get(RECEIVERS));
    stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}
