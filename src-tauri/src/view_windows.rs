//! Additional windows for a second screen. Each has one view, which is the floor or a list.
//!
//! Owns the open windows and their views. The windows close with the main window, and never contain unsent data.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem};
use tauri::{AppHandle, Manager, Runtime, WebviewWindow, WindowEvent};
use tauri_specta::Event;

use crate::{
    events::{MainPlace, MainPlaceOpened},
    state::AppStateAccess,
    window,
};

/// The maximum number of additional windows. Further requests return [`ViewOutcome::Full`].
const MAX_WINDOWS: u32 = 6;
const LABEL_PREFIX: &str = "view-";
const MIN_SIZE: (f64, f64) = (640.0, 420.0);
const DEFAULT_SIZE: (f64, f64) = (1200.0, 800.0);

/// The content that an additional window shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum WindowView {
    /// The state of the floor, or the board of a station.
    Floor { station: Option<String> },
    /// A list of the chosen site.
    List {
        operation: String,
        /// The filters. If absent, the filters of the list's last reading are used.
        parameters: Option<BTreeMap<String, String>>,
        /// The text to search for in the rows. Empty without a search.
        find: String,
    },
}

impl WindowView {
    /// Returns the key of the window's placement in the preferences file.
    fn placement_key(&self) -> &'static str {
        match self {
            Self::Floor { .. } => "window-floor",
            Self::List { .. } => "window-list",
        }
    }

    /// Returns whether a window with this view can be focused instead of opening `wanted`. A list without filters
    /// matches any window of that list.
    fn satisfies(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (Self::List { operation, .. }, Self::List { operation: other, parameters: None, .. }) => operation == other,
            _ => self == wanted,
        }
    }
}

/// A window's view and its number, 1-based.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct NumberedView {
    number: u32,
    view: WindowView,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "state", rename_all = "camelCase")]
pub(crate) enum ViewOutcome {
    Opened,
    /// A window with the view existed and was focused.
    Focused,
    /// The maximum number of windows is open.
    Full {
        most: u32,
    },
}

/// The open windows by number.
#[derive(Debug, Default)]
pub(crate) struct ViewWindows(Mutex<BTreeMap<u32, WindowView>>);

impl ViewWindows {
    /// Returns the number of the window that shows the view. Otherwise reserves a free number.
    fn reserve(&self, view: &WindowView) -> Reservation {
        let mut open = self.0.lock();
        if let Some((number, _)) = open.iter().find(|(_, shown)| shown.satisfies(view)) {
            return Reservation::Shown(*number);
        }
        let Some(number) = (1..=MAX_WINDOWS).find(|number| !open.contains_key(number)) else {
            return Reservation::Full;
        };
        open.insert(number, view.clone());
        Reservation::Free(number)
    }

    fn set(&self, number: u32, view: WindowView) {
        if let Some(shown) = self.0.lock().get_mut(&number) {
            *shown = view;
        }
    }

    fn get(&self, number: u32) -> Option<WindowView> {
        self.0.lock().get(&number).cloned()
    }

