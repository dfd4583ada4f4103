//! Sums over unconfirmed rows that can't be read back: the expected values on the service if they arrived, and if not.
//!
//! The user compares a few sums instead of hundreds of rows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_browse::read_back::key_text;
use takt_contract::Total;
use takt_core::Problem;
use takt_journal::{ItemDetail, Journal, JournalError, RowResult, SubmissionId};

use super::submissions_state::Submissions;

const PAGE_SIZE: u32 = 5_000;
/// Further sums are only counted, in [`UnconfirmedTotals::more`].
const MAX_TOTALS: usize = 1_000;
/// The rounding of sums, which removes the errors of binary fractions.
const ROUNDING: f64 = 1e9;

/// Sums over a submission's unconfirmed rows, for a decision about all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UnconfirmedTotals {
    /// The summed field.
    pub of: String,
    /// The fields by which rows are grouped.
    pub by: Vec<String>,
    /// Sorted by group.
    pub totals: Vec<UnconfirmedTotal>,
    /// The number of sums that aren't listed.
    pub more: u32,
}

/// The expected sum on the service. For rows that didn't arrive, the last accepted values of their keys count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UnconfirmedTotal {
    /// The group's values of the fields in `by`, in their order.
    pub by: Vec<String>,
    /// The number of unconfirmed rows in the group.
    pub rows: u32,
    pub if_not: f64,
    pub if_arrived: f64,
    /// Unconfirmed items without an earlier accepted value. The value is 0 if they didn't arrive.
    pub unknown_before: u32,
}

type Sums = BTreeMap<Vec<String>, UnconfirmedTotal>;

impl Submissions {
    /// Returns the sums, or `None` if no row is unconfirmed or the contract defines no sum.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub async fn unconfirmed_totals(&self, id: SubmissionId) -> Result<Option<UnconfirmedTotals>, Problem> {
        self.run_blocking(move |submissions| {
            let shared = &submissions.shared;
            let record = shared.journal.submission(id)?;
            let contract = shared.sites.contract(&record.site)?;
            let total = contract.operation(&record.operation).and_then(|operation| operation.total.clone());
            let Some(total) = total.filter(|_| record.counts.unconfirmed > 0) else { return Ok(None) };
            let sums = sum_rows(&shared.journal, id, &total)?;
            let mut totals: Vec<UnconfirmedTotal> =
                sums.into_values().filter(|sum| sum.rows > 0).map(round_sums).collect();
            let more = u32::try_from(totals.len().saturating_sub(MAX_TOTALS)).unwrap_or(u32::MAX);
            totals.truncate(MAX_TOTALS);
            Ok(Some(UnconfirmedTotals { of: total.of, by: total.by, totals, more }))
        })
        .await
    }
}

fn sum_rows(journal: &Journal, id: SubmissionId, total: &Total) -> Result<Sums, JournalError> {
    let mut sums = Sums::new();
    for_each_item(journal, id, RowResult::Unconfirmed, |item| {
        let before = journal.rows().last_accepted_body(id, &item.key)?.and_then(|body| number_member(&body, &total.of));
        let sum = sum_entry(&mut sums, &item.body, total);
        sum.rows += u32::try_from(item.rows.len()).unwrap_or(u32::MAX);
        sum.if_arrived += number_member(&item.body, &total.of).unwrap_or_default();
        sum.if_not += before.unwrap_or_default();
        sum.unknown_before += u32::from(before.is_none());
        Ok(())
    })?;
    for_each_item(journal, id, RowResult::Accepted, |item| {
        // Only accepted rows in groups with unconfirmed rows help to decide.
        if let Some(sum) = sums.get_mut(&group_values(&item.body, total)) {
            let accepted = number_member(&item.body, &total.of).unwrap_or_default();
            sum.if_arrived += accepted;
            sum.if_not += accepted;
        }
        Ok(())
    })?;
    Ok(sums)
}

fn for_each_item(
    journal: &Journal,
    id: SubmissionId,
    result: RowResult,
    mut on_item: impl FnMut(&ItemDetail) -> Result<(), JournalError>,
) -> Result<(), JournalError> {
    let mut after = 0;
    loop {
        let items = journal.rows().item_details(id, result, after, PAGE_SIZE)?;
        let Some(last) = items.last() else { return Ok(()) };
        after = last.number;
        items.iter().try_for_each(&mut on_item)?;
    }
}

fn sum_entry<'a>(sums: &'a mut Sums, body: &Value, total: &Total) -> &'a mut UnconfirmedTotal {
    let by = group_values(body, total);
    sums.entry(by.clone()).or_insert_with(|| UnconfirmedTotal { by, ..UnconfirmedTotal::default() })
}

fn group_values(body: &Value, total: &Total) -> Vec<String> {
    total.by.iter().map(|name| body.get(name).map(key_text).unwrap_or_default()).collect()
}

fn number_member(body: &Value, name: &str) -> Option<f64> {
    body.get(name)?.as_f64()
}

fn round_sums(sum: UnconfirmedTotal) -> UnconfirmedTotal {
    let round = |number: f64| (number * ROUNDING).round() / ROUNDING;
    UnconfirmedTotal { if_arrived: round(sum.if_arrived), if_not: round(sum.if_not), ..sum }
}
