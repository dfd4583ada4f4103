//! Taking a submission up again: going on, finding out what became of unconfirmed rows, and what a person decides about them.

use std::{collections::HashSet, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use takt_journal::{ClaimChoice, JournalError, Outcome, RowResult, Run, SubmissionId, SubmissionState};

use super::{
    SubmissionView, Submissions,
    draft::Target,
    guard::SendPermit,
    read_back_schedule::ReadBackTiming,
    resolve::{said, settling},
    result_reason::because,
};
use takt_browse::read_back::ReadBack;
use takt_core::blocking::run_blocking;
use takt_core::{Problem, RowId};

const AT_ONCE: u32 = 5_000;
/// Resuming waits no longer for a request that may still be running.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// What a person says of unconfirmed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// They arrived: accepted, marked as a person's word.
    Arrived,
    SendAgain,
}

/// Why a submission is taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// As the next step of what was just submitted: a trial run stays one. `blind`: unconfirmed rows aren't read back.
    Begin { blind: bool },
    /// To send all that is pending, also what a trial run had left. `by_person`: a person wants it, so rows that the service doesn't hold
    /// may be sent once more, however many of their attempts were lost.
    GoOn { by_person: bool },
    /// To send what a person wants sent again.
    SendAgain,
    /// To read back what is unconfirmed.
    FindOut,
}

/// What came of taking a submission up.
enum ResumeOutcome {
    Up(Run, ReadBackTiming),
    NothingPending,
    NothingUnconfirmed,
    /// What is pending waits for rows that weren't accepted.
    AllWait,
}

