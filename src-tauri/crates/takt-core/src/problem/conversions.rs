//! Converts errors of the lower crates to problems.

use std::collections::BTreeSet;

use takt_client::{
    ClientError, Refusal,
    update_channel::{ChannelError, MAX_CHANNEL_BYTES},
};
use takt_contract::ContractError;
use takt_journal::{FileFault, JournalError, KeyClaim, PostgresError};
use takt_sheet::{LimitKind, SheetError, column_letters};

use super::{Code, Problem};

/// The status of a successful response.
const STATUS_OK: u16 = 200;
const BYTES_PER_MEGABYTE: usize = 1024 * 1024;

impl Problem {
    /// Converts the error of a read of a site.
    pub fn from_read_error(site: &str, error: ClientError) -> Self {
        let mut problem = Self::from_client_error(site, error);
        if problem.code == Code::ConnectionLost {
            problem.code = Code::ReadBroken;
        }
        problem.parameter("site", site)
    }

    /// Converts an error of the connection to a site.
    pub fn from_client_error(site: &str, error: ClientError) -> Self {
        Self::from(error).parameter("site", site)
    }

    /// Converts the error of a read-back. Nothing was sent, so a refusal doesn't concern rows.
    pub fn from_read_back_error(site: &str, error: ClientError) -> Self {
        let case = match &error {
            ClientError::Refused(refusal) if matches!(refusal_code(refusal), Code::Rejected | Code::NotFound) => {
                "refused"
            }
            ClientError::NotUnderstood { status, body, .. } if body.is_empty() && *status == STATUS_OK => "incomplete",
            ClientError::NotUnderstood { status, .. } if *status != STATUS_OK => "refused",
            _ => return Self::from_read_error(site, error),
        };
        let status = error.status().unwrap_or_default().to_string();
        let problem = Self::new(Code::AnswerNotUnderstood).parameter("case", case).parameter("site", site);
        let problem = problem.parameter("status", status).reasons(error.reasons());
        problem.log_id(error.log_id().map(str::to_owned)).details(error.details())
    }

    /// Changes the texts of a failed read-back of unconfirmed rows, because the rows may have arrived.
    #[must_use]
    pub fn with_unconfirmed_texts(self) -> Self {
        let case = match (self.code, self.parameters.get("case").map(String::as_str)) {
            (Code::ReadBroken | Code::ServiceUnreachable, None) => "unconfirmed",
            (Code::AnswerNotUnderstood, Some("refused")) => "refused-unconfirmed",
            (Code::AnswerNotUnderstood, Some("incomplete")) => "incomplete-unconfirmed",
            _ => return self,
        };
        self.parameter("case", case)
    }

    /// Converts an error of an update channel. `channel` is its location.
    pub fn from_channel_error(channel: &str, error: &ChannelError) -> Self {
        let with_case = |code, case: &str| Self::new(code).parameter("case", case).parameter("what", channel);
        let failed = |case| with_case(Code::UpdateChannelFailed, case);
        let problem = match error {
            ChannelError::InvalidLocation(_) => with_case(Code::InvalidInput, "channel"),
            ChannelError::File(_) => Self::new(Code::FileUnreadable).parameter("file", channel),
            ChannelError::Unreachable(_) => failed("unreachable"),
            ChannelError::TimedOut(time) => failed("late").parameter("seconds", time.as_secs().to_string()),
            ChannelError::Status(status) => failed("status").parameter("status", status.to_string()),
            ChannelError::LeadsAway => failed("elsewhere"),
            ChannelError::TooLarge => failed("large").parameter("size", (MAX_CHANNEL_BYTES / 1024).to_string()),
            ChannelError::NotAChannel { .. } => failed("form"),
        };
        problem.details(join_causes(error))
    }

    /// Converts an error of a workbook or text file. `file` is its name.
    pub fn from_sheet_error(file: &str, error: SheetError) -> Self {
        Self::from(error).parameter("file", file)
    }

