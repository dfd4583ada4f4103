//! Errors as they leave the engine: one closed set of codes, one per distinct reaction of a person.
//!
//! Every error of the crates below is turned into a [`Problem`]. The texts come from the language files
//! (`locales/*.json`, section `problem`): `title` says what happened, `hint` what to do. Where one code has several causes that
//! a person must tell apart, the parameter `case` names the one, and its texts stand under that name within the code's.
//!
//! Functions name the codes that they fail with. What fails in the same way everywhere has a name of its own:
//!
//! # Journal codes
//!
//! The journal's file can't be opened, read or written: [`Code::JournalFailed`], [`Code::JournalNewer`],
//! [`Code::JournalBusy`], [`Code::JournalDamaged`], [`Code::DiskFull`] or [`Code::FolderReadOnly`]; of a team's database
//! [`Code::TeamAway`] or [`Code::TeamFailed`]. [`Code::is_of_journal`] tells them.
//!
//! # Client codes
//!
//! No client can be made for a site: [`Code::Unknown`] without a site of that name, [`Code::ServiceUnreachable`] while the
//! practice plant isn't running, [`Code::Precondition`] (`plain-http`) for an unencrypted address that nobody allowed,
//! [`Code::InvalidInput`] for an address, a proxy or a certificate file that can't be used, or a journal code.
//!
//! # Read codes
//!
//! A site didn't answer a request, or not as the contract says: [`Code::SignInNeeded`], [`Code::SignInRefused`],
//! [`Code::SignInCancelled`], [`Code::IdentityProviderFailed`], [`Code::AccessDenied`], [`Code::ServiceUnreachable`],
//! [`Code::ConnectionLost`] (of a request that only reads [`Code::ReadBroken`], see [`Problem::of_read`]), [`Code::RateLimited`],
//! [`Code::Rejected`], [`Code::NotFound`], [`Code::ServiceFailed`], [`Code::AnswerNotUnderstood`] or [`Code::AnswerTooLarge`].
//!
//! # File codes
//!
//! A workbook or csv can't be read: [`Code::FileUnreadable`], [`Code::FileChanged`], [`Code::FileEmpty`],
//! [`Code::FileProtected`], [`Code::FileNotWorkbook`], [`Code::FileTooLarge`], [`Code::FileDamaged`], [`Code::Unknown`] for a
//! sheet, an encoding or a separator that doesn't exist, or [`Code::Precondition`] (`reading-stopped`) when somebody cancelled.

mod from;
mod words;

use std::{collections::BTreeMap, fmt::Display};

use serde::{Deserialize, Serialize};

use crate::Words;

