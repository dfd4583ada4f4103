//! What the window hears without asking.

use std::collections::BTreeMap;

use crate::{preferences::Preferences, state::RowSetId};
use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{
    Problem,
    browse::{BrowseEnd, BrowseProgress},
    cleanup::TemplatesProgress,
    submission::SubmissionView,
};
use tauri_specta::Event;

/// A submission moved on: a batch was answered, or its state changed.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct SubmissionChanged(pub(crate) SubmissionView);

/// The same of one that another desk of the team sends.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct TeamSubmissionChanged(pub(crate) SubmissionView);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SignInState {
    Waiting,
    Done,
    Failed,
    Cancelled,
}

/// How a sign-in in the browser stands.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct SignInChanged {
    pub(crate) state: SignInState,
    pub(crate) problem: Option<Problem>,
}

/// How far reading all pages has come.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct BrowseProgressed {
    pub(crate) id: RowSetId,
    pub(crate) progress: BrowseProgress,
    pub(crate) problem: Option<Problem>,
    /// How it ended, where nothing went wrong.
    pub(crate) end: Option<BrowseEnd>,
    pub(crate) done: bool,
}

/// How far reading templates has come.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct TemplatesProgressed {
    pub(crate) id: u32,
    pub(crate) progress: TemplatesProgress,
    /// Why it ended early.
    pub(crate) problem: Option<Problem>,
    pub(crate) done: bool,
}

/// Sites, sign-in or rate limit changed: ask for the state again.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct SiteChanged;

/// Events came and were read; the number of the newest. Told a few times a second at most.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, Type, Event)]
pub(crate) struct EventsReceived {
    pub(crate) newest: i32,
}

/// The window is to be closed, and something in it isn't sent: ask, and then close it.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct CloseRequested;

/// A workbook or a link is to be opened: ask for it.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct OpenRequested;

/// A site's receiver began, ended or is wanted otherwise: ask how it stands.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct ReceiverChanged {
    pub(crate) site: String,
}

/// The daily check for updates has asked the channel: ask what it said.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct UpdateChecked;

/// A notification on the desktop was clicked: show its event, or the list where it stood for several.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, Type, Event)]
pub(crate) struct NoticeOpened {
    pub(crate) event: Option<i32>,
}

/// What a person set was changed in that window: the others follow.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct PreferencesChanged {
    /// The window's label.
    pub(crate) window: String,
    pub(crate) preferences: Preferences,
}

/// Where a link of another window leads in the main window.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(tag = "page", rename_all = "camelCase")]
pub(crate) enum MainPlace {
    /// The main window as it is.
    Any,
    Order {
        code: String,
    },
    Events {
        event: Option<i32>,
    },
    List {
        operation: String,
        parameters: Option<BTreeMap<String, String>>,
        find: Option<String>,
    },
}

/// A link in another window leads to a page of the main window: show it there.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct MainPlaceOpened(pub(crate) MainPlace);
