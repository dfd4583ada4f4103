//! Approvals: in a team, a rule may require that a second person approves large submissions and deletes.
//!
//! The rule is checked in the transaction that ends a plan's preparation, and again whenever a submission starts to
//! run. The database also refuses requests of a submission without approval. A service is identified by its address.
//! Two people differ if their accounts or their desks' database logins differ. Without a team, nothing waits.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::approval_rule::load_rule;
use crate::database::{OptionalExtension, Row, Transaction, params};
use crate::submission_record::set_state;
use crate::{Journal, JournalError, NewSubmission, PlanId, StoredWord, SubmissionId, SubmissionState};

/// A decision on a request for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum ApprovalDecision {
    /// The plan may be sent.
    Approved,
    /// The plan must not be sent.
    Declined,
}

/// The request for a plan's approval, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    pub plan: PlanId,
    /// The number of pending rows at the time of the request.
    pub rows: u32,
    pub deletes: bool,
    pub requested_at: Timestamp,
    pub requested_by: String,
    /// True if the requester's desk signed in to the database with the same login as this desk.
    pub same_login: bool,
    /// Absent until the request is decided.
    pub outcome: Option<ApprovalOutcome>,
}

impl Approval {
    /// Returns whether the same person requested the approval with this desk's login, and so can't give it.
    #[must_use]
    pub fn is_requested_by(&self, person: &str) -> bool {
        self.same_login && account_name(&self.requested_by) == account_name(person)
    }
}

/// A decision and the person who made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalOutcome {
    pub decision: ApprovalDecision,
    pub at: Timestamp,
    pub person: String,
    /// The person's comment, which may be empty.
    pub note: String,
}

/// The approvals of a team. Without a team there are none.
#[derive(Debug, Clone, Copy)]
pub struct Approvals<'a>(pub(crate) &'a Journal);

impl Approvals<'_> {
    /// Returns the approval of a plan, or none if the plan doesn't need one.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn find(&self, plan: PlanId) -> Result<Option<Approval>, JournalError> {
        Ok(self.list_for_plans(plan, plan)?.pop())
    }

    /// Returns the approvals of the plans in a range of numbers, in no order.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list_for_plans(&self, first: PlanId, last: PlanId) -> Result<Vec<Approval>, JournalError> {
        if self.0.team().is_none() {
            return Ok(Vec::new());
        }
        self.0.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT plan, rows, deletes, asked, asked_by, decision, decided, decided_by, note, asked_login = session_user FROM approval
                 WHERE plan BETWEEN ?1 AND ?2",
            )?;
            let mut rows = statement.query([first, last])?;
            let mut approvals = Vec::new();
            while let Some(row) = rows.next()? {
                approvals.push(approval_from_row(row)?);
            }
            Ok(approvals)
        })
    }

    /// Returns the plans that wait for approval, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list_waiting(&self) -> Result<Vec<PlanId>, JournalError> {
        if self.0.team().is_none() {
            return Ok(Vec::new());
        }
        self.0.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT plan FROM approval WHERE decision IS NULL ORDER BY plan")?;
            let plans = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok(plans)
        })
    }

    /// Stores the decision of a second person. The requester may only decline, which withdraws the request. A declined
    /// plan is stopped.
    ///
    /// # Errors
    ///
    /// - [`JournalError::LostRace`]: the plan doesn't wait for approval.
    /// - [`JournalError::SecondPersonNeeded`]: the requester can't approve.
    /// - [`JournalError::RunElsewhere`]: another desk is deciding at this moment.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn decide(&self, plan: PlanId, outcome: &ApprovalOutcome) -> Result<(), JournalError> {
        let run = self.0.claim(plan.first())?;
        self.0.write_with_run(&run, |transaction| {
            if outcome.decision == ApprovalDecision::Approved {
                ensure_other_person(transaction, plan, &outcome.person)?;
            }
            let sql = "UPDATE approval SET decision = ?2, decided = ?3, decided_by = ?4, decided_login = session_user, note = ?5
                       WHERE plan = ?1 AND decision IS NULL";
            let changed = transaction.execute(
                sql,
                params![plan, outcome.decision.word(), outcome.at.to_string(), outcome.person, outcome.note],
            )?;
            if changed != 1 {
                return Err(not_waiting_error(plan));
            }
            transaction.notify_desks();
            match outcome.decision {
                ApprovalDecision::Approved => Ok(()),
                ApprovalDecision::Declined => stop_plan(transaction, plan, outcome.at),
            }
        })
    }
}

