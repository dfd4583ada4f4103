//! Preferences and the window's place, kept by tauri-plugin-store in one file under Takt's home. Never a secret.

use std::{io::Write, sync::Arc};

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem, system::open_private_file};
use tauri::{AppHandle, Runtime};
use tauri_plugin_store::{Store, StoreExt};

use crate::state::AppStateAccess;

const PREFERENCES: &str = "preferences";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    En,
    De,
    Es,
    Pt,
}

impl Language {
    fn of_engine(language: takt_engine::Language) -> Self {
        match language {
            takt_engine::Language::En => Self::En,
            takt_engine::Language::De => Self::De,
            takt_engine::Language::Es => Self::Es,
            takt_engine::Language::Pt => Self::Pt,
        }
    }

    pub(crate) fn engine_language(self) -> takt_engine::Language {
        match self {
            Self::En => takt_engine::Language::En,
            Self::De => takt_engine::Language::De,
            Self::Es => takt_engine::Language::Es,
            Self::Pt => takt_engine::Language::Pt,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Theme {
    #[default]
    System,
    Light,
    Dark,
    Contrast,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Density {
    #[default]
    Compact,
    Comfortable,
}

/// What a person set for the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub(crate) struct Preferences {
    /// Absent: the system's language.
    pub(crate) language: Option<Language>,
    pub(crate) look: Theme,
    pub(crate) density: Density,
    /// How large everything is, in percent; absent: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub(crate) zoom: Option<u16>,
    /// Nobody has used this home yet: the window begins with a welcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub(crate) welcome: Option<bool>,
    /// The practice plant asks for a sign-in in the browser, as a site does.
    #[serde(default, rename = "practiceSignIn", skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub(crate) practice_sign_in: Option<bool>,
}

/// Percent, within which a window can still be used.
const ZOOM: std::ops::RangeInclusive<u16> = 50..=300;

impl Preferences {
    /// As a web view takes it.
    pub(crate) fn zoom_factor(self) -> f64 {
        f64::from(self.zoom.unwrap_or(100).clamp(*ZOOM.start(), *ZOOM.end())) / 100.0
    }
}

/// What was kept, or the defaults where nothing usable was.
pub(crate) fn load<R: Runtime>(app: &AppHandle<R>) -> Preferences {
    with_policy(app, stored(app).unwrap_or_default())
}

/// IT may choose the language of whoever has chosen none.
fn with_policy<R: Runtime>(app: &AppHandle<R>, preferences: Preferences) -> Preferences {
    let of_policy = || app.app_state().engine.maintenance().policy().language().map(Language::of_engine);
    Preferences { language: preferences.language.or_else(of_policy), ..preferences }
}

/// The same for the page, which begins with a welcome where nobody has kept, sent or added anything yet.
pub(crate) fn load_for_page<R: Runtime>(app: &AppHandle<R>) -> Preferences {
    let first = || Preferences { welcome: is_unused(app).then_some(true), ..Preferences::default() };
    with_policy(app, stored(app).unwrap_or_else(first))
}

fn stored<R: Runtime>(app: &AppHandle<R>) -> Option<Preferences> {
    serde_json::from_value(store(app).ok()?.get(PREFERENCES)?).ok()
}

fn is_unused<R: Runtime>(app: &AppHandle<R>) -> bool {
    let engine = &app.app_state().engine;
    let only_practice = engine.sites().list().is_ok_and(|sites| sites.len() <= 1);
    only_practice && engine.submissions().list().is_ok_and(|sent| sent.is_empty())
}

pub(crate) fn save<R: Runtime>(app: &AppHandle<R>, preferences: Preferences) -> Result<(), Problem> {
    let value = serde_json::to_value(preferences).map_err(|error| Problem::new(Code::Bug).details(error))?;
    save_value(app, PREFERENCES, value)
}

/// Stores one value and writes the file.
pub(crate) fn save_value<R: Runtime>(app: &AppHandle<R>, key: &str, value: serde_json::Value) -> Result<(), Problem> {
    let store = store(app)?;
    store.set(key, value);
    store.save().map_err(|error| Problem::new(Code::WriteFailed).parameter("file", "preferences.json").details(error))
}

pub(crate) fn store<R: Runtime>(app: &AppHandle<R>) -> Result<Arc<Store<R>>, Problem> {
    let path = app.app_state().engine.home().preferences();
    // The store would make it open to others.
    let closed = |cause| Problem::new(Code::WriteFailed).parameter("file", "preferences.json").details(cause);
    let is_new = !path.exists();
    let mut file = open_private_file(&path).map_err(closed)?;
    if is_new {
        file.write_all(b"{}").map_err(closed)?;
    }
    app.store(path)
        .map_err(|error| Problem::new(Code::WriteFailed).parameter("file", "preferences.json").details(error))
}
