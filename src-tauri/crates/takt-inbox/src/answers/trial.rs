//! Tries rules on past events before they are put in force.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use takt_client::Canceller;
use takt_contract::Contract;
use takt_core::Problem;
use takt_journal::Inbox;
use takt_journal::inbox::{EventFilter, EventRow};

use crate::answers::compiled_rules::{CompiledRules, Decision};
use crate::events::{self, EventAnswer, EventLine, RuleFault};

/// A past event with a different answer under the tried rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TrialChange {
    pub line: EventLine,
    pub answer: EventAnswer,
}

/// The results of one rule in a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleTrial {
    pub name: String,
    pub spoke: u32,
    pub failed: u32,
    /// The first failure of the rule.
    pub fault: Option<RuleFault>,
}

/// The progress of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TrialProgress {
    pub tried: u32,
    pub of: u32,
}

/// The result of a trial of rules on past events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Trial {
    /// The number of tried events, which are the newest. `of` is the number of all events that could be tried.
    pub tried: u32,
    pub of: u32,
    pub allowed: u32,
    pub refused: u32,
    /// Events on which a rule failed.
    pub failed: u32,
    /// Events whose answer would be different from their actual answer.
    pub changed: u32,
    /// The newest 200 of these changes.
    pub changes: Vec<TrialChange>,
    pub rules: Vec<RuleTrial>,
    /// Whether the user stopped the trial.
    pub stopped: bool,
}

/// The maximum number of tried events. The newest events are tried.
const MAX_EVENTS: u32 = 10_000;
/// The maximum number of changes that are listed.
const MAX_CHANGES: usize = 200;
const PAGE_SIZE: u32 = 200;
/// The time limit of the rules for one event.
const EVENT_TIMEOUT: Duration = Duration::from_millis(600);

/// The rules to try and the events to try them on.
pub(super) struct TrialInput {
    pub contract: Arc<Contract>,
    pub(super) inbox: Arc<Inbox>,
    pub(super) site: String,
    pub(super) compiled: CompiledRules,
    /// Numbers of the events that wait for an answer.
    pub(super) kinds: Vec<i64>,
    pub(super) include_other_events: bool,
}

impl TrialInput {
    /// Runs the trial. Call it only on a thread with [`super::expression::STACK_BYTES`].
    pub(super) fn run(
        &self,
        canceller: &Canceller,
        on_progress: &mut (dyn FnMut(TrialProgress) + Send),
    ) -> Result<Trial, Problem> {
        let mut trial = Trial::default();
        let mut rules = HashMap::new();
        let kinds = if self.include_other_events { Vec::new() } else { self.kinds.clone() };
        let filter = EventFilter { site: Some(self.site.clone()), kinds, ..EventFilter::default() };
        let first = self.inbox.events(&filter, 0, 1)?;
        let filter = EventFilter { up_to: first.rows.first().map(|row| row.id), ..filter };
        trial.of = first.total;
        while trial.tried < first.total.min(MAX_EVENTS) {
            let page = self.inbox.events(&filter, trial.tried, PAGE_SIZE)?;
            if page.rows.is_empty() {
                break;
            }
            for row in page.rows {
                if canceller.is_cancelled() {
                    trial.stopped = true;
                    break;
                }
                self.try_event(row, &mut trial, &mut rules)?;
            }
            on_progress(TrialProgress { tried: trial.tried, of: first.total.min(MAX_EVENTS) });
            if trial.stopped {
                break;
            }
        }
        trial.rules =
            self.compiled.names().map(|name| rules.remove(name).unwrap_or_else(|| empty_rule_trial(name))).collect();
        Ok(trial)
    }

    fn try_event(
        &self,
        row: EventRow,
        trial: &mut Trial,
        rules: &mut HashMap<String, RuleTrial>,
    ) -> Result<(), Problem> {
        trial.tried += 1;
        let Some(raw) = self.inbox.raw_event(row.id)? else { return Ok(()) };
        let earlier_answer = self.inbox.answer(row.id)?;
        let earlier_answer: Option<EventAnswer> =
            earlier_answer.and_then(|record| serde_json::from_str(&record.detail).ok());
        let now =
            earlier_answer.as_ref().and_then(|earlier_answer| earlier_answer.now.parse().ok()).unwrap_or(raw.received);
        let asks = row.kind.is_some_and(|kind| self.kinds.contains(&kind));
        if !asks && !self.has_order(&raw.body) {
            return Ok(());
        }
        let began = Instant::now();
        let decision = self.compiled.decide(&raw.body, row.kind.filter(|_| asks), now, began + EVENT_TIMEOUT);
        count_decision(&decision, trial, rules);
        let allowed = decision.errors.is_empty();
        // Without a stored answer the event was allowed.
        if asks && earlier_answer.as_ref().is_none_or(|earlier_answer| earlier_answer.allowed) != allowed {
            trial.changed += 1;
            if trial.changes.len() < MAX_CHANGES {
                let line = events::event_line(&self.contract, row);
                trial.changes.push(TrialChange { line, answer: self.to_answer(decision, now, began) });
            }
        }
        Ok(())
    }

    fn has_order(&self, body: &[u8]) -> bool {
        let order = self.contract.reply_rules().order.as_deref().unwrap_or_default();
        let event: Option<Json> = serde_json::from_slice(&self.compiled.decode_event(body)).ok();
        event.is_some_and(|event| event.get(order).and_then(Json::as_array).is_some_and(|list| !list.is_empty()))
    }

    fn to_answer(&self, decision: Decision, now: Timestamp, began: Instant) -> EventAnswer {
        let Decision { answered_by: by, errors, matched_rules: spoke, failures: failed } = decision;
        let milliseconds = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        let (allowed, version, now) = (errors.is_empty(), self.compiled.version, now.to_string());
        EventAnswer { allowed, by, errors, spoke, failed, version, now, milliseconds }
    }
}

fn count_decision(decision: &Decision, trial: &mut Trial, rules: &mut HashMap<String, RuleTrial>) {
    let outcome = if decision.errors.is_empty() { &mut trial.allowed } else { &mut trial.refused };
    *outcome += 1;
    trial.failed += u32::from(!decision.failures.is_empty());
    for matched in &decision.matched_rules {
        rules.entry(matched.name.clone()).or_insert_with(|| empty_rule_trial(&matched.name)).spoke += 1;
    }
    for failure in &decision.failures {
        let rule = rules.entry(failure.name.clone()).or_insert_with(|| empty_rule_trial(&failure.name));
        rule.failed += 1;
        rule.fault.get_or_insert_with(|| failure.fault.clone());
    }
}

fn empty_rule_trial(name: &str) -> RuleTrial {
    RuleTrial { name: name.to_owned(), spoke: 0, failed: 0, fault: None }
}
