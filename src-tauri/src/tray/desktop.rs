//! Whether the desktop has a tray. On Linux some have none, and an icon that nobody sees would leave a program that nobody ends.

use std::panic::{AssertUnwindSafe, catch_unwind};

use takt_engine::{Code, Problem};

#[cfg(target_os = "linux")]
pub(super) fn has_tray() -> bool {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    const PATIENCE: std::time::Duration = std::time::Duration::from_millis(500);
    let Ok(bus) = dbus::blocking::Connection::new_session() else { return false };
    let all = bus.with_proxy("org.freedesktop.DBus", "/org/freedesktop/DBus", PATIENCE);
    let asked: Result<(bool,), dbus::Error> = all.method_call("org.freedesktop.DBus", "NameHasOwner", (WATCHER,));
    asked.is_ok_and(|(there,)| there)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn has_tray() -> bool {
    true
}

/// Linux's tray is a library of the system's, and what loads it falls over where it isn't installed: that is a "no" like any other.
pub(super) fn guarded<T>(make: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    let made = catch_unwind(AssertUnwindSafe(make));
    made.unwrap_or_else(|_| Err(Problem::new(Code::Bug).details("the tray's library isn't installed")))
}
