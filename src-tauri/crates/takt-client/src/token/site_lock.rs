//! Coordinates the processes that use one site's tokens, with files in the home folder.
//!
//! The refresh lock is held while the provider responds. The change lock is held only while the vault is compared
//! and written. Each change writes a new mark, so that other processes detect that their cached tokens are outdated.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use tokio::time;

const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The maximum wait for another process's change. A keychain may take several seconds.
const MAX_CHANGE_WAIT: Duration = Duration::from_secs(30);

/// The lock files of one site. Clones use the same files.
#[derive(Debug, Clone)]
pub(super) struct SiteLock {
    /// The file of the refresh lock. The other files have its name with an extension. None if no other process uses
    /// these tokens.
    path: Option<PathBuf>,
}

/// A lock that is released on drop.
#[derive(Debug)]
pub(super) struct LockGuard(#[expect(dead_code, reason = "held for its lock")] Option<File>);

/// The error if another process doesn't finish its refresh in time.
#[derive(Debug)]
pub(super) struct RefreshInProgress;

impl SiteLock {
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        Self { path }
    }

    /// Waits until no other process refreshes. If files can't be locked, continues without a lock, so that users can
    /// still sign in.
    ///
    /// # Errors
    /// Returns [`RefreshInProgress`] if another process still refreshes. Without the lock, a refresh token could be
    /// used twice.
    pub(super) async fn lock_refresh(&self, wait: Duration) -> Result<LockGuard, RefreshInProgress> {
        let Some(file) = self.path.as_deref().and_then(open) else { return Ok(LockGuard(None)) };
        let deadline = time::Instant::now() + wait;
        loop {
            match try_lock(&file) {
                Lock::Taken => return Ok(LockGuard(Some(file))),
                Lock::Impossible => return Ok(LockGuard(None)),
                Lock::HeldByOther if time::Instant::now() >= deadline => return Err(RefreshInProgress),
                Lock::HeldByOther => time::sleep(POLL_INTERVAL).await,
            }
        }
    }

    /// Waits until no other process changes the vault's tokens, at most [`MAX_CHANGE_WAIT`]. Blocks.
    pub(super) fn lock_change(&self) -> LockGuard {
        let Some(file) = self.path_with("change").as_deref().and_then(open) else { return LockGuard(None) };
        let deadline = Instant::now() + MAX_CHANGE_WAIT;
        loop {
            match try_lock(&file) {
                Lock::Taken => return LockGuard(Some(file)),
                Lock::Impossible => return LockGuard(None),
                Lock::HeldByOther if Instant::now() >= deadline => {
                    tracing::warn!("another Takt didn't finish its change of the tokens");
                    return LockGuard(None);
                }
                Lock::HeldByOther => thread::sleep(POLL_INTERVAL),
            }
        }
    }

    /// Returns the mark of the last change. None before the first. Reads a small file, so it blocks.
    pub(super) fn mark(&self) -> Option<String> {
        fs::read_to_string(self.path_with("mark")?).ok()
    }

    /// Writes a new mark, so that other processes reload the tokens. Blocks.
    pub(super) fn write_mark(&self) {
        let Some(path) = self.path_with("mark") else { return };
        let mark = getrandom::u64().map_or_else(|_| std::process::id().to_string(), |mark| format!("{mark:016x}"));
        if let Err(error) = fs::write(path, mark) {
            tracing::warn!(%error, "other Takts aren't told that the tokens changed");
        }
    }

    fn path_with(&self, ending: &str) -> Option<PathBuf> {
        let path = self.path.as_deref()?;
        let mut name = path.file_name()?.to_owned();
        name.push(".");
        name.push(ending);
        Some(path.with_file_name(name))
    }
}

enum Lock {
    Taken,
    HeldByOther,
    /// The file system doesn't support locks.
    Impossible,
}

fn try_lock(file: &File) -> Lock {
    match file.try_lock() {
        Ok(()) => Lock::Taken,
        Err(TryLockError::WouldBlock) => Lock::HeldByOther,
        Err(TryLockError::Error(error)) => {
            tracing::warn!(%error, "tokens can't be locked against another Takt");
            Lock::Impossible
        }
    }
}

fn open(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let log_error = |error: &io::Error| tracing::warn!(%error, "tokens can't be locked against another Takt");
    options.open(path).inspect_err(log_error).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_renewal_waits_for_anothers_and_never_goes_on_without_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let lock = SiteLock::new(Some(folder.path().join("site")));
        let first = lock.lock_refresh(Duration::ZERO).await.unwrap();
        assert!(lock.lock_refresh(POLL_INTERVAL * 3).await.is_err());
        let mut waiting = std::pin::pin!(lock.lock_refresh(Duration::from_secs(300)));
        let waited = time::timeout(POLL_INTERVAL * 3, &mut waiting).await;
        assert!(waited.is_err(), "it is still waiting");
        drop(first);
        waiting.await.unwrap();
    }

    #[test]
    fn every_change_leaves_another_mark() {
        let folder = tempfile::tempdir().unwrap();
        let lock = SiteLock::new(Some(folder.path().join("site")));
        assert_eq!(lock.mark(), None);
        let marks = [(); 3].map(|()| {
            lock.write_mark();
            lock.mark().unwrap()
        });
        assert!(marks[0] != marks[1] && marks[1] != marks[2]);
        assert_eq!(SiteLock::new(None).mark(), None);
    }
}
