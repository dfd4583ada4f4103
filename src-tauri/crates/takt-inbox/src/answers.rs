//! Answers to the events that ask: rules in CEL, tried on the past before they are relied on, and asked within a second.
//!
//! Owns rules (`rule`), how they are understood and bounded (`expression`, `evaluation_budget`, `check`), what they see of an event
//! (`values`), what they decide (`compiled_rules`), the threads that ask them (`worker_pool`, `handler`) and trials (`trial`). Leaves to `inbox` that
//! an event is on disk before it is answered, to the contract what its members mean.

mod check;
mod compiled_rules;
mod evaluation_budget;
mod expression;
mod failing;
mod handler;
mod message_template;
mod pattern;
mod rule;
mod trial;
mod values;
mod view;
mod worker_pool;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use parking_lot::Mutex;
use takt_client::Canceller;
use takt_contract::Contract;
use takt_core::{Clock, Code, Language, Problem};
use takt_sites::Context;
use takt_sites::sites::Sites;

use crate::events::{EventStore, Fault, FaultCode, RulePart};
use compiled_rules::{CompiledRules, FailureText};
use expression::deep;
use trial::TrialInput;

pub use failing::RulesFailing;
pub(crate) use handler::{AnswerHandler, EventToAnswer, SiteRules};
pub use rule::{AnswerRule, Rules};
pub use view::*;

/// What rules speak of.
const VARIABLES: [&str; 4] = ["order", "event", "now", "local"];

/// The rules by which sites answer events that ask.
#[derive(Clone)]
pub struct AnswerRules {
    contract: Arc<Contract>,
    sites: Arc<Sites>,
    events: Arc<EventStore>,
    clock: Clock,
    shelves: Arc<RuleCache>,
}

takt_core::opaque_debug!(AnswerRules);

/// The sites' rules in force, read when they are needed first.
#[derive(Debug, Default)]
struct RuleCache {
    by_site: Mutex<HashMap<String, SiteRules>>,
    failure: FailureText,
}

impl AnswerRules {
    /// Rules of the sites of `context`; they are tried on what `events` keeps.
    #[must_use]
    pub fn new(context: &Context, events: Arc<EventStore>) -> Self {
        Self {
            contract: Arc::clone(&context.contract),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            events,
            shelves: Arc::default(),
        }
    }

    /// The language of what Takt itself tells who asks.
    pub fn speak(&self, language: Language) {
        self.shelves.failure.speak(language);
    }

    /// What rules can speak of, and examples to start from.
    #[must_use]
    pub fn words(&self) -> RuleWords {
        let contract = &self.contract;
        let mut variables: Vec<_> = VARIABLES.iter().map(|&name| name.to_owned()).collect();
        variables.extend(check::LOCAL.iter().map(|name| format!("local.{name}")));
        let answering = contract.answering();
        let events = contract.events().iter().filter(|event| event.asks).cloned().collect();
        let unanswered = contract.assumption("event-unanswered-check");
        let unanswered = unanswered.and_then(|assumed| assumed.get("allowed")?.as_bool());
        let (order, examples) = (answering.order.clone(), answering.examples.clone());
        RuleWords { events, variables, order, examples, unanswered }
    }

    /// The rules by which a site's events are answered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::RulesRefused`]: what is kept isn't what this Takt writes.
    /// - A [journal code](takt_core::problem#journal-codes): the sites or the rules can't be read.
    pub fn rules(&self, site: &str) -> Result<RuleSet, Problem> {
        let site = self.sites.find(site)?.name;
        let Some(kept) = self.events.of(Some(&site))?.rules().latest(&site)? else {
            return Ok(RuleSet { version: 0, saved: None, rules: Rules::default() });
        };
        let rules = Rules::from_json(&kept.text)?;
        Ok(RuleSet { version: kept.version, saved: Some(kept.at.to_string()), rules })
    }

    /// What is wrong with rules as they are written, one after the other. Takes a moment: not for a thread that answers others.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites, or which rules were tried, can't be read.
    /// - [`Code::Bug`]: no thread can be started for the rules.
    pub fn check(&self, site: &str, rules: &Rules) -> Result<Vec<RuleCheck>, Problem> {
        let site = self.sites.find(site)?.name;
        let hashes: Vec<_> = rules.rules.iter().map(AnswerRule::text_hash).collect();
        let tried: HashSet<String> = self.events.of(Some(&site))?.rules().tried(&site, &hashes)?.into_iter().collect();
        let (contract, reader) = (Arc::clone(&self.contract), self.shelf(&site).reader());
        let checks = deep(|| {
            let checked = |(at, (rule, hash)): (usize, (&AnswerRule, &String))| {
                let mut faults = check::check(&contract, &reader, rule);
                let taken = rules.rules.iter().take(at).any(|other| other.name.trim() == rule.name.trim());
                if taken && !rule.name.trim().is_empty() {
                    faults.push(Fault::new(FaultCode::NameTaken, 0).of(RulePart::Name));
                }
                RuleCheck { faults, tried: tried.contains(hash) }
            };
            rules.rules.iter().zip(&hashes).enumerate().map(checked).collect()
        });
        checks.ok_or_else(|| Problem::new(Code::Bug).details("no thread for the rules"))
    }

