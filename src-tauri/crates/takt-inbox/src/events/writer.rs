//! One thread writes down what comes and what is answered: whatever waits at the same time shares one commit, and so one
//! wait for the disk.

use std::{io, sync::Arc, thread};

use takt_journal::{
    Inbox,
    inbox::{AnswerRecord, NewEvent, StoreOutcome},
};
use tokio::sync::{mpsc, oneshot, watch};

/// So many events may wait. After that, senders wait.
const MAX_WAITING_EVENTS: usize = 4096;
/// How many share a commit at most.
const TOGETHER: usize = 512;

/// It couldn't be stored, and the sender must be told so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it couldn't be written down")]
pub(crate) struct WriteFailed;

/// What is to be written down, and who waits for it.
#[derive(Debug)]
enum WriteRequest {
    Event(NewEvent, oneshot::Sender<Result<StoreOutcome, WriteFailed>>),
    Answer(AnswerRecord, oneshot::Sender<Result<AnswerRecord, WriteFailed>>),
}

/// Hands events to the thread. It ends when the last clone is gone.
#[derive(Debug, Clone)]
pub(crate) struct EventWriter(mpsc::Sender<WriteRequest>);

impl EventWriter {
    /// `kept` tells the number of the latest event after each commit.
    pub(crate) fn start(inbox: Arc<Inbox>, kept: watch::Sender<i64>) -> Result<Self, io::Error> {
        let (sender, waiting) = mpsc::channel(MAX_WAITING_EVENTS);
        thread::Builder::new().name("inbox".to_owned()).spawn(move || work(&inbox, waiting, &kept))?;
        Ok(Self(sender))
    }

    /// Returns when the event is on disk, or can't be brought there.
    pub(crate) async fn store(&self, event: NewEvent) -> Result<StoreOutcome, WriteFailed> {
        let (answer, answered) = oneshot::channel();
        self.0.send(WriteRequest::Event(event, answer)).await.map_err(|_| WriteFailed)?;
        answered.await.unwrap_or(Err(WriteFailed))
    }

    /// Returns when the answer that holds is on disk: this one, or one that was given before.
    pub(crate) async fn answer(&self, answer: AnswerRecord) -> Result<AnswerRecord, WriteFailed> {
        let (told, kept) = oneshot::channel();
        self.0.send(WriteRequest::Answer(answer, told)).await.map_err(|_| WriteFailed)?;
        kept.await.unwrap_or(Err(WriteFailed))
    }
}

/// What shares a commit.
#[derive(Debug, Default)]
struct Batch {
    events: Vec<NewEvent>,
    senders: Vec<oneshot::Sender<Result<StoreOutcome, WriteFailed>>>,
    answers: Vec<AnswerRecord>,
    givers: Vec<oneshot::Sender<Result<AnswerRecord, WriteFailed>>>,
}

impl Batch {
    fn add(&mut self, waiting: WriteRequest) {
        match waiting {
            WriteRequest::Event(event, sender) => {
                self.events.push(event);
                self.senders.push(sender);
            }
            WriteRequest::Answer(answer, giver) => {
                self.answers.push(answer);
                self.givers.push(giver);
            }
        }
    }

    fn len(&self) -> usize {
        self.events.len() + self.answers.len()
    }

    /// Tells the number of the latest event. The event is stored even if the sender has closed the connection.
    fn write(self, inbox: &Inbox) -> Option<i64> {
        let Self { events, senders, answers, givers } = self;
        let (kept, answered) = match inbox.store_with_answers(&events, &answers) {
            Ok((kept, answered)) => (kept, answered),
            Err(error) => {
                tracing::error!(%error, events = events.len(), answers = answers.len(), "events couldn't be written down");
                for sender in senders {
                    let _ = sender.send(Err(WriteFailed));
                }
                for giver in givers {
                    let _ = giver.send(Err(WriteFailed));
                }
                return None;
            }
        };
        let latest = kept.iter().filter_map(|kept| kept.event()).max();
        for (sender, kept) in senders.into_iter().zip(kept) {
            let _ = sender.send(Ok(kept));
        }
        for (giver, kept) in givers.into_iter().zip(answered) {
            let _ = giver.send(Ok(kept));
        }
        latest
    }
}

fn work(inbox: &Inbox, mut waiting: mpsc::Receiver<WriteRequest>, kept: &watch::Sender<i64>) {
    while let Some(first) = waiting.blocking_recv() {
        let mut batch = Batch::default();
        batch.add(first);
        while batch.len() < TOGETHER {
            let Ok(next) = waiting.try_recv() else { break };
            batch.add(next);
        }
        if let Some(latest) = batch.write(inbox) {
            raise(kept, latest);
        }
    }
}

/// Tells a number where it is higher than what is known.
pub(crate) fn raise(known: &watch::Sender<i64>, number: i64) {
    known.send_if_modified(|known| {
        let higher = number > *known;
        *known = number.max(*known);
        higher
    });
}
