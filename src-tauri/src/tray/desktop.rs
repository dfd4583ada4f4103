//! Whether the desktop has a tray. On Linux some have none, and an icon that nobody sees would leave a program that nobody ends.

use std::panic::{AssertUnwindSafe, catch_unwind};

use takt_engine::{Code, Problem};

/// Whether an icon would be seen.
pub(super) fn has_tray() -> bool {
    #[cfg(target_os = "linux")]
    return linux::watched() && linux::library();
    #[cfg(not(target_os = "linux"))]
    true
}

/// What loads Linux's library for the tray falls over where that is broken: a "no" like any other.
pub(super) fn guarded<T>(make: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    let made = catch_unwind(AssertUnwindSafe(make));
    made.unwrap_or_else(|_| Err(Problem::new(Code::Bug).details("the tray's library can't be used")))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{env, fs, path::PathBuf, time::Duration};

    use dbus::{Error, blocking::Connection};

    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    const CALL_TIMEOUT: Duration = Duration::from_millis(500);
    const LIBRARIES: [&str; 2] = ["libayatana-appindicator3.so.1", "libappindicator3.so.1"];

    /// Whether somebody shows icons.
    pub(super) fn watched() -> bool {
        let Ok(bus) = Connection::new_session() else { return false };
        let all = bus.with_proxy("org.freedesktop.DBus", "/org/freedesktop/DBus", CALL_TIMEOUT);
        let asked: Result<(bool,), Error> = all.method_call("org.freedesktop.DBus", "NameHasOwner", (WATCHER,));
        asked.is_ok_and(|(there,)| there)
    }

    /// Whether the library stands where systems keep theirs. It is loaded only once it is wanted.
    pub(super) fn library() -> bool {
        folders().iter().any(|folder| LIBRARIES.iter().any(|name| folder.join(name).exists()))
    }

    /// Those of the system, with one for each kind of computer, and those of whoever started Takt.
    fn folders() -> Vec<PathBuf> {
        let own = env::var_os("LD_LIBRARY_PATH");
        let own = own.iter().flat_map(env::split_paths);
        let system = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib"].map(PathBuf::from);
        let inner = ["/usr/lib", "/lib"].iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let inner = inner.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains("-linux-"));
        own.chain(system).chain(inner).collect()
    }
}
