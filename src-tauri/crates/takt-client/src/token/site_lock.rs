//! How several Takts that use one site's tokens keep out of each other's way: files beside each other in the home.
//!
//! A renewal takes as long as the provider does, so it has a lock of its own. The lock for changes is held only while the vault
//! is compared and written. Each change leaves a mark, by which others see that what they hold is out of date.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use tokio::time;

const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// For another Takt to compare and write; a keychain may take some seconds.
const MAX_CHANGE_WAIT: Duration = Duration::from_secs(30);

/// Clones are of the same files.
#[derive(Debug, Clone)]
pub(super) struct SiteLock {
    /// The renewal's file; the others have its name with an ending. Absent where no other process has these tokens.
    path: Option<PathBuf>,
}

/// Held until it is dropped.
#[derive(Debug)]
pub(super) struct Held(#[expect(dead_code, reason = "held for its lock")] Option<File>);

/// Another Takt renews the tokens and hasn't finished in time.
#[derive(Debug)]
pub(super) struct Busy;

impl SiteLock {
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        Self { path }
    }

    /// Waits until no other Takt renews. Where files can't be locked it doesn't: a lock must never keep a person out.
    ///
    /// # Errors
    /// [`Busy`]: another Takt still renews. Going on without the lock could use a refresh token twice.
    pub(super) async fn lock_renewal(&self, wait: Duration) -> Result<Held, Busy> {
        let Some(file) = self.path.as_deref().and_then(open) else { return Ok(Held(None)) };
        let deadline = time::Instant::now() + wait;
        loop {
            match try_lock(&file) {
                Lock::Taken => return Ok(Held(Some(file))),
                Lock::Impossible => return Ok(Held(None)),
                Lock::HeldByOther if time::Instant::now() >= deadline => return Err(Busy),
                Lock::HeldByOther => time::sleep(POLL_INTERVAL).await,
            }
        }
    }

    /// Waits until no other Takt changes the vault's tokens. Blocks.
    pub(super) fn lock_change(&self) -> Held {
        let Some(file) = self.path_with("change").as_deref().and_then(open) else { return Held(None) };
        let deadline = Instant::now() + MAX_CHANGE_WAIT;
        loop {
            match try_lock(&file) {
                Lock::Taken => return Held(Some(file)),
                Lock::Impossible => return Held(None),
                Lock::HeldByOther if Instant::now() >= deadline => {
                    tracing::warn!("another Takt didn't finish its change of the tokens");
                    return Held(None);
                }
                Lock::HeldByOther => thread::sleep(POLL_INTERVAL),
            }
        }
    }

    /// Which change was the last; something else after each one. Blocks, for as long as a small file takes.
    pub(super) fn mark(&self) -> Option<String> {
        fs::read_to_string(self.path_with("mark")?).ok()
    }

    /// Lets others see that the tokens changed. Blocks.
    pub(super) fn leave_mark(&self) {
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
    /// Not on this file system.
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
    let told = |error: &io::Error| tracing::warn!(%error, "tokens can't be locked against another Takt");
    options.open(path).inspect_err(told).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_renewal_waits_for_anothers_and_never_goes_on_without_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let lock = SiteLock::new(Some(folder.path().join("site")));
        let first = lock.lock_renewal(Duration::ZERO).await.unwrap();
        assert!(lock.lock_renewal(POLL_INTERVAL * 3).await.is_err());
        let mut waiting = std::pin::pin!(lock.lock_renewal(Duration::from_secs(300)));
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
            lock.leave_mark();
            lock.mark().unwrap()
        });
        assert!(marks[0] != marks[1] && marks[1] != marks[2]);
        assert_eq!(SiteLock::new(None).mark(), None);
    }
}
