//! Detects whether the desktop has a tray. On some Linux desktops an icon would be invisible and the program couldn't
//! be ended.

use std::panic::{AssertUnwindSafe, catch_unwind};

use takt_engine::{Code, Problem};

/// Returns whether an icon would be visible.
pub(super) fn has_tray() -> bool {
    #[cfg(target_os = "linux")]
    return linux::has_watcher() && linux::has_library();
    #[cfg(not(target_os = "linux"))]
    true
}

/// Converts a panic into a problem, since loading a broken tray library panics on Linux.
pub(super) fn catch_panic<T>(make: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    let result = catch_unwind(AssertUnwindSafe(make));
    result.unwrap_or_else(|_| Err(Problem::new(Code::Bug).details("the tray's library can't be used")))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{env, fs, path::PathBuf, time::Duration};

    use dbus::{Error, blocking::Connection};

    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    const CALL_TIMEOUT: Duration = Duration::from_millis(500);
    const LIBRARIES: [&str; 2] = ["libayatana-appindicator3.so.1", "libappindicator3.so.1"];

    /// Returns whether a program shows tray icons.
    pub(super) fn has_watcher() -> bool {
        let Ok(bus) = Connection::new_session() else { return false };
        let all = bus.with_proxy("org.freedesktop.DBus", "/org/freedesktop/DBus", CALL_TIMEOUT);
        let reply: Result<(bool,), Error> = all.method_call("org.freedesktop.DBus", "NameHasOwner", (WATCHER,));
        reply.is_ok_and(|(has_owner,)| has_owner)
    }

    /// Returns whether the tray library is in one of the usual folders. It is loaded later, when the icon is made.
    pub(super) fn has_library() -> bool {
        folders().iter().any(|folder| LIBRARIES.iter().any(|name| folder.join(name).exists()))
    }

    /// Lists the folders of `LD_LIBRARY_PATH` and of the system, with their subfolders per architecture.
    fn folders() -> Vec<PathBuf> {
        let user_folders = env::var_os("LD_LIBRARY_PATH");
        let user_folders = user_folders.iter().flat_map(env::split_paths);
        let system = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib"].map(PathBuf::from);
        let architecture_folders =
            ["/usr/lib", "/lib"].iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let architecture_folders =
            architecture_folders.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains("-linux-"));
        user_folders.chain(system).chain(architecture_folders).collect()
    }
}
