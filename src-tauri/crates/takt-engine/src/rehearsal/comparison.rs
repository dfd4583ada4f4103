//! Compares a rehearsal to the later submission: rows of two submissions of one operation. Rows are paired by their
//! position in the same file, or by their keys.

use std::collections::HashMap;

use serde::Serialize;
use takt_core::{Code, ExcelRow, Problem};
use takt_journal::{Relation, SubmissionId, SubmissionState};
use takt_submit::{
    history::HistoryQuery,
    submission::{ResultRow, SubmissionView},
};

use super::site_copy::Rehearsals;

const ROWS_PER_PAGE: u32 = 1_000;
/// The maximum number of the other site's submissions that are searched for the counterpart.
const MAX_SEARCHED_SUBMISSIONS: u32 = 200;
/// The maximum number of differing rows that [`Rehearsals::find_comparison`] returns. All of them are counted.
const MAX_DIFFERENCES: usize = 1_000;

/// The comparison of two submissions, one of them to the copy of the other's site.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RehearsalComparison {
    pub rehearsal: SubmissionView,
    pub real: SubmissionView,
    /// True if both sent the same file, so that rows are paired by their position.
    pub same_file: bool,
    /// The number of rows with the same result.
    pub same: u32,
    /// The number of rows with another result or reason.
    pub different: u32,
    /// The differing rows, in the order of the real submission.
    pub differences: Vec<RowDifference>,
    /// The number of rows that only the rehearsal had.
    pub only_rehearsed: u32,
    /// The number of rows that only the real submission had.
    pub only_real: u32,
}

/// A row with another result than in the rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowDifference {
    pub key: String,
    pub rehearsed: ResultRow,
    pub real: ResultRow,
}

