//! Exit codes, which are a stable interface, and the rules that choose one.

use clap::ValueEnum;
use takt_engine::{
    Code, Problem,
    submission::{PlanView, SubmissionState, SubmissionView},
};

/// The end of `takt --help`, with a placeholder for the list of exit codes.
const HELP: &str = include_str!("../reference/exit-codes.txt");

/// An exit status. The variants' doc comments are the texts of `--help` and of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExitStatus {
    /// Every row accepted, or skipped by choice
    Done,
    /// Some rows were rejected or not linked, errors stop the run, or a second person has to approve it
    Rejected,
    /// Usage, or a file that can't be read
    Usage,
    /// Rows are unconfirmed
    Unconfirmed,
    /// Sign-in needed or refused
    SignIn,
    /// The service can't be reached
    Unreachable,
    /// Interrupted
    Interrupted,
}

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    Problem(Box<Problem>),
    /// A user error: the key of a text in the language files, and the text's parameters.
    Usage(&'static str, Vec<(&'static str, String)>),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl Failure {
    pub(crate) fn exit_status(&self) -> ExitStatus {
        match self {
            Self::Problem(problem) => status_of_problem(problem.code),
            Self::Usage(..) => ExitStatus::Usage,
        }
    }
}

impl ExitStatus {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Rejected => 1,
            Self::Usage => 2,
            Self::Unconfirmed => 3,
            Self::SignIn => 4,
            Self::Unreachable => 5,
            Self::Interrupted => 130,
        }
    }

    /// Returns the worse of two statuses. Unconfirmed rows are worse than everything except an interruption.
    pub(crate) fn worse_of(self, other: Self) -> Self {
        if other.severity() > self.severity() { other } else { self }
    }

    fn severity(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Rejected => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::SignIn => 4,
            Self::Unconfirmed => 5,
            Self::Interrupted => 6,
        }
    }
}

/// Returns the end of `takt --help`, with the exit codes filled in.
pub(crate) fn help_text() -> String {
    let line = |status: &ExitStatus| format!("  {:>3}  {}", status.code(), help_text_of(status));
    let lines: Vec<String> = ExitStatus::value_variants().iter().map(line).collect();
    HELP.trim_end().replace("{{exit-codes}}", &lines.join("\n"))
}

/// Returns the value's doc comment, which is its help text.
pub(crate) fn help_text_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
}

/// Returns the worst status of the steps. Rows that wait for a rejected row are treated as rejected, not as
/// interrupted.
pub(crate) fn status_of_plan(plan: &PlanView, interrupted: bool) -> ExitStatus {
    let step_status = |(index, view): (usize, &SubmissionView)| {
        let unhindered = view.problem.is_none() && view.counts.sending == 0;
        let is_held_up = plan.submissions.iter().take(index).any(|earlier| earlier.state != SubmissionState::Finished);
        if is_held_up && unhindered && !interrupted && view.requests == 0 && view.counts.pending > view.waiting {
            // An earlier step stopped the plan. That step's status is used.
            return ExitStatus::Done;
        }
        if unhindered && view.only_waits() {
            let mut settled = view.clone();
            settled.counts.rejected += std::mem::take(&mut settled.counts.pending);
            return status_of_submission(&settled, false);
        }
        status_of_submission(view, interrupted)
    };
    plan.submissions
        .iter()
        .enumerate()
        .map(step_status)
        .max_by_key(|status| status.severity())
        .unwrap_or(ExitStatus::Done)
}

/// Returns the status for a submission. Unconfirmed rows need the user's decision, so they take precedence over
/// everything except an interruption.
fn status_of_submission(view: &SubmissionView, interrupted: bool) -> ExitStatus {
    let counts = &view.counts;
    let open = counts.pending + counts.sending > 0;
    match &view.problem {
        _ if interrupted && open => ExitStatus::Interrupted,
        _ if counts.unconfirmed + counts.sending > 0 => ExitStatus::Unconfirmed,
        Some(problem) if open => status_of_problem(problem.code),
        None if open && view.needs_approval() => ExitStatus::Rejected,
        None if open && !is_finished_trial(view) => ExitStatus::Interrupted,
        _ if counts.rejected + view.not_linked > 0 => ExitStatus::Rejected,
        _ => ExitStatus::Done,
    }
}