/// Requests the approval of a new plan if its service's rule requires one. Returns whether it does. The plan's items
/// must already be stored, but its keys must not be claimed yet.
pub(crate) fn request_approval(
    transaction: &Transaction<'_>,
    steps: &[SubmissionId],
    new: &NewSubmission,
    deletes: bool,
) -> Result<bool, JournalError> {
    let (Some(_), Some(&first)) = (transaction.session(), steps.first()) else { return Ok(false) };
    let plan = PlanId::from_first(first);
    let Some(rule) = load_rule(transaction, &new.address.base_url)? else { return Ok(false) };
    let sql = "SELECT CAST(COALESCE(SUM(pending), 0) AS BIGINT) FROM submission WHERE plan = ?1";
    let rows: u32 = transaction.query_row(sql, [plan], |row| row.get(0))?;
    let is_required = (rule.deletes && deletes) || rule.rows_above.is_some_and(|limit| rows > limit);
    if rows == 0 || !is_required {
        return Ok(false);
    }
    let sql = "INSERT INTO approval (plan, rows, deletes, asked, asked_by) VALUES (?1, ?2, ?3, ?4, ?5)";
    transaction.execute(sql, params![plan, rows, deletes, new.at.to_string(), new.person])?;
    set_state(transaction, first, SubmissionState::Running, SubmissionState::Paused, new.at, None)?;
    Ok(true)
}

/// Fails if the submission's plan still needs an approval, or was declined.
pub(crate) fn ensure_approved(transaction: &Transaction<'_>, id: SubmissionId) -> Result<(), JournalError> {
    if transaction.session().is_none() {
        return Ok(());
    }
    let sql = "SELECT plan, approval.decision IS NOT NULL FROM approval JOIN submission USING (plan)
               WHERE submission.id = ?1 AND approval.decision IS DISTINCT FROM 'approved'";
    let refused = transaction.query_row(sql, [id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    match refused {
        Some((plan, declined)) => Err(JournalError::NotApproved { plan, declined }),
        None => Ok(()),
    }
}

fn approval_from_row(row: Row<'_>) -> Result<Approval, JournalError> {
    let decision: Option<String> = row.get(5)?;
    let outcome = match decision {
        Some(word) => Some(ApprovalOutcome {
            decision: ApprovalDecision::from_word(&word)?,
            at: row.get::<_, String>(6)?.parse()?,
            person: row.get(7)?,
            note: row.get(8)?,
        }),
        None => None,
    };
    Ok(Approval {
        plan: row.get(0)?,
        rows: row.get(1)?,
        deletes: row.get(2)?,
        requested_at: row.get::<_, String>(3)?.parse()?,
        requested_by: row.get(4)?,
        same_login: row.get(9)?,
        outcome,
    })
}

fn ensure_other_person(transaction: &Transaction<'_>, plan: PlanId, person: &str) -> Result<(), JournalError> {
    let sql = "SELECT asked_by, asked_login = session_user FROM approval WHERE plan = ?1";
    let asked: Option<(String, bool)> =
        transaction.query_row(sql, [plan], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let (asked_by, same_login) = asked.ok_or_else(|| not_waiting_error(plan))?;
    if same_login && account_name(&asked_by) == account_name(person) {
        return Err(JournalError::SecondPersonNeeded(plan));
    }
    Ok(())
}

/// Returns a person's account without the computer, because people may use several computers.
fn account_name(person: &str) -> String {
    person.rsplit_once('@').map_or(person, |(account, _)| account).to_lowercase()
}

fn stop_plan(transaction: &Transaction<'_>, plan: PlanId, at: Timestamp) -> Result<(), JournalError> {
    let sql = "SELECT id FROM submission WHERE plan = ?1 AND state = 'paused' ORDER BY id";
    let mut statement = transaction.prepare_cached(sql)?;
    let paused: Vec<SubmissionId> = statement.query_map([plan], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for id in paused {
        set_state(transaction, id, SubmissionState::Paused, SubmissionState::Stopped, at, None)?;
    }
    Ok(())
}

fn not_waiting_error(plan: PlanId) -> JournalError {
    JournalError::LostRace { submission: plan.first(), what: "the approval" }
}
