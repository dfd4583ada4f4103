//! Opens an engine: loads the policy, opens or salvages the journal, removes secrets that earlier versions stored,
//! composes the parts, and sets up the policy's sites.

use std::sync::Arc;

use takt_contract::Contract;
use takt_core::{
    Clock, Home, Problem,
    policy::Policy,
    salvage::{SalvagedFile, record_salvage},
    words::CurrentWords,
};
use takt_journal::Journal;
use takt_sites::{Context, Sites, SitesConfig, move_passwords, redact_stored_responses};

use crate::{
    Engine, EngineConfig, policy,
    team::{self, TeamMembership},
};

impl Engine {
    /// Opens the engine. A damaged journal is replaced by its readable content. Requests that were in flight when an
    /// earlier process died become unconfirmed.
    ///
    /// # Errors
    ///
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be opened or replaced, or a secret of an
    ///   earlier version can't be removed from it.
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput) (`policy`), or a code of a site file: this computer's
    ///   policy is invalid.
    /// - [`Code::Bug`](takt_core::Code::Bug): the built-in contract can't be read.
    pub fn open(config: EngineConfig) -> Result<Arc<Self>, Problem> {
        let EngineConfig { home, clock, vault, timeouts, failpoints, person, team } = config;
        let policy = Arc::new(Policy::load(home.policy())?);
        let contract = Arc::new(Contract::builtin()?);
        let journal = Arc::new(team::connect_journal(open_journal(&home, &clock)?, &home, &vault, &team, &person)?);
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
        match redact_stored_responses(&journal, &vault, &home).and_then(|()| move_passwords(&journal, &vault, &home)) {
            // The journal can't be written. Reading works anyway, and the next start tries again.
            Err(problem) if problem.code.is_journal_failure() => {
                tracing::warn!(?problem, "secrets stay where they are")
            }
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
        let current_words = CurrentWords::new(&contract);
        let context = Context { home, clock, contract, journal, sites, current_words };
        let engine = Self::compose(context, Arc::clone(&policy), membership, failpoints, person)?;
        policy::apply(&engine, &policy)?;
        Ok(Arc::new(engine))
    }
}

fn open_journal(home: &Home, clock: &Clock) -> Result<Journal, Problem> {
    let (journal, salvaged) = Journal::open_or_salvage(&home.journal(), clock())?;
    if let Some(salvaged) = salvaged {
        record_salvage(&journal, SalvagedFile::Journal, &salvaged)?;
        journal.requests().mark_responses_unredacted()?;
    }
    Ok(journal)
}
