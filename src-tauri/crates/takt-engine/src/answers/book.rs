//! A site's rules, ready to answer.
//!
//! The rules are asked in their order. The first that speaks decides; where it refuses, what later rules refuse is told as well.
//! A rule that fails (also one that can't be understood at all) refuses where that is wanted, and is passed over otherwise.

use std::time::Instant;

use jiff::Timestamp;
use serde_json::Value as Json;

use super::{
    bounds::Purse,
    expression::{self, Expression, Written, kind},
    fault::{Fault, FaultCode, RuleFault, RulePart},
    reason::Told,
    rule::{AnswerRule, Rules},
    values::Reader,
    view::{AnsweredBy, RuleFailure, Spoke},
};

/// Rules that can be asked.
#[derive(Debug)]
pub(super) struct Book {
    /// Which edit of the site's rules; 0: none was ever kept.
    pub(super) version: u32,
    rules: Vec<Ready>,
    refuse_otherwise: Option<String>,
    pub(super) refuse_on_failure: Option<String>,
    reader: Reader,
}

#[derive(Debug)]
struct Ready {
    rule: AnswerRule,
    when: Result<Expression, RuleFault>,
    refuse: Option<Result<Told, RuleFault>>,
}

/// What the rules say of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) by: AnsweredBy,
    /// None: it is allowed.
    pub(super) errors: Vec<String>,
    pub(super) spoke: Vec<Spoke>,
    pub(super) failed: Vec<RuleFailure>,
}

impl Book {
    /// Only on a thread with [`expression::STACK`]. Rules that are off aren't in it.
    pub(super) fn open(version: u32, rules: &Rules, reader: Reader) -> Self {
        let ready = |rule: &AnswerRule| Ready {
            when: Written::read(&rule.when).map(Written::bounded).map_err(|fault| fault.of(RulePart::When)),
            refuse: rule.refuse.as_ref().map(|text| Told::read(text).map_err(|fault| fault.of(RulePart::Refuse))),
            rule: rule.clone(),
        };
        Self {
            version,
            rules: rules.rules.iter().filter(|rule| rule.on).map(ready).collect(),
            refuse_otherwise: rules.refuse_otherwise.clone(),
            refuse_on_failure: rules.refuse_on_failure.clone(),
            reader,
        }
    }

    /// What is answered to an event. `kind`: as which one it asks; none asks every rule. Only on a thread with [`expression::STACK`].
    pub(super) fn decide(&self, body: &[u8], kind: Option<i64>, now: Timestamp, until: Instant) -> Decision {
        let mut decision =
            Decision { by: AnsweredBy::Default, errors: Vec::new(), spoke: Vec::new(), failed: Vec::new() };
        let event: Json = serde_json::from_slice(body).unwrap_or_default();
        let Some(mut context) = expression::context() else { return decision };
        self.reader.bind(&mut context, &event, now);
        for ready in &self.rules {
            let asked = kind.is_none_or(|kind| ready.rule.events.iter().any(|event| i64::from(*event) == kind));
            // Once something is refused, only what else is refused is of use.
            if !asked || (!decision.errors.is_empty() && ready.rule.refuse.is_none()) {
                continue;
            }
            let purse = Purse::new(until);
            purse.bind(&mut context);
            match ready.says(&context, &purse, &self.reader) {
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
                    if let Some(text) = self.refuse_on_failure.as_ref().filter(|_| decision.errors.is_empty()) {
                        decision.by = AnsweredBy::Failure;
                        decision.errors.push(text.clone());
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
    pub(super) fn slow(&self) -> Decision {
        let errors = self.refuse_on_failure.clone().into_iter().collect();
        Decision { by: AnsweredBy::Slow, errors, spoke: Vec::new(), failed: Vec::new() }
    }

    /// The names of its rules, in their order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|ready| ready.rule.name.as_str())
    }

    /// Whether its clock goes as that of a reader.
    pub(super) fn goes_as(&self, reader: &Reader) -> bool {
        self.reader.zone() == reader.zone()
    }

    /// Whether there is a rule that can be asked.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

impl Ready {
    /// None: it doesn't speak. Else why it refuses; none where it allows.
    fn says(
        &self,
        context: &cel::Context<'_, '_>,
        purse: &Purse,
        reader: &Reader,
    ) -> Result<Option<Option<String>>, RuleFault> {
        let when = self.when.as_ref().map_err(Clone::clone)?;
        match when.run(context, purse).map_err(|fault| fault.of(RulePart::When))? {
            cel::Value::Bool(false) => Ok(None),
            cel::Value::Bool(true) => {
                let Some(refuse) = &self.refuse else { return Ok(Some(None)) };
                let refuse = refuse.as_ref().map_err(Clone::clone)?;
                let said = refuse.say(context, purse, reader).map_err(|fault| fault.of(RulePart::Refuse))?;
                Ok(Some(Some(said)))
            }
            other => Err(Fault::new(FaultCode::NotTruth, 0).with("kind", kind(&other)).of(RulePart::When)),
        }
    }

    fn spoke(&self) -> Spoke {
        Spoke { name: self.rule.name.clone(), when: self.rule.when.clone(), refuse: self.rule.refuse.clone() }
    }
}
