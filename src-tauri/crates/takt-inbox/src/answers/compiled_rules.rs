//! A site's rules, ready to answer.
//!
//! The rules are asked in their order. The first that speaks decides; where it refuses, what later rules refuse is told as well.
//! A rule that fails (also one that can't be understood at all) refuses, unless a person chose that the event is allowed then.

use std::{borrow::Cow, sync::Arc, time::Instant};

use jiff::Timestamp;
use parking_lot::RwLock;
use serde_json::Value as Json;

use super::{
    evaluation_budget::EvaluationBudget,
    expression::{self, Expression, ParsedExpression, kind},
    message_template::MessageTemplate,
    pattern::PatternCache,
    rule::{AnswerRule, Rules},
    values::Reader,
};
use takt_core::{Language, Words};

use crate::events::{AnsweredBy, Fault, FaultCode, MatchedRule, RuleFailure, RuleFault, RulePart};

/// Rules that can be asked.
#[derive(Debug)]
pub(super) struct CompiledRules {
    /// Which edit of the site's rules; 0: none was ever kept.
    pub(super) version: u32,
    rules: Vec<CompiledRule>,
    refuse_otherwise: Option<String>,
    failure: OnFailure,
    reader: Reader,
    patterns: PatternCache,
    /// Why the rules can't be read. Absent if they can.
    unread: Option<String>,
}

/// What is answered where a rule doesn't.
#[derive(Debug, Clone)]
struct OnFailure {
    /// As a person wrote it.
    text: Option<String>,
    /// Used if `text` is absent.
    standard: FailureText,
    /// Events that are allowed then.
    allowed: Vec<i32>,
}

/// The sentence that refuses where a rule fails and nobody wrote another one. Clones are the same: it follows Takt's language.
#[derive(Debug, Clone, Default)]
pub(crate) struct FailureText(Arc<RwLock<String>>);

impl FailureText {
    pub(crate) fn speak(&self, language: Language) {
        *self.0.write() = Words::load(language).rules_failed();
    }

    fn text(&self) -> String {
        let rules = self.0.read().clone();
        if rules.is_empty() { Words::english().rules_failed() } else { rules }
    }
}

impl OnFailure {
    /// What refuses; none where a person chose that it is allowed then. `kind`: which event asks.
    fn refusal(&self, kind: Option<i64>) -> Option<String> {
        let allowed = kind.is_some_and(|kind| self.allowed.iter().any(|event| i64::from(*event) == kind));
        (!allowed).then(|| self.text.clone().unwrap_or_else(|| self.standard.text()))
    }
}

#[derive(Debug)]
struct CompiledRule {
    rule: AnswerRule,
    when: Result<Expression, RuleFault>,
    refuse: Option<Result<MessageTemplate, RuleFault>>,
}

/// What the rules say of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) by: AnsweredBy,
    /// None: it is allowed.
    pub(super) errors: Vec<String>,
    pub(super) spoke: Vec<MatchedRule>,
    pub(super) failed: Vec<RuleFailure>,
}

impl CompiledRules {
    /// Only on a thread with [`expression::STACK`]. Rules that are off aren't in it.
    pub(super) fn open(version: u32, rules: &Rules, reader: Reader, standard: FailureText) -> Self {
        let ready = |rule: &AnswerRule| CompiledRule {
            when: ParsedExpression::read(&rule.when)
                .map(ParsedExpression::bounded)
                .map_err(|fault| fault.of(RulePart::When)),
            refuse: rule
                .refuse
                .as_ref()
                .map(|text| MessageTemplate::read(text).map_err(|fault| fault.of(RulePart::Refuse))),
            rule: rule.clone(),
        };
        Self {
            version,
            rules: rules.rules.iter().filter(|rule| rule.on).map(ready).collect(),
            refuse_otherwise: rules.refuse_otherwise.clone(),
            failure: OnFailure {
                text: rules.refuse_on_failure.clone(),
                standard,
                allowed: rules.allow_on_failure.clone(),
            },
            reader,
            patterns: PatternCache::default(),
            unread: None,
        }
    }

    /// Rules that couldn't be looked at, or not be read: whatever asks is refused until they are known.
    pub(super) fn unread(version: u32, reader: Reader, standard: FailureText, cause: &str) -> Self {
        let failure = OnFailure { text: None, standard, allowed: Vec::new() };
        Self {
            version,
            rules: Vec::new(),
            refuse_otherwise: None,
            failure,
            reader,
            patterns: PatternCache::default(),
            unread: Some(cause.to_owned()),
        }
    }