    /// Converts an error of one of several sheets of a file.
    #[must_use]
    pub fn from_named_sheet_error(file: &str, sheet: &str, error: SheetError) -> Self {
        match &error {
            SheetError::Damaged(_) | SheetError::Unsupported(_) => {
                Self::from_sheet_error(file, error).parameter("case", "sheet").parameter("sheet", sheet)
            }
            SheetError::TooLarge { .. } => Self::from_sheet_error(&format!("{file} ({sheet})"), error),
            _ => Self::from_sheet_error(file, error),
        }
    }
}

impl From<ClientError> for Problem {
    fn from(error: ClientError) -> Self {
        let problem = match &error {
            ClientError::Renewal(cause) => Self::new(renewal_code(cause)),
            ClientError::WrongPastedAddress => Self::obstacle("pasted-otherwise"),
            _ => Self::new(client_code(&error)),
        };
        let problem = match &error {
            ClientError::Settings { setting, .. } => problem.parameter("what", *setting),
            ClientError::RedirectPortTaken { ports, .. } => {
                problem.parameter("ports", ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", "))
            }
            ClientError::TooLarge { limit, .. } => problem.parameter("size", (limit / BYTES_PER_MEGABYTE).to_string()),
            _ => problem,
        };
        let problem = match error.status() {
            Some(status) => problem.parameter("status", status.to_string()),
            None => problem,
        };
        let problem = match error.retry_after() {
            Some(wait) => problem.parameter("seconds", wait.as_secs_f64().ceil().to_string()),
            None => problem,
        };
        let log_id = error.log_id().map(str::to_owned);
        problem.reasons(error.reasons()).log_id(log_id).details(error.details())
    }
}

fn client_code(error: &ClientError) -> Code {
    match error {
        ClientError::Settings { .. } => Code::InvalidInput,
        ClientError::WrongPastedAddress => Code::Precondition,
        ClientError::SignInNeeded => Code::SignInNeeded,
        ClientError::Vault(_) => Code::KeychainFailed,
        ClientError::SignInRefused(_) => Code::SignInRefused,
        ClientError::SignInDeclined(_)
        | ClientError::SignInCancelled
        | ClientError::SignInTimedOut
        | ClientError::Cancelled => Code::SignInCancelled,
        ClientError::RedirectPortTaken { .. } => Code::RedirectPortTaken,
        ClientError::Provider(_) => Code::IdentityProviderFailed,
        ClientError::Renewal(cause) => renewal_code(cause),
        ClientError::Unreachable(_) => Code::ServiceUnreachable,
        ClientError::Lost(_) | ClientError::TimedOut(_) => Code::ConnectionLost,
        ClientError::Refused(refusal) => refusal_code(refusal),
        ClientError::NotUnderstood { .. } => Code::AnswerNotUnderstood,
        ClientError::TooLarge { .. } => Code::AnswerTooLarge,
    }
}

/// Returns the code for a failed token renewal. The request wasn't sent, so an interrupted renewal leaves no
/// unconfirmed rows.
fn renewal_code(cause: &ClientError) -> Code {
    match cause {
        ClientError::Lost(_) | ClientError::TimedOut(_) => Code::ServiceUnreachable,
        other => client_code(other),
    }
}

fn refusal_code(refusal: &Refusal) -> Code {
    match refusal.status {
        401 => Code::SignInNeeded,
        403 => Code::AccessDenied,
        404 => Code::NotFound,
        429 => Code::RateLimited,
        400..=499 => Code::Rejected,
        500..=599 => Code::ServiceFailed,
        _ => Code::AnswerNotUnderstood,
    }
}

