//! One notification on the desktop. Where it can tell that it was clicked, the click opens the event.

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

/// Notifications that wait for a click at a time; of more a click does nothing.
const MAX_WAITING: usize = 8;

/// What desktops call a click on the notification itself.
const DEFAULT: &str = "default";

#[derive(Debug)]
pub(super) struct NotificationText {
    pub(super) title: String,
    pub(super) text: String,
    /// What a click does.
    pub(super) open: String,
    pub(super) target: NoticeTarget,
}

/// What a click shows.
#[derive(Debug, Clone, Copy)]
pub(super) enum NoticeTarget {
    Event(i32),
    /// The list of them.
    Events,
    /// The window as it is.
    Window,
}

/// How many notifications wait for a click now.
#[derive(Debug, Default)]
pub(crate) struct WaitingNotifications(AtomicUsize);

/// The desktop may take its time, or have no notifications at all: none of it holds anything up.
pub(super) fn show<R: Runtime>(app: &AppHandle<R>, shown: NotificationText) {
    let app = app.clone();
    let begun = thread::Builder::new().name("notice".to_owned()).spawn(move || show_now(&app, &shown));
    if let Err(error) = begun {
        tracing::warn!(%error, "a notification couldn't be shown");
    }
}

fn show_now<R: Runtime>(app: &AppHandle<R>, shown: &NotificationText) {
    match display(app, shown) {
        Ok(handle) => follow(app, shown.target, handle),
        Err(error) => tracing::debug!(%error, "this desktop shows no notifications"),
    }
}

#[cfg(not(windows))]
fn display<R: Runtime>(_: &AppHandle<R>, shown: &NotificationText) -> notify_rust::error::Result<NotificationHandle> {
    let mut notification = Notification::new();
    notification.appname("Takt").summary(&shown.title).body(&shown.text);
    #[cfg(all(unix, not(target_os = "macos")))]
    notification.action(DEFAULT, &shown.open);
    notification.show()
}

/// Windows shows notifications of programs that it knows, which Takt's installer sees to. Of one that it doesn't know it shows them
/// under the name of a part of itself.
#[cfg(windows)]
fn display<R: Runtime>(app: &AppHandle<R>, shown: &NotificationText) -> notify_rust::error::Result<NotificationHandle> {
    let mut notification = Notification::new();
    notification.summary(&shown.title).body(&shown.text).action(DEFAULT, &shown.open);
    let unnamed = notification.clone();
    notification.app_id(&app.config().identifier).show().or_else(|_| unnamed.show())
}

/// A click is waited for, as long as few are.
#[cfg(not(target_os = "macos"))]
fn follow<R: Runtime>(app: &AppHandle<R>, target: NoticeTarget, handle: NotificationHandle) {
    let waiting = app.state::<WaitingNotifications>();
    let waiting = &waiting.0;
    if waiting.fetch_add(1, Ordering::Relaxed) < MAX_WAITING && is_clicked(handle) {
        opened(app, target);
    }
    waiting.fetch_sub(1, Ordering::Relaxed);
}

#[cfg(all(unix, not(target_os = "macos")))]
fn is_clicked(handle: NotificationHandle) -> bool {
    let mut clicked = false;
    handle.wait_for_action(|action| clicked = action == DEFAULT);
    clicked
}

/// Windows tells it as long as the notification is on the screen: of itself, and of its button.
#[cfg(windows)]
fn is_clicked(handle: NotificationHandle) -> bool {
    let mut clicked = false;
    let answered = handle.wait_for_response(|response: &NotificationResponse| {
        clicked = match response {
            NotificationResponse::Default => true,
            NotificationResponse::Action(action) => action == DEFAULT,
            NotificationResponse::Reply(_) | NotificationResponse::Closed(_) => false,
        };
    });
    if let Err(error) = answered {
        tracing::debug!(%error, "whether a notification was clicked isn't known");
    }
    clicked
}

/// There the system itself brings Takt to the front.
#[cfg(target_os = "macos")]
fn follow<R: Runtime>(_: &AppHandle<R>, _: NoticeTarget, _: NotificationHandle) {}

#[cfg_attr(target_os = "macos", expect(dead_code, reason = "there a click isn't told"))]
fn opened<R: Runtime>(app: &AppHandle<R>, target: NoticeTarget) {
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
