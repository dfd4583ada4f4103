//! Answers incoming events of one site by its rules in force, within the service's time limit, and stores the answers.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::body::Bytes;
use jiff::{Timestamp, tz::TimeZone};
use parking_lot::RwLock;
use takt_contract::Contract;
use takt_core::Problem;
use takt_journal::{Inbox, inbox::AnswerRecord};
use tokio_util::sync::CancellationToken;

use super::{
    cel_values::EventDecoder,
    compiled_rules::{CompiledRules, Decision, FailureText},
    expression::run_on_deep_stack,
    rule::Rules,
    worker_pool::WorkerPool,
};
use takt_sites::Sites;

use crate::events::{EventAnswer, EventWriter};

/// The time after the event's arrival at which the rules must have decided. The service waits one second for a reply.
const RULES_TIMEOUT: Duration = Duration::from_millis(600);
/// The time after the event's arrival at which the reply is sent, even if the answer isn't stored yet.
const REPLY_TIMEOUT: Duration = Duration::from_millis(850);
/// The interval of checks for rules edited by another process.
const EDIT_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// The maximum size, in bytes, of events on which rules are run.
const MAX_EVENT_BYTES: usize = 1024 * 1024;

/// A site's rules in force. Clones share them.
#[derive(Clone)]
pub(crate) struct SiteRules {
    compiled: Arc<RwLock<Arc<CompiledRules>>>,
    site: String,
    sites: Arc<Sites>,
    standard_refusal: FailureText,
}

impl fmt::Debug for SiteRules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SiteRules")
            .field("site", &self.site)
            .field("compiled", &self.compiled)
            .finish_non_exhaustive()
    }
}

impl SiteRules {
    /// Creates rules that refuse every event until [`Self::refresh`] reads the stored ones.
    pub(super) fn new(site: &str, sites: Arc<Sites>, contract: Arc<Contract>, standard_refusal: FailureText) -> Self {
        // Unread rules refuse every event, so the zone isn't used.
        let decoder = EventDecoder::new(contract, TimeZone::UTC);
        let unreadable =
            CompiledRules::for_unreadable_rules(0, decoder, standard_refusal.clone(), "the rules weren't read yet");
        Self { compiled: Arc::new(RwLock::new(Arc::new(unreadable))), site: site.to_owned(), sites, standard_refusal }
    }

    pub(super) fn compiled(&self) -> Arc<CompiledRules> {
        Arc::clone(&self.compiled.read())
    }

    /// Returns a decoder for the site's current contract and time zone.
    pub(super) fn decoder(&self) -> Result<EventDecoder, Problem> {
        Ok(EventDecoder::new(self.sites.contract(&self.site)?, self.sites.time_zone(&self.site)?))
    }

    /// Returns the standard refusal if a rule fails.
    pub(super) fn standard_refusal(&self) -> FailureText {
        self.standard_refusal.clone()
    }

    /// Compiles the stored rules if their version, the site's contract or its time zone changed. Blocks on the disk.
    ///
    /// Known rules stay in force while the disk can't be read. Unreadable rules refuse every event.
    pub(crate) fn refresh(&self, inbox: &Inbox) {
        let known = self.compiled();
        let decoder = match self.decoder() {
            Ok(decoder) => decoder,
            Err(problem) => {
                tracing::warn!(%problem, "the rules couldn't be looked at");
                return;
            }
        };
        let (version, rules) = match inbox.rules().latest(&self.site) {
            Ok(Some(edit))
                if known.are_readable() && edit.version == known.version && known.decodes_same_way_as(&decoder) =>
            {
                return;
            }
            Ok(Some(edit)) => (edit.version, serde_json::from_str(&edit.text)),
            Ok(None) if known.are_readable() => return,
            Ok(None) => (0, Ok(Rules::default())),
            Err(error) => {
                tracing::warn!(%error, "the rules couldn't be looked at");
                return;
            }
        };
        let unreadable =
            |cause: &str| CompiledRules::for_unreadable_rules(version, decoder.clone(), self.standard_refusal(), cause);
        let compiled = match rules {
            Ok(rules) => {
                run_on_deep_stack(|| CompiledRules::compile(version, &rules, decoder.clone(), self.standard_refusal()))
                    .unwrap_or_else(|| unreadable("no thread for the rules"))
            }
            Err(error) => {
                tracing::error!(%error, version, "the rules aren't readable");
                unreadable("the rules aren't readable")
            }
        };
        *self.compiled.write() = Arc::new(compiled);
    }
}

