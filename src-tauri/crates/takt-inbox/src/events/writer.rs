//! Stores events and answers on one thread. Requests that wait at the same time share a commit, and so one disk sync.

use std::{io, sync::Arc, thread};

use takt_journal::{
    Inbox,
    inbox::{AnswerRecord, NewEvent, StoreOutcome},
};
use tokio::sync::{mpsc, oneshot, watch};

/// The maximum number of waiting requests. Further senders wait.
const MAX_WAITING_REQUESTS: usize = 4096;
/// The maximum number of requests in one commit.
const MAX_BATCH_SIZE: usize = 512;

/// The event or answer couldn't be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it couldn't be written down")]
pub(crate) struct WriteFailed;

/// An event or answer to store, and the channel for the result.
#[derive(Debug)]
enum WriteRequest {
    Event(NewEvent, oneshot::Sender<Result<StoreOutcome, WriteFailed>>),
    Answer(AnswerRecord, oneshot::Sender<Result<AnswerRecord, WriteFailed>>),
}

/// Sends events and answers to the writer's thread, which ends with the last clone.
#[derive(Debug, Clone)]
pub(crate) struct EventWriter(mpsc::Sender<WriteRequest>);

impl EventWriter {
    /// Starts the thread. `latest_event` gets the ID of the newest event after each commit.
    pub(crate) fn start(inbox: Arc<Inbox>, latest_event: watch::Sender<i64>) -> Result<Self, io::Error> {
        let (sender, waiting) = mpsc::channel(MAX_WAITING_REQUESTS);
        thread::Builder::new()
            .name("inbox".to_owned())
            .spawn(move || write_requests(&inbox, waiting, &latest_event))?;
        Ok(Self(sender))
    }

    /// Stores an event. Returns after the commit, or once the write failed.
    pub(crate) async fn store_event(&self, event: NewEvent) -> Result<StoreOutcome, WriteFailed> {
        let (answer, answered) = oneshot::channel();
        self.0.send(WriteRequest::Event(event, answer)).await.map_err(|_| WriteFailed)?;
        answered.await.unwrap_or(Err(WriteFailed))
    }

    /// Stores an answer and returns the answer in force: this one or an earlier one.
    pub(crate) async fn store_answer(&self, answer: AnswerRecord) -> Result<AnswerRecord, WriteFailed> {
        let (sender, stored) = oneshot::channel();
        self.0.send(WriteRequest::Answer(answer, sender)).await.map_err(|_| WriteFailed)?;
        stored.await.unwrap_or(Err(WriteFailed))
    }
}

/// Requests that share a commit.
#[derive(Debug, Default)]
struct Batch {
    events: Vec<NewEvent>,
    event_senders: Vec<oneshot::Sender<Result<StoreOutcome, WriteFailed>>>,
    answers: Vec<AnswerRecord>,
    answer_senders: Vec<oneshot::Sender<Result<AnswerRecord, WriteFailed>>>,
}

impl Batch {
    fn add(&mut self, waiting: WriteRequest) {
        match waiting {
            WriteRequest::Event(event, sender) => {
                self.events.push(event);
                self.event_senders.push(sender);
            }
            WriteRequest::Answer(answer, sender) => {
                self.answers.push(answer);
                self.answer_senders.push(sender);
            }
        }
    }

    fn len(&self) -> usize {
        self.events.len() + self.answers.len()
    }

    /// Stores the batch and returns the ID of the newest event. Returns `None` if the batch couldn't be stored or has no
    /// event. Ignores senders that have disconnected.
    fn write(self, inbox: &Inbox) -> Option<i64> {
        let Self { events, event_senders, answers, answer_senders } = self;
        let (outcomes, stored_answers) = match inbox.store_with_answers(&events, &answers) {
            Ok(stored) => stored,
            Err(error) => {
                tracing::error!(%error, events = events.len(), answers = answers.len(), "events couldn't be stored");
                for sender in event_senders {
                    let _ = sender.send(Err(WriteFailed));
                }
                for sender in answer_senders {
                    let _ = sender.send(Err(WriteFailed));
                }
                return None;
            }
        };
        let latest = outcomes.iter().filter_map(|outcome| outcome.event()).max();
        for (sender, outcome) in event_senders.into_iter().zip(outcomes) {
            let _ = sender.send(Ok(outcome));
        }
        for (sender, answer) in answer_senders.into_iter().zip(stored_answers) {
            let _ = sender.send(Ok(answer));
        }
        latest
    }
}

fn write_requests(inbox: &Inbox, mut waiting: mpsc::Receiver<WriteRequest>, latest_event: &watch::Sender<i64>) {
    while let Some(first) = waiting.blocking_recv() {
        let mut batch = Batch::default();
        batch.add(first);
        while batch.len() < MAX_BATCH_SIZE {
            let Ok(next) = waiting.try_recv() else { break };
            batch.add(next);
        }
        if let Some(latest) = batch.write(inbox) {
            raise_to(latest_event, latest);
        }
    }
}

/// Raises the value if `number` is higher.
pub(crate) fn raise_to(known: &watch::Sender<i64>, number: i64) {
    known.send_if_modified(|known| {
        let higher = number > *known;
        *known = number.max(*known);
        higher
    });
}
