//! Reads what came since, and tells who watches.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use takt_contract::Contract;
use takt_journal::{Inbox, JournalError};
use tokio::sync::watch;

use super::read::{READER, read};

/// Events that are read in one go: what is written of them shares a commit.
const TOGETHER: u32 = 500;

/// Reads events in turns. Clones do the same work, one at a time.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    contract: Arc<Contract>,
    inbox: Arc<Inbox>,
    turn: Arc<tokio::sync::Mutex<()>>,
    newest: Arc<watch::Sender<i64>>,
}

impl Reading {
    pub(super) fn new(contract: Arc<Contract>, inbox: Arc<Inbox>) -> Self {
        Self { contract, inbox, turn: Arc::default(), newest: Arc::new(watch::Sender::new(0)) }
    }

    /// The number of the newest event that was read, whenever there is a newer one.
    pub(super) fn watch(&self) -> watch::Receiver<i64> {
        self.newest.subscribe()
    }

    /// Reads what had come when this began, or as much of it as `most` allows: whoever asks for a list doesn't wait for a flood.
    pub(super) async fn catch_up(&self, most: Duration) {
        let until = Instant::now() + most;
        let target = self.inbox.front().map_or(i64::MAX, |(came, _)| came);
        while Instant::now() < until {
            if self.some().await.is_none_or(|newest| newest >= target) {
                return;
            }
        }
    }

    /// Reads some; the number of the newest of them. None where nothing was unread. What fails is tried again later.
    pub(super) async fn some(&self) -> Option<i64> {
        let _turn = self.turn.lock().await;
        let (contract, inbox) = (Arc::clone(&self.contract), Arc::clone(&self.inbox));
        let newest = match tokio::task::spawn_blocking(move || some(&contract, &inbox)).await {
            Ok(Ok(newest)) => newest?,
            Ok(Err(error)) => {
                tracing::error!(%error, "events couldn't be read");
                return None;
            }
            Err(error) => {
                tracing::error!(%error, "the reader ended badly");
                return None;
            }
        };
        self.newest.send_if_modified(|known| {
            newest > *known && {
                *known = newest;
                true
            }
        });
        Some(newest)
    }
}

fn some(contract: &Contract, inbox: &Inbox) -> Result<Option<i64>, JournalError> {
    let unread = inbox.unread(READER, TOGETHER)?;
    let read: Vec<_> = unread.iter().map(|raw| read(contract, raw)).collect();
    inbox.read_as(READER, &read)?;
    Ok(unread.last().map(|raw| raw.id))
}