    fn remove(&self, number: u32) {
        self.0.lock().remove(&number);
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Reservation {
    Shown(u32),
    Free(u32),
    Full,
}

/// Opens a window with this view, or focuses the window that already shows it.
///
/// # Errors
/// The system can't create the window.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>, view: &WindowView) -> Result<ViewOutcome, Problem> {
    let windows = app.state::<ViewWindows>();
    match windows.reserve(view) {
        Reservation::Full => Ok(ViewOutcome::Full { most: MAX_WINDOWS }),
        Reservation::Shown(number) => {
            // A window that is still being built has no handle. It gets the focus when it is ready.
            if let Some(window) = app.get_webview_window(&label(number)) {
                window::focus(&window);
            }
            Ok(ViewOutcome::Focused)
        }
        Reservation::Free(number) => {
            build(app, number, view.placement_key())
                .inspect_err(|_| windows.remove(number))
                .map_err(|error| Problem::new(Code::Bug).details(error))?;
            Ok(ViewOutcome::Opened)
        }
    }
}

fn build<R: Runtime>(app: &AppHandle<R>, number: u32, placement_key: &'static str) -> tauri::Result<()> {
    let window = window::builder(app, &label(number))
        .inner_size(DEFAULT_SIZE.0, DEFAULT_SIZE.1)
        .min_inner_size(MIN_SIZE.0, MIN_SIZE.1)
        .on_document_title_changed(|window, title| {
            if let Err(error) = window.set_title(&title) {
                tracing::debug!(%error, "a window keeps its title");
            }
        })
        .build()?;
    let (handle, closing_window) = (app.clone(), window.clone());
    window.on_window_event(move |event| match event {
        WindowEvent::CloseRequested { .. } => window::store_placement(&handle, &closing_window, placement_key),
        WindowEvent::Destroyed => {
            handle.state::<ViewWindows>().remove(number);
            handle.app_state().remove_sets(&label(number));
        }
        _ => {}
    });
    window::restore(app, &window, placement_key)?;
    window.show()
}

/// Returns the view of the window with this label, or `None` for the main window.
pub(crate) fn view_of<R: Runtime>(app: &AppHandle<R>, label: &str) -> Option<NumberedView> {
    let number = parse_label(label)?;
    app.state::<ViewWindows>().get(number).map(|view| NumberedView { number, view })
}

/// Records the new view of the window with this label.
pub(crate) fn set_view<R: Runtime>(app: &AppHandle<R>, label: &str, view: WindowView) {
    if let Some(number) = parse_label(label) {
        app.state::<ViewWindows>().set(number, view);
    }
}

/// Shows a page in the main window, and focuses that window.
///
/// # Errors
/// The page can't be notified.
pub(crate) fn show_in_main<R: Runtime>(app: &AppHandle<R>, place: MainPlace) -> Result<(), Problem> {
    MainPlaceOpened(place).emit(app).map_err(|error| Problem::new(Code::Bug).details(error))?;
    if let Some(window) = app.get_webview_window(window::MAIN) {
        window::focus(&window);
    }
    Ok(())
}

/// Closes an additional window. The main window isn't affected.
///
/// # Errors
/// The system refuses to close it.
pub(crate) fn close<R: Runtime>(window: &WebviewWindow<R>) -> Result<(), Problem> {
    if parse_label(window.label()).is_none() {
        return Ok(());
    }
    window.close().map_err(|error| Problem::new(Code::Bug).details(error))
}

/// Closes all additional windows. Failures are logged.
pub(crate) fn close_all<R: Runtime>(app: &AppHandle<R>) {
    for (label, window) in app.webview_windows() {
        if let Err(problem) = close(&window) {
            tracing::warn!(?problem, label, "a window couldn't be closed");
        }
    }
}

fn label(number: u32) -> String {
    format!("{LABEL_PREFIX}{number}")
}

fn parse_label(label: &str) -> Option<u32> {
    label.strip_prefix(LABEL_PREFIX)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(operation: &str, parameters: Option<&str>) -> WindowView {
        let parameters = parameters.map(|code| BTreeMap::from([("code".to_owned(), code.to_owned())]));
        WindowView::List { operation: operation.to_owned(), parameters, find: String::new() }
    }

    fn floor(station: Option<&str>) -> WindowView {
        WindowView::Floor { station: station.map(str::to_owned) }
    }

    #[test]
    fn what_is_shown_already_gets_no_window_of_its_own() {
        let windows = ViewWindows::default();
        assert_eq!(windows.reserve(&floor(None)), Reservation::Free(1));
        assert_eq!(windows.reserve(&floor(None)), Reservation::Shown(1));
        assert_eq!(windows.reserve(&list("orders", Some("A"))), Reservation::Free(2));
        assert_eq!(windows.reserve(&list("orders", Some("B"))), Reservation::Free(3), "with other filters");
        assert_eq!(windows.reserve(&list("orders", None)), Reservation::Shown(2), "whatever its filters");
        assert_eq!(windows.reserve(&list("materials", None)), Reservation::Free(4));
        windows.set(2, list("orders", Some("C")));
        assert_eq!(
            windows.reserve(&list("orders", Some("A"))),
            Reservation::Free(5),
            "the other shows something else now"
        );
    }

    #[test]
    fn there_are_only_so_many_and_a_closed_one_makes_room() {
        let windows = ViewWindows::default();
        for number in 1..=MAX_WINDOWS {
            assert_eq!(windows.reserve(&list(&format!("list-{number}"), None)), Reservation::Free(number));
        }
        assert_eq!(windows.reserve(&floor(None)), Reservation::Full);
        windows.remove(2);
        assert_eq!(windows.reserve(&floor(None)), Reservation::Free(2));
        assert_eq!(windows.get(2), Some(floor(None)));
    }

    #[test]
    fn only_its_own_labels_are_numbers() {
        assert_eq!(parse_label(&label(3)), Some(3));
        assert_eq!((parse_label(window::MAIN), parse_label("view-"), parse_label("view-x")), (None, None, None));
    }
}