impl SiteRules {
    /// Adopts rules that other processes of this home save, until `closing`.
    pub(crate) async fn follow_edits(self, inbox: Arc<Inbox>, closing: CancellationToken) {
        loop {
            tokio::select! {
                () = closing.cancelled() => return,
                () = tokio::time::sleep(EDIT_POLL_INTERVAL) => self.refresh_in_background(&inbox).await,
            }
        }
    }

    /// Like [`SiteRules::refresh`], on a blocking thread.
    pub(crate) async fn refresh_in_background(&self, inbox: &Arc<Inbox>) {
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
    workers: WorkerPool,
    writer: EventWriter,
    inbox: Arc<Inbox>,
}

/// An event that waits for its answer.
#[derive(Debug)]
pub(crate) struct EventToAnswer {
    /// The event's ID in the inbox.
    pub(crate) event: i64,
    /// Whether the event is a repetition, which may already have an answer.
    pub(crate) is_repetition: bool,
    pub(crate) kind: i64,
    pub(crate) body: Bytes,
    /// The time of arrival from which time limits are measured. `at` is the time that is stored.
    pub(crate) arrived: Instant,
    pub(crate) at: Timestamp,
    /// The time at the site.
    pub(crate) now: Timestamp,
}

impl AnswerHandler {
    pub(crate) fn new(rules: SiteRules, writer: EventWriter, inbox: Arc<Inbox>) -> Self {
        Self { rules, workers: WorkerPool::start(), writer, inbox }
    }

    /// Returns the part of an event that rules need. For an event that is too large, it is one byte longer than the
    /// limit.
    pub(crate) fn limit_to_readable(body: &[u8]) -> &[u8] {
        body.get(..=MAX_EVENT_BYTES).unwrap_or(body)
    }

    /// Returns the reasons for a refusal, or nothing if the event is allowed. Returns within [`REPLY_TIMEOUT`] even if
    /// rules or the disk are slow.
    pub(crate) async fn answer(&self, question: EventToAnswer) -> Vec<String> {
        let EventToAnswer { event, is_repetition, kind, body, arrived, at, now } = question;
        let end = tokio::time::Instant::from_std(arrived + REPLY_TIMEOUT);
        if is_repetition && let Ok(Some(answer)) = tokio::time::timeout_at(end, self.stored_answer(event)).await {
            return answer.errors;
        }
        let compiled = self.rules.compiled();
        let decision = self.decide(&compiled, kind, body, now, arrived + RULES_TIMEOUT).await;
        let Decision { answered_by: by, errors, matched_rules: spoke, failures: failed } = decision;
        let milliseconds = u32::try_from(arrived.elapsed().as_millis()).unwrap_or(u32::MAX);
        let version = compiled.version;
        let (allowed, now) = (errors.is_empty(), now.to_string());
        let answer = EventAnswer { allowed, by, errors, spoke, failed, version, now, milliseconds };
        let stored = tokio::time::timeout_at(end, self.store_answer(event, at, &answer)).await;
        match stored {
            // The same event was answered meanwhile, so both replies are the same.
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
        compiled: &Arc<CompiledRules>,
        kind: i64,
        body: Bytes,
        now: Timestamp,
        until: Instant,
    ) -> Decision {
        if compiled.is_empty() {
            return compiled.decide(b"", Some(kind), now, until);
        }
        if body.len() > MAX_EVENT_BYTES {
            return compiled.timeout_decision(kind);
        }
        let rules = Arc::clone(compiled);
        let decided = self.workers.evaluate(until, move |until| rules.decide(&body, Some(kind), now, until)).await;
        decided.unwrap_or_else(|| compiled.timeout_decision(kind))
    }

    /// Returns the stored answer of an event.
    async fn stored_answer(&self, event: i64) -> Option<EventAnswer> {
        let inbox = Arc::clone(&self.inbox);
        let record = tokio::task::spawn_blocking(move || inbox.answer(event)).await.ok()?.ok()??;
        serde_json::from_str(&record.detail).ok()
    }

    /// Stores an answer and returns the answer that is in force, which is the earlier one if the event already has an
    /// answer. Returns `None` if it can't be stored.
    async fn store_answer(&self, event: i64, at: Timestamp, answer: &EventAnswer) -> Option<EventAnswer> {
        let detail = serde_json::to_string(answer).ok()?;
        let by = serde_json::to_value(answer.by).ok()?.as_str()?.to_owned();
        let new = AnswerRecord { event, at, allowed: answer.allowed, by, detail, milliseconds: answer.milliseconds };
        match self.writer.store_answer(new).await {
            Ok(stored) => serde_json::from_str(&stored.detail).ok(),
            Err(error) => {
                tracing::error!(%error, event, "an answer couldn't be written down");
                None
            }
        }
    }
}
