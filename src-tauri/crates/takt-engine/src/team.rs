//! Joins and leaves a team, checks its database, and lists changes of shared settings.
//!
//! The address is stored in a file of the home folder, and its password in the vault. Both are read when Takt starts,
//! so joining and leaving take effect with the next start.

mod address;
mod changes;
mod membership;

use std::sync::Arc;

use takt_client::{Secret, SecretKind, TEAM, Vault, normalize_address};
use takt_core::{Home, Problem};
use takt_journal::{ApprovalRule, Journal, Team};

use address::{load_address, parse_address, password_origin, team_tls, with_password};
use membership::person_at_computer;

pub use address::{TeamChoice, read_password_file};
pub use changes::{SharedChangeType, SharedChangeView};
pub use membership::{
    ApprovalRuleView, TeamCheckView, TeamJoinProgress, TeamJoinView, TeamMembership, TeamRunView, TeamView,
};
pub use takt_journal::SharedKind;

/// Creates a team's schema in an empty database, or migrates it. Returns its previous version, or 0 if there was none.
///
/// # Errors
///
/// - [`Code::TeamFailed`](takt_core::Code::TeamFailed) (`address`): the address is invalid.
/// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): its certificate authorities can't be used.
/// - [`Code::TeamAway`](takt_core::Code::TeamAway) or [`Code::TeamFailed`](takt_core::Code::TeamFailed): the database
///   can't be reached, or refuses.
pub fn set_up(address: &str, password: Option<&str>) -> Result<u32, Problem> {
    let address = with_password(parse_address(address)?, password);
    Ok(Team::set_up(&address, &team_tls(&address)?)?)
}

/// Sets which of a service's submissions need a second person's approval, for the whole team. A rule without
/// `rows_above` and `deletes` removes the earlier rule. `address` must sign in as the owner of the team's schema.
///
/// # Errors
///
/// - [`Code::TeamFailed`](takt_core::Code::TeamFailed) (`address`): the address is invalid.
/// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): its certificate authorities can't be used.
/// - [`Code::TeamAway`](takt_core::Code::TeamAway) or [`Code::TeamFailed`](takt_core::Code::TeamFailed): the database
///   can't be reached, or refuses.
pub fn set_approval_rule(address: &str, password: Option<&str>, rule: &ApprovalRuleView) -> Result<(), Problem> {
    let address = with_password(parse_address(address)?, password);
    let tls = team_tls(&address)?;
    let rule =
        ApprovalRule { base_url: normalize_address(&rule.service), rows_above: rule.rows_above, deletes: rule.deletes };
    Ok(Team::set_approval_rule(address, tls, &rule)?)
}

/// Returns true if an address contains a password.
///
/// # Errors
///
/// [`Code::TeamFailed`](takt_core::Code::TeamFailed) (`address`): the address is invalid.
pub fn has_password(address: &str) -> Result<bool, Problem> {
    Ok(parse_address(address)?.has_password())
}

/// Connects the journal to the team's database, if this computer belongs to a team. `person` is recorded as the sender.
pub(crate) fn connect_journal(
    journal: Journal,
    home: &Home,
    vault: &Vault,
    choice: &TeamChoice,
    person: &str,
) -> Result<Journal, Problem> {
    let Some(text) = load_address(home, choice)? else { return Ok(journal) };
    let address = parse_address(&text)?;
    let password = match choice {
        TeamChoice::Given { password, .. } => password.clone(),
        TeamChoice::Joined => None,
    };
    if let Some(password) = address.password().as_ref().or(password.as_ref()) {
        // Registers the password, so that it is redacted from logs.
        vault.override_for(TEAM, SecretKind::TeamPassword, &password_origin(&address), &Secret::new(password.clone()));
    }
    let tls = team_tls(&address)?;
    let (vault, origin) = (vault.clone(), password_origin(&address));
    // Read at each sign-in, because the vault may be unlocked later.
    let stored_password = move || Some(vault.get_for(TEAM, SecretKind::TeamPassword, &origin)?.reveal().to_owned());
    Ok(Team::with_person(Team::join(journal, address, Arc::new(stored_password), tls), person_at_computer(person)))
}

/// Returns the sender's name for the history. In a team it includes the computer.
pub(crate) fn person_at_desk(journal: &Journal, person: String) -> String {
    if Team::from_journal(journal).is_some() { person_at_computer(&person) } else { person }
}