impl From<JournalError> for Problem {
    fn from(error: JournalError) -> Self {
        let problem = match &error {
            JournalError::Newer { .. } => Self::new(Code::JournalNewer),
            JournalError::UnknownSubmission(id) => Self::new(Code::Unknown).parameter("what", id.to_string()),
            JournalError::NoSuchTarget => Self::new(Code::Unknown).parameter("what", "target"),
            JournalError::RunElsewhere(_) => Self::obstacle("running-elsewhere"),
            JournalError::LostRace { .. } => Self::obstacle("state-changed"),
            JournalError::KeysClaimed(claims) => claimed_keys_problem(claims),
            JournalError::FileBeingSent { file, site } => {
                Self::obstacle_with("file-being-sent", &[("file", file), ("site", site)])
            }
            JournalError::NotApproved { plan, declined } => {
                let obstacle = if *declined { "approval-declined" } else { "needs-approval" };
                Self::obstacle_with(obstacle, &[("submission", &plan.to_string())])
            }
            JournalError::SecondPersonNeeded(_) => Self::obstacle("second-person-needed"),
            JournalError::ChangedSince(_) => Self::obstacle("shared-changed-since"),
            JournalError::NoSuchChange(number) => Self::new(Code::Unknown).parameter("what", number.to_string()),
            JournalError::Team(cause) if error.file_fault().is_none() => team_problem(cause),
            other => Self::new(other.file_fault().map_or(Code::JournalFailed, journal_code)),
        };
        problem.details(join_causes(&error))
    }
}

/// Creates the problem for claims of other computers. It names each claim, the total number of rows and the earliest
/// begin.
fn claimed_keys_problem(claims: &[KeyClaim]) -> Problem {
    let Some(since) = claims.iter().map(|claim| claim.since).min() else {
        return Problem::obstacle("running-elsewhere");
    };
    let join_names = |name: fn(&KeyClaim) -> &str| {
        let names: BTreeSet<&str> = claims.iter().map(name).collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    };
    let rows: u32 = claims.iter().map(|claim| claim.rows).sum();
    Problem::obstacle_with(
        "keys-claimed",
        &[
            ("rows", &rows.to_string()),
            ("person", &join_names(|claim| &claim.person)),
            ("file", &join_names(|claim| &claim.file)),
            ("since", &since.to_string()),
        ],
    )
}

fn team_problem(cause: &PostgresError) -> Problem {
    let failed = |case: &str| Problem::new(Code::TeamFailed).parameter("case", case);
    match cause {
        PostgresError::Unavailable(_) => Problem::new(Code::TeamAway),
        PostgresError::SignInRefused(_) => failed("sign-in"),
        PostgresError::NotSetUp => failed("not-set-up"),
        PostgresError::Newer { .. } => failed("newer"),
        PostgresError::Older { .. } => failed("older"),
        PostgresError::Refused { state, .. } if state == "42501" => failed("not-granted"),
        PostgresError::Refused { .. } | PostgresError::Value(_) => Problem::new(Code::TeamFailed),
    }
}

fn journal_code(fault: FileFault) -> Code {
    match fault {
        FileFault::Busy => Code::JournalBusy,
        FileFault::DiskFull => Code::DiskFull,
        FileFault::ReadOnly => Code::FolderReadOnly,
        FileFault::Damaged => Code::JournalDamaged,
    }
}

