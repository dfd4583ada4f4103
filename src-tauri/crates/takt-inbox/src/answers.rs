//! Answers events that wait for a reply with a site's rules, written in CEL.
//!
//! `rule`, `expression`, `evaluation_budget` and `check` parse and limit rules, and `cel_values` binds the event's
//! data. `compiled_rules` decides, `handler` and `worker_pool` run rules within the reply's time limit, and `trial`
//! tries rules on past events. This module never stores events: the receiver stores each event before it is answered.

mod cel_values;
mod check;
mod compiled_rules;
mod evaluation_budget;
mod expression;
mod handler;
mod message_template;
mod pattern;
mod rule;
mod trial;
mod worker_pool;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use takt_client::Canceller;
use takt_contract::{Contract, EventKind, RuleExample};
use takt_core::{Clock, Code, Language, Problem};
use takt_sites::{Context, Sites};

use crate::events::{AnsweredBy, EventAnswer, EventStore, Fault, FaultCode, RuleFault, RulePart};
use compiled_rules::{CompiledRules, FailureText};
use expression::run_on_deep_stack;
use trial::TrialInput;

pub(crate) use handler::{AnswerHandler, EventToAnswer, SiteRules};
pub use rule::{AnswerRule, Rules};
pub use trial::{RuleTrial, Trial, TrialChange, TrialProgress};

/// A site's rules in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RuleSet {
    /// Incremented by each edit. 0 if there was none.
    pub version: u32,
    /// The time of the last edit, ISO 8601 in UTC. Absent if there was none.
    pub saved: Option<String>,
    pub rules: Rules,
}

/// The result of checking a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleCheck {
    pub faults: Vec<RuleFault>,
    /// Whether this exact text was tried on past events.
    pub tried: bool,
}

/// The events, variables and examples for an editor of rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleWords {
    /// The events that wait for an answer.
    pub events: Vec<EventKind>,
    /// Names of variables, with meanings in the language files, section `variable`.
    pub variables: Vec<String>,
    /// The event's member whose first element is the variable `order`.
    pub order: Option<String>,
    pub examples: Vec<RuleExample>,
    /// Whether the service is assumed to allow the action without a reply. Absent if unknown.
    pub unanswered: Option<bool>,
}

/// The variables that expressions of rules can use.
const VARIABLES: [&str; 4] = ["order", "event", "now", "local"];

/// The rules by which sites answer events.
#[derive(Clone)]
pub struct AnswerRules {
    contract: Arc<Contract>,
    sites: Arc<Sites>,
    events: Arc<EventStore>,
    clock: Clock,
    cache: Arc<SiteRulesCache>,
}

takt_core::opaque_debug!(AnswerRules);

/// A cache of the sites' rules in force, each read on first use.
#[derive(Debug, Default)]
struct SiteRulesCache {
    by_site: Mutex<HashMap<String, SiteRules>>,
    standard_refusal: FailureText,
}

impl AnswerRules {
    /// Creates the rules of the sites of `context`. Trials use the events that `events` stores.
    #[must_use]
    pub fn new(context: &Context, events: Arc<EventStore>) -> Self {
        Self {
            contract: Arc::clone(&context.contract),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            events,
            cache: Arc::default(),
        }
    }

    /// Sets the language of Takt's own refusal when a rule fails.
    pub fn set_language(&self, language: Language) {
        self.cache.standard_refusal.set_language(language);
    }

    /// Returns the events, variables and example rules for an editor of rules.
    #[must_use]
    pub fn rule_words(&self) -> RuleWords {
        let contract = &self.contract;
        let mut variables: Vec<_> = VARIABLES.iter().map(|&name| name.to_owned()).collect();
        variables.extend(check::LOCAL_TIME_MEMBERS.iter().map(|name| format!("local.{name}")));
        let answering = contract.reply_rules();
        let events = contract.events().iter().filter(|event| event.asks).cloned().collect();
        let unanswered = contract.assumption("event-unanswered-check");
        let unanswered = unanswered.and_then(|assumed| assumed.get("allowed")?.as_bool());
        let (order, examples) = (answering.order.clone(), answering.examples.clone());
        RuleWords { events, variables, order, examples, unanswered }
    }

    /// Returns the rules by which a site's events are answered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::RulesRefused`]: this version of Takt can't read the stored rules.
    /// - A [journal code](takt_core::problem#journal-codes): the sites or the rules can't be read.
    pub fn rules(&self, site: &str) -> Result<RuleSet, Problem> {
        let site = self.sites.find(site)?.name;
        let Some(edit) = self.events.open_inbox(Some(&site))?.rules().latest(&site)? else {
            return Ok(RuleSet { version: 0, saved: None, rules: Rules::default() });
        };
        let rules = Rules::from_json(&edit.text)?;
        Ok(RuleSet { version: edit.version, saved: Some(edit.at.to_string()), rules })
    }

