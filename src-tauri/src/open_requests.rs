//! Requests from outside the window to open workbooks and links. They come from this process's arguments or later
//! processes.
//!
//! Stores requests until the page takes them. The page opens them like dropped files or followed links.

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

/// The maximum number of attempts to acquire the lock or to hand over requests. A window that is ending may hold the
/// lock without accepting requests.
const MAX_ATTEMPTS: u32 = 3;

/// The requests that wait for the page, oldest first.
#[derive(Debug, Default)]
pub(crate) struct OpenRequests(Mutex<Vec<OpenRequest>>);

/// A request to the page, or the reason why it was refused.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum OpenRequest {
    /// A file that the user chose to open. The window may read it.
    Workbook {
        path: String,
    },
    /// An order. If it is at another site, that site is chosen first.
    Order {
        code: String,
        site: Option<String>,
    },
    Submission {
        id: SubmissionId,
    },
    /// A request that was refused, such as a link to an unknown submission.
    Refused {
        problem: Problem,
    },
}

/// The role of this process.
#[derive(Debug)]
pub(crate) enum StartRole {
    /// The process is the window of its home. Without a lock, other processes can't hand over requests to it.
    Window { lock: Option<WindowLock>, requested: Vec<Result<OpenTarget, Problem>> },
    /// A running window has accepted the open requests.
    HandedOver,
}

/// Determines whether this process becomes the window. Arguments are paths and links, which a running window accepts.
pub(crate) fn start(home: &Home, arguments: impl Iterator<Item = String>) -> StartRole {
    let folder = std::env::current_dir().unwrap_or_default();
    // Arguments with a dash are options for the toolkit.
    let arguments = arguments.filter(|argument| !argument.starts_with('-'));
    let requested: Vec<_> = arguments.map(|argument| OpenTarget::parse(&argument, &folder)).collect();
    for _ in 0..MAX_ATTEMPTS {
        match WindowLock::acquire(home) {
            Ok(Some(lock)) => return StartRole::Window { lock: Some(lock), requested },
            Ok(None) => {
                let targets: Vec<_> = requested.iter().filter_map(|target| target.clone().ok()).collect();
                if running_window::open_in_running_window(home, &targets) {
                    requested.iter().filter_map(|target| target.as_ref().err()).for_each(report_refusal);
                    return StartRole::HandedOver;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "whether a window runs can't be found out");
                break;
            }
        }
    }
    StartRole::Window { lock: None, requested }
}

/// Reports a refused argument, since the running window doesn't receive it.
fn report_refusal(problem: &Problem) {
    dialogs::show_fatal_error(&dialogs::localized_text(problem));
}

/// Stores this start's requests, and accepts requests of later starts.
pub(crate) fn listen<R: Runtime>(
    app: &AppHandle<R>,
    lock: Option<WindowLock>,
    requested: Vec<Result<OpenTarget, Problem>>,
) {
    let waiting = app.state::<OpenRequests>();
    for target in requested {
        waiting
            .push(target.map_or_else(|problem| OpenRequest::Refused { problem }, |target| accept_target(app, target)));
    }
    let Some(lock) = lock else { return };
    let handle = app.clone();
    if let Err(error) = lock.listen(move |targets| open(&handle, targets)) {
        tracing::warn!(%error, "nothing can be handed over to this window");
    }
    app.manage(lock);
}

/// Focuses the window, and adds requests for the page.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>, targets: Vec<OpenTarget>) {
    let waiting = app.state::<OpenRequests>();
    targets.into_iter().for_each(|target| waiting.push(accept_target(app, target)));
    if let Some(main) = app.get_webview_window(window::MAIN) {
        window::focus(&main);
    }
    if let Err(error) = OpenRequested.emit(app) {
        tracing::warn!(%error, "the page doesn't hear what is to be opened");
    }
}

/// Opens the addresses that the system passes to this program.
#[cfg(target_os = "macos")]
pub(crate) fn open_addresses<R: Runtime>(app: &AppHandle<R>, addresses: &[tauri::Url]) {
    let parse = |address: &tauri::Url| OpenTarget::parse(address.as_str(), std::path::Path::new(""));
    open(app, addresses.iter().filter_map(|address| parse(address).ok()).collect());
}

/// Grants access to the file, since the user chose to open it with Takt.
fn accept_target<R: Runtime>(app: &AppHandle<R>, target: OpenTarget) -> OpenRequest {
    let state = app.app_state();
    let checked = match target {
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
    checked.unwrap_or_else(|problem| OpenRequest::Refused { problem })
}

fn known_site(engine: &Engine, site: Option<&str>) -> Result<(), Problem> {
    let unknown = |name: &str| Problem::new(Code::Unknown).parameter("what", name).parameter("case", "link-site");
    match site {
        Some(name) => engine.sites().find(name).map(drop).map_err(|_| unknown(name)),
        None => Ok(()),
    }
}

/// Checks that a link's submission exists in this history.
///
/// Site and start time are checked, too, since another history may have a submission with the same number.
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

    /// Returns and removes the waiting requests.
    pub(crate) fn take_all(&self) -> Vec<OpenRequest> {
        std::mem::take(&mut *self.0.lock())
    }
}
