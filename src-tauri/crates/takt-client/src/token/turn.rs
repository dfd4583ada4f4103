//! Taking turns with another Takt that renews the same tokens.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::Path,
    time::Duration,
};

const MAX_TRIES: u32 = 300;
const PAUSE: Duration = Duration::from_millis(100);

/// Holds the turn until it is dropped.
#[derive(Debug)]
pub(super) struct Turn(#[expect(dead_code, reason = "held for its lock")] Option<File>);

/// Waits up to half a minute; after that, or where files can't be locked, goes on: a lock must never keep a person out.
pub(super) async fn take(path: Option<&Path>) -> Turn {
    let Some(path) = path else { return Turn(None) };
    let file = match open(path) {
        Ok(file) => file,
        Err(error) => {
            tracing::warn!(%error, "no turns are taken with another Takt");
            return Turn(None);
        }
    };
    for _ in 0..MAX_TRIES {
        match file.try_lock() {
            Ok(()) => return Turn(Some(file)),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(PAUSE).await,
            Err(TryLockError::Error(error)) => {
                tracing::warn!(%error, "no turns are taken with another Takt");
                return Turn(None);
            }
        }
    }
    tracing::warn!("another Takt didn't end its turn");
    Turn(None)
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
