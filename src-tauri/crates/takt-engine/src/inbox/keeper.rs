//! One thread writes down what comes: whatever waits at the same time shares one commit, and so one wait for the disk.

use std::{io, sync::Arc, thread};

use takt_journal::{Inbox, Kept, NewEvent};
use tokio::sync::{mpsc, oneshot, watch};

/// How many may wait. Beyond that whoever sends is made to wait.
const WAITING: usize = 4096;
/// How many share a commit at most.
const TOGETHER: usize = 512;

/// It couldn't be written down, and whoever sent it must be told so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the event couldn't be written down")]
pub(super) struct NotKept;

type Waiting = (NewEvent, oneshot::Sender<Result<Kept, NotKept>>);

/// Hands events to the thread. It ends when the last clone is gone.
#[derive(Debug, Clone)]
pub(super) struct Keeper(mpsc::Sender<Waiting>);

impl Keeper {
    /// `kept` tells the number of the latest event after each commit.
    pub(super) fn start(inbox: Arc<Inbox>, kept: watch::Sender<i64>) -> Result<Self, io::Error> {
        let (sender, waiting) = mpsc::channel(WAITING);
        thread::Builder::new().name("inbox".to_owned()).spawn(move || work(&inbox, waiting, &kept))?;
        Ok(Self(sender))
    }

    /// Returns when the event is on disk, or can't be brought there.
    pub(super) async fn keep(&self, event: NewEvent) -> Result<Kept, NotKept> {
        let (answer, answered) = oneshot::channel();
        self.0.send((event, answer)).await.map_err(|_| NotKept)?;
        answered.await.unwrap_or(Err(NotKept))
    }
}

fn work(inbox: &Inbox, mut waiting: mpsc::Receiver<Waiting>, kept: &watch::Sender<i64>) {
    let (mut events, mut answers) = (Vec::new(), Vec::new());
    while let Some((event, answer)) = waiting.blocking_recv() {
        events.push(event);
        answers.push(answer);
        while events.len() < TOGETHER {
            let Ok((event, answer)) = waiting.try_recv() else { break };
            events.push(event);
            answers.push(answer);
        }
        let written = inbox.keep_all(&events);
        if let Err(error) = &written {
            tracing::error!(%error, events = events.len(), "events couldn't be written down");
        }
        let latest = written.iter().flatten().map(|kept| kept.event()).max();
        let written =
            written.map_or_else(|_| vec![Err(NotKept); answers.len()], |all| all.into_iter().map(Ok).collect());
        for (answer, written) in answers.drain(..).zip(written) {
            // Whoever hung up meanwhile needs no answer: the event is kept all the same.
            let _ = answer.send(written);
        }
        events.clear();
        if let Some(latest) = latest {
            kept.send_if_modified(|known| {
                latest > *known && {
                    *known = latest;
                    true
                }
            });
        }
    }
}
