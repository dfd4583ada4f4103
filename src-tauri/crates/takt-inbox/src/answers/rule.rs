//! Rules as users write and save them.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use takt_contract::text_without_byte_order_mark;
use takt_core::{Code, Problem, hex::to_hex, write_file};

/// The maximum number of rules of a site.
const MAX_RULES: usize = 100;
/// The maximum size of a file of rules, in bytes.
const MAX_RULES_FILE_BYTES: u64 = 1024 * 1024;

/// A rule that allows or refuses the events it matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerRule {
    pub name: String,
    /// The service's numbers of the events the rule applies to.
    pub events: Vec<i32>,
    #[serde(default)]
    pub on: bool,
    /// The condition in CEL. The rule matches if it is true.
    pub when: String,
    /// The message for the operator, with `{…}` in CEL. Absent if the rule allows.
    #[serde(default)]
    pub refuse: Option<String>,
}

/// A site's rules in order, and the answers if none decides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rules {
    pub rules: Vec<AnswerRule>,
    /// The message for the operator if no rule matches. If absent, the event is allowed.
    #[serde(default)]
    pub refuse_otherwise: Option<String>,
    /// The message for the operator if a rule fails or times out. If absent, a standard sentence in Takt's language.
    #[serde(default)]
    pub refuse_on_failure: Option<String>,
    /// The service's numbers of the events that are allowed if a rule fails or times out and no other rule refuses. All
    /// other events are refused then.
    #[serde(default)]
    pub allow_on_failure: Vec<i32>,
}

impl AnswerRule {
    /// Returns a hash of the condition, events and refusal. It identifies a rule that was tried.
    pub(super) fn text_hash(&self) -> String {
        let mut hash = Sha256::new();
        let mut events = self.events.clone();
        events.sort_unstable();
        let (events, refuse) = (format!("{events:?}"), self.refuse.as_ref().map(|text| format!("refuses {text}")));
        for part in [self.when.as_str(), &events, refuse.as_deref().unwrap_or("allows")] {
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        to_hex(&hash.finalize())
    }
}

impl Rules {
    /// Parses rules from JSON.
    ///
    /// # Errors
    ///
    /// [`Code::RulesRefused`]: the text isn't JSON, doesn't have this form, or has too many rules.
    pub fn from_json(text: &str) -> Result<Self, Problem> {
        let refused = |cause: String| Problem::new(Code::RulesRefused).details(cause);
        let mut reader = serde_json::Deserializer::from_str(text);
        let rules: Self = serde_path_to_error::deserialize(&mut reader).map_err(|error| refused(error.to_string()))?;
        reader.end().map_err(|error| refused(error.to_string()))?;
        if rules.rules.len() > MAX_RULES {
            return Err(refused(format!("more than {MAX_RULES} rules")));
        }
        Ok(rules)
    }

    /// Reads rules from a file.
    ///
    /// # Errors
    ///
    /// - [`Code::FileUnreadable`]: the file can't be read.
    /// - [`Code::FileTooLarge`]: the file has more than 1 MiB.
    /// - [`Code::RulesRefused`]: the file doesn't contain rules, as for [`Self::from_json`].
    pub fn read(path: &Path) -> Result<Self, Problem> {
        let problem = |code| Problem::new(code).parameter("file", path.display().to_string());
        let failed = |error: io::Error| problem(Code::FileUnreadable).details(error);
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(MAX_RULES_FILE_BYTES + 1).read_to_string(&mut text))
            .map_err(failed)?;
        if text.len() as u64 > MAX_RULES_FILE_BYTES {
            return Err(problem(Code::FileTooLarge));
        }
        Self::from_json(text_without_byte_order_mark(&text))
    }

    /// Writes a file that [`Rules::read`] reads.
    ///
    /// # Errors
    ///
    /// [`Code::WriteFailed`]: the file can't be written.
    pub fn write(&self, path: &Path) -> Result<(), Problem> {
        write_file(path, self.to_json().as_bytes())
    }

    /// Returns the JSON that [`Rules::from_json`] parses.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