/// Returns whether a trial run is finished. Its remaining rows are pending intentionally.
fn is_finished_trial(view: &SubmissionView) -> bool {
    view.trial.is_some() && view.state == SubmissionState::Paused
}

/// Returns the status for a problem. It depends on the user's next step: signing in with sufficient rights, waiting for
/// the service, or changing the request.
pub(crate) fn status_of_problem(code: Code) -> ExitStatus {
    match code {
        Code::SignInNeeded
        | Code::SignInRefused
        | Code::SignInCancelled
        | Code::RedirectPortTaken
        | Code::AccessDenied => ExitStatus::SignIn,
        Code::ServiceUnreachable
        | Code::KeychainFailed
        | Code::TeamAway
        | Code::ConnectionLost
        | Code::ReadBroken
        | Code::IdentityProviderFailed
        | Code::RateLimited
        | Code::ServiceFailed
        | Code::AnswerNotUnderstood
        | Code::AnswerTooLarge
        | Code::UpdateChannelFailed => ExitStatus::Unreachable,
        Code::ListenFailed
        | Code::Rejected
        | Code::NotFound
        | Code::FileUnreadable
        | Code::FileChanged
        | Code::FileNotWorkbook
        | Code::FileEmpty
        | Code::FileProtected
        | Code::FileTooLarge
        | Code::FileDamaged
        | Code::NoHeader
        | Code::Unknown
        | Code::MappingRefused
        | Code::RulesRefused
        | Code::DocumentRefused
        | Code::DocumentVersion
        | Code::SiteFileRefused
        | Code::RuleFaulty
        | Code::RuleNotTried
        | Code::Precondition
        | Code::AddressChanged
        | Code::ConfirmationNeeded
        | Code::InvalidInput
        | Code::JournalFailed
        | Code::JournalNewer
        | Code::JournalBusy
        | Code::JournalDamaged
        | Code::TeamFailed
        | Code::TakenOver
        | Code::DiskFull
        | Code::FolderReadOnly
        | Code::WriteFailed
        | Code::PlantMove
        | Code::Bug => ExitStatus::Usage,
    }
}

#[cfg(test)]
mod tests {
    use takt_engine::submission::{PlanId, ResultCounts, SubmissionId};

    use super::*;

    fn exit_code(counts: ResultCounts, problem: Option<Code>, interrupted: bool) -> u8 {
        let view = SubmissionView {
            id: SubmissionId::new(1),
            person: String::new(),
            operation: String::new(),
            site: String::new(),
            file: String::new(),
            hash: String::new(),
            sheet: String::new(),
            started: String::new(),
            ended: None,
            state: SubmissionState::Finished,
            total: 10,
            items: 10,
            counts,
            batches: 1,
            requests: 1,
            seconds: 0.0,
            rate: None,
            remaining_seconds: None,
            recent: Vec::new(),
            problem: problem.map(Problem::new),
            waiting_until: None,
            plan: PlanId::new(1),
            waiting: 0,
            not_linked: 0,
            finding_out: false,
            follows: None,
            relation: None,
            trial: None,
            purged: None,
            approval: None,
            plant_gone: false,
        };
        status_of_submission(&view, interrupted).code()
    }

    #[test]
    fn every_outcome_has_its_code() {
        let none = ResultCounts::default();
        let (accepted, skipped) =
            (ResultCounts { accepted: 10, ..none }, ResultCounts { accepted: 9, skipped: 1, ..none });
        let rejected = ResultCounts { accepted: 9, rejected: 1, ..none };
        let doubtful = ResultCounts { rejected: 1, unconfirmed: 1, pending: 8, ..none };
        let pending = ResultCounts { accepted: 5, pending: 5, ..none };
        assert_eq!(exit_code(accepted, None, false), 0);
        assert_eq!(exit_code(skipped, None, true), 0, "it was done before the interruption");
        assert_eq!(exit_code(rejected, None, false), 1);
        assert_eq!(exit_code(doubtful, Some(Code::ServiceUnreachable), false), 3);
        assert_eq!(exit_code(pending, Some(Code::SignInNeeded), false), 4);
        assert_eq!(exit_code(pending, Some(Code::AccessDenied), false), 4);
        assert_eq!(exit_code(pending, Some(Code::ServiceUnreachable), false), 5);
        assert_eq!(exit_code(pending, None, true), 130);
        assert_eq!(exit_code(doubtful, None, true), 130);
    }
}
