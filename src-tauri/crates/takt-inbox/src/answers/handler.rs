//! Answers while events come: the rules in force of one site, the threads that ask them, and what is written down of it.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::body::Bytes;
use jiff::Timestamp;
use parking_lot::RwLock;
use takt_contract::Contract;
use takt_journal::{Inbox, inbox::AnswerRecord};
use tokio_util::sync::CancellationToken;

use super::{
    compiled_rules::{CompiledRules, Decision, FailureText},
    expression::deep,
    rule::Rules,
    values::Reader,
    worker_pool::WorkerPool,
};
use takt_sites::sites::Sites;

use crate::events::{EventAnswer, EventWriter};

/// The service waits a second for a reply. The rules have to end this long after the event's arrival.
const RULES_TIMEOUT: Duration = Duration::from_millis(600);
/// The reply is sent this long after the event's arrival, even if it isn't stored yet.
const REPLY_TIMEOUT: Duration = Duration::from_millis(850);
/// Between two checks whether the rules were edited elsewhere.
const EDIT_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Events with more bytes than this aren't read for rules.
const MAX_EVENT_BYTES: usize = 1024 * 1024;

/// A site's rules in force. Clones see the same.
#[derive(Clone)]
pub(crate) struct SiteRules {
    book: Arc<RwLock<Arc<CompiledRules>>>,
    site: String,
    sites: Arc<Sites>,
    contract: Arc<Contract>,
    failure: FailureText,
}

impl fmt::Debug for SiteRules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shelf").field("site", &self.site).field("book", &self.book).finish_non_exhaustive()
    }
}

impl SiteRules {
    /// Its rules are unknown until they are looked at.
    pub(super) fn new(site: &str, sites: Arc<Sites>, contract: Arc<Contract>, failure: FailureText) -> Self {
        let reader = Reader::new(Arc::clone(&contract), sites.time_zone(site));
        let unread = CompiledRules::unread(0, reader, failure.clone(), "the rules weren't read yet");
        Self { book: Arc::new(RwLock::new(Arc::new(unread))), site: site.to_owned(), sites, contract, failure }
    }

    pub(super) fn book(&self) -> Arc<CompiledRules> {
        Arc::clone(&self.book.read())
    }

    /// As the site's contract and its clock are now.
    pub(super) fn reader(&self) -> Reader {
        let in_force = self.sites.contract(&self.site).unwrap_or_else(|_| Arc::clone(&self.contract));
        Reader::new(in_force, self.sites.time_zone(&self.site))
    }

    /// The sentence for who asks while a rule fails.
    pub(super) fn failure(&self) -> FailureText {
        self.failure.clone()
    }

    /// Takes what is kept where it is another edit, or the site's contract or clock goes otherwise. Waits for the disk. Rules that were known
    /// stay in force while the disk can't be read; rules that nobody can read refuse.
    pub(crate) fn refresh(&self, inbox: &Inbox) {
        let (known, reader) = (self.book(), self.reader());
        let (version, rules) = match inbox.rules().latest(&self.site) {
            Ok(Some(kept)) if known.is_read() && kept.version == known.version && known.reads_as(&reader) => return,
            Ok(Some(kept)) => (kept.version, serde_json::from_str(&kept.text)),
            Ok(None) if known.is_read() => return,
            Ok(None) => (0, Ok(Rules::default())),
            Err(error) => {
                tracing::warn!(%error, "the rules couldn't be looked at");
                return;
            }
        };
        let unread = |cause: &str| CompiledRules::unread(version, reader.clone(), self.failure(), cause);
        let book = match rules {
            Ok(rules) => deep(|| CompiledRules::open(version, &rules, reader.clone(), self.failure()))
                .unwrap_or_else(|| unread("no thread for the rules")),
            Err(error) => {
                tracing::error!(%error, version, "the rules aren't readable");
                unread("the rules aren't readable")
            }
        };
        *self.book.write() = Arc::new(book);
    }
}

impl SiteRules {
    /// Takes up what another Takt of this home edits, until `closing`.
    pub(crate) async fn follow_edits(self, inbox: Arc<Inbox>, closing: CancellationToken) {
        loop {
            tokio::select! {
                () = closing.cancelled() => return,
                () = tokio::time::sleep(EDIT_POLL_INTERVAL) => self.look(&inbox).await,
            }
        }
    }