    /// What is answered to an event. `kind`: as which one it asks; none asks every rule. Only on a thread with [`expression::STACK`].
    pub(super) fn decide(&self, body: &[u8], kind: Option<i64>, now: Timestamp, until: Instant) -> Decision {
        let mut decision =
            Decision { by: AnsweredBy::Default, errors: Vec::new(), spoke: Vec::new(), failed: Vec::new() };
        if let Some(cause) = &self.unread {
            return self.unable(kind, cause);
        }
        let event: Json = serde_json::from_slice(&self.reader.decoded(body)).unwrap_or_default();
        let Some(mut context) = expression::context() else { return self.unable(kind, "cel refuses its limits") };
        self.reader.bind(&mut context, &event, now);
        for ready in &self.rules {
            let asked = kind.is_none_or(|kind| ready.rule.events.iter().any(|event| i64::from(*event) == kind));
            // Once something is refused, only what else is refused is of use.
            if !asked || (!decision.errors.is_empty() && ready.rule.refuse.is_none()) {
                continue;
            }
            let purse = EvaluationBudget::new(until, &self.patterns);
            purse.bind(&mut context);
            match ready.verdict(&context, &purse, &self.reader) {
                Ok(None) => {}
                Ok(Some(said)) => {
                    decision.by = AnsweredBy::Rule;
                    decision.spoke.push(ready.spoke());
                    match said {
                        Some(error) => decision.errors.push(error),
                        None => return decision,
                    }
                }
                Err(fault) => {
                    decision.failed.push(RuleFailure { name: ready.rule.name.clone(), fault });
                    if decision.errors.is_empty()
                        && let Some(text) = self.failure.refusal(kind)
                    {
                        decision.by = AnsweredBy::Failure;
                        decision.errors.push(text);
                    }
                }
            }
        }
        self.unsaid(decision)
    }

    /// Where no rule spoke.
    fn unsaid(&self, mut decision: Decision) -> Decision {
        if decision.by == AnsweredBy::Default {
            if decision.failed.is_empty() {
                decision.errors.extend(self.refuse_otherwise.clone());
            } else {
                decision.by = AnsweredBy::Failure;
            }
        }
        decision
    }

    /// What is answered where the rules weren't done in time.
    pub(super) fn slow(&self, kind: i64) -> Decision {
        let errors = self.failure.refusal(Some(kind)).into_iter().collect();
        Decision { by: AnsweredBy::Slow, errors, spoke: Vec::new(), failed: Vec::new() }
    }

    /// What is answered where no rule can be asked.
    fn unable(&self, kind: Option<i64>, cause: &str) -> Decision {
        let fault = Fault::new(FaultCode::Other, 0).with("cause", cause).of(RulePart::Name);
        let failed = vec![RuleFailure { name: String::new(), fault }];
        let errors = self.failure.refusal(kind).into_iter().collect();
        Decision { by: AnsweredBy::Failure, errors, spoke: Vec::new(), failed }
    }

    /// Whether its rules are known.
    pub(super) fn is_read(&self) -> bool {
        self.unread.is_none()
    }

    /// The names of its rules, in their order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|ready| ready.rule.name.as_str())
    }

    /// Whether it reads events as a reader does, with the same clock.
    pub(super) fn reads_as(&self, reader: &Reader) -> bool {
        self.reader.reads_as(reader)
    }

    /// An event in Takt's names.
    pub(super) fn decoded<'a>(&self, body: &'a [u8]) -> Cow<'a, [u8]> {
        self.reader.decoded(body)
    }

    /// Whether there is a rule that can be asked.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

impl CompiledRule {
    /// None: it doesn't speak. Else why it refuses; none where it allows.
    fn verdict(
        &self,
        context: &cel::Context<'_, '_>,
        purse: &EvaluationBudget,
        reader: &Reader,
    ) -> Result<Option<Option<String>>, RuleFault> {
        let when = self.when.as_ref().map_err(Clone::clone)?;
        match when.run(context, purse).map_err(|fault| fault.of(RulePart::When))? {
            cel::Value::Bool(false) => Ok(None),
            cel::Value::Bool(true) => {
                let Some(refuse) = &self.refuse else { return Ok(Some(None)) };
                let refuse = refuse.as_ref().map_err(Clone::clone)?;
                let said = refuse.render(context, purse, reader).map_err(|fault| fault.of(RulePart::Refuse))?;
                Ok(Some(Some(said)))
            }
            other => Err(Fault::new(FaultCode::NotTruth, 0).with("kind", kind(&other)).of(RulePart::When)),
        }
    }

    fn spoke(&self) -> MatchedRule {
        MatchedRule { name: self.rule.name.clone(), when: self.rule.when.clone(), refuse: self.rule.refuse.clone() }
    }
}
