//! Opening an engine: the policy is read, the journal opened or saved, secrets of an earlier Takt cleaned away, the parts composed,
//! and the policy's sites set up.

use std::sync::Arc;

use takt_contract::Contract;
use takt_core::{
    Clock, Home, Problem,
    policy::Policy,
    salvage::{SalvagedFile, record_salvage},
    words::CurrentWords,
};
use takt_journal::Journal;
use takt_sites::{
    Context, Sites, SitesConfig,
    sites::{clean_answers, move_passwords},
};
use takt_submit::{Submissions, SubmissionsConfig};

use crate::{
    Engine, EngineConfig, policy,
    team::{self, TeamMembership},
};

impl Engine {
    /// Opens the journal; a damaged one is replaced by what can be read of it. What was being sent when an earlier Takt died is
    /// in doubt from here on.
    ///
    /// # Errors
    ///
    /// - A [journal code](takt_core::problem#journal-codes): the journal can neither be opened nor replaced, or a secret of
    ///   an earlier Takt can't be taken out of it.
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput) (`policy`), or what a site file is refused for: the policy of this computer
    ///   can't be used.
    /// - [`Code::Bug`](takt_core::Code::Bug): the contract that is part of the program can't be read.
    pub fn open(config: EngineConfig) -> Result<Arc<Self>, Problem> {
        let EngineConfig { home, clock, vault, timeouts, failpoints, person, team } = config;
        let policy = Arc::new(Policy::load(home.policy())?);
        let contract = Arc::new(Contract::builtin()?);
        let journal = Arc::new(team::joined(open_journal(&home, &clock)?, (&home, &vault), (&team, &person))?);
        let membership = TeamMembership {
            home: home.clone(),
            clock: Arc::clone(&clock),
            contract: Arc::clone(&contract),
            vault: vault.clone(),
            journal: Arc::clone(&journal),
            person: person.clone(),
            choice: team,
        };
        let person = team::person_at_desk(&journal, person);
        match clean_answers(&journal, &vault, &home).and_then(|()| move_passwords(&journal, &vault, &home)) {
            // Nothing can be written down: it can be looked at all the same, and the next start tries again.
            Err(problem) if problem.code.is_of_journal() => tracing::warn!(?problem, "secrets stay where they are"),
            moved => moved?,
        }
        let sites = Arc::new(Sites::new(SitesConfig {
            contract: Arc::clone(&contract),
            journal: Arc::clone(&journal),
            vault,
            locks: home.locks(),
            clock: Arc::clone(&clock),
            timeouts,
            failpoints: failpoints.clone(),
        }));
        let spoken = CurrentWords::new(&contract);
        let submissions = Submissions::open(SubmissionsConfig {
            journal: Arc::clone(&journal),
            sites: Arc::clone(&sites),
            clock: Arc::clone(&clock),
            spoken: spoken.clone(),
            person: person.clone(),
            failpoints,
            deleted: home.deleted(),
        })?;
        let context = Context { home, clock, contract, journal, sites, spoken };
        let engine = Self::compose(context, (Arc::clone(&policy), membership), Arc::new(submissions), person);
        policy::apply(&engine, &policy)?;
        Ok(Arc::new(engine))
    }
}

fn open_journal(home: &Home, clock: &Clock) -> Result<Journal, Problem> {
    let (journal, salvaged) = Journal::open_or_salvage(&home.journal(), clock())?;
    if let Some(salvaged) = salvaged {
        record_salvage(&journal, SalvagedFile::Journal, &salvaged)?;
        journal.requests().distrust_answers()?;
    }
    Ok(journal)
}
