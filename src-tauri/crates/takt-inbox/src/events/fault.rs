//! What is wrong with a rule: where, and in which of a closed set of ways.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use takt_core::words::{Words, name};

/// A part of a rule that a person writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum RulePart {
    Name,
    Events,
    When,
    Refuse,
}

/// What is wrong. The first ones are seen in a rule as it stands, the others when it meets an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FaultCode {
    /// Nothing was written.
    Empty,
    /// Another rule has that name.
    NameTaken,
    /// Not one of the events that ask.
    NotAsking,
    TooLong,
    /// Brackets in brackets in brackets.
    TooDeep,
    /// It ends where something has to follow.
    Unfinished,
    /// `token` can't stand there.
    NotUnderstood,
    /// A `{` without its `}`, or the other way round.
    Brace,
    /// There is no variable `name`.
    UnknownName,
    /// There is no function `name`.
    UnknownFunction,
    /// The event has no member `name` (perhaps `near`).
    UnknownMember,
    /// It isn't true or false but `kind`.
    NotTruth,
    /// What `operation` is given doesn't fit (`kinds`).
    WrongKinds,
    /// What `matches` is given is no pattern; `cause` says why in English.
    Pattern,
    /// It would work too long, or make something too large.
    TooMuch,
    /// It wasn't done in time.
    TooSlow,
    /// Anything else; `cause` says it in English.
    Other,
}

/// What is wrong with a part of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleFault {
    pub part: RulePart,
    /// Where in its text, in characters; at its end where something is missing.
    pub at: u32,
    pub code: FaultCode,
    /// What the texts name.
    pub parameters: BTreeMap<String, String>,
    /// A rule with an error can't be used; else it is a doubt.
    pub error: bool,
}

/// The same before it is known in which part it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) code: FaultCode,
    pub(crate) parameters: BTreeMap<String, String>,
    pub(crate) error: bool,
}

impl Fault {
    pub(crate) fn new(code: FaultCode, at: usize) -> Self {
        Self { at, code, parameters: BTreeMap::new(), error: true }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.parameters.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn doubt(self) -> Self {
        Self { error: false, ..self }
    }

    /// The same of a text that begins so many characters into its part.
    pub(crate) fn shifted(self, by: usize) -> Self {
        Self { at: self.at + by, ..self }
    }

    pub(crate) fn of(self, part: RulePart) -> RuleFault {
        let Self { at, code, parameters, error } = self;
        RuleFault { part, at: u32::try_from(at).unwrap_or(u32::MAX), code, parameters, error }
    }
}

impl RuleFault {
    /// What is wrong, as a sentence.
    #[must_use]
    pub fn text(&self, words: &Words) -> String {
        let sentence = words.text(&["rule-fault", &name(self.code)], &self.parameters);
        words.with_suggestion(sentence, &self.parameters)
    }
}
