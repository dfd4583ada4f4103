//! Additional windows, each with one view, the floor or a list. They can be placed on a second screen.
//!
//! Owns which windows are open and their views. They close with the main window, and contain nothing that could be
//! lost.

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

/// The maximum number of additional windows.
const MAX_WINDOWS: u32 = 6;
const LABEL_PREFIX: &str = "view-";
const MIN_SIZE: (f64, f64) = (640.0, 420.0);
const DEFAULT_SIZE: (f64, f64) = (1200.0, 800.0);

/// The view of a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum WindowView {
    /// The state of the floor, or the board of a station.
    Floor { station: Option<String> },
    /// A list of the site.
    List {
        operation: String,
        /// The filters, absent for those of the last reading.
        parameters: Option<BTreeMap<String, String>>,
        /// The search text in the rows, or empty.
        find: String,
    },
}

impl WindowView {
    /// Returns the key under which the window's placement is stored.
    fn placement_key(&self) -> &'static str {
        match self {
            Self::Floor { .. } => "window-floor",
            Self::List { .. } => "window-list",
        }
    }

    /// Returns whether this view satisfies a request for `wanted`.
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

/// The outcome of a request for a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "state", rename_all = "camelCase")]
pub(crate) enum ViewOutcome {
    Opened,
    /// The window that shows the view was focused.
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
    /// Returns the number of the window that shows the view, or reserves a free one.
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

/// Opens a window with this view, or focuses the one that shows it.
///
/// # Errors
/// The system can't create the window.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>, view: &WindowView) -> Result<ViewOutcome, Problem> {
    let windows = app.state::<ViewWindows>();
    match windows.reserve(view) {
        Reservation::Full => Ok(ViewOutcome::Full { most: MAX_WINDOWS }),
        Reservation::Shown(number) => {
            // A window that is still being built is focused when it is ready.
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

/// Returns what the window with this label shows, or `None` for the main window.
pub(crate) fn view_of<R: Runtime>(app: &AppHandle<R>, label: &str) -> Option<NumberedView> {
    let number = parse_label(label)?;
    app.state::<ViewWindows>().get(number).map(|view| NumberedView { number, view })
}

/// Records that the window with this label shows something else.
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

/// Closes all additional windows.
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
