//! What a person wants of a site's receiver, kept with the window's preferences.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
};

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem};
use tauri::{AppHandle, Wry};

use super::PRACTICE;
use crate::preferences;

const WISHES: &str = "receivers";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Wish {
    /// It runs whenever Takt does.
    pub(crate) with_takt: bool,
    #[specta(type = String)]
    pub(crate) address: IpAddr,
    /// 0: any that is free; it is kept from then on.
    pub(crate) port: u16,
}

impl Default for Wish {
    fn default() -> Self {
        Self { with_takt: false, address: Ipv4Addr::LOCALHOST.into(), port: 0 }
    }
}

type Wishes = BTreeMap<String, Wish>;

/// What was kept; else what harms nobody. The practice plant's events come by themselves.
pub(super) fn of(app: &AppHandle<Wry>, site: &str) -> Wish {
    let plain = Wish { with_takt: site == PRACTICE, ..Wish::default() };
    all(app).get(site).copied().unwrap_or(plain)
}

pub(super) fn keep(app: &AppHandle<Wry>, site: &str, wish: Wish) -> Result<(), Problem> {
    let mut wishes = all(app);
    wishes.insert(site.to_owned(), wish);
    let value = serde_json::to_value(wishes).map_err(|error| Problem::new(Code::Bug).details(error))?;
    preferences::keep(app, WISHES, value)
}

fn all(app: &AppHandle<Wry>) -> Wishes {
    let kept = preferences::store(app).ok().and_then(|store| store.get(WISHES));
    kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}
