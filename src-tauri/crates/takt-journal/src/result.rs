//! Results of items, their counts in rows, and the reasons for them.

use std::{collections::BTreeMap, iter::Sum};
use strum::{EnumString, IntoStaticStr, VariantArray};

use serde::{Deserialize, Serialize};

use crate::JournalError;

/// The result of an item, and so of its rows.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    IntoStaticStr,
    EnumString,
    VariantArray,
    Serialize,
    Deserialize,
)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
#[strum(serialize_all = "snake_case")]
pub enum RowResult {
    Pending,
    Sending,
    Accepted,
    Rejected,
    /// Sent without a trustworthy response.
    Unconfirmed,
    /// Not sent, by choice.
    Skipped,
}

impl RowResult {
    /// Every result, in the order in which they are shown.
    pub const ALL: &'static [Self] = Self::VARIANTS;
}

/// The number of rows per result. An item of three rows adds three.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ResultCounts {
    pub pending: u32,
    pub sending: u32,
    pub accepted: u32,
    pub rejected: u32,
    pub unconfirmed: u32,
    pub skipped: u32,
}

impl ResultCounts {
    /// Returns the number of rows that were sent, with any result.
    #[must_use]
    pub fn sent(&self) -> u32 {
        self.accepted + self.rejected + self.unconfirmed
    }

    /// Returns the number of rows that were sent or are to be sent, without skipped rows.
    #[must_use]
    pub fn to_send(&self) -> u32 {
        self.sent() + self.pending + self.sending
    }

    /// Returns the number of rows without a final result.
    #[must_use]
    pub fn open(&self) -> u32 {
        self.pending + self.sending + self.unconfirmed
    }

    #[must_use]
    pub fn count(&self, result: RowResult) -> u32 {
        match result {
            RowResult::Pending => self.pending,
            RowResult::Sending => self.sending,
            RowResult::Accepted => self.accepted,
            RowResult::Rejected => self.rejected,
            RowResult::Unconfirmed => self.unconfirmed,
            RowResult::Skipped => self.skipped,
        }
    }

    pub fn add(&mut self, result: RowResult, rows: u32) {
        *match result {
            RowResult::Pending => &mut self.pending,
            RowResult::Sending => &mut self.sending,
            RowResult::Accepted => &mut self.accepted,
            RowResult::Rejected => &mut self.rejected,
            RowResult::Unconfirmed => &mut self.unconfirmed,
            RowResult::Skipped => &mut self.skipped,
        } += rows;
    }

    #[must_use]
    pub fn total(&self) -> u32 {
        RowResult::ALL.iter().map(|result| self.count(*result)).sum()
    }
}

impl Sum for ResultCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        let mut sum = Self::default();
        for counts in counts {
            RowResult::ALL.iter().for_each(|result| sum.add(*result, counts.count(*result)));
        }
        sum
    }
}

/// The reason for an item's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// The service's own text. Not trusted.
    Said(String),
    /// Takt's own reason: a code of the language files, and the parameters of its text.
    Because { code: String, parameters: BTreeMap<String, String> },
}

/// The result of one item of an attempt. `Pending` means that the item certainly wasn't processed and will be sent
/// again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub item: u32,
    pub result: RowResult,
    pub reasons: Vec<Reason>,
}

/// Returns the reasons as JSON, or none if there are none.
pub(crate) fn reasons_to_json(reasons: &[Reason]) -> Result<Option<String>, JournalError> {
    Ok(if reasons.is_empty() { None } else { Some(serde_json::to_string(reasons)?) })
}

pub(crate) fn parse_reasons(text: Option<&str>) -> Result<Vec<Reason>, JournalError> {
    Ok(text.map_or_else(|| Ok(Vec::new()), serde_json::from_str)?)
}
