//! A desktop notification. A click opens the event, if the desktop reports clicks.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

#[cfg(windows)]
use notify_rust::NotificationResponse;
use notify_rust::{Notification, NotificationHandle};
use tauri::{AppHandle, Manager, Runtime};
use tauri_specta::Event;

use crate::{events::NoticeOpened, tray};

/// The maximum number of notifications that wait for a click. Clicks on further ones have no effect.
const MAX_WAITING: usize = 8;

/// The name that desktops define for the action of a click on the notification.
const DEFAULT_ACTION: &str = "default";

#[derive(Debug)]
pub(super) struct NotificationText {
    pub(super) title: String,
    pub(super) text: String,
    /// The label of the button that opens the target.
    pub(super) open: String,
    pub(super) target: NoticeTarget,
}

/// The page that a click opens.
#[derive(Debug, Clone, Copy)]
pub(super) enum NoticeTarget {
    Event(i32),
    /// The list of events.
    Events,
    /// The window, with the page that it shows.
    Window,
}

/// The number of notifications that are waiting for a click.
#[derive(Debug, Default)]
pub(crate) struct WaitingNotifications(AtomicUsize);

/// Shows a notification in a new thread, since some desktops are slow or provide no notifications.
pub(super) fn show<R: Runtime>(app: &AppHandle<R>, shown: NotificationText) {
    let app = app.clone();
    let started = thread::Builder::new().name("notice".to_owned()).spawn(move || show_now(&app, &shown));
    if let Err(error) = started {
        tracing::warn!(%error, "a notification couldn't be shown");
    }
}

fn show_now<R: Runtime>(app: &AppHandle<R>, shown: &NotificationText) {
    match display(app, shown) {
        Ok(handle) => await_click(app, shown.target, handle),
        Err(error) => tracing::debug!(%error, "this desktop shows no notifications"),
    }
}

#[cfg(not(windows))]
fn display<R: Runtime>(_: &AppHandle<R>, shown: &NotificationText) -> notify_rust::error::Result<NotificationHandle> {
    let mut notification = Notification::new();
    notification.appname("Takt").summary(&shown.title).body(&shown.text);
    #[cfg(all(unix, not(target_os = "macos")))]
    notification.action(DEFAULT_ACTION, &shown.open);
    notification.show()
}

/// Shows the notification under Takt's name, which the installer registers. If that fails, Windows shows it under the
/// name of one of its components.
#[cfg(windows)]
fn display<R: Runtime>(app: &AppHandle<R>, shown: &NotificationText) -> notify_rust::error::Result<NotificationHandle> {
    let mut notification = Notification::new();
    notification.summary(&shown.title).body(&shown.text).action(DEFAULT_ACTION, &shown.open);
    let unnamed = notification.clone();
    notification.app_id(&app.config().identifier).show().or_else(|_| unnamed.show())
}

/// Waits for a click, unless too many notifications are waiting.
#[cfg(not(target_os = "macos"))]
fn await_click<R: Runtime>(app: &AppHandle<R>, target: NoticeTarget, handle: NotificationHandle) {
    let waiting = app.state::<WaitingNotifications>();
    let waiting = &waiting.0;
    if waiting.fetch_add(1, Ordering::Relaxed) < MAX_WAITING && is_clicked(handle) {
        open_target(app, target);
    }
    waiting.fetch_sub(1, Ordering::Relaxed);
}

#[cfg(all(unix, not(target_os = "macos")))]
fn is_clicked(handle: NotificationHandle) -> bool {
    let mut clicked = false;
    handle.wait_for_action(|action| clicked = action == DEFAULT_ACTION);
    clicked
}

/// Windows reports clicks on the notification and its button while it is on the screen.
#[cfg(windows)]
fn is_clicked(handle: NotificationHandle) -> bool {
    let mut clicked = false;
    let answered = handle.wait_for_response(|response: &NotificationResponse| {
        clicked = match response {
            NotificationResponse::Default => true,
            NotificationResponse::Action(action) => action == DEFAULT_ACTION,
            NotificationResponse::Reply(_) | NotificationResponse::Closed(_) => false,
        };
    });
    if let Err(error) = answered {
        tracing::debug!(%error, "whether a notification was clicked isn't known");
    }
    clicked
}

/// Does nothing, since macOS focuses Takt on a click.
#[cfg(target_os = "macos")]
fn await_click<R: Runtime>(_: &AppHandle<R>, _: NoticeTarget, _: NotificationHandle) {}

#[cfg_attr(target_os = "macos", expect(dead_code, reason = "there a click isn't told"))]
fn open_target<R: Runtime>(app: &AppHandle<R>, target: NoticeTarget) {
    tray::open_window(app);
    let event = match target {
        NoticeTarget::Event(event) => Some(event),
        NoticeTarget::Events => None,
        NoticeTarget::Window => return,
    };
    if let Err(error) = (NoticeOpened { event }).emit(app) {
        tracing::debug!(%error, "nobody hears that a notification was clicked");
    }
}
