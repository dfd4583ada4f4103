//! What is opened from outside the window: workbooks that were double-clicked, and links, with this start or a later one.
//!
//! Owns what waits until the page asks for it; the page opens it as if a person had dropped it or gone there.

use parking_lot::Mutex;

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{
    Code, Engine, Home, Problem,
    open_target::OpenTarget,
    running_window::{self, WindowLock},
    submission::SubmissionId,
};
use tauri::{AppHandle, Manager, Runtime};
use tauri_specta::Event;

use crate::{dialogs, events::OpenRequested, state::AppStateAccess, window};

/// A window that ends at this moment may still hold the lock, and answers nobody.
const TRIES: u32 = 3;

/// What waits to be opened, oldest first.
#[derive(Debug, Default)]
pub(crate) struct OpenRequests(Mutex<Vec<OpenRequest>>);

/// What the page is asked to show.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum OpenRequest {
    /// A file that may be opened now.
    Workbook {
        path: String,
    },
    /// An order, at a site that is to be chosen first where it is another one.
    Order {
        code: String,
        site: Option<String>,
    },
    Submission {
        id: SubmissionId,
    },
    /// What can't be shown, and why.
    Refused {
        problem: Problem,
    },
}

/// Which process this is.
#[derive(Debug)]
pub(crate) enum Start {
    /// The window of its home. Without a lock it is a window all the same, which nobody hands anything to.
    Window { lock: Option<WindowLock>, requested: Vec<Result<OpenTarget, Problem>> },
    /// A window runs and has taken what was to be opened.
    HandedOver,
}

/// Finds out whether this process is the window, by its arguments: paths and links.
pub(crate) fn start(home: &Home, arguments: impl Iterator<Item = String>) -> Start {
    let folder = std::env::current_dir().unwrap_or_default();
    // What begins with a dash is for the toolkit.
    let arguments = arguments.filter(|argument| !argument.starts_with('-'));
    let requested: Vec<_> = arguments.map(|argument| OpenTarget::parse(&argument, &folder)).collect();
    for _ in 0..TRIES {
        match WindowLock::acquire(home) {
            Ok(Some(lock)) => return Start::Window { lock: Some(lock), requested },
            Ok(None) => {
                let targets: Vec<_> = requested.iter().filter_map(|target| target.clone().ok()).collect();
                if running_window::hand_over(home, &targets) {
                    requested.iter().filter_map(|target| target.as_ref().err()).for_each(say_refused);
                    return Start::HandedOver;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "whether a window runs can't be found out");
                break;
            }
        }
    }
    Start::Window { lock: None, requested }
}

/// The window that runs gets nothing of it.
fn say_refused(problem: &Problem) {
    dialogs::fatal(&dialogs::in_words(problem));
}

/// Keeps what this start is to open, and takes what later ones hand over.
pub(crate) fn listen<R: Runtime>(
    app: &AppHandle<R>,
    lock: Option<WindowLock>,
    requested: Vec<Result<OpenTarget, Problem>>,
) {
    let waiting = app.state::<OpenRequests>();
    for target in requested {
        waiting.push(target.map_or_else(|problem| OpenRequest::Refused { problem }, |target| grant(app, target)));
    }
    let Some(lock) = lock else { return };
    let handle = app.clone();
    if let Err(error) = lock.listen(move |targets| open(&handle, targets)) {
        tracing::warn!(%error, "nothing can be handed over to this window");
    }
    app.manage(lock);
}

/// Shows the window, and what it is asked to open.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>, targets: Vec<OpenTarget>) {
    let waiting = app.state::<OpenRequests>();
    targets.into_iter().for_each(|target| waiting.push(grant(app, target)));
    if let Some(main) = app.get_webview_window(window::MAIN) {
        window::focus(&main);
    }
    if let Err(error) = OpenRequested.emit(app) {
        tracing::warn!(%error, "the page doesn't hear what is to be opened");
    }
}

/// What the system has this program open.
#[cfg(target_os = "macos")]
pub(crate) fn open_addresses<R: Runtime>(app: &AppHandle<R>, addresses: &[tauri::Url]) {
    let parse = |address: &tauri::Url| OpenTarget::parse(address.as_str(), std::path::Path::new(""));
    open(app, addresses.iter().filter_map(|address| parse(address).ok()).collect());
}

/// Whoever opens a file with Takt has chosen it.
fn grant<R: Runtime>(app: &AppHandle<R>, target: OpenTarget) -> OpenRequest {
    let state = app.app_state();
    let known = match target {
        OpenTarget::Workbook(path) => {
            state.grants.grant(&path);
            return OpenRequest::Workbook { path: path.to_string_lossy().into_owned() };
        }
        OpenTarget::Order { code, site } => {
            known_site(&state.engine, site.as_deref()).map(|()| OpenRequest::Order { code, site })
        }
        OpenTarget::Submission { id, site, begun } => {
            known_submission(&state.engine, id, site.as_deref(), begun).map(|()| OpenRequest::Submission { id })
        }
    };
    known.unwrap_or_else(|problem| OpenRequest::Refused { problem })
}

fn known_site(engine: &Engine, site: Option<&str>) -> Result<(), Problem> {
    let unknown = |name: &str| Problem::new(Code::Unknown).parameter("what", name).parameter("case", "link-site");
    match site {
        Some(name) => engine.sites().find(name).map(drop).map_err(|_| unknown(name)),
        None => Ok(()),
    }
}

/// Another history has another submission of that number.
fn known_submission(
    engine: &Engine,
    id: SubmissionId,
    site: Option<&str>,
    begun: Option<jiff::Timestamp>,
) -> Result<(), Problem> {
    let unknown = Problem::new(Code::Unknown).parameter("what", id.to_string()).parameter("case", "link-submission");
    let Ok(view) = engine.submissions().view(id) else { return Err(unknown) };
    let is_same =
        begun.is_none_or(|begun| view.started.parse().ok() == Some(begun)) && site.is_none_or(|site| view.site == site);
    if is_same { Ok(()) } else { Err(unknown) }
}

impl OpenRequests {
    fn push(&self, request: OpenRequest) {
        self.0.lock().push(request);
    }

    /// What waits, once.
    pub(crate) fn take(&self) -> Vec<OpenRequest> {
        std::mem::take(&mut *self.0.lock())
    }
}