    /// Returns the faults of each rule, in the order of `rules`. Blocks: don't call it on an async thread.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites, or the rules' trials, can't be read.
    /// - [`Code::Bug`]: no thread can be started for the rules.
    pub fn check(&self, site: &str, rules: &Rules) -> Result<Vec<RuleCheck>, Problem> {
        let site = self.sites.find(site)?.name;
        let hashes: Vec<_> = rules.rules.iter().map(AnswerRule::text_hash).collect();
        let tried: HashSet<String> =
            self.events.open_inbox(Some(&site))?.rules().filter_tried(&site, &hashes)?.into_iter().collect();
        let (contract, decoder) = (Arc::clone(&self.contract), self.site_rules(&site).decoder()?);
        let checks = run_on_deep_stack(|| {
            let checked = |(at, (rule, hash)): (usize, (&AnswerRule, &String))| {
                let mut faults = check::check_rule(&contract, &decoder, rule);
                let taken = rules.rules.iter().take(at).any(|other| other.name.trim() == rule.name.trim());
                if taken && !rule.name.trim().is_empty() {
                    faults.push(Fault::new(FaultCode::NameTaken, 0).in_part(RulePart::Name));
                }
                RuleCheck { faults, tried: tried.contains(hash) }
            };
            rules.rules.iter().zip(&hashes).enumerate().map(checked).collect()
        });
        checks.ok_or_else(|| Problem::new(Code::Bug).details("no thread for the rules"))
    }

    /// Tries the enabled rules on past events, the newest first. Marks the rules as tried unless the trial was stopped.
    ///
    /// If `include_other_events` is set, events that don't wait for an answer are tried as if they did. Blocks: don't
    /// call it on an async thread.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::InvalidInput`]: a text for refusals is empty, or an event to allow doesn't wait for an answer.
    /// - [`Code::RuleFaulty`]: an enabled rule has an error, or a rule has no usable name.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read, or the trial can't be recorded.
    /// - [`Code::Bug`]: no thread can be started for the rules.
    pub fn run_trial(
        &self,
        site: &str,
        rules: &Rules,
        include_other_events: bool,
        canceller: &Canceller,
        mut on_progress: impl FnMut(TrialProgress) + Send,
    ) -> Result<Trial, Problem> {
        let site = self.sites.find(site)?.name;
        self.require_valid(&site, rules)?;
        let (inbox, contract) = (self.events.open_inbox(Some(&site))?, Arc::clone(&self.contract));
        let kinds = contract.events().iter().filter(|event| event.asks).map(|event| i64::from(event.id)).collect();
        let (decoder, failure) = (self.site_rules(&site).decoder()?, self.site_rules(&site).standard_refusal());
        let trial = run_on_deep_stack(|| {
            let compiled = CompiledRules::compile(0, rules, decoder, failure);
            let trying = TrialInput {
                contract,
                inbox: Arc::clone(&inbox),
                site: site.clone(),
                compiled,
                kinds,
                include_other_events,
            };
            trying.run(canceller, &mut on_progress)
        });
        let trial = trial.unwrap_or_else(|| Err(Problem::new(Code::Bug).details("no thread for the rules")))?;
        if !trial.stopped {
            let hashes: Vec<_> = rules.rules.iter().filter(|rule| rule.on).map(AnswerRule::text_hash).collect();
            inbox.rules().mark_tried(&site, &hashes, (self.clock)())?;
        }
        Ok(trial)
    }

    /// Puts rules in force. Each enabled rule must have been tried unchanged.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::run_trial`], and [`Code::RuleNotTried`]: an enabled rule hasn't been tried since its last
    /// change. Nothing is saved then.
    pub fn save(&self, site: &str, rules: &Rules) -> Result<RuleSet, Problem> {
        let site = self.sites.find(site)?.name;
        let checks = self.require_valid(&site, rules)?;
        let untried = rules.rules.iter().zip(&checks).find(|(rule, check)| rule.on && !check.tried);
        if let Some((rule, _)) = untried {
            return Err(Problem::new(Code::RuleNotTried).parameter("rule", &*rule.name));
        }
        let inbox = self.events.open_inbox(Some(&site))?;
        inbox.rules().save(&site, (self.clock)(), &rules.to_json())?;
        self.site_rules(&site).refresh(&inbox);
        self.rules(&site)
    }

