//! Approvals: in a team a service may have it that large submissions, and deletes, wait for a second person.
//!
//! Whether one has to wait is asked in the transaction that makes it ready to be sent, and again in each that makes it run; the
//! database itself takes no request of what isn't approved. The service is known by its address. Two people are told apart by their
//! accounts and by the names with which their desks sign in to the database: who has both alike is the same. Without a team nothing
//! waits: there is nobody else.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::approval_rule::rule_of;
use crate::database::{OptionalExtension, Row, Transaction, params};
use crate::submission_record::set_state;
use crate::{Journal, JournalError, NewSubmission, PlanId, StoredWord, SubmissionId, SubmissionState};

/// What the second person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum ApprovalDecision {
    /// It may be sent.
    Approved,
    /// It is never sent.
    Declined,
}

/// What was asked for a plan, and what became of that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    pub plan: PlanId,
    /// That were to be sent.
    pub rows: u32,
    pub deletes: bool,
    pub asked: Timestamp,
    pub asked_by: String,
    /// The requester signed in to the database by this desk's name.
    pub same_login: bool,
    /// Absent while it waits.
    pub outcome: Option<ApprovalOutcome>,
}

impl Approval {
    /// Whether it was this person, at this desk, who asked, and so can't approve.
    #[must_use]
    pub fn is_asked_by(&self, person: &str) -> bool {
        self.same_login && account(&self.asked_by) == account(person)
    }
}

/// A decision, with who made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalOutcome {
    pub decision: ApprovalDecision,
    pub at: Timestamp,
    pub person: String,
    /// What the person had to say; often empty.
    pub note: String,
}

/// The approvals of a team; without one there are none.
#[derive(Debug, Clone, Copy)]
pub struct Approvals<'a>(pub(crate) &'a Journal);

impl Approvals<'_> {
    /// Absent where the plan needed none.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn of(&self, plan: PlanId) -> Result<Option<Approval>, JournalError> {
        Ok(self.between(plan, plan)?.pop())
    }

    /// Those of the plans with these numbers and between, in no order.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn between(&self, first: PlanId, last: PlanId) -> Result<Vec<Approval>, JournalError> {
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
                approvals.push(read(row)?);
            }
            Ok(approvals)
        })
    }

    /// The plans that wait, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn open(&self) -> Result<Vec<PlanId>, JournalError> {
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

    /// A second person decided; whoever asked may only decline, and so withdraw it. What is declined is stopped.
    ///
    /// # Errors
    ///
    /// - [`JournalError::LostRace`]: it doesn't wait, or no longer.
    /// - [`JournalError::SecondPersonNeeded`]: the requester can't approve.
    /// - [`JournalError::RunElsewhere`]: another desk is deciding at this moment.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn decide(&self, plan: PlanId, outcome: &ApprovalOutcome) -> Result<(), JournalError> {
        let run = self.0.claim(plan.first())?;
        self.0.write_by(&run, |transaction| {
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
                return Err(not_open(plan));
            }
            transaction.tell();
            match outcome.decision {
                ApprovalDecision::Approved => Ok(()),
                ApprovalDecision::Declined => stop(transaction, plan, outcome.at),
            }
        })
    }
}

/// Has a new plan wait where its service wants that; says whether. All of its items are written down, and none is claimed.
pub(crate) fn ask_where_wanted(
    transaction: &Transaction<'_>,
    steps: &[SubmissionId],
    (new, deletes): (&NewSubmission, bool),
) -> Result<bool, JournalError> {
    let (Some(_), Some(&first)) = (transaction.session(), steps.first()) else { return Ok(false) };
    let plan = PlanId::of_first(first);
    let Some(rule) = rule_of(transaction, &new.address.base_url)? else { return Ok(false) };
    let sql = "SELECT CAST(COALESCE(SUM(pending), 0) AS BIGINT) FROM submission WHERE plan = ?1";
    let rows: u32 = transaction.query_row(sql, [plan], |row| row.get(0))?;
    let is_wanted = (rule.deletes && deletes) || rule.rows_above.is_some_and(|most| rows > most);
    if rows == 0 || !is_wanted {
        return Ok(false);
    }
    let sql = "INSERT INTO approval (plan, rows, deletes, asked, asked_by) VALUES (?1, ?2, ?3, ?4, ?5)";
    transaction.execute(sql, params![plan, rows, deletes, new.at.to_string(), new.person])?;
    set_state(transaction, first, SubmissionState::Running, SubmissionState::Paused, new.at, None)?;
    Ok(true)
}

/// Nothing of a plan runs before it is approved.
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

fn read(row: Row<'_>) -> Result<Approval, JournalError> {
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
        asked: row.get::<_, String>(3)?.parse()?,
        asked_by: row.get(4)?,
        same_login: row.get(9)?,
        outcome,
    })
}

fn ensure_other_person(transaction: &Transaction<'_>, plan: PlanId, person: &str) -> Result<(), JournalError> {
    let sql = "SELECT asked_by, asked_login = session_user FROM approval WHERE plan = ?1";
    let asked: Option<(String, bool)> =
        transaction.query_row(sql, [plan], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let (asked_by, same_login) = asked.ok_or_else(|| not_open(plan))?;
    if same_login && account(&asked_by) == account(person) {
        return Err(JournalError::SecondPersonNeeded(plan));
    }
    Ok(())
}

/// The same person at another computer is still the same.
fn account(person: &str) -> String {
    person.rsplit_once('@').map_or(person, |(account, _)| account).to_lowercase()
}

fn stop(transaction: &Transaction<'_>, plan: PlanId, at: Timestamp) -> Result<(), JournalError> {
    let sql = "UPDATE submission SET state = 'stopped', ended = ?2 WHERE plan = ?1 AND state = 'paused'";
    transaction.execute(sql, params![plan, at.to_string()])?;
    Ok(())
}

fn not_open(plan: PlanId) -> JournalError {
    JournalError::LostRace { submission: plan.first(), what: "the approval" }
}
