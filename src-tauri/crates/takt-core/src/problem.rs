//! The errors of the API: a closed set of codes, one for each distinct reaction of the user.
//!
//! Every error of the lower crates is converted to a [`Problem`]. Its texts are in the language files
//! (`locales/*.json`, section `problem`). `title` describes what happened, and `hint` what to do. If a code has several
//! causes with different texts, the parameter `case` names the cause.
//!
//! Functions list the codes that they return. Common groups of codes have names:
//!
//! # Journal codes
//!
//! The journal's file can't be opened, read or written: [`Code::JournalFailed`], [`Code::JournalNewer`],
//! [`Code::JournalBusy`], [`Code::JournalDamaged`], [`Code::DiskFull`] or [`Code::FolderReadOnly`]. For a team's
//! database: [`Code::TeamAway`] or [`Code::TeamFailed`]. [`Code::is_journal_failure`] tests for them.
//!
//! # Client codes
//!
//! No client can be created for a site: [`Code::Unknown`] without a site of that name, [`Code::ServiceUnreachable`] if
//! the practice plant isn't running, [`Code::Precondition`] (`plain-http`) for an unencrypted address that isn't
//! allowed, [`Code::InvalidInput`] for an invalid address, proxy or certificate file, or a journal code.
//!
//! # Read codes
//!
//! A site didn't respond, or not by the contract: [`Code::SignInNeeded`], [`Code::SignInRefused`],
//! [`Code::SignInCancelled`], [`Code::IdentityProviderFailed`], [`Code::AccessDenied`], [`Code::ServiceUnreachable`],
//! [`Code::ConnectionLost`] (for a read [`Code::ReadBroken`], see [`Problem::from_read_error`]), [`Code::RateLimited`],
//! [`Code::Rejected`], [`Code::NotFound`], [`Code::ServiceFailed`], [`Code::AnswerNotUnderstood`] or
//! [`Code::AnswerTooLarge`].
//!
//! # File codes
//!
//! A workbook or CSV file can't be read: [`Code::FileUnreadable`], [`Code::FileChanged`], [`Code::FileEmpty`],
//! [`Code::FileProtected`], [`Code::FileNotWorkbook`], [`Code::FileTooLarge`], [`Code::FileDamaged`], [`Code::Unknown`]
//! for an unknown sheet, encoding or delimiter, or [`Code::Precondition`] (`reading-stopped`) if reading was canceled.

mod conversions;

use std::{collections::BTreeMap, fmt::Display};

use serde::{Deserialize, Serialize};

use crate::words::{Words, serialized_name};

/// The code of an error. Errors with different ways to resolve them have different codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// There is no token, or the service rejected it.
    SignInNeeded,
    /// The keychain failed or doesn't respond, so that the sign-in state is unknown.
    KeychainFailed,
    /// The identity provider refused the sign-in (wrong secret, wrong redirect address, refused scope).
    SignInRefused,
    /// The identity provider failed, or violated its protocol. Nothing is wrong with the rows.
    IdentityProviderFailed,
    /// The user canceled the sign-in, or the browser didn't return in time.
    SignInCancelled,
    /// No port of the site's redirect addresses could be opened.
    RedirectPortTaken,
    /// The address for events can't be opened.
    ListenFailed,
    /// The service denied access (status 403).
    AccessDenied,
    /// The service can't be reached, for example because name resolution or TLS failed.
    ServiceUnreachable,
    /// The connection broke, or the response ended early.
    ConnectionLost,
    /// A read's connection broke. Nothing was changed, so it can be retried.
    ReadBroken,
    /// The rate limit is exceeded (status 429).
    RateLimited,
    /// The service rejected the request (status 400 or 412).
    Rejected,
    /// The service didn't find the resource (status 404).
    NotFound,
    /// The service failed (status 5xx). `log_id` is set if the service sent a log ID.
    ServiceFailed,
    /// A response that the contract doesn't describe.
    AnswerNotUnderstood,
    /// A response with more bytes than allowed.
    AnswerTooLarge,
    /// The file is missing, locked, or not readable.
    FileUnreadable,
    /// The file was written to, replaced or removed while it was read.
    FileChanged,
    /// The file isn't a supported workbook.
    FileNotWorkbook,
    /// The file is empty.
    FileEmpty,
    /// The file is encrypted with a password or by rights management.
    FileProtected,
    /// The file exceeds a limit (bytes, unpacked bytes, cells, columns).
    FileTooLarge,
    /// Part of the file is damaged.
    FileDamaged,
    /// No header row was found.
    NoHeader,
    /// No sheet, operation, site, submission or import has that name.
    Unknown,
    /// A mapping is invalid. The parameter `what` contains the reason.
    MappingRefused,
    /// Rules in a file are unreadable (the details contain the position).
    RulesRefused,
    /// A site's document is unreadable (the details contain the position and reason).
    DocumentRefused,
    /// The file isn't a site file of this version (the details contain the reason).
    SiteFileRefused,
    /// A site's document has an unsupported OpenAPI version.
    DocumentVersion,
    /// A rule is invalid (the details contain the reason).
    RuleFaulty,
    /// A rule can't be turned on, because its current version wasn't tried.
    RuleNotTried,
    /// The action isn't possible in this state. The parameter `what` contains the reason.
    Precondition,
    /// The submission was sent to another address than the site has now (`before`, `now`).
    AddressChanged,
    /// Sending to a production site requires typing its name.
    ConfirmationNeeded,
    /// The input is invalid (an address, a number, a name).
    InvalidInput,
    /// The journal can't be read or written.
    JournalFailed,
    /// The journal was written by a newer Takt.
    JournalNewer,
    /// Another process had the journal locked for too long.
    JournalBusy,
    /// The journal's file is damaged.
    JournalDamaged,
    /// The team's database can't be reached, or the connection to it broke.
    TeamAway,
    /// The team's database can't be used. `case` names the reason.
    TeamFailed,
    /// Another computer of the team took over the submission. `person` and `since` are that user and the time.
    TakenOver,
    /// The disk is full, so that the journal can't be written.
    DiskFull,
    /// The journal's folder is read-only.
    FolderReadOnly,
    /// A file couldn't be written. The parameter `file` is its path.
    WriteFailed,
    /// The update channel is unreadable. `case` names the reason.
    UpdateChannelFailed,
    /// The practice plant can't perform the action. The details contain its reason.
    PlantMove,
    /// A bug in Takt.
    Bug,
}