impl From<SheetError> for Problem {
    fn from(error: SheetError) -> Self {
        let code = match &error {
            SheetError::Unreadable(_) | SheetError::NotAFile => Code::FileUnreadable,
            SheetError::ChangedWhileRead => Code::FileChanged,
            SheetError::Empty => Code::FileEmpty,
            SheetError::Protected | SheetError::RightsManaged => Code::FileProtected,
            SheetError::NotAWorkbook | SheetError::NotText | SheetError::UnsupportedFormat { .. } => {
                Code::FileNotWorkbook
            }
            SheetError::TooLarge { .. } => Code::FileTooLarge,
            SheetError::Damaged(_)
            | SheetError::EndMissing(_)
            | SheetError::Repeated { .. }
            | SheetError::Unsupported(_)
            | SheetError::QuoteNotClosed { .. } => Code::FileDamaged,
            SheetError::NoSuchSheet(_) | SheetError::UnknownChoice(_) => Code::Unknown,
            SheetError::Cancelled => return Self::obstacle("reading-stopped"),
            SheetError::WriteFailed(_) => Code::WriteFailed,
        };
        let problem = Self::new(code).details(join_causes(&error));
        match error {
            SheetError::NoSuchSheet(what) | SheetError::UnknownChoice(what) => problem.parameter("what", what),
            SheetError::NotAFile => problem.parameter("case", "no-file"),
            SheetError::NotText => problem.parameter("case", "text"),
            SheetError::EndMissing(_) => problem.parameter("case", "end-missing"),
            SheetError::RightsManaged => problem.parameter("case", "rights"),
            SheetError::UnsupportedFormat { .. } => problem.parameter("case", "old"),
            SheetError::QuoteNotClosed { row, column, .. } => {
                let column = column_letters(column);
                problem.parameter("case", "quote").parameter("row", row.to_string()).parameter("column", column)
            }
            SheetError::Repeated { sheet, row, column: None } => {
                problem.parameter("case", "row-repeated").parameter("sheet", sheet).parameter("row", row.to_string())
            }
            SheetError::Repeated { sheet, row, column: Some(column) } => {
                let cell = format!("{}{row}", column_letters(column));
                problem.parameter("case", "cell-repeated").parameter("sheet", sheet).parameter("cell", cell)
            }
            SheetError::TooLarge { what, limit } => with_limit(problem, what, limit),
            _ => problem,
        }
    }
}

/// Sets the case by the kind of limit, because the hint depends on it.
fn with_limit(problem: Problem, what: LimitKind, limit: u64) -> Problem {
    let megabytes = limit / BYTES_PER_MEGABYTE as u64;
    let (case, limit) = match what {
        LimitKind::FileBytes => ("bytes", megabytes),
        LimitKind::UnpackedBytes => ("unpacked", megabytes),
        LimitKind::Parts => ("parts", limit),
        LimitKind::Sheets => ("sheets", limit),
        LimitKind::Cells => ("cells", limit),
        LimitKind::Rows => ("rows", limit),
        LimitKind::Columns => ("columns", limit),
        LimitKind::TextBytes => ("text", limit),
        LimitKind::SheetTextBytes => ("sheet-text", megabytes),
        LimitKind::Memory => ("memory", megabytes),
        LimitKind::Seconds => ("seconds", limit),
    };
    let problem = if what == LimitKind::Seconds { problem.parameter("seconds", limit.to_string()) } else { problem };
    problem.parameter("case", case).parameter("limit", limit.to_string())
}

/// The contract is embedded, so an error in it is a bug.
impl From<ContractError> for Problem {
    fn from(error: ContractError) -> Self {
        Self::new(Code::Bug).details(error)
    }
}

/// Joins an error and its causes, outermost first.
fn join_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut current = error.source();
    while let Some(cause) = current {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        current = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, Words};

    #[test]
    fn a_file_under_rights_management_has_no_password_to_remove() {
        for language in Language::ALL {
            let words = Words::load(language);
            let [by_password, by_rights] = [SheetError::Protected, SheetError::RightsManaged].map(|error| {
                let problem = Problem::from(error);
                [
                    words.problem_title(problem.code, &problem.parameters),
                    words.problem_hint(problem.code, &problem.parameters),
                ]
            });
            assert!(by_password.iter().zip(&by_rights).all(|(one, other)| one != other), "{by_rights:?}");
        }
    }

    #[test]
    fn a_repeated_row_or_cell_is_named_with_its_sheet() {
        for (column, cell) in [(None, "row 7"), (Some(27), "cell AB7")] {
            let error = SheetError::Repeated { sheet: "Plan".to_owned(), row: 7, column };
            let problem = Problem::from(error).parameter("file", "a.xlsx");
            let words = Words::english();
            let title = words.problem_title(problem.code, &problem.parameters);
            assert!(title.contains(cell) && title.contains("Plan") && title.contains("a.xlsx"), "{title}");
            assert!(words.problem_hint(problem.code, &problem.parameters).contains("check this"));
        }
    }
}
