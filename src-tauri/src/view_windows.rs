//! Windows beside the main one, each of which shows the floor or a list alone, say on a second screen.
//!
//! Owns which of them are open and what each shows. They close with the main window, ask nothing, and hold nothing that could be lost.

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

/// More than this nobody looks at.
const MAX_WINDOWS: u32 = 6;
const PREFIX: &str = "view-";
const MIN_SIZE: (f64, f64) = (640.0, 420.0);
const FIRST: (f64, f64) = (1200.0, 800.0);

/// What a window shows alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum WindowView {
    /// What runs on the floor now; with a station its board.
    Floor { station: Option<String> },
    /// A list of the site.
    List {
        operation: String,
        /// Its filters; absent: those of the last time.
        parameters: Option<BTreeMap<String, String>>,
        /// What is looked for in its rows; empty: nothing.
        find: String,
    },
}

impl WindowView {
    /// Under which name the place of a window that shows this is kept.
    fn place(&self) -> &'static str {
        match self {
            Self::Floor { .. } => "window-floor",
            Self::List { .. } => "window-list",
        }
    }

    /// Whether who asks for `wanted` finds it here.
    fn shows(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (Self::List { operation, .. }, Self::List { operation: other, parameters: None, .. }) => operation == other,
            _ => self == wanted,
        }
    }
}

/// What a window shows, and its number, from 1 on.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct NumberedView {
    number: u32,
    view: WindowView,
}

/// What became of the wish for a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "state", rename_all = "camelCase")]
pub(crate) enum ViewOutcome {
    Opened,
    /// The window that shows it was brought to the front.
    Focused,
    /// As many are open as there may be.
    Full {
        most: u32,
    },
}

/// The windows that are open, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct ViewWindows(Mutex<BTreeMap<u32, WindowView>>);

impl ViewWindows {
    /// The number of the window that shows this, or else a free one that from now on does.
    fn reserve(&self, view: &WindowView) -> Reserved {
        let mut open = self.0.lock();
        if let Some((number, _)) = open.iter().find(|(_, shown)| shown.shows(view)) {
            return Reserved::Shown(*number);
        }
        let Some(number) = (1..=MAX_WINDOWS).find(|number| !open.contains_key(number)) else { return Reserved::Full };
        open.insert(number, view.clone());
        Reserved::Free(number)
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
enum Reserved {
    Shown(u32),
    Free(u32),
    Full,
}

/// Opens a window that shows this, or brings the one to the front that does.
///
/// # Errors
/// The system makes no window.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>, view: &WindowView) -> Result<ViewOutcome, Problem> {
    let windows = app.state::<ViewWindows>();
    match windows.reserve(view) {
        Reserved::Full => Ok(ViewOutcome::Full { most: MAX_WINDOWS }),
        Reserved::Shown(number) => {
            // One that is still being made comes to the front by itself.
            if let Some(window) = app.get_webview_window(&label(number)) {
                window::focus(&window);
            }
            Ok(ViewOutcome::Focused)
        }
        Reserved::Free(number) => {
            build(app, number, view.place())
                .inspect_err(|_| windows.remove(number))
                .map_err(|error| Problem::new(Code::Bug).details(error))?;
            Ok(ViewOutcome::Opened)
        }
    }
}

fn build<R: Runtime>(app: &AppHandle<R>, number: u32, place: &'static str) -> tauri::Result<()> {
    let window = window::builder(app, &label(number))
        .inner_size(FIRST.0, FIRST.1)
        .min_inner_size(MIN_SIZE.0, MIN_SIZE.1)
        .on_document_title_changed(|window, title| {
            if let Err(error) = window.set_title(&title) {
                tracing::debug!(%error, "a window keeps its title");
            }
        })
        .build()?;
    let (handle, watched) = (app.clone(), window.clone());
    window.on_window_event(move |event| match event {
        WindowEvent::CloseRequested { .. } => window::store_place(&handle, &watched, place),
        WindowEvent::Destroyed => {
            handle.state::<ViewWindows>().remove(number);
            handle.app_state().remove_sets(&label(number));
        }
        _ => {}
    });
    window::restore(app, &window, place)?;
    window.show()
}

/// What the window of that label shows; nothing for the main window.
pub(crate) fn view_of<R: Runtime>(app: &AppHandle<R>, label: &str) -> Option<NumberedView> {
    let number = number(label)?;
    app.state::<ViewWindows>().get(number).map(|view| NumberedView { number, view })
}

/// The window of that label shows something else now.
pub(crate) fn set_view<R: Runtime>(app: &AppHandle<R>, label: &str, view: WindowView) {
    if let Some(number) = number(label) {
        app.state::<ViewWindows>().set(number, view);
    }
}

/// Shows a place in the main window, and that window in front.
///
/// # Errors
/// The page can't be told.
pub(crate) fn show_in_main<R: Runtime>(app: &AppHandle<R>, place: MainPlace) -> Result<(), Problem> {
    MainPlaceOpened(place).emit(app).map_err(|error| Problem::new(Code::Bug).details(error))?;
    if let Some(window) = app.get_webview_window(window::MAIN) {
        window::focus(&window);
    }
    Ok(())
}

/// Closes one of them; the main window stays.
///
/// # Errors
/// The system keeps it open.
pub(crate) fn close<R: Runtime>(window: &WebviewWindow<R>) -> Result<(), Problem> {
    if number(window.label()).is_none() {
        return Ok(());
    }
    window.close().map_err(|error| Problem::new(Code::Bug).details(error))
}

/// Closes all of them, as the main window closes.
pub(crate) fn close_all<R: Runtime>(app: &AppHandle<R>) {
    for (label, window) in app.webview_windows() {
        if let Err(problem) = close(&window) {
            tracing::warn!(?problem, label, "a window couldn't be closed");
        }
    }
}

fn label(number: u32) -> String {
    format!("{PREFIX}{number}")
}

fn number(label: &str) -> Option<u32> {
    label.strip_prefix(PREFIX)?.parse().ok()
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
        assert_eq!(windows.reserve(&floor(None)), Reserved::Free(1));
        assert_eq!(windows.reserve(&floor(None)), Reserved::Shown(1));
        assert_eq!(windows.reserve(&list("orders", Some("A"))), Reserved::Free(2));
        assert_eq!(windows.reserve(&list("orders", Some("B"))), Reserved::Free(3), "with other filters");
        assert_eq!(windows.reserve(&list("orders", None)), Reserved::Shown(2), "whatever its filters");
        assert_eq!(windows.reserve(&list("materials", None)), Reserved::Free(4));
        windows.set(2, list("orders", Some("C")));
        assert_eq!(
            windows.reserve(&list("orders", Some("A"))),
            Reserved::Free(5),
            "the other shows something else now"
        );
    }

    #[test]
    fn there_are_only_so_many_and_a_closed_one_makes_room() {
        let windows = ViewWindows::default();
        for number in 1..=MAX_WINDOWS {
            assert_eq!(windows.reserve(&list(&format!("list-{number}"), None)), Reserved::Free(number));
        }
        assert_eq!(windows.reserve(&floor(None)), Reserved::Full);
        windows.remove(2);
        assert_eq!(windows.reserve(&floor(None)), Reserved::Free(2));
        assert_eq!(windows.get(2), Some(floor(None)));
    }

    #[test]
    fn only_its_own_labels_are_numbers() {
        assert_eq!(number(&label(3)), Some(3));
        assert_eq!((number(window::MAIN), number("view-"), number("view-x")), (None, None, None));
    }
}
