//! What was rehearsed beside what then happened: the rows of two submissions of one operation, paired by their place in the same
//! file, else by their keys.

use std::collections::HashMap;

use serde::Serialize;
use takt_core::{Code, ExcelRow, Problem};
use takt_submit::{
    history::HistoryQuery,
    submission::{ResultRow, SubmissionView},
};

use super::Rehearsals;
use takt_journal::{Relation, SubmissionId, SubmissionState};

const AT_ONCE: u32 = 1_000;
/// Submissions of the other site that are looked through for the one that belongs here.
const MAX_CHECKED: u32 = 200;
/// Differing rows of a comparison that is looked for without being asked for.
const MAX_SHOWN: usize = 1_000;

/// Two submissions, one of them at the copy of the other's site.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RehearsalComparison {
    pub rehearsal: SubmissionView,
    pub real: SubmissionView,
    /// True where both sent the same file, so that rows are paired by their place in it.
    pub same_file: bool,
    /// Rows that came out the same.
    pub same: u32,
    /// How many rows have another result or another reason.
    pub different: u32,
    /// These rows, in the order of the site's submission.
    pub differences: Vec<RowDifference>,
    /// Rows that only the rehearsal had.
    pub only_rehearsed: u32,
    /// Rows that only the site had.
    pub only_real: u32,
}

/// A row that came out otherwise than it was rehearsed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowDifference {
    pub key: String,
    pub rehearsed: ResultRow,
    pub real: ResultRow,
}

impl Rehearsals<'_> {
    /// Compares a submission with the one that it rehearsed or that rehearsed it: `other`, else the latest of the same operation
    /// with the same file, else the latest of the same operation.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - [`Code::Precondition`]: neither is at the copy of the other's site (`no-rehearsal`), or they are of different operations
    ///   (`rehearsal-of-other-operation`).
    /// - A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn compare(&self, id: SubmissionId, other: Option<SubmissionId>) -> Result<RehearsalComparison, Problem> {
        let submissions = self.0.submissions();
        let view = submissions.view(id)?;
        let other = match other {
            Some(other) => submissions.view(other)?,
            None => self.counterpart(&view)?.ok_or_else(|| Problem::in_the_way("no-rehearsal"))?,
        };
        if view.operation != other.operation {
            return Err(Problem::in_the_way("rehearsal-of-other-operation"));
        }
        self.rehearsal_first(view, other)?.map_or_else(
            || Err(Problem::in_the_way("no-rehearsal")),
            |(rehearsal, real)| self.compared(rehearsal, real),
        )
    }

    /// The comparison that [`Self::compare`] makes by itself, with the first thousand rows that differ; `None` where there is no
    /// such submission, where one of the two is still being sent, and where no row is in both.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn find_comparison(&self, id: SubmissionId) -> Result<Option<RehearsalComparison>, Problem> {
        let view = self.0.submissions().view(id)?;
        if view.state == SubmissionState::Running || view.relation == Some(Relation::Undo) {
            return Ok(None);
        }
        let Some(other) = self.counterpart(&view)?.filter(|other| other.state != SubmissionState::Running) else {
            return Ok(None);
        };
        let Some((rehearsal, real)) = self.rehearsal_first(view, other)? else { return Ok(None) };
        let mut comparison = self.compared(rehearsal, real)?;
        comparison.differences.truncate(MAX_SHOWN);
        Ok(Some(comparison).filter(|comparison| comparison.same + comparison.different > 0))
    }

    /// The one at the copy before the one at its original; `None` where neither is at the copy of the other's site.
    fn rehearsal_first(
        &self,
        one: SubmissionView,
        other: SubmissionView,
    ) -> Result<Option<(SubmissionView, SubmissionView)>, Problem> {
        if self.original(&one.site)?.is_some_and(|original| original == other.site) {
            return Ok(Some((one, other)));
        }
        let of_other = self.original(&other.site)?.is_some_and(|original| original == one.site);
        Ok(of_other.then_some((other, one)))
    }

    /// Of which site a site is the copy.
    fn original(&self, site: &str) -> Result<Option<String>, Problem> {
        match self.0.sites().find(site) {
            Ok(site) => Ok(site.rehearsal_of),
            Err(problem) if problem.code == Code::Unknown => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    fn counterpart(&self, view: &SubmissionView) -> Result<Option<SubmissionView>, Problem> {
        let site = self.original(&view.site)?.unwrap_or_else(|| Self::name(&view.site));
        let query = HistoryQuery { site: Some(site), ..HistoryQuery::default() };
        let list = self.0.history().list(&query, 0, MAX_CHECKED)?;
        let is_alike = |one: &SubmissionView| one.operation == view.operation && one.relation != Some(Relation::Undo);
        let mut alike: Vec<_> = list.submissions.into_iter().filter(is_alike).collect();
        let is_same_file = |one: &SubmissionView| !one.hash.is_empty() && one.hash == view.hash;
        let same_sheet = alike.iter().position(|one| is_same_file(one) && one.sheet == view.sheet);
        let place = same_sheet.or_else(|| alike.iter().position(is_same_file)).unwrap_or(0);
        Ok(if place < alike.len() { Some(alike.swap_remove(place)) } else { None })
    }

    fn compared(&self, rehearsal: SubmissionView, real: SubmissionView) -> Result<RehearsalComparison, Problem> {
        let same_file = !real.hash.is_empty() && real.hash == rehearsal.hash;
        let name = |row: &ResultRow| {
            if same_file { RowName::Place(row.sheet.clone(), row.row) } else { RowName::Key(row.key.clone()) }
        };
        let mut rehearsed: HashMap<RowName, Vec<ResultRow>> = HashMap::new();
        self.each_row(rehearsal.id, |row| rehearsed.entry(name(&row)).or_default().push(row))?;
        let (mut same, mut only_real, mut differences) = (0, 0, Vec::new());
        self.each_row(real.id, |real| {
            let known = rehearsed.get_mut(&name(&real)).filter(|rows| !rows.is_empty()).map(|rows| rows.remove(0));
            match known {
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

    fn each_row(&self, id: SubmissionId, mut see: impl FnMut(ResultRow)) -> Result<(), Problem> {
        let mut offset = 0;
        loop {
            let page = self.0.submissions().result_rows(id, None, offset, AT_ONCE)?;
            page.rows.into_iter().for_each(&mut see);
            offset += AT_ONCE;
            if offset >= page.total {
                return Ok(());
            }
        }
    }
}

/// By which two rows are the same.
#[derive(Debug, PartialEq, Eq, Hash)]
enum RowName {
    Place(String, ExcelRow),
    Key(String),
}
