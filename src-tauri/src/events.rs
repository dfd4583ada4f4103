//! The events that the page receives.

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

/// Reports a submission's new state, or the results of another batch.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct SubmissionChanged(pub(crate) SubmissionView);

/// Like [`SubmissionChanged`], but for a submission of another desk of the team.
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

/// Reports the state of a sign-in in the browser.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct SignInChanged {
    pub(crate) state: SignInState,
    pub(crate) problem: Option<Problem>,
}

/// Reports the progress of reading all pages.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct BrowseProgressed {
    pub(crate) id: RowSetId,
    pub(crate) progress: BrowseProgress,
    pub(crate) problem: Option<Problem>,
    /// Absent while reading continues and on failure.
    pub(crate) end: Option<BrowseEnd>,
    pub(crate) done: bool,
}

/// Reports the progress of reading templates.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct TemplatesProgressed {
    pub(crate) id: u32,
    pub(crate) progress: TemplatesProgress,
    /// The reason why reading ended early.
    pub(crate) problem: Option<Problem>,
    pub(crate) done: bool,
}

/// Reports that sites, sign-in or rate limit changed. The page requests the state again.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct SiteChanged;

/// Reports the number of the newest event, at most a few times per second.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, Type, Event)]
pub(crate) struct EventsReceived {
    pub(crate) newest: i32,
}

/// Asks the page to prompt about unsent data. The page closes the window if the user agrees.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct CloseRequested;

/// Reports that a workbook or link is waiting to be opened. The page fetches it.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct OpenRequested;

/// Reports that a site's receiver or its settings changed. The page fetches its state.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct ReceiverChanged {
    pub(crate) site: String,
}

/// Reports that the daily check for updates has run. The page fetches the result.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct UpdateChecked;

/// Reports a click on a notification. The page shows the event, or the list if the notification was about several
/// events.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, Type, Event)]
pub(crate) struct NoticeOpened {
    pub(crate) event: Option<i32>,
}

/// Reports that preferences changed in a window, so that other windows adopt them.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct PreferencesChanged {
    /// The label of the window in which the user changed them.
    pub(crate) window: String,
    pub(crate) preferences: Preferences,
}

/// A page of the main window, as the target of a link in another window.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(tag = "page", rename_all = "camelCase")]
pub(crate) enum MainPlace {
    /// The page that the main window shows.
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

/// Reports a click in another window on a link to the main window, which then shows the target.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
pub(crate) struct MainPlaceOpened(pub(crate) MainPlace);