impl Code {
    /// Returns true if the journal can't be used, so that nothing can be recorded.
    #[must_use]
    pub fn is_journal_failure(self) -> bool {
        matches!(
            self,
            Self::JournalFailed
                | Self::JournalNewer
                | Self::JournalBusy
                | Self::JournalDamaged
                | Self::TeamAway
                | Self::TeamFailed
                | Self::DiskFull
                | Self::FolderReadOnly
        )
    }
}

/// An error with texts for users: what happened, and what to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    pub code: Code,
    /// In English. The window renders its own text from `code` and `parameters`.
    pub message: String,
    /// The suggested solution, in English.
    pub hint: String,
    /// The parameters of the texts: `file`, `sheet`, `site`, `address`, `status`, ...
    pub parameters: BTreeMap<String, String>,
    /// The service's messages, one per reason. Not trusted: shown as text only.
    pub reasons: Vec<String>,
    /// The service's log ID, if it sent one.
    pub log_id: Option<String>,
    /// The raw response or the technical cause, for the details view. Never contains a secret.
    pub details: Option<String>,
}

impl Problem {
    #[must_use]
    pub fn new(code: Code) -> Self {
        let mut problem = Self {
            code,
            message: String::new(),
            hint: String::new(),
            parameters: BTreeMap::new(),
            reasons: Vec::new(),
            log_id: None,
            details: None,
        };
        problem.fill_texts();
        problem
    }

    /// Adds a parameter of the texts, and renders the texts again.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: impl Into<String>) -> Self {
        self.parameters.insert(name.to_owned(), value.into());
        self.fill_texts();
        self
    }

    /// Sets the service's messages, one per reason.
    #[must_use]
    pub fn reasons(mut self, reasons: Vec<String>) -> Self {
        self.reasons = reasons;
        self
    }

    #[must_use]
    pub fn log_id(mut self, log_id: Option<String>) -> Self {
        self.log_id = log_id;
        self
    }

    /// Sets the technical cause or the raw response.
    #[must_use]
    pub fn details(mut self, details: impl Display) -> Self {
        self.details = Some(details.to_string());
        self
    }

    /// Creates the problem for an action that isn't possible now. `obstacle` is the key of the reason in the language
    /// files' section `obstacle`.
    #[must_use]
    pub fn obstacle(obstacle: &str) -> Self {
        let what = Words::english().text(&["obstacle", obstacle], &BTreeMap::new());
        Self::new(Code::Precondition).parameter("obstacle", obstacle).parameter("what", what)
    }

    /// Like [`Self::obstacle`], with parameters of the text.
    pub fn obstacle_with(obstacle: &str, parameters: &[(&str, &str)]) -> Self {
        let parameters: BTreeMap<String, String> =
            parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let what = Words::english().text(&["obstacle", obstacle], &parameters);
        let problem = Self::new(Code::Precondition).parameter("obstacle", obstacle).parameter("what", what);
        parameters.into_iter().fold(problem, |problem, (name, value)| problem.parameter(&name, value))
    }

    /// Returns true if the action isn't possible because of this obstacle.
    #[must_use]
    pub fn is_obstacle(&self, obstacle: &str) -> bool {
        self.code == Code::Precondition && self.parameters.get("obstacle").is_some_and(|value| value == obstacle)
    }

    fn fill_texts(&mut self) {
        self.message = Words::english().problem_title(self.code, &self.parameters);
        self.hint = Words::english().problem_hint(self.code, &self.parameters);
    }
}

impl Words {
    /// Returns a problem's title, which describes what happened.
    #[must_use]
    pub fn problem_title(&self, code: Code, parameters: &BTreeMap<String, String>) -> String {
        self.problem_text(code, "title", parameters)
    }

    /// Returns the text for the parameter `case`, if there is one, or the code's text.
    fn problem_text(&self, code: Code, kind: &str, parameters: &BTreeMap<String, String>) -> String {
        let (code, case) = (serialized_name(code), parameters.get("case").map_or("", String::as_str));
        match self.has_text(&["problem", &code, case, kind]) {
            true => self.text(&["problem", &code, case, kind], parameters),
            false => self.text(&["problem", &code, kind], parameters),
        }
    }

    /// Returns a problem's hint about what to do. Advice about the obstacle takes precedence.
    #[must_use]
    pub fn problem_hint(&self, code: Code, parameters: &BTreeMap<String, String>) -> String {
        let obstacle = parameters.get("obstacle").map_or("", String::as_str);
        if self.has_text(&["advice", obstacle]) {
            return self.text(&["advice", obstacle], parameters);
        }
        self.problem_text(code, "hint", parameters)
    }
}