impl Submissions {
    /// Reads back what is unconfirmed. What turns out not to have arrived is sent where nothing else is pending, else it waits
    /// with the rest; what another desk of a team is sending at that moment stays unconfirmed, so nobody's claims are in the way.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and `confirmed`
    ///   isn't its name.
    /// - [`Code::AddressChanged`](takt_core::Code::AddressChanged): it went to another address than the site has now.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): nothing shows what its operation wrote (`no-read-side`), no
    ///   rows are unconfirmed (`nothing-unconfirmed`), or it is running here or in another Takt (`is-running`,
    ///   `running-elsewhere`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub async fn find_out(&self, id: SubmissionId, confirmed: Option<&str>) -> Result<SubmissionView, Problem> {
        let record = self.shared.journal.submission(id)?;
        if ReadBack::of(&*self.shared.sites.contract(&record.site)?, &record.operation).is_none() {
            return Err(Problem::in_the_way_of("no-read-side", &[("operation", &record.operation)]));
        }
        let permit = self.permit_of(id, confirmed)?;
        self.take_up(id, Purpose::FindOut, &permit).await
    }

    /// A person decided about unconfirmed rows; without any named, about all of them. `claimed` is about rows that would be sent, those
    /// and what is pending, while other desks of a team are sending them: where they are left out, they are skipped.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::ConfirmationNeeded`](takt_core::Code::ConfirmationNeeded): the site is a production site, and `confirmed`
    ///   isn't its name.
    /// - [`Code::AddressChanged`](takt_core::Code::AddressChanged): it went to another address than the site has now.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it is running here or in another Takt (`is-running`,
    ///   `running-elsewhere`), it has no such row (`no-such-row`), or the rows have another result by now
    ///   (`nothing-unconfirmed`, `not-unconfirmed`), or other desks are sending some of what would be sent (`keys-claimed`):
    ///   nothing was decided then.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub async fn decide(
        &self,
        id: SubmissionId,
        rows: &[RowId],
        decision: Decision,
        confirmed: Option<&str>,
        claimed: ClaimChoice,
    ) -> Result<SubmissionView, Problem> {
        if self.shared.runs_here(id) {
            return Err(Problem::in_the_way_of("is-running", &[]));
        }
        let permit = self.permit_of(id, confirmed)?;
        let named = self.items_of(id, rows)?;
        let shared = Arc::clone(&self.shared);
        let resolved = run_blocking(move || {
            let (run, at) = (shared.journal.claim(id)?, (shared.clock)());
            shared.journal.recover_run(&run, at)?;
            let items = unconfirmed(&shared.journal, id)?;
            if items.is_empty() || !named.iter().all(|item| items.contains(item)) {
                return Ok(items.is_empty().then_some("nothing-unconfirmed").or(Some("not-unconfirmed")));
            }
            let chosen = items.into_iter().filter(|item| named.is_empty() || named.contains(item));
            let (result, reasons) = match decision {
                Decision::Arrived => {
                    let places = [("person", shared.person.clone()), ("at", said(at))];
                    (RowResult::Accepted, vec![because("decided-arrived", places)])
                }
                Decision::SendAgain => (RowResult::Pending, Vec::new()),
            };
            let outcomes: Vec<Outcome> =
                chosen.map(|item| Outcome { item, result, reasons: reasons.clone() }).collect();
            match decision {
                Decision::Arrived => shared.journal.decisions().resolve(&run, &outcomes).map(drop)?,
                // A refusal leaves everything as it was.
                Decision::SendAgain => shared.journal.decisions().decide_to_send(&run, &outcomes, claimed)?,
            }
            finish_settled(&shared.journal, &run, at)?;
            Ok(None)
        })
        .await?;
        if let Some(obstacle) = resolved {
            return Err(Problem::in_the_way_of(obstacle, &[]));
        }
        self.shared.publish(id, None);
        match decision {
            Decision::Arrived => self.view(id),
            Decision::SendAgain => match self.take_up(id, Purpose::SendAgain, &permit).await {
                Ok(view) => {
                    // The steps behind it go on after it.
                    let steps = self.shared.journal.plans().steps(view.plan)?;
                    self.go_on_after(id, &steps, (Purpose::GoOn { by_person: false }, permit));
                    Ok(view)
                }
                // Other desks were sending all that was left.
                Err(problem) if claimed == ClaimChoice::LeaveOut && problem.is_obstacle("nothing-pending") => {
                    self.view(id)
                }
                Err(problem) => Err(problem),
            },
        }
    }

    /// A person decided: all unconfirmed rows are sent again.
    ///
    /// # Errors
    ///
    /// As [`Submissions::decide`].
    pub async fn send_unconfirmed(
        &self,
        id: SubmissionId,
        confirmed: Option<&str>,
        claimed: ClaimChoice,
    ) -> Result<SubmissionView, Problem> {
        self.decide(id, &[], Decision::SendAgain, confirmed, claimed).await
    }

    fn items_of(&self, id: SubmissionId, rows: &[RowId]) -> Result<HashSet<u32>, Problem> {
        let item = |row: &RowId| {
            let item = self.shared.journal.rows().item_of(id, &row.sheet, row.row.get())?;
            item.ok_or_else(|| Problem::in_the_way_of("no-such-row", &[("row", &format!("{}:{}", row.sheet, row.row))]))
        };
        rows.iter().map(item).collect()
    }

    pub(super) async fn take_up(
        &self,
        id: SubmissionId,
        purpose: Purpose,
        permit: &SendPermit,
    ) -> Result<SubmissionView, Problem> {
        let shared = Arc::clone(&self.shared);
        if shared.runs_here(id) {
            return Err(Problem::in_the_way_of("is-running", &[]));
        }
        let record = shared.journal.submission(id)?;
        permit.check(&record)?;
        let contract = shared.sites.contract(&record.site)?;
        Target::find(&contract, &record.operation)?;
        let shortest_wait = shared.sites.client(&record.site)?.access().timeouts.long_retry_wait();
        let readable = ReadBack::of(&contract, &record.operation).is_some();
        let taken =
            run_blocking(move || Ok(take(&shared.journal, (id, (shared.clock)()), purpose, readable, shortest_wait)?))
                .await?;
        match taken {
            ResumeOutcome::Up(run, find_out) => self.start(run, find_out, permit),
            ResumeOutcome::AllWait => {
                self.shared.publish(id, None);
                Err(Problem::in_the_way_of("all-wait", &[]))
            }
            ResumeOutcome::NothingUnconfirmed => Err(Problem::in_the_way_of("nothing-unconfirmed", &[])),
            ResumeOutcome::NothingPending => {
                self.shared.publish(id, None);
                Err(Problem::in_the_way_of("nothing-pending", &[]))
            }
        }
    }
}