    /// What the rules that are on would have answered to events of the past, the newest first. `others`: events that don't ask
    /// are looked at, too, as if they did. From then on these rules may be relied on. Not for a thread that answers others.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::InvalidInput`]: a text for refusals is empty, or an event is to be allowed that doesn't ask.
    /// - [`Code::RuleFaulty`]: a rule that is on has an error, or a rule has no usable name.
    /// - A [journal code](takt_core::problem#journal-codes): the events can't be read, or that the rules were tried can't
    ///   be written.
    /// - [`Code::Bug`]: no thread can be started for the rules.
    pub fn try_out(
        &self,
        site: &str,
        rules: &Rules,
        others: bool,
        canceller: &Canceller,
        mut told: impl FnMut(TrialProgress) + Send,
    ) -> Result<Trial, Problem> {
        let site = self.sites.find(site)?.name;
        self.sound(&site, rules)?;
        let (inbox, contract) = (self.events.of(Some(&site))?, Arc::clone(&self.contract));
        let kinds = contract.events().iter().filter(|event| event.asks).map(|event| i64::from(event.id)).collect();
        let (reader, failure) = (self.shelf(&site).reader(), self.shelf(&site).failure());
        let trial = deep(|| {
            let book = CompiledRules::open(0, rules, reader, failure);
            let trying = TrialInput { contract, inbox: Arc::clone(&inbox), site: site.clone(), book, kinds, others };
            trying.run(canceller, &mut told)
        });
        let trial = trial.unwrap_or_else(|| Err(Problem::new(Code::Bug).details("no thread for the rules")))?;
        if !trial.stopped {
            let hashes: Vec<_> = rules.rules.iter().filter(|rule| rule.on).map(AnswerRule::text_hash).collect();
            inbox.rules().mark_tried(&site, &hashes, (self.clock)())?;
        }
        Ok(trial)
    }

    /// Puts rules in force. Each that is on must have been tried as it stands.
    ///
    /// # Errors
    ///
    /// As [`Self::try_out`]; and [`Code::RuleNotTried`]: a rule is on that wasn't tried as it stands. Nothing is kept then.
    pub fn save(&self, site: &str, rules: &Rules) -> Result<RuleSet, Problem> {
        let site = self.sites.find(site)?.name;
        let checks = self.sound(&site, rules)?;
        let untried = rules.rules.iter().zip(&checks).find(|(rule, check)| rule.on && !check.tried);
        if let Some((rule, _)) = untried {
            return Err(Problem::new(Code::RuleNotTried).parameter("rule", &*rule.name));
        }
        let inbox = self.events.of(Some(&site))?;
        inbox.rules().save(&site, (self.clock)(), &rules.to_json())?;
        self.shelf(&site).refresh(&inbox);
        self.rules(&site)
    }

    /// No rule of a site that is gone is in force any more, whatever is called so later. Its edits stay. A team's rules stay in force: its
    /// other desks have the site still.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the rules can't be read or written.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        let inbox = self.events.of(Some(site))?;
        if !inbox.is_shared() && inbox.rules().latest(site)?.is_some() {
            inbox.rules().save(site, (self.clock)(), &Rules::default().to_json())?;
            self.shelf(site).refresh(&inbox);
        }
        Ok(())
    }

    /// A site's rules in force.
    pub(crate) fn shelf(&self, site: &str) -> SiteRules {
        let mut shelves = self.shelves.by_site.lock();
        if let Some(shelf) = shelves.get(site) {
            return shelf.clone();
        }
        let failure = self.shelves.failure.clone();
        let shelf = SiteRules::new(site, Arc::clone(&self.sites), Arc::clone(&self.contract), failure);
        shelves.insert(site.to_owned(), shelf.clone());
        shelf
    }

    /// Rules without an error, and something to say where they refuse.
    fn sound(&self, site: &str, rules: &Rules) -> Result<Vec<RuleCheck>, Problem> {
        for (what, text) in
            [("refuseOtherwise", &rules.refuse_otherwise), ("refuseOnFailure", &rules.refuse_on_failure)]
        {
            if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
                return Err(Problem::new(Code::InvalidInput).parameter("what", what));
            }
        }
        let asks = |id: &&i32| !self.contract.events().iter().any(|event| event.asks && event.id == **id);
        if let Some(event) = rules.allow_on_failure.iter().find(asks) {
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