    /// Puts an empty set of rules in force for a removed site, so that a later site of that name starts without rules.
    ///
    /// Earlier edits remain stored. A team's shared rules don't change because its other desks may still use the site.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the rules can't be read or written.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        let inbox = self.events.open_inbox(Some(site))?;
        if !inbox.is_shared() && inbox.rules().latest(site)?.is_some() {
            inbox.rules().save(site, (self.clock)(), &Rules::default().to_json())?;
            self.site_rules(site).refresh(&inbox);
        }
        Ok(())
    }

    /// Returns a site's rules in force.
    pub(crate) fn site_rules(&self, site: &str) -> SiteRules {
        let mut cache = self.cache.by_site.lock();
        if let Some(site_rules) = cache.get(site) {
            return site_rules.clone();
        }
        let failure = self.cache.standard_refusal.clone();
        let site_rules = SiteRules::new(site, Arc::clone(&self.sites), Arc::clone(&self.contract), failure);
        cache.insert(site.to_owned(), site_rules.clone());
        site_rules
    }

    /// Checks that no enabled rule has an error, no refusal text is empty, and all allowed events wait for an answer.
    fn require_valid(&self, site: &str, rules: &Rules) -> Result<Vec<RuleCheck>, Problem> {
        for (what, text) in
            [("refuseOtherwise", &rules.refuse_otherwise), ("refuseOnFailure", &rules.refuse_on_failure)]
        {
            if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
                return Err(Problem::new(Code::InvalidInput).parameter("what", what));
            }
        }
        let never_asks = |id: &&i32| !self.contract.events().iter().any(|event| event.asks && event.id == **id);
        if let Some(event) = rules.allow_on_failure.iter().find(never_asks) {
            return Err(Problem::new(Code::InvalidInput).parameter("what", format!("allowOnFailure: {event}")));
        }
        let checks = self.check(site, rules)?;
        for (rule, check) in rules.rules.iter().zip(&checks) {
            if let Some(fault) =
                check.faults.iter().find(|fault| fault.error && (rule.on || fault.part == RulePart::Name))
            {
                let words = takt_core::Words::load(takt_core::Language::En);
                let problem = Problem::new(Code::RuleFaulty).parameter("rule", &*rule.name);
                return Err(problem.details(fault.text(&words)));
            }
        }
        Ok(checks)
    }
}

/// The time for which a failure is shown.
const FAILURE_DISPLAY_PERIOD: SignedDuration = SignedDuration::from_hours(1);
/// The number of answers that are searched for failures. They are the newest of all sites.
const MAX_ANSWERS: u32 = 500;

/// Failures of a site's rules within the last hour, since their last edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RulesFailing {
    /// Events on which a rule failed or the rules timed out, of the newest 500 with an answer.
    pub events: u32,
    /// Events among them that were allowed nevertheless.
    pub allowed: u32,
    /// The arrival of the first of these events (ISO 8601 in UTC).
    pub since: String,
    pub last: String,
    /// The names of the failed rules. Empty if the rules only timed out.
    pub rules: Vec<String>,
}

impl AnswerRules {
    /// Returns the recent failures of a site's rules, or `None` if there are none.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the rules or the answers can't be read.
    pub fn failing_rules(&self, site: &str) -> Result<Option<RulesFailing>, Problem> {
        let site = self.sites.find(site)?.name;
        let inbox = self.events.open_inbox(Some(&site))?;
        let edited = inbox.rules().latest(&site)?.map_or(Timestamp::MIN, |edit| edit.at);
        let since = (self.clock)().checked_sub(FAILURE_DISPLAY_PERIOD).unwrap_or(Timestamp::MIN).max(edited);
        let mut failing: Option<RulesFailing> = None;
        // The newest comes first, so `since` is overwritten with earlier times.
        for record in inbox.answers_since(&site, since, MAX_ANSWERS)? {
            let Ok(answer) = serde_json::from_str::<EventAnswer>(&record.detail) else { continue };
            if answer.by != AnsweredBy::Slow && answer.failed.is_empty() {
                continue;
            }
            let at = record.at.to_string();
            let failing = failing.get_or_insert_with(|| RulesFailing {
                events: 0,
                allowed: 0,
                since: at.clone(),
                last: at.clone(),
                rules: Vec::new(),
            });
            failing.events += 1;
            failing.allowed += u32::from(answer.allowed);
            failing.since = at;
            for failure in answer.failed {
                if !failure.name.is_empty() && !failing.rules.contains(&failure.name) {
                    failing.rules.push(failure.name);
                }
            }
        }
        Ok(failing)
    }
}
