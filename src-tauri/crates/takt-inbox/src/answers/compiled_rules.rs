//! A site's compiled rules and the decision they make on an event.
//!
//! Rules are evaluated in order and the first match decides. If it refuses, the refusals of later matches are added. A
//! rule that fails, or can't be parsed, refuses the event unless the user chose to allow that event on failure.

use std::{borrow::Cow, sync::Arc, time::Instant};

use jiff::Timestamp;
use parking_lot::RwLock;
use serde_json::Value as Json;

use super::{
    cel_values::EventDecoder,
    evaluation_budget::EvaluationBudget,
    expression::{self, Expression, ParsedExpression, type_name},
    message_template::MessageTemplate,
    pattern::PatternCache,
    rule::{AnswerRule, Rules},
};
use takt_core::{Language, Words};

use crate::events::{AnsweredBy, Fault, FaultCode, MatchedRule, RuleFailure, RuleFault, RulePart};

/// Compiled rules of one site.
#[derive(Debug)]
pub(super) struct CompiledRules {
    /// The number of the edit that saved the rules. 0 if none was ever saved.
    pub(super) version: u32,
    rules: Vec<CompiledRule>,
    refuse_otherwise: Option<String>,
    failure_policy: FailurePolicy,
    decoder: EventDecoder,
    patterns: PatternCache,
    /// The reason why the rules couldn't be read. Absent if they were read.
    read_error: Option<String>,
}

/// The answer if a rule fails.
#[derive(Debug, Clone)]
struct FailurePolicy {
    /// The user's text for the refusal.
    text: Option<String>,
    /// Used if `text` is absent.
    standard_refusal: FailureText,
    /// Numbers of the events that are allowed if a rule fails.
    allowed: Vec<i32>,
}

/// The standard refusal if a rule fails, in Takt's language. Clones share the text.
#[derive(Debug, Clone, Default)]
pub(crate) struct FailureText(Arc<RwLock<String>>);

impl FailureText {
    pub(crate) fn set_language(&self, language: Language) {
        *self.0.write() = Words::load(language).rules_failed_message();
    }

    fn text(&self) -> String {
        let rules = self.0.read().clone();
        if rules.is_empty() { Words::english().rules_failed_message() } else { rules }
    }
}

impl FailurePolicy {
    /// Returns the refusal, or `None` if the user allowed the event. `kind` is the event's number.
    fn refusal(&self, kind: Option<i64>) -> Option<String> {
        let allowed = kind.is_some_and(|kind| self.allowed.iter().any(|event| i64::from(*event) == kind));
        (!allowed).then(|| self.text.clone().unwrap_or_else(|| self.standard_refusal.text()))
    }
}

#[derive(Debug)]
struct CompiledRule {
    rule: AnswerRule,
    when: Result<Expression, RuleFault>,
    refuse: Option<Result<MessageTemplate, RuleFault>>,
}

/// The decision of the rules on one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) answered_by: AnsweredBy,
    /// Reasons for the refusal. Empty if the event is allowed.
    pub(super) errors: Vec<String>,
    pub(super) matched_rules: Vec<MatchedRule>,
    pub(super) failures: Vec<RuleFailure>,
}

impl CompiledRules {
    /// Compiles the enabled rules. Call it only on a thread with [`expression::STACK_BYTES`].
    pub(super) fn compile(version: u32, rules: &Rules, decoder: EventDecoder, standard_refusal: FailureText) -> Self {
        let compile_rule = |rule: &AnswerRule| CompiledRule {
            when: ParsedExpression::parse(&rule.when)
                .map(ParsedExpression::into_bounded)
                .map_err(|fault| fault.in_part(RulePart::When)),
            refuse: rule
                .refuse
                .as_ref()
                .map(|text| MessageTemplate::parse(text).map_err(|fault| fault.in_part(RulePart::Refuse))),
            rule: rule.clone(),
        };
        Self {
            version,
            rules: rules.rules.iter().filter(|rule| rule.on).map(compile_rule).collect(),
            refuse_otherwise: rules.refuse_otherwise.clone(),
            failure_policy: FailurePolicy {
                text: rules.refuse_on_failure.clone(),
                standard_refusal,
                allowed: rules.allow_on_failure.clone(),
            },
            decoder,
            patterns: PatternCache::default(),
            read_error: None,
        }
    }

    /// Creates rules that refuse every event because the stored rules couldn't be read.
    pub(super) fn for_unreadable_rules(
        version: u32,
        decoder: EventDecoder,
        standard_refusal: FailureText,
        cause: &str,
    ) -> Self {
        let failure_policy = FailurePolicy { text: None, standard_refusal, allowed: Vec::new() };
        Self {
            version,
            rules: Vec::new(),
            refuse_otherwise: None,
            failure_policy,
            decoder,
            patterns: PatternCache::default(),
            read_error: Some(cause.to_owned()),
        }
    }