impl Rehearsals<'_> {
    /// Compares a submission to its counterpart: its rehearsal, or the submission that it rehearsed. The counterpart is
    /// `other`, or the latest submission of the same operation, preferably with the same file.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - [`Code::Precondition`]: neither submission went to the copy of the other's site (`no-rehearsal`), or their
    ///   operations differ (`rehearsal-of-other-operation`).
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn compare(&self, id: SubmissionId, other: Option<SubmissionId>) -> Result<RehearsalComparison, Problem> {
        let submissions = self.0.submissions();
        let view = submissions.view(id)?;
        let other = match other {
            Some(other) => submissions.view(other)?,
            None => self.find_counterpart(&view)?.ok_or_else(|| Problem::obstacle("no-rehearsal"))?,
        };
        if view.operation != other.operation {
            return Err(Problem::obstacle("rehearsal-of-other-operation"));
        }
        self.pair_rehearsal_first(view, other)?.map_or_else(
            || Err(Problem::obstacle("no-rehearsal")),
            |(rehearsal, real)| self.compare_rows(rehearsal, real),
        )
    }

    /// Like [`Self::compare`] without `other`, with at most a thousand differing rows. Returns `None` for an undo,
    /// without a counterpart, if either submission is still running, or if they have no rows in common.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn find_comparison(&self, id: SubmissionId) -> Result<Option<RehearsalComparison>, Problem> {
        let view = self.0.submissions().view(id)?;
        if view.state == SubmissionState::Running || view.relation == Some(Relation::Undo) {
            return Ok(None);
        }
        let Some(other) = self.find_counterpart(&view)?.filter(|other| other.state != SubmissionState::Running) else {
            return Ok(None);
        };
        let Some((rehearsal, real)) = self.pair_rehearsal_first(view, other)? else { return Ok(None) };
        let mut comparison = self.compare_rows(rehearsal, real)?;
        comparison.differences.truncate(MAX_DIFFERENCES);
        Ok(Some(comparison).filter(|comparison| comparison.same + comparison.different > 0))
    }

    /// Returns both submissions, the rehearsal first. Returns `None` if neither was sent to the copy of the other's
    /// site.
    fn pair_rehearsal_first(
        &self,
        one: SubmissionView,
        other: SubmissionView,
    ) -> Result<Option<(SubmissionView, SubmissionView)>, Problem> {
        if self.find_original(&one.site)?.is_some_and(|original| original == other.site) {
            return Ok(Some((one, other)));
        }
        let is_rehearsal = self.find_original(&other.site)?.is_some_and(|original| original == one.site);
        Ok(is_rehearsal.then_some((other, one)))
    }

    /// Returns the original of a site that is a copy. Returns `None` for other sites.
    fn find_original(&self, site: &str) -> Result<Option<String>, Problem> {
        match self.0.sites().find(site) {
            Ok(site) => Ok(site.rehearsal_of),
            Err(problem) if problem.code == Code::Unknown => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    fn find_counterpart(&self, view: &SubmissionView) -> Result<Option<SubmissionView>, Problem> {
        let site = self.find_original(&view.site)?.unwrap_or_else(|| Self::copy_name(&view.site));
        let query = HistoryQuery { site: Some(site), ..HistoryQuery::default() };
        let list = self.0.history().list(&query, 0, MAX_SEARCHED_SUBMISSIONS)?;
        let is_candidate =
            |one: &SubmissionView| one.operation == view.operation && one.relation != Some(Relation::Undo);
        let mut candidates: Vec<_> = list.submissions.into_iter().filter(is_candidate).collect();
        let is_same_file = |one: &SubmissionView| !one.hash.is_empty() && one.hash == view.hash;
        let same_sheet = candidates.iter().position(|one| is_same_file(one) && one.sheet == view.sheet);
        let index = same_sheet.or_else(|| candidates.iter().position(is_same_file)).unwrap_or(0);
        Ok(if index < candidates.len() { Some(candidates.swap_remove(index)) } else { None })
    }

    fn compare_rows(&self, rehearsal: SubmissionView, real: SubmissionView) -> Result<RehearsalComparison, Problem> {
        let same_file = !real.hash.is_empty() && real.hash == rehearsal.hash;
        let pairing_key = |row: &ResultRow| {
            if same_file { PairingKey::Position(row.sheet.clone(), row.row) } else { PairingKey::Key(row.key.clone()) }
        };
        let mut rehearsed: HashMap<PairingKey, Vec<ResultRow>> = HashMap::new();
        self.for_each_row(rehearsal.id, |row| rehearsed.entry(pairing_key(&row)).or_default().push(row))?;
        let (mut same, mut only_real, mut differences) = (0, 0, Vec::new());
        self.for_each_row(real.id, |real| {
            let rehearsed_row =
                rehearsed.get_mut(&pairing_key(&real)).filter(|rows| !rows.is_empty()).map(|rows| rows.remove(0));
            match rehearsed_row {
                None => only_real += 1,
                Some(rehearsed) if rehearsed.result == real.result && rehearsed.reasons == real.reasons => same += 1,
                Some(rehearsed) => differences.push(RowDifference { key: real.key.clone(), rehearsed, real }),
            }
        })?;
        let only_rehearsed = rehearsed.values().map(Vec::len).sum::<usize>();
        let only_rehearsed = u32::try_from(only_rehearsed).unwrap_or(u32::MAX);
        let different = u32::try_from(differences.len()).unwrap_or(u32::MAX);
        Ok(RehearsalComparison { rehearsal, real, same_file, same, different, differences, only_rehearsed, only_real })
    }

    fn for_each_row(&self, id: SubmissionId, mut on_row: impl FnMut(ResultRow)) -> Result<(), Problem> {
        let mut offset = 0;
        loop {
            let page = self.0.submissions().result_rows(id, None, offset, ROWS_PER_PAGE)?;
            page.rows.into_iter().for_each(&mut on_row);
            offset += ROWS_PER_PAGE;
            if offset >= page.total {
                return Ok(());
            }
        }
    }
}

/// The key by which rows of two submissions are paired.
#[derive(Debug, PartialEq, Eq, Hash)]
enum PairingKey {
    Position(String, ExcelRow),
    Key(String),
}
