//! Fates, their counts in rows, and the reasons for them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::JournalError;

/// What became of an item, and so of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fate {
    Pending,
    Sending,
    Accepted,
    Rejected,
    /// Sent, and no believable answer came.
    InDoubt,
    /// Not sent, by choice.
    Skipped,
}

impl Fate {
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::Sending, Self::Accepted, Self::Rejected, Self::InDoubt, Self::Skipped];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Sending => "sending",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::InDoubt => "in_doubt",
            Self::Skipped => "skipped",
        }
    }

    pub(crate) fn from_word(word: &str) -> Result<Self, JournalError> {
        Self::ALL.into_iter().find(|fate| fate.word() == word).ok_or_else(|| JournalError::UnknownWord(word.to_owned()))
    }
}

/// Rows per fate: an item of three rows counts three.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FateCounts {
    pub pending: u32,
    pub sending: u32,
    pub accepted: u32,
    pub rejected: u32,
    pub in_doubt: u32,
    pub skipped: u32,
}

impl FateCounts {
    #[must_use]
    pub fn of(&self, fate: Fate) -> u32 {
        match fate {
            Fate::Pending => self.pending,
            Fate::Sending => self.sending,
            Fate::Accepted => self.accepted,
            Fate::Rejected => self.rejected,
            Fate::InDoubt => self.in_doubt,
            Fate::Skipped => self.skipped,
        }
    }

    pub fn add(&mut self, fate: Fate, rows: u32) {
        *match fate {
            Fate::Pending => &mut self.pending,
            Fate::Sending => &mut self.sending,
            Fate::Accepted => &mut self.accepted,
            Fate::Rejected => &mut self.rejected,
            Fate::InDoubt => &mut self.in_doubt,
            Fate::Skipped => &mut self.skipped,
        } += rows;
    }

    #[must_use]
    pub fn total(&self) -> u32 {
        Fate::ALL.into_iter().map(|fate| self.of(fate)).sum()
    }
}

/// Why an item has its fate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// The service's own words. Not trusted.
    Said(String),
    /// Takt's own reason: a code of the language files, and what its text names.
    Because { code: String, parameters: BTreeMap<String, String> },
}

/// What became of one item of an attempt. `Pending` is allowed: it was surely not processed and stays to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub item: u32,
    pub fate: Fate,
    pub reasons: Vec<Reason>,
}

/// Reasons as stored: nothing where there are none.
pub(crate) fn reasons_text(reasons: &[Reason]) -> Result<Option<String>, JournalError> {
    Ok(if reasons.is_empty() { None } else { Some(serde_json::to_string(reasons)?) })
}

pub(crate) fn reasons_read(text: Option<&str>) -> Result<Vec<Reason>, JournalError> {
    Ok(text.map_or_else(|| Ok(Vec::new()), serde_json::from_str)?)
}