fn take(
    journal: &takt_journal::Journal,
    (id, at): (SubmissionId, jiff::Timestamp),
    purpose: Purpose,
    readable: bool,
    shortest_wait: Duration,
) -> Result<ResumeOutcome, JournalError> {
    let run = journal.claim(id)?;
    journal.recover_run(&run, at)?;
    if let Purpose::GoOn { by_person } = purpose {
        journal.decisions().lift_trial(&run)?;
        if by_person {
            journal.decisions().allow_another_attempt(&run)?;
        }
    }
    journal.plans().release_waits(&run)?;
    let record = journal.submission(id)?;
    let looks = matches!(purpose, Purpose::GoOn { .. } | Purpose::FindOut) && readable && record.counts.unconfirmed > 0;
    if purpose == Purpose::FindOut && !looks {
        return Ok(ResumeOutcome::NothingUnconfirmed);
    }
    if record.counts.pending == 0 && !looks {
        finish_settled(journal, &run, at)?;
        return Ok(ResumeOutcome::NothingPending);
    }
    if !looks && journal.next_items(id, 1)?.is_empty() {
        return Ok(ResumeOutcome::AllWait);
    }
    let find_out = match purpose {
        Purpose::FindOut if record.counts.pending > 0 => ReadBackTiming::Only(record.state),
        // What waits for a look that can be believed doesn't keep the rest from going.
        Purpose::GoOn { .. }
            if settling(journal, id, at, shortest_wait)? > MAX_WAIT && !journal.next_items(id, 1)?.is_empty() =>
        {
            ReadBackTiming::AtEnd
        }
        Purpose::GoOn { .. } | Purpose::FindOut => ReadBackTiming::First,
        Purpose::SendAgain | Purpose::Begin { blind: false } => ReadBackTiming::AtEnd,
        Purpose::Begin { blind: true } => ReadBackTiming::Never,
    };
    let ended =
        [SubmissionState::Paused, SubmissionState::Stopped, SubmissionState::Interrupted, SubmissionState::Finished];
    if let ReadBackTiming::Only(_) = find_out {
        journal.begin_reading_back(&run, &ended, at)?;
    } else {
        journal.change_state(&run, &ended, SubmissionState::Running, at, None)?;
    }
    Ok(ResumeOutcome::Up(run, find_out))
}

/// Whatever had ended it, it is finished once every row has its result: there is nothing more to come.
pub(super) fn finish_settled(
    journal: &takt_journal::Journal,
    run: &Run,
    at: jiff::Timestamp,
) -> Result<(), JournalError> {
    let record = journal.submission(run.submission())?;
    let is_settled = record.counts.pending + record.counts.sending + record.counts.unconfirmed == 0;
    let ended = [SubmissionState::Paused, SubmissionState::Stopped, SubmissionState::Interrupted];
    if is_settled && ended.contains(&record.state) {
        journal.change_state(run, &[record.state], SubmissionState::Finished, at, None)?;
    }
    Ok(())
}

/// The numbers of all unconfirmed items.
fn unconfirmed(journal: &takt_journal::Journal, id: SubmissionId) -> Result<Vec<u32>, JournalError> {
    let mut numbers = Vec::new();
    loop {
        let items =
            journal.rows().item_details(id, RowResult::Unconfirmed, numbers.last().copied().unwrap_or(0), AT_ONCE)?;
        if items.is_empty() {
            return Ok(numbers);
        }
        numbers.extend(items.iter().map(|item| item.number));
    }
}
