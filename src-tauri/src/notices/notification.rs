//! One notification on the desktop. Where it can tell that it was clicked, the click opens the event.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use notify_rust::Notification;
use tauri::{AppHandle, Manager, Wry};
use tauri_specta::Event;

use crate::{events::NoticeOpened, tray};

/// Notifications that wait for a click at a time; of more a click does nothing.
const MOST_WAITING: usize = 8;

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
pub(super) fn show(app: &AppHandle<Wry>, shown: NotificationText) {
    let app = app.clone();
    let begun = thread::Builder::new().name("notice".to_owned()).spawn(move || show_now(&app, &shown));
    if let Err(error) = begun {
        tracing::warn!(%error, "a notification couldn't be shown");
    }
}

fn show_now(app: &AppHandle<Wry>, shown: &NotificationText) {
    let mut notification = Notification::new();
    notification.appname("Takt").summary(&shown.title).body(&shown.text);
    #[cfg(all(unix, not(target_os = "macos")))]
    notification.action("default", &shown.open);
    match notification.show() {
        Ok(handle) => follow(app, shown, handle),
        Err(error) => tracing::debug!(%error, "this desktop shows no notifications"),
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
fn follow(app: &AppHandle<Wry>, shown: &NotificationText, handle: notify_rust::NotificationHandle) {
    let waiting = app.state::<WaitingNotifications>();
    let waiting = &waiting.0;
    if waiting.fetch_add(1, Ordering::Relaxed) < MOST_WAITING {
        handle.wait_for_action(|action| {
            if action == "default" {
                opened(app, shown.target);
            }
        });
    }
    waiting.fetch_sub(1, Ordering::Relaxed);
}

/// Elsewhere the system itself brings Takt to the front.
#[cfg(not(all(unix, not(target_os = "macos"))))]
fn follow<T>(_: &AppHandle<Wry>, _: &NotificationText, _: T) {}

fn opened(app: &AppHandle<Wry>, target: NoticeTarget) {
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