    /// As [`SiteRules::refresh`], elsewhere than on this thread.
    pub(crate) async fn look(&self, inbox: &Arc<Inbox>) {
        let (rules, inbox) = (self.clone(), Arc::clone(inbox));
        if let Err(error) = tokio::task::spawn_blocking(move || rules.refresh(&inbox)).await {
            tracing::error!(%error, "the rules couldn't be looked at");
        }
    }
}

/// Answers the events of one receiver.
#[derive(Debug)]
pub(crate) struct AnswerHandler {
    rules: SiteRules,
    crew: WorkerPool,
    keeper: EventWriter,
    inbox: Arc<Inbox>,
}

/// An event that waits for its answer.
#[derive(Debug)]
pub(crate) struct EventToAnswer {
    /// Its number in the inbox.
    pub(crate) event: i64,
    /// It came before, and was answered then.
    pub(crate) again: bool,
    pub(crate) kind: i64,
    pub(crate) body: Bytes,
    /// When it came.
    pub(crate) began: Instant,
    pub(crate) at: Timestamp,
    /// What time it was at the site.
    pub(crate) now: Timestamp,
}

impl AnswerHandler {
    pub(crate) fn new(rules: SiteRules, keeper: EventWriter, inbox: Arc<Inbox>) -> Self {
        Self { rules, crew: WorkerPool::start(), keeper, inbox }
    }

    /// As much of an event as is looked at; of one that is larger than rules read, only that it is.
    pub(crate) fn readable(body: &[u8]) -> &[u8] {
        body.get(..=MAX_EVENT_BYTES).unwrap_or(body)
    }

    /// What refuses it; nothing where it is allowed. In time, whatever the rules and the disk do.
    pub(crate) async fn answer(&self, asking: EventToAnswer) -> Vec<String> {
        let EventToAnswer { event, again, kind, body, began, at, now } = asking;
        let end = tokio::time::Instant::from_std(began + REPLY_TIMEOUT);
        if again && let Ok(Some(answer)) = tokio::time::timeout_at(end, self.given(event)).await {
            return answer.errors;
        }
        let book = self.rules.book();
        let decision = self.decide(&book, kind, body, now, began + RULES_TIMEOUT).await;
        let Decision { by, errors, spoke, failed } = decision;
        let milliseconds = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        let version = book.version;
        let (allowed, now) = (errors.is_empty(), now.to_string());
        let answer = EventAnswer { allowed, by, errors, spoke, failed, version, now, milliseconds };
        let kept = tokio::time::timeout_at(end, self.store(event, at, &answer)).await;
        match kept {
            // The same was answered meanwhile: both are told that.
            Ok(Some(first)) => first.errors,
            Ok(None) => answer.errors,
            Err(_) => {
                tracing::error!(event, "an answer was given before it was written down");
                answer.errors
            }
        }
    }

    async fn decide(
        &self,
        book: &Arc<CompiledRules>,
        kind: i64,
        body: Bytes,
        now: Timestamp,
        until: Instant,
    ) -> Decision {
        if book.is_empty() {
            return book.decide(b"", Some(kind), now, until);
        }
        if body.len() > MAX_EVENT_BYTES {
            return book.slow(kind);
        }
        let asked = Arc::clone(book);
        let decided = self.crew.ask(until, move |until| asked.decide(&body, Some(kind), now, until)).await;
        decided.unwrap_or_else(|| book.slow(kind))
    }

    /// What was answered before.
    async fn given(&self, event: i64) -> Option<EventAnswer> {
        let inbox = Arc::clone(&self.inbox);
        let record = tokio::task::spawn_blocking(move || inbox.answer(event)).await.ok()?.ok()??;
        serde_json::from_str(&record.detail).ok()
    }

    /// The answer that holds: an earlier one, where there is one. None where it couldn't be written down.
    async fn store(&self, event: i64, at: Timestamp, answer: &EventAnswer) -> Option<EventAnswer> {
        let detail = serde_json::to_string(answer).ok()?;
        let by = serde_json::to_value(answer.by).ok()?.as_str()?.to_owned();
        let new = AnswerRecord { event, at, allowed: answer.allowed, by, detail, milliseconds: answer.milliseconds };
        match self.keeper.answer(new).await {
            Ok(kept) => serde_json::from_str(&kept.detail).ok(),
            Err(error) => {
                tracing::error!(%error, event, "an answer couldn't be written down");
                None
            }
        }
    }
}
