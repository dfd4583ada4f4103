//! Rules as people write and keep them.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use takt_contract::text_without_byte_order_mark;
use takt_core::{Code, Problem, hex::hex, write_file};

/// More than these aren't kept.
const MAX_RULES: usize = 100;
/// The most that is read of a file with rules, in bytes.
const MAX_RULES_FILE_BYTES: u64 = 1024 * 1024;

/// Where it speaks, it allows or refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerRule {
    pub name: String,
    /// The service's numbers of the events that it is for.
    pub events: Vec<i32>,
    #[serde(default)]
    pub on: bool,
    /// In CEL: true where the rule speaks.
    pub when: String,
    /// What the operator is told, with `{…}` in CEL; absent where the rule allows.
    #[serde(default)]
    pub refuse: Option<String>,
}

/// A site's rules in their order, and what is answered without them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rules {
    pub rules: Vec<AnswerRule>,
    /// What the operator is told where no rule speaks; absent: it is allowed.
    #[serde(default)]
    pub refuse_otherwise: Option<String>,
    /// What the operator is told where a rule fails or takes too long; absent: a sentence in Takt's language.
    #[serde(default)]
    pub refuse_on_failure: Option<String>,
    /// The service's numbers of the events that a person chose to be allowed where a rule fails or takes too long, as far as no
    /// other rule refuses. Every other event is refused then.
    #[serde(default)]
    pub allow_on_failure: Vec<i32>,
}

impl AnswerRule {
    /// Tells the rule's text from every other: by it a rule is known that was tried.
    pub(super) fn text_hash(&self) -> String {
        let mut hash = Sha256::new();
        let mut events = self.events.clone();
        events.sort_unstable();
        let (events, refuse) = (format!("{events:?}"), self.refuse.as_ref().map(|text| format!("refuses {text}")));
        for part in [self.when.as_str(), &events, refuse.as_deref().unwrap_or("allows")] {
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        hex(&hash.finalize())
    }
}

impl Rules {
    /// Rules as somebody wrote them.
    ///
    /// # Errors
    ///
    /// [`Code::RulesRefused`]: the text is no JSON, not of this form, or has too many rules.
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

    /// Rules from a file that somebody wrote or exported.
    ///
    /// # Errors
    ///
    /// - [`Code::FileUnreadable`]: the file can't be read.
    /// - [`Code::FileTooLarge`]: it is longer than rules can be.
    /// - [`Code::RulesRefused`]: what it holds are no rules, as [`Self::from_json`].
    pub fn read(path: &Path) -> Result<Self, Problem> {
        let named = |code| Problem::new(code).parameter("file", path.display().to_string());
        let failed = |error: io::Error| named(Code::FileUnreadable).details(error);
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(MAX_RULES_FILE_BYTES + 1).read_to_string(&mut text))
            .map_err(failed)?;
        if text.len() as u64 > MAX_RULES_FILE_BYTES {
            return Err(named(Code::FileTooLarge));
        }
        Self::from_json(text_without_byte_order_mark(&text))
    }

    /// The file that [`Rules::read`] reads.
    ///
    /// # Errors
    ///
    /// [`Code::WriteFailed`]: the file can't be written.
    pub fn write(&self, path: &Path) -> Result<(), Problem> {
        write_file(path, self.to_json().as_bytes())
    }

    /// The text that [`Rules::from_json`] reads.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
