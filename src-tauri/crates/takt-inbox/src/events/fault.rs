//! Faults in answer rules: their position and their kind.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use takt_core::words::{Words, serialized_name};

/// A part of a rule's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum RulePart {
    Name,
    Events,
    When,
    Refuse,
}

/// The kind of a fault. The first kinds are found by reading a rule, the others by evaluating it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FaultCode {
    /// The text is empty.
    Empty,
    /// Another rule has this name.
    NameTaken,
    /// An event that doesn't wait for an answer.
    NotAsking,
    TooLong,
    /// Brackets are nested too deeply.
    TooDeep,
    /// The text ends too early.
    Unfinished,
    /// An unexpected `token`.
    NotUnderstood,
    /// A `{` without its `}`, or the reverse.
    Brace,
    /// An unknown variable `name`.
    UnknownName,
    /// An unknown function `name`.
    UnknownFunction,
    /// An unknown member `name`. `near` is a similar known name, if there is one.
    UnknownMember,
    /// The condition isn't a boolean but a `kind`.
    NotTruth,
    /// The types `kinds` don't fit `operation`.
    WrongKinds,
    /// The argument of `matches` isn't a pattern. `cause` explains it in English.
    Pattern,
    /// The evaluation exceeds its budget.
    TooMuch,
    /// The evaluation timed out.
    TooSlow,
    /// Any other fault. `cause` explains it in English.
    Other,
}

/// A fault in a part of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleFault {
    pub part: RulePart,
    /// The position in the part's text, in characters. If something is missing, the end of the text.
    pub at: u32,
    pub code: FaultCode,
    /// The values for the sentence about the fault.
    pub parameters: BTreeMap<String, String>,
    /// Whether the rule can't be used. Otherwise the fault is a warning.
    pub error: bool,
}

/// A fault whose part of the rule isn't known yet.
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

    /// Adds a value for the sentence about the fault.
    pub(crate) fn with_parameter(mut self, name: &str, value: impl Into<String>) -> Self {
        self.parameters.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn into_warning(self) -> Self {
        Self { error: false, ..self }
    }

    /// Moves the position by the number of characters before the text.
    pub(crate) fn shifted_by(self, by: usize) -> Self {
        Self { at: self.at + by, ..self }
    }

    pub(crate) fn in_part(self, part: RulePart) -> RuleFault {
        let Self { at, code, parameters, error } = self;
        RuleFault { part, at: u32::try_from(at).unwrap_or(u32::MAX), code, parameters, error }
    }
}

impl RuleFault {
    /// Returns a sentence about the fault.
    #[must_use]
    pub fn text(&self, words: &Words) -> String {
        let sentence = words.text(&["rule-fault", &serialized_name(self.code)], &self.parameters);
        words.with_suggestion(sentence, &self.parameters)
    }
}
