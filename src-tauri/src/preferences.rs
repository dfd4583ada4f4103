//! Preferences and window placements, stored by tauri-plugin-store in one file in Takt's home. It never contains
//! secrets.

use std::{
    fmt::Display,
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use specta::Type;
use takt_engine::{
    Code, Problem,
    system::{open_private_file, write_atomically},
};
use tauri::{AppHandle, Runtime};
use tauri_plugin_store::{Store, StoreExt};

use crate::state::AppStateAccess;

const PREFERENCES_KEY: &str = "preferences";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    En,
    De,
    Es,
    Pt,
}

impl Language {
    fn from_engine(language: takt_engine::Language) -> Self {
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

/// The user's preferences for the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub(crate) struct Preferences {
    /// Absent means the system's language.
    pub(crate) language: Option<Language>,
    pub(crate) look: Theme,
    pub(crate) density: Density,
    /// The zoom in percent. Absent means 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub(crate) zoom: Option<u16>,
    /// True if the home is unused, so that the window starts with a welcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub(crate) welcome: Option<bool>,
    /// True if the practice plant requires a sign-in in the browser, like other sites.
    #[serde(default, rename = "practiceSignIn", skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub(crate) practice_sign_in: Option<bool>,
    /// True if pages show technical details: addresses of the interface, requests, and limits.
    #[serde(default, rename = "technicalDetails", skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub(crate) technical_details: Option<bool>,
}

/// The zoom levels in percent at which the window is usable. Stored values are clamped to this range.
const ZOOM_RANGE: std::ops::RangeInclusive<u16> = 50..=300;

impl Preferences {
    /// Returns the zoom as a factor for the web view.
    pub(crate) fn zoom_factor(self) -> f64 {
        f64::from(self.zoom.unwrap_or(100).clamp(*ZOOM_RANGE.start(), *ZOOM_RANGE.end())) / 100.0
    }
}

/// Loads the preferences, or the defaults if none are stored or readable.
pub(crate) fn load<R: Runtime>(app: &AppHandle<R>) -> Preferences {
    with_policy(app, load_stored(app).unwrap_or_default())
}

/// Adds the language of the policy if the user has chosen none.
fn with_policy<R: Runtime>(app: &AppHandle<R>, preferences: Preferences) -> Preferences {
    let policy_language = || app.app_state().engine.maintenance().policy().language().map(Language::from_engine);
    Preferences { language: preferences.language.or_else(policy_language), ..preferences }
}

/// Loads the preferences for the page, which starts with a welcome if the home is unused.
pub(crate) fn load_for_page<R: Runtime>(app: &AppHandle<R>) -> Preferences {
    let initial = || Preferences { welcome: is_unused(app).then_some(true), ..Preferences::default() };
    with_policy(app, load_stored(app).unwrap_or_else(initial))
}

fn load_stored<R: Runtime>(app: &AppHandle<R>) -> Option<Preferences> {
    serde_json::from_value(open_store(app).ok()?.get(PREFERENCES_KEY)?).ok()
}

fn is_unused<R: Runtime>(app: &AppHandle<R>) -> bool {
    let engine = &app.app_state().engine;
    let only_practice = engine.sites().list().is_ok_and(|sites| sites.len() <= 1);
    only_practice && engine.submissions().list().is_ok_and(|sent| sent.is_empty())
}

pub(crate) fn save<R: Runtime>(app: &AppHandle<R>, preferences: Preferences) -> Result<(), Problem> {
    let value = serde_json::to_value(preferences).map_err(|error| Problem::new(Code::Bug).details(error))?;
    save_value(app, PREFERENCES_KEY, value)
}

/// Stores one value, and atomically writes the file and its backup.
pub(crate) fn save_value<R: Runtime>(app: &AppHandle<R>, key: &str, value: serde_json::Value) -> Result<(), Problem> {
    let store = open_store(app)?;
    store.set(key, value);
    let path = app.app_state().engine.home().preferences();
    let all: Map<String, Value> = store.entries().into_iter().collect();
    let bytes = serde_json::to_vec_pretty(&all).map_err(|error| Problem::new(Code::Bug).details(error))?;
    // The store's own writing isn't atomic, so a power failure would leave a partial file.
    for path in [&path, &backup_path(&path)] {
        open_private_file(path).map_err(write_problem)?;
        write_atomically(path, |out| out.write_all(&bytes)).map_err(write_problem)?;
    }
    Ok(())
}

pub(crate) fn open_store<R: Runtime>(app: &AppHandle<R>) -> Result<Arc<Store<R>>, Problem> {
    let path = app.app_state().engine.home().preferences();
    if let Some(store) = app.get_store(&path) {
        return Ok(store);
    }
    restore_if_damaged(&path, |damaged, backup_at| {
        app.app_state().engine.maintenance().record_lost_preferences(damaged, backup_at)
    })?;
    // The store would create the file with permissions for other users.
    let is_new = !path.exists();
    let mut file = open_private_file(&path).map_err(write_problem)?;
    if is_new {
        file.write_all(b"{}").map_err(write_problem)?;
    }
    app.store_builder(path).disable_auto_save().build().map_err(write_problem)
}

/// Replaces a damaged file with its backup, or removes it if there is no good backup. The damaged file is renamed.
fn restore_if_damaged(
    path: &Path,
    report: impl FnOnce(&Path, Option<Timestamp>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let is_good = |bytes: &[u8]| serde_json::from_slice::<Map<String, Value>>(bytes).is_ok();
    if fs::read(path).map_or(true, |bytes| is_good(&bytes)) {
        return Ok(());
    }
    let damaged = path.with_extension("damaged.json");
    fs::rename(path, &damaged).map_err(write_problem)?;
    let copy = backup_path(path);
    let good = fs::read(&copy).ok().filter(|bytes| is_good(bytes));
    let backup_at = match &good {
        Some(bytes) => {
            open_private_file(path).map_err(write_problem)?;
            write_atomically(path, |out| out.write_all(bytes)).map_err(write_problem)?;
            let modified = fs::metadata(&copy).and_then(|metadata| metadata.modified()).ok();
            Some(modified.and_then(|modified| Timestamp::try_from(modified).ok()).unwrap_or_default())
        }
        None => None,
    };
    report(&damaged, backup_at)
}

fn backup_path(path: &Path) -> PathBuf {
    path.with_extension("backup.json")
}

fn write_problem(cause: impl Display) -> Problem {
    Problem::new(Code::WriteFailed).parameter("file", "preferences.json").details(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the resulting content, and whether the reported damage had a backup.
    fn replaced(folder: &Path, content: Option<&str>, copy: Option<&str>) -> (Option<String>, Option<bool>) {
        let path = folder.join("preferences.json");
        let put = |path: &Path, content: Option<&str>| match content {
            Some(content) => fs::write(path, content).unwrap(),
            None => drop(fs::remove_file(path)),
        };
        put(&path, content);
        put(&backup_path(&path), copy);
        let mut reported = None;
        restore_if_damaged(&path, |damaged, backup_at| {
            assert_eq!(fs::read_to_string(damaged).ok().as_deref(), content, "what was there is kept");
            reported = Some(backup_at.is_some());
            Ok(())
        })
        .unwrap();
        (fs::read_to_string(&path).ok(), reported)
    }

    #[test]
    fn damaged_preferences_give_way_to_the_last_good_copy_and_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let (good, copy) = (r#"{"preferences":{"look":"dark"}}"#, r#"{"receivers":{}}"#);
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(replaced(folder.path(), None, None), (None, None));
        assert_eq!(replaced(folder.path(), Some(good), Some(copy)), (text(good), None));
        for damaged in ["", "{\"preferences\":{\"lo", "[]", "\0\0\0\0"] {
            assert_eq!(replaced(folder.path(), Some(damaged), Some(copy)), (text(copy), Some(true)));
            assert_eq!(replaced(folder.path(), Some(damaged), Some("{")), (None, Some(false)));
            assert_eq!(replaced(folder.path(), Some(damaged), None), (None, Some(false)));
        }
    }
}
