//! Reads what came since, and tells who watches.

use std::sync::Arc;

use takt_contract::Contract;
use takt_journal::{Inbox, JournalError};
use tokio::sync::watch;

use super::read::{READER, read};

/// Events that are read in one go: what is written of them shares a commit.
const TOGETHER: u32 = 200;

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

    /// Reads until nothing is unread. What fails is tried again with the next event.
    pub(super) async fn catch_up(&self) {
        let _turn = self.turn.lock().await;
        loop {
            let (contract, inbox) = (Arc::clone(&self.contract), Arc::clone(&self.inbox));
            match tokio::task::spawn_blocking(move || some(&contract, &inbox)).await {
                Ok(Ok(0)) => return,
                Ok(Ok(newest)) => {
                    self.newest.send_if_modified(|known| {
                        newest > *known && {
                            *known = newest;
                            true
                        }
                    });
                }
                Ok(Err(error)) => return tracing::error!(%error, "events couldn't be read"),
                Err(error) => return tracing::error!(%error, "the reader ended badly"),
            }
        }
    }
}

/// Reads some; the number of the newest of them, 0 where nothing was unread.
fn some(contract: &Contract, inbox: &Inbox) -> Result<i64, JournalError> {
    let unread = inbox.unread(READER, TOGETHER)?;
    let read: Vec<_> = unread.iter().map(|raw| read(contract, raw)).collect();
    inbox.read_as(READER, &read)?;
    Ok(unread.last().map_or(0, |raw| raw.id))
}