/// What a person can do about it decides the code; nothing else does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// No token, or the service no longer takes it.
    SignInNeeded,
    /// The keychain failed or doesn't answer: whether somebody is signed in isn't known.
    KeychainFailed,
    /// The identity provider said no (wrong secret, wrong redirect address, refused scope).
    SignInRefused,
    /// The identity provider failed, or answered what isn't its protocol's: nothing is wrong with the rows.
    IdentityProviderFailed,
    /// The person cancelled, or the browser never came back.
    SignInCancelled,
    /// No port of the site's redirect addresses could be opened.
    RedirectPortTaken,
    /// The address for events can't be opened.
    ListenFailed,
    /// Status 403.
    AccessDenied,
    /// No connection, no name, no TLS.
    ServiceUnreachable,
    /// The connection broke or the answer stopped before its end.
    ConnectionLost,
    /// The same of a read: nothing was changed, so it can be tried again.
    ReadBroken,
    /// Status 429.
    RateLimited,
    /// Status 400 or 412.
    Rejected,
    /// Status 404.
    NotFound,
    /// Status 500 and other 5xx; `log_id` where the service gave one.
    ServiceFailed,
    /// An answer that the contract doesn't know.
    AnswerNotUnderstood,
    /// An answer with more bytes than Takt takes on.
    AnswerTooLarge,
    /// The file is missing, locked, or not readable.
    FileUnreadable,
    /// The file was written to, replaced or removed while it was read.
    FileChanged,
    /// Not a workbook of a kind that Takt reads.
    FileNotWorkbook,
    /// The file holds nothing.
    FileEmpty,
    /// Encrypted with a password, or by rights management.
    FileProtected,
    /// Larger than what Takt takes on (bytes, unpacked bytes, cells, columns).
    FileTooLarge,
    /// Part of the file is broken.
    FileDamaged,
    /// No row that could be a heading was found.
    NoHeader,
    /// A sheet, operation, site, submission or import with that name doesn't exist.
    Unknown,
    /// A mapping says something that can't be (a text says what, with the member and the heading or field).
    MappingRefused,
    /// Rules that can't be read from a file (the details say where).
    RulesRefused,
    /// A site's document that can't be read (the details say where and why).
    DocumentRefused,
    /// A file that doesn't hold a site as this Takt writes it (the details say why).
    SiteFileRefused,
    /// A site's document of a version of OpenAPI that Takt doesn't read.
    DocumentVersion,
    /// A rule that can't be understood (the details say why).
    RuleFaulty,
    /// A rule is to be switched on that wasn't tried as it stands.
    RuleNotTried,
    /// What was asked can't be done in this state (a hint says what is in the way).
    Precondition,
    /// What was sent to a site belongs to another address than the site has now (`before`, `now`).
    AddressChanged,
    /// A production site is written to only by who has typed its name.
    ConfirmationNeeded,
    /// What was typed is not usable (an address, a number, a name).
    InvalidInput,
    /// The journal can't be read or written.
    JournalFailed,
    /// The journal was written by a newer Takt.
    JournalNewer,
    /// Another Takt wrote to the journal for too long.
    JournalBusy,
    /// What the journal's file holds isn't what was written.
    JournalDamaged,
    /// The team's database can't be reached, or the connection to it broke.
    TeamAway,
    /// The team's database can't be used; `case` names what is in the way.
    TeamFailed,
    /// Another desk of the team took a submission over; `person` and `since` say who and when.
    TakenOver,
    /// There is no room for the journal.
    DiskFull,
    /// The journal's folder can't be written to.
    FolderReadOnly,
    /// A file couldn't be written.
    WriteFailed,
    /// The update channel can't be read; `case` names what is in the way.
    UpdateChannelFailed,
    /// The practice plant can't do what it was told to do; its reason says why.
    PlantMove,
    /// A mistake in Takt itself.
    Bug,
}

impl Code {
    /// Whether the journal's file is in the way: nothing can be written down, whatever else is tried.
    #[must_use]
    pub fn is_of_journal(self) -> bool {
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

/// One error, ready for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    pub code: Code,
    /// In English; the window renders its own from `code` and `parameters`.
    pub message: String,
    /// What to do, in English.
    pub hint: String,
    /// What the texts name: `file`, `sheet`, `site`, `address`, `status`, ...
    pub parameters: BTreeMap<String, String>,
    /// The service's own words, one string per reason. Not trusted: shown as text only.
    pub reasons: Vec<String>,
    /// The service's log identifier, where it gave one.
    pub log_id: Option<String>,
    /// The raw answer or the technical cause, for the details view. Never holds a secret.
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
        problem.fill();
        problem
    }

    /// Something that the texts name.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: impl Into<String>) -> Self {
        self.parameters.insert(name.to_owned(), value.into());
        self.fill();
        self
    }

    /// The service's own words.
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

    /// The technical cause, or the raw answer.
    #[must_use]
    pub fn details(mut self, details: impl Display) -> Self {
        self.details = Some(details.to_string());
        self
    }

    /// What was asked can't be done now; `obstacle` names the text that says why (section `obstacle`).
    #[must_use]
    pub fn in_the_way(obstacle: &str) -> Self {
        let what = Words::english().text(&["obstacle", obstacle], &BTreeMap::new());
        Self::new(Code::Precondition).parameter("obstacle", obstacle).parameter("what", what)
    }

    /// The same with what the text names.
    pub fn in_the_way_of(obstacle: &str, places: &[(&str, &str)]) -> Self {
        let places: BTreeMap<String, String> =
            places.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let what = Words::english().text(&["obstacle", obstacle], &places);
        let problem = Self::new(Code::Precondition).parameter("obstacle", obstacle).parameter("what", what);
        places.into_iter().fold(problem, |problem, (name, value)| problem.parameter(&name, value))
    }

    /// Whether this is what stands in the way.
    #[must_use]
    pub fn is_obstacle(&self, obstacle: &str) -> bool {
        self.code == Code::Precondition && self.parameters.get("obstacle").is_some_and(|found| found == obstacle)
    }

    fn fill(&mut self) {
        self.message = Words::english().problem_title(self.code, &self.parameters);
        self.hint = Words::english().problem_hint(self.code, &self.parameters);
    }
}