    /// Decides on an event by the rules for its number `kind`, or by all rules if `kind` is `None`. Call it only on a
    /// thread with [`expression::STACK_BYTES`].
    pub(super) fn decide(&self, body: &[u8], kind: Option<i64>, now: Timestamp, until: Instant) -> Decision {
        let mut decision = Decision {
            answered_by: AnsweredBy::Default,
            errors: Vec::new(),
            matched_rules: Vec::new(),
            failures: Vec::new(),
        };
        if let Some(cause) = &self.read_error {
            return self.failure_decision(kind, cause);
        }
        let event: Json = serde_json::from_slice(&self.decoder.decode_event(body)).unwrap_or_default();
        let Some(mut context) = expression::new_context() else {
            return self.failure_decision(kind, "cel refuses its limits");
        };
        self.decoder.bind_variables(&mut context, &event, now);
        for rule in &self.rules {
            let applies = kind.is_none_or(|kind| rule.rule.events.iter().any(|event| i64::from(*event) == kind));
            // After a refusal, only further refusals matter.
            if !applies || (!decision.errors.is_empty() && rule.rule.refuse.is_none()) {
                continue;
            }
            let budget = EvaluationBudget::new(until, &self.patterns);
            budget.bind(&mut context);
            match rule.evaluate(&context, &budget, &self.decoder) {
                Ok(None) => {}
                Ok(Some(refusal)) => {
                    decision.answered_by = AnsweredBy::Rule;
                    decision.matched_rules.push(rule.to_matched_rule());
                    match refusal {
                        Some(error) => decision.errors.push(error),
                        None => return decision,
                    }
                }
                Err(fault) => {
                    decision.failures.push(RuleFailure { name: rule.rule.name.clone(), fault });
                    if decision.errors.is_empty()
                        && let Some(text) = self.failure_policy.refusal(kind)
                    {
                        decision.answered_by = AnsweredBy::Failure;
                        decision.errors.push(text);
                    }
                }
            }
        }
        self.complete_decision(decision)
    }

    /// Completes the decision if no rule matched.
    fn complete_decision(&self, mut decision: Decision) -> Decision {
        if decision.answered_by == AnsweredBy::Default {
            if decision.failures.is_empty() {
                decision.errors.extend(self.refuse_otherwise.clone());
            } else {
                decision.answered_by = AnsweredBy::Failure;
            }
        }
        decision
    }

    /// Returns the decision if the rules took too long.
    pub(super) fn timeout_decision(&self, kind: i64) -> Decision {
        let errors = self.failure_policy.refusal(Some(kind)).into_iter().collect();
        Decision { answered_by: AnsweredBy::Slow, errors, matched_rules: Vec::new(), failures: Vec::new() }
    }

    /// Returns the decision if no rule can be evaluated.
    fn failure_decision(&self, kind: Option<i64>, cause: &str) -> Decision {
        let fault = Fault::new(FaultCode::Other, 0).with_parameter("cause", cause).in_part(RulePart::Name);
        let failures = vec![RuleFailure { name: String::new(), fault }];
        let errors = self.failure_policy.refusal(kind).into_iter().collect();
        Decision { answered_by: AnsweredBy::Failure, errors, matched_rules: Vec::new(), failures }
    }

    /// Returns whether the stored rules could be read.
    pub(super) fn are_readable(&self) -> bool {
        self.read_error.is_none()
    }

    /// Returns the names of the rules in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.rule.name.as_str())
    }

    /// Returns whether the rules decode events like `decoder`, with the same contract and time zone.
    pub(super) fn decodes_same_way_as(&self, decoder: &EventDecoder) -> bool {
        self.decoder.decodes_same_way_as(decoder)
    }

    /// Renames an event's members to Takt's names.
    pub(super) fn decode_event<'a>(&self, body: &'a [u8]) -> Cow<'a, [u8]> {
        self.decoder.decode_event(body)
    }

    /// Returns whether there is no rule to evaluate.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

impl CompiledRule {
    /// Returns `None` if the rule doesn't match, `Some(None)` if it allows the event, and otherwise its refusal.
    fn evaluate(
        &self,
        context: &cel::Context<'_, '_>,
        budget: &EvaluationBudget,
        decoder: &EventDecoder,
    ) -> Result<Option<Option<String>>, RuleFault> {
        let when = self.when.as_ref().map_err(Clone::clone)?;
        match when.run(context, budget).map_err(|fault| fault.in_part(RulePart::When))? {
            cel::Value::Bool(false) => Ok(None),
            cel::Value::Bool(true) => {
                let Some(refuse) = &self.refuse else { return Ok(Some(None)) };
                let refuse = refuse.as_ref().map_err(Clone::clone)?;
                let refusal =
                    refuse.render(context, budget, decoder).map_err(|fault| fault.in_part(RulePart::Refuse))?;
                Ok(Some(Some(refusal)))
            }
            other => Err(Fault::new(FaultCode::NotTruth, 0)
                .with_parameter("kind", type_name(&other))
                .in_part(RulePart::When)),
        }
    }

    fn to_matched_rule(&self) -> MatchedRule {
        MatchedRule { name: self.rule.name.clone(), when: self.rule.when.clone(), refuse: self.rule.refuse.clone() }
    }
}
